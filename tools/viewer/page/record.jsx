// One record: its values as a tree, who names it, and its edits.
import { useEffect, useRef, useState } from 'preact/hooks';

import { Cell } from './cell.jsx';
import { Facts } from './facts.jsx';
import { DamageNote } from './pictures.jsx';
import { formatRoute, go } from './route.js';
import { grouped, plural, visible } from './text.js';

export function RecordPanel({ context, table, route, onClose }) {
  const { connection, file, version } = context;
  const [record, setRecord] = useState(null);
  const [fault, setFault] = useState(null);
  const heading = useRef(null);
  const { slot } = route;

  useEffect(() => {
    connection.call('record', [file.number, table.name, slot]).then(
      (found) => { setRecord(found); setFault(null); }, setFault);
  }, [slot, version]);
  useEffect(() => {
    if (record) heading.current?.focus({ preventScroll: true });
  }, [record?.handle]);

  return (
    <aside class="record" aria-label="Record" onKeyDown={(event) => {
      if (event.key === 'Escape') onClose();
    }}>
      <div class="bar">
        <h2 ref={heading} tabIndex={-1}><bdi>{record?.handle ?? `${table.name}:${slot}`}</bdi></h2>
        <span class="space" />
        {record && context.files.filter((file) => !file.fault).length > 1 &&
          <a href={formatRoute({ view: 'history', field: record.handle })}>History</a>}
        <button type="button" onClick={onClose}>Close</button>
      </div>
      {fault && <p class="bad" role="alert">{fault.message}</p>}
      {record && <Record {...{ context, table, record, route }} />}
    </aside>
  );
}

function Record({ context, table, record, route }) {
  const { connection, file, refresh, setStatus } = context;
  const erase = async () => {
    try {
      await connection.call('change',
        [file.number, { kind: 'erase', table: table.name, slot: record.slot }]);
      await refresh(file.number);
      setStatus(`${record.handle} was erased.`);
    } catch (fault) {
      setStatus(fault.message);
    }
  };
  return (
    <>
      <Facts items={[
        ['Slot', grouped(record.slot)], ['Generation', grouped(record.generation)],
        ['State', record.state],
        record.position !== undefined && ['Position', grouped(record.position)],
        ['Bits', record.bits, true],
      ]} />
      {record.state === 'live'
        ? <>
            {record.damage.map(({ name, fault: text }) => (
              <p key={name} class="note damage">
                <span class="bad">✗</span> <bdi>{visible(name)}</bdi> cannot be read: {text}.</p>))}
            <Tree node={record.fields} {...{ context, table, record }} />
            <References {...{ context, table, record }} />
            {record.components?.length > 0 && <Components {...{ context, record }} />}
            {table.canChange && <button type="button" onClick={erase}>Erase this record</button>}
          </>
        : <p class="note">{NO_RECORD[record.state]}</p>}
    </>
  );
}

const NO_RECORD = {
  free: 'The slot is free: the next record that is put here gets a later generation.',
  retired: 'The slot is retired: it has no generation left and is never used again.',
  unissued: 'The slot was never used.',
};

/** A node has {name, path, kind, cell, children, more, editable}. */
function Tree({ node, context, table, record, depth = 0 }) {
  return (
    <ul class={depth === 0 ? 'tree' : ''}>
      {node.map((child) => <Branch key={child.path} node={child}
                                   {...{ context, table, record, depth }} />)}
    </ul>
  );
}

function Branch({ node, context, table, record, depth }) {
  const { connection, file } = context;
  const [open, setOpen] = useState(depth < 2 && (node.children?.length ?? 0) <= 20);
  const [children, setChildren] = useState(node.children);
  useEffect(() => setChildren(node.children), [node]);
  if (!node.children) {
    return (
      <li class="leaf">
        <span class="name"><bdi>{visible(node.name)}</bdi></span>
        <Value {...{ node, context, table, record }} />
      </li>
    );
  }
  const more = async () => {
    const rest = await connection.call('children',
      [file.number, table.name, record.slot, node.path, children.length]);
    setChildren([...children, ...rest]);
  };
  return (
    <li class="branch">
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span class="name"><bdi>{visible(node.name)}</bdi></span>
          {' '}<span class="muted"><Cell value={node.cell} /></span>
        </summary>
        {open && <Tree node={children} {...{ context, table, record }} depth={depth + 1} />}
        {open && node.count > children.length &&
          <button type="button" onClick={more}>
            {grouped(node.count - children.length)} more
          </button>}
      </details>
    </li>
  );
}

