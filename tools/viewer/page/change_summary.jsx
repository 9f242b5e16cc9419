// What differs between two saves, as far as it needs no record: the sum, tables, schemas, fields;
// for saves that the page compares, and for what hdbinspect diff found.
import { formatRoute } from './route.js';
import { grouped, percent, plural, visible } from './text.js';

const MOST_TABLES = 400;
const MOST_NOTES = 50;
const MOST_RANKED = 24;
const SHORT = 200;

/** @typedef {import('./compare_tables.js').Note} Note */
/** @typedef {import('./compare_tables.js').SchemaChange} SchemaChange */

/**
 * A table of two saves. `before` and `after` are live records; undefined where there is no table.
 * @typedef {object} TableChange
 * @property {string} name
 * @property {number} [before]
 * @property {number} [after]
 * @property {number} added
 * @property {number} removed
 * @property {number} changed
 * @property {number} reused
 * @property {number} all records that differ
 * @property {[string, number][]} fields and how many records they differ in, most first
 * @property {SchemaChange[]} schema
 * @property {Note[]} notes
 */

/**
 * @param {object} props
 * @param {TableChange[]} props.tables all that were compared
 * @param {TableChange[]} props.differing
 * @param {Note[]} props.notes of the saves
 * @param {number} [props.within] records within tolerance
 * @param {boolean} [props.hashesDiffer]
 * @param {boolean} [props.damaged] whether something was not compared
 */
export function ChangeSummary({ tables, differing, notes, within = 0, hashesDiffer = false,
                                damaged = false, route }) {
  const tolerated = within > 0 ? `; ${plural(within, 'record')} within tolerance` : '';
  const all = plural(tables.length, 'table');
  if (differing.length === 0 && notes.length === 0) {
    if (damaged) {
      return <p class="verdict warn">? No difference in what can be read of {all}{tolerated}.</p>;
    }
    if (hashesDiffer) {
      return <p class="verdict warn">≠ The state hashes in the files differ, but no difference was
        found in {all}{tolerated}.</p>;
    }
    return <p class="verdict good">✓ No difference in {all}{tolerated}.</p>;
  }
  const sum = (kind) => differing.reduce((total, table) => total + table[kind], 0);
  return (
    <>
      <p class="verdict warn">
        ≠ Different in {grouped(differing.length)} of {all}{tolerated}.
        {damaged && ' Not all of them can be read.'}</p>
      <ul class="sum">
        {[['changed', 'changed'], ['added', 'added'], ['removed', 'removed'],
          ['reused', 'slots re-used']].map(([kind, word]) => (
          <li key={kind} class={kind}><b>{grouped(sum(kind))}</b> {word}</li>))}
      </ul>
      {notes.length > 0 && <Notes schema={[]} notes={notes} />}
      {differing.length > 0 && <ChangedTables {...{ differing, route }} />}
      {differing.length > MOST_TABLES &&
        <p class="muted">and {plural(differing.length - MOST_TABLES, 'more table')}</p>}
    </>
  );
}

/** The table that is shown until one is chosen: that with the most records that differ. */
export function largestOf(tables) {
  return tables?.reduce((most, table) => (most && most.all >= table.all ? most : table), undefined);
}

