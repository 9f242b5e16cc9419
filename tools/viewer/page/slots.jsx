// The slots of a table: a map of their states and generations, the free list, the dense order.
import { useEffect, useMemo, useState } from 'preact/hooks';

import { TableFacts } from './facts.jsx';
import { Grid } from './grid.jsx';
import {
  CellMap, DamageNote, FoldedTable, Legend, OrderPicture, perCell, slotsOfBins, sumOf,
} from './pictures.jsx';
import { formatRoute, go } from './route.js';
import { grouped, rangeText, visible } from './text.js';

export function SlotsView({ context, table }) {
  const { connection, file, version } = context;
  const [found, setFound] = useState(null);
  const [fault, setFault] = useState(null);
  const [progress, setProgress] = useState([0, 1]);
  useEffect(() => {
    const stop = new AbortController();
    connection.call('slots', [file.number, table.name],
      { signal: stop.signal, progress: (done, all) => setProgress([done, all]) })
      .then(setFound, (error) => { if (error.kind !== 'cancelled') setFault(error); });
    return () => stop.abort();
  }, [file.number, table.name, version]);
  const name = visible(table.name);
  return (
    <>
      <div class="bar">
        <h1>Slots of <bdi>{name}</bdi></h1>
        <span class="space" />
        <a href={formatRoute({ view: 'table', table: table.name })}>Records</a>
      </div>
      <TableFacts table={table} />
      {fault && <p class="bad" role="alert">{fault.message}</p>}
      {!found && !fault && table.slots > 0 &&
        <progress value={progress[0]} max={progress[1]} aria-label="Reading the slots" />}
      <DamageNote list={found?.damage} />
      {found?.bins.length > 0 && <SlotMap found={found} table={table} name={name} />}
      {found?.generations.length > 0 && <Generations bins={found.generations} />}
      {found?.dense?.entries > 1 &&
        <section>
          <h2>Dense order</h2>
          <p class="muted">The position of each record in memory, from the lowest slot to the
            highest.</p>
          <OrderPicture label={`Dense order of ${name}`} order={found.dense} unit="position"
                        numbers={highestOf(found.dense) + 1}
                        ends={['the lowest live slot', 'the highest live slot']} />
        </section>}
      {table.freeListed > 0 && found && <FreeList {...{ context, table, found, name }} />}
    </>
  );
}

const highestOf = (order) => Math.max(...order.bins.map(({ highest }) => highest));

/** The colour, 0 to 7, of a generation or of a mean of some. */
function colourOf(generations, generation) {
  if (generations.length <= 1) return 1;
  const index = generations.findIndex(({ highest }) => highest + 0.5 >= generation);
  const last = generations.length - 1;
  return Math.floor(((index < 0 ? last : index) * 7) / last);
}

function SlotMap({ found, table, name }) {
  const { bins, generations } = found;
  const sums = Object.fromEntries(['live', 'free', 'retired', 'unread'].map((kind) => (
    [kind, sumOf(bins, kind)])));
  const colours = useMemo(() => new Set(bins.filter(({ live }) => live > 0)
    .map(({ mean }) => colourOf(generations, mean))), [bins]);
  const partsOf = (bin) => {
    const unread = bin.slots - bin.unread;
    return [[`g${colourOf(generations, bin.mean)}`, 0, bin.live],
            ['free', bin.live, bin.live + bin.free],
            ['retired', unread - bin.retired, unread], ['unread', unread, bin.slots]];
  };
  return (
    <section>
      <h2>Map</h2>
      <figure>
        <CellMap label={`Slot map of ${name}`} bins={bins} partsOf={partsOf} wordsOf={wordsOf}
                 facts={`${grouped(sums.live)} live, ${grouped(sums.free)} free, ` +
                        `${grouped(sums.retired)} retired of ${grouped(table.slots)} slots`}
                 onOpen={(bin) => go({ view: 'table', table: table.name,
                                       slot: bin.at < 0 ? bin.first : bin.at })} />
        <Legend items={[sums.free > 0 && ['free', 'free'],
                        sums.retired > 0 && ['retired', 'retired'],
                        sums.unread > 0 && ['unread', 'unreadable']]}>
          {colours.size > 0 &&
            <li><span class="ramp">{[...colours].sort().map((colour) => (
              <span key={colour} class={`key g${colour}`} />))}</span> live, by generation: a
              stronger colour means more records so far</li>}
        </Legend>
        <figcaption class="muted">
          Slot 0 is at the top left; {perCell(bins)}
          {bins[0].slots > 1 && ', filled in proportion: from below by live and free slots, from ' +
            'above by unreadable and retired ones'}. Enter or a click opens the first record.
        </figcaption>
        <FoldedTable label={`Slots of ${name}`} bins={bins}
                     heads={['Slots', 'Live', 'Free', 'Retired', 'Unreadable',
                             'Generations of live']}
                     rowOf={(some) => [
                       slotsOfBins(some), ...['live', 'free', 'retired', 'unread'].map((kind) => (
                         grouped(sumOf(some, kind)))), generationsOf(some)]} />
      </figure>
    </section>
  );
}

