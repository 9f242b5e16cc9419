// FORMAT.md, sections 2.2 to 2.5 and 9: what the directory must say about blocks, and their order.

import { HdbError } from './errors.js';
import {
  blockFlags, kHeadBytes, kHeaderBytes, kIndexed, typeNames, types,
} from './frame.js';
import * as limits from './limits.js';
import { isZero } from './wire.js';

/** @typedef {import('./frame.js').Entry} Entry */

/** Most raw bytes of a block of a known type. */
const mostRaw = [
  Infinity, limits.kMaxMetadataBytes, limits.kMaxThumbnailBytes, limits.kMaxCatalogBytes,
  limits.kMaxPartRawBytes, limits.kFreeListBlockEntries * 4, limits.kMaxPackBytes,
];

/** @param {number} size */
export function padded(size) {
  return Math.ceil(size / 8) * 8;
}

/** @param {Entry} entry */
export function isKnown({ type }) {
  return type > 0 && type < typeNames.length;
}

/**
 * What is wrong with an entry, but for its place.
 * @param {Entry} entry
 */
function faultOf(entry) {
  const { type, stored, raw, extensionBytes, flags } = entry;
  const content = stored - extensionBytes;
  if (type === 0) return 'a block of type 0';
  if (!isZero(entry.bytes.subarray(52))) return 'reserved bytes of an entry';
  if (content < 0) return 'extensions that are larger than their block';
  if (!isKnown(entry)) {
    if (flags > 7) return 'a reserved flag of a block';
    if (entry.table !== 0) return 'a table of an unknown block';
    return stored > limits.kMaxAncillaryBytes ? 'an unknown block that is too large' : undefined;
  }
  if (flags !== blockFlags[type]) return `wrong flags of a block of type ${type}`;
  if (raw > mostRaw[type]) return `a block of ${raw} bytes`;
  if (flags & kIndexed) {
    return stored > 2 * limits.kMaxPartRawBytes ? `a part of ${stored} stored bytes` : undefined;
  }
  const isStored = type === types.metadata || type === types.thumbnail;
  if (isStored ? content !== raw : content > raw) return `${content} bytes stored of ${raw}`;
  if (raw === 0 && type !== types.metadata) return 'an empty block';
  return undefined;
}

/**
 * Check 4 of section 8.2. Returns the sum of the raw sizes of known blocks.
 * @param {import('./frame.js').Frame} frame
 * @param {limits.Limits} most
 */
export function checkGeometry({ directory, directoryOffset }, most) {
  let expected = kHeaderBytes;
  let raw = 0;
  /** @type {Set<string>|undefined} */
  let keys;
  let last = [-1, -1, -1, -1];
  for (let i = 0; i < directory.count; ++i) {
    const entry = directory.entry(i);
    const where = { part: `block ${i}`, offset: expected };
    if (entry.offset !== expected) {
      throw new HdbError('bad_geometry', `a block begins at byte ${entry.offset}`, where);
    }
    const fault = faultOf(entry);
    if (fault) {
      const empty = entry.raw === 0 && isKnown(entry);
      throw new HdbError(empty ? 'bad_directory' : 'bad_geometry', fault, where);
    }
    expected += kHeadBytes + padded(entry.stored);
    if (expected > directoryOffset) {
      throw new HdbError('bad_geometry', 'a block ends behind the directory', where);
    }
    if (!isKnown(entry)) continue;
    raw += entry.raw;
    const over = (entry.type === types.metadata && entry.raw > most.maxMetadataBytes) ||
      (entry.type === types.thumbnail && entry.raw > most.maxThumbnailBytes);
    if (over) throw new HdbError('limit_exceeded', `a block of ${entry.raw} bytes`, where);
    // Keys of most files rise; then no set of them is needed.
    const key = [entry.table, entry.type, entry.group, entry.part];
    if (!keys && (entry.type === types.rows || entry.type === types.freeList)) {
      if (!isBelow(last, key)) keys = keysBefore(directory, i);
      last = key;
    }
    if (keys) {
      if (keys.has(key.join())) throw new HdbError('bad_geometry', 'two blocks of one key', where);
      keys.add(key.join());
    }
  }
  if (expected !== directoryOffset) {
    throw new HdbError('bad_geometry', 'the directory does not begin where the last block ends',
      { part: 'directory', offset: directoryOffset });
  }
  checkOthers(directory);
  return raw;
}

