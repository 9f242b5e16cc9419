// Two saves, record by record.
import { kLive } from '../reader/columns.js';
import { valueReader } from '../reader/rows.js';
import { cellOf } from './fields.js';

/** What was compared last, for the rows that the page asks for. */
const kept = new Map();

/**
 * @param {import('./save_data.js').SaveData} before
 * @param {import('./save_data.js').SaveData} after
 */
export async function compareSaves(before, after, work) {
  const names = [...new Set([...before.byName.keys(), ...after.byName.keys()])];
  const total = names.reduce((sum, name) => sum + (after.byName.get(name)?.groups ?? 1), 0);
  const state = { done: 0, total };
  const notes = [];
  const tables = [];
  for (const name of names) {
    const a = before.byName.get(name);
    const b = after.byName.get(name);
    if (!a || !b) {
      notes.push(`${name} is only in ${(a ? before : after).name}`);
      continue;
    }
    const found = await compareTables(a, b, work, state);
    kept.set(keyOf(before, after, name), found);
    tables.push({
      name, before: a.table.live, after: b.table.live, all: found.rows.length, ...found.counts,
      fields: [...found.fields].sort((x, y) => y[1] - x[1]), notes: found.notes,
    });
  }
  const equal = notes.length === 0 && before.snapshot.storedStateHash ===
    after.snapshot.storedStateHash && tables.every(({ all, notes: own }) => !all && !own.length);
  if (!equal && notes.length === 0 && tables.every(({ all, notes: own }) => !all && !own.length))
    notes.push('all records are equal; the state hashes in the files are not');
  return { equal, notes, tables };
}

const keyOf = (before, after, name) => `${before.number} ${after.number} ${name}`;

async function compareTables(a, b, work, state) {
  const counts = { added: 0, removed: 0, changed: 0, reused: 0 };
  const fields = new Map();
  const rows = [];
  let moved = 0;
  const pairs = pairsOf(a, b);
  const notes = await notesOf(a, b, pairs);
  const slots = Math.max(a.table.slots, b.table.slots);
  const step = Math.min(a.groupSlots, b.groupSlots);
  for (let first = 0; first < slots; first += step) {
    if (first % b.groupSlots === 0) await work.step(state.done++, state.total);
    const [ga, gb] = await Promise.all([groupAt(a, first), groupAt(b, first)]);
    const differ = pairs.map(({ from, to, path }) => (
      { path, at: differenceOf(from, to, ga, gb) }));
    const end = Math.min(first + step, slots);
    for (let slot = first; slot < end; ++slot) {
      const x = at(ga, slot);
      const y = at(gb, slot);
      const kind = kindOf(x, y);
      if (!kind) continue;
      if (kind === 'same') {
        const rowA = ga.rowIndex[slot - ga.firstSlot];
        const rowB = gb.rowIndex[slot - gb.firstSlot];
        if (ga.positions && gb.positions && ga.positions[rowA] !== gb.positions[rowB]) ++moved;
        const paths = [];
        for (const field of differ) if (field.at(rowA, rowB)) paths.push(field.path);
        if (paths.length === 0) continue;
        for (const path of paths) fields.set(path, (fields.get(path) ?? 0) + 1);
        ++counts.changed;
        rows.push({ slot, mark: 'changed', generation: y.generation, what: paths.join(', ') });
      } else {
        ++counts[kind];
        rows.push({ slot, mark: kind, generation: y.live ? y.generation : x.generation,
                    what: kind === 'reused' ? `@${x.generation} → @${y.generation}` : '' });
      }
    }
  }
  if (moved > 0) notes.push(`dense order: ${moved} records are at another position`);
  return { counts, fields, rows, notes };
}

function at(group, slot) {
  const i = slot - (group?.firstSlot ?? 0);
  if (!group || i >= group.slots) return { live: false, generation: 0 };
  return { live: group.states[i] === kLive, generation: group.generations[i] };
}

function kindOf(x, y) {
  if (x.live && y.live) return x.generation === y.generation ? 'same' : 'reused';
  return x.live ? 'removed' : y.live ? 'added' : undefined;
}

async function groupAt(data, slot) {
  if (slot >= data.table.slots) return undefined;
  const group = await data.group(data.groupOf(slot),
    Array.from({ length: data.root.endColumn }, (_, i) => i));
  if (!Object.hasOwn(group, 'rowIndex')) {
    group.rowIndex = new Uint32Array(group.slots);
    group.rows.forEach((each, row) => { group.rowIndex[each - group.firstSlot] = row; });
  }
  return group;
}

/** Fields of both saves with equal types; others are in the notes. */
function pairsOf(a, b) {
  return a.columns.flatMap(({ path, node }) => {
    const other = b.column(path);
    const isPair = other && (sameType(node, other.node) || areNumbers(node, other.node));
    return isPair ? [{ path, from: node, to: other.node }] : [];
  });
}

function sameType(a, b) {
  return a.kind === b.kind && a.count === b.count && a.width === b.width &&
    a.children.length === b.children.length &&
    a.children.every((child, i) => child.name === b.children[i].name &&
      sameType(child, b.children[i]));
}

