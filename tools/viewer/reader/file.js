// An open file: its frame, catalog and the places of its blocks (FORMAT.md, section 8.2), and what
// the blocks of a table hold (sections 5.2, 5.5 and 5.10).

import { Block, faultOfChunk, unshuffle } from './blocks.js';
import { readCatalog } from './catalog.js';
import { HdbError } from './errors.js';
import { readFrame, typeNames, types } from './frame.js';
import { checkGeometry, checkOrder } from './geometry.js';
import { hashesReady } from './hashes.js';
import { kFreeListBlockEntries, kMaxChunkRawBytes, kRatioFrom } from './limits.js';
import { readMetadata } from './metadata.js';
import { refuseNewer } from './newer.js';
import { Cursor, equalBytes } from './wire.js';
import { zstdReady } from './zstd.js';

/** @typedef {import('./catalog.js').Descriptor} Descriptor */
/** @typedef {import('./columns.js').ColumnSource} ColumnSource */

export class File {
  /**
   * @param {import('./sources.js').Source} source
   * @param {import('./limits.js').Limits} limits
   * @param {import('./frame.js').Frame} frame
   */
  constructor(source, limits, frame) {
    this.source = source;
    this.limits = limits;
    this.frame = frame;
    this.directory = frame.directory;
    this.thumbnail = -1;
    /** @type {import('./geometry.js').Places[]} */
    this.places = [];
    /** @type {{number: number, tables: Map<number, Packed>}|undefined} */
    this.lastPack = undefined;
    /**
     * The content of the catalog.
     * @type {Uint8Array}
     */
    this.catalogBytes = new Uint8Array(0);
  }

  /**
   * @param {import('./sources.js').Source} source
   * @param {import('./limits.js').Limits} limits
   */
  static async open(source, limits) {
    await Promise.all([hashesReady(), zstdReady()]);
    const file = new File(source, limits, await readFrame(source, limits));
    const raw = checkGeometry(file.frame, limits);
    const copies = await file.readCopies();
    if (raw > kRatioFrom && raw > limits.maxContentRatio * source.size) {
      throw new HdbError('limit_exceeded', `${raw} bytes of content in a file of ${source.size}`);
    }
    const metadata = await file.readMetadata();
    const catalogs = copies.map(({ bytes, offset }) => readCatalog(bytes, limits, offset));
    if (copies.length === 2 && !equalBytes(copies[0].bytes, copies[1].bytes)) {
      throw new HdbError('copies_differ', 'the two copies of the catalog differ',
        { offset: copies[1].offset });
    }
    const order = checkOrder(file.directory, catalogs[0]?.tables ?? []);
    file.places = order.places;
    file.thumbnail = order.thumbnail;
    file.catalogBytes = copies[0].bytes;
    return { file, metadata, catalog: catalogs[0] };
  }

  /** Checks 5: both copies of the catalog, and first whether one of them needs a newer reader. */
  async readCopies() {
    const copies = [];
    let fault;
    for (let i = 0; i < this.directory.count; ++i) {
      if (this.directory.type(i) !== types.catalog) continue;
      if (this.directory.entry(i).part > 1) continue; // for check 9
      try {
        const block = await this.block(i, { part: 'catalog' }, true);
        const bytes = block.content(this.frame.header.packsHaveChecksums);
        if (copies.length === 0) refuseNewer(bytes, this.limits.maxTables);
        copies.push({ bytes, offset: block.entry.offset + block.contentAt });
      } catch (error) {
        if (!(error instanceof HdbError) || error.kind !== 'corrupt') throw error;
        fault ??= error;
      }
    }
    if (fault) throw fault;
    return copies;
  }

  async readMetadata() {
    if (this.directory.count === 0 || this.directory.type(0) !== types.metadata) {
      throw new HdbError('missing_block', 'the first block is not the metadata');
    }
    const block = await this.block(0, { part: 'metadata' }, true);
    const { offset } = block.entry;
    return readMetadata(block.content(false), offset + block.contentAt);
  }

  /**
   * @param {number} number
   * @param {import('./errors.js').Place} where
   * @param {boolean} whole
   */
  async block(number, where, whole) {
    const block = new Block(this.source, this.directory.entry(number), where);
    await block.open(this.frame.header.fileId, whole);
    return block;
  }

  /**
   * The columns of a row group.
   * @param {Descriptor} table
   * @param {number} group
   * @param {boolean} full whether raw hashes and chunk ids are compared
   * @param {boolean} whole whether all columns are wanted
   * @returns {Promise<ColumnSource>}
   */
  async columns(table, group, full, whole) {
    const place = this.places[table.number];
    if (place.pack >= 0) return (await this.packed(table)).source;
    const where = { table: table.name, group };
    /** @type {Map<number, {block: Block, chunk: import('./blocks.js').Chunk}[]>} */
    const columns = new Map();
    const order = new ColumnOrder(table);
    for (const number of place.groups[group]) {
      const block = await this.block(number, where, whole);
      for (const chunk of block.chunks) {
        const fault = order.faultOf(chunk);
        if (fault) block.fail(fault[0], fault[1], { column: chunk.column, chunk: chunk.number });
        const pieces = columns.get(chunk.column);
        if (pieces) pieces.push({ block, chunk });
        else columns.set(chunk.column, [{ block, chunk }]);
        const size = (pieces?.length ?? 0) * kMaxChunkRawBytes + chunk.raw;
        if (size > this.limits.maxColumnBytes) {
          block.fail('limit_exceeded', `a column of ${size} bytes`, { column: chunk.column });
        }
      }
      order.last = block;
    }
    if (!order.isEnd) order.last?.fail('bad_chunk', 'columns are missing');
    const pieces = (/** @type {number} */ column) => columns.get(column) ?? [];
    return {
      where: { ...where, offset: order.last?.entry.offset },
      size: (column) => pieces(column).reduce((sum, { chunk }) => sum + chunk.raw, 0),
      load: async (column) => {
        const list = pieces(column);
        if (list.length === 1) return list[0].block.rawBytes(list[0].chunk, full);
        const bytes = new Uint8Array(list.reduce((sum, { chunk }) => sum + chunk.raw, 0));
        let at = 0;
        for (const { block, chunk } of list) {
          bytes.set(await block.rawBytes(chunk, full), at);
          at += chunk.raw;
        }
        return bytes;
      },
    };
  }