/** @param {number[]} a @param {number[]} b */
function isBelow(a, b) {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at >= 0 && a[at] < b[at];
}

/** @param {import('./frame.js').Directory} directory @param {number} end */
function keysBefore(directory, end) {
  const keys = new Set();
  for (let i = 0; i < end; ++i) {
    const { type, table, group, part } = directory.entry(i);
    if (type === types.rows || type === types.freeList) keys.add([table, type, group, part].join());
  }
  return keys;
}

/**
 * The keys of the types that are not in the order of tables.
 * @param {import('./frame.js').Directory} directory
 */
function checkOthers(directory) {
  const keys = new Set();
  for (let i = 0; i < directory.count; ++i) {
    const type = directory.type(i);
    if (type > types.pack || type === types.rows || type === types.freeList) continue;
    const { table, group, part, offset } = directory.entry(i);
    const key = [type, table, group, part].join();
    if (keys.has(key)) throw new HdbError('bad_geometry', 'two blocks of one key', { offset });
    keys.add(key);
  }
}

/**
 * Where the blocks of a table are: `blocks[k]` are the numbers of the parts of group k.
 * @typedef {object} Places
 * @property {number[][]} groups
 * @property {number[]} freeList
 * @property {number} pack the number of the block; -1: none
 */

/**
 * Check 9 of section 8.2: how many blocks of each type there are, and their order.
 * @param {import('./frame.js').Directory} directory
 * @param {import('./catalog.js').Descriptor[]} tables
 * @returns {{places: Places[], thumbnail: number}}
 */
export function checkOrder(directory, tables) {
  /** @type {Places[]} */
  const places = tables.map(() => ({ groups: [], freeList: [], pack: -1 }));
  const hasRows = new Set();
  for (let i = 0; i < directory.count; ++i) {
    if (directory.type(i) === types.rows) hasRows.add(directory.entry(i).table);
  }
  const isPacked = tables.map(({ groups, number }) => groups === 1 && !hasRows.has(number));
  const packed = tables.filter((_, i) => isPacked[i]).map(({ number }) => number);
  const order = new Order(directory, tables, places, isPacked, packed);
  for (let i = 0; i < directory.count; ++i) order.take(directory.entry(i));
  order.end();
  return { places, thumbnail: order.thumbnail };
}

class Order {
  /**
   * @param {import('./frame.js').Directory} directory
   * @param {import('./catalog.js').Descriptor[]} tables
   * @param {Places[]} places
   * @param {boolean[]} isPacked
   * @param {number[]} packed
   */
  constructor(directory, tables, places, isPacked, packed) {
    this.directory = directory;
    this.tables = tables;
    this.places = places;
    this.isPacked = isPacked;
    this.packed = packed;
    this.nextPacked = 0; // in `packed`
    this.table = 0; // the table whose blocks come next
    this.known = 0; // blocks of known types so far
    this.catalogs = 0;
    this.thumbnail = -1;
    this.unknown = false; // since the last known block
  }

  /** @param {Entry} entry @param {string} what @returns {never} */
  fail(entry, what) {
    throw new HdbError('unexpected_block', what, { part: `block ${entry.number}`,
      offset: entry.offset });
  }

  /** @param {Entry} entry */
  take(entry) {
    if (entry.number === 0 && entry.type !== types.metadata) {
      throw new HdbError('missing_block', 'the first block is not the metadata',
        { offset: entry.offset });
    }
    if (!isKnown(entry)) {
      this.unknown = true;
      return;
    }
    const { type } = entry;
    if (this.catalogs === 2) this.fail(entry, 'a block behind the second catalog');
    if (type === types.rows || type === types.freeList) this.ofTable(entry);
    else if (type === types.pack) this.pack(entry);
    else this.single(entry);
    ++this.known;
    this.unknown = false;
  }

  /** @param {Entry} entry */
  single(entry) {
    const { type, part } = entry;
    if (entry.table !== 0 || entry.group !== 0) this.fail(entry, 'a block of no table has one');
    if (type === types.metadata && this.known !== 0) this.fail(entry, 'metadata twice');
    if (type === types.thumbnail) {
      if (this.known !== 1) this.fail(entry, 'a thumbnail that is not the second block');
      this.thumbnail = entry.number;
    }
    if (type !== types.catalog) {
      if (part !== 0) this.fail(entry, `part ${part} of a block that has one`);
      return;
    }
    if (part !== this.catalogs++) this.fail(entry, 'another copy of the catalog');
    if (part === 1) this.allBefore(entry, this.tables.length);
    if (part === 1 && this.nextPacked < this.packed.length) {
      throw new HdbError('missing_block', 'a table without blocks', this.whereOf(entry,
        this.packed[this.nextPacked]));
    }
  }

