// FORMAT.md, sections 2.2 and 5.2 to 5.4: heads and payloads of blocks, indexes, and chunks.

import { HdbError } from './errors.js';
import { contentOf, readExtensions, tags } from './extensions.js';
import { kHeadBytes, kIndexed, marker } from './frame.js';
import { isKnown, padded } from './geometry.js';
import { chunkId, hash128, hash64 } from './hashes.js';
import { kMaxChunkRawBytes } from './limits.js';
import { Cursor, equalBytes, isZero, u64, viewOf } from './wire.js';
import { decompress, faultOfFrame } from './zstd.js';

/** @typedef {import('./frame.js').Entry} Entry */
/** @typedef {import('./errors.js').Place} Place */

const kIndexHead = 8;
const kChunkEntry = 56;
/** Blocks up to this size are read at once. */
const kSmallBlock = 1 << 18;

/**
 * @typedef {object} Chunk
 * @property {number} number in its block
 * @property {number} column
 * @property {number} piece
 * @property {number} filter
 * @property {number} codec
 * @property {number} width
 * @property {number} stored
 * @property {number} raw
 * @property {Uint8Array} rawHash
 * @property {Uint8Array} storedHash
 * @property {number} at where its stored bytes begin in the content
 */

/** A block of which the head and, if it has one, the index were checked. */
export class Block {
  /**
   * @param {import('./sources.js').Source} source
   * @param {Entry} entry
   * @param {Place} where
   */
  constructor(source, entry, where) {
    this.source = source;
    this.entry = entry;
    this.where = { ...where, offset: entry.offset };
    /**
     * What was read of the block, from its first byte on.
     * @type {Uint8Array}
     */
    this.bytes = new Uint8Array(0);
    /** @type {import('./extensions.js').Extension[]} */
    this.extensions = [];
    /** @type {Chunk[]} */
    this.chunks = [];
  }

  /** @param {string} code @param {string} what @param {Partial<Place>} [more] @returns {never} */
  fail(code, what, more = {}) {
    throw new HdbError(code, what, { ...this.where, ...more });
  }

  get contentAt() {
    return kHeadBytes + this.entry.extensionBytes;
  }

  /**
   * Bytes of the block, from `from` on.
   * @param {number} from
   * @param {number} size
   */
  async range(from, size) {
    if (from + size <= this.bytes.length) return this.bytes.subarray(from, from + size);
    return this.source.read(this.entry.offset + from, size);
  }

  /**
   * @param {Uint8Array} fileId
   * @param {boolean} whole whether all of the block is read at once
   */
  async open(fileId, whole) {
    const { entry } = this;
    const all = kHeadBytes + padded(entry.stored);
    const isWhole = whole || all <= kSmallBlock || !(entry.flags & kIndexed);
    const first = isWhole ? all : Math.min(all, this.contentAt + 4096);
    this.bytes = await this.source.read(entry.offset, first);
    this.checkHead(fileId);
    let hashed = entry.stored;
    if (entry.flags & kIndexed) {
      hashed = entry.extensionBytes + this.indexBytes();
      if (kHeadBytes + hashed > this.bytes.length) {
        this.bytes = await this.source.read(entry.offset, kHeadBytes + hashed);
      }
    }
    const payload = this.bytes.subarray(kHeadBytes, kHeadBytes + hashed);
    if (!equalBytes(hash64(payload), entry.payloadHash)) {
      this.fail('block_checksum', 'the hash of the payload does not match');
    }
    this.readExtensions();
    if (isWhole && !isZero(this.bytes.subarray(kHeadBytes + entry.stored))) {
      this.fail('bad_block_head', 'padding that is not zero');
    }
    if (entry.flags & kIndexed) this.readIndex();
    this.checkExtensions();
  }

  /** @param {Uint8Array} fileId */
  checkHead(fileId) {
    const { bytes, entry } = this;
    if (!equalBytes(bytes.subarray(0, 4), marker)) this.fail('bad_block_head', 'no block marker');
    if (!equalBytes(hash64(bytes.subarray(0, 64)), bytes.subarray(64, 72))) {
      this.fail('block_head_checksum', 'the hash of the head does not match');
    }
    if (!equalBytes(bytes.subarray(40, 56), fileId)) {
      this.fail('foreign_block', 'the block belongs to another file');
    }
    const same = (/** @type {number} */ at, /** @type {number} */ of, /** @type {number} */ size) =>
      equalBytes(bytes.subarray(at, at + size), entry.bytes.subarray(of, of + size));
    // Type, flags and extensions; table and part; group; sizes; payload hash.
    if (!same(4, 48, 4) || !same(8, 40, 8) || !same(16, 32, 8) || !same(24, 8, 16) ||
        !same(56, 24, 8)) {
      this.fail('bad_block_head', 'the head differs from the directory');
    }
  }

