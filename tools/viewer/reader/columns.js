// FORMAT.md, section 5.1: the columns of a row group, their grammar, and slots by state.

import { HdbError } from './errors.js';
import { kMaxSum } from './limits.js';
import { areTexts } from './wire.js';

/** @typedef {import('./catalog.js').Descriptor} Descriptor */
/** @typedef {import('./schema.js').Node} Node */
/** @typedef {import('./errors.js').Place} Place */

export const kFree = 0;
export const kLive = 1;
export const kRetired = 2;
export const kUnissued = 3;

/** @typedef {Uint8Array|Int8Array|Uint16Array|Int16Array|Uint32Array|Int32Array|Float32Array|
 *   Float64Array|BigInt64Array|BigUint64Array} Values */

/**
 * A decoded column; which fields it has depends on its form.
 * @typedef {object} Decoded
 * @property {Uint8Array} bytes as they are stored, before filters
 * @property {Values} [values] of the form values
 * @property {Uint32Array|Float64Array} [offsets] of lengths: value i is [offsets[i], offsets[i+1])
 *   of what follows
 * @property {Uint32Array} [ranks] of presence and tags: the index of value i in the child
 */

/**
 * Where the columns of a group come from: blocks, or a pack. Numbers are those of row groups.
 * @typedef {object} ColumnSource
 * @property {(column: number) => number} size
 * @property {(column: number) => Promise<Uint8Array>} load
 * @property {Place} where
 */

/** Counts the memory of what is decoded. */
export class Budget {
  /** @param {number} most */
  constructor(most) {
    this.left = most;
    this.most = most;
  }

  /** @param {number} size @param {Place} where */
  take(size, where) {
    this.left -= size;
    if (this.left >= 0) return;
    throw new HdbError('memory_budget', `this takes more than ${this.most} bytes of memory`, where);
  }
}

/** A decoded row group. */
export class RowGroup {
  /**
   * @param {Descriptor} table
   * @param {number} number
   */
  constructor(table, number) {
    this.number = number;
    this.firstSlot = number * 2 ** table.groupShift;
    this.slots = Math.min(2 ** table.groupShift, table.slots - this.firstSlot);
    /** @type {Uint8Array} */
    this.states = new Uint8Array(0);
    /** @type {Uint32Array} */
    this.generations = new Uint32Array(0);
    /** @type {Uint32Array|null} */
    this.positions = null;
    this.live = 0;
    /** By the number of the column in the schema; without those that were not wanted. */
    this.columns = /** @type {(Decoded|undefined)[]} */ ([]);
    /** Slots by state. */
    this.counts = [0, 0, 0, 0];
    /** @type {Uint32Array|undefined} */
    this.slotsOfRows = undefined;
  }

  /** The slot of each row, a live slot: row i is value i of the fields of the root. */
  get rows() {
    if (!this.slotsOfRows) {
      this.slotsOfRows = new Uint32Array(this.live);
      for (let i = 0, row = 0; i < this.slots; ++i) {
        if (this.states[i] === kLive) this.slotsOfRows[row++] = this.firstSlot + i;
      }
    }
    return this.slotsOfRows;
  }

  /**
   * The row of a slot; -1 if it is not live.
   * @param {number} slot
   */
  rowOf(slot) {
    if (this.states[slot - this.firstSlot] !== kLive) return -1;
    let low = 0;
    let high = this.rows.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.rows[middle] <= slot) low = middle;
      else high = middle;
    }
    return low;
  }
}

/**
 * @param {Descriptor} table
 * @param {number} number of the group
 * @param {ColumnSource} source
 * @param {Set<number>|undefined} wanted columns of the schema; undefined: all
 * @param {Budget} budget
 */
export async function decodeGroup(table, number, source, wanted, budget) {
  const group = new RowGroup(table, number);
  const { where } = source;
  group.states = await load(source, 0, group.slots, budget);
  const generations = await load(source, 1, group.slots * 4, budget);
  group.generations = new Uint32Array(generations.buffer);
  checkSlots(table, group, where);
  group.live = group.counts[kLive];
  if (table.storage === 'dense') {
    group.positions = new Uint32Array((await load(source, 2, group.live * 4, budget)).buffer);
  }
  await new Grammar(group, source, wanted, budget).take(table.schema.root, group.live);
  return group;
}

