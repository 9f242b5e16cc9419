// Terms and what they are, side by side; those of a table.
import { grouped, size, visible } from './text.js';

/** @param {{items: ([string, string, boolean?] | false)[]}} props the last: in fixed width */
export function Facts({ items }) {
  return (
    <dl class="facts">
      {items.filter((item) => item && item[1] !== '').map(([term, fact, isCode]) => (
        <div key={term} class={isCode ? 'long' : ''}>
          <dt><bdi>{term}</bdi></dt>
          <dd class={isCode ? 'mono' : ''}><bdi>{fact}</bdi></dd>
        </div>
      ))}
    </dl>
  );
}

const FREE_LISTS = { lifo: 'last in, first out', fifo: 'first in, first out',
                     lowest: 'the lowest slot first' };
const GENERATIONS = { perSlot: 'counted for each slot', counter: 'from a counter of the table' };
const OVERFLOW = { retire: 'the slot is retired', wrap: 'the generation starts again' };
const REMOVAL = { swap: 'the last record takes the place', inPlace: 'a hole stays' };
const NAMES = { exact: 'each record may have one',
                ignoreCase: 'each record may have one, in small letters or capital ones' };
const COMPACTION = { atRelease: 'compacted when one is released', onDemand: 'compacted on demand' };

/** What a table is and how it uses its slots. */
export function TableFacts({ table }) {
  const { facts } = table;
  const isOwner = !table.component;
  const blobs = facts.blobs && `room for ${size(facts.blobs.capacity)}, aligned to ` +
    `${facts.blobs.alignment} bytes, ${COMPACTION[facts.blobs.compaction]}`;
  return (
    <Facts items={[
      ['Live', grouped(table.live)],
      !isOwner && ['Owner', visible(facts.owner)],
      !isOwner && ['Removal', REMOVAL[facts.removal]],
      !isOwner && ['Holes', grouped(facts.holes)],
      isOwner && ['Free', grouped(table.free)],
      isOwner && ['Retired', grouped(table.retired)],
      isOwner && table.unissued > 0 && ['Unissued', grouped(table.unissued)],
      ['Slots', grouped(table.slots)],
      ['Storage', table.storage],
      ['Handle', table.layout],
      isOwner && ['Free list', FREE_LISTS[facts.freeList]],
      isOwner && ['Generations', GENERATIONS[facts.generations]],
      isOwner && ['After the last generation', OVERFLOW[facts.overflow]],
      ['Highest generation', grouped(table.highestGeneration)],
      facts.generations === 'counter' && ['Counter', grouped(table.counter)],
      facts.names !== 'none' && ['Names', NAMES[facts.names]],
      blobs && ['Blobs', blobs],
      facts.typeId > 0 && ['Type id', grouped(facts.typeId)],
      !facts.hashed && ['State hash', 'not included'],
    ]} />
  );
}
