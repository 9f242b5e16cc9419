// What takes the space of a save, as areas and as numbers.
import { hierarchy, treemap, treemapSquarify } from 'd3-hierarchy';
import { useEffect, useMemo, useState } from 'preact/hooks';

import { grouped, label as short, percent, plural, size, visible } from './text.js';

const MOST_BOXES = 14;
const MOST_CELLS = 12;
const MOST_TABLES = 200;
const MOST_FIELDS = 40;
const MOST_FIELD_TABLES = 60;
const [WIDTH, HEIGHT, HEAD] = [960, 440, 22];
const NARROW = 30; // a cell without room for a text

/** @typedef {import('./sizes.js').Part} Part */

export function Space({ context }) {
  const { connection, file, version } = context;
  const [parts, setParts] = useState(null);
  const [fault, setFault] = useState(null);
  useEffect(() => {
    setParts(null);
    if (!file.edits) connection.call('sizes', [file.number]).then(setParts, setFault);
  }, [file.number, version]);
  if (file.edits) return null;
  return (
    <section>
      <h2>What takes the space</h2>
      <p class="muted">{size(file.bytes)} in the file. Each area is in proportion to the stored
        bytes of a table and, inside, of a field.</p>
      {fault && <p class="bad" role="alert">{fault.message}</p>}
      {!parts && !fault && <progress aria-label="Adding up the sizes" />}
      {parts && <Sizes parts={parts} whole={file.bytes} />}
    </section>
  );
}

/** @param {{parts: Part[], whole: number}} props */
function Sizes({ parts, whole }) {
  const tables = parts.filter(({ kind }) => kind === 'table');
  const others = parts.filter(({ kind }) => kind === 'file');
  const rows = [...cut(tables, MOST_TABLES, 'more table'), ...others];
  const withFields = tables.filter(({ fields }) => fields.length > 1).slice(0, MOST_FIELD_TABLES);
  return (
    <>
      <Treemap tables={tables} others={others} whole={whole} />
      <SizeTable label="Bytes by table" what="Table" rows={rows} whole={whole}
                 hasRate={({ kind }) => kind !== 'file'} />
      {withFields.map(({ name, fields }) => (
        <details key={name}>
          <summary>Fields of <bdi>{short(name, 60)}</bdi></summary>
          <SizeTable label={`Bytes of ${short(name, 60)}`} what="Field" whole={whole}
                     rows={cut(fields, MOST_FIELDS, 'more field')}
                     hasRate={(row) => row.name !== 'block heads and indexes'} />
        </details>))}
    </>
  );
}

/** At most so many rows: the rest become one. */
function cut(rows, most, unit) {
  if (rows.length <= most) return rows;
  const rest = rows.slice(most);
  const sum = (of) => rest.reduce((total, row) => total + row[of], 0);
  return [...rows.slice(0, most), { name: plural(rest.length, unit), isRest: true,
                                    stored: sum('stored'), raw: sum('raw'), fields: [] }];
}

function SizeTable({ label, what, rows, whole, hasRate }) {
  const most = Math.max(1, ...rows.map(({ stored, raw }) => Math.max(stored, raw)));
  const width = (bytes) => ({ width: `${(100 * bytes) / most}%` });
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={label}>
      <table class="bars">
        <thead><tr><th>{what}</th><th><span class="unseen">Picture</span></th>
          <th class="number">Stored</th><th class="number">Of the file</th>
          <th class="number">Raw</th><th class="number">Rate</th></tr></thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.kind} ${row.name}`}>
              <th scope="row"><bdi>{short(row.name, 80)}</bdi></th>
              <td class="barcell" aria-hidden="true">
                <span class="bar-of" style={width(row.raw)} />
                <span class="bar-value" style={width(row.stored)} />
              </td>
              <td class="number" title={`${grouped(row.stored)} bytes`}>{size(row.stored)}</td>
              <td class="number">{percent(row.stored, whole)}</td>
              <td class="number" title={`${grouped(row.raw)} bytes`}>{size(row.raw)}</td>
              <td class="number">{hasRate(row) && row.raw && row.stored
                ? `${(row.raw / row.stored).toFixed(1)} : 1` : '–'}</td>
            </tr>))}
        </tbody>
      </table>
    </div>
  );
}

/** The boxes of the picture, each with its cells. @param {Part[]} tables @param {Part[]} others */
export function boxesOf(tables, others) {
  const filled = (parts) => parts.filter(({ stored }) => stored > 0);
  const boxes = filled(tables).slice(0, MOST_BOXES).map(({ name, stored, fields }) => {
    const cells = filled(fields);
    const rest = cells.slice(MOST_CELLS).reduce((sum, cell) => sum + cell.stored, 0);
    return { name, stored, cells: [...cells.slice(0, MOST_CELLS),
                                   ...rest ? [{ name: 'other fields', stored: rest }] : []] };
  });
  const sum = (parts) => parts.reduce((total, { stored }) => total + stored, 0);
  const rest = sum(filled(tables).slice(MOST_BOXES));
  if (rest) boxes.push({ name: 'other tables', stored: rest, cells: [] });
  boxes.push({ name: 'the file itself', stored: sum(others), cells: filled(others) });
  return boxes.sort((a, b) => b.stored - a.stored);
}

function Treemap({ tables, others, whole }) {
  const boxes = useMemo(() => {
    const root = hierarchy({ cells: boxesOf(tables, others) }, ({ cells }) => cells)
      .sum(({ cells, stored }) => (cells?.length ? 0 : stored));
    return treemap().size([WIDTH, HEIGHT]).tile(treemapSquarify.ratio(1))
      .paddingTop(({ depth }) => (depth === 1 ? HEAD : 0))(root).children;
  }, [tables]);
  const place = ({ x0, y0, x1, y1 }) => ({
    left: `${(100 * x0) / WIDTH}%`, top: `${(100 * y0) / HEIGHT}%`,
    width: `${(100 * (x1 - x0)) / WIDTH}%`, height: `${(100 * (y1 - y0)) / HEIGHT}%`,
  });
  const detail = ({ stored }) => `${size(stored)}, ${percent(stored, whole)}`;
  return (
    <div class="treemap" role="img"
         aria-label="Stored bytes by table and field; the table below shows the same in numbers">
      {boxes.map((box, i) => (
        <div key={box.data.name}>
          <div class={`box t${i % 8}`} style={place(box)}
               title={`${visible(box.data.name, 80)}: ${detail(box.data)}`}>
            <b><bdi>{short(box.data.name, 40)}</bdi></b> {detail(box.data)}</div>
          {(box.children ?? []).map((cell) => (
            <div key={cell.data.name} style={place(cell)}
                 class={`box t${i % 8} ${cell.x1 - cell.x0 < NARROW ? "narrow" : ""}`}
                 title={`${visible(box.data.name, 80)} > ${visible(cell.data.name, 80)}: ` +
                        detail(cell.data)}>
              <bdi>{short(cell.data.name, 40)}</bdi></div>))}
        </div>))}
    </div>
  );
}
