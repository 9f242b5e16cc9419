// What differs between two tables besides their records: schemas, policies, counters, free lists.
// In the words of hdbinspect diff.
import { nameInPath } from '../reader/references.js';
import { Damage, faultText, isDamage, soundGroup } from './damage.js';
import { cellOf } from './fields.js';

/** @typedef {import('../reader/schema.js').Node} Node */

/**
 * @typedef {object} SchemaChange
 * @property {'+'|'-'|'~'} mark
 * @property {string} path
 * @property {string} from a type, empty of a new field
 * @property {string} to
 * @property {boolean} [compared] false: the values of two types cannot be compared
 * @property {string} [value] of a new field in all records
 */

/**
 * @typedef {object} Note
 * @property {string} what
 * @property {string} from
 * @property {string} to
 * @property {string} detail
 */

/** A type in one line: list<string>, {x: f32, y: f32}. @param {Node} node @returns {string} */
export function typeText({ kind, count, strong, table, children }) {
  const inner = children.map(typeText);
  switch (kind) {
    case 'array': return `array<${inner[0]}, ${count}>`;
    case 'enum':
    case 'list':
    case 'optional':
    case 'map':
    case 'variant': return `${kind}<${inner.join(', ')}>`;
    case 'handle': return `${strong ? 'strong' : 'handle'}<${table || '?'}>`;
    case 'struct': return `{${children.map(({ name }, i) => `${name}: ${inner[i]}`).join(', ')}}`;
    default: return kind;
  }
}

const layoutText = ({ index, generation, type }) =>
  `<${index},${generation}${type ? `,${type}` : ''}>`;

/** What a type is besides its children: two fields that differ only here still differ. */
function ownText(node) {
  switch (node.kind) {
    case 'struct': return node.version === undefined ? 'no version' : `version ${node.version}`;
    case 'string': return node.utf8 ? 'string (UTF-8)' : 'string (any bytes)';
    case 'array': return `array of ${node.count}`;
    case 'handle': return `${typeText(node)} ${layoutText(node.layout)}`;
    case 'enum': {
      const names = [...node.enumNames ?? []].map(([number, name]) => `${name} ${number}`);
      return names.length ? `enum {${names.join(', ')}}` : 'enum without names';
    }
    default: return '';
  }
}

/** Whether values of two types are compared by what they are. */
export function areComparable(a, b) {
  const both = (expression) => expression.test(a.kind) && expression.test(b.kind);
  return a.kind === b.kind || both(/^[iu]\d+$/) || both(/^f\d+$/);
}

/** @param {Node} a @param {Node} b the roots @returns {SchemaChange[]} */
export function schemaChanges(a, b) {
  const changes = [];
  const add = (mark, path, from, to) => changes.push({ mark, path, from, to });
  const joined = (path, name) => (path ? `${path}.${nameInPath(name)}` : nameInPath(name));
  const compare = (x, y, path) => {
    if (x.kind !== y.kind) {
      add('~', path, typeText(x), typeText(y));
      if (!areComparable(x, y)) changes.at(-1).compared = false;
      return;
    }
    if (ownText(x) !== ownText(y)) add('~', path, ownText(x), ownText(y));
    if (x.kind === 'struct') return compareStructs(x, y, path);
    if (x.children.length !== y.children.length)
      return add('~', path, typeText(x), typeText(y));
    x.children.forEach((child, i) => {
      const step = { enum: '', optional: '?', variant: `<${i}>`,
                     map: i === 0 ? '[].key' : '[].value' }[x.kind] ?? '[]';
      compare(child, y.children[i], path + step);
    });
  };
  const compareStructs = (x, y, path) => {
    const others = new Map(y.children.map((child) => [child.name, child]));
    const common = [];
    for (const child of x.children) {
      const other = others.get(child.name);
      if (!other) {
        add('-', joined(path, child.name), typeText(child), '');
        continue;
      }
      common.push(child.name);
      compare(child, other, joined(path, child.name));
    }
    const known = new Set(x.children.map(({ name }) => name));
    for (const child of y.children)
      if (!known.has(child.name)) add('+', joined(path, child.name), '', typeText(child));
    const order = y.children.map(({ name }) => name).filter((name) => known.has(name));
    if (order.some((name, i) => name !== common[i]))
      add('~', path, 'order of fields', 'fields in another order');
  };
  compare(a, b, '');
  return changes;
}

/** The value of a new field if all records have the same one, as a default of an update has. */
async function constantValue(data, path) {
  const { node } = data.column(path) ?? {};
  if (!node || node.width === 0 || node.endColumn !== node.firstColumn + 1) return '';
  let first;
  for (let k = 0; k < data.groups; ++k) {
    const group = await soundGroup(data, k, [node.firstColumn], new Damage());
    const values = group?.columns[node.firstColumn]?.values ?? [];
    for (let i = 0; i < values.length; ++i)
      if (values[i] !== (first ??= values[i])) return '';
  }
  if (first === undefined) return '';
  const value = node.kind === 'handle' ? { bits: BigInt(first) } : first;
  const cell = cellOf(node, value, data.save.handleCell);
  return cell.text ?? cell;
}

