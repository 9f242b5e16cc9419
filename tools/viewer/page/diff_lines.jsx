// What hdbinspect diff found, in a page without the saves.
import { useMemo, useState } from 'preact/hooks';

import { ChangeSummary, FieldRanking, largestOf, Mark, Notes } from './change_summary.jsx';
import { SidesPanel } from './changes.jsx';
import { FieldRows, noteText, readDiffLines, valueText } from './diff_lines.js';
import { Grid, heightOf } from './grid.jsx';
import { plural, visible } from './text.js';

const LONG = 4000;

/**
 * @param {object} props
 * @param {string} props.before the name of the first file
 * @param {string} props.after
 * @param {any[]} props.lines of `hdbinspect diff --format=ndjson`
 * @param {import('./route.js').Route} props.route
 */
export function DiffLinesView({ before, after, lines, route }) {
  const found = useMemo(() => readDiffLines(lines), [lines]);
  const { differing, hidden, records, remark, tables } = found;
  const wanted = differing.find(({ name }) => name === route.table) ?? largestOf(differing);
  const shown = [...records.values()].reduce((sum, { length }) => sum + length, 0);
  return (
    <>
      <h1>What differs</h1>
      <p><b><bdi>{visible(before, 80)}</bdi></b> → <b><bdi>{visible(after, 80)}</bdi></b></p>
      {remark && <p><bdi>{visible(remark)}</bdi></p>}
      {(tables.length > 0 || !remark) &&
        <ChangeSummary {...found} route={{ ...route, table: wanted?.name }} />}
      {hidden > 0 &&
        <p class="note">
          {shown === 0 ? `The page has none of the ${plural(hidden, 'record')} that differ: they ` +
            'were not asked for.'
            : `The page has the first ${plural(shown, 'record')} of ${plural(shown + hidden,
              'record')} that differ.`}</p>}
      {wanted && <TableLines key={wanted.name} table={wanted}
                             records={records.get(wanted.name) ?? []} />}
    </>
  );
}

function TableLines({ table, records }) {
  const [open, setOpen] = useState(null);
  const rows = useMemo(() => new FieldRows(records), [records]);
  const source = useMemo(() => async (from, count) => rows.slice(from, count), [rows]);
  const hasFields = records.some(({ kind, fields }) => fields.length > 0 || kind === 'reused');
  const columns = [
    { key: 'mark', title: 'How', width: 60 }, { key: 'handle', title: 'Record', width: 200 },
    ...hasFields ? [
      { key: 'path', title: 'Field', width: 200 }, { key: 'old', title: 'Before', width: 220 },
      { key: 'new', title: 'After', width: 220 }, { key: 'note', title: 'Note', width: 260 },
    ] : [],
  ];
  const record = open === null ? null : records[open];
  return (
    <section class="changes">
      <h2><bdi>{visible(table.name)}</bdi>, {plural(table.all, 'record')}</h2>
      {table.before === undefined && <p>The table is new.</p>}
      {table.after === undefined && <p>The table was removed.</p>}
      {table.within > 0 && <p>{plural(table.within, 'record')} within tolerance.</p>}
      <Notes schema={table.schema} notes={table.notes} />
      <FieldRanking table={table} />
      {records.length > 0 && <h3>Records</h3>}
      {records.length > 0 &&
        <div class={record ? 'split' : ''}>
          <div class="tall" style={{ height: heightOf(rows.count) }}>
            <Grid label={`Changed records of ${visible(table.name)}`} count={rows.count}
                  source={source} version={0} columns={columns}
                  cell={(row, { key }) => <LineCell row={row} name={key} />}
                  onOpen={(row) => setOpen(row.record)}
                  selected={(row) => row.record === open} />
          </div>
          {record &&
            <SidesPanel key={open} title={record.handle} onClose={() => setOpen(null)}
                        words={wordsOf(record)}
                        rows={record.fields.map((field) => ({ ...field, before: field.old,
                                                              after: field.new,
                                                              note: noteText(field) }))}
                        cell={(value) => <LineValue value={value} most={LONG} />} />}
        </div>}
    </section>
  );
}

function wordsOf({ kind, from, to, fields }) {
  if (kind === 'reused') return `The slot was re-used by another record: ${from} → ${to}.`;
  if (fields.length > 0) return '';
  return kind === 'changed' ? 'The record was changed; its fields are not in this page.'
    : `The record was ${kind}.`;
}

/** What a row of a record says that has no fields to show. */
function withoutFields({ kind, from, to }) {
  if (kind === 'reused') return { old: from, new: to, note: 'slot re-used by another record' };
  return { note: kind === 'changed' ? '' : kind };
}

function LineCell({ row, name }) {
  const { of, field, isFirst } = row;
  if (name === 'mark') return isFirst ? <Mark kind={of.kind} /> : '';
  if (name === 'handle')
    return <bdi class={isFirst ? '' : 'muted'}>{visible(of.handle)}</bdi>;
  if (!field) return <span class="muted">{withoutFields(of)[name] ?? ''}</span>;
  if (name === 'path') return <bdi>{visible(field.path)}</bdi>;
  if (name === 'note') return <bdi class="muted">{visible(noteText(field))}</bdi>;
  return <LineValue value={field[name]} most={200} />;
}

function LineValue({ value, most }) {
  if (value === undefined) return <span class="muted">none</span>;
  return <bdi class={value === null ? 'null' : ''}>{visible(valueText(value), most)}</bdi>;
}
