// The slots of a table that is edited: what an insert takes, what an erase leaves (FORMAT.md,
// sections 4.4, 5.1, 5.5 and 5.11).

import { Budget, kFree, kLive, kRetired, kUnissued } from './columns.js';
import { HdbError } from './errors.js';

/** @typedef {import('./table.js').Table} Table */

const kNone = 0xffffffff;

/**
 * @template {Uint8Array|Uint32Array} T
 * @param {T} array
 * @param {number} size
 * @param {number} fill
 * @returns {T}
 */
function grown(array, size, fill) {
  if (array.length >= size) return array;
  const larger = /** @type {T} */ (array instanceof Uint8Array
    ? new Uint8Array(Math.max(size, array.length * 2))
    : new Uint32Array(Math.max(size, array.length * 2)));
  larger.fill(fill);
  larger.set(array);
  return larger;
}

export class EditedSlots {
  /** @param {Table} table */
  constructor(table) {
    const { descriptor } = table;
    this.table = table;
    this.descriptor = descriptor;
    this.isDense = descriptor.storage === 'dense';
    const { slots, live, retired, free, counter, highestGeneration } = descriptor;
    /** The numbers of the descriptor that change. */
    this.numbers = { slots, live, retired, free, counter, highestGeneration };
    this.states = new Uint8Array(slots);
    this.generations = new Uint32Array(slots);
    /** By slot; only of live slots. */
    this.positions = new Uint32Array(this.isDense ? slots : 0);
    /** The slot at each position; of a hole kNone. */
    this.order = new Uint32Array(0);
    /** @type {number[]} in the order of use: the free list, or holes; that of LIFO reversed */
    this.list = [];
    this.isStack = descriptor.freePolicy === 'lifo';
    /** The entries of a FIFO list that were used. */
    this.used = 0;
    /** @type {Set<number>} groups whose slots, positions or records changed */
    this.changed = new Set();
    /** Whether records were made or erased. */
    this.moved = false;
  }

  /** @param {Table} table */
  static async of(table) {
    // States, generations, positions and order take up to 13 bytes for each slot.
    const budget = new Budget(2 * table.snapshot.limits.maxMemoryBytes);
    const each = table.descriptor.storage === 'dense' ? 13 : 5;
    budget.take(table.slots * each + table.descriptor.listed * 8, { table: table.name });
    const made = new EditedSlots(table);
    for (let k = 0; k < table.groups; ++k) {
      const group = await table.group(k, { columns: [] });
      made.states.set(group.states, group.firstSlot);
      made.generations.set(group.generations, group.firstSlot);
      const { rows } = group;
      group.positions?.forEach((position, row) => { made.positions[rows[row]] = position; });
    }
    made.order = await table.denseOrder();
    const list = Array.from(await table.snapshot.file.list(table.descriptor, false));
    made.list = made.isStack ? list.reverse() : list;
    return made;
  }

  /** @param {number} slot */
  touch(slot) {
    this.changed.add(Math.floor(slot / this.table.groupSlots));
  }

  get groups() {
    return Math.ceil(this.numbers.slots / this.table.groupSlots);
  }

  /** The list in the order of use. */
  get listInOrder() {
    const rest = this.list.slice(this.used);
    return Uint32Array.from(this.isStack ? rest.reverse() : rest);
  }

  /** @param {number} slot */
  isLive(slot) {
    return slot < this.numbers.slots && this.states[slot] === kLive;
  }

  /** @param {number} state */
  lowest(state) {
    const slot = this.states.subarray(0, this.numbers.slots).indexOf(state);
    return slot < 0 ? this.numbers.slots : slot;
  }

  /** The slot of the next insert. */
  nextSlot() {
    const { numbers, descriptor } = this;
    if (numbers.free > 0) {
      if (descriptor.freePolicy === 'lowest') return this.lowest(kFree);
      return this.list[this.isStack ? this.list.length - 1 : this.used];
    }
    const unissued = numbers.slots - numbers.live - numbers.retired;
    return unissued > 0 ? this.lowest(kUnissued) : numbers.slots;
  }

  /** @param {string} what @returns {never} */
  full(what) {
    throw new HdbError('table_full', what, { table: this.table.name });
  }

