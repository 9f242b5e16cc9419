// Edits of a save: a new file with other values, records or components, by the rules of the format
// and of the library. What is written is read and checked again before it is handed out.

import { HdbError } from './errors.js';
import { kSafeToCopy, kHashed } from './extensions.js';
import { bytesOfHex } from './frame.js';
import { EditedTable } from './edited_table.js';
import { partsSource } from './sources.js';
import { open } from './snapshot.js';
import { writeFile } from './write_file.js';

/** @typedef {import('./snapshot.js').Snapshot} Snapshot */
/** @typedef {import('./schema.js').Node} Node */

/**
 * Names and indexes: `pos.x`, `items[2].name`, or as a list: `['items', 2, 'name']`.
 * @typedef {string|(string|number)[]} Path
 */

/**
 * Edits are made in the order given. A set without a path replaces the record. An insert may leave
 * out fields: they become zero, empty or null. In a component table, insert and erase name the
 * slot of the owner's record.
 * @typedef {{kind: 'set', table: string, slot: number, path?: Path, value: any} |
 *   {kind: 'insert', table: string, fields?: object, slot?: number} |
 *   {kind: 'erase', table: string, slot: number}} Edit
 */

/**
 * @typedef {object} Written
 * @property {(Uint8Array|Blob)[]} parts of the new file, for `new Blob(parts)`
 * @property {number} size
 * @property {string} stateHash
 * @property {(string|undefined)[]} handles for each edit, that of the record that it set or made
 */

/** The edits of a save, one after another. */
export class Editor {
  /** @param {Snapshot} snapshot */
  constructor(snapshot) {
    this.snapshot = snapshot;
    /** @type {Map<string, EditedTable>} */
    this.tables = new Map();
    if (!snapshot.rewritable) {
      throw new HdbError('read_only_feature', 'a feature of the file forbids to rewrite it');
    }
  }

  /** @param {string} name */
  async table(name) {
    const known = this.tables.get(name);
    if (known) return known;
    const table = this.snapshot.table(name);
    if (!table) throw new HdbError('not_found', `no table ${name}`);
    const lost = [...table.descriptor.extensions, ...this.snapshot.catalog.extensions]
      .some((each) => !each.known && each.flags & kHashed && !(each.flags & kSafeToCopy));
    if (lost) {
      throw new HdbError('bad_options', `an edit of table ${name} would lose what a later ` +
        'version of hdb stored');
    }
    const made = await EditedTable.of(table);
    this.tables.set(name, made);
    return made;
  }

  /** The component tables of a table. @param {EditedTable} owner */
  async components(owner) {
    const all = this.snapshot.tables.filter(({ descriptor }) =>
      descriptor.ownerName === owner.name);
    return Promise.all(all.map(({ name }) => this.table(name)));
  }

  /**
   * Makes one edit, or throws an HdbError and changes nothing.
   * @param {Edit} edit
   * @returns {Promise<string|undefined>} the handle of the record
   */
  async apply(edit) {
    const table = await this.table(edit.table);
    const { slots } = table;
    if (edit.kind === 'insert') return this.insert(table, edit.fields ?? {}, edit.slot);
    if (!slots.isLive(edit.slot)) {
      throw new HdbError('not_found', `no record in slot ${edit.slot}`, { table: table.name });
    }
    if (edit.kind === 'set') {
      await table.set(edit.slot, edit.path ?? '', edit.value, (check) => this.context(check));
      return table.handleOf(edit.slot);
    }
    table.requireRecords();
    if (table.descriptor.singleton) {
      throw new HdbError('bad_options', 'a singleton keeps its record', { table: table.name });
    }
    for (const component of await this.components(table)) {
      if (component.slots.isLive(edit.slot)) component.erase(edit.slot);
    }
    table.erase(edit.slot);
    return undefined;
  }

  /** @param {EditedTable} table @param {object} fields @param {number|undefined} slot */
  async insert(table, fields, slot) {
    table.requireRecords();
    const { descriptor, slots } = table;
    if (!descriptor.component) {
      const components = await this.components(table);
      const made = await table.insert(fields, (check) => this.context(check));
      for (const component of components) component.slots.follow(slots);
      return table.handleOf(made);
    }
    const owner = await this.table(descriptor.ownerName);
    if (slot === undefined || !owner.slots.isLive(slot) || slots.isLive(slot)) {
      throw new HdbError('not_found', `slot ${slot} of ${owner.name} has no record, or has a ` +
        'component already', { table: table.name });
    }
    await table.attach(slot, owner.slots, fields, (check) => this.context(check));
    return table.handleOf(slot);
  }

  /**
   * Runs an encoding, then checks the handles of its values.
   * @param {(context: import('./write_values.js').Context) => void} encode
   */
  async context(encode) {
    /** @type {{node: Node, bits: bigint}[]} */
    const handles = [];
    const handleOf = (/** @type {Node} */ node, /** @type {string} */ text) =>
      this.snapshot.handleOf(node, text);
    encode({ handles, fillsIn: false, handleOf });
    for (const { node, bits } of handles) {
      if (!await this.isLive(node, bits)) {
        const text = this.snapshot.handleText(node, bits);
        throw new HdbError('not_found', `the handle ${text} of ${node.path} names no record`);
      }
    }
  }

  /** @param {Node} node @param {bigint} bits */
  async isLive(node, bits) {
    const found = this.snapshot.belongsTo(node, bits);
    if (!found) return false;
    const { slots } = await this.table(found.table.name);
    return slots.isLive(found.slot) && slots.generations[found.slot] === found.generation;
  }

  /**
   * Makes the new file.
   * @param {{fileId?: Uint8Array, allowsStale?: boolean} &
   *   import('./work.js').WorkOptions} [options] fileId: 16 bytes that no other file has;
   *   allowsStale: whether strong handles may name no record
   * @returns {Promise<Omit<Written, 'handles'>>}
   */
  async write(options = {}) {
    const fileId = options.fileId ?? crypto.getRandomValues(new Uint8Array(16));
    const builder = await writeFile(this.snapshot, this.tables, fileId);
    const draft = builder.end(new Uint8Array(16));
    const made = await open(partsSource(draft.parts), { limits: this.snapshot.limits });
    const { stateHash, findings } = await made.validate('deep',
      { signal: options.signal, onProgress: options.onProgress });
    const fault = findings.find(({ code }) => code !== 'state_hash_mismatch' &&
      !(code === 'dangling_strong' && options.allowsStale));
    if (fault || !stateHash) throw fault ?? new HdbError('state_hash_mismatch', 'no state hash');
    return { ...builder.end(bytesOfHex(stateHash).reverse()), stateHash };
  }
}

/**
 * A new file with edits; throws an HdbError if one of them cannot be made.
 * @param {Snapshot} snapshot
 * @param {Edit[]} edits
 * @param {{fileId?: Uint8Array, allowsStale?: boolean} &
 *   import('./work.js').WorkOptions} [options]
 * @returns {Promise<Written>}
 */
export async function edit(snapshot, edits, options = {}) {
  const editor = new Editor(snapshot);
  const handles = [];
  for (const each of edits) handles.push(await editor.apply(each));
  return { ...await editor.write(options), handles };
}

