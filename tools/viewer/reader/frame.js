// FORMAT.md, sections 2.1, 2.5 and 2.6: header, directory and footer.

import { HdbError } from './errors.js';
import { hash64 } from './hashes.js';
import { kMaxBlocks, kMaxFileBytes } from './limits.js';
import { compareBytes, equalBytes, isZero, u64, viewOf } from './wire.js';

export const kHeaderBytes = 64;
export const kFooterBytes = 64;
export const kHeadBytes = 72;
export const kEntryBytes = 56;
const kDirectoryHead = 32;

export const signature = bytesOfHex('894844420d0a1a0a');
export const directoryMagic = bytesOfHex('4844424449520d0a');
export const footerMagic = bytesOfHex('484442454e440d0a');
export const marker = bytesOfHex('b1484442');

/** Numbers of block types. */
export const types = { metadata: 1, thumbnail: 2, catalog: 3, rows: 4, freeList: 5, pack: 6 };
export const typeNames = ['', 'metadata', 'thumbnail', 'catalog', 'rows', 'free_list', 'pack'];
export const kCriticalBlock = 1;
export const kSafeToCopyBlock = 2;
export const kIndexed = 4;
/** Flags of the known types. */
export const blockFlags = [0, 1, 2, 1, 5, 5, 1];

/** @param {string} text */
export function bytesOfHex(text) {
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = parseInt(text.slice(i * 2, i * 2 + 2), 16);
  return bytes;
}

/**
 * @typedef {object} Header
 * @property {{major: number, minor: number}} version
 * @property {Uint8Array} fileId
 * @property {boolean} rewritable whether no unknown bit forbids to rewrite the file
 * @property {boolean} packsHaveChecksums
 */

/**
 * @param {Uint8Array} bytes
 * @returns {Header}
 */
function readHeader(bytes) {
  const where = { part: 'header', offset: 0 };
  if (compareBytes(bytes.subarray(0, 4), signature.subarray(0, 4)) !== 0) {
    throw new HdbError('bad_signature', 'the file is not an hdb file', where);
  }
  if (!equalBytes(bytes.subarray(0, 8), signature)) {
    throw new HdbError('text_mode_damage', 'a transfer in text mode changed the file', where);
  }
  if (!equalBytes(hash64(bytes.subarray(0, 56)), bytes.subarray(56))) {
    throw new HdbError('header_checksum', 'the hash of the header does not match', where);
  }
  const view = viewOf(bytes);
  const major = view.getUint16(8, true);
  const minor = view.getUint16(10, true);
  const version = `version ${major}.${minor}`;
  if (major === 0 && minor < 9) throw new HdbError('old_draft', `the file has ${version}`, where);
  if (major > 1 || (major === 0 && minor > 10)) {
    throw new HdbError('newer_version', `the file has ${version}`, where);
  }
  if (!isZero(bytes.subarray(16, 24))) {
    throw new HdbError('unknown_feature', 'the file needs a feature that is unknown', where);
  }
  if (!isZero(bytes.subarray(12, 16))) {
    throw new HdbError('bad_header', 'reserved bytes of the header', where);
  }
  return {
    version: { major, minor }, fileId: bytes.slice(40, 56),
    rewritable: isZero(bytes.subarray(24, 32)),
    packsHaveChecksums: major > 0 || minor > 9,
  };
}

/** The entries of a directory; each is read when it is asked for. */
export class Directory {
  /** @param {Uint8Array} bytes the directory */
  constructor(bytes) {
    this.bytes = bytes;
    this.view = viewOf(bytes);
    this.count = (bytes.length - kDirectoryHead) / kEntryBytes;
  }

  /** @param {number} i */
  type(i) {
    return this.bytes[kDirectoryHead + i * kEntryBytes + 48];
  }

  /** @param {number} i */
  flags(i) {
    return this.bytes[kDirectoryHead + i * kEntryBytes + 49];
  }

  /** @param {number} i */
  entry(i) {
    const at = kDirectoryHead + i * kEntryBytes;
    return {
      number: i,
      offset: u64(this.view, at),
      stored: u64(this.view, at + 8),
      raw: u64(this.view, at + 16),
      payloadHash: this.bytes.subarray(at + 24, at + 32),
      group: u64(this.view, at + 32),
      table: this.view.getUint32(at + 40, true),
      part: this.view.getUint32(at + 44, true),
      type: this.bytes[at + 48],
      flags: this.bytes[at + 49],
      extensionBytes: this.view.getUint16(at + 50, true) * 8,
      bytes: this.bytes.subarray(at, at + kEntryBytes),
    };
  }
}
/** @typedef {ReturnType<Directory['entry']>} Entry */