/**
 * @param {ColumnSource} source
 * @param {number} column
 * @param {number} size that the numbers of values ask for
 * @param {Budget} budget
 */
async function load(source, column, size, budget) {
  const { where } = source;
  if (source.size(column) !== size) {
    throw new HdbError('bad_lengths', `${source.size(column)} bytes are stored, ${size} are ` +
      'expected', { ...where, column });
  }
  budget.take(size, where);
  const bytes = await source.load(column);
  // Typed arrays need a buffer of their own, and nothing keeps the bytes of the whole block.
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}

/**
 * @param {Descriptor} table
 * @param {RowGroup} group
 * @param {Place} where
 */
function checkSlots(table, group, where) {
  const { highestGeneration: highest, layout: { lastGeneration } } = table;
  const mostFree = table.generationPolicy === 'perSlot' && table.overflow === 'retire'
    ? Math.min(highest, lastGeneration - 1) : highest;
  const least = [1, 1, lastGeneration, 0];
  const most = [mostFree, highest, lastGeneration, 0];
  const { states, generations, counts } = group;
  for (let i = 0; i < states.length; ++i) {
    const state = states[i];
    const generation = generations[i];
    if (state > kUnissued || generation < least[state] || generation > most[state]) {
      throw new HdbError('bad_slots', `slot ${group.firstSlot + i} has state ${state} and ` +
        `generation ${generation}`, where);
    }
    ++counts[state];
  }
  const all = [table.free, table.live, table.retired, table.unissued];
  if (counts.some((count, state) => count > all[state])) {
    throw new HdbError('bad_slots', 'a group has more slots of a state than its table', where);
  }
}

class Grammar {
  /**
   * @param {RowGroup} group
   * @param {ColumnSource} source
   * @param {Set<number>|undefined} wanted
   * @param {Budget} budget
   */
  constructor(group, source, wanted, budget) {
    this.group = group;
    this.source = source;
    this.wanted = wanted;
    this.budget = budget;
  }

  /** @param {Node} node */
  isWanted({ firstColumn, endColumn }) {
    if (!this.wanted) return true;
    for (let i = firstColumn; i < endColumn; ++i) if (this.wanted.has(i)) return true;
    return false;
  }

  /** @param {number} column @param {string} code @param {string} what @returns {never} */
  fail(column, code, what) {
    throw new HdbError(code, what, { ...this.source.where, column: column + 3 });
  }

  /**
   * @param {number} column of the schema
   * @param {number} size
   */
  async load(column, size) {
    const bytes = await load(this.source, column + 3, size, this.budget);
    /** @type {Decoded} */
    const decoded = { bytes };
    this.group.columns[column] = decoded;
    return decoded;
  }

  /**
   * Decodes the columns of `count` values.
   * @param {Node} node
   * @param {number} count
   */
  async take(node, count) {
    if (!this.isWanted(node)) return;
    const column = node.firstColumn;
    switch (node.kind) {
      case 'struct':
        for (const child of node.children) await this.take(child, count);
        break;
      case 'array':
        await this.take(node.children[0], count * node.count);
        break;
      case 'list':
      case 'map': {
        const sum = await this.lengths(column, count);
        for (const child of node.children) await this.take(child, sum);
        break;
      }
      case 'string':
      case 'opaque': {
        const sum = await this.lengths(column, count);
        if (this.wanted && !this.wanted.has(column + 1)) break;
        const { bytes } = await this.load(column + 1, sum);
        const offsets = /** @type {Uint32Array} */ (this.group.columns[column]?.offsets);
        if (node.utf8 && !areTexts(bytes, offsets)) {
          this.fail(column + 1, 'bad_value', 'a text is not UTF-8');
        }
        break;
      }
      case 'optional':
        await this.take(node.children[0], await this.presence(column, count));
        break;
      case 'variant': {
        const counts = await this.tags(column, count, node.children.length);
        for (const [i, child] of node.children.entries()) await this.take(child, counts[i]);
        break;
      }
      default: {
        const decoded = await this.load(column, count * node.width);
        decoded.values = valuesOf(node, decoded.bytes);
        if (node.kind === 'bool' && decoded.bytes.some((byte) => byte > 1)) {
          this.fail(column, 'bad_value', 'a bool that is neither 0 nor 1');
        }
      }
    }
  }

