// FORMAT.md, sections 3.2, 4.4 and 5.11: the catalog and the descriptors of its tables.

import { readDropped } from './dropped.js';
import { HdbError } from './errors.js';
import {
  contentOf, hashedList, kHashed, readExtensions, storedList, tags,
} from './extensions.js';
import { layoutOf, sameLayout } from './handles.js';
import * as limits from './limits.js';
import { faultOfReserved, readSchema } from './schema.js';
import { Cursor, compareBytes } from './wire.js';

/**
 * @typedef {object} Descriptor
 * @property {number} number in the catalog
 * @property {Uint8Array} bytes as they are stored
 * @property {string} name
 * @property {Uint8Array} nameBytes
 * @property {number} typeId
 * @property {import('./schema.js').Schema} schema
 * @property {number} schemaNumber
 * @property {import('./handles.js').Layout} layout
 * @property {'dense'|'stable'} storage
 * @property {'lifo'|'fifo'|'lowest'} freePolicy
 * @property {'perSlot'|'counter'} generationPolicy
 * @property {'retire'|'wrap'} overflow
 * @property {boolean} singleton
 * @property {boolean} hashed whether the state hash covers the table
 * @property {number} groupShift
 * @property {number} slots
 * @property {number} live
 * @property {number} retired
 * @property {number} free
 * @property {number} unissued
 * @property {number} counter
 * @property {number} highestGeneration
 * @property {'none'|'exact'|'ignoreCase'} names
 * @property {{capacity: number, alignment: number, compaction: 'atRelease'|'onDemand'}|undefined}
 *   blobs
 * @property {number} flushCursor
 * @property {import('./extensions.js').Extension[]} extensions
 * @property {Uint8Array} tail from names to the flush cursor, as it is stored
 * @property {Uint8Array} hashedExtensions as a list
 * @property {boolean} hasUnknownHashed
 * @property {Uint8Array|undefined} sortWork
 * @property {{owner: Descriptor, removal: 'swap'|'inPlace', holes: number}|undefined} component
 * @property {string} ownerName of a component table, else ''
 * @property {number} groups
 * @property {number} listed entries of the free list, or of the list of holes
 */

/**
 * @typedef {object} Catalog
 * @property {import('./schema.js').Schema[]} schemas
 * @property {Descriptor[]} tables
 * @property {number} highestTypeId
 * @property {import('./extensions.js').Extension[]} extensions
 * @property {Uint8Array} hashedExtensions as a list, if there are any; else empty
 * @property {import('./dropped.js').Space[]} dropped
 * @property {import('./dropped.js').Space[]} unhashedDropped
 */

const storages = /** @type {const} */ (['dense', 'stable']);
const freePolicies = /** @type {const} */ (['lifo', 'fifo', 'lowest']);
const generationPolicies = /** @type {const} */ (['perSlot', 'counter']);
const overflows = /** @type {const} */ (['retire', 'wrap']);
const namings = /** @type {const} */ (['none', 'exact', 'ignoreCase']);
const compactions = /** @type {const} */ (['atRelease', 'onDemand']);

/**
 * @template T
 * @param {Cursor} cursor
 * @param {readonly T[]} list
 * @param {string} what
 * @returns {T}
 */
function choice(cursor, list, what) {
  const number = cursor.u8();
  cursor.require(number < list.length, `an unknown ${what}`);
  return list[number];
}

/**
 * @param {Cursor} cursor over one descriptor
 * @param {number} number of the table
 * @param {import('./schema.js').Schema[]} schemas
 * @returns {Descriptor}
 */