  /** The size of the index. */
  indexBytes() {
    const { entry } = this;
    const room = entry.stored - entry.extensionBytes;
    if (room < kIndexHead) this.fail('bad_chunk', 'a block without an index');
    const count = viewOf(this.bytes).getUint32(this.contentAt, true);
    const size = kIndexHead + count * kChunkEntry;
    if (count === 0 || size > room) this.fail('bad_chunk', `an index of ${count} chunks`);
    return size;
  }

  readExtensions() {
    const { extensionBytes } = this.entry;
    if (!extensionBytes) return;
    const cursor = new Cursor(this.bytes.subarray(kHeadBytes, this.contentAt), 'bad_block_head',
      this.where);
    this.extensions = readExtensions(cursor, 'head', false);
    const rest = cursor.take(cursor.left);
    if (rest.length >= 8 || !isZero(rest)) cursor.fail('extensions that do not fill their size');
  }

  checkExtensions() {
    const { entry } = this;
    const name = contentOf(this.extensions, tags.head.tableName);
    if (name) {
      if (isKnown(entry)) this.fail('bad_block_head', 'a table name of a known block');
      new Cursor(name, 'bad_block_head', this.where).nameOf(name);
    }
    const ids = contentOf(this.extensions, tags.head.chunkIds);
    if (ids && (!(entry.flags & kIndexed) || ids.length !== this.chunks.length * 32)) {
      this.fail('bad_chunk', 'another number of chunk ids');
    }
  }

  readIndex() {
    const { entry } = this;
    const bytes = this.bytes.subarray(this.contentAt, this.contentAt + this.indexBytes());
    const view = viewOf(bytes);
    if (view.getUint32(4, true) !== 0) this.fail('bad_chunk', 'reserved bytes of an index');
    let at = bytes.length;
    let raw = 0n;
    for (let i = kIndexHead; i < bytes.length; i += kChunkEntry) {
      const chunk = {
        number: this.chunks.length, column: view.getUint32(i, true),
        piece: view.getUint32(i + 4, true), filter: bytes[i + 8], codec: bytes[i + 9],
        width: bytes[i + 10], stored: u64(view, i + 16), raw: u64(view, i + 24),
        rawHash: bytes.subarray(i + 32, i + 48), storedHash: bytes.subarray(i + 48, i + 56), at,
      };
      if (!isZero(bytes.subarray(i + 11, i + 16))) {
        this.fail('bad_chunk', 'reserved bytes of a chunk', { chunk: chunk.number });
      }
      at += chunk.stored;
      raw += view.getBigUint64(i + 24, true);
      this.chunks.push(chunk);
    }
    if (at !== entry.stored - entry.extensionBytes) {
      this.fail('bad_chunk', 'the chunks do not fill the block');
    }
    // The sum does not wrap.
    if (raw !== viewOf(entry.bytes).getBigUint64(16, true)) {
      this.fail('bad_chunk', 'the raw size of the block is not that of its chunks');
    }
  }

  /**
   * The stored bytes of a chunk, whose hash is right.
   * @param {Chunk} chunk
   */
  async storedBytes(chunk) {
    const bytes = await this.range(this.contentAt + chunk.at, chunk.stored);
    if (!equalBytes(hash64(bytes), chunk.storedHash)) {
      this.fail('block_checksum', 'the hash of a chunk does not match',
        { chunk: chunk.number, column: chunk.column });
    }
    return bytes;
  }

  /** The content of a catalog or of a pack. @param {boolean} needsChecksum */
  content(needsChecksum) {
    const { raw } = this.entry;
    const stored = this.bytes.subarray(this.contentAt, kHeadBytes + this.entry.stored);
    if (stored.length === raw) return stored;
    const fault = faultOfFrame(stored, raw, needsChecksum);
    return (fault ? undefined : decompress(stored, raw)) ??
      this.fail('bad_compression', fault ?? 'a zstd frame that cannot be decompressed');
  }