function ChangedTables({ differing, route }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Tables that differ">
      <table>
        <thead><tr><th>Table</th><th class="number">Before</th><th class="number">After</th>
          <th class="number">Added</th><th class="number">Removed</th>
          <th class="number">Changed</th><th class="number">Re-used</th><th>Also</th></tr></thead>
        <tbody>
          {differing.slice(0, MOST_TABLES).map((table) => (
            <tr key={table.name} aria-current={table.name === route.table ? 'true' : undefined}>
              <th scope="row">
                <a href={formatRoute({ ...route, table: table.name })}>
                  <bdi>{visible(table.name)}</bdi></a>
              </th>
              <td class="number">{liveText(table.before)}</td>
              <td class="number">{liveText(table.after)}</td>
              {['added', 'removed', 'changed', 'reused'].map((kind) => (
                <td key={kind} class={`number ${table[kind] ? `is-${kind}` : ''}`}>
                  {grouped(table[kind])}</td>
              ))}
              <td>{alsoText(table)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const liveText = (live) => (live === undefined ? '–' : grouped(live));

function alsoText({ before, after, schema, notes }) {
  if (before === undefined) return 'new table';
  if (after === undefined) return 'table removed';
  const parts = [];
  if (schema.length > 0) parts.push('another schema');
  for (const { what } of notes) parts.push(what);
  return parts.join(', ');
}

const VERBS = { '+': 'New field', '-': 'Field removed', '~': 'Field with another type' };

/** Changes of the schema, and of what else a table has. */
export function Notes({ schema, notes }) {
  const lines = [...schema.map(schemaLine), ...notes.map(noteLine)];
  if (lines.length === 0) return null;
  return (
    <ul class="notes">
      {lines.slice(0, MOST_NOTES).map((line, i) => <li key={i}>{line}</li>)}
      {lines.length > MOST_NOTES && <li>and {grouped(lines.length - MOST_NOTES)} more</li>}
    </ul>
  );
}

function schemaLine({ mark, path, from, to, compared, value }) {
  const types = from && to ? `${visible(from, SHORT)} → ${visible(to, SHORT)}`
    : visible(from || to, SHORT);
  return (
    <>
      {VERBS[mark]}: <bdi><code>{visible(path || '(record)', SHORT)}: {types}</code></bdi>
      {value && <> = <bdi>{visible(value, SHORT)}</bdi></>}
      {compared === false && ' (not compared)'}
    </>
  );
}

function noteLine({ what, from, to, detail }) {
  const text = detail.replaceAll(' -> ', ' → ');
  return (
    <>
      {what[0].toUpperCase() + what.slice(1)}
      {(from || to) && <>: <bdi>{visible(from || 'none', SHORT)}</bdi> →{' '}
        <bdi>{visible(to || 'none', SHORT)}</bdi></>}
      {text && <>{from || to ? '; ' : ': '}<bdi>{visible(text, 2 * SHORT)}</bdi></>}
    </>
  );
}

/** Which fields changed in the most records. @param {{table: TableChange}} props */
export function FieldRanking({ table }) {
  const { fields, changed } = table;
  if (fields.length === 0) return null;
  const [[, most]] = fields;
  return (
    <section>
      <h3>Fields that changed</h3>
      <div class="scroll" tabIndex={0} role="group" aria-label="Changed records by field">
        <table class="generations">
          <thead><tr><th>Field</th><th aria-hidden="true" /><th class="number">Records</th>
            <th class="number">Of changed records</th></tr></thead>
          <tbody>
            {fields.slice(0, MOST_RANKED).map(([name, count]) => (
              <tr key={name}>
                <th scope="row"><bdi>{visible(name, SHORT)}</bdi></th>
                <td class="pair" aria-hidden="true">
                  <span class="bargraph changed" style={{ width: `${(100 * count) / most}%` }} />
                </td>
                <td class="number">{grouped(count)}</td>
                <td class="number">{percent(count, changed)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {fields.length > MOST_RANKED &&
        <p class="muted">and {plural(fields.length - MOST_RANKED, 'more field')}</p>}
    </section>
  );
}

const MARKS = { added: '+', removed: '−', changed: '~', reused: 'R' };
const WORDS = { added: 'added', removed: 'removed', changed: 'changed',
                reused: 'slot re-used by another record' };

/** How a record differs. @param {{kind: 'added'|'removed'|'changed'|'reused'}} props */
export function Mark({ kind }) {
  return <span class={`mark is-${kind}`} title={WORDS[kind]}>{MARKS[kind]}
    <span class="unseen"> {WORDS[kind]}</span></span>;
}
