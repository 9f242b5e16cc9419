// Several saves: the values of a record, or the numbers of tables, from save to save.
import { useEffect, useState } from 'preact/hooks';

import { HistoryPicture, SaveName } from './history_picture.jsx';
import { go } from './route.js';
import { Field } from './table.jsx';
import { plural, visible } from './text.js';

export { HistoryPicture } from './history_picture.jsx';

const MOST_SAVES = 500;
const MOST_COLUMNS = 4;
const AXES = { auto: 'what rises', sequence: 'number', date: 'date', play: 'play time',
               order: 'order alone' };

export function HistoryView({ context, route }) {
  const { connection, files, setActive, version } = context;
  const [found, setFound] = useState(null);
  const [progress, setProgress] = useState([0, 1]);
  const sound = files.filter((file) => !file.fault);
  const what = route.field ?? '';
  const by = AXES[route.by] ? route.by : 'auto';
  useEffect(() => {
    const stop = new AbortController();
    setFound(null);
    connection.call('history', [sound.map((file) => file.number), what, by],
      { signal: stop.signal, progress: (done, all) => setProgress([done, all]) })
      .then((history) => setFound({ history }), (fault) => {
        if (fault.kind !== 'cancelled') setFound({ fault });
      });
    return () => stop.abort();
  }, [what, by, sound.length, version]);
  const indexOf = (number) => files.findIndex((file) => file.number === number);
  const openSave = (number) => {
    setActive(indexOf(number));
    go({ view: 'overview' });
  };
  const compare = (before, after) => {
    setActive(indexOf(after));
    go({ view: 'changes', from: before });
  };
  const unopened = files.length - sound.length;
  return (
    <>
      <h1>History</h1>
      <div class="bar">
        <Field label="Field or table" value={what} mono
               hint="monsters:42@1.hp, monsters:42.pos.*, or monsters"
               fault={found?.fault} onSet={(field) => go({ ...route, field })} />
        <label>Axis:{' '}
          <select value={by} onChange={(event) => go({ ...route, by: event.target.value })}>
            {Object.entries(AXES).map(([value, text]) => (
              <option key={value} value={value}>{text}</option>))}
          </select>
        </label>
      </div>
      {found?.fault && <p class="bad" role="alert">{visible(found.fault.message)}</p>}
      {unopened > 0 && <p class="note">{plural(unopened, 'file')} could not be opened and
        {unopened === 1 ? ' is' : ' are'} left out.</p>}
      {!found && <progress value={progress[0]} max={progress[1]} aria-label="Reading the saves" />}
      {found?.history && <HistoryPicture history={found.history} onSave={openSave} />}
      {found?.history && <Saves history={found.history} onSave={openSave} onCompare={compare} />}
    </>
  );
}

/** Each save with the first values that change, and a way to see what else did. */
function Saves({ history, onSave, onCompare }) {
  const { saves, fields } = history;
  const changes = new Array(saves.length).fill(0);
  for (const { samples } of fields) for (const [save] of samples) ++changes[save];
  const columns = fields.filter(({ samples }) => samples.length > 1).slice(0, MOST_COLUMNS)
    .map(({ path, samples }) => ({ path, values: valuesOf(samples, saves.length) }));
  return (
    <section>
      <h2>Saves</h2>
      <div class="scroll" tabIndex={0} role="group" aria-label="Saves">
        <table>
          <thead><tr><th>Save</th>{columns.map(({ path }) => (
            <th key={path}><bdi>{visible(path, 40)}</bdi></th>))}
            <th class="number">Values changed</th><th>Since the save before</th></tr></thead>
          <tbody>
            {saves.slice(0, MOST_SAVES).map((save, index) => {
              const isChanged = index > 0 && changes[index] > 0;
              return (
                <tr key={save.number}>
                  <th scope="row"><SaveName save={save} onSave={onSave} /></th>
                  {columns.map(({ path, values }) => (
                    <td key={path} class={index > 0 && values[index] !== values[index - 1]
                      ? 'other' : ''}><bdi>{visible(values[index], 60)}</bdi></td>))}
                  <td class="number">{isChanged ? changes[index] : ''}</td>
                  <td>{isChanged && <button type="button" class="link"
                      onClick={() => onCompare(saves[index - 1].number, save.number)}
                      aria-label={`All changes since ${visible(saves[index - 1].name, 60)}`}>
                    All changes</button>}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {saves.length > MOST_SAVES &&
        <p class="muted">and {plural(saves.length - MOST_SAVES, 'more save', 'more saves')}</p>}
    </section>
  );
}

/** The text of each save. */
function valuesOf(samples, count) {
  const values = new Array(count).fill('–');
  samples.forEach(([from, , text = '–'], i) =>
    values.fill(text, from, samples[i + 1]?.[0] ?? count));
  return values;
}
