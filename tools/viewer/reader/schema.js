// FORMAT.md, sections 4.1, 4.2, 4.5, 4.7, 4.8 and 5.1: schemas, their fingerprints and columns.

import { contentOf, hashedList, kHashed, readExtensions, tags } from './extensions.js';
import { hash128 } from './hashes.js';
import { layoutOf } from './handles.js';
import * as limits from './limits.js';
import { Cursor, Output } from './wire.js';

/**
 * @typedef {'bool'|'i8'|'i16'|'i32'|'i64'|'u8'|'u16'|'u32'|'u64'|'f32'|'f64'|'char8'|'char16'|
 *   'char32'|'enum'|'handle'|'string'|'struct'|'array'|'list'|'optional'|'variant'|'map'|
 *   'opaque'} Kind
 */
/** @type {Kind[]} */
const kinds = [
  'bool', 'i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64', 'f32', 'f64', 'char8', 'char16',
  'char32', 'enum', 'handle', 'string', 'struct', 'array', 'list', 'optional', 'variant', 'map',
  'opaque',
];
/** Widths of the kinds that have one in any schema. */
const widths = [1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 1, 2, 4];

const kVersioned = 1;
const kUtf8 = 2;
const kStrong = 4;
const kExtended = 8;

/**
 * A column of a schema; its number in a row group is `first + 3`.
 * @typedef {object} Column
 * @property {number} number in the schema, from 0
 * @property {'values'|'lengths'|'bytes'|'presence'|'tags'} form
 * @property {number} width
 * @property {Node} node
 */

/**
 * @typedef {object} Node
 * @property {Kind} kind
 * @property {string} name
 * @property {string} path of names from the root, for messages and to choose columns
 * @property {number|undefined} version the class version, of structs that have one
 * @property {boolean} utf8 whether texts are checked
 * @property {boolean} strong whether a handle owns its record
 * @property {Node[]} children of an enum: its integer; of a map: key and value
 * @property {number} count elements of an array
 * @property {number} width of a value; 0: none
 * @property {import('./handles.js').Layout|undefined} layout of handles
 * @property {string} table the table text of a handle
 * @property {import('./extensions.js').Extension[]} extensions
 * @property {Map<bigint|number, string>|undefined} enumNames names of numbers
 * @property {string|undefined} typeName
 * @property {number} firstColumn the first one of the node and its children
 * @property {number} endColumn the one after the last
 * @property {number} fixedBytes the fixed-width data of a value (section 4.5)
 */

/**
 * @typedef {object} Schema
 * @property {Node} root
 * @property {Column[]} columns
 * @property {number} nodes
 * @property {Uint8Array} fingerprint
 * @property {Uint8Array} bytes as they are stored
 * @property {boolean} hasUnknownHashed whether a node has a hashed extension of a later version
 */

/** @param {number} number */
export function kindOf(number) {
  return number >= 1 ? kinds[number - 1] : undefined;
}

class SchemaReader {
  /** @param {Cursor} cursor */
  constructor(cursor) {
    this.cursor = cursor;
    /** @type {Column[]} */
    this.columns = [];
    this.hashed = new Output(); // the bytes that the fingerprint covers
    this.nodes = 0;
    this.hasUnknownHashed = false;
  }

  /**
   * @param {Node} node
   * @param {Column['form']} form
   * @param {number} width
   */
  column(node, form, width) {
    this.columns.push({ number: this.columns.length, form, width, node });
  }

