// A table of an open file: what its descriptor says, row groups, records, free list.

import { Budget, decodeGroup, kLive } from './columns.js';
import { HdbError } from './errors.js';
import { valueReader } from './rows.js';

/** @typedef {import('./schema.js').Node} Node */
/** @typedef {import('./columns.js').RowGroup} RowGroup */

/** Slots whose states and generations are kept for `slot`. */
const kKeptSlots = 1 << 24;

export class Table {
  /**
   * @param {import('./snapshot.js').Snapshot} snapshot
   * @param {import('./catalog.js').Descriptor} descriptor
   */
  constructor(snapshot, descriptor) {
    this.snapshot = snapshot;
    this.descriptor = descriptor;
    this.name = descriptor.name;
    this.number = descriptor.number;
    this.root = descriptor.schema.root;
    this.schemaColumns = descriptor.schema.columns;
    this.slots = descriptor.slots;
    this.live = descriptor.live;
    this.groups = descriptor.groups;
    this.groupSlots = 2 ** descriptor.groupShift;
    /** @type {RowGroup|undefined} */
    this.lastGroup = undefined;
    /** @type {Map<number, RowGroup>} */
    this.keptSlots = new Map();
  }

  /**
   * The numbers of the columns of fields: `name` also of what is inside, `items.hp`.
   * @param {string[]} paths
   */
  columnsOf(paths) {
    const numbers = [];
    for (const path of paths) {
      const found = this.schemaColumns.filter(({ node }) => node.path === path ||
        node.path.startsWith(`${path}.`));
      if (found.length === 0) {
        throw new HdbError('not_found', `no field ${path}`, { table: this.name });
      }
      numbers.push(...found.map(({ number }) => number));
    }
    return numbers;
  }

  /**
   * Decodes a row group: states and generations of its slots, positions and fields of its records.
   * Columns are paths of fields or numbers of columns of the schema; without them, all are decoded.
   * `full` compares the hashes of raw bytes too.
   * @param {number} number
   * @param {{columns?: (string|number)[], full?: boolean, budget?: Budget}} [options]
   */
  async group(number, options = {}) {
    if (!(number >= 0 && number < this.groups)) {
      throw new HdbError('not_found', `no group ${number}`, { table: this.name });
    }
    const { file, limits } = this.snapshot;
    const wanted = options.columns && new Set(options.columns.flatMap((column) =>
      (typeof column === 'number' ? [column] : this.columnsOf([column]))));
    const source = await file.columns(this.descriptor, number, options.full ?? false, !wanted);
    const budget = options.budget ?? new Budget(limits.maxMemoryBytes);
    return decodeGroup(this.descriptor, number, source, wanted, budget);
  }

  /**
   * Reads values of a node from a decoded group.
   * @param {RowGroup} group
   * @param {Node} [node] the whole record by default
   * @returns {(i: number) => any}
   */
  reader(group, node = this.root) {
    return valueReader(node, group.columns, (of, bits) => this.snapshot.handleText(of, bits));
  }

  /** @param {number} slot */
  async groupOf(slot) {
    const number = Math.floor(slot / this.groupSlots);
    if (this.lastGroup?.number !== number) this.lastGroup = await this.group(number);
    return this.lastGroup;
  }

  /**
   * The record of a slot; undefined if the slot is not live.
   * @param {number} slot
   */
  async record(slot) {
    if (!(slot >= 0 && slot < this.slots)) return undefined;
    const group = await this.groupOf(slot);
    const row = group.rowOf(slot);
    if (row < 0) return undefined;
    const generation = group.generations[slot - group.firstSlot];
    return {
      slot, generation, handle: this.handleText(slot, generation),
      position: group.positions ? group.positions[row] : undefined,
      fields: this.reader(group)(row),
    };
  }

  /**
   * The handle of a record of this table as tools print it.
   * @param {number} slot
   * @param {number} generation
   */
  handleText(slot, generation) {
    const owner = this.descriptor.ownerName;
    return owner ? `${owner}:${slot}@${generation}.${this.name}`
      : `${this.name}:${slot}@${generation}`;
  }

  /**
   * State and generation of a slot. The slots of some groups are kept.
   * @param {number} slot
   */
  async slot(slot) {
    const number = Math.floor(slot / this.groupSlots);
    let group = this.keptSlots.get(number);
    if (!group) {
      if (this.keptSlots.size * this.groupSlots >= kKeptSlots) this.keptSlots.clear();
      group = await this.group(number, { columns: [] });
      this.keptSlots.set(number, group);
    }
    const i = slot - group.firstSlot;
    return { state: group.states[i], generation: group.generations[i] };
  }

  /**
   * The generation of the record of each slot; 0 where a slot is not live.
   * @param {Budget} budget
   */
  async liveGenerations(budget) {
    budget.take(this.slots * 4, { table: this.name });
    const all = new Uint32Array(this.slots);
    for (let k = 0; k < this.groups; ++k) {
      const { firstSlot, states, generations } = await this.group(k, { columns: [] });
      for (let i = 0; i < states.length; ++i) {
        if (states[i] === kLive) all[firstSlot + i] = generations[i];
      }
    }
    return all;
  }

  /** The free slots in the order of use; under `lowest` rising. */
  async freeList() {
    const { descriptor } = this;
    if (descriptor.component) return new Uint32Array(0);
    if (descriptor.freePolicy !== 'lowest') return this.snapshot.file.list(descriptor, false);
    const list = [];
    for (let k = 0; k < this.groups; ++k) {
      const { firstSlot, states } = await this.group(k, { columns: [] });
      for (let i = 0; i < states.length; ++i) if (states[i] === 0) list.push(firstSlot + i);
    }
    return Uint32Array.from(list);
  }

  /** The holes of a component table, the next one first. */
  async holes() {
    const { descriptor } = this;
    return descriptor.component ? this.snapshot.file.list(descriptor, false) : new Uint32Array(0);
  }

  /** The slots of a dense table in its order; 0xffffffff is a hole. */
  async denseOrder() {
    const size = this.live + (this.descriptor.component?.holes ?? 0);
    const order = new Uint32Array(this.descriptor.storage === 'dense' ? size : 0);
    order.fill(0xffffffff);
    for (let k = 0; order.length && k < this.groups; ++k) {
      const { positions, rows } = await this.group(k, { columns: [] });
      positions?.forEach((position, row) => { order[position] = rows[row]; });
    }
    return order;
  }
}
