// Two saves, record by record.
import { kLive } from '../reader/columns.js';
import { valueReader } from '../reader/rows.js';
import { areComparable, databaseNotes, tableNotes, tableSchemaChanges } from './compare_tables.js';
import { Damage, damagedCell, isDamage, soundFields } from './damage.js';
import { differenceOf, partsOf } from './differences.js';
import { cellOf } from './fields.js';
import { binsOf } from './slot_survey.js';

export const KINDS = ['changed', 'added', 'removed', 'reused'];

/** What was compared last, for the rows that the page asks for. */
const kept = new Map();

/**
 * @param {import('./save_data.js').SaveData} before
 * @param {import('./save_data.js').SaveData} after
 */
export async function compareSaves(before, after, work) {
  const names = [...new Set([...before.byName.keys(), ...after.byName.keys()])];
  const total = names.reduce((sum, name) => sum + (after.byName.get(name)?.groups ?? 0), 0);
  const state = { done: 0, total };
  const tables = [];
  const found = new Map();
  for (const name of names) {
    const a = before.byName.get(name);
    const b = after.byName.get(name);
    if (!a || !b) {
      tables.push(onlyIn(name, a, b));
      continue;
    }
    const { rows, ...table } = await compareTables(a, b, work, state);
    found.set(name, rows);
    tables.push({ name, before: a.table.live, after: b.table.live, all: rows.slots.length,
                  ...table });
    state.done += b.groups;
  }
  kept.clear();  // the page shows one pair at a time
  for (const [name, rows] of found) kept.set(keyOf(before, after, name), rows);
  const notes = databaseNotes(before.snapshot, after.snapshot);
  const differing = tables.filter(differs);
  const damaged = tables.some(({ damage }) => damage.length > 0);
  const hashesDiffer =
    before.snapshot.storedStateHash !== after.snapshot.storedStateHash;
  return { equal: differing.length === 0 && notes.length === 0 && !hashesDiffer && !damaged,
           differing, hashesDiffer, damaged, notes, tables };
}

/** @param {{all: number}} table of a summary */
export function differs(table) {
  return table.all > 0 || table.before === undefined || table.after === undefined ||
    table.schema.length > 0 || table.notes.length > 0;
}

/** A table that only one of the saves has. */
function onlyIn(name, a, b) {
  return { name, before: a?.table.live, after: b?.table.live, all: 0, changed: 0,
           added: b?.table.live ?? 0, removed: a?.table.live ?? 0, reused: 0, fields: [],
           schema: [], notes: [], bins: [], damage: [] };
}

const keyOf = (before, after, name) => `${before.number} ${after.number} ${name}`;

