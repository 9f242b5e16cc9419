// Several saves: the values of a record, or the numbers of records, from save to save.
import { useEffect, useState } from 'preact/hooks';

import { Field } from './table.jsx';
import { go } from './route.js';
import { grouped, visible } from './text.js';

export function HistoryView({ context, route }) {
  const { connection, files, setActive } = context;
  const [found, setFound] = useState(null);
  const sound = files.filter((file) => !file.fault);
  const what = route.field ?? '';
  useEffect(() => {
    setFound(null);
    connection.call('history', [sound.map((file) => file.number), what])
      .then(setFound, (fault) => setFound({ fault }));
  }, [what, sound.length]);
  return (
    <>
      <h1>History</h1>
      <p class="muted">{grouped(sound.length)} saves, by their number, then date, then name.</p>
      <div class="bar">
        <Field label="Field or table" value={what} mono hint="monsters:42@1.hp, or monsters"
               fault={found?.fault} onSet={(field) => go({ ...route, field })} />
      </div>
      {found?.fault && <p class="bad" role="alert">{found.fault.message}</p>}
      {!found && <progress aria-label="Reading the saves" />}
      {found?.series?.map((series) => <Plot key={series.name} series={series} />)}
      {found?.saves &&
        <div class="scroll" tabIndex={0} role="group" aria-label="Saves">
          <table>
            <thead><tr><th>Save</th>{found.series.map(({ name }) => (
              <th key={name} class="number"><bdi>{visible(name)}</bdi></th>))}</tr></thead>
            <tbody>
              {found.saves.map((save, index) => (
                <tr key={save.number}>
                  <th scope="row">
                    <button type="button" class="link" onClick={() => {
                      setActive(files.findIndex((file) => file.number === save.number));
                      go({ view: 'overview' });
                    }}><bdi>{visible(save.name)}</bdi></button>
                  </th>
                  {found.series.map((series) => {
                    const changed = index > 0 && series.texts[index] !== series.texts[index - 1];
                    return <td key={series.name} class={`number ${changed ? "changed" : ""}`}>
                      <bdi>{visible(series.texts[index])}</bdi></td>;
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>}
    </>
  );
}

/** Numbers as a line; the first and the last save are at its ends. */
function Plot({ series }) {
  const points = series.numbers.map((y, x) => [x, y]).filter(([, y]) => Number.isFinite(y));
  if (points.length < 2) return null;
  const values = points.map(([, y]) => y);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const last = series.numbers.length - 1;
  const at = ([x, y]) => `${((600 * x) / last).toFixed(1)},` +
    (high === low ? 80 : 150 - (140 * (y - low)) / (high - low)).toFixed(1);
  return (
    <figure>
      <figcaption><bdi>{visible(series.name)}</bdi>{' '}
        <span class="muted">{grouped(low)} to {grouped(high)}</span></figcaption>
      <svg viewBox="0 0 600 160" class="plot" role="img" preserveAspectRatio="none"
           aria-label={`${series.name}: from ${values[0]} to ${values.at(-1)}, ` +
                       `between ${low} and ${high}`}>
        <polyline points={points.map(at).join(' ')} fill="none" class="line" />
      </svg>
    </figure>
  );
}
