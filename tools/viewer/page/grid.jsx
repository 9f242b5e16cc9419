// A table of any number of rows. Only the rows in sight are elements. Browsers have no element
// higher than some 17 million pixels, so the height of more rows than that is squeezed: a short
// way on the scroll bar is a short way in the table, a long way a proportional one.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export const ROW_HEIGHT = 28;
const MOST_PIXELS = 8_000_000;
const PAGE = 128;
const MOST_PAGES = 64;

/** The height of a grid that is no higher than its rows need. @param {number} count rows */
export function heightOf(count) {
  return `max(12rem, min(60vh, 40rem, ${(count + 2) * ROW_HEIGHT}px))`;
}

/** Rows by pages; what is not there yet is fetched. */
function usePages(source, version) {
  const [, redraw] = useState(0);
  const pages = useRef({ source: null, version: null, map: new Map() });
  const held = pages.current;
  if (held.source !== source || held.version !== version)
    pages.current = { source, version, map: new Map() };
  return (index) => {
    const { map } = pages.current;
    const number = Math.floor(index / PAGE);
    let page = map.get(number);
    if (!page) {
      page = { rows: null };
      map.set(number, page);
      if (map.size > MOST_PAGES) map.delete(map.keys().next().value);
      source(number * PAGE, PAGE).then(
        (rows) => { page.rows = rows; redraw((n) => n + 1); },
        (fault) => { page.fault = fault; redraw((n) => n + 1); });
    }
    return page.fault ? { fault: page.fault } : page.rows?.[index - number * PAGE];
  };
}

/**
 * @param {object} props
 * @param {{key: string, title: string, width: number, numeric?: boolean}[]} props.columns
 * @param {number} props.count rows
 * @param {(from: number, count: number) => Promise<any[]>} props.source
 * @param {unknown} props.version changes when rows must be fetched again
 * @param {(row: any, column: any) => any} props.cell
 * @param {(row: any, index: number) => void} props.onOpen
 * @param {(key: string, more: boolean) => void} [props.onSort]
 * @param {Record<string, string>} [props.sorted] ascending or descending
 * @param {(row: any) => string} [props.rowClass]
 */
