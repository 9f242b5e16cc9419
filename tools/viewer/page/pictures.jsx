// Pictures of many slots and of orders, each with the same numbers in a folded table.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { grouped, percent, plural, rangeText } from './text.js';

const MOST_ROWS = 32;
const NARROW = 480;

/**
 * A table that is folded until it is wanted, of at most 32 rows: more bins are joined.
 * @param {object} props
 * @param {string} props.label
 * @param {string[]} props.heads
 * @param {any[]} props.bins
 * @param {(some: any[]) => any[]} props.rowOf the cells of some bins together
 */
export function FoldedTable({ label, heads, bins, rowOf }) {
  const step = Math.max(1, Math.ceil(bins.length / MOST_ROWS));
  const rows = [];
  for (let i = 0; i < bins.length; i += step) rows.push(rowOf(bins.slice(i, i + step)));
  return (
    <details class="folded">
      <summary>As a table<span class="unseen">: {label}</span></summary>
      <div class="scroll" tabIndex={0} role="group" aria-label={label}>
        <table>
          <thead><tr>{heads.map((head, i) => (
            <th key={head} class={i ? 'number' : ''}>{head}</th>))}</tr></thead>
          <tbody>
            {rows.map(([head, ...cells]) => (
              <tr key={head}>
                <th scope="row">{head}</th>
                {cells.map((cell, i) => <td key={i} class="number">{cell}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** The sum of a count of several bins. */
export function sumOf(bins, name) {
  return bins.reduce((sum, bin) => sum + bin[name], 0);
}

/** "64 to 127" of bins that are beside each other. */
export function slotsOfBins(bins) {
  const last = bins.at(-1);
  return rangeText(bins[0].first, last.first + last.slots - 1);
}

/** "each cell is 64 slots" */
export function perCell(bins) {
  return bins[0].slots === 1 ? 'each cell is one slot'
    : `each cell is ${grouped(bins[0].slots)} slots`;
}

/**
 * A cell for each bin of slots, filled in proportion. Pointer and arrow keys say what is in a cell;
 * a click or Enter opens it.
 * @param {object} props
 * @param {string} props.label
 * @param {string} props.facts
 * @param {{first: number, slots: number}[]} props.bins
 * @param {(bin: any) => [string, number, number][]} props.partsOf class, from and to in slots,
 *   counted from below
 * @param {(bin: any) => boolean} [props.isFramed]
 * @param {(bin: any) => string} props.wordsOf
 * @param {(bin: any) => void} props.onOpen
 */
export function CellMap({ label, facts, bins, partsOf, isFramed, wordsOf, onOpen }) {
  const box = useRef(null);
  const [width, setWidth] = useState(1000);
  const [at, setAt] = useState(-1);
  const wide = bins.length > 256 ? 64 : bins.length > 64 ? 32 : Math.min(bins.length, 16);
  const columns = width < NARROW ? Math.min(wide, 32) : wide;
  const rows = Math.ceil(bins.length / columns);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry.contentRect.width));
    observer.observe(box.current.parentElement);
    return () => observer.disconnect();
  }, []);
  const paths = useMemo(() => pathsOf(bins, columns, partsOf, isFramed), [bins, columns]);
  const text = (bin) => `${bin.slots === 1 ? 'Slot' : 'Slots'} ${slotsOfBins([bin])}: ` +
    wordsOf(bin);
  const cellAt = (event) => {
    const frame = box.current.getBoundingClientRect();
    const x = Math.floor(((event.clientX - frame.left) / frame.width) * columns);
    const y = Math.floor(((event.clientY - frame.top) / frame.height) * rows);
    return y * columns + Math.max(0, Math.min(x, columns - 1));
  };
  const show = (cell) => { if (cell >= 0 && cell < bins.length) setAt(cell); };
  const onKeyDown = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const moves = { ArrowLeft: at - 1, ArrowRight: at + 1, ArrowUp: at - columns,
                    ArrowDown: at + columns, Home: 0, End: bins.length - 1 };
    if (event.key in moves) show(at < 0 ? 0 : moves[event.key]);
    else if (event.key === 'Enter' && at >= 0) onOpen(bins[at]);
    else return;
    event.preventDefault();
  };
  return (
    <div class="map">
      <div class="cells" ref={box} role="application" aria-roledescription="map" tabIndex={0}
           aria-label={`${label}: ${facts}; ${perCell(bins)}. Arrow keys move from cell to ` +
                       'cell, Enter opens one.'}
           style={{ maxWidth: `${columns * (columns > 16 ? 18 : 26)}px` }}
           onFocus={() => { if (at < 0) setAt(0); }} onKeyDown={onKeyDown}
           onPointerMove={(event) => show(cellAt(event))}
           onClick={(event) => {
             const cell = cellAt(event);
             show(cell);
             if (cell >= 0 && cell < bins.length) onOpen(bins[cell]);
           }}>
        <svg viewBox={`-1 -1 ${columns * 10 + 1} ${rows * 10 + 1}`} aria-hidden="true">
          {paths.map(([name, path]) => <path key={name} class={name} d={path} />)}
          {at >= 0 &&
            <rect class="cursor" width="10" height="10" x={(at % columns) * 10 - 0.5}
                  y={Math.floor(at / columns) * 10 - 0.5} />}
        </svg>
      </div>
      <output class="readout muted">{bins[at] ? text(bins[at]) : ' '}</output>
    </div>
  );
}

const CELL = 9;  // and 1 between two

/** Rectangles gathered by class: one path each. */
function pathsOf(bins, columns, partsOf, isFramed) {
  const paths = new Map();
  bins.forEach((bin, i) => {
    const x = (i % columns) * 10;
    const y = Math.floor(i / columns) * 10 + CELL;
    const add = (name, from, to) => {
      if (to <= from) return;
      const high = (slots) => Math.round((slots * CELL * 1000) / bin.slots) / 1000;
      const height = high(to) - high(from);
      paths.set(name, `${paths.get(name) ?? ''}M${x} ${(y - high(to)).toFixed(3)}h${CELL}` +
        `v${height.toFixed(3)}h-${CELL}z`);
    };
    for (const part of partsOf(bin)) add(...part);
    if (isFramed?.(bin)) add('touched', 0, bin.slots);
  });
  return [...paths];
}

/** Words for colours: [class, word] of those that occur. */
export function Legend({ children, items }) {
  return (
    <ul class="legend">
      {children}
      {items.filter(Boolean).map(([name, word]) => (
        <li key={name}><span class={`key ${name}`} /> {word}</li>))}
    </ul>
  );
}

/** How an order moves, in words: why a walk along it is fast or slow. */
export function movementOf(order) {
  if (order.entries < 2) return 'one entry';
  const steps = order.entries - 1;
  const near = order.nearSteps / steps;
  const sense = order.runs === 1 ? 'one run of neighbours' : near > 0.9 ? 'moves in small steps'
    : near < 0.3 ? 'jumps about' : 'small steps and jumps';
  const mean = order.meanStep < 100 ? order.meanStep.toFixed(1)
    : grouped(Math.floor(order.meanStep));
  return `${sense}: ${plural(order.runs, 'run')}, the longest of ${grouped(order.longestRun)}; ` +
    `${percent(order.nearSteps, steps)} of the steps are of at most 64; ${mean} on average`;
}

const HEIGHT = 100;

/**
 * An order as a band from the lowest to the highest number of each bin, and a line of their means.
 * @param {object} props
 * @param {string} props.label
 * @param {object} props.order of slot_survey.js
 * @param {number} props.numbers how many there are: they are below this
 * @param {string} props.unit what a number is: slot, position
 * @param {[string, string]} props.ends of the order in words
 */
export function OrderPicture({ label, order, numbers, unit, ends }) {
  const movement = movementOf(order);
  const scale = HEIGHT / Math.max(1, numbers);
  const y = (number) => Math.max(0, HEIGHT - (number + 0.5) * scale);
  let band = '';
  let line = '';
  for (const bin of order.bins) {
    const x = (bin.first * 1000) / order.entries;
    const width = (bin.entries * 1000) / order.entries;
    const top = Math.max(0, y(bin.highest) - 1);
    const height = Math.min(HEIGHT, y(bin.lowest) + 1) - top;
    band += `M${x.toFixed(2)} ${top.toFixed(2)}h${width.toFixed(2)}v${height.toFixed(2)}` +
      `h${(-width).toFixed(2)}z`;
    line += `${line ? 'L' : 'M'}${(x + width / 2).toFixed(2)} ${y(bin.mean).toFixed(2)}`;
  }
  return (
    <figure>
      <p class="axis"><span>{unit} {grouped(Math.max(0, numbers - 1))}</span></p>
      <svg class="order" viewBox="0 0 1000 100" preserveAspectRatio="none" role="img"
           aria-label={`${label}, ${plural(order.entries, 'entry', 'entries')}: ${movement}`}>
        <path class="band" d={band} />
        {order.bins.length > 1 && <path class="line" d={line} />}
      </svg>
      <p class="axis"><span>{unit} 0, {ends[0]}</span><span>{ends[1]}</span></p>
      <figcaption class="muted">
        {order.entries > 1 ? `${grouped(order.entries)} entries: ${movement}` : movement}.
      </figcaption>
      <FoldedTable label={label} bins={order.bins}
                   heads={['Entries', `Lowest ${unit}`, `Highest ${unit}`, 'Mean']}
                   rowOf={(bins) => {
                     const last = bins.at(-1);
                     const total = bins.reduce((sum, bin) => sum + bin.mean * bin.entries, 0);
                     return [rangeText(bins[0].first, last.first + last.entries - 1),
                             grouped(Math.min(...bins.map(({ lowest }) => lowest))),
                             grouped(Math.max(...bins.map(({ highest }) => highest))),
                             (total / sumOf(bins, 'entries')).toFixed(1)];
                   }} />
    </figure>
  );
}

const MOST_DAMAGED = 3;

/** Which slots could not be read, in a line. @param {{list: object[], verb?: string}} props */
export function DamageNote({ list, verb = 'cannot be read' }) {
  if (!list?.length) return null;
  return (
    <p class="note damage" role="status">
      {list.slice(0, MOST_DAMAGED).map(({ first, last, what }) => (
        <span key={first}>
          <span class="bad">✗</span> {first === last ? 'Slot' : 'Slots'}{' '}
          {rangeText(first, last)} {verb}: {what}.{' '}
        </span>))}
      {list.length > MOST_DAMAGED &&
        <span>And {plural(list.length - MOST_DAMAGED, 'other range', 'other ranges')}.</span>}
    </p>
  );
}
