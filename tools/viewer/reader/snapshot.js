// An open save, as a program sees it.

import { checkFile } from './validate.js';
import { HdbError } from './errors.js';
import { contentOf, tags } from './extensions.js';
import { File, typeName } from './file.js';
import { kSafeToCopyBlock } from './frame.js';
import { isKnown } from './geometry.js';
import { bitsOf, foreignText, partsOf, sameLayout } from './handles.js';
import { hashText } from './hashes.js';
import { defaultLimits } from './limits.js';
import { referencesTo } from './references.js';
import { stateHash } from './state_hash.js';
import { kLive } from './columns.js';
import { Table } from './table.js';
import { shownText, viewOf } from './wire.js';

/** @typedef {import('./schema.js').Node} Node */

export class Snapshot {
  /**
   * @param {File} file
   * @param {import('./metadata.js').Metadata} metadata
   * @param {import('./catalog.js').Catalog} catalog
   */
  constructor(file, metadata, catalog) {
    this.file = file;
    this.limits = file.limits;
    this.metadata = metadata;
    this.catalog = catalog;
    const { header, stateHash: stored } = file.frame;
    this.version = header.version;
    this.fileId = hashText(header.fileId);
    this.rewritable = header.rewritable;
    this.storedStateHash = hashText(stored);
    this.schemas = catalog.schemas;
    this.dropped = catalog.dropped;
    this.unhashedDropped = catalog.unhashedDropped;
    file.tables = catalog.tables;
    this.tables = catalog.tables.map((descriptor) => new Table(this, descriptor));
    this.byName = new Map(this.tables.map((table) => [table.name, table]));
    this.byTypeId = new Map(this.tables.filter(({ descriptor }) => descriptor.typeId)
      .map((table) => [table.descriptor.typeId, table]));
  }

  /** @param {string} name */
  table(name) {
    return this.byName.get(name);
  }

  /** The directory: each block, also unknown ones. */
  get blocks() {
    return Array.from({ length: this.file.directory.count }, (_, i) => {
      const { offset, type, flags, table, group, part, stored, raw, bytes } =
        this.file.directory.entry(i);
      const entry = { offset, type, typeName: typeName(type), flags, table, group, part, stored,
        raw };
      // The numbers of unknown blocks are any; as numbers they may not be exact.
      const view = viewOf(bytes);
      return { ...entry, exactGroup: view.getBigUint64(32, true),
        exactRaw: view.getBigUint64(16, true) };
    });
  }

  /** The unknown blocks, with what the extensions of their heads say. */
  async unknownBlocks() {
    const list = [];
    for (let i = 0; i < this.file.directory.count; ++i) {
      const entry = this.file.directory.entry(i);
      if (isKnown(entry)) continue;
      const block = await this.file.block(i, { part: typeName(entry.type) }, false);
      const table = contentOf(block.extensions, tags.head.tableName);
      list.push({ number: i, type: entry.type, table: table && shownText(table),
        safeToCopy: (entry.flags & kSafeToCopyBlock) !== 0, extensions: block.extensions });
    }
    return list;
  }

  /** The extensions of the catalog and of tables that this reader does not know. */
  get unknownExtensions() {
    const lists = [{ of: 'catalog', list: this.catalog.extensions },
      ...this.catalog.tables.map(({ name, extensions }) => ({ of: name, list: extensions }))];
    return lists.flatMap(({ of, list }) =>
      list.filter(({ known }) => !known).map(({ tag, flags, content }) =>
        ({ of, tag, flags, content })));
  }

  /** The bytes of the image, or undefined. */
  async thumbnail() {
    if (this.file.thumbnail < 0) return undefined;
    const block = await this.file.block(this.file.thumbnail, { part: 'thumbnail' }, true);
    return block.content(false).slice();
  }

  /**
   * The state hash of the content.
   * @param {import('./validate.js').WorkOptions} [options]
   */
  async stateHash(options = {}) {
    return hashText(await stateHash(this, options));
  }

  /**
   * The table that a stored handle belongs to (section 4.3), with slot and generation.
   * @param {Node} field a handle
   * @param {bigint} bits
   */
  belongsTo(field, bits) {
    if (!field.layout) throw new HdbError('type_mismatch', `${field.path} is not a handle`);
    const parts = bits === 0n ? undefined : partsOf(field.layout, bits);
    if (!parts) return undefined;
    const table = this.targetOf(field, parts.type);
    return table && { table, slot: parts.slot, generation: parts.generation };
  }

  /**
   * @param {Node} field
   * @param {number} typeId of a handle
   */
  targetOf(field, typeId) {
    const { layout, table: name } = field;
    if (!layout) return undefined;
    const table = name ? this.byName.get(name) : this.byTypeId.get(typeId);
    const fits = table && !table.descriptor.component && table.descriptor.typeId === typeId &&
      sameLayout(table.descriptor.layout, layout);
    return fits ? table : undefined;
  }

  /**
   * As tools print a stored handle; null of the null handle.
   * @param {Node} field
   * @param {bigint} bits
   */
  handleText(field, bits) {
    if (bits === 0n || !field.layout) return null;
    const found = this.belongsTo(field, bits);
    return found ? found.table.handleText(found.slot, found.generation)
      : foreignText(field.layout, bits);
  }

  /**
   * The bits of a handle that is written as `table:index@generation`; undefined if the field cannot
   * hold it.
   * @param {Node} field
   * @param {string} text
   */
  handleOf(field, text) {
    const parts = /^(.*):(\d+)@(\d+)$/s.exec(text);
    const target = parts && this.byName.get(parts[1]);
    if (!parts || !target) return undefined;
    const { layout, typeId } = target.descriptor;
    const bits = bitsOf(layout, typeId, BigInt(parts[2]), BigInt(parts[3]));
    return this.belongsTo(field, bits)?.table === target ? bits : undefined;
  }

  /**
   * What a stored handle names.
   * @param {Node} field
   * @param {bigint} bits
   * @returns {Promise<{kind: 'null'|'foreign'} |
   *   {kind: 'stale'|'live', table: Table, slot: number, generation: number}>}
   */
  async resolve(field, bits) {
    if (bits === 0n) return { kind: 'null' };
    const found = this.belongsTo(field, bits);
    if (!found) return { kind: 'foreign' };
    const { table, slot, generation } = found;
    const has = slot < table.slots ? await table.slot(slot) : undefined;
    const isLive = has?.state === kLive && has.generation === generation;
    return { kind: isLive ? 'live' : 'stale', ...found };
  }

  /**
   * The handles of the file that name a record.
   * @param {Table} target
   * @param {number} slot
   * @param {number} generation
   * @param {Parameters<typeof referencesTo>[4]} [options]
   */
  referencesTo(target, slot, generation, options = {}) {
    return referencesTo(this, target, slot, generation, options);
  }

  /**
   * Checks the file, which already has the level quick.
   * @param {'quick'|'full'|'deep'} level
   * @param {import('./validate.js').WorkOptions} [options]
   */
  validate(level, options = {}) {
    return checkFile(this, level, options);
  }
}

/**
 * Opens a file; throws an HdbError if it is refused.
 * @param {import('./sources.js').Source} source
 * @param {{limits?: Partial<import('./limits.js').Limits>}} [options]
 */
export async function open(source, options = {}) {
  const limits = { ...defaultLimits, ...options.limits };
  const { file, metadata, catalog } = await File.open(source, limits);
  return new Snapshot(file, metadata, catalog);
}