/**
 * @typedef {object} Frame
 * @property {Header} header
 * @property {Directory} directory
 * @property {number} directoryOffset
 * @property {Uint8Array} stateHash
 */

/**
 * Checks 1 to 3 of section 8.2.
 * @param {import('./sources.js').Source} source
 * @param {import('./limits.js').Limits} most
 * @returns {Promise<Frame>}
 */
export async function readFrame(source, most) {
  const { size } = source;
  const head = await source.read(0, Math.min(size, kHeaderBytes));
  if (size < kHeaderBytes) {
    const isStart = compareBytes(head.subarray(0, 8), signature.subarray(0, size)) === 0;
    throw new HdbError(isStart && size ? 'truncated' : 'bad_signature',
      `the file has ${size} bytes`, { part: 'header', offset: 0 });
  }
  const header = readHeader(head);
  if (size > kMaxFileBytes) throw new HdbError('bad_footer', `the file has ${size} bytes`);
  if (size > most.maxFileBytes) {
    throw new HdbError('limit_exceeded', `the file has ${size} bytes, the limit is ` +
      `${most.maxFileBytes}`);
  }
  const footerAt = size - kFooterBytes;
  const where = { part: 'footer', offset: footerAt };
  if (footerAt < kHeaderBytes) throw new HdbError('truncated', 'the file has no footer', where);
  const footer = await source.read(footerAt, kFooterBytes);
  if (!equalBytes(footer.subarray(48, 56), footerMagic)) {
    throw new HdbError('truncated', 'the file does not end with a footer', where);
  }
  if (!equalBytes(hash64(footer.subarray(0, 56)), footer.subarray(56))) {
    throw new HdbError('footer_checksum', 'the hash of the footer does not match', where);
  }
  const view = viewOf(footer);
  const directoryOffset = u64(view, 0);
  const directorySize = u64(view, 8);
  if (u64(view, 24) !== size) {
    throw new HdbError(u64(view, 24) > size ? 'truncated' : 'bad_footer',
      `the file has ${size} bytes, its footer says ${u64(view, 24)}`, where);
  }
  const blocks = (directorySize - kDirectoryHead) / kEntryBytes;
  if (directoryOffset + directorySize !== footerAt || directoryOffset % 8 !== 0 ||
      directoryOffset < kHeaderBytes || !Number.isInteger(blocks) || blocks < 0 ||
      blocks > kMaxBlocks) {
    throw new HdbError('bad_footer', 'place or size of the directory is wrong', where);
  }
  if (directorySize > most.maxDirectoryBytes || blocks > most.maxBlocks) {
    throw new HdbError('limit_exceeded', `${blocks} blocks, more than the limits allow`, where);
  }
  const directory = await readDirectory(source, directoryOffset, directorySize,
    footer.subarray(16, 24), header.fileId);
  return { header, directory, directoryOffset, stateHash: footer.slice(32, 48) };
}

/**
 * @param {import('./sources.js').Source} source
 * @param {number} offset
 * @param {number} size
 * @param {Uint8Array} hash
 * @param {Uint8Array} fileId
 */
async function readDirectory(source, offset, size, hash, fileId) {
  const where = { part: 'directory', offset };
  const bytes = await source.read(offset, size);
  if (!equalBytes(hash64(bytes), hash)) {
    throw new HdbError('directory_checksum', 'the hash of the directory does not match', where);
  }
  if (!equalBytes(bytes.subarray(0, 8), directoryMagic)) {
    throw new HdbError('bad_directory', 'the directory has another magic', where);
  }
  if (!equalBytes(bytes.subarray(8, 24), fileId)) {
    throw new HdbError('foreign_block', 'the directory belongs to another file', where);
  }
  const directory = new Directory(bytes);
  if (u64(directory.view, 24) !== directory.count) {
    throw new HdbError('bad_directory', 'another number of blocks', where);
  }
  for (let i = 0; i < directory.count; ++i) {
    const type = directory.type(i);
    if (type >= typeNames.length && directory.flags(i) & kCriticalBlock) {
      throw new HdbError('unknown_block', `block ${i} has type ${type}, which the file needs`,
        { offset: directory.entry(i).offset });
    }
  }
  return directory;
}
