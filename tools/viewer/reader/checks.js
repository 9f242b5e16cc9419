// FORMAT.md, sections 5.6 to 5.8 and 5.11: what a whole table must satisfy.

import { Budget, kFree, kLive } from './columns.js';
import { HdbError } from './errors.js';
import { RecordHash, listHash } from './state_hash.js';
import { binaryText, isZero } from './wire.js';

/** @typedef {import('./table.js').Table} Table */
/** @typedef {import('./columns.js').RowGroup} RowGroup */

/** A set of numbers below a limit. */
class Bits {
  /** @param {number} size @param {Budget} budget */
  constructor(size, budget) {
    budget.take(Math.ceil(size / 8), {});
    this.bytes = new Uint8Array(Math.ceil(size / 8));
  }

  /** Whether the number was not yet there. @param {number} i */
  add(i) {
    const bit = 1 << (i & 7);
    if (this.bytes[i >>> 3] & bit) return false;
    this.bytes[i >>> 3] |= bit;
    return true;
  }

  /** Whether the number was there. @param {number} i */
  remove(i) {
    const bit = 1 << (i & 7);
    if (!(this.bytes[i >>> 3] & bit)) return false;
    this.bytes[i >>> 3] &= ~bit;
    return true;
  }
}

/**
 * Checks every byte of a table; throws an HdbError.
 * @param {Table} table
 * @param {boolean} isHashed whether the hashes are wanted
 * @param {import('./work.js').Work} work
 */
export async function checkTable(table, isHashed, work) {
  const { descriptor } = table;
  const { limits, file } = table.snapshot;
  const budget = new Budget(limits.maxMemoryBytes);
  /** @type {Check[]} */
  const parts = [new SlotCheck(table, budget)];
  if (descriptor.storage === 'dense') parts.push(new PositionCheck(table, budget));
  if (descriptor.names !== 'none') parts.push(new NameCheck(table, budget));
  if (descriptor.blobs) parts.push(new BlobCheck(table, budget));
  if (descriptor.component) parts.push(new OwnerCheck(table, budget));
  const records = isHashed ? new RecordHash() : undefined;
  for (let k = 0; k < table.groups; ++k) {
    const rest = new Budget(budget.left);
    const group = await table.group(k, { full: true, budget: rest });
    for (const part of parts) await part.add(group);
    records?.add(descriptor, group);
    await work.step();
  }
  const list = await file.list(descriptor, true);
  for (const part of parts) part.end(list);
  return {
    records: records?.sum ?? new Uint8Array(16),
    list: isHashed ? listHash(descriptor, list) : new Uint8Array(16),
  };
}

class Check {
  /** @param {Table} table @param {Budget} budget */
  constructor(table, budget) {
    this.table = table;
    this.descriptor = table.descriptor;
    this.budget = budget;
  }

  /** @param {string} code @param {string} what @returns {never} */
  fail(code, what) {
    throw new HdbError(code, what, { table: this.table.name });
  }

  /** @param {RowGroup} _group @returns {void|Promise<void>} */
  add(_group) {}

  /** @param {Uint32Array} _list the free list, or the holes */
  end(_list) {}
}

/** The numbers of slots, and the free list. */
class SlotCheck extends Check {
  /** @param {Table} table @param {Budget} budget */
  constructor(table, budget) {
    super(table, budget);
    this.counts = [0, 0, 0, 0];
    const { descriptor } = table;
    this.hasList = descriptor.freePolicy !== 'lowest' && !descriptor.component;
    this.free = new Bits(this.hasList ? descriptor.slots : 0, budget);
  }

  /** @param {RowGroup} group */
  add(group) {
    group.counts.forEach((count, state) => { this.counts[state] += count; });
    if (!this.hasList || group.counts[kFree] === 0) return;
    for (let i = 0; i < group.slots; ++i) {
      if (group.states[i] === kFree) this.free.add(group.firstSlot + i);
    }
  }

  /** @param {Uint32Array} list */
  end(list) {
    const { free, live, retired, unissued } = this.descriptor;
    if (`${this.counts}` !== `${[free, live, retired, unissued]}`) {
      this.fail('bad_slots', `the slots by state are ${this.counts}, the table says ` +
        `${[free, live, retired, unissued]}`);
    }
    if (!this.hasList) return;
    for (const slot of list) {
      if (!this.free.remove(slot)) {
        this.fail('bad_free_list', `slot ${slot} is not free, or twice in the free list`);
      }
    }
  }
}

