// The bytes of a new file (FORMAT.md, sections 2 to 5): blocks that are copied or made, catalog,
// directory, footer.

import { storedList, kSafeToCopy, tags } from './extensions.js';
import {
  blockFlags, directoryMagic, footerMagic, kEntryBytes, kHeadBytes, kHeaderBytes, marker, signature,
  types,
} from './frame.js';
import { hash128, hash64 } from './hashes.js';
import { kFreeListBlockEntries, kMaxChunkRawBytes, kMaxPartRawBytes } from './limits.js';
import { Output, bytesOfText } from './wire.js';

/** @typedef {import('./catalog.js').Descriptor} Descriptor */
/** @typedef {import('./write_slots.js').EditedSlots} EditedSlots */

/** Chunks of a part whose ids fit one extension. */
const kMaxChunksOfPart = 2048;

/** @typedef {{column: number, width: number, bytes: Uint8Array}} StoredColumn of a row group */
/** @typedef {{column: number, piece: number, width: number, raw: Uint8Array}} Piece */

/** @param {Uint8Array} bytes @param {number} width */
function areEqual(bytes, width) {
  for (let i = width; i < bytes.length; ++i) if (bytes[i] !== bytes[i - width]) return false;
  return bytes.length >= 2 * width;
}

/** @param {StoredColumn[]} columns @returns {Piece[]} */
function piecesOf(columns) {
  return columns.flatMap(({ column, width, bytes }) => {
    const pieces = [];
    for (let at = 0, piece = 0; at === 0 || at < bytes.length; at += kMaxChunkRawBytes, ++piece) {
      pieces.push({ column, piece, width, raw: bytes.subarray(at, at + kMaxChunkRawBytes) });
    }
    return pieces;
  });
}

/** The content of an indexed block. @param {Piece[]} pieces */
function indexedContent(pieces) {
  const index = new Output(8 + pieces.length * 56);
  index.number(pieces.length, 4);
  index.number(0, 4);
  const stored = pieces.map(({ column, piece, width, raw }) => {
    const isConstant = areEqual(raw, width);
    const bytes = isConstant ? raw.subarray(0, width) : raw;
    index.number(column, 4);
    index.number(piece, 4);
    index.put(Uint8Array.of(isConstant ? 1 : 0, 0, width, 0, 0, 0, 0, 0));
    index.number(bytes.length, 8);
    index.number(raw.length, 8);
    index.put(hash128(raw));
    index.put(hash64(bytes));
    return bytes;
  });
  const indexSize = index.at;
  for (const bytes of stored) index.put(bytes);
  return { payload: index.taken(), payloadHash: hash64(index.bytes.subarray(0, indexSize)) };
}

/** Collects the parts of a file. */
export class FileBuilder {
  /** @param {Uint8Array} fileId */
  constructor(fileId) {
    this.fileId = fileId;
    /** @type {(Uint8Array|Blob)[]} */
    this.parts = [];
    this.size = 0;
    this.entries = new Output(kEntryBytes * 16);
    const header = new Output(kHeaderBytes);
    header.put(signature);
    header.number(0, 2);
    header.number(10, 2);
    header.put(new Uint8Array(28));
    header.put(fileId);
    this.put(this.sealed(header));
  }

  /** @param {Output} output */
  sealed(output) {
    output.put(hash64(output.taken()));
    return output.taken();
  }

  /** @param {Uint8Array|Blob} part */
  put(part) {
    const size = part instanceof Blob ? part.size : part.length;
    if (size) this.parts.push(part);
    this.size += size;
  }

  /**
   * @param {{type: number, flags?: number, table?: number, part?: number, group?: number|bigint,
   *   raw: number|bigint, extensionBytes?: number, payloadHash: Uint8Array}} head
   * @param {Uint8Array|Blob} payload
   */
  block(head, payload) {
    const stored = payload instanceof Blob ? payload.size : payload.length;
    const view = new DataView(new ArrayBuffer(48));
    view.setUint8(0, head.type);
    view.setUint8(1, head.flags ?? blockFlags[head.type]);
    view.setUint16(2, (head.extensionBytes ?? 0) / 8, true);
    view.setUint32(4, head.table ?? 0, true);
    view.setUint32(8, head.part ?? 0, true);
    view.setBigUint64(12, BigInt(head.group ?? 0), true);
    view.setBigUint64(20, BigInt(stored), true);
    view.setBigUint64(28, BigInt(head.raw), true);
    const bytes = new Uint8Array(view.buffer);
    const made = new Output(kHeadBytes);
    made.put(marker);
    made.put(bytes.subarray(0, 36));
    made.put(this.fileId);
    made.put(head.payloadHash);
    this.entries.number(this.size, 8);
    this.entries.put(bytes.subarray(20, 36));
    this.entries.put(head.payloadHash);
    this.entries.put(bytes.subarray(12, 20));
    this.entries.put(bytes.subarray(4, 12));
    this.entries.put(bytes.subarray(0, 4));
    this.entries.number(0, 4);
    this.put(this.sealed(made));
    this.put(payload);
    this.put(new Uint8Array((8 - (stored % 8)) % 8));
  }

  /** @param {number} type @param {Uint8Array} content @param {object} [place] */
  stored(type, content, place = {}) {
    this.block({ type, raw: content.length, payloadHash: hash64(content), ...place }, content);
  }

