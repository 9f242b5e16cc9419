// FORMAT.md, sections 1 and 7: hash64, hash128, row hashes and pages, computed by WebAssembly.
// Hashes are bytes as the file has them, little-endian: 8 of a hash64, 16 of a hash128.

import { blake2b } from '@noble/hashes/blake2.js';
import wasm from './hashes_wasm.js';
import { Output } from './wire.js';

/**
 * @typedef {object} Exports
 * @property {WebAssembly.Memory} memory
 * @property {() => number} heap
 * @property {(data: number, size: number, out: number) => void} hash64
 * @property {(data: number, size: number, seed: bigint, out: number) => void} hash128
 * @property {() => void} begin
 * @property {(data: number, size: number) => void} more
 * @property {(out: number) => void} end
 * @property {(slot: number, generation: number, position: number) => bigint} seed
 * @property {(states: number, generations: number, positions: number, rows: number, ends: number,
 *   slot: number, count: number, sum: number) => number} rows
 * @property {(slot: number, generation: number, position: number) => void} row_begin
 * @property {(data: number, size: number) => void} row_more
 * @property {(sum: number) => void} row_end
 * @property {(entries: number, count: number, page: number, sum: number) => void} pages
 */

/** @type {Exports} */
let calls;
/** @type {Uint8Array} */
let heap;
let out = 0; // 32 bytes for results
let data = 0; // what follows them is for data
const kPiece = 1 << 20;

/** @type {Promise<void>|undefined} */
let ready;

/** Must end before any other call of this module. */
export function hashesReady() {
  ready ??= WebAssembly.instantiate(bytesOfBase64(wasm), {}).then(({ instance }) => {
    calls = /** @type {Exports} */ (/** @type {unknown} */ (instance.exports));
    out = (calls.heap() + 15) & ~15;
    data = out + 32;
    reserve(kPiece);
  });
  return ready;
}

/** @param {string} text */
export function bytesOfBase64(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/**
 * Makes room for `size` bytes of data.
 * @param {number} size
 */
function reserve(size) {
  const missing = data + size - calls.memory.buffer.byteLength;
  if (missing > 0) calls.memory.grow((missing + 65535) >>> 16);
  if (heap?.buffer !== calls.memory.buffer) heap = new Uint8Array(calls.memory.buffer);
}

/** @param {Uint8Array} bytes */
export function hash64(bytes) {
  if (bytes.length <= kPiece) {
    heap.set(bytes, data);
    calls.hash64(data, bytes.length, out);
  } else {
    calls.begin();
    for (let at = 0; at < bytes.length; at += kPiece) {
      const piece = bytes.subarray(at, at + kPiece);
      heap.set(piece, data);
      calls.more(data, piece.length);
    }
    calls.end(out);
  }
  return heap.slice(out, out + 8);
}

/**
 * @param {Uint8Array} bytes
 * @param {bigint} [seed]
 */
export function hash128(bytes, seed = 0n) {
  reserve(bytes.length);
  heap.set(bytes, data);
  calls.hash128(data, bytes.length, seed, out);
  return heap.slice(out, out + 16);
}

/**
 * The seed of a slot (section 7).
 * @param {number} slot
 * @param {number} generation
 * @param {number} position
 */
export function seedOf(slot, generation, position) {
  return BigInt.asUintN(64, calls.seed(slot, generation, position));
}

/** The sum of the row hashes of slots, which come in rising order. */
export class RowHashes {
  constructor() {
    this.sum = new Uint8Array(16);
  }

  /**
   * @param {number} slot the first one
   * @param {Uint8Array} states
   * @param {Uint32Array} generations
   * @param {Uint32Array|null} positions of the live slots; of dense tables
   * @param {Uint8Array} rows bytes of the live slots, one after another
   * @param {Uint32Array} ends where those of each live slot end
   */
  add(slot, states, generations, positions, rows, ends) {
    const live = ends.length;
    const at = [states.length, generations.length * 4, live * 4, live * 4].map((size) =>
      (size + 7) & ~7);
    const places = [data];
    for (const size of at) places.push(places[places.length - 1] + size);
    reserve(places[4] - data + rows.length);
    heap.set(states, places[0]);
    heap.set(bytesOf(generations), places[1]);
    if (positions) heap.set(bytesOf(positions), places[2]);
    heap.set(bytesOf(ends), places[3]);
    heap.set(rows, places[4]);
    heap.set(this.sum, out);
    calls.rows(places[0], places[1], positions ? places[2] : 0, places[4], places[3], slot,
      states.length, out);
    this.sum = heap.slice(out, out + 16);
  }
}

/** The bytes of large rows, which are hashed while they are written. */
export class RowStream extends Output {
  /** @param {RowHashes} hashes gets the row hashes */
  constructor(hashes) {
    super(kPiece);
    this.hashes = hashes;
  }

  flush() {
    heap.set(this.taken(), data);
    calls.row_more(data, this.taken().length);
    this.at = 0;
  }

  /** @param {number} size */
  reserve(size) {
    if (this.at + size > this.bytes.length) this.flush();
  }

  /** @param {Uint8Array} bytes */
  put(bytes) {
    for (let from = 0; from < bytes.length; from += kPiece) {
      const piece = bytes.subarray(from, from + kPiece);
      this.reserve(piece.length);
      this.bytes.set(piece, this.at);
      this.at += piece.length;
    }
  }

  /**
   * Adds the row hash of what `write` writes.
   * @param {number} slot
   * @param {number} generation
   * @param {number} position
   * @param {() => void} write
   */
  row(slot, generation, position, write) {
    calls.row_begin(slot, generation, position);
    write();
    this.flush();
    heap.set(this.hashes.sum, out);
    calls.row_end(out);
    this.hashes.sum = heap.slice(out, out + 16);
  }
}

/**
 * The sum of the hashes of the pages of a sequence of slots.
 * @param {Uint32Array} entries
 */
export function freeListHash(entries) {
  heap.fill(0, out, out + 16);
  const step = kPiece / 4; // a multiple of the entries of a page
  for (let at = 0; at < entries.length; at += step) {
    const piece = entries.subarray(at, at + step);
    heap.set(bytesOf(piece), data);
    calls.pages(data, piece.length, at / 4096, out);
  }
  return heap.slice(out, out + 16);
}

/**
 * The id of a chunk (section 2.7).
 * @param {Uint8Array} bytes
 */
export function chunkId(bytes) {
  return blake2b(bytes, { dkLen: 32 });
}

/** @param {Uint32Array} numbers */
function bytesOf(numbers) {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/**
 * As tools print a hash: most significant digits first.
 * @param {Uint8Array} hash
 */
export function hashText(hash) {
  return Array.from(hash).reverse().map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