function readDescriptor(cursor, number, schemas) {
  const sized = cursor.textBytes(limits.kMaxNameBytes);
  const name = cursor.nameOf(sized);
  const typeId = cursor.u16();
  const schemaNumber = cursor.u32();
  const schema = schemas[schemaNumber];
  cursor.require(schema !== undefined, 'a schema that the catalog lacks');
  const layout = layoutOf(cursor.u8(), cursor.u8(), cursor.u8());
  if (!layout) return cursor.fail('an invalid layout of handles');
  cursor.require(typeId < 2 ** layout.type, 'a type id that the layout cannot hold');
  const storage = choice(cursor, storages, 'storage');
  const freePolicy = choice(cursor, freePolicies, 'policy of free lists');
  const generationPolicy = choice(cursor, generationPolicies, 'policy of generations');
  const overflow = choice(cursor, overflows, 'policy of overflow');
  const flags = cursor.u8();
  cursor.require(flags < 4, 'a reserved flag of a table');
  const groupShift = cursor.u8();
  cursor.require(groupShift >= 6 && groupShift <= 16, `a group shift of ${groupShift}`);
  const slots = cursor.u64();
  cursor.require(slots <= layout.mostSlots, `${slots} slots, more than the layout has`);
  const live = cursor.u64();
  const retired = cursor.u64();
  const free = cursor.u64();
  const unissued = slots - live - retired - free;
  cursor.require(unissued >= 0, 'more records and free slots than slots');
  const counter = cursor.u32();
  const highestGeneration = cursor.u32();
  cursor.require(highestGeneration <= layout.lastGeneration, 'a generation above the last one');
  cursor.require(counter <= layout.lastGeneration, 'a counter above the last generation');
  cursor.require(generationPolicy === 'perSlot' || counter <= highestGeneration,
    'a counter above the highest generation');
  cursor.require(live === 0 || highestGeneration > 0, 'records without a generation');
  const singleton = (flags & 1) !== 0;
  cursor.require(!singleton || live <= 1, 'a singleton with several records');
  const tailFrom = cursor.at;
  const names = choice(cursor, namings, 'number of names');
  const isBlobTable = cursor.u8();
  cursor.require(isBlobTable <= 1, 'an unknown number of blobs');
  let blobs;
  if (isBlobTable) {
    const capacity = cursor.u64();
    const alignment = cursor.u32();
    cursor.require(storage === 'stable' && !singleton, 'a blob table that is dense or singleton');
    cursor.require(alignment > 0 && alignment <= limits.kMaxBlobAlignment &&
      (alignment & (alignment - 1)) === 0, `an alignment of ${alignment}`);
    cursor.require(capacity <= limits.kMaxBlobCapacityBytes && capacity % alignment === 0,
      `a buffer of ${capacity} bytes`);
    blobs = { capacity, alignment, compaction: choice(cursor, compactions, 'compaction') };
  }
  const flushCursor = cursor.u32();
  cursor.require(flushCursor === 0 || flushCursor < slots, 'a flush cursor behind the slots');
  const tail = cursor.bytes.subarray(tailFrom, cursor.at);
  const extensions = readExtensions(cursor, 'table', true);
  cursor.end('a descriptor');
  const fault = faultOfReserved(schema.root, names !== 'none', isBlobTable === 1);
  if (fault) cursor.fail(fault);
  const sortWork = contentOf(extensions, tags.table.sortWork);
  cursor.require(!sortWork || (sortWork.length > 0 && storage === 'dense'), 'wrong sort work');
  return {
    number, bytes: cursor.bytes, name, nameBytes: sized, typeId, schema, schemaNumber, layout,
    storage, freePolicy,
    generationPolicy, overflow, singleton, hashed: (flags & 2) === 0, groupShift, slots, live,
    retired, free, unissued, counter, highestGeneration, names, blobs, flushCursor, extensions,
    tail, hashedExtensions: hashedList(extensions), sortWork, component: undefined, ownerName: '',
    hasUnknownHashed: schema.hasUnknownHashed ||
      extensions.some((extension) => !extension.known && (extension.flags & kHashed) !== 0),
    groups: Math.ceil(slots / 2 ** groupShift), listed: freePolicy === 'lowest' ? 0 : free,
  };
}

/**
 * @param {Cursor} cursor over the catalog
 * @param {Descriptor[]} tables
 */
function readComponents(cursor, tables) {
  const byName = new Map(tables.map((table) => [table.name, table]));
  for (const table of tables) {
    const content = contentOf(table.extensions, tags.table.component);
    if (!content) continue;
    const reader = new Cursor(content, 'bad_table', { ...cursor.where, table: table.name });
    const ownerName = table.ownerName = reader.name();
    const owner = byName.get(ownerName);
    const removal = choice(reader, /** @type {const} */ (['swap', 'inPlace']), 'removal');
    const holes = reader.varint();
    reader.end('what a component table says of its owner');
    if (!owner) return reader.fail(`the owner ${ownerName} is missing`);
    reader.require(!contentOf(owner.extensions, tags.table.component) && !owner.blobs &&
      !owner.singleton, `${ownerName} cannot be an owner`);
    reader.require(sameLayout(table.layout, owner.layout) && table.slots === owner.slots &&
      table.highestGeneration === owner.highestGeneration && table.live <= owner.live &&
      (owner.hashed || !table.hashed), `the table does not fit its owner ${ownerName}`);
    reader.require(removal === 'swap' || table.storage === 'dense', 'a removal of stable tables');
    reader.require(removal === 'inPlace' || holes === 0, 'holes of a table without holes');
    reader.require(holes + table.live <= table.slots, 'more holes than slots');
    reader.require(table.typeId === 0 && table.freePolicy === 'lifo' &&
      table.generationPolicy === 'perSlot' && table.overflow === 'retire' &&
      table.names === 'none' && !table.blobs && table.retired === 0 && table.free === 0 &&
      table.counter === 0 && table.flushCursor === 0 && !table.sortWork && !table.singleton,
    'options that component tables do not have');
    table.component = { owner, removal, holes };
    table.listed = holes;
  }
}