/** The dense order, with the holes of a component table. */
class PositionCheck extends Check {
  /** @param {Table} table @param {Budget} budget */
  constructor(table, budget) {
    super(table, budget);
    this.size = table.live + (table.descriptor.component?.holes ?? 0);
    this.taken = new Bits(this.size, budget);
  }

  /** @param {ArrayLike<number>} positions */
  take(positions) {
    for (let i = 0; i < positions.length; ++i) {
      if (positions[i] >= this.size || !this.taken.add(positions[i])) {
        this.fail('bad_dense_order', `the position ${positions[i]} is too large or taken twice`);
      }
    }
  }

  /** @param {RowGroup} group */
  add(group) {
    this.take(group.positions ?? []);
  }

  /** @param {Uint32Array} list */
  end(list) {
    if (this.descriptor.component) this.take(list);
  }
}

class NameCheck extends Check {
  names = new Set();

  /** @param {RowGroup} group */
  add(group) {
    const offsets = group.columns[0]?.offsets ?? [];
    const bytes = group.columns[1]?.bytes ?? new Uint8Array(0);
    const ignoresCase = this.descriptor.names === 'ignoreCase';
    for (let i = 0; i + 1 < offsets.length; ++i) {
      if (offsets[i] === offsets[i + 1]) continue;
      this.budget.take((offsets[i + 1] - offsets[i]) * 2 + 64, { table: this.table.name });
      let name = binaryText(bytes.subarray(offsets[i], offsets[i + 1]));
      if (ignoresCase) name = name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
      if (this.names.has(name)) {
        this.fail('bad_names', `two records have the name "${name.slice(0, 80)}"`);
      }
      this.names.add(name);
    }
  }
}

class BlobCheck extends Check {
  /** @param {Table} table @param {Budget} budget */
  constructor(table, budget) {
    super(table, budget);
    budget.take(table.live * 24, { table: table.name });
    this.begins = new Float64Array(table.live);
    this.ends = new Float64Array(table.live);
    this.count = 0;
    this.column = table.descriptor.names === 'none' ? 0 : 2;
  }

  /** @param {RowGroup} group */
  add(group) {
    const { capacity, alignment } = this.descriptor.blobs ?? { capacity: 0, alignment: 1 };
    const bytes = group.columns[this.column]?.bytes ?? new Uint8Array(0);
    const lengths = group.columns[this.column + 1]?.offsets ?? [];
    const view = new DataView(bytes.buffer);
    for (let i = 0; i < group.live; ++i, ++this.count) {
      const begin = view.getUint32(i * 8, true) + view.getUint32(i * 8 + 4, true) * 2 ** 32;
      const size = Math.max(lengths[i + 1] - lengths[i], 1);
      const end = begin + Math.ceil(size / alignment) * alignment;
      if (begin % alignment || end > capacity) {
        this.fail('bad_blobs', `a block at ${begin} is not aligned or ends behind the buffer`);
      }
      this.begins[this.count] = begin;
      this.ends[this.count] = end;
    }
  }

  end() {
    // Blocks that do not overlap are in one order by where they begin and by where they end.
    const begins = this.begins.subarray(0, this.count).sort();
    const ends = this.ends.subarray(0, this.count).sort();
    const isTight = this.descriptor.blobs?.compaction === 'atRelease';
    for (let i = 0; i < this.count; ++i) {
      const before = i ? ends[i - 1] : 0;
      if (isTight ? begins[i] !== before : begins[i] < before) {
        this.fail('bad_blobs', `blocks overlap or leave a gap at ${begins[i]}`);
      }
    }
  }
}

/** Components have their records. */
class OwnerCheck extends Check {
  /** @param {RowGroup} group */
  async add(group) {
    const owner = this.table.snapshot.table(this.descriptor.ownerName);
    if (!owner || isZero(group.states.map((state) => Number(state === kLive)))) return;
    const { groupSlots } = owner;
    for (let slot = group.firstSlot, end = slot + group.slots; slot < end;) {
      /** @type {RowGroup} */
      const of = await owner.group(Math.floor(slot / groupSlots), { columns: [] });
      const last = Math.min(end, of.firstSlot + of.slots);
      for (; slot < last; ++slot) {
        const i = slot - group.firstSlot;
        const k = slot - of.firstSlot;
        if (group.states[i] === kLive &&
            (of.states[k] !== kLive || of.generations[k] !== group.generations[i])) {
          this.fail('bad_components', `slot ${slot} has a component without its record`);
        }
      }
    }
  }
}
