// Several saves as one history: the numbers of tables, or the values of a record, from save to
// save. What is made here is drawn by history.jsx; `hdbinspect plot` makes the same.
import { chainsTo, columnsFor } from './fields.js';
import { parsePath } from './filter_parse.js';
import { nameMatcher, pathMatcher } from './globs.js';
import { date, duration } from './text.js';
import { partsOf } from '../reader/handles.js';
import { forEachLeaf, valueAt, valueText } from './value_text.js';

const MOST_FIELDS = 24;
const MOST_TEXT = 1024;
const AXES = {
  sequence: { name: 'number', time: ({ sequence }) => Number(sequence) },
  date: { name: 'date', time: ({ dateMs }) => Number(dateMs) },
  play: { name: 'play time', time: ({ playTimeMs }) => Number(playTimeMs) },
  order: { name: 'order', time: (_metadata, index) => index },
};

/**
 * @typedef {[number, number | null, string] | [number]} Sample from a save on: the value as a
 *   number, if it is one, and as a text; without them, there is no value
 *
 * @typedef {object} History
 * @property {string} name what is followed: `monsters`, `monsters:42@1.pos.*`
 * @property {string} [where] where the saves are
 * @property {'sequence'|'date'|'play'|'order'} by what the time is
 * @property {{name: string, moment: string, time: number, number?: number}[]} saves
 * @property {number} unread saves that could not be read
 * @property {number} fieldsLeftOut
 * @property {{path: string, isNumber: boolean, samples: Sample[]}[]} fields
 * @property {{save: number, kind: 'born'|'erased'|'reused', text: string}[]} events
 */

const usage = (message) => ({ kind: 'usage', message });
const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** By the number that the game counts up, then by date, then by name. */
export function inOrder(saves) {
  const key = ({ snapshot }) => snapshot.metadata;
  return [...saves].sort((a, b) => compare(key(a).sequence, key(b).sequence) ||
    compare(key(a).dateMs, key(b).dateMs) ||
    a.name.localeCompare(b.name, 'en', { numeric: true }));
}

/**
 * @param {import('./save_data.js').SaveData[]} saves
 * @param {string} what a table or a glob of them; a record, with fields or without; '': all tables
 * @param {string} by
 * @returns {Promise<History>}
 */
export async function historyOf(saves, what, by, work) {
  const ordered = inOrder(saves);
  const history = { name: what, ...axisOf(ordered, by || 'auto'), unread: 0, fieldsLeftOut: 0,
                    fields: [], events: [] };
  const samples = new Samples(history);
  const record = recordIn(ordered, what);
  const follower = record ? new Follower(record, samples) : new TableNumbers(what, samples);
  for (const [i, save] of ordered.entries()) {
    await work.step(i, ordered.length);
    try {
      await follower.look(save, i);
    } catch (error) {
      if (!error.code || error.kind === 'cancelled') throw error;
      ++history.unread;  // what is read afterwards is compared with what was read before
    }
  }
  if (history.unread < ordered.length) follower.refuseNothing(what);
  return history;
}

function axisOf(saves, wanted) {
  const metadata = saves.map(({ snapshot }) => snapshot.metadata);
  const timesBy = (by) => metadata.map(AXES[by].time);
  const fallOf = (times) => times.findIndex((time, i) => i > 0 && !(time > times[i - 1]));
  let by = wanted;
  if (wanted === 'auto') {
    by = ['sequence', 'date'].find((each) => fallOf(timesBy(each)) < 0) ?? 'order';
  } else {
    const fall = fallOf(timesBy(by));
    if (fall > 0) {
      throw usage(`The ${AXES[by].name} does not rise from ${saves[fall - 1].name} to ` +
        `${saves[fall].name}. Choose another axis.`);
    }
  }
  const times = timesBy(by);
  return { by, saves: saves.map(({ name, number }, i) => (
    { name, number, time: times[i], moment: momentOf(metadata[i], by) })) };
}

function momentOf({ sequence, dateMs, playTimeMs }, by) {
  if (by === 'play') return duration(playTimeMs);
  if (by === 'date') return date(dateMs);
  return sequence ? `#${sequence}` : '';
}

/** Gathers the values of fields: one sample for each change. */
class Samples {
  #fields = new Map();
  #leftOut = new Set();