/**
 * @param {import('./schema.js').Schema[]} schemas
 * @param {Descriptor[]} tables
 * @param {limits.Limits} most
 * @param {import('./errors.js').Place} where
 */
function checkLimits(schemas, tables, most, where) {
  const nodes = Math.max(0, ...schemas.map((schema) => schema.nodes));
  const slots = Math.max(0, ...tables.map((table) => table.slots));
  if (nodes > most.maxSchemaFields) {
    throw new HdbError('limit_exceeded', `a schema has ${nodes} nodes, the limit is ` +
      `${most.maxSchemaFields}`, where);
  }
  if (slots > most.maxSlotsPerTable) {
    throw new HdbError('limit_exceeded', `a table has ${slots} slots, the limit is ` +
      `${most.maxSlotsPerTable}`, where);
  }
}

/**
 * @param {Uint8Array} bytes
 * @param {limits.Limits} most
 * @param {number} offset of errors
 * @returns {Catalog}
 */
export function readCatalog(bytes, most, offset) {
  const where = { part: 'catalog', offset };
  const cursor = new Cursor(bytes, 'bad_schema', where);
  /**
   * The parts of a list, each with its cursor.
   * @param {string} code @param {number} hard @param {string} what
   */
  function* parts(code, hard, what) {
    cursor.code = code;
    const count = cursor.u32();
    cursor.require(count <= hard, `${count} ${what}, at most ${hard} are allowed`);
    if (count > most.maxTables) {
      throw new HdbError('limit_exceeded', `${count} ${what}, the limit is ${most.maxTables}`,
        where);
    }
    for (let i = 0; i < count; ++i) {
      const size = cursor.u32();
      const at = offset + cursor.at;
      yield { number: i, cursor: new Cursor(cursor.take(size), code, { ...where, offset: at }) };
    }
  }
  let nodes = 0;
  const schemas = [];
  for (const part of parts('bad_schema', limits.kMaxSchemas, 'schemas')) {
    const schema = readSchema(part.cursor);
    nodes += schema.nodes;
    cursor.require(nodes <= limits.kMaxFieldsPerFile, 'the schemas have too many nodes');
    schemas.push(schema);
  }
  /** @type {Descriptor[]} */
  const tables = [];
  for (const part of parts('bad_table', limits.kMaxTables, 'tables')) {
    tables.push(readDescriptor(part.cursor, part.number, schemas));
  }
  const highestTypeId = cursor.u16();
  const extensions = cursor.left ? readExtensions(cursor, 'catalog', false) : [];
  cursor.end('the catalog');
  const used = new Set(tables.map(({ schemaNumber }) => schemaNumber));
  cursor.require(used.size === schemas.length, 'a schema of no table');
  const typeIds = new Set();
  for (const [i, table] of tables.entries()) {
    cursor.require(i === 0 || compareBytes(tables[i - 1].nameBytes, table.nameBytes) < 0,
      'names of tables do not rise');
    cursor.require(table.typeId <= highestTypeId, 'a type id above the highest one');
    cursor.require(table.typeId === 0 || !typeIds.has(table.typeId), 'two tables of one type id');
    typeIds.add(table.typeId);
  }
  readComponents(cursor, tables);
  const spaces = (/** @type {number} */ tag) => {
    const content = contentOf(extensions, tag);
    return content ? readDropped(new Cursor(content, 'bad_table', where), highestTypeId) : [];
  };
  checkLimits(schemas, tables, most, where);
  const isHashed = extensions.filter(({ flags }) => flags & kHashed);
  return {
    schemas, tables, highestTypeId, extensions,
    hashedExtensions: isHashed.length ? storedList(isHashed) : new Uint8Array(0),
    dropped: spaces(tags.catalog.dropped),
    unhashedDropped: spaces(tags.catalog.unhashedDropped),
  };
}
