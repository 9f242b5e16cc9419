// FORMAT.md, section 8.3: newer comes first. Looks through a catalog for extensions that need a
// newer reader, as far as its bytes can be followed, whatever else is wrong with it.

import { kCritical, knownFlags, mostBytes, unknownExtension } from './extensions.js';
import { kMaxNameBytes, kMaxSchemaDepth, kMaxSchemaFields, kMaxTables } from './limits.js';
import { kindOf } from './schema.js';
import { Cursor } from './wire.js';

/** What ends a schema, a descriptor or the catalog: it cannot be followed further. */
class End extends Error {}

/** A cursor that ends instead of failing. */
class Scan extends Cursor {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    super(bytes, 'bad_schema', { part: 'catalog' });
  }

  /** @returns {never} */
  fail() {
    throw new End();
  }

  /** A number of nodes or extensions, each of at least three bytes. */
  count() {
    const count = this.varint();
    this.require(count <= kMaxSchemaFields && count * 3 <= this.left, 'a number');
    return count;
  }

  shortText() {
    return this.textBytes(kMaxNameBytes);
  }
}

/** @param {Scan} scan @param {import('./extensions.js').Registry} registry */
function scanExtensions(scan, registry) {
  const count = scan.count();
  for (let i = 0, last = 0; i < count; ++i) {
    const tag = scan.u8();
    const flags = scan.u8();
    scan.require(tag > last && flags < 8, 'an extension');
    last = tag;
    const size = scan.varint();
    scan.require(size <= mostBytes(registry), 'a size');
    if (flags & kCritical && knownFlags[registry][tag] === undefined) {
      throw unknownExtension(tag, scan.where);
    }
    scan.take(size);
  }
}

/** @param {Scan} scan */
function scanSchema(scan) {
  let nodes = 0;
  /** @param {number} depth */
  const node = (depth) => {
    scan.require(depth <= kMaxSchemaDepth && ++nodes <= kMaxSchemaFields, 'a node');
    const kind = kindOf(scan.u8());
    const flags = scan.u8();
    scan.require(kind !== undefined && flags < 16, 'a node');
    scan.shortText();
    let children = 0;
    if (kind === 'struct') {
      if (flags & 1) scan.u32();
      children = scan.count();
    } else if (kind === 'variant') {
      children = scan.u8();
    } else if (kind === 'array') {
      scan.varint();
      children = 1;
    } else if (kind === 'handle') {
      scan.take(3);
      scan.shortText();
    } else if (kind === 'map') {
      children = 2;
    } else if (kind === 'enum' || kind === 'list' || kind === 'optional') {
      children = 1;
    }
    for (let i = 0; i < children; ++i) node(depth + 1);
    if (flags & 8) scanExtensions(scan, 'node');
  };
  node(1);
}

/** @param {Scan} scan */
function scanDescriptor(scan) {
  scan.shortText();
  // From the type id to the number `names`; then `blobs`, which has fields after it.
  scan.take(2 + 4 + 3 + 4 + 2 + 4 * 8 + 2 * 4 + 1);
  if (scan.u8() === 1) scan.take(8 + 4 + 1);
  scan.take(4);
  scanExtensions(scan, 'table');
}

/**
 * @param {Uint8Array} bytes of a catalog
 * @param {number} mostTables and schemas, the limit of the reader
 */
export function refuseNewer(bytes, mostTables) {
  const scan = new Scan(bytes);
  /** @param {() => void} work */
  const until = (work) => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof End)) throw error;
    }
  };
  until(() => {
    for (const read of [scanSchema, scanDescriptor]) {
      const count = scan.u32();
      // A limit on the number of schemas or tables ends the reading; check 8 says which one.
      scan.require(count <= Math.min(mostTables, kMaxTables), 'a number');
      for (let i = 0; i < count; ++i) {
        const part = new Scan(scan.take(scan.u32()));
        until(() => read(part));
      }
    }
    scan.u16();
    if (scan.left) scanExtensions(scan, 'catalog');
  });
}
