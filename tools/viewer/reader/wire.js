// FORMAT.md, section 1: numbers, varints, texts and names in bytes.

import { HdbError } from './errors.js';
import { kMaxNameBytes } from './limits.js';

/** @typedef {import('./errors.js').Place} Place */

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenientDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/**
 * A u64; above 2^53 it is not exact, but then it is above every maximum too.
 * @param {DataView} view
 * @param {number} at
 */
export function u64(view, at) {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
}

/**
 * @param {Uint8Array} a
 * @param {Uint8Array} b
 */
export function equalBytes(a, b) {
  return a.length === b.length && compareBytes(a, b) === 0;
}

/**
 * Below 0, 0 or above 0, as the bytes are ordered.
 * @param {Uint8Array} a
 * @param {Uint8Array} b
 */
export function compareBytes(a, b) {
  const size = Math.min(a.length, b.length);
  for (let i = 0; i < size; ++i) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}

/** @param {Uint8Array} bytes */
export function viewOf(bytes) {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** @param {Uint8Array} bytes */
export function isZero(bytes) {
  return bytes.every((byte) => byte === 0);
}

/**
 * The text of well-formed UTF-8, or undefined.
 * @param {Uint8Array} bytes
 */
export function textOf(bytes) {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * A text for messages, of any bytes.
 * @param {Uint8Array} bytes
 */
export function shownText(bytes) {
  return lenientDecoder.decode(bytes);
}

/**
 * Bytes as a text of as many characters, for sets of names.
 * @param {Uint8Array} bytes
 */
export function binaryText(bytes) {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return text;
}

/** @param {string} text */
export function bytesOfText(text) {
  return encoder.encode(text);
}

/**
 * Whether each text of a column is well-formed UTF-8. The whole is, and none begins inside a
 * character.
 * @param {Uint8Array} bytes
 * @param {ArrayLike<number>} offsets
 */
export function areTexts(bytes, offsets) {
  for (let i = 0; i + 1 < offsets.length; ++i) {
    const at = offsets[i];
    if (at < bytes.length && (bytes[at] & 0xc0) === 0x80) return false;
  }
  return isText(bytes);
}

/**
 * @param {Uint8Array} bytes
 */
export function isText(bytes) {
  for (let i = 0; i < bytes.length;) {
    const first = bytes[i];
    if (first < 0x80) {
      ++i;
      continue;
    }
    const more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc2 || first > 0xf4 || i + more >= bytes.length) return false;
    const second = bytes[i + 1];
    const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    if (second < low || second > high) return false;
    for (let k = 2; k <= more; ++k) if ((bytes[i + k] & 0xc0) !== 0x80) return false;
    i += more + 1;
  }
  return true;
}

/** Reads values one after another; a fault is an error with the code of the part. */
export class Cursor {
  /**
   * @param {Uint8Array} bytes
   * @param {string} code of errors
   * @param {Place} where of errors; its offset is that of the first byte
   */
  constructor(bytes, code, where) {
    this.bytes = bytes;
    this.view = viewOf(bytes);
    this.at = 0;
    this.code = code;
    this.where = where;
  }

  get left() {
    return this.bytes.length - this.at;
  }

  /**
   * @param {string} what
   * @returns {never}
   */
  fail(what) {
    const { offset } = this.where;
    const place = offset === undefined ? this.where : { ...this.where, offset: offset + this.at };
    throw new HdbError(this.code, what, place);
  }

  /**
   * @param {boolean} condition
   * @param {string} what
   */
  require(condition, what) {
    if (!condition) this.fail(what);
  }

  /** @param {number} size */
  take(size) {
    if (size > this.left) this.fail(`${size} bytes are expected, ${this.left} are there`);
    return this.bytes.subarray(this.at, this.at += size);
  }

  u8() {
    return this.take(1)[0];
  }

  u16() {
    this.take(2);
    return this.view.getUint16(this.at - 2, true);
  }

  u32() {
    this.take(4);
    return this.view.getUint32(this.at - 4, true);
  }

  u64() {
    this.take(8);
    return u64(this.view, this.at - 8);
  }

  varint() {
    let value = 0;
    let scale = 1;
    for (let i = 0; ; ++i) {
      const byte = this.u8();
      if (i === 9 && byte > 1) this.fail('a varint has more than 64 bits');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        if (byte === 0 && i > 0) this.fail('a varint is longer than needed');
        return value;
      }
      scale *= 128;
    }
  }

  /**
   * The bytes of a text of at most `limit` bytes.
   * @param {number} [limit]
   */
  textBytes(limit = Infinity) {
    const size = this.varint();
    if (size > limit) this.fail(`a text has ${size} bytes, at most ${limit} are allowed`);
    const bytes = this.take(size);
    if (!isText(bytes)) this.fail('a text is not UTF-8');
    return bytes;
  }

  text(limit = Infinity) {
    return shownText(this.textBytes(limit));
  }

  name() {
    return this.nameOf(this.textBytes(kMaxNameBytes));
  }

  /** @param {Uint8Array} bytes */
  nameOf(bytes) {
    if (bytes.length === 0 || bytes.length > kMaxNameBytes) this.fail('a name has 1 to 255 bytes');
    if (!isText(bytes)) this.fail('a name is not UTF-8');
    for (const byte of bytes) {
      if (byte < 0x20 || byte === 0x7f) this.fail('a name has control characters');
    }
    return shownText(bytes);
  }

  /** @param {string} what */
  end(what) {
    if (this.left) this.fail(`${what} ends ${this.left} bytes too early`);
  }
}

/** Collects bytes. */
export class Output {
  constructor(size = 256) {
    this.bytes = new Uint8Array(size);
    this.at = 0;
  }

  /** @param {number} size */
  reserve(size) {
    if (this.at + size <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.at + size));
    grown.set(this.bytes.subarray(0, this.at));
    this.bytes = grown;
  }

  /** @param {Uint8Array} bytes */
  put(bytes) {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }

  /**
   * An unsigned number below 2^53.
   * @param {number} value
   * @param {number} width
   */
  number(value, width) {
    this.reserve(width);
    for (let i = 0; i < width; ++i) {
      this.bytes[this.at++] = value % 256;
      value = Math.floor(value / 256);
    }
  }

  /** @param {number} value */
  varint(value) {
    this.reserve(10);
    while (value >= 128) {
      this.bytes[this.at++] = value % 128 + 128;
      value = Math.floor(value / 128);
    }
    this.bytes[this.at++] = value;
  }

  /** @param {Uint8Array} bytes */
  text(bytes) {
    this.varint(bytes.length);
    this.put(bytes);
  }

  taken() {
    return this.bytes.subarray(0, this.at);
  }
}