async function compareTables(a, b, work, state) {
  const slots = Math.max(a.table.slots, b.table.slots);
  const pairs = pairsOf(a, b);
  const bins = binsOf(slots, () => ({ changed: 0, added: 0, removed: 0, reused: 0, same: 0,
                                      at: -1 }));
  const width = bins[0]?.slots ?? 1;
  const rows = { slots: [], kinds: [], from: [], to: [] };
  const fields = new Map();
  const names = new Set();  // of the parts of a record that differ
  const add = (name) => names.add(name);
  const moved = new Tally();
  const vacant = new Tally();
  const damage = new Damage();
  const step = Math.min(a.groupSlots, b.groupSlots);
  for (let first = 0; first < slots; first += step) {
    await work.step(state.done + first / b.groupSlots, state.total);
    const end = Math.min(first + step, slots);
    const sides = await sidesAt(a, b, pairs, first, end, damage);
    if (!sides) continue;
    const { x, y, differ } = sides;
    for (let slot = first; slot < end; ++slot) {
      const hasA = x.isLive(slot);
      const hasB = y.isLive(slot);
      if (!hasA && !hasB) {
        if (x.has(slot) && y.has(slot) && !x.equals(slot, y)) vacant.add(() => (
          `slot ${slot}: ${x.textOf(slot)} -> ${y.textOf(slot)}`));
        continue;
      }
      const from = x.generationOf(slot);
      const to = y.generationOf(slot);
      let kind = !hasB ? 2 : !hasA ? 1 : from !== to ? 3 : -1;
      if (kind < 0) {
        const placeA = x.positions?.[x.row];
        const placeB = y.positions?.[y.row];
        if (x.positions && y.positions && placeA !== placeB) moved.add(() => (
          `${b.table.handleText(slot, to)}: position ${placeA} -> ${placeB}`));
        names.clear();
        for (let i = 0; i < differ.length; ++i) differ[i](x.row, y.row, add);
        if (names.size > 0) kind = 0;
        for (const name of names) fields.set(name, (fields.get(name) ?? 0) + 1);
      }
      if (hasA) ++x.row;
      if (hasB) ++y.row;
      const bin = bins[Math.floor(slot / width)];
      if (kind < 0) {
        ++bin.same;
        continue;
      }
      if (bin.at < 0) bin.at = slot;
      ++bin[KINDS[kind]];
      rows.slots.push(slot);
      rows.kinds.push(kind);
      rows.from.push(hasA ? from : 0);
      rows.to.push(hasB ? to : 0);
    }
  }
  const counts = Object.fromEntries(KINDS.map((kind) => (
    [kind, bins.reduce((sum, bin) => sum + bin[kind], 0)])));
  const notes = [...await tableNotes(a, b),
    ...vacant.note('vacant slots', 'differ in state or generation'),
    ...moved.note('dense order', 'records are at another position')];
  return { ...counts, fields: [...fields].sort((one, other) => other[1] - one[1]), notes,
           schema: await tableSchemaChanges(a, b), bins, damage: damage.list, rows };
}

/** How many, and what the first one is. */
class Tally {
  count = 0;
  add(text) {
    if (this.count++ === 0) this.first = text();
  }
  note(what, text) {
    if (this.count === 0) return [];
    return [{ what, from: '', to: '', detail: `${this.count} ${text}; first ${this.first}` }];
  }
}

const STATES = ['free', 'live', 'retired', 'unissued'];

/** The slots of one save from `first` on, and the row of the next live one. */
class Side {
  constructor(group, first) {
    this.first = group?.firstSlot ?? 0;
    this.states = group?.states ?? [];
    this.generations = group?.generations ?? [];
    this.positions = group?.positions;
    this.row = 0;
    for (let i = 0; i < first - this.first && i < this.states.length; ++i)
      if (this.states[i] === kLive) ++this.row;
  }
  has(slot) { return slot - this.first < this.states.length; }
  isLive(slot) { return this.states[slot - this.first] === kLive; }
  generationOf(slot) { return this.generations[slot - this.first] ?? 0; }
  equals(slot, other) {
    return this.states[slot - this.first] === other.states[slot - other.first] &&
      this.generationOf(slot) === other.generationOf(slot);
  }
  textOf(slot) {
    return `${STATES[this.states[slot - this.first]]} @${this.generationOf(slot)}`;
  }
}

/** Both sides of some slots, or undefined if one of them is damaged. */
async function sidesAt(a, b, pairs, first, end, damage) {
  try {
    const [ga, gb] = await Promise.all([
      groupAt(a, first, pairs.map(({ from }) => from)),
      groupAt(b, first, pairs.map(({ to }) => to))]);
    const differ = [];
    for (const { path, from, to } of pairs) {
      const fault = ga?.faults.get(from) ?? gb?.faults.get(to);
      if (fault) damage.addSlots(first, end - 1, `field ${path}, ${fault}`);
      else if (ga && gb) differ.push(partsOf(from, to, path, ga.group, gb.group));
    }
    return { x: new Side(ga?.group, first), y: new Side(gb?.group, first), differ };
  } catch (error) {
    if (!isDamage(error)) throw error;
    damage.addSlots(first, end - 1, `${error.id}: ${error.what}`);
    return undefined;
  }
}