function Value({ node, context, table, record }) {
  const { connection, file, refresh, setStatus } = context;
  const [editing, setEditing] = useState(false);
  const [fault, setFault] = useState(null);
  const input = useRef(null);
  useEffect(() => { if (editing) { input.current.focus(); input.current.select?.(); } }, [editing]);
  if (!editing) {
    return (
      <>
        <span class="value"><Cell value={node.cell} /></span>
        {node.edit &&
          <button type="button" class="small" aria-label={`Edit ${node.path}`}
                  onClick={() => { setFault(null); setEditing(true); }}>Edit</button>}
      </>
    );
  }
  const use = async (event) => {
    event.preventDefault();
    try {
      await connection.call('set',
        [file.number, table.name, record.slot, node.steps, input.current.value]);
      setEditing(false);
      await refresh(file.number);
      setStatus(`${node.path} was changed.`);
    } catch (error) {
      setFault(error);
    }
  };
  return (
    <form class="edit" onSubmit={use} onKeyDown={(event) => {
      if (event.key === 'Escape') { event.stopPropagation(); setEditing(false); }
    }}>
      {node.edit.choices
        ? <select ref={input} aria-label={node.path}>
            {node.edit.choices.map((choice) => (
              <option key={choice} value={choice} selected={choice === node.edit.text}>
                {visible(choice)}</option>))}
          </select>
        : <input ref={input} aria-label={node.path} value={node.edit.text} spellcheck={false}
                 class="mono" aria-invalid={fault ? 'true' : undefined} />}
      <button type="submit">Set</button>
      <button type="button" onClick={() => setEditing(false)}>Cancel</button>
      {fault && <p class="bad" role="alert">{fault.message}</p>}
    </form>
  );
}

function References({ context, table, record }) {
  const { connection, file, version } = context;
  const [found, setFound] = useState(null);
  const [progress, setProgress] = useState(null);
  const [wanted, setWanted] = useState(false);
  useEffect(() => {
    if (!wanted) return undefined;
    const stop = new AbortController();
    connection.call('references', [file.number, table.name, record.slot],
      { signal: stop.signal, progress: (done, all) => setProgress([done, all]) })
      .then(setFound, (fault) => { if (fault.kind !== 'cancelled') setFound({ fault }); });
    return () => stop.abort();
  }, [wanted, record.handle, version]);
  if (table.component) return null;
  return (
    <section>
      <h3>Who names this record</h3>
      {!wanted && <button type="button" onClick={() => setWanted(true)}>Look</button>}
      {wanted && !found &&
        <progress aria-label="Looking for references" value={progress?.[0]} max={progress?.[1]} />}
      {found?.fault && <p class="bad">{found.fault.message}</p>}
      {found?.damage?.map(({ name, slots }) => (
        <div key={name}>
          <bdi>{visible(name)}</bdi>
          <DamageNote list={slots} verb="cannot be looked at" />
        </div>))}
      {found && !found.fault && (found.all === 0
        ? <p class="muted">No record of the save.</p>
        : <ul class="references">
            {found.list.map((each, index) => (
              <li key={index}>
                <Cell value={each.cell} />{' '}
                <span class="muted"><bdi>{visible(each.path)}</bdi></span>
              </li>
            ))}
            {found.all > found.list.length &&
              <li class="muted">and {plural(found.all - found.list.length, 'other')}</li>}
          </ul>)}
    </section>
  );
}

function Components({ context, record }) {
  const { connection, file, refresh, setStatus } = context;
  const add = async ({ table, slot }) => {
    try {
      await connection.call('change', [file.number, { kind: 'insert', table, slot }]);
      await refresh(file.number);
      go({ view: 'table', table, slot });
    } catch (fault) {
      setStatus(fault.message);
    }
  };
  return (
    <section>
      <h3>Components</h3>
      <ul>
        {record.components.map((each) => (
          <li key={each.table}>
            {each.isThere
              ? <a href={formatRoute({ view: 'table', table: each.table, slot: each.slot })}>
                  <bdi>{visible(each.table)}</bdi></a>
              : <><bdi>{visible(each.table)}</bdi>{' '}
                  <button type="button" onClick={() => add(each)}>Add</button></>}
          </li>
        ))}
      </ul>
    </section>
  );
}
