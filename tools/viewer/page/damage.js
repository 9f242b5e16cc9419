// What of a file cannot be read: the page shows what is sound, and says in a line what is not.
import { columnsOfNodes } from './fields.js';

/** Errors that are about the bytes of the file: what is beside them may still be sound. */
const OF_CONTENT = new Set(['corrupt', 'newer', 'limit']);

/** @param {any} error */
export function isDamage(error) {
  return Boolean(error?.code) && OF_CONTENT.has(error.kind);
}

/** "HDB-E0231: the hash of a chunk does not match" @param {any} error */
export function faultText(error) {
  return `${error.id}: ${error.what}`;
}

/**
 * Slots that could not be read, as the page shows them.
 * @typedef {object} DamagedSlots
 * @property {number} first
 * @property {number} last
 * @property {string} what the error
 */

/** Gathers the damaged groups of a table; those beside each other with one error are one. */
export class Damage {
  /** @type {DamagedSlots[]} */
  list = [];

  /** @param {import('./table_data.js').TableData} data @param {number} number of a group */
  add(data, number, error) {
    const first = number * data.groupSlots;
    this.addSlots(first, Math.min(first + data.groupSlots, data.table.slots) - 1,
      faultText(error));
  }

  addSlots(first, last, what) {
    const before = this.list.findLast((each) => each.what === what);
    if (before?.last === first - 1) before.last = last;
    else this.list.push({ first, last, what });
  }
}

/**
 * A row group, or undefined if it is damaged, which `damage` then knows.
 * @param {import('./table_data.js').TableData} data
 * @param {number} number
 * @param {number[]} columns
 * @param {Damage} damage
 */
export async function soundGroup(data, number, columns, damage) {
  try {
    return await data.group(number, columns);
  } catch (error) {
    if (!isDamage(error)) throw error;
    damage.add(data, number, error);
    return undefined;
  }
}

/**
 * A row group with the fields that are sound, and what is wrong with the others. Throws if not even
 * its slots can be read.
 * @param {import('./table_data.js').TableData} data
 * @param {number} number
 * @param {import('../reader/schema.js').Node[]} nodes
 * @returns {Promise<{group: import('../reader/columns.js').RowGroup, faults: Map<any, string>}>}
 */
export async function soundFields(data, number, nodes) {
  const faults = new Map();
  try {
    return { group: await data.group(number, columnsOfNodes(nodes)), faults };
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  const group = await data.group(number, []);
  for (const node of nodes) {
    try {
      const { columns } = await data.group(number, columnsOfNodes([node]));
      columns.forEach((column, i) => { group.columns[i] = column; });
    } catch (error) {
      if (!isDamage(error)) throw error;
      faults.set(node, faultText(error));
    }
  }
  return { group, faults };
}

/** A cell of a field that cannot be read. @param {string} fault */
export function damagedCell(fault) {
  return { kind: 'damaged', text: 'unreadable', title: fault };
}

/**
 * Adds the fields of rows that cannot be read to a list of damaged slots; the same list if all are
 * known.
 * @param {DamagedSlots[]} list
 * @param {{cells: any[]}[]} rows
 * @param {string[]} paths of the cells
 */
export function withDamagedFields(list, rows, paths) {
  const more = [];
  for (const { slots, cells } of rows) {
    cells.forEach((cell, i) => {
      if (cell?.kind !== 'damaged') return;
      const what = `field ${paths[i]}, ${cell.title}`;
      const isKnown = [...list, ...more].some((each) =>
        each.first === slots[0] && each.what === what);
      if (!isKnown) more.push({ first: slots[0], last: slots[1], what });
    });
  }
  return more.length > 0 ? [...list, ...more].sort((a, b) => a.first - b.first) : list;
}
