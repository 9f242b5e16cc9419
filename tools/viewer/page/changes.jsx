// Two saves: what was added, removed, changed and put into a used slot.
import { useEffect, useMemo, useState } from 'preact/hooks';

import { Cell } from './cell.jsx';
import { ChangeSummary, FieldRanking, largestOf, Mark, Notes } from './change_summary.jsx';
import { Grid, heightOf } from './grid.jsx';
import {
  CellMap, DamageNote, FoldedTable, Legend, perCell, slotsOfBins, sumOf,
} from './pictures.jsx';
import { formatRoute, go } from './route.js';
import { grouped, plural, visible } from './text.js';

export function ChangesView({ context, route }) {
  const { connection, files, file, version } = context;
  const sound = files.filter((each) => !each.fault);
  const after = sound.find((each) => each.number === file.number);
  const known = sound.findIndex((each) => each.number === Number(route.from));
  const before = known >= 0 && sound[known] !== after ? sound[known]
    : sound[Math.max(0, sound.indexOf(after) - 1)] === after ? sound[1]
    : sound[Math.max(0, sound.indexOf(after) - 1)];
  const [found, setFound] = useState(null);
  const [progress, setProgress] = useState([0, 1]);
  useEffect(() => {
    if (!before) return undefined;
    const stop = new AbortController();
    setFound(null);
    connection.call('changes', [before.number, after.number],
      { signal: stop.signal, progress: (done, all) => setProgress([done, all]) })
      .then(setFound, (fault) => { if (fault.kind !== 'cancelled') setFound({ fault }); });
    return () => stop.abort();
  }, [before?.number, after.number, version]);
  if (!before) return <p class="note">Open another save to compare this one with it.</p>;
  const name = route.table ?? largestOf(found?.differing)?.name;
  const open = found?.tables?.find((table) => table.name === name);
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
      {found?.tables && <ChangeSummary {...found} route={{ ...route, table: name }} />}
      {found?.tables?.filter(({ damage }) => damage.length > 0).map((table) => (
        <div key={table.name}>
          <h2><bdi>{visible(table.name)}</bdi></h2>
          <DamageNote list={table.damage} verb="cannot be compared" />
        </div>
      ))}
      {open && <TableChanges key={`${before.number} ${after.number} ${open.name}`}
                             {...{ context, before, after, table: open }} />}
    </>
  );
}

function TableChanges({ context, before, after, table }) {
  const { connection, version } = context;
  const [slot, setSlot] = useState(null);
  const source = useMemo(() => (from, count) =>
    connection.call('changedRows', [before.number, after.number, table.name, from, count]),
    [table]);
  const only = table.before === undefined ? after : table.after === undefined ? before : null;
  return (
    <section class="changes">
      <h2><bdi>{visible(table.name)}</bdi>, {plural(table.all || table.added || table.removed,
        'record')}</h2>
      {only &&
        <p>The table is only in <bdi>{visible(only.name)}</bdi>
          {only === after && <>: <a href={formatRoute({ view: 'table', table: table.name })}>its
            records</a></>}.</p>}
      <Notes schema={table.schema} notes={table.notes} />
      {table.all > 0 && <ChangeMap table={table} onOpen={(bin) => setSlot(bin.at)} />}
      <FieldRanking table={table} />
      {table.all > 0 && <h3>Records</h3>}
      {table.all > 0 &&
        <div class={slot === null ? '' : 'split'}>
          <div class="tall" style={{ height: heightOf(table.all) }}>
            <Grid label={`Changed records of ${table.name}`} count={table.all} source={source}
                  version={version}
                  columns={[{ key: 'mark', title: 'How', width: 60 },
                            { key: 'handle', title: 'Record', width: 200 },
                            { key: 'what', title: 'Fields', width: 520 }]}
                  cell={(row, column) => (column.key === 'mark' ? <Mark kind={row.mark} />
                    : <bdi>{visible(row[column.key])}</bdi>)}
                  onOpen={(row) => setSlot(row.slot)} selected={(row) => row.slot === slot} />
          </div>
          {slot !== null &&
            <Sides key={slot} {...{ context, before, after, table, slot }}
                   onClose={() => setSlot(null)} />}
        </div>}
    </section>
  );
}

const KINDS = [['changed', 'changed'], ['added', 'added'], ['removed', 'removed'],
               ['reused', 're-used']];

/** Where in its slots a table differs. */
function ChangeMap({ table, onOpen }) {
  const { bins } = table;
  const name = visible(table.name);
  const slots = bins.at(-1).first + bins.at(-1).slots;
  const countsOf = (bin) => KINDS.filter(([kind]) => bin[kind] > 0)
    .map(([kind, word]) => `${grouped(bin[kind])} ${word}`).join(', ');
  const partsOf = (bin) => {
    let at = 0;
    const parts = KINDS.map(([kind]) => [kind, at, at += bin[kind]]);
    return [...parts, ['same', at, bin.slots]];
  };
  const isFramed = (bin) => bin.at >= 0 && KINDS.reduce((sum, [kind]) => sum + bin[kind], 0) <
    bin.slots;
  return (
    <figure>
      <h3>Where it differs</h3>
      <CellMap label={`Where ${name} differs`} bins={bins} partsOf={partsOf} isFramed={isFramed}
               facts={`${countsOf(table)} among ${grouped(slots)} slots`}
               wordsOf={(bin) => countsOf(bin) || 'no difference'}
               onOpen={(bin) => { if (bin.at >= 0) onOpen(bin); }} />
      <Legend items={[...KINDS.map(([kind, word]) => table[kind] > 0 &&
        [kind, kind === 'reused' ? 'slot re-used by another record' : word]), ['same', 'equal']]} />
      <figcaption class="muted">
        Slot 0 is at the top left; {perCell(bins)}{bins[0].slots > 1 && ', filled from below in ' +
          'proportion to the slots that differ, with a frame where any differs'}. Enter or a click
        shows the first record that differs.
      </figcaption>
      <FoldedTable label={`Differences of ${name}`} bins={bins}
                   heads={['Slots', 'Changed', 'Added', 'Removed', 'Re-used']}
                   rowOf={(some) => [slotsOfBins(some), ...KINDS.map(([kind]) => (
                     grouped(sumOf(some, kind))))]} />
    </figure>
  );
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
    <SidesPanel title={pair?.title ?? ''} fault={pair?.fault} onClose={onClose}
                rows={pair?.rows} cell={(value) => <Cell value={value} />} />
  );
}

/** The fields of a record beside each other. @param {{cell: (value: any) => any}} props */
export function SidesPanel({ title, fault, rows, cell, onClose, words }) {
  const hasNotes = rows?.some(({ note }) => note);
  return (
    <aside class="record" aria-label="Record before and after">
      <div class="bar"><h3><bdi>{visible(title)}</bdi></h3><span class="space" />
        <button type="button" aria-label="Close the record" onClick={onClose}>✕</button></div>
      {fault && <p class="bad">{fault.message}</p>}
      {words && <p class="muted"><bdi>{visible(words)}</bdi></p>}
      {rows?.length > 0 &&
        <table class="sides">
          <thead><tr><th>Field</th><th>Before</th><th>After</th>{hasNotes && <th>Note</th>}</tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.path} class={row.differs ? 'changed' : ''}>
                <th scope="row"><bdi>{visible(row.path)}</bdi></th>
                <td>{cell(row.before)}</td>
                <td>{cell(row.after)}</td>
                {hasNotes && <td class="muted"><bdi>{visible(row.note ?? '')}</bdi></td>}
              </tr>
            ))}
          </tbody>
        </table>}
    </aside>
  );
}