  /**
   * The free list, or the holes of a component table.
   * @param {Descriptor} table
   * @param {boolean} full
   */
  async list(table, full) {
    const place = this.places[table.number];
    if (place.pack >= 0) return (await this.packed(table)).list;
    const entries = new Uint32Array(table.listed);
    for (const [part, number] of place.freeList.entries()) {
      const block = await this.block(number, { table: table.name, part: 'free list' }, true);
      const at = part * kFreeListBlockEntries;
      const size = Math.min(kFreeListBlockEntries, table.listed - at) * 4;
      const chunk = block.chunks[0];
      if (block.chunks.length !== 1 || chunk.column !== 0 || chunk.piece !== 0) {
        block.fail('bad_chunk', 'a free list has one chunk');
      }
      const fault = faultOfChunk(chunk, 4);
      if (fault) block.fail(fault[0], fault[1], { chunk: 0 });
      if (chunk.raw !== size) block.fail('bad_free_list', `${chunk.raw} bytes of ${size}`);
      const bytes = await block.rawBytes(chunk, full);
      new Uint8Array(entries.buffer).set(bytes, at * 4);
    }
    return entries;
  }

  /** @param {Descriptor} table */
  async packed(table) {
    const number = this.places[table.number].pack;
    if (this.lastPack?.number !== number) {
      const block = await this.block(number, { part: 'pack' }, true);
      const bytes = block.content(this.frame.header.packsHaveChecksums);
      const where = { part: 'pack', offset: block.entry.offset + block.contentAt };
      this.lastPack = { number, tables: this.readPack(number, bytes, where) };
    }
    return /** @type {Packed} */ (this.lastPack?.tables.get(table.number));
  }

  /** @type {Descriptor[]} set by the snapshot */
  tables = [];

  /** @param {number} number @param {Uint8Array} bytes @param {import('./errors.js').Place} where */
  readPack(number, bytes, where) {
    const cursor = new Cursor(bytes, 'bad_pack', where);
    /** @type {Map<number, Packed>} */
    const packed = new Map();
    for (const table of this.tables) {
      if (this.places[table.number].pack !== number) continue;
      cursor.require(cursor.varint() === table.number, 'a table that is not the next one');
      cursor.where = { ...where, table: table.name };
      packed.set(table.number, readPacked(cursor, table));
    }
    cursor.end('the pack');
    return packed;
  }
}

/** @typedef {{source: ColumnSource, list: Uint32Array}} Packed */

/** @param {Cursor} cursor @param {Descriptor} table @returns {Packed} */
function readPacked(cursor, table) {
  const columns = new Map([[0, cursor.take(table.slots)]]);
  columns.set(1, unshuffle(cursor.take(table.slots * 4), 4));
  if (table.storage === 'dense') columns.set(2, unshuffle(cursor.take(table.live * 4), 4));
  for (const { number, width } of table.schema.columns) {
    const bytes = cursor.take(cursor.varint());
    cursor.require(bytes.length % width === 0, 'a size that is not a multiple of the width');
    columns.set(3 + number, width > 1 ? unshuffle(bytes, width) : bytes);
  }
  const list = new Uint32Array(unshuffle(cursor.take(table.listed * 4), 4).buffer);
  const bytesOf = (/** @type {number} */ column) => columns.get(column) ?? new Uint8Array(0);
  return {
    source: {
      where: cursor.where,
      size: (column) => bytesOf(column).length,
      load: async (column) => bytesOf(column).slice(),
    },
    list,
  };
}

/** The columns and pieces that come next in a row group. */
class ColumnOrder {
  /** @param {Descriptor} table */
  constructor(table) {
    this.table = table;
    this.column = -1;
    this.piece = 0;
    this.lastRaw = 0;
    /** @type {Block|undefined} */
    this.last = undefined;
  }

  /** @param {number} column */
  next(column) {
    return column === 1 && this.table.storage === 'stable' ? 3 : column + 1;
  }

  /** Whether the last column was seen. */
  get isEnd() {
    return this.next(this.column) === 3 + this.table.schema.columns.length;
  }

  /**
   * @param {import('./blocks.js').Chunk} chunk
   * @returns {[string, string]|undefined}
   */
  faultOf(chunk) {
    const { column, piece, raw } = chunk;
    if (column === this.column && piece === this.piece + 1) {
      if (this.lastRaw !== kMaxChunkRawBytes || raw === 0) {
        return ['bad_chunk', 'a piece of another size'];
      }
    } else if (this.isEnd || column !== this.next(this.column) || piece !== 0) {
      return ['bad_chunk', `column ${column}, piece ${piece} in another place`];
    }
    this.column = column;
    this.piece = piece;
    this.lastRaw = raw;
    const width = column === 0 ? 1 : column < 3 ? 4 : this.table.schema.columns[column - 3].width;
    return faultOfChunk(chunk, width);
  }
}

/** The name of a type of block. @param {number} type */
export function typeName(type) {
  return typeNames[type] || `type ${type}`;
}