  /**
   * @param {string} parent the path of the parent
   * @param {number} depth
   * @param {'root'|'child'|'alternative'|'part'} role
   * @returns {Node}
   */
  node(parent, depth, role) {
    const { cursor } = this;
    cursor.require(depth <= limits.kMaxSchemaDepth, 'a schema is too deep');
    cursor.require(++this.nodes <= limits.kMaxSchemaFields, 'a schema has too many nodes');
    const kind = kindOf(cursor.u8());
    const flags = cursor.u8();
    if (!kind) return cursor.fail('an unknown field type');
    cursor.require(flags < 16, 'a reserved flag of a node');
    cursor.require(!(flags & kVersioned) || kind === 'struct', 'a version of no struct');
    cursor.require(!(flags & kUtf8) || kind === 'string', 'UTF-8 of no string');
    cursor.require(!(flags & kStrong) || kind === 'handle', 'a strong field that is not a handle');
    const from = cursor.at;
    const nameBytes = cursor.textBytes(limits.kMaxNameBytes);
    const named = role === 'child' || (role === 'alternative' && nameBytes.length > 0);
    cursor.require(named || nameBytes.length === 0, 'a node has a name that has none');
    const name = named ? cursor.nameOf(nameBytes) : '';
    /** @type {Node} */
    const node = {
      kind, name, path: !name || !parent ? parent + name : `${parent}.${name}`,
      version: undefined, utf8: (flags & kUtf8) !== 0, strong: (flags & kStrong) !== 0,
      children: [], count: 0, width: widths[kinds.indexOf(kind)] ?? 0, layout: undefined,
      table: '', extensions: [], enumNames: undefined, typeName: undefined,
      firstColumn: this.columns.length, endColumn: 0, fixedBytes: 0,
    };
    // The flag `extended` is right once it is known what the node keeps.
    const head = this.hashed.at;
    this.hashed.number(kinds.indexOf(kind) + 1, 1);
    this.hashed.number(flags & ~kExtended, 1);
    this.hashed.put(cursor.bytes.subarray(from, cursor.at));
    this.rest(node, flags, depth);
    if (flags & kExtended) this.extensions(node, role, head);
    node.endColumn = this.columns.length;
    return node;
  }

  /** Copies what was read from `from` on. @param {number} from */
  copy(from) {
    this.hashed.put(this.cursor.bytes.subarray(from, this.cursor.at));
  }

  /** @param {Node} node @param {number} flags @param {number} depth */
  rest(node, flags, depth) {
    const { cursor } = this;
    const from = cursor.at;
    const child = (/** @type {'child'|'alternative'|'part'} */ role) => {
      const made = this.node(node.path, depth + 1, role);
      node.children.push(made);
      return made;
    };
    node.fixedBytes = node.width;
    switch (node.kind) {
      case 'struct': {
        if (flags & kVersioned) node.version = cursor.u32();
        const count = cursor.varint();
        this.copy(from);
        const names = new Set();
        for (let i = 0; i < count; ++i) {
          const made = child('child');
          cursor.require(!names.has(made.name), `a struct has two fields ${made.name}`);
          names.add(made.name);
          node.fixedBytes += made.fixedBytes;
        }
        break;
      }
      case 'variant': {
        const count = cursor.u8();
        cursor.require(count > 0, 'a variant without alternatives');
        this.copy(from);
        this.column(node, 'tags', 1);
        for (let i = 0; i < count; ++i) child('alternative');
        break;
      }
      case 'array': {
        node.count = cursor.varint();
        this.copy(from);
        cursor.require(node.count >= 1 && node.count <= limits.kMaxArrayCount, 'a wrong array');
        const made = child('part');
        cursor.require(made.endColumn > made.firstColumn, 'an array of elements without columns');
        node.fixedBytes = node.count * made.fixedBytes;
        break;
      }
      case 'enum': {
        this.column(node, 'values', 0);
        const made = this.node(node.path, depth + 1, 'part');
        cursor.require(/^[iu]\d+$/.test(made.kind), 'an enum of no integer');
        this.columns.length = node.firstColumn + 1; // the integer has the column of the enum
        this.columns[node.firstColumn].width = made.width;
        made.firstColumn = node.firstColumn;
        node.children.push(made);
        node.fixedBytes = node.width = made.width;
        break;
      }
      case 'list': {
        this.column(node, 'lengths', 1);
        const made = child('part');
        cursor.require(made.endColumn > made.firstColumn, 'a list of elements without columns');
        break;
      }
      case 'optional':
        this.column(node, 'presence', 1);
        child('part');
        break;
      case 'map': {
        this.column(node, 'lengths', 1);
        const key = child('part');
        const value = child('part');
        cursor.require(value.endColumn > key.firstColumn, 'a map of pairs without columns');
        break;
      }
      case 'handle': {
        const layout = layoutOf(cursor.u8(), cursor.u8(), cursor.u8());
        if (!layout) return cursor.fail('an invalid layout of handles');
        const table = cursor.textBytes(limits.kMaxNameBytes);
        node.table = table.length ? cursor.nameOf(table) : '';
        this.copy(from);
        node.layout = layout;
        node.fixedBytes = node.width = layout.width;
        this.column(node, 'values', node.width);
        break;
      }
      case 'string':
      case 'opaque':
        this.column(node, 'lengths', 1);
        this.column(node, 'bytes', 1);
        break;
      default:
        this.column(node, 'values', node.width);
    }
    cursor.require(node.fixedBytes <= limits.kMaxFixedRowBytes, 'a record is too large');
  }

