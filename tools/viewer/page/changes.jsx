// Two saves: what was added, removed, changed and put into a used slot.
import { useEffect, useState } from 'preact/hooks';

import { Bars } from './bars.jsx';
import { Cell } from './cell.jsx';
import { Grid } from './grid.jsx';
import { formatRoute, go } from './route.js';
import { grouped, plural, visible } from './text.js';

const MARKS = { added: '+', removed: '−', changed: '~', reused: 'R' };

export function ChangesView({ context, route }) {
  const { connection, files, file } = context;
  const sound = files.filter((each) => !each.fault);
  const after = sound.find((each) => each.number === file.number);
  const known = sound.findIndex((each) => each.number === Number(route.from));
  const before = known >= 0 && sound[known] !== after ? sound[known]
    : sound[Math.max(0, sound.indexOf(after) - 1)] === after ? sound[1]
    : sound[Math.max(0, sound.indexOf(after) - 1)];
  const [found, setFound] = useState(null);
  const [progress, setProgress] = useState([0, 1]);
  useEffect(() => {
    const stop = new AbortController();
    setFound(null);
    connection.call('changes', [before.number, after.number],
      { signal: stop.signal, progress: (done, all) => setProgress([done, all]) })
      .then(setFound, (fault) => { if (fault.kind !== 'cancelled') setFound({ fault }); });
    return () => stop.abort();
  }, [before.number, after.number]);
  const open = found?.tables?.find((table) => table.name === route.table);
  return (
    <>
      <h1>Changes</h1>
      <p class="bar">
        <label>From{' '}
          <select value={before.number}
                  onChange={(event) => go({ ...route, from: event.target.value })}>
            {sound.filter((each) => each !== after).map((each) => (
              <option key={each.number} value={each.number}>{visible(each.name, 60)}</option>))}
          </select>
        </label>
        <span>to <b><bdi>{visible(after.name, 60)}</bdi></b></span>
      </p>
      {!found && <progress value={progress[0]} max={progress[1]} aria-label="Comparing" />}
      {found?.fault && <p class="bad" role="alert">{found.fault.message}</p>}
      {found?.tables && <Summary found={found} route={route} />}
      {open && <TableChanges key={open.name} {...{ context, before, after, table: open }} />}
    </>
  );
}

function Summary({ found, route }) {
  if (found.equal) {
    return <p class="verdict good">✓ No difference: all records, slots and free lists are
      equal.</p>;
  }
  return (
    <>
      {found.notes.length > 0 &&
        <ul>{found.notes.map((note) => <li key={note}><bdi>{visible(note)}</bdi></li>)}</ul>}
      <div class="scroll" tabIndex={0} role="group" aria-label="Tables that differ">
        <table>
          <thead><tr><th>Table</th><th class="number">Before</th><th class="number">After</th>
            <th class="number">Added</th><th class="number">Removed</th>
            <th class="number">Changed</th><th class="number">Re-used</th><th>Also</th></tr></thead>
          <tbody>
            {found.tables.map((table) => (
              <tr key={table.name} aria-current={table.name === route.table ? 'true' : undefined}>
                <th scope="row">
                  {table.all > 0
                    ? <a href={formatRoute({ ...route, table: table.name })}>
                        <bdi>{visible(table.name)}</bdi></a>
                    : <bdi>{visible(table.name)}</bdi>}
                </th>
                <td class="number">{grouped(table.before)}</td>
                <td class="number">{grouped(table.after)}</td>
                {['added', 'removed', 'changed', 'reused'].map((kind) => (
                  <td key={kind} class={`number ${table[kind] ? kind : ""}`}>
                    {grouped(table[kind])}</td>))}
                <td>{table.notes.join('; ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function TableChanges({ context, before, after, table }) {
  const { connection } = context;
  const [slot, setSlot] = useState(null);
  const source = (from, count) =>
    connection.call('changedRows', [before.number, after.number, table.name, from, count]);
  return (
    <section class="changes">
      <h2><bdi>{visible(table.name)}</bdi>, {plural(table.all, 'record')}</h2>
      {table.fields.length > 0 &&
        <Bars label="Changed records by field" format={grouped}
              rows={table.fields.map(([name, value]) => ({ name, value }))} />}
      <div class={slot === null ? '' : 'split'}>
        <div class="tall">
          <Grid label={`Changed records of ${table.name}`} count={table.all}
                source={useStable(source, [before.number, after.number, table.name])} version={0}
                columns={[{ key: 'mark', title: 'How', width: 60 },
                          { key: 'handle', title: 'Record', width: 200 },
                          { key: 'what', title: 'Fields', width: 520 }]}
                cell={(row, column) => column.key === 'mark'
                  ? <span class={row.mark} title={row.mark}>{MARKS[row.mark]}</span>
                  : <bdi>{visible(row[column.key])}</bdi>}
                rowClass={(row) => row.mark} onOpen={(row) => setSlot(row.slot)}
                selected={(row) => row.slot === slot} />
        </div>
        {slot !== null &&
          <Sides key={slot} {...{ context, before, after, table, slot }}
                 onClose={() => setSlot(null)} />}
      </div>
    </section>
  );
}

function useStable(value, inputs) {
  const [held, setHeld] = useState(() => value);
  useEffect(() => setHeld(() => value), inputs);
  return held;
}

/** One record, before and after. */
function Sides({ context, before, after, table, slot, onClose }) {
  const { connection } = context;
  const [pair, setPair] = useState(null);
  useEffect(() => {
    connection.call('sides', [before.number, after.number, table.name, slot])
      .then(setPair, (fault) => setPair({ fault }));
  }, []);
  return (
    <aside class="record" aria-label="Record before and after">
      <div class="bar"><h3><bdi>{pair?.title ?? ''}</bdi></h3><span class="space" />
        <button type="button" aria-label="Close the record" onClick={onClose}>✕</button></div>
      {pair?.fault && <p class="bad">{pair.fault.message}</p>}
      {pair?.rows &&
        <table class="sides">
          <thead><tr><th>Field</th><th>Before</th><th>After</th></tr></thead>
          <tbody>
            {pair.rows.map((row) => (
              <tr key={row.path} class={row.differs ? 'changed' : ''}>
                <th scope="row"><bdi>{visible(row.path)}</bdi></th>
                <td><Cell value={row.before} /></td>
                <td><Cell value={row.after} /></td>
              </tr>
            ))}
          </tbody>
        </table>}
    </aside>
  );
}