  /** @param {History} history */
  constructor(history) {
    this.history = history;
  }
  add(path, save, mayBeNumber, number, text) {
    let field = this.#fields.get(path);
    if (!field) {
      if (this.#fields.size === MOST_FIELDS) {
        this.#leftOut.add(path);
        this.history.fieldsLeftOut = this.#leftOut.size;
        return;
      }
      field = { path, isNumber: true, samples: [] };
      this.#fields.set(path, field);
      this.history.fields.push(field);
    }
    field.isNumber &&= mayBeNumber;
    if (field.samples.at(-1)?.[2] !== text) field.samples.push([save, number, text]);
  }
  /** The fields that a save does not have. @param {Set<string>} seen */
  endOthers(save, seen) {
    for (const { path, samples } of this.history.fields)
      if (!seen.has(path) && samples.at(-1).length > 1) samples.push([save]);
  }
  event(save, kind, text) {
    this.history.events.push({ save, kind, text });
  }
}

/** The numbers that each table has, of the tables that a glob selects. */
class TableNumbers {
  constructor(what, samples) {
    this.isWanted = what ? nameMatcher(what) : () => true;
    this.numbers = what ? ['live', 'free', 'retired', 'slots'] : ['live'];
    this.samples = samples;
  }
  look(save, i) {
    const seen = new Set();
    for (const { table } of save.tables) {
      if (!this.isWanted(table.name)) continue;
      for (const name of this.numbers) {
        const path = `${table.name} ${name}`;
        const value = table.descriptor[name];
        seen.add(path);
        this.samples.add(path, i, true, value, String(value));
      }
    }
    this.samples.endOthers(i, seen);
  }
  refuseNothing(what) {
    if (what && this.samples.history.fields.length === 0) {
      throw usage(`No save has a table ${what}. Write monsters for a table, or ` +
        'monsters:42@1.hp for a field of a record.');
    }
  }
}

/**
 * What a name such as `monsters:42@1.pos.*` or `0x1000004a` means in the newest save that has it;
 * undefined if it is no name of a record.
 * @returns {{table: string, slot: number, generation: number, fields: string} | undefined}
 */
function recordIn(saves, what) {
  const isRecord = /:\d|^0x/i.test(what);
  if (!isRecord) return undefined;
  for (const save of saves.toReversed()) {
    const found = bitsIn(save, what) ?? handleIn(save, what);
    if (found) return componentIn(save, found);
  }
  throw usage(`${what} names a record of no table of these saves. Write monsters:42@1.hp.`);
}

function handleIn(save, what) {
  // A table can have a name with a colon.
  const tables = save.tables.map(({ table }) => table.name)
    .filter((name) => what.startsWith(`${name}:`)).sort((a, b) => b.length - a.length);
  for (const table of tables) {
    const match = /^(\d+)(?:@(\d+))?(?:\.(.*))?$/s.exec(what.slice(table.length + 1));
    if (match) {
      const [, slot, generation = 0, fields = ''] = match;
      return { table, slot: Number(slot), generation: Number(generation), fields };
    }
  }
  return undefined;
}

/** A handle in hexadecimal digits, of the only table that it fits. */
function bitsIn(save, what) {
  const match = /^(0x[0-9a-f]{1,16})(?:\.(.*))?$/is.exec(what);
  if (!match) return undefined;
  const fitting = save.tables.map(({ table }) => {
    const { layout, typeId, component } = table.descriptor;
    const parts = component ? undefined : partsOf(layout, BigInt(match[1]));
    const fits = parts && parts.slot < table.slots && parts.generation > 0 &&
      (!layout.type || parts.type === typeId);
    return fits ? { table: table.name, slot: parts.slot, generation: parts.generation,
                    fields: match[2] ?? '' } : undefined;
  }).filter(Boolean);
  if (fitting.length > 1) {
    const [{ table, slot, generation }] = fitting;
    const names = fitting.map((each) => each.table).join(' or ');
    throw usage(`${match[1]} may name a record of ${names}. Write ${table}:${slot}@${generation}.`);
  }
  return fitting[0];
}

/** A component is written as a field of its owner: `monsters:42@1.armour.strength`. */
function componentIn(save, record) {
  const owner = save.byName.get(record.table).table.descriptor;
  if (owner.component) return { ...record, owner: owner.ownerName };
  for (const { table } of save.tables) {
    if (table.descriptor.component?.owner !== owner) continue;
    const { fields } = record;
    if (fields === table.name || fields.startsWith(`${table.name}.`)) {
      return { ...record, table: table.name, owner: owner.name,
               fields: fields.slice(table.name.length + 1) };
    }
  }
  return record;
}

const ELEMENT = /\[(\d+|'.*'|".*")\]/s;