  /** @param {number} column @param {number} count */
  async lengths(column, count) {
    const size = this.source.size(column + 3);
    if (size < count || size > count * 10) {
      this.fail(column, 'bad_lengths', `${size} bytes for ${count} lengths`);
    }
    this.budget.take(count * 4, this.source.where);
    const decoded = await this.load(column, size);
    const { bytes } = decoded;
    /** @type {Uint32Array|Float64Array} */
    let offsets = new Uint32Array(count + 1);
    let at = 0;
    let sum = 0;
    for (let i = 0; i < count; ++i) {
      let value = bytes[at++];
      if (value >= 0x80) {
        let byte = value;
        value &= 0x7f;
        for (let scale = 128, k = 1; byte >= 0x80; ++k, scale *= 128) {
          byte = at < size ? bytes[at++] : 0;
          if (byte === 0 || k > 9 || (k === 9 && byte > 1)) {
            this.fail(column, 'bad_lengths', 'a varint that is not valid');
          }
          value += (byte & 0x7f) * scale;
        }
      }
      if (value === undefined) this.fail(column, 'bad_lengths', 'too few lengths');
      sum += value;
      if (sum > 0xffffffff && offsets instanceof Uint32Array) {
        this.budget.take(count * 8, this.source.where);
        offsets = Float64Array.from(offsets);
      }
      offsets[i + 1] = sum;
    }
    if (at !== size) this.fail(column, 'bad_lengths', 'more bytes than lengths');
    if (sum > kMaxSum) this.fail(column, 'bad_lengths', 'lengths that are too large');
    decoded.offsets = offsets;
    return sum;
  }

  /** @param {number} column @param {number} count */
  async presence(column, count) {
    const size = Math.ceil(count / 8);
    const decoded = await this.load(column, size);
    this.budget.take(count * 4, this.source.where);
    const { bytes } = decoded;
    if (count % 8 && bytes[size - 1] >> (count % 8)) {
      this.fail(column, 'bad_value', 'bits after the last value');
    }
    const ranks = decoded.ranks = new Uint32Array(count);
    let present = 0;
    for (let i = 0; i < count; ++i) {
      ranks[i] = present;
      present += (bytes[i >> 3] >> (i & 7)) & 1;
    }
    return present;
  }

  /** @param {number} column @param {number} count @param {number} alternatives */
  async tags(column, count, alternatives) {
    const decoded = await this.load(column, count);
    this.budget.take(count * 4, this.source.where);
    const counts = new Uint32Array(256);
    const ranks = decoded.ranks = new Uint32Array(count);
    for (let i = 0; i < count; ++i) ranks[i] = counts[decoded.bytes[i]]++;
    if (counts.subarray(alternatives).some((number) => number > 0)) {
      this.fail(column, 'bad_value', 'a tag of no alternative');
    }
    return counts;
  }
}

/**
 * @param {Node} node
 * @param {Uint8Array} bytes in a buffer of their own
 * @returns {Values}
 */
function valuesOf(node, bytes) {
  const { buffer } = bytes;
  switch (node.kind === 'enum' ? node.children[0].kind : node.kind) {
    case 'i8': return new Int8Array(buffer);
    case 'i16': return new Int16Array(buffer);
    case 'i32': return new Int32Array(buffer);
    case 'i64': return new BigInt64Array(buffer);
    case 'f32': return new Float32Array(buffer);
    case 'f64': return new Float64Array(buffer);
    default:
      if (node.width === 1) return bytes;
      if (node.width === 2) return new Uint16Array(buffer);
      if (node.width === 4) return new Uint32Array(buffer);
      return new BigUint64Array(buffer);
  }
}