  /** Takes the next slot, and returns it. */
  insert() {
    const { numbers, descriptor } = this;
    const { layout, generationPolicy, overflow, singleton } = descriptor;
    if (singleton && numbers.live > 0) this.full('a singleton has one record');
    const slot = this.nextSlot();
    if (slot >= Math.min(layout.mostSlots, this.table.snapshot.limits.maxSlotsPerTable)) {
      this.full('the table has no slot left');
    }
    const isNew = slot === numbers.slots;
    const last = isNew ? 0 : this.generations[slot];
    const before = generationPolicy === 'counter' ? numbers.counter
      : Math.max(numbers.counter, last);
    if (before >= layout.lastGeneration && overflow === 'retire') {
      this.full('the table has no generation left');
    }
    const generation = before >= layout.lastGeneration ? 1 : before + 1;
    if (isNew) this.resize(slot + 1);
    if (this.states[slot] === kFree && !isNew) {
      --numbers.free;
      if (descriptor.freePolicy === 'lifo') this.list.pop();
      else if (descriptor.freePolicy === 'fifo') ++this.used;
    }
    if (generationPolicy === 'counter') numbers.counter = generation;
    numbers.highestGeneration = Math.max(numbers.highestGeneration, generation);
    this.fill(slot, generation, numbers.live);
    return slot;
  }

  /** Adds unissued slots. @param {number} slots */
  resize(slots) {
    const old = this.numbers.slots;
    if (slots === old) return;
    this.states = grown(this.states, slots, kUnissued);
    this.states.fill(kUnissued, old, slots);
    this.generations = grown(this.generations, slots, 0);
    this.generations.fill(0, old, slots);
    if (this.isDense) this.positions = grown(this.positions, slots, 0);
    this.numbers.slots = slots;
    if (old > 0) this.touch(old - 1);
    this.touch(slots - 1);
  }

  /** Makes a slot live. @param {number} slot @param {number} generation @param {number} position */
  fill(slot, generation, position) {
    this.states[slot] = kLive;
    this.moved = true;
    this.generations[slot] = generation;
    ++this.numbers.live;
    if (this.isDense) {
      this.order = grown(this.order, position + 1, kNone);
      this.order[position] = slot;
      this.positions[slot] = position;
    }
    this.touch(slot);
  }

  /** Adds a component to a record of the owner. @param {number} slot @param {EditedSlots} owner */
  attach(slot, owner) {
    const hole = this.list.pop();
    this.fill(slot, owner.generations[slot], hole ?? this.numbers.live);
  }

  /** Follows the slots of the owner. @param {EditedSlots} owner */
  follow(owner) {
    this.resize(owner.numbers.slots);
    this.numbers.highestGeneration = owner.numbers.highestGeneration;
  }

  /** Erases the record of a live slot. @param {number} slot */
  erase(slot) {
    const { numbers, descriptor } = this;
    const { layout, generationPolicy, overflow, component } = descriptor;
    const generation = this.generations[slot];
    if (this.isDense) this.leaveOrder(this.positions[slot]);
    --numbers.live;
    this.moved = true;
    this.touch(slot);
    if (component) {
      this.states[slot] = kUnissued;
      this.generations[slot] = 0;
      return;
    }
    const isUsedUp = generation === layout.lastGeneration ||
      (numbers.highestGeneration === layout.lastGeneration && generation <= numbers.counter);
    if (generationPolicy === 'perSlot' && overflow === 'retire' && isUsedUp) {
      this.states[slot] = kRetired;
      this.generations[slot] = layout.lastGeneration;
      ++numbers.retired;
      return;
    }
    this.states[slot] = kFree;
    ++numbers.free;
    if (descriptor.freePolicy !== 'lowest') this.list.push(slot);
  }

  /**
   * Closes the gap at a position with the last record, or leaves a hole.
   * @param {number} position
   */
  leaveOrder(position) {
    if (this.descriptor.component?.removal === 'inPlace') {
      this.order[position] = kNone;
      this.list.push(position);
      return;
    }
    const last = this.numbers.live - 1;
    const moved = this.order[last];
    this.order[last] = kNone;
    if (position === last) return;
    this.order[position] = moved;
    this.positions[moved] = position;
    this.touch(moved);
  }
}