/** Follows one record, or all that were in a slot, as hdbinspect does. */
class Follower {
  constructor(record, samples) {
    this.record = record;
    this.samples = samples;
    this.steps = ELEMENT.test(record.fields) ? parsePath(record.fields) : undefined;
    this.isWanted = record.fields && !this.steps ? pathMatcher(record.fields) : undefined;
    this.tenants = new Set();
    this.passedOver = 0;
  }
  handle(generation) {
    const { table, owner, slot } = this.record;
    return `${owner ?? table}:${slot}@${generation}${owner ? `.${table}` : ""}`;
  }

  async look(save, i) {
    const { slot, generation } = this.record;
    const data = save.byName.get(this.record.table);
    const columns = data && this.columnsOf(data.root);
    if (!columns) {
      ++this.passedOver;
      if (!data) {  // without its table, the record does not exist
        this.step(i, 0, false);
        this.samples.endOthers(i, new Set());
      }
      return;
    }
    let tenant = 0;
    let value;
    if (slot < data.table.slots) {
      const number = data.groupOf(slot);
      let group = await data.group(number, []);
      const at = slot - group.firstSlot;
      const row = group.rowOf(slot);
      if (row >= 0) tenant = group.generations[at];
      if (tenant && (!generation || tenant === generation)) {
        group = await data.group(number, columns);
        value = data.table.reader(group)(row);
      }
    }
    this.step(i, tenant, value !== undefined);
    if (tenant) this.tenants.add(tenant);
    if (value !== undefined) this.addValues(data.root, value, i);
    else this.samples.endOthers(i, new Set());
  }

  /** Columns of the fields; undefined if the table has none of them. */
  columnsOf(root) {
    let chains = chainsTo(root, (node) => node.firstColumn < node.endColumn);
    if (this.isWanted) chains = chains.filter(this.isWanted);
    // The first field decides; whether there is the element, the value says.
    if (this.steps) chains = chains.filter(([node]) => node.name === this.steps[0].name);
    const columns = new Set(chains.flatMap(columnsFor));
    if (!this.record.fields) for (let k = root.firstColumn; k < root.endColumn; ++k) columns.add(k);
    return columns.size > 0 || root.children.length === 0 ? [...columns] : undefined;
  }

  addValues(root, value, i) {
    const seen = new Set();
    const { fields } = this.record;
    const of = this.steps ? valueAt(root, value, this.steps) : { node: root, value };
    if (of) {
      forEachLeaf(of.node, of.value, this.steps ? fields : '', (path, node, leaf) => {
        const number = numberOf(node, leaf);
        const text = valueText(node, leaf);
        seen.add(path);
        this.samples.add(path, i, node.kind === 'optional' || number !== undefined,
          Number.isFinite(number) ? number : null,
          text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text);
      });
    }
    this.samples.endOthers(i, seen);
  }

  /** What happened since the save before. */
  step(i, tenant, isThere) {
    const { before, wasThere } = this;
    if (isThere && wasThere && before !== tenant || !isThere && wasThere && tenant ||
        !isThere && !wasThere && this.awaitsReuse && tenant) {
      this.samples.event(i, 'reused', `${this.handle(tenant)} has the slot`);
    } else if (isThere && !wasThere && before !== undefined) {
      this.samples.event(i, 'born', `${this.handle(tenant)} was born`);
    } else if (wasThere && !isThere) {
      this.samples.event(i, 'erased', `${this.handle(before)} was erased`);
    }
    this.awaitsReuse = !isThere && !tenant && (wasThere || this.awaitsReuse);
    this.before = tenant;
    this.wasThere = isThere;
  }

  refuseNothing(what) {
    if (this.samples.history.fields.length > 0) return;
    const { table, owner, slot, fields, generation } = this.record;
    if (fields && this.tenants.size === 0 && this.passedOver)
      throw usage(`${what}: no save has the field ${fields} of ${table}.`);
    const others = [...this.tenants].slice(0, 5).map((each) => this.handle(each)).join(', ');
    const name = generation ? this.handle(generation) : `${owner ?? table}:${slot}`;
    throw usage(`${name} is in none of these saves` +
      (others && !generation ? ` with ${fields}.`
        : `; slot ${slot} ${others ? `held ${others}` : "never held a record"} there.`));
  }
}

const NUMBERS = /^[iuf]\d+$/;

/** A leaf as a number, if it is drawn as one. */
function numberOf(node, value) {
  while (node.kind === 'optional' && value !== null) [node] = node.children;
  if (node.kind === 'enum' ? node.enumNames?.size > 0 : !NUMBERS.test(node.kind)) return undefined;
  return Number(value);
}
