// What of a file cannot be read: the page shows what is sound, and says in a line what is not.

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
    const last = Math.min(first + data.groupSlots, data.table.slots) - 1;
    const what = faultText(error);
    const before = this.list.at(-1);
    if (before?.what === what && before.last + 1 >= first) before.last = Math.max(before.last, last);
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