/** Numbers of two types can be compared by their values. */
function areNumbers(a, b) {
  return [a, b].every(({ kind }) => /^[iuf]\d+$/.test(kind));
}

async function notesOf(a, b, pairs) {
  const notes = [];
  const paired = new Set(pairs.map(({ path }) => path));
  for (const [data, other, word] of [[a, b, 'gone'], [b, a, 'new']]) {
    for (const { path } of data.columns) {
      if (paired.has(path)) continue;
      if (!other.column(path)) notes.push(`the field ${path} is ${word}`);
      else if (word === 'new') notes.push(`the field ${path} has another type`);
    }
  }
  const [x, y] = [a.table.descriptor, b.table.descriptor];
  if (x.highestGeneration !== y.highestGeneration)
    notes.push(`highest generation ${x.highestGeneration} → ${y.highestGeneration}`);
  if (x.counter !== y.counter) notes.push(`counter ${x.counter} → ${y.counter}`);
  const [listA, listB] = await Promise.all([a, b].map(({ table }) =>
    (table.descriptor.component ? table.holes() : table.freeList())));
  if (listA.length !== listB.length || listA.some((slot, i) => slot !== listB[i]))
    notes.push(`free list: ${listA.length} → ${listB.length} slots`);
  for (const name of ['storage', 'freePolicy', 'generationPolicy', 'overflow', 'singleton'])
    if (x[name] !== y[name]) notes.push(`${name}: ${x[name]} → ${y[name]}`);
  return notes;
}

/**
 * Whether value i of a node in one group differs from value k in another one, bit by bit.
 * @returns {(i: number, k: number) => boolean}
 */
function differenceOf(from, to, ga, gb) {
  if (!ga || !gb) return () => false;
  const a = ga.columns[from.firstColumn];
  const b = gb.columns[to.firstColumn];
  const inner = () => from.children.map((child, n) => differenceOf(child, to.children[n], ga, gb));
  switch (from.kind) {
    case 'struct': {
      const parts = inner();
      return (i, k) => parts.some((part) => part(i, k));
    }
    case 'array': {
      const [part] = inner();
      return (i, k) => {
        for (let n = 0; n < from.count; ++n)
          if (part(i * from.count + n, k * from.count + n)) return true;
        return false;
      };
    }
    case 'list':
    case 'map': {
      const parts = inner();
      return (i, k) => {
        const size = a.offsets[i + 1] - a.offsets[i];
        if (size !== b.offsets[k + 1] - b.offsets[k]) return true;
        for (let n = 0; n < size; ++n)
          if (parts.some((part) => part(a.offsets[i] + n, b.offsets[k] + n))) return true;
        return false;
      };
    }
    case 'optional': {
      const [part] = inner();
      return (i, k) => {
        const has = (a.bytes[i >> 3] >> (i & 7)) & 1;
        if (has !== ((b.bytes[k >> 3] >> (k & 7)) & 1)) return true;
        return has === 1 && part(a.ranks[i], b.ranks[k]);
      };
    }
    case 'variant': {
      const parts = inner();
      return (i, k) => a.bytes[i] !== b.bytes[k] || parts[a.bytes[i]](a.ranks[i], b.ranks[k]);
    }
    case 'string':
    case 'opaque': {
      const x = ga.columns[from.firstColumn + 1].bytes;
      const y = gb.columns[to.firstColumn + 1].bytes;
      return (i, k) => {
        const size = a.offsets[i + 1] - a.offsets[i];
        if (size !== b.offsets[k + 1] - b.offsets[k]) return true;
        for (let n = 0; n < size; ++n)
          if (x[a.offsets[i] + n] !== y[b.offsets[k] + n]) return true;
        return false;
      };
    }
    default: {
      if (from.kind !== to.kind) return (i, k) => a.values[i] != b.values[k];
      const x = wholeNumbers(a.bytes, from.width);
      const y = wholeNumbers(b.bytes, from.width);
      return (i, k) => x[i] !== y[k];
    }
  }
}

function wholeNumbers(bytes, width) {
  const type = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array }[width];
  return new type(bytes.buffer, bytes.byteOffset, bytes.length / width);
}

export function changedRows(before, after, name, from, count) {
  const { rows } = kept.get(keyOf(before, after, name));
  const { table } = after.table(name);
  return rows.slice(from, from + count).map((row) => (
    { ...row, handle: table.handleText(row.slot, row.generation) }));
}

/** One record before and after, field by field. */
export async function sidesOf(before, after, name, slot) {
  const sides = await Promise.all([before, after].map(async (save) => {
    const data = save.table(name);
    if (slot >= data.table.slots) return { data, cells: new Map() };
    const { state, generation } = await data.slot(slot);
    const cells = new Map();
    if (state !== 'live') return { data, cells };
    const group = await groupAt(data, slot);
    const row = group.rowOf(slot);
    for (const { path, node } of data.columns) {
      const read = valueReader(node, group.columns, () => null);
      cells.set(path, cellOf(node, read(row), save.handleCell));
    }
    await save.settle([...cells.values()]);
    return { data, cells, title: data.table.handleText(slot, generation) };
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
