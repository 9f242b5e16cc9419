// The records of a table, and beside them the one that is open.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { Cell } from './cell.jsx';
import { withDamagedFields } from './damage.js';
import { Grid } from './grid.jsx';
import { DamageNote } from './pictures.jsx';
import { RecordPanel } from './record.jsx';
import { formatRoute, go } from './route.js';
import { grouped, plural, visible } from './text.js';

const MOST_COLUMNS = 40;

export function TableView({ context, table, route }) {
  const { connection, file, setStatus, version } = context;
  const [shown, setShown] = useState(() => table.columns.slice(0, MOST_COLUMNS)
    .map((column) => column.path));
  const [order, setOrder] = useState(null);
  const [fault, setFault] = useState(null);
  const [busy, setBusy] = useState(false);
  const wanted = { where: route.where ?? '', find: route.find ?? '', sort: route.sort ?? '' };
  const key = JSON.stringify(wanted);

  useEffect(() => {
    const stop = new AbortController();
    setBusy(true);
    connection.call('order', [file.number, table.name, wanted], { signal: stop.signal }).then(
      (found) => { setOrder({ ...found, key }); setFault(null); setBusy(false); },
      (error) => {
        if (error.kind === 'cancelled') return;
        setFault(error);
        setBusy(false);
      });
    return () => stop.abort();
  }, [file.number, table.name, key, version]);
  const announced = useRef(null);  // not again after an edit, whose message stays
  useEffect(() => {
    if (!order || order.key === announced.current) return;
    announced.current = order.key;
    setStatus(`${plural(order.count, 'record')} of ${visible(table.name)}`);
  }, [order]);

  const [damage, setDamage] = useState([]);
  useEffect(() => setDamage(order?.damage ?? []), [order, shown]);
  const source = useMemo(
    () => async (from, count) => {
      const paths = table.columns.map(({ path }) => path).filter((path) => shown.includes(path));
      const rows = await connection.call('rows', [file.number, order.number, from, count, paths]);
      setDamage((known) => withDamagedFields(known, rows, paths));
      return rows;
    },
    [order, shown]);
  const columns = useMemo(() => [
    { key: '@slot', title: table.name, width: 190 },
    ...table.columns.filter((column) => shown.includes(column.path)).map((column) => ({
      key: column.path, title: column.path, width: widthOf(column), numeric: column.numeric,
      kind: column.kind,
    })),
  ], [table, shown]);
  const sorted = Object.fromEntries((route.sort ?? '').split(',').filter(Boolean).map((field) => (
    field.startsWith('-') ? [field.slice(1), 'descending'] : [field, 'ascending'])));
  const onSort = (field, more) => {
    const next = sorted[field] === 'ascending' ? '-' + field
      : sorted[field] === 'descending' ? '' : field;
    const others = more ? Object.entries(sorted).filter(([name]) => name !== field)
      .map(([name, way]) => (way === 'descending' ? '-' + name : name)) : [];
    go({ ...route, sort: [...others, next].filter(Boolean).join(',') });
  };
  const insert = async () => {
    try {
      const edit = { kind: 'insert', table: table.name };
      const handle = await connection.call('change', [file.number, edit]);
      await context.refresh(file.number);
      setStatus(`${handle} is new: all its fields are zero, empty or null.`);
      openRecord(Number(/:(\d+)@\d+$/.exec(handle)[1]));
    } catch (error) {
      setStatus(error.message);
    }
  };
  const openRecord = (slot) => go({ ...route, slot });

  return (
    <div class={`tableview ${route.slot !== undefined ? "split" : ""}`}>
      <section class="rows" aria-label={`Records of ${visible(table.name)}`}>
        <div class="bar">
          <h1><bdi>{visible(table.name)}</bdi></h1>
          <span class="muted">
            {order ? summary(order, table) : 'reading …'}
          </span>
          <span class="space" />
          {table.canChange && !table.component &&
            <button type="button" onClick={insert}>New record</button>}
          <a href={`#view=slots&table=${encodeURIComponent(table.name)}`}>Slots</a>
          <ColumnChooser {...{ table, shown, setShown }} />
        </div>
        <div class="bar">
          <Field label="Filter" value={wanted.where} hint="hp < 10 and target is stale" mono
                 fault={fault} onSet={(where) => go({ ...route, where, slot: undefined })} />
          <Field label="Find" value={wanted.find} hint="a text or number in any field"
                 onSet={(find) => go({ ...route, find, slot: undefined })} />
        </div>
        {fault && <p class="bad note" role="alert">{fault.message}</p>}
        <DamageNote list={damage} />
        {busy && <progress aria-label="Searching" />}
        {order && (order.count > 0
          ? <Grid label={`${visible(table.name)}, ${plural(order.count, "record")}`}
                  count={order.count} source={source} version={version}
                  columns={columns} onSort={onSort} sorted={sorted}
                  cell={(row, column, number) => (number === 0
                    ? <a href={formatRoute({ ...route, slot: row.slot })}>
                        <bdi>{row.handle}</bdi></a>
                    : <Cell value={row.cells[number - 1]} route={route} />)}
                  selected={(row) => row.slot === route.slot}
                  onOpen={(row) => openRecord(row.slot)} />
          : <p class="note">{table.live === 0 ? 'The table has no records.'
            : order.damage.length > 0 ? 'No record that can be read.' : 'No record matches.'}</p>)}
      </section>
      {route.slot !== undefined &&
        <RecordPanel key={`${route.slot}`} {...{ context, table, route }}
                     onClose={() => go({ ...route, slot: undefined })} />}
    </div>
  );
}

function summary(order, table) {
  if (order.count === table.live) return plural(table.live, 'record');
  return `${grouped(order.count)} of ${plural(table.live, "record")}`;
}

function widthOf(column) {
  const title = column.path.length * 8 + 24;
  const usual = { bool: 64, string: 190, handle: 180, list: 170, map: 170, opaque: 120 };
  return Math.min(Math.max(usual[column.kind] ?? 100, title), 320);
}

/** An input whose text is used when Enter is pressed or the focus leaves. */
export function Field({ label, value, hint, mono, fault, onSet }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const use = () => { if (text !== value) onSet(text); };
  return (
    <form class="field" onSubmit={(event) => { event.preventDefault(); use(); }}>
      <label>{label}
        <input type="search" value={text} placeholder={hint} class={mono ? 'mono' : ''}
               spellcheck={false} autocomplete="off" aria-invalid={fault ? 'true' : undefined}
               onInput={(event) => setText(event.target.value)} onBlur={use}
               onSearch={(event) => { if (event.target.value === '') onSet(''); }} />
      </label>
    </form>
  );
}

function ColumnChooser({ table, shown, setShown }) {
  const [text, setText] = useState('');
  const found = table.columns.filter((column) => column.path.includes(text)).slice(0, 200);
  return (
    <details class="menu">
      <summary>Columns ({shown.length} of {table.columns.length})</summary>
      <div class="popup">
        <input type="search" placeholder="Find a field" aria-label="Find a field" value={text}
               onInput={(event) => setText(event.target.value)} />
        <div class="choices">
          {found.map((column) => (
            <label key={column.path}>
              <input type="checkbox" checked={shown.includes(column.path)}
                     onChange={(event) => setShown(event.target.checked
                       ? [...shown, column.path] : shown.filter((path) => path !== column.path))} />
              <bdi>{visible(column.path)}</bdi>
            </label>
          ))}
        </div>
        <button type="button" onClick={() => setShown(table.columns.map((column) => column.path))}>
          All</button>
        <button type="button" onClick={() => setShown([])}>None</button>
      </div>
    </details>
  );
}