async function groupAt(data, slot, nodes) {
  if (slot >= data.table.slots) return undefined;
  return soundFields(data, data.groupOf(slot), nodes);
}

/** Fields of both saves whose values can be compared; the schema changes say which cannot. */
function pairsOf(a, b) {
  return a.columns.flatMap(({ path, node }) => {
    const other = b.column(path);
    const isPair = other && (sameType(node, other.node) ||
      (node.kind !== other.node.kind && areComparable(node, other.node)));
    return isPair ? [{ path, from: node, to: other.node }] : [];
  });
}

function sameType(a, b) {
  return a.kind === b.kind && a.count === b.count && a.width === b.width &&
    a.children.length === b.children.length &&
    a.children.every((child, i) => child.name === b.children[i].name &&
      sameType(child, b.children[i]));
}

/** Rows of a comparison; what changed in them is looked up again, so that little is kept. */
export async function changedRows(before, after, name, from, count) {
  const rows = kept.get(keyOf(before, after, name));
  if (!rows) throw { kind: 'usage', message: 'these saves were not the last to be compared' };
  const [a, b] = [before.table(name), after.table(name)];
  const pairs = pairsOf(a, b);
  const damage = new Damage();
  const made = [];
  let sides;
  let group = -1;
  const step = Math.min(a.groupSlots, b.groupSlots);
  for (let i = from; i < Math.min(from + count, rows.slots.length); ++i) {
    const slot = rows.slots[i];
    const mark = KINDS[rows.kinds[i]];
    const row = { slot, mark, handle: b.table.handleText(slot, rows.to[i] || rows.from[i]),
                  what: mark === 'reused' ? `@${rows.from[i]} → @${rows.to[i]}` : '' };
    made.push(row);
    if (mark !== 'changed') continue;
    if (Math.floor(slot / step) !== group) {
      group = Math.floor(slot / step);
      const [ga, gb] = await Promise.all([groupAt(a, slot, pairs.map((pair) => pair.from)),
                                          groupAt(b, slot, pairs.map((pair) => pair.to))]);
      const sound = pairs.filter((pair) => !ga.faults.has(pair.from) && !gb.faults.has(pair.to));
      sides = { ga: ga.group, gb: gb.group, differ: sound.map((pair) => (
        { path: pair.path, at: differenceOf(pair.from, pair.to, ga.group, gb.group) })) };
    }
    const [rowA, rowB] = [sides.ga.rowOf(slot), sides.gb.rowOf(slot)];
    row.what = sides.differ.filter(({ at }) => at(rowA, rowB)).map(({ path }) => path).join(', ');
  }
  return made;
}

/** One record before and after, field by field. */
export async function sidesOf(before, after, name, slot) {
  const sides = await Promise.all([before, after].map(async (save) => {
    const data = save.table(name);
    if (slot >= data.table.slots) return { cells: new Map() };
    const { state, generation } = await data.slot(slot);
    const cells = new Map();
    if (state !== 'live') return { cells };
    const { group, faults } = await groupAt(data, slot, data.columns.map(({ node }) => node));
    const row = group.rowOf(slot);
    for (const { path, node } of data.columns) {
      const read = valueReader(node, group.columns, () => null);
      cells.set(path, faults.has(node) ? damagedCell(faults.get(node))
        : cellOf(node, read(row), save.handleCell));
    }
    await save.settle([...cells.values()]);
    return { cells, title: data.table.handleText(slot, generation) };
  }));
  const [x, y] = sides;
  const paths = new Set([...x.cells.keys(), ...y.cells.keys()]);
  const text = (cell) => (cell === undefined ? undefined : cell.text ?? cell);
  const title = x.title === y.title || !x.title || !y.title ? y.title ?? x.title
    : `${x.title} → ${y.title}`;
  return { title, rows: [...paths].map((path) => ({
    path, before: x.cells.get(path), after: y.cells.get(path),
    differs: text(x.cells.get(path)) !== text(y.cells.get(path)) })) };
}