function generationsOf(bins) {
  const live = bins.filter((bin) => bin.live > 0);
  if (live.length === 0) return '–';
  return rangeText(Math.min(...live.map(({ lowest }) => lowest)),
                   Math.max(...live.map(({ highest }) => highest)));
}

function wordsOf(bin) {
  const counts = [['live', 'live'], ['free', 'free'], ['retired', 'retired'],
                  ['unread', 'unreadable']].filter(([kind]) => bin[kind] > 0)
    .map(([kind, word]) => `${grouped(bin[kind])} ${word}`).join(', ') || 'nothing';
  if (bin.live === 0) return counts;
  return `${counts}; ${bin.lowest === bin.highest ? 'generation' : 'generations'} ` +
    generationsOf([bin]);
}

/** How many records the slots have held: live ones and those that wait. */
function Generations({ bins }) {
  const most = Math.max(1, ...bins.map(({ live, vacant }) => Math.max(live, vacant)));
  const bar = (name, count) => (
    <span class={`bargraph ${name}`} style={{ width: `${(100 * count) / most}%` }} />);
  return (
    <section>
      <h2>Generations</h2>
      <p class="muted">How many records the slots have held; vacant slots are free or retired, with
        the generation of their last record.</p>
      <div class="scroll" tabIndex={0} role="group" aria-label="Slots by generation">
        <table class="generations">
          <thead><tr><th>Generation</th><th aria-hidden="true" /><th class="number">Live</th>
            <th class="number">Vacant</th></tr></thead>
          <tbody>
            {bins.map((bin) => (
              <tr key={bin.lowest}>
                <th scope="row">{rangeText(bin.lowest, bin.highest)}</th>
                <td class="pair" aria-hidden="true">
                  {bin.live > 0 && bar(`g${colourOf(bins, bin.lowest)}`, bin.live)}
                  {bin.vacant > 0 && bar('free', bin.vacant)}
                </td>
                <td class="number">{grouped(bin.live)}</td>
                <td class="number">{grouped(bin.vacant)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function FreeList({ context, table, found, name }) {
  const { connection, file, version } = context;
  const rows = useMemo(
    () => (from, count) => connection.call('freeList', [file.number, table.name, from, count]),
    [file.number, table.name, version]);
  const title = table.component ? 'Holes' : 'Free list';
  return (
    <section>
      <h2>{title}</h2>
      <p class="muted">In the order of use: the first is used next.</p>
      {found.freeFault && <p class="note bad">The list cannot be read: {found.freeFault}.</p>}
      {found.free?.entries > 1 &&
        <OrderPicture label={`Free list of ${name}`} order={found.free} numbers={table.slots}
                      unit="slot" ends={['used next', 'used last']} />}
      {!found.freeFault &&
        <div class="short">
          <Grid label={title} count={table.freeListed} source={rows} version={version}
                columns={[{ key: 'place', title: 'Place', width: 120, numeric: true },
                          { key: 'slot', title: table.component ? 'Position' : 'Slot', width: 140,
                            numeric: true },
                          { key: 'generation', title: 'Last generation', width: 160,
                            numeric: true }]}
                cell={(row, column) => grouped(row[column.key] ?? '')}
                onOpen={(row) => go({ view: 'table', table: table.name, slot: row.slot })} />
        </div>}
    </section>
  );
}