  /** @param {Node} node @param {string} role @param {number} head */
  extensions(node, role, head) {
    const { cursor } = this;
    const list = node.extensions = readExtensions(cursor, 'node', false);
    if (list.some(({ flags }) => flags & kHashed)) {
      this.hashed.bytes[head + 1] |= kExtended;
      this.hashed.put(hashedList(list));
    }
    this.hasUnknownHashed ||= list.some(({ flags, known }) => !known && flags & kHashed);
    const typeName = contentOf(list, tags.node.typeName);
    if (typeName) {
      cursor.require(role !== 'root', 'a root with a type name');
      node.typeName = cursor.nameOf(typeName);
    }
    const names = contentOf(list, tags.node.enumNames);
    if (names) {
      cursor.require(node.kind === 'enum', 'names of numbers that are no enum');
      node.enumNames = readEnumNames(new Cursor(names, cursor.code, cursor.where),
        node.children[0]);
    }
  }
}

/** @param {Cursor} cursor @param {Node} integer */
function readEnumNames(cursor, integer) {
  const names = new Map();
  const used = new Set();
  const count = cursor.varint();
  cursor.require(count > 0, 'names of no number');
  /** @type {bigint|number} */
  let last = -Infinity;
  for (let i = 0; i < count; ++i) {
    const number = readInteger(cursor, integer);
    cursor.require(i === 0 || number > last, 'named numbers do not rise');
    last = number;
    const name = cursor.name();
    cursor.require(!used.has(name), `two numbers have the name ${name}`);
    used.add(name);
    names.set(number, name);
  }
  cursor.end('a list of names');
  return names;
}

/** @param {Cursor} cursor @param {Node} integer */
function readInteger(cursor, { kind, width }) {
  const bytes = cursor.take(width);
  const view = new DataView(bytes.buffer, bytes.byteOffset, width);
  const signed = kind[0] === 'i';
  if (width === 8) return signed ? view.getBigInt64(0, true) : view.getBigUint64(0, true);
  if (width === 4) return signed ? view.getInt32(0, true) : view.getUint32(0, true);
  if (width === 2) return signed ? view.getInt16(0, true) : view.getUint16(0, true);
  return signed ? view.getInt8(0) : view.getUint8(0);
}

/**
 * @param {Cursor} cursor over one schema
 * @returns {Schema}
 */
export function readSchema(cursor) {
  const reader = new SchemaReader(cursor);
  const root = reader.node('', 1, 'root');
  cursor.require(root.kind === 'struct', 'the root of a schema is not a struct');
  cursor.end('a schema');
  return {
    root, columns: reader.columns, nodes: reader.nodes, bytes: cursor.bytes,
    fingerprint: hash128(reader.hashed.taken()), hasUnknownHashed: reader.hasUnknownHashed,
  };
}

/**
 * What is wrong with the reserved fields of a table (section 4.6), or undefined.
 * @param {Node} root
 * @param {boolean} hasNames
 * @param {boolean} hasBlobs
 */
export function faultOfReserved(root, hasNames, hasBlobs) {
  const fields = root.children;
  const expected = [];
  if (hasNames) expected.push('@name string');
  if (hasBlobs) expected.push('@offset u64', '@bytes opaque');
  for (const [i, what] of expected.entries()) {
    const field = fields[i];
    if (`${field?.name} ${field?.kind}` !== what) return `the field ${what} is missing`;
    if (field.utf8 || field.extensions.length) return `the field ${field.name} has flags`;
  }
  const other = fields.slice(expected.length).find(({ name }) => name[0] === '@');
  return other && `the name ${other.name} is reserved`;
}
