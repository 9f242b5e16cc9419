// A table of an open save for the page's worker: its row groups, as far as they are needed, kept
// while they are used.
import { valueReader } from '../reader/rows.js';
import { Damage, soundGroup } from './damage.js';
import { cellOf, columnsOf } from './fields.js';

/** @typedef {import('../reader/schema.js').Node} Node */

const STATES = ['free', 'live', 'retired', 'unissued'];
const MOST_BYTES = 256 * 2 ** 20;

/** What was decoded last, of all tables; columns that were not used for the longest go first. */
class Cache {
  #entries = new Map();
  #bytes = 0;

  get(key) {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.column;
  }
  put(key, column) {
    const bytes = column.bytes.length + (column.offsets?.byteLength ?? 0) +
      (column.ranks?.byteLength ?? 0);
    this.#entries.set(key, { column, bytes });
    this.#bytes += bytes;
    for (const [old, entry] of this.#entries) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#entries.delete(old);
      this.#bytes -= entry.bytes;
    }
  }
}

const cache = new Cache();
let lastNumber = 0;

export class TableData {
  /**
   * @param {import('./save_data.js').SaveData} save
   * @param {import('../reader/table.js').Table} table
   */
  constructor(save, table) {
    this.save = save;
    this.table = table;
    this.number = ++lastNumber;
    this.root = table.root;
    this.columns = columnsOf(table.root);
    this.groupSlots = table.groupSlots;
    this.groups = table.groups;
    /** Slots of each group, once read: what is in them, without columns. */
    this.slots = [];
    this.starts = null;
    /** Groups without slots, known once the rows were counted. */
    this.damage = new Damage();
  }

  column(path) {
    return this.columns.find((column) => column.path === path);
  }

  /**
   * @param {number} number
   * @param {number[]} columns of the schema
   * @returns {Promise<import('../reader/columns.js').RowGroup>}
   */
  async group(number, columns) {
    const wanted = [];
    const known = [];
    for (const column of columns) {
      const found = cache.get(`${this.number}/${number}/${column}`);
      if (found) known[column] = found;
      else wanted.push(column);
    }
    let slots = this.slots[number];
    if (wanted.length > 0 || !slots) {
      const read = await this.table.group(number, { columns: wanted });
      read.columns.forEach((column, index) => {
        if (!column) return;
        cache.put(`${this.number}/${number}/${index}`, column);
        known[index] = column;
      });
      if (!slots) {
        read.columns = [];
        slots = this.slots[number] = read;
      }
    }
    const group = Object.create(slots);
    group.columns = known;
    return group;
  }

  /** The first row of each group, and the number of rows at the end. Damaged groups have none. */
  async rowStarts() {
    if (!this.starts) {
      const starts = new Float64Array(this.groups + 1);
      const damage = new Damage();
      for (let k = 0; k < this.groups; ++k)
        starts[k + 1] = starts[k] + ((await soundGroup(this, k, [], damage))?.live ?? 0);
      this.damage = damage;
      this.starts = starts;
    }
    return this.starts;
  }

  groupOf(slot) {
    return Math.floor(slot / this.groupSlots);
  }

  /** The state, generation and position of a slot. */
  async slot(slot) {
    const group = await this.group(this.groupOf(slot), []);
    const at = slot - group.firstSlot;
    const state = STATES[group.states[at]];
    return { group, state, generation: group.generations[at],
             position: state === 'live' ? group.positions?.[group.rowOf(slot)] : undefined };
  }

  /** Cells of rows: reads values of nodes of a group. */
  cellReader(node, group) {
    const read = valueReader(node, group.columns, () => null);
    return (row) => cellOf(node, read(row), this.save.handleCell);
  }
}
