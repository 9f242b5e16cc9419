// Which tables name records of which: a graph, the same as a table, and the stale handles.
import { useEffect, useId, useMemo, useState } from 'preact/hooks';

import { arrowOf, BOX, heightOf, layoutOf } from './graph_layout.js';
import { formatRoute } from './route.js';
import { grouped, label, plural, visible } from './text.js';

const MOST_NODES = 36;
const MOST_NODE_FIELDS = 14;
const MOST_ROWS = 400;
const MOST_TARGETS = 3;
const MOST_COUNTED_UNASKED = 200_000; // records

/** @typedef {import('./links.js').Link} Link */

export function References({ context }) {
  const { connection, file, version } = context;
  const records = file.tables.reduce((sum, table) => sum + table.live, 0);
  const [wanted, setWanted] = useState(records <= MOST_COUNTED_UNASKED);
  const [links, setLinks] = useState(null);
  const [fault, setFault] = useState(null);
  const [progress, setProgress] = useState([0, 1]);
  useEffect(() => {
    const stop = new AbortController();
    setFault(null);
    if (wanted) {
      connection.call('links', [file.number],
        { signal: stop.signal, progress: (done, all) => setProgress([done, all]) })
        .then(setLinks, (error) => { if (error.kind !== 'cancelled') setFault(error); });
    }
    return () => stop.abort();
  }, [wanted, file.number, version]);
  if (!file.tables.some(({ hasHandles }) => hasHandles)) return null;
  return (
    <section>
      <h2>References</h2>
      {!wanted && <button type="button" onClick={() => setWanted(true)}>Count the handles</button>}
      {wanted && !links && !fault &&
        <progress value={progress[0]} max={progress[1]} aria-label="Counting" />}
      {fault && <p class="bad" role="alert">{fault.message}</p>}
      {links && links.length > 0 && <Graph links={links} tables={file.tables} />}
      {links && <LinkTable links={links} />}
      {links && <Stale links={links} />}
    </section>
  );
}

/**
 * The tables that handles join, those with the most handles, in the order of the file.
 * @param {Link[]} links
 */
export function graphOf(links, tables) {
  const weight = new Map();
  const add = (name, count) => weight.set(name, (weight.get(name) ?? 0) + count);
  for (const { table, targets } of links) {
    add(table, 0);
    for (const { table: target, live, stale } of targets) {
      add(target, live + stale);
      add(table, live + stale);
    }
  }
  const joined = tables.filter(({ name }) => weight.has(name));
  const chosen = new Set([...joined].sort((a, b) => weight.get(b.name) - weight.get(a.name))
    .slice(0, MOST_NODES));
  const nodes = joined.filter((table) => chosen.has(table))
    .map(({ name, live }) => ({ name, live, fields: [] }));
  const numbers = new Map(nodes.map(({ name }, i) => [name, i]));
  for (const link of links) {
    const node = nodes[numbers.get(link.table)];
    if (!node || node.fields.length === MOST_NODE_FIELDS) continue;
    const targets = link.targets.filter(({ table }) => numbers.has(table))
      .map(({ table, live, stale }) => ({ node: numbers.get(table), live, stale }));
    node.fields.push({ link, targets });
  }
  return { nodes, joined: joined.length };
}

function Graph({ links, tables }) {
  const id = useId();
  const { nodes, joined } = useMemo(() => graphOf(links, tables), [links]);
  const layout = useMemo(() => layoutOf(nodes), [nodes]);
  const sum = (kind) => grouped(links.reduce((total, link) => total + link[kind], 0));
  const arrows = nodes.flatMap(({ fields }, from) => fields.flatMap(({ link, targets }, row) =>
    targets.flatMap(({ node: to, live, stale }) => [
      (live || !stale) && { from, row, to, count: live, isStale: false, strong: link.strong },
      stale && { from, row, to, count: stale, isStale: true, strong: link.strong },
    ].filter(Boolean))));
  return (
    <figure class="card">
      {joined > nodes.length && <p class="muted">The {nodes.length} tables with the most handles,
        of {grouped(joined)}.</p>}
      <div class="scroll" tabIndex={0} role="group" aria-label="Graph of references">
        <svg class="graph" role="img" aria-labelledby={`${id}t`} aria-describedby={`${id}d`}
             viewBox={`0 0 ${layout.width} ${layout.height}`}
             style={{ minWidth: `${(layout.width * 4) / 5}px`, maxWidth: `${layout.width}px` }}>
          <title id={`${id}t`}>References between tables</title>
          <desc id={`${id}d`}>{plural(nodes.length, 'table')} joined
            by {plural(links.length, 'handle field')}: {sum('live')} live, {sum('stale')} stale
            handles; the table below shows the same</desc>
          {arrows.map((arrow, i) => <Arrow key={i} layout={layout} arrow={arrow} />)}
          {nodes.map((node, i) => (
            <Box key={node.name} node={node} x={layout.x[i]} y={layout.y[i]} />))}
        </svg>
      </div>
      <figcaption class="muted">Each box is a table with its number of records; each row is a
        handle field with the number of its handles that name a live record. Solid lines: strong
        (owning); dashed: weak; red: stale.</figcaption>
    </figure>
  );
}

