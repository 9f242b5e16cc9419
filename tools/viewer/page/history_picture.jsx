// Values over time as pictures: a line for numbers, a band of colours for everything else. All
// share one time axis and one cursor.
import { useId, useMemo, useState } from 'preact/hooks';

import './paper.js';
import { HEIGHT, lineOf, sampleAt, saveAt, scaleOf, thinned, WIDTH } from './plot_lines.js';
import { grouped, plural, visible } from './text.js';

const MOST_ROWS = 200;
const MOST_SHOWN = 60; // characters of a value in a picture
const EVENTS = { born: 'born', erased: 'erased', reused: 'slot re-used by another record' };
const AXES = { sequence: 'ordered by number', date: 'ordered by date', play: 'ordered by play time',
               order: 'at equal distances' };

/** @typedef {import('./series.js').History} History */

/**
 * @param {{history: History, onSave?: (number: number) => void}} props onSave opens a save
 */
export function HistoryPicture({ history, onSave }) {
  const [cursor, setCursor] = useState(null);
  const { fields, saves, unread, fieldsLeftOut, events } = history;
  if (saves.length === 0) return null;
  const first = Math.min(...fields.map(({ samples }) => samples[0][0]));
  const isChanging = ({ samples }) => samples.length > 1 || samples[0][0] > first;
  const changing = fields.filter(isChanging);
  const constant = fields.filter((field) => !isChanging(field));
  const scale = scaleOf(saves.map(({ time }) => time));
  const shared = { history, scale, cursor, setCursor, onSave };
  return (
    <>
      <p class="muted"><b><bdi>{visible(history.name, 100) || 'Records of each table'}</bdi></b>
        {' in '}{plural(saves.length, 'save')}
        {history.where && <> of <bdi>{visible(history.where)}</bdi></>}, {AXES[history.by]}.</p>
      {unread > 0 && <p class="verdict bad">✗ {plural(unread, 'save')} could not be read: values
        are as in the save before.</p>}
      {fieldsLeftOut > 0 && <p class="note">The first {fields.length} fields
        of {grouped(fields.length + fieldsLeftOut)} are shown. To see others, name them, as
        in <code>monsters:1042@7.pos.*</code></p>}
      {changing.length > 0 &&
        <section>
          <h2>Values</h2>
          <p class="muted hint">Numbers are lines, other values bands; grey: no value. With the arrow
            keys, Home and End a picture says what a value was, and from which save
            on.{onSave && ' Enter opens that save.'}</p>
          {changing.map((field) => <FieldFigure key={field.path} field={field} {...shared} />)}
        </section>}
      {constant.length > 0 && <Constants fields={constant} />}
      {events.length > 0 && <Events {...shared} />}
    </>
  );
}

const hasValue = (sample) => sample.length > 1;
const shownValue = (sample) => (hasValue(sample) ? visible(sample[2], MOST_SHOWN) : 'no value');

/** @param {{name: string, moment: string}} save */
function saveText({ name, moment }) {
  return `${visible(name, MOST_SHOWN)}${moment && ` ${moment}`}`;
}

function FieldFigure({ field, history, scale, cursor, setCursor, onSave }) {
  const id = useId();
  const { saves } = history;
  const { path, samples } = field;
  const changes = samples.length - 1;
  const at = cursor ? sampleAt(samples, cursor.save) : 0;
  const from = saves[samples[at][0]];
  const until = samples[at + 1] && saves[samples[at + 1][0]];
  const span = `from ${saveText(from)} ${until ? `to before ${saveText(until)}` : "on"}`;
  const onKey = (event) => {
    const next = { ArrowLeft: at - 1, ArrowRight: cursor ? at + 1 : at, ArrowDown: at - 1,
                   ArrowUp: cursor ? at + 1 : at, Home: 0, End: samples.length - 1 }[event.key];
    if (event.key === 'Enter' && onSave && from.number !== undefined) onSave(from.number);
    if (next === undefined) return;
    event.preventDefault();
    setCursor({ path, save: samples[Math.max(0, Math.min(samples.length - 1, next))][0] });
  };
  const onPointer = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const place = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
    const save = saveAt(scale, saves.length, place);
    if (save !== cursor?.save || cursor.path !== path) setCursor({ path, save });
  };
  // A move of the cursor draws neither the picture nor the table again.
  const { line, picture } = useMemo(() => {
    const kept = thinned(samples, scale);
    if (!field.isNumber) return { picture: <Band samples={kept} scale={scale} /> };
    const drawn = lineOf(kept, scale);
    return { line: drawn, picture: <Line line={drawn} events={history.events} scale={scale} /> };
  }, [history]);
  const table = useMemo(() => <ChangesTable {...{ field, saves, onSave }} />, [history]);
  const readout = cursor && <><bdi>{shownValue(samples[at])}</bdi>{' '}
    <span class="muted"><bdi>{span}</bdi></span></>;
  return (
    <figure class="card">
      <figcaption id={id}><b><bdi>{visible(path, 100)}</bdi></b>{' '}
        <span class="muted">{changes > 0 ? plural(changes, 'change')
          : `new in ${saveText(saves[samples[0][0]])}`}</span></figcaption>
      {line && <Ends texts={[line.any ? `${shortNumber(line.high)}` : 'no number']} />}
      <div class={line ? 'plot' : 'plot lane'} role="slider" tabIndex={0} aria-labelledby={id}
           aria-valuemin={0} aria-valuemax={samples.length - 1} aria-valuenow={at}
           aria-valuetext={`${shownValue(samples[at])} ${span}`}
           aria-description={line?.any
             ? `from ${shortNumber(line.low)} to ${shortNumber(line.high)}` : undefined}
           onKeyDown={onKey} onPointerMove={onPointer} onPointerDown={onPointer}>
        {picture}
        {cursor && <span class="pointer" style={{ left: `${100 * scale(cursor.save)}%` }} />}
      </div>
      {line && <Ends texts={[line.any ? shortNumber(line.low) : '']} />}
      <Ends texts={[saveText(saves[0]), saveText(saves.at(-1))]} />
      {/* One of them speaks: the one that the person is in. */}
      {cursor?.path === path ? <output class="readout">{readout}</output>
        : <p class="readout">{readout}</p>}
      {table}
    </figure>
  );
}

