// Who names a record: handles of all tables, followed backward.

import { splitHalves } from './handles.js';
import { Work } from './work.js';

/** @typedef {import('./schema.js').Node} Node */
/** @typedef {import('./table.js').Table} Table */
/** @typedef {import('./columns.js').RowGroup} RowGroup */

/**
 * @typedef {object} Reference
 * @property {Table} table
 * @property {number} slot of the record that has the handle
 * @property {number} generation
 * @property {string} path of the handle: `party[2]`
 */

/** @typedef {(table: Table, group: number, error: any) => void} OnFault may throw it */

/** The nodes from the root to a node, with both. @param {Node} root @param {Node} node */
function chainTo(root, node) {
  const chain = [root];
  for (let at = root; at !== node;) {
    const next = at.children.find((child) => child === node ||
      (child.firstColumn <= node.firstColumn && node.firstColumn < child.endColumn));
    if (!next) break;
    chain.push(at = next);
  }
  return chain;
}

/**
 * How many of the numbers are at most `limit`.
 * @param {ArrayLike<number>} numbers rising
 * @param {number} limit
 */
function countUpTo(numbers, limit) {
  let low = 0;
  for (let high = numbers.length; low < high;) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A name as hdbinspect writes it in paths. @param {string} name */
export function nameInPath(name) {
  return /^[\p{L}_#@$][\p{L}\p{N}_#@$]*$/u.test(name) ? name : `\`${name}\``;
}

/**
 * Finds the row that a value of a nested node is in, and its path there: `items[2].name`.
 * @param {RowGroup} group
 * @param {Node[]} chain from the root to the node
 * @returns {(i: number) => {row: number, path: string}}
 */
export function placeFinder(group, chain) {
  const steps = chain.slice(0, -1).map((node, k) => stepUp(group, node, chain[k + 1])).reverse();
  return (i) => {
    let path = '';
    for (const step of steps) {
      const [at, text] = step(i);
      path = text + path;
      i = at;
    }
    return { row: i, path: path.replace(/^\./, '') };
  };
}

/**
 * From values of a child to those of its node, and how a path goes from there to the child.
 * @param {RowGroup} group
 * @param {Node} node
 * @param {Node} child
 * @returns {(i: number) => [number, string]}
 */
function stepUp(group, { kind, count, firstColumn, children }, child) {
  const { offsets = [], ranks = [], bytes = [] } = group.columns[firstColumn] ?? {};
  switch (kind) {
    case 'array': return (i) => [Math.floor(i / count), `[${i % count}]`];
    case 'list':
    case 'map': {
      const side = kind === 'list' ? '' : child === children[0] ? '.key' : '.value';
      return (i) => {
        const owner = countUpTo(offsets, i) - 1;
        return [owner, `[${i - offsets[owner]}]${side}`];
      };
    }
    // Of the values with this rank, the last one is present.
    case 'optional': return (i) => [countUpTo(ranks, i) - 1, ''];
    case 'variant': {
      const tag = children.indexOf(child);
      const selected = Uint32Array.from(ranks.keys()).filter((at) => bytes[at] === tag);
      return (i) => [selected[i], `<${tag}>`];
    }
    default: {
      const name = `.${nameInPath(child.name)}`;
      return (i) => [i, name];
    }
  }
}

/**
 * @param {import('./snapshot.js').Snapshot} snapshot
 * @param {Table} target
 * @param {number} slot
 * @param {number} generation
 * @param {import('./work.js').WorkOptions & {onFault?: OnFault}} options onFault: row groups that
 *   cannot be read are left out, after a call of it
 * @returns {AsyncGenerator<Reference>}
 */
export async function* referencesTo(snapshot, target, slot, generation, options) {
  const typeId = target.descriptor.typeId;
  const fields = snapshot.tables.map((table) => ({ table, found: table.schemaColumns.filter(
    ({ node }) => node.kind === 'handle' && snapshot.targetOf(node, typeId) === target) }));
  const work = new Work(options, fields.reduce((sum, { table }) => sum + table.groups, 0));
  const parts = { slot: 0, generation: 0, type: 0 };
  for (const { table, found } of fields) {
    for (let k = 0; k < table.groups; ++k) {
      await work.step();
      if (found.length === 0) continue;
      const columns = found.map(({ number }) => number);
      const group = await table.group(k, { columns }).catch((error) => {
        if (!options.onFault) throw error;
        options.onFault(table, k, error);
      });
      if (!group) continue;
      for (const { number, node } of found) {
        const { layout, width } = node;
        const bytes = group.columns[number]?.bytes;
        if (!layout || !bytes) continue;
        const placeOf = placeFinder(group, chainTo(table.root, node));
        const view = new DataView(bytes.buffer);
        for (let at = 0; at < bytes.length; at += width) {
          const low = width === 2 ? view.getUint16(at, true) : view.getUint32(at, true);
          const high = width === 8 ? view.getUint32(at + 4, true) : 0;
          if (!splitHalves(layout, low, high, parts) || parts.slot !== slot ||
              parts.generation !== generation || parts.type !== typeId) continue;
          const { row, path } = placeOf(at / width);
          const of = group.rows[row];
          yield { table, slot: of, generation: group.generations[of - group.firstSlot], path };
        }
      }
    }
  }
}