/** The changes of the schemas of two tables, with what new fields hold. */
export async function tableSchemaChanges(a, b) {
  const changes = schemaChanges(a.root, b.root);
  for (const change of changes) {
    if (change.mark !== '+') continue;
    const value = await constantValue(b, change.path);
    if (value) change.value = value;
  }
  return changes;
}

const WORDS = { perSlot: 'per_slot', counter: 'table_counter', ignoreCase: 'ignore_case',
                inPlace: 'in_place', atRelease: 'at_release', onDemand: 'on_demand' };
const word = (value) => WORDS[value] ?? String(value);

function blobsText(blobs) {
  if (!blobs) return 'none';
  return `${blobs.capacity} bytes aligned to ${blobs.alignment}, compacted ` +
    word(blobs.compaction);
}

/** @returns {Promise<Note[]>} of two tables */
export async function tableNotes(a, b) {
  const notes = [];
  const note = (what, from, to) => {
    if (from !== to) notes.push({ what, from, to, detail: '' });
  };
  const [x, y] = [a.table.descriptor, b.table.descriptor];
  const areComponents = Boolean(x.component && y.component);
  note('storage', x.storage, y.storage);
  note('layout', layoutText(x.layout), layoutText(y.layout));
  note('free list policy', x.freePolicy, y.freePolicy);
  note('generations', word(x.generationPolicy), word(y.generationPolicy));
  note('overflow', x.overflow, y.overflow);
  note('type id', `${x.typeId}`, `${y.typeId}`);
  note('singleton', `${x.singleton}`, `${y.singleton}`);
  note('hashed', `${x.hashed}`, `${y.hashed}`);
  note('component of', x.ownerName, y.ownerName);
  note('removal', word(x.component?.removal ?? 'swap'), word(y.component?.removal ?? 'swap'));
  if (!areComponents) note('slots', `${x.slots}`, `${y.slots}`);
  note('retired slots', `${x.retired}`, `${y.retired}`);
  note('counter', `${x.counter}`, `${y.counter}`);
  if (!areComponents)
    note('highest generation', `${x.highestGeneration}`, `${y.highestGeneration}`);
  note('names', word(x.names), word(y.names));
  note('blobs', blobsText(x.blobs), blobsText(y.blobs));
  note('flush cursor', `${x.flushCursor}`, `${y.flushCursor}`);
  try {
    const lists = await Promise.all([a, b].map(({ table }) =>
      (table.descriptor.component ? table.holes() : table.freeList())));
    notes.push(...listNote(lists, areComponents));
  } catch (error) {
    if (!isDamage(error)) throw error;
    notes.push({ what: 'free list', from: '', to: '',
                 detail: `cannot be compared: ${faultText(error)}` });
  }
  return notes;
}

function listNote([a, b], areHoles) {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) ++at;
  if (at === a.length && at === b.length) return [];
  const unit = areHoles ? 'position' : 'slot';
  const entry = (list) => (at === list.length ? 'the end' : `${unit} ${list[at]}`);
  return [{ what: areHoles ? 'holes' : 'free list', from: `${a.length}`, to: `${b.length}`,
            detail: `first difference at entry ${at}: ${entry(a)} -> ${entry(b)}` }];
}

/** @returns {Note[]} of two saves, besides their tables */
export function databaseNotes(a, b) {
  const notes = [];
  const [x, y] = [a.catalog.highestTypeId, b.catalog.highestTypeId];
  if (x !== y) notes.push({ what: 'highest type id', from: `${x}`, to: `${y}`, detail: '' });
  const add = (what, before, after) => {
    const spaces = new Map();
    for (const space of before) spaces.set(spaceText(space), [space, undefined]);
    for (const space of after)
      spaces.set(spaceText(space), [spaces.get(spaceText(space))?.[0], space]);
    for (const [space, [from, to]] of spaces) {
      const text = issuedText(from, to);
      if (text) notes.push({ what, from: '', to: '', detail: `${space}: ${text}` });
    }
  };
  add('handles of dropped tables', a.dropped, b.dropped);
  add('handles of unhashed dropped tables', a.unhashedDropped, b.unhashedDropped);
  return notes;
}

function spaceText({ typeId, name, layout }) {
  if (typeId !== 0) return `type id ${typeId} ${layoutText(layout)}`;
  const table = name.startsWith('\0') ? name.slice(1) : '';
  if (table) return `handles of table '${table}' ${layoutText(layout)}`;
  return `${name ? `handles of '${name}'` : 'handles of a type without a name'} ` +
    layoutText(layout);
}

function issuedText(from, to) {
  if (!to) return 'only before';
  if (!from) return 'only now';
  if (from.highest !== to.highest) return `highest generation ${from.highest} -> ${to.highest}`;
  if (from.floor !== to.floor) return `floor ${from.floor} -> ${to.floor}`;
  return from.slots === to.slots ? '' : 'generations of slots';
}
