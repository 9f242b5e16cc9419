// FORMAT.md, section 3.1: metadata.

import { Cursor, compareBytes, shownText } from './wire.js';

/**
 * @typedef {object} Metadata
 * @property {bigint} sequence
 * @property {bigint} playTimeMs
 * @property {bigint} dateMs since 1970-01-01 UTC; 0: none
 * @property {string} title
 * @property {[string, string][]} pairs
 */

/**
 * @param {Uint8Array} bytes
 * @param {number} offset of errors
 * @returns {Metadata}
 */
export function readMetadata(bytes, offset) {
  const cursor = new Cursor(bytes, 'bad_metadata', { part: 'metadata', offset });
  cursor.take(24);
  const sequence = cursor.view.getBigUint64(0, true);
  const playTimeMs = cursor.view.getBigUint64(8, true);
  const dateMs = cursor.view.getBigInt64(16, true);
  const title = cursor.text();
  const count = cursor.varint();
  /** @type {[string, string][]} */
  const pairs = [];
  /** @type {Uint8Array|undefined} */
  let last;
  for (let i = 0; i < count; ++i) {
    const key = cursor.textBytes();
    cursor.require(!last || compareBytes(last, key) < 0, 'keys do not rise');
    last = key;
    pairs.push([shownText(key), cursor.text()]);
  }
  cursor.end('the metadata');
  return { sequence, playTimeMs, dateMs, title, pairs };
}