  /** @param {Entry} entry @param {number} table */
  whereOf({ offset }, table) {
    return { table: this.tables[table].name, offset };
  }

  /** @param {number} table */
  isComplete(table) {
    const { groups, listed } = this.tables[table];
    if (this.isPacked[table]) return true;
    const place = this.places[table];
    return place.groups.length === groups &&
      place.freeList.length === Math.ceil(listed / limits.kFreeListBlockEntries);
  }

  /**
   * Requires that all tables before `end`, but for packed ones, have their blocks.
   * @param {Entry} entry
   * @param {number} end
   */
  allBefore(entry, end) {
    for (; this.table < end; ++this.table) {
      if (!this.isComplete(this.table)) {
        throw new HdbError('missing_block', 'a block is missing', this.whereOf(entry, this.table));
      }
    }
  }

  /** @param {Entry} entry */
  ofTable(entry) {
    if (this.catalogs !== 1) this.fail(entry, 'a block of a table before the catalog');
    if (entry.table >= this.tables.length || entry.table < this.table) {
      this.fail(entry, 'a block of a table that has its place elsewhere');
    }
    this.allBefore(entry, entry.table);
    if (this.isPacked[entry.table]) this.fail(entry, 'a block of a packed table');
    const { groups, freeList } = this.places[entry.table];
    const { number, group, part } = entry;
    const { groups: wanted } = this.tables[entry.table];
    const list = entry.type === types.freeList ? freeList : groups[group] ?? [];
    if (part !== list.length) this.fail(entry, `part ${part} where ${list.length} is expected`);
    if (part > 0 && (this.unknown || this.lastOf(list) !== this.lastKnown)) {
      this.fail(entry, 'a block between parts');
    }
    if (entry.type === types.freeList) {
      if (group !== 0 || groups.length !== wanted) this.fail(entry, 'a free list in another place');
      if (this.isFull(freeList, entry.table)) this.fail(entry, 'a free list that is too long');
    } else {
      const next = part === 0 ? groups.length : groups.length - 1;
      if (group !== next || group >= wanted || freeList.length) {
        this.fail(entry, `row group ${group} in another place`);
      }
      if (part === 0) groups.push(list);
    }
    list.push(number);
    this.lastKnown = number;
  }

  lastKnown = -1;

  /** @param {number[]} list */
  lastOf(list) {
    return list[list.length - 1];
  }

  /** @param {number[]} freeList @param {number} table */
  isFull(freeList, table) {
    const { listed } = this.tables[table];
    return freeList.length >= Math.ceil(listed / limits.kFreeListBlockEntries);
  }

  /** @param {Entry} entry */
  pack(entry) {
    const { group, part, table } = entry;
    if (this.catalogs !== 1) this.fail(entry, 'a pack before the catalog');
    const first = this.nextPacked;
    if (part !== 0 || table !== this.packed[first] || group < 1 ||
        group > this.packed.length - first) {
      this.fail(entry, 'a pack of other tables');
    }
    const last = this.packed[first + group - 1];
    const begun = this.table < this.tables.length && this.places[this.table].groups.length > 0;
    if (begun && !this.isComplete(this.table)) this.fail(entry, 'a pack between parts of a table');
    this.allBefore(entry, last);
    this.nextPacked += group;
    const next = this.packed[this.nextPacked] ?? this.tables.length;
    // A pack comes before the tables that follow the next packed table.
    const furthest = this.places.findLastIndex((place) => place.groups.length > 0);
    if (furthest > next) this.fail(entry, 'a pack behind later tables');
    for (let i = first; i < this.nextPacked; ++i) this.places[this.packed[i]].pack = entry.number;
    this.lastKnown = entry.number;
  }

  end() {
    if (this.known === 0) throw new HdbError('missing_block', 'the metadata is missing');
    if (this.catalogs !== 2) throw new HdbError('missing_block', 'a catalog is missing');
  }
}
