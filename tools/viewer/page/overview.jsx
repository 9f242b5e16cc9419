// What a save is, whether it is sound, its tables, and what takes its space.
import { useEffect, useState } from 'preact/hooks';

import { Facts } from './facts.jsx';
import './paper.js';
import { References } from './references.jsx';
import { formatRoute } from './route.js';
import { Space } from './space.jsx';
import { date, duration, grouped, plural, size, visible } from './text.js';

const MOST_PAIRS = 100;

export function Overview({ context }) {
  const { file } = context;
  const { metadata } = file;
  return (
    <>
      <section class="title">
        <div>
          <h1>{visible(metadata.title || file.name)}</h1>
          <p class="muted">{visible(file.name)}</p>
        </div>
        <Thumbnail context={context} />
      </section>
      <Verdict context={context} />
      <Facts items={[
        metadata.date !== 0 && ['Saved', date(metadata.date)],
        ['Play time', duration(metadata.playTime)], ['Number', grouped(metadata.sequence)],
        ['Size', size(file.bytes)],
        ['Tables', grouped(file.tables.length)],
        ['Records', grouped(file.tables.reduce((sum, table) => sum + table.live, 0))],
        ['Format', file.format],
        ...metadata.pairs.slice(0, MOST_PAIRS)
          .map(([key, value]) => [visible(key), visible(value)]),
        metadata.pairs.length > MOST_PAIRS &&
          ['More metadata', plural(metadata.pairs.length - MOST_PAIRS, 'value')],
        ['State hash, stored', file.stateHash, true], ['File id', file.fileId, true],
      ]} />
      <Tables tables={file.tables} />
      <Space context={context} />
      <References context={context} />
      {file.others.length > 0 &&
        <section>
          <h2>What this page does not know</h2>
          <ul>{file.others.map((text) => <li key={text}>{visible(text)}</li>)}</ul>
        </section>}
    </>
  );
}

function Thumbnail({ context }) {
  const { connection, file } = context;
  const [url, setUrl] = useState(null);
  useEffect(() => {
    let made = null;
    connection.call('thumbnail', [file.number]).then((blob) => {
      if (blob) setUrl(made = URL.createObjectURL(blob));
    }, () => {});
    return () => made && URL.revokeObjectURL(made);
  }, [file.number]);
  return url && <img src={url} alt="The picture in the save" onError={() => setUrl(null)} />;
}

/** Says no more than was checked: until all was, only how far it is. */
function Verdict({ context }) {
  const { connection, file, version } = context;
  const [found, setFound] = useState(null);
  const [progress, setProgress] = useState([0, 1]);
  useEffect(() => {
    const stop = new AbortController();
    setFound(null);
    connection.call('validate', [file.number],
      { signal: stop.signal, progress: (done, all) => setProgress([done, all]) })
      .then(setFound, (fault) => {
        if (fault.kind !== 'cancelled') setFound({ verdict: 'stopped', findings: [fault] });
      });
    return () => stop.abort();
  }, [file.number, version]);
  if (!found) {
    return (
      <p class="verdict">Header, directory and schemas are sound; checking the records …{' '}
        <progress value={progress[0]} max={progress[1]} aria-label="Checking the records" /></p>
    );
  }
  if (found.verdict === 'deep') {
    if (file.edits) {
      return <p class="verdict good">✓ Sound with {plural(file.edits, 'edit')}, which are in the
        page alone until you download the new save.</p>;
    }
    return <p class="verdict good">✓ Sound: every hash, record, slot, free list and handle and the
      state hash were checked.</p>;
  }
  return (
    <section class="verdict bad">
      <p>✗ {plural(found.findings.length, 'problem')} found. What is sound can be saved:{' '}
        <code>hdbinspect repair {visible(file.name)} -o repaired.hdb</code></p>
      <ul>
        {found.findings.slice(0, 100).map((finding, index) => (
          <li key={index}>
            {finding.id && <code>{finding.id}</code>} {visible(finding.message)}
            {finding.where && <> <span class="muted">{visible(finding.where)}</span></>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Tables({ tables }) {
  if (tables.length === 0) return <p class="note">The save has no tables.</p>;
  return (
    <section>
      <h2>Tables</h2>
      <div class="scroll" tabIndex={0} role="group" aria-label="Tables">
        <table>
          <thead>
            <tr><th>Table</th><th class="number">Live</th><th class="number">Free</th>
              <th class="number">Retired</th><th class="number">Slots</th><th>Storage</th>
              <th>Handle</th><th>Policies</th></tr>
          </thead>
          <tbody>
            {tables.map((table) => (
              <tr key={table.name}>
                <th scope="row">
                  <a href={formatRoute({ view: 'table', table: table.name })}>
                    <bdi>{visible(table.name)}</bdi></a>
                </th>
                <td class="number">{grouped(table.live)}</td>
                <td class="number">{grouped(table.free)}</td>
                <td class="number">{grouped(table.retired)}</td>
                <td class="number">
                  <a href={formatRoute({ view: 'slots', table: table.name })}>
                    {grouped(table.slots)}</a></td>
                <td>{table.storage}</td>
                <td class="mono">{table.layout}</td>
                <td>{table.policies}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
