// FORMAT.md, section 2.7: extensions of catalogs, tables, nodes and block heads.

import { HdbError } from './errors.js';
import { kMaxCatalogExtensionBytes, kMaxExtensionBytes } from './limits.js';
import { Output } from './wire.js';

/** @typedef {import('./wire.js').Cursor} Cursor */
/** @typedef {'catalog'|'table'|'node'|'head'} Registry */
/**
 * @typedef {object} Extension
 * @property {number} tag
 * @property {number} flags
 * @property {Uint8Array} content
 * @property {boolean} known
 */

export const kCritical = 1;
export const kHashed = 2;
export const kSafeToCopy = 4;

/** The tags of each registry, with their flags. */
export const tags = {
  catalog: { dropped: 1, unhashedDropped: 2 },
  table: { sortWork: 1, component: 2 },
  node: { enumNames: 1, typeName: 3 },
  head: { tableName: 1, chunkIds: 2 },
};
/** @type {Record<Registry, Record<number, number>>} */
export const knownFlags = {
  catalog: { 1: kHashed | kSafeToCopy, 2: kSafeToCopy },
  table: { 1: kHashed, 2: kCritical | kHashed | kSafeToCopy },
  node: { 1: kSafeToCopy, 3: kSafeToCopy },
  head: { 1: kSafeToCopy, 2: 0 },
};

/** @param {Registry} registry */
export function mostBytes(registry) {
  return registry === 'catalog' ? kMaxCatalogExtensionBytes : kMaxExtensionBytes;
}

/**
 * The error about a critical extension that this reader does not know.
 * @param {number} tag
 * @param {import('./errors.js').Place} where
 */
export function unknownExtension(tag, where) {
  const what = `the file needs extension ${tag}, which this reader does not know`;
  return new HdbError('unknown_feature', what, where);
}

/**
 * @param {Cursor} cursor
 * @param {Registry} registry
 * @param {boolean} mayBeEmpty
 * @returns {Extension[]}
 */
export function readExtensions(cursor, registry, mayBeEmpty) {
  const count = cursor.varint();
  cursor.require(mayBeEmpty || count > 0, 'a list of extensions is empty');
  cursor.require(count * 3 <= cursor.left, `${count} extensions do not fit here`);
  /** @type {Extension[]} */
  const list = [];
  for (let i = 0; i < count; ++i) {
    const tag = cursor.u8();
    const flags = cursor.u8();
    cursor.require(tag > (list[i - 1]?.tag ?? 0), 'tags of extensions do not rise');
    cursor.require(flags < 8, 'a reserved flag of an extension');
    const known = knownFlags[registry][tag];
    if (known === undefined && flags & kCritical) {
      if (registry === 'head') throw unknownExtension(tag, cursor.where);
      // newer.js looked through the catalog first: only a list of a wrong number hides one from it.
      cursor.fail(`extension ${tag} in a list of a wrong number`);
    }
    cursor.require(known === undefined || known === flags, `wrong flags of extension ${tag}`);
    const size = cursor.varint();
    cursor.require(size <= mostBytes(registry), `an extension of ${size} bytes`);
    list.push({ tag, flags, content: cursor.take(size), known: known !== undefined });
  }
  return list;
}

/**
 * @param {Extension[]} list
 * @param {number} tag
 */
export function contentOf(list, tag) {
  return list.find((extension) => extension.tag === tag)?.content;
}

/**
 * A list as it is stored.
 * @param {Extension[]} list
 */
export function storedList(list) {
  const output = new Output();
  output.varint(list.length);
  for (const { tag, flags, content } of list) {
    output.number(tag, 1);
    output.number(flags, 1);
    output.text(content);
  }
  return output.taken();
}

/**
 * The hashed extensions, as a list.
 * @param {Extension[]} list
 */
export function hashedList(list) {
  return storedList(list.filter(({ flags }) => flags & kHashed));
}