const Ends = ({ texts }) => (
  <div class="ends">{texts.map((text, i) => <span key={i}><bdi>{text}</bdi></span>)}</div>);

const shortNumber = (number) => String(Number(number.toPrecision(6)));

function Line({ line, events, scale }) {
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {line.absent && <path class="absent" d={line.absent} />}
      {events.slice(0, MOST_ROWS).map(({ save, kind }) => (
        <path key={`${save} ${kind}`} class={`event ${kind}`}
              d={`M${scale(save) * WIDTH} 0V${HEIGHT}`} />))}
      {line.zero && <path class="zero" d={line.zero} />}
      {line.line && <path class="line" d={line.line} />}
      {line.dots && <path class="dots" d={line.dots} />}
    </svg>
  );
}

function Band({ samples, scale }) {
  const colors = new Map(); // equal values have one colour
  return samples.map((sample, i) => {
    if (!hasValue(sample)) return null;
    const text = sample[2];
    if (!colors.has(text)) colors.set(text, colors.size % 8);
    const left = scale(sample[0]);
    const width = (i + 1 < samples.length ? scale(samples[i + 1][0]) : 1) - left;
    return (
      <span key={i} class={`part t${colors.get(text)}`}
            style={{ left: `${100 * left}%`, width: `${100 * width}%` }}>
        {width > 0.01 && <bdi>{shownValue(sample)}</bdi>}
      </span>
    );
  });
}

/** The name of a save, which opens it if it is open in the page. */
export function SaveName({ save, onSave }) {
  const text = saveText(save);
  if (!onSave || save.number === undefined) return <bdi>{text}</bdi>;
  return <button type="button" class="link" onClick={() => onSave(save.number)}>
    <bdi>{text}</bdi></button>;
}

function ChangesTable({ field, saves, onSave }) {
  const { path, samples } = field;
  return (
    <details>
      <summary><bdi>{visible(path, 60)}</bdi> as a table</summary>
      <div class="scroll" tabIndex={0} role="group" aria-label={`Values of ${visible(path, 60)}`}>
        <table>
          <thead><tr><th>From save</th><th>Value</th></tr></thead>
          <tbody>
            {samples.slice(0, MOST_ROWS).map((sample) => (
              <tr key={sample[0]}>
                <th scope="row"><SaveName save={saves[sample[0]]} onSave={onSave} /></th>
                <td class={hasValue(sample) ? '' : 'muted'}>
                  <bdi>{hasValue(sample) ? visible(sample[2]) : 'no value'}</bdi></td>
              </tr>))}
          </tbody>
        </table>
      </div>
      {samples.length > MOST_ROWS && <p class="muted">The table ends after {MOST_ROWS}
        of {grouped(samples.length)} values; <code>hdbinspect log</code> lists all.</p>}
    </details>
  );
}

function Constants({ fields }) {
  return (
    <section>
      <h2>Unchanged</h2>
      <div class="scroll" tabIndex={0} role="group" aria-label="Unchanged">
        <table>
          <thead><tr><th>Field</th><th>Value in every save that has it</th></tr></thead>
          <tbody>
            {fields.map(({ path, samples }) => (
              <tr key={path}><th scope="row"><bdi>{visible(path, 100)}</bdi></th>
                <td><bdi>{visible(samples[0][2] ?? 'no value')}</bdi></td></tr>))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Events({ history, scale, onSave }) {
  const { events, saves } = history;
  const kinds = Object.keys(EVENTS).filter((kind) => events.some((event) => event.kind === kind));
  return (
    <section>
      <h2>The record</h2>
      <ul class="legend">
        {kinds.map((kind) => (
          <li key={kind}><span class={`key event-${kind}`} aria-hidden="true" /> {EVENTS[kind]}
          </li>))}
      </ul>
      <div class="plot marks" aria-hidden="true">
        {events.slice(0, MOST_ROWS).map(({ save, kind }) => (
          <span key={`${save} ${kind}`} class={`mark event-${kind}`}
                style={{ left: `${100 * scale(save)}%` }} />))}
      </div>
      <div class="scroll" tabIndex={0} role="group" aria-label="What happened to the record">
        <table>
          <thead><tr><th>Save</th><th>What happened</th></tr></thead>
          <tbody>
            {events.slice(0, MOST_ROWS).map(({ save, text }, i) => (
              <tr key={i}><th scope="row"><SaveName save={saves[save]} onSave={onSave} /></th>
                <td><bdi>{visible(text)}</bdi></td></tr>))}
          </tbody>
        </table>
      </div>
      {events.length > MOST_ROWS &&
        <p class="muted">and {grouped(events.length - MOST_ROWS)} more</p>}
    </section>
  );
}
