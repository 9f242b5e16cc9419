// Puts a new file together: what did not change is copied (FORMAT.md, sections 2.4 and 8.5).

import { contentOf, tags } from './extensions.js';
import { kHeadBytes, kSafeToCopyBlock, types } from './frame.js';
import { isKnown } from './geometry.js';
import { kMaxPackBytes } from './limits.js';
import { FileBuilder, catalogBytes, packedContent } from './write_blocks.js';
import { Output, shownText, viewOf } from './wire.js';

/** @typedef {import('./snapshot.js').Snapshot} Snapshot */
/** @typedef {import('./edited_table.js').EditedTable} EditedTable */
/** @typedef {import('./table.js').Table} Table */

/**
 * @param {Snapshot} snapshot
 * @param {Map<string, EditedTable>} tables those that may have changed
 * @param {Uint8Array} fileId
 */
export async function writeFile(snapshot, tables, fileId) {
  const writer = new Writer(snapshot, tables, fileId);
  await writer.write();
  return writer.builder;
}

class Writer {
  /**
   * @param {Snapshot} snapshot
   * @param {Map<string, EditedTable>} tables
   * @param {Uint8Array} fileId
   */
  constructor(snapshot, tables, fileId) {
    this.snapshot = snapshot;
    this.file = snapshot.file;
    this.builder = new FileBuilder(fileId);
    /** @type {Map<number, EditedTable>} */
    this.edited = new Map();
    for (const table of tables.values()) {
      const { numbers, changed } = table.slots;
      const isSame = numbers.highestGeneration === table.descriptor.highestGeneration;
      if (changed.size || !isSame) this.edited.set(table.table.number, table);
    }
  }

  async write() {
    const { file, snapshot } = this;
    const slots = new Map([...this.edited].map(([number, { slots: of }]) => [number, of]));
    const catalog = catalogBytes(snapshot.catalog, slots);
    await this.copy(0);
    if (file.thumbnail >= 0) await this.copy(file.thumbnail);
    this.builder.stored(types.catalog, catalog);
    const packs = await this.packs();
    for (const table of snapshot.tables) {
      const pack = packs.get(file.places[table.number].pack);
      if (!pack) await this.table(table);
      else if (pack.tables[pack.tables.length - 1] === table) {
        // Behind the tables before the last one of the pack, as section 2.4 allows.
        const place = { table: pack.tables[0].number, group: pack.tables.length };
        this.builder.stored(types.pack, pack.content, place);
      }
    }
    this.builder.stored(types.catalog, catalog, { part: 1 });
    for (let i = 0; i < file.directory.count; ++i) {
      if (!isKnown(file.directory.entry(i))) await this.copyUnknown(i);
    }
  }

  /** Copies a block. @param {number} number */
  async copy(number) {
    const entry = this.file.directory.entry(number);
    const { source } = this.file;
    const payload = source.part?.(entry.offset + kHeadBytes, entry.stored) ??
      await source.read(entry.offset + kHeadBytes, entry.stored);
    const view = viewOf(entry.bytes);
    this.builder.block({ ...entry, group: view.getBigUint64(32, true),
      raw: view.getBigUint64(16, true) }, payload);
  }

  /** @param {number} number */
  async copyUnknown(number) {
    const block = await this.file.block(number, {}, false);
    const table = contentOf(block.extensions, tags.head.tableName);
    const isKept = (block.entry.flags & kSafeToCopyBlock) !== 0 &&
      (!table || this.snapshot.table(shownText(table)) !== undefined);
    if (isKept) await this.copy(number);
  }

  /** A table that is not packed any more, or never was. @param {Table} table */
  async table(table) {
    const { groups, freeList, pack } = this.file.places[table.number];
    const edited = this.edited.get(table.number);
    const count = edited?.slots.groups ?? table.groups;
    for (let k = 0; k < count; ++k) {
      if (edited && (edited.slots.changed.has(k) || pack >= 0 || k >= table.groups)) {
        this.builder.rows(table.number, k, await edited.columns(k));
      } else if (pack >= 0) {
        this.builder.rows(table.number, k, await this.columns(table));
      } else {
        for (const number of groups[k]) await this.copy(number);
      }
    }
    if (edited || pack >= 0) this.builder.freeList(table.number, await this.list(table));
    else for (const number of freeList) await this.copy(number);
  }

  /** The list of a table as it is stored. @param {Table} table */
  async list(table) {
    const edited = this.edited.get(table.number);
    if (!edited) return this.file.list(table.descriptor, false);
    return edited.slots.listInOrder;
  }

  /** @param {Table} table */
  async columns(table) {
    const edited = this.edited.get(table.number);
    if (edited) return edited.columns(0);
    const { source } = await this.file.packed(table.descriptor);
    const numbers = [0, 1, ...(table.descriptor.storage === 'dense' ? [2] : []),
      ...table.schemaColumns.map(({ number }) => number + 3)];
    return Promise.all(numbers.map(async (column) => ({
      column, bytes: await source.load(column),
      width: column === 0 ? 1 : column < 3 ? 4 : table.schemaColumns[column - 3].width,
    })));
  }

  /** The packs of the new file: those whose tables still fit. */
  async packs() {
    /** @type {Map<number, {tables: Table[], content: Uint8Array}>} */
    const packs = new Map();
    const numbers = new Set(this.file.places.map(({ pack }) => pack));
    for (const pack of numbers) {
      if (pack < 0) continue;
      const tables = this.snapshot.tables.filter((table) =>
        this.file.places[table.number].pack === pack);
      const content = await this.packContent(tables);
      if (content) packs.set(pack, { tables, content });
    }
    return packs;
  }

  /** @param {Table[]} tables */
  async packContent(tables) {
    const output = new Output();
    for (const table of tables) {
      const groups = this.edited.get(table.number)?.slots.groups ?? table.groups;
      if (groups !== 1 || output.at > kMaxPackBytes) return undefined;
      output.put(packedContent(table.descriptor, await this.columns(table),
        await this.list(table)));
    }
    return output.at > kMaxPackBytes ? undefined : output.taken();
  }
}