function Arrow({ layout, arrow }) {
  const { line, tip } = arrowOf(layout, arrow);
  const stale = arrow.isStale ? 'stale' : '';
  const width = 1.25 + 0.5 * Math.log10(1 + arrow.count);
  return (
    <>
      <path class={`edge ${stale} ${arrow.strong ? "" : "weak"}`} d={line}
            style={{ strokeWidth: width.toFixed(2) }} />
      <path class={`tip ${stale}`} d={tip} />
    </>
  );
}

/** Numbers for the narrow places in a box: 12.4k. */
function shortCount(count) {
  if (count < 10_000) return grouped(count);
  const [unit, of] = count < 999_500 ? ['k', 1e3] : count < 999.5e6 ? ['M', 1e6] : ['G', 1e9];
  return `${Number((count / of).toPrecision(3))}${unit}`;
}

function Box({ node, x, y }) {
  const { width, head, row } = BOX;
  const right = x + width - 10;
  return (
    <g>
      <title>{visible(node.name, 200)}: {plural(node.live, 'record')}</title>
      <rect class="node" x={x} y={y} width={width} height={heightOf(node)} rx={7} />
      <path class="head" d={`M${x + 1} ${y + head - 1}v-22q0 -6 6 -6h${width - 14}q6 0 6 6v22z`} />
      <svg x={x} y={y} width={width - 60} height={head}>
        <text class="name" x={10} y={20}>{label(node.name, 20)}</text></svg>
      <text class="small" x={right} y={y + 20} text-anchor="end">{shortCount(node.live)}</text>
      {node.fields.map(({ link }, i) => {
        const line = y + head + row * i + 15;
        return (
          <g key={link.path}>
            <svg x={x} y={line - 15} width={width - (link.stale ? 110 : 60)} height={row}>
              <text x={10} y={15}>{label(link.path, 22)}</text></svg>
            <text class="small" x={right} y={line} text-anchor="end">{shortCount(link.live)}
              {link.stale > 0 &&
                <tspan class="stale"> + {shortCount(link.stale)} stale</tspan>}</text>
          </g>
        );
      })}
    </g>
  );
}

function LinkTable({ links }) {
  const names = (targets) => {
    const shown = targets.slice(0, MOST_TARGETS).map(({ table }) => label(table, 60)).join(', ');
    const rest = targets.length - MOST_TARGETS;
    return `${shown || "–"}${rest > 0 ? ` and ${rest} more` : ""}`;
  };
  return (
    <>
      <div class="scroll" tabIndex={0} role="group" aria-label="References">
        <table>
          <thead><tr><th>Field</th><th>Names</th><th>Kind</th><th class="number">Live</th>
            <th class="number">Stale</th><th class="number">Null</th>
            <th class="number">Foreign</th></tr></thead>
          <tbody>
            {links.slice(0, MOST_ROWS).map((link) => (
              <tr key={`${link.table} ${link.path}`}>
                <th scope="row">
                  <a href={formatRoute({ view: 'table', table: link.table,
                                         where: link.stale ? `${link.where} is stale` : '' })}>
                    <bdi>{label(link.table, 60)}</bdi>.<bdi>{label(link.path, 60)}</bdi></a>
                  {link.fault && <p class="bad">Not all were counted: {visible(link.fault)}</p>}
                  {link.unknown > 0 &&
                    <p class="bad">{plural(link.unknown, 'more handle')} of slots that cannot be
                      read</p>}
                </th>
                <td><bdi>{names(link.targets)}</bdi></td>
                <td>{link.strong ? 'strong' : 'weak'}</td>
                <td class="number">{grouped(link.live)}</td>
                <td class={link.stale ? 'number stale' : 'number'}>{grouped(link.stale)}</td>
                <td class="number">{grouped(link.null)}</td>
                <td class="number">{grouped(link.foreign)}</td>
              </tr>))}
          </tbody>
        </table>
      </div>
      {links.length > MOST_ROWS &&
        <p class="muted">The first {MOST_ROWS} of {grouped(links.length)} handle fields.</p>}
    </>
  );
}

function Stale({ links }) {
  const stale = links.filter(({ firstStale }) => firstStale);
  if (stale.length === 0) return null;
  return (
    <>
      <h3>Stale handles</h3>
      <ul>
        {stale.slice(0, MOST_NODES).map((link) => {
          const { slot, handle, path, names } = link.firstStale;
          return (
            <li key={`${link.table} ${link.path}`}>
              <a href={formatRoute({ view: 'table', table: link.table,
                                     where: `${link.where} is stale` })}>
                {grouped(link.stale)}{' in '}<bdi>{label(link.table, 60)}</bdi>.<bdi>
                  {label(link.path, 60)}</bdi></a>
              {link.strong && ' (strong: the records that they owned are gone)'}; first{' '}
              <a href={formatRoute({ view: 'table', table: link.table, slot })}>
                <bdi>{label(handle, 80)}</bdi>.<bdi>{label(path, 60)}</bdi></a>{' '}
              names <bdi>{label(names, 80)}</bdi></li>
          );
        })}
      </ul>
      {stale.length > MOST_NODES &&
        <p class="muted">and {plural(stale.length - MOST_NODES, 'more field')}</p>}
    </>
  );
}
