// One record as a tree for the page.
import { bitsOf, foreignText } from '../reader/handles.js';
import { nameInPath } from '../reader/references.js';
import { editOf } from './edit_text.js';
import { isDamage, soundFields } from './damage.js';
import { cellOf } from './fields.js';

const MOST_CHILDREN = 100;
const PARTS = new Set(['struct', 'array', 'list', 'map']);

/** @param {import('./table_data.js').TableData} data @param {number} slot */
export async function recordTree(data, slot) {
  const { table, save } = data;
  if (!(slot >= 0 && slot < table.slots))
    throw { kind: 'usage', message: `${table.name} has no slot ${slot}` };
  const { state, generation, position } = await data.slot(slot);
  const { layout, typeId, component } = table.descriptor;
  const record = {
    slot, generation, state, position, handle: table.handleText(slot, generation),
    bits: component ? ''
      : foreignText(layout, bitsOf(layout, typeId, BigInt(slot), BigInt(generation))),
  };
  if (state !== 'live') return record;
  const { group, faults } = await soundFields(data, data.groupOf(slot), data.root.children);
  const root = { ...data.root, children: data.root.children.filter((node) => !faults.has(node)) };
  const fields = table.reader(group, root)(group.rowOf(slot));
  record.fields = await settled(save, partsOf(save, root, fields, '', 0, []));
  record.damage = [...faults].map(([{ name }, fault]) => ({ name, fault }));
  record.components = [];
  for (const other of save.tables) {
    if (other.table.descriptor.component?.owner !== table.descriptor) continue;
    record.components.push({ table: other.table.name, slot, isThere: await isLive(other, slot) });
  }
  return record;
}

/** Damaged slots count as live: nothing can be put there. */
async function isLive(data, slot) {
  try {
    return (await data.slot(slot)).state === 'live';
  } catch (error) {
    if (!isDamage(error)) throw error;
    return true;
  }
}

/** More elements of a long list. */
export async function children(data, slot, path, from) {
  const { group } = await soundFields(data, data.groupOf(slot), data.root.children);
  const fields = data.table.reader(group)(group.rowOf(slot));
  const find = (node, value, at, steps) => {
    if (at === path) return { node, value, steps };
    for (const part of namedParts(node, value, at, 0, Infinity, steps)) {
      const isAbove = path.startsWith(part.path) && /^[.[<]/.test(path.slice(part.path.length));
      if (path === part.path || isAbove)
        return find(part.node, part.value, part.path, part.steps);
    }
    return undefined;
  };
  const { node, value, steps } = find(data.root, fields, '', []);
  return settled(data.save, partsOf(data.save, node, value, path, from, steps));
}

/**
 * The parts of a value, of what an optional or a variant holds; `steps` is the path for edits.
 * @returns {{name: string, path: string, steps: (string|number)[], node: any, value: any}[]}
 */
function namedParts(node, value, path, from, count, steps = []) {
  if (node.kind === 'optional' && value !== null)
    return namedParts(node.children[0], value, path, from, count, steps);
  if (node.kind === 'variant') {
    const inner = node.children[value.index];
    return namedParts(inner, value.value, `${path}<${value.index}>`, from, count, steps);
  }
  if (node.kind === 'struct') {
    return node.children.slice(from, from + count).map((child) => {
      const name = nameInPath(child.name);
      return { name: child.name, path: path ? `${path}.${name}` : name,
               steps: [...steps, child.name], node: child, value: value[child.name] };
    });
  }
  if (node.kind === 'array' || node.kind === 'list') {
    return value.slice(from, from + count).map((part, i) => ({
      name: `[${from + i}]`, path: `${path}[${from + i}]`, steps: [...steps, from + i],
      node: node.children[0], value: part }));
  }
  if (node.kind === 'map') {
    const [key, inner] = node.children;
    return value.slice(from, from + count).map(([k, part], i) => {
      const cell = cellOf(key, k, (_node, bits) => ({ text: String(bits) }));
      return { name: typeof cell === 'string' ? cell : cell.text,
               path: `${path}[${from + i}].value`, steps: [...steps, from + i], node: inner,
               value: part };
    });
  }
  return [];
}

function partsOf(save, node, value, path, from, steps) {
  return namedParts(node, value, path, from, MOST_CHILDREN, steps).map((part) => {
    const inner = innermost(part.node, part.value);
    const shown = { name: part.name, path: part.path, steps: part.steps, kind: part.node.kind,
                    cell: cellOf(part.node, part.value, save.handleCell) };
    if (!PARTS.has(inner.node.kind)) {
      if (save.snapshot.rewritable) shown.edit = editOf(part.node, part.value);
      return shown;
    }
    shown.count = inner.node.kind === 'struct' ? inner.node.children.length : inner.value.length;
    shown.children = partsOf(save, part.node, part.value, part.path, 0, part.steps);
    const unit = { struct: 'field', map: 'pair' }[inner.node.kind] ?? 'element';
    shown.cell = `${inner.prefix}${shown.count} ${unit}${shown.count === 1 ? "" : "s"}`;
    return shown;
  });
}

function innermost(node, value, prefix = '') {
  if (node.kind === 'optional' && value !== null)
    return innermost(node.children[0], value, prefix);
  if (node.kind === 'variant')
    return innermost(node.children[value.index], value.value,
                     `${prefix}${value.name || `<${value.index}>`}, `);
  return { node, value, prefix };
}

async function settled(save, parts) {
  await save.settle(parts.map(({ cell }) => cell));
  for (const part of parts) if (part.children) await settled(save, part.children);
  return parts;
}