  /**
   * The raw bytes of a chunk of a known block.
   * @param {Chunk} chunk
   * @param {boolean} full whether its raw hash and id are compared too
   */
  async rawBytes(chunk, full) {
    const where = { chunk: chunk.number, column: chunk.column };
    let bytes = await this.storedBytes(chunk);
    const filtered = filteredSize(chunk);
    if (chunk.codec === 1) {
      const fault = faultOfFrame(bytes, filtered, false);
      bytes = (fault ? undefined : decompress(bytes, filtered)) ??
        this.fail('bad_compression', fault ?? 'a frame that cannot be decompressed', where);
    }
    const raw = unfilter(bytes, chunk);
    if (!full) return raw;
    if (!equalBytes(hash128(raw), chunk.rawHash)) {
      this.fail('raw_hash_mismatch', 'the raw hash of a chunk does not match', where);
    }
    const ids = contentOf(this.extensions, tags.head.chunkIds);
    const at = chunk.number * 32;
    if (ids && !equalBytes(chunkId(raw), ids.subarray(at, at + 32))) {
      this.fail('raw_hash_mismatch', 'the id of a chunk does not match', where);
    }
    return raw;
  }

  /** What a decoder checks of a block whose type it does not know. */
  async checkUnknown() {
    for (const chunk of this.chunks) await this.storedBytes(chunk);
  }
}

/** @param {Chunk} chunk */
function filteredSize({ filter, width, raw }) {
  return filter === 1 ? width : raw;
}

/**
 * What is wrong with a chunk of a column, or undefined.
 * @param {Chunk} chunk
 * @param {number} width of the values
 * @returns {[string, string]|undefined} code and words
 */
export function faultOfChunk(chunk, width) {
  const { filter, codec, raw, stored } = chunk;
  if (chunk.width !== width) return ['bad_chunk', `values of width ${chunk.width}`];
  if (filter > 3 || codec > 1) return ['bad_chunk', 'an unknown filter or codec'];
  if (raw > kMaxChunkRawBytes) return ['bad_chunk', `a chunk of ${raw} bytes`];
  if (raw % width) return ['bad_chunk', 'a size that is not a multiple of the width'];
  const several = raw / width >= 2;
  const fits = filter === 0 || (several && (filter === 1 || width >= (filter === 3 ? 4 : 2)));
  if (!fits) return ['bad_filter', `filter ${filter} of ${raw} bytes of width ${width}`];
  const filtered = filteredSize(chunk);
  if (codec === 0 ? stored !== filtered : stored >= filtered) {
    return ['bad_chunk', `${stored} bytes stored of ${filtered}`];
  }
  return undefined;
}

/**
 * @param {Uint8Array} bytes filtered
 * @param {{filter: number, width: number, raw: number}} chunk
 */
export function unfilter(bytes, { filter, width, raw }) {
  if (filter === 0) return bytes;
  if (filter === 1) return repeated(bytes, raw);
  const values = unshuffle(bytes, width);
  if (filter === 3 && width === 4) {
    const numbers = new Uint32Array(values.buffer);
    for (let i = 1; i < numbers.length; ++i) numbers[i] += numbers[i - 1];
  } else if (filter === 3) {
    // Two halves with a carry: faster than 64-bit numbers of JavaScript.
    const halves = new Uint32Array(values.buffer);
    for (let i = 2; i < halves.length; i += 2) {
      const low = halves[i] + halves[i - 2];
      halves[i] = low;
      halves[i + 1] += halves[i - 1] + (low > 0xffffffff ? 1 : 0);
    }
  }
  return values;
}

/** @param {Uint8Array} value @param {number} size */
function repeated(value, size) {
  const bytes = new Uint8Array(size);
  bytes.set(value);
  for (let done = value.length; done < size; done *= 2) {
    bytes.copyWithin(done, 0, Math.min(done, size - done));
  }
  return bytes;
}

/**
 * @param {Uint8Array} bytes
 * @param {number} width
 */
export function unshuffle(bytes, width) {
  const count = bytes.length / width;
  const values = new Uint8Array(bytes.length);
  for (let k = 0; k < width; ++k) {
    for (let i = 0, at = k, from = k * count; i < count; ++i, at += width) {
      values[at] = bytes[from + i];
    }
  }
  return values;
}
