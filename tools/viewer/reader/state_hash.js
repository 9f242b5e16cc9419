// FORMAT.md, section 7: the state hash.

import { Budget } from './columns.js';
import { RowHashes, RowStream, freeListHash, hash128 } from './hashes.js';
import { rowWriter } from './rows.js';
import { Output } from './wire.js';
import { Work } from './work.js';

/** @typedef {import('./columns.js').RowGroup} RowGroup */
/** @typedef {import('./catalog.js').Descriptor} Descriptor */

/** Row bytes that are hashed in one call. */
const kBatch = 1 << 18;
/** Columns of this size may have rows that are better hashed in pieces. */
const kLarge = 1 << 25;

/** The record hash of a table, from its row groups in order. */
export class RecordHash {
  constructor() {
    this.hashes = new RowHashes();
    this.output = new Output(kBatch * 2);
    this.ends = new Uint32Array(1 << 16);
  }

  get sum() {
    return this.hashes.sum;
  }

  /** @param {Descriptor} table @param {RowGroup} group */
  add(table, group) {
    const { output, ends } = this;
    const { states, generations, positions } = group;
    const size = group.columns.reduce((sum, column) => sum + (column?.bytes.length ?? 0), 0);
    if (size > kLarge) {
      this.addLarge(table, group);
      return;
    }
    const write = rowWriter(table.schema.root, group.columns, output);
    let row = 0;
    for (let from = 0, i = 0; from < group.slots; from = i) {
      const firstRow = row;
      output.at = 0;
      for (; i < group.slots && output.at < kBatch; ++i) {
        if (states[i] !== 1) continue;
        write(row);
        ends[row++ - firstRow] = output.at;
      }
      this.hashes.add(group.firstSlot + from, states.subarray(from, i),
        generations.subarray(from, i), positions && positions.subarray(firstRow, row),
        output.taken(), ends.subarray(0, row - firstRow));
    }
  }

  /** @param {Descriptor} table @param {RowGroup} group */
  addLarge(table, group) {
    const stream = new RowStream(this.hashes);
    const write = rowWriter(table.schema.root, group.columns, stream);
    const { states, generations, positions } = group;
    const none = new Uint32Array(0);
    for (let i = 0, row = 0; i < group.slots; ++i) {
      const slot = group.firstSlot + i;
      if (states[i] === 1) {
        const position = positions ? positions[row] : 0;
        stream.row(slot, generations[i], position, () => write(row));
        ++row;
      } else {
        this.hashes.add(slot, states.subarray(i, i + 1), generations.subarray(i, i + 1), null,
          new Uint8Array(0), none);
      }
    }
  }
}

/**
 * The hash of a free list, or of holes.
 * @param {Descriptor} table
 * @param {Uint32Array} list
 */
export function listHash(table, list) {
  return freeListHash(table.freePolicy === 'fifo' ? list : list.slice().reverse());
}

/**
 * The state hash, from the record hash and the free-list hash of each hashed table.
 * @param {import('./catalog.js').Catalog} catalog
 * @param {Map<number, {records: Uint8Array, list: Uint8Array}>} hashes by number of the table
 */
export function combinedHash(catalog, hashes) {
  const output = new Output();
  for (const table of catalog.tables) {
    const found = hashes.get(table.number);
    if (!table.hashed || !found) continue;
    const { layout } = table;
    output.text(table.nameBytes);
    output.number(table.typeId, 2);
    output.put(table.schema.fingerprint);
    const bytes = [
      Number(table.singleton), layout.index, layout.generation, layout.type,
      Number(table.storage === 'stable'), ['lifo', 'fifo', 'lowest'].indexOf(table.freePolicy),
      Number(table.generationPolicy === 'counter'), Number(table.overflow === 'wrap'),
    ];
    output.put(Uint8Array.from(bytes));
    for (const number of [table.slots, table.live, table.retired, table.free]) {
      output.number(number, 8);
    }
    output.number(table.counter, 4);
    output.number(table.highestGeneration, 4);
    output.put(table.tail);
    output.put(table.hashedExtensions);
    output.put(found.records);
    output.put(found.list);
  }
  output.number(catalog.highestTypeId, 2);
  output.put(catalog.hashedExtensions);
  return hash128(output.taken());
}

/**
 * @param {import('./snapshot.js').Snapshot} snapshot
 * @param {import('./work.js').WorkOptions} options
 */
export async function stateHash(snapshot, options) {
  const tables = snapshot.tables.filter(({ descriptor }) => descriptor.hashed);
  const work = new Work(options, tables.reduce((sum, { groups }) => sum + groups, 0));
  const hashes = new Map();
  for (const table of tables) {
    const records = new RecordHash();
    for (let k = 0; k < table.groups; ++k) {
      const budget = new Budget(snapshot.limits.maxMemoryBytes);
      records.add(table.descriptor, await table.group(k, { budget }));
      await work.step();
    }
    const list = await snapshot.file.list(table.descriptor, false);
    hashes.set(table.number, { records: records.sum, list: listHash(table.descriptor, list) });
  }
  return combinedHash(snapshot.catalog, hashes);
}
