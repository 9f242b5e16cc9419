// The slots of a table: a map of their states and generations, the free list, the dense order.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { Bars } from './bars.jsx';
import { Facts } from './facts.jsx';
import { Grid } from './grid.jsx';
import { formatRoute, go } from './route.js';
import { grouped, plural, visible } from './text.js';

const MOST_CELLS = 40_000;

export function SlotsView({ context, table }) {
  const { connection, file, version } = context;
  const [map, setMap] = useState(null);
  const [fault, setFault] = useState(null);
  useEffect(() => {
    connection.call('slots', [file.number, table.name, MOST_CELLS]).then(setMap, setFault);
  }, [file.number, table.name, version]);
  const free = useMemo(
    () => async (from, count) =>
      (await connection.call('freeList', [file.number, table.name, from, count])),
    [file.number, table.name, version]);
  return (
    <>
      <div class="bar">
        <h1>Slots of <bdi>{visible(table.name)}</bdi></h1>
        <span class="space" />
        <a href={formatRoute({ view: 'table', table: table.name })}>Records</a>
      </div>
      <Facts items={[
        ['Slots', grouped(table.slots)], ['Live', grouped(table.live)],
        ['Free', grouped(table.free)], ['Retired', grouped(table.retired)],
        ['Unissued', grouped(table.unissued)],
        ['Highest generation', grouped(table.highestGeneration)],
        ['Counter', grouped(table.counter)], ['Policies', table.policies],
      ]} />
      {fault && <p class="bad" role="alert">{fault.message}</p>}
      {map && map.cells.length > 0 && <SlotMap map={map} table={table} />}
      {map && <section>
        <h2>Generations</h2>
        <p class="muted">How many records the slots have held; live and free slots.</p>
        <Bars label="Slots by generation" format={grouped} rows={map.generations} />
      </section>}
      {map?.order && <DenseOrder order={map.order} live={table.live} />}
      {table.freeListed > 0 &&
        <section>
          <h2>{table.component ? 'Holes' : 'Free list'}</h2>
          <p class="muted">In the order of use: the first is used next.</p>
          <div class="short">
            <Grid label="Free list" count={table.freeListed} source={free} version={version}
                  columns={[{ key: 'place', title: 'Place', width: 120, numeric: true },
                            { key: 'slot', title: table.component ? 'Position' : 'Slot', width: 140,
                              numeric: true },
                            { key: 'generation', title: 'Last generation', width: 160,
                              numeric: true }]}
                  cell={(row, column) => grouped(row[column.key] ?? '')}
                  onOpen={(row) => go({ view: 'table', table: table.name, slot: row.slot })} />
          </div>
        </section>}
    </>
  );
}

/** One square a slot, or for several where there are many. */
function SlotMap({ map, table }) {
  const canvas = useRef(null);
  const [width, setWidth] = useState(600);
  const [at, setAt] = useState(null);
  const side = map.cells.length > 4000 ? 5 : map.cells.length > 400 ? 10 : 18;
  const across = Math.max(1, Math.floor(width / side));
  const down = Math.ceil(map.cells.length / across);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry.contentRect.width));
    observer.observe(canvas.current.parentElement);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const scale = devicePixelRatio || 1;
    const element = canvas.current;
    element.width = across * side * scale;
    element.height = down * side * scale;
    const pen = element.getContext('2d');
    pen.scale(scale, scale);
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const shades = Array.from({ length: 8 }, (_, k) => colour(`--g${k}`));
    const states = { free: colour('--free'), retired: colour('--retired'), none: colour('--line') };
    map.cells.forEach(({ state, shade }, index) => {
      pen.fillStyle = state === 'live' ? shades[shade] : states[state] ?? states.none;
      pen.fillRect((index % across) * side, Math.floor(index / across) * side, side - 1, side - 1);
    });
  }, [map, across, document.documentElement.dataset.theme]);
  const cellAt = (event) => {
    const box = canvas.current.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / side);
    const index = Math.floor((event.clientY - box.top) / side) * across + column;
    return column < across && index < map.cells.length ? index : null;
  };
  const first = at === null ? null : at * map.slotsPerCell;
  return (
    <section>
      <h2>Map</h2>
      <p class="muted">Slot 0 is at the top left; {map.slotsPerCell === 1 ? 'a square is one slot'
        : `a square is ${grouped(map.slotsPerCell)} slots, in the colour of most of them`}.</p>
      <div>
        <canvas ref={canvas} role="img"
                style={{ width: `${across * side}px`, height: `${down * side}px` }}
                aria-label={`${plural(table.live, "live slot")}, ${grouped(table.free)} free, ` +
                            `${grouped(table.retired)} retired, ` +
                            `${grouped(table.unissued)} unissued`}
                onMouseMove={(event) => setAt(cellAt(event))} onMouseLeave={() => setAt(null)}
                onClick={(event) => {
                  const cell = cellAt(event);
                  if (cell !== null)
                    go({ view: 'table', table: table.name, slot: cell * map.slotsPerCell });
                }} />
      </div>
      <p class="legend">
        <span class="key g1" /> live, low generation <span class="key g6" /> live, high
        generation <span class="key free" /> free <span class="key retired" /> retired
        <span class="space" />
        {first !== null && <span>{map.slotsPerCell === 1 ? `slot ${grouped(first)}`
          : `slots ${grouped(first)} to ${grouped(first + map.slotsPerCell - 1)}`}</span>}
      </p>
    </section>
  );
}

/** Positions of the dense order by slot: a straight line is the order of the slots. */
function DenseOrder({ order, live }) {
  const points = order.map(([x, y]) => `${(x * 600).toFixed(1)},${(160 - y * 156).toFixed(1)}`);
  return (
    <section>
      <h2>Dense order</h2>
      <p class="muted">The position of each record, from the lowest slot to the highest.</p>
      <svg viewBox="0 0 600 164" class="plot" role="img" preserveAspectRatio="none"
           aria-label={`The positions of ${plural(live, "record")} by slot`}>
        <polyline points={points.join(' ')} fill="none" class="line" />
      </svg>
    </section>
  );
}