export function Grid({ columns, count, source, version, cell, onOpen, onSort, sorted = {},
                       rowClass, label, selected }) {
  const box = useRef(null);
  const rowAt = usePages(source, version);
  const [height, setHeight] = useState(400);
  const [top, setTop] = useState(0);  // of the table, in pixels
  const [place, setPlace] = useState({ row: 0, column: 0 });
  const shift = useRef(0);  // top = scrollTop + shift
  const last = useRef(0);
  const all = count * ROW_HEIGHT;
  const pixels = Math.min(all, MOST_PIXELS);
  const body = Math.max(height - ROW_HEIGHT, ROW_HEIGHT);
  const most = Math.max(all - body, 0);

  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setHeight(entry.contentRect.height));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => scrollTo(0), [count, version]);

  const squeeze = (y) => (all > pixels ? (y / most) * (pixels - body) : y);
  function scrollTo(y) {
    const wanted = Math.max(0, Math.min(y, most));
    box.current.scrollTop = squeeze(wanted);
    last.current = box.current.scrollTop;
    shift.current = wanted - last.current;
    setTop(wanted);
  }
  function onScroll() {
    const now = box.current.scrollTop;
    const moved = now - last.current;
    last.current = now;
    if (all <= pixels) return setTop(now);
    let next = now + shift.current;
    const end = pixels - body;
    // A drag of the scroll bar goes in proportion; so does arriving at an end of the bar.
    if (Math.abs(moved) > 4 * body || now <= 0 || now >= end - 1) next = (now / end) * most;
    next = Math.max(0, Math.min(next, most));
    shift.current = next - now;
    setTop(next);
  }
  function show(row) {
    if (row * ROW_HEIGHT < top) scrollTo(row * ROW_HEIGHT);
    else if ((row + 1) * ROW_HEIGHT > top + body) scrollTo((row + 1) * ROW_HEIGHT - body);
  }
  function move(row, column) {
    row = Math.max(0, Math.min(row, count - 1));
    column = Math.max(0, Math.min(column, columns.length - 1));
    setPlace({ row, column });
    show(row);
  }
  function onKeyDown(event) {
    const { row, column } = place;
    const page = Math.floor(body / ROW_HEIGHT) - 1;
    const moves = {
      ArrowDown: [row + 1, column], ArrowUp: [row - 1, column],
      ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1],
      PageDown: [row + page, column], PageUp: [row - page, column],
      Home: event.ctrlKey ? [0, column] : [row, 0],
      End: event.ctrlKey ? [count - 1, column] : [row, columns.length - 1],
    };
    if (event.altKey || event.metaKey) return;
    if (moves[event.key]) {
      event.preventDefault();
      move(...moves[event.key]);
    } else if (event.key === 'Enter' && rowAt(row)) {
      const link = box.current.querySelector(`#${cellId(row, column)} a`);
      event.preventDefault();
      if (link) link.click();
      else onOpen(rowAt(row), row);
    }
  }
  const cellId = (row, column) => `cell-${row}-${column}`;
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - 4);
  const end = Math.min(count, Math.ceil((top + body) / ROW_HEIGHT) + 4);
  const width = columns.reduce((sum, column) => sum + column.width, 0);
  const rows = [];
  for (let i = first; i < end; ++i) rows.push(i);
  useEffect(() => {
    const active = box.current.querySelector('.cell.at');
    const { left, right } = active?.getBoundingClientRect() ?? { left: 0, right: 0 };
    const frame = box.current.getBoundingClientRect();
    const frozen = columns[0].width;
    if (place.column === 0) return;
    if (right > frame.right) box.current.scrollLeft += right - frame.right + 16;
    else if (active && left < frame.left + frozen)
      box.current.scrollLeft -= frame.left + frozen - left;
  }, [place.column]);

  return (
    <div class="grid" ref={box} role="grid" tabIndex={0} aria-label={label} onScroll={onScroll}
         aria-rowcount={count + 1} aria-colcount={columns.length} onKeyDown={onKeyDown}
         aria-activedescendant={count ? cellId(place.row, place.column) : undefined}>
      <div class="gridbody" style={{ height: `${pixels + ROW_HEIGHT}px`, width: `${width}px` }}>
        <div class="gridhead" role="row" aria-rowindex={1}>
          {columns.map((column, number) => (
            <Head key={column.key} column={column} number={number} onSort={onSort}
                  order={sorted[column.key]} />
          ))}
        </div>
        {rows.map((index) => (
          <Row key={index} {...{ index, columns, cell, rowClass, cellId, place, selected }}
               row={rowAt(index)} y={index * ROW_HEIGHT - top + squeezedTop(box, all, pixels, top)}
               onPick={(column) => { setPlace({ row: index, column }); box.current.focus(); }}
               onOpen={() => rowAt(index) && onOpen(rowAt(index), index)} />
        ))}
      </div>
    </div>
  );
}

// Where the top of the view is in the squeezed body.
function squeezedTop(box, all, pixels, top) {
  return all > pixels ? (box.current?.scrollTop ?? 0) : top;
}

function Head({ column, number, onSort, order }) {
  const mark = order === 'ascending' ? ' ↑' : order === 'descending' ? ' ↓' : '';
  return (
    <div class={`cell head ${number === 0 ? "frozen" : ""} ${column.numeric ? "number" : ""}`}
         role="columnheader" aria-colindex={number + 1}
         style={{ width: `${column.width}px` }}
         aria-sort={order ?? (onSort ? 'none' : undefined)}>
      {onSort
        ? <button type="button" class="sort" title={`Sort by ${column.title}`} tabIndex={-1}
                  onClick={(event) => onSort(column.key, event.shiftKey)}>
            <bdi>{column.title}</bdi>{mark}
          </button>
        : <bdi>{column.title}</bdi>}
    </div>
  );
}

function Row({ index, row, columns, cell, rowClass, cellId, place, y, onPick, onOpen, selected }) {
  const classes = ['gridrow'];
  if (row && !row.fault && rowClass) classes.push(rowClass(row));
  if (row && selected?.(row)) classes.push('selected');
  return (
    <div class={classes.join(' ')} role="row" aria-rowindex={index + 2}
         style={{ transform: `translateY(${y + ROW_HEIGHT}px)` }} onDblClick={onOpen}>
      {columns.map((column, number) => {
        const here = place.row === index && place.column === number;
        return (
          <div key={column.key} id={cellId(index, number)} role="gridcell"
               class={`cell ${number === 0 ? 'frozen' : ''} ${here ? 'at' : ''}
                       ${column.numeric ? 'number' : ''}`}
               aria-colindex={number + 1} style={{ width: `${column.width}px` }}
               onClick={() => (number === 0 ? onOpen() : onPick(number))}>
            {row?.fault
              ? (number === 0 ? <span class="bad">{row.fault.message}</span> : '')
              : row ? cell(row, column, number) : <span class="waiting">…</span>}
          </div>
        );
      })}
    </div>
  );
}
