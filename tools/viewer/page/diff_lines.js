// What `hdbinspect diff --format=ndjson` prints, as the page shows it.

/** @typedef {import('./change_summary.jsx').TableChange} TableChange */

const KINDS = { '+': 'added', '-': 'removed', '~': 'changed', R: 'reused' };

/**
 * Lines of JSON; whole numbers that a number of JavaScript would round are bigint.
 * @param {string} text
 * @returns {any[]}
 */
export function parseLines(text) {
  const exact = (_key, value, context) => (Number.isInteger(value) &&
    !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
    ? BigInt(context.source) : value);
  return text.split('\n').filter(Boolean).map((line) => JSON.parse(line, exact));
}

/**
 * A record that differs; `fields` are those that differ.
 * @typedef {object} RecordChange
 * @property {string} kind
 * @property {number} slot
 * @property {string} handle
 * @property {string} [from] the handle before
 * @property {string} [to] the handle after
 * @property {{path: string, old?: any, new?: any, note?: string}[]} fields
 */

/**
 * @param {any[]} lines
 * @returns {{tables: TableChange[], differing: TableChange[], notes: any[], within: number,
 *   hidden: number, records: Map<string, RecordChange[]>, remark: string}}
 */
export function readDiffLines(lines) {
  const found = { tables: [], differing: [], notes: [], within: 0, hidden: 0, remark: '',
                  records: new Map() };
  for (const line of lines) {
    switch (line.type) {
      case 'diff_first': found.remark = firstText(line); break;
      case 'diff_record': {
        if (!found.records.has(line.table)) found.records.set(line.table, []);
        found.records.get(line.table).push(recordOf(line));
        break;
      }
      case 'diff_table': {
        const table = tableOf(line, found.records.get(line.table) ?? []);
        found.tables.push(table);
        if (line.differs) found.differing.push(table);
        break;
      }
      case 'diff_database': found.notes = line.notes.map(noteOf); break;
      case 'diff_summary':
        found.within = line.within_tolerance;
        found.hidden = line.records_not_shown;
        break;
      default:
    }
  }
  const shown = [...found.records.values()].reduce((sum, { length }) => sum + length, 0);
  const all = found.differing.reduce((sum, table) => sum + table.all, 0);
  found.hidden = Math.max(found.hidden, all - shown);  // a summary shows none
  return found;
}

function recordOf({ mark, slot, old_handle: from, new_handle: to, fields = [] }) {
  return { kind: KINDS[mark], slot, handle: to ?? from, from, to, fields };
}

const noteOf = ({ what, old, new: now, detail }) => ({ what, from: old, to: now, detail });

/** @returns {TableChange} */
function tableOf(line, records) {
  const { table: name, old_live: before, new_live: after, added, removed, changed, reused } = line;
  return {
    name, before, after, added, removed, changed, reused, within: line.within_tolerance,
    all: added + removed + changed + reused, fields: rankingOf(records),
    schema: line.schema.map(({ mark, path, old_type: from, new_type: to, compared, value }) => (
      { mark, path, from, to, compared, value })),
    notes: line.notes.map(noteOf),
  };
}

/** Elements of lists change places: items[3].name counts as items[].name. */
function rankingOf(records) {
  const counts = new Map();
  for (const { fields } of records) {
    const paths = new Set(fields.map(({ path }) => path.replace(/\[\d+\]/g, '[]')));
    for (const path of paths) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]);
}

function firstText({ differs, name, number, pairs, equal_up_to: equal, only_in_a: a,
                     only_in_b: b }) {
  const of = `${pairs} ${pairs === 1 ? 'pair' : 'pairs'}`;
  let text = differs ? `The first pair that differs is ${name}, number ${number} of ${pairs}`
    : `No difference in ${of}`;
  if (differs && equal) text += `; equal up to ${equal}`;
  if (a > 0) text += `; ${a} only in the first folder`;
  if (b > 0) text += `; ${b} only in the second folder`;
  return `${text}.`;
}

/**
 * One row for each field that differs, one for a record without any.
 * @param {RecordChange[]} records
 */
export class FieldRows {
  constructor(records) {
    this.records = records;
    this.starts = new Float64Array(records.length + 1);
    records.forEach(({ fields }, i) => {
      this.starts[i + 1] = this.starts[i] + Math.max(1, fields.length);
    });
    this.count = this.starts[records.length];
  }

  /** @param {number} from @param {number} count */
  slice(from, count) {
    const rows = [];
    let record = this.#recordAt(from);
    for (let at = from; at < Math.min(from + count, this.count); ++at) {
      while (this.starts[record + 1] <= at) ++record;
      const of = this.records[record];
      const place = at - this.starts[record];
      rows.push({ record, of, isFirst: place === 0, field: of.fields[place] });
    }
    return rows;
  }

  #recordAt(row) {
    let low = 0;
    for (let high = this.records.length; high - low > 1;) {
      const middle = (low + high) >> 1;
      if (this.starts[middle] <= row) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** A value of a line as a text; undefined where a side has none. @param {any} value */
export function valueText(value) {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint') return String(value);
  if (typeof value?.hex === 'string' && Object.keys(value).length === 1)
    return `bytes ${value.hex}`;
  return JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? String(part) : part));
}

/** What a value became: its note, or by how much a number grew. @param {any} field */
export function noteText({ old, new: now, note }) {
  if (note) return note;
  if (typeof old !== typeof now || !['number', 'bigint'].includes(typeof now)) return '';
  const change = typeof now === 'bigint' ? now - old : Number((now - old).toPrecision(9));
  return change > 0 ? `+${change}` : String(change);
}