  /** @param {number} table @param {number} group @param {StoredColumn[]} columns */
  rows(table, group, columns) {
    /** @type {Piece[][]} */
    const parts = [[]];
    let size = 0;
    for (const piece of piecesOf(columns)) {
      const last = parts[parts.length - 1];
      size += piece.raw.length;
      if (last.length && (size > kMaxPartRawBytes || last.length === kMaxChunksOfPart)) {
        parts.push([piece]);
        size = piece.raw.length;
      } else {
        last.push(piece);
      }
    }
    parts.forEach((pieces, part) => this.indexed(types.rows, { table, group, part }, pieces));
  }

  /** @param {number} type @param {object} place @param {Piece[]} pieces */
  indexed(type, place, pieces) {
    const { payload, payloadHash } = indexedContent(pieces);
    const raw = pieces.reduce((sum, piece) => sum + piece.raw.length, 0);
    this.block({ type, raw, payloadHash, ...place }, payload);
  }

  /** @param {number} table @param {Uint32Array} list */
  freeList(table, list) {
    for (let at = 0, part = 0; at < list.length; at += kFreeListBlockEntries, ++part) {
      const raw = bytesOfNumbers(list.slice(at, at + kFreeListBlockEntries));
      this.indexed(types.freeList, { table, part }, [{ column: 0, piece: 0, width: 4, raw }]);
    }
  }

  /** Ends the file. @param {Uint8Array} stateHash */
  end(stateHash) {
    const directory = new Output(32 + this.entries.at);
    directory.put(directoryMagic);
    directory.put(this.fileId);
    directory.number(this.entries.at / kEntryBytes, 8);
    directory.put(this.entries.taken());
    const bytes = directory.taken();
    const footer = new Output(64);
    footer.number(this.size, 8);
    footer.number(bytes.length, 8);
    footer.put(hash64(bytes));
    footer.number(this.size + bytes.length + 64, 8);
    footer.put(stateHash);
    footer.put(footerMagic);
    return { parts: [...this.parts, bytes, this.sealed(footer)],
      size: this.size + bytes.length + 64 };
  }
}

/** @param {Uint32Array} numbers */
export function bytesOfNumbers(numbers) {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/**
 * The content of a pack for one table (section 5.10).
 * @param {Descriptor} table
 * @param {StoredColumn[]} columns
 * @param {Uint32Array} list
 */
export function packedContent(table, columns, list) {
  const output = new Output();
  output.varint(table.number);
  for (const { column, width, bytes } of columns) {
    if (column >= 3) output.varint(bytes.length);
    output.put(shuffled(bytes, width));
  }
  output.put(shuffled(bytesOfNumbers(list), 4));
  return output.taken();
}

/** @param {Uint8Array} bytes @param {number} width */
function shuffled(bytes, width) {
  const count = bytes.length / width;
  const made = new Uint8Array(bytes.length);
  for (let i = 0; i < count; ++i) {
    for (let k = 0; k < width; ++k) made[k * count + i] = bytes[i * width + k];
  }
  return made;
}

/**
 * A descriptor after edits.
 * @param {Descriptor} table
 * @param {EditedSlots} edited
 */
function descriptorBytes(table, edited) {
  const { bytes, nameBytes, tail } = table;
  const output = new Output(bytes.length + 16);
  const { slots, live, retired, free, counter, highestGeneration } = edited.numbers;
  // The name with its size, then what edits do not change, up to the group shift.
  const nameEnd = nameBytes.length + (nameBytes.length < 128 ? 1 : 2);
  output.put(bytes.subarray(0, nameEnd + 2 + 4 + 3 + 4 + 2));
  for (const number of [slots, live, retired, free]) output.number(number, 8);
  output.number(counter, 4);
  output.number(highestGeneration, 4);
  output.put(tail);
  // As hdbinspect set, an edit of fields keeps how far the table is sorted.
  const kept = table.extensions.filter(({ flags, tag }) => flags & kSafeToCopy ||
    (tag === tags.table.sortWork && !edited.moved));
  output.put(storedList(kept.map((extension) => (extension.tag === tags.table.component &&
    table.component ? { ...extension, content: componentContent(table, edited) } : extension))));
  return output.taken();
}

/** @param {Descriptor} table @param {EditedSlots} edited */
function componentContent(table, edited) {
  const output = new Output();
  output.text(bytesOfText(table.ownerName));
  output.number(table.component?.removal === 'inPlace' ? 1 : 0, 1);
  output.varint(edited.list.length);
  return output.taken();
}

/**
 * @param {import('./catalog.js').Catalog} catalog
 * @param {Map<number, EditedSlots>} edited by number of the table
 */
export function catalogBytes(catalog, edited) {
  const output = new Output();
  const put = (/** @type {Uint8Array} */ bytes) => {
    output.number(bytes.length, 4);
    output.put(bytes);
  };
  output.number(catalog.schemas.length, 4);
  for (const { bytes } of catalog.schemas) put(bytes);
  output.number(catalog.tables.length, 4);
  for (const table of catalog.tables) {
    const slots = edited.get(table.number);
    put(slots ? descriptorBytes(table, slots) : table.bytes);
  }
  output.number(catalog.highestTypeId, 2);
  const kept = catalog.extensions.filter(({ flags }) => edited.size === 0 || flags & kSafeToCopy);
  if (kept.length) output.put(storedList(kept));
  return output.taken();
}
