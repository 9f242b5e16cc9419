// The records of a table that is edited: values that changed, over those of the file.

import { HdbError } from './errors.js';
import { NaNBytes, valueReader } from './rows.js';
import { ColumnBuilder, copier, encoder } from './write_values.js';
import { EditedSlots } from './write_slots.js';
import { bytesOfNumbers } from './write_blocks.js';
import { binaryText, bytesOfText } from './wire.js';
import { kLive } from './columns.js';

/** @typedef {import('./table.js').Table} Table */
/** @typedef {import('./schema.js').Node} Node */
/** @typedef {import('./write_values.js').Context} Context */
/** Encodes values for a check of them and of their handles. */
/** @typedef {(encode: (context: Context) => void) => Promise<void>} Check */

export class EditedTable {
  /** @param {Table} table @param {EditedSlots} slots */
  constructor(table, slots) {
    this.table = table;
    this.slots = slots;
    this.name = table.name;
    this.descriptor = table.descriptor;
    /** @type {Map<number, any>} the values of records that were set or inserted, by slot */
    this.records = new Map();
    /** @type {Map<string, number>|undefined} the slots of the names of records */
    this.names = undefined;
  }

  /** @param {Table} table */
  static async of(table) {
    return new EditedTable(table, await EditedSlots.of(table));
  }

  /** @param {number} slot */
  handleOf(slot) {
    return this.table.handleText(slot, this.slots.generations[slot]);
  }

  /** Refuses what concerns the buffer of a blob table. */
  requireRecords() {
    if (this.descriptor.blobs) {
      throw new HdbError('bad_options', 'records of blob tables are not made or erased here',
        { table: this.name });
    }
  }

  /** The values of a record, in which a NaN keeps its bits. @param {number} slot */
  async value(slot) {
    if (this.records.has(slot)) return structuredCopy(this.records.get(slot));
    const group = await this.table.groupOf(slot);
    const text = () => null;
    return valueReader(this.table.root, group.columns, text, true)(group.rowOf(slot));
  }

  /**
   * @param {number} slot
   * @param {import('./write.js').Path} path
   * @param {any} value
   * @param {Check} check
   */
  async set(slot, path, value, check) {
    const record = await this.value(slot);
    const place = placeOf(this.table.root, record, path);
    const builder = () => new ColumnBuilder(this.descriptor.schema);
    await check((context) => encoder(place.node, builder(), context)(value));
    this.checkReserved(place, value);
    const changed = place.put(value);
    await this.rename(slot, changed);
    this.records.set(slot, changed);
    this.slots.touch(slot);
  }

  /** The buffer of a blob table stays as it is. @param {Place} place @param {any} value */
  checkReserved(place, value) {
    if (!this.descriptor.blobs) return;
    const isBytes = place.node.path === '@bytes' && value.length === place.value.length;
    if (!isBytes && (!place.node.path || /^@(offset|bytes)/.test(place.node.path))) {
      throw new HdbError('bad_options', 'the place and size of a blob stay as they are',
        { table: this.name });
    }
  }

  /** Checks the values of a new record. @param {any} fields @param {Check} check */
  async checked(fields, check) {
    await check((context) => {
      const write = encoder(this.table.root, new ColumnBuilder(this.descriptor.schema),
        Object.assign(context, { fillsIn: true }));
      write(fields);
    });
    return structuredCopy(fields);
  }

  /** @param {any} fields @param {Check} check */
  async insert(fields, check) {
    const record = await this.checked(fields, check);
    await this.checkName(-1, record);
    const slot = this.slots.insert();
    await this.rename(slot, record);
    this.records.set(slot, record);
    return slot;
  }

  /** @param {number} slot @param {EditedSlots} owner @param {any} fields @param {Check} check */
  async attach(slot, owner, fields, check) {
    this.records.set(slot, await this.checked(fields, check));
    this.slots.attach(slot, owner);
  }

  /** @param {number} slot */
  erase(slot) {
    this.slots.erase(slot);
    this.records.delete(slot);
    for (const [name, of] of this.names ?? []) {
      if (of === slot) this.names?.delete(name);
    }
  }

  /** The key of a record's name; undefined without one. @param {any} record */
  keyOf(record) {
    const name = record['@name'];
    const bytes = typeof name === 'string' ? bytesOfText(name) : name;
    if (this.descriptor.names === 'none' || !bytes?.length) return undefined;
    const key = binaryText(bytes);
    return this.descriptor.names === 'exact' ? key
      : key.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  }

  /** Refuses the name of another record. @param {number} slot @param {any} record */
  async checkName(slot, record) {
    const key = this.keyOf(record);
    if (key === undefined) return;
    this.names ??= await this.readNames();
    const other = this.names.get(key);
    if (other !== undefined && other !== slot) {
      throw new HdbError('duplicate_name', `the record in slot ${other} has this name`,
        { table: this.name });
    }
  }

  /** @param {number} slot @param {any} record */
  async rename(slot, record) {
    if (this.descriptor.names === 'none') return;
    await this.checkName(slot, record);
    this.names ??= await this.readNames();
    for (const [name, of] of this.names) if (of === slot) this.names.delete(name);
    const key = this.keyOf(record);
    if (key !== undefined) this.names.set(key, slot);
  }

  async readNames() {
    const names = new Map();
    for (let k = 0; k < this.table.groups; ++k) {
      const group = await this.table.group(k, { columns: [0, 1] });
      const read = this.table.reader(group);
      for (let row = 0; row < group.live; ++row) {
        const slot = group.rows[row];
        const isOld = this.slots.isLive(slot) && !this.records.has(slot);
        const key = isOld ? this.keyOf(read(row)) : undefined;
        if (key !== undefined) names.set(key, slot);
      }
    }
    for (const [slot, record] of this.records) {
      const key = this.keyOf(record);
      if (key !== undefined) names.set(key, slot);
    }
    return names;
  }

  /**
   * The columns of a row group after the edits.
   * @param {number} number
   * @returns {Promise<import('./write_blocks.js').StoredColumn[]>}
   */
  async columns(number) {
    const { table, slots, descriptor } = this;
    const { schema } = descriptor;
    const first = number * table.groupSlots;
    const end = Math.min(first + table.groupSlots, slots.numbers.slots);
    const builder = new ColumnBuilder(schema);
    const old = number < table.groups ? await table.group(number) : undefined;
    const copy = copier(schema.root, old?.columns ?? [], builder);
    const write = encoder(schema.root, builder,
      { handles: [], fillsIn: true, handleOf: (of, text) => table.snapshot.handleOf(of, text) });
    const positions = [];
    for (let slot = first; slot < end; ++slot) {
      if (slots.states[slot] !== kLive) continue;
      if (slots.isDense) positions.push(slots.positions[slot]);
      const record = this.records.get(slot);
      if (record === undefined) copy(old?.rowOf(slot) ?? 0);
      else write(record);
    }
    const columns = [
      { column: 0, width: 1, bytes: slots.states.slice(first, end) },
      { column: 1, width: 4, bytes: bytesOfNumbers(slots.generations.slice(first, end)) },
    ];
    if (slots.isDense) {
      columns.push({ column: 2, width: 4, bytes: bytesOfNumbers(Uint32Array.from(positions)) });
    }
    for (const { number: column, width } of schema.columns) {
      columns.push({ column: column + 3, width, bytes: builder.outputs[column].taken() });
    }
    return columns;
  }
}

/** A copy of values that were checked. @param {any} value @returns {any} */
function structuredCopy(value) {
  if (Array.isArray(value)) return value.map(structuredCopy);
  if (value instanceof Uint8Array) return value.slice();
  if (typeof value !== 'object' || value === null || value instanceof NaNBytes) return value;
  const copy = Object.create(null);
  for (const [name, each] of Object.entries(value)) copy[name] = structuredCopy(each);
  return copy;
}

/** @typedef {{node: Node, value: any, put: (value: any) => any}} Place */

/**
 * The place of a path in a record. `put` changes it, and returns the record.
 * @param {Node} root
 * @param {any} record
 * @param {import('./write.js').Path} path
 * @returns {Place}
 */
function placeOf(root, record, path) {
  let node = root;
  let value = record;
  let put = (/** @type {any} */ changed) => structuredCopy(changed);
  const lost = (/** @type {string} */ what) =>
    new HdbError('not_found', `${what} on the path ${path}`);
  /** @param {Node} child @param {any} holder @param {string|number} key */
  const into = (child, holder, key) => {
    node = child;
    value = holder[key];
    put = (changed) => {
      holder[key] = structuredCopy(changed);
      return record;
    };
  };
  const steps = typeof path !== 'string' ? path
    : [...path.matchAll(/\[(\d+)\]|([^.[]+)/g)].map(([, index, name]) => name ?? Number(index));
  for (const step of steps) {
    // A path goes through what an optional or a variant holds.
    while (node.kind === 'optional' || node.kind === 'variant') {
      if (value === null) throw lost('an absent value');
      if (node.kind === 'variant') into(node.children[value.index], value, 'value');
      else node = node.children[0];
    }
    if (typeof step === 'number') {
      const isList = node.kind === 'list' || node.kind === 'array';
      if (!(isList || node.kind === 'map') || step >= value.length) throw lost(`no [${step}]`);
      if (isList) into(node.children[0], value, step);
      else into(node.children[1], value[step], 1);
    } else {
      const child = node.kind === 'struct' && node.children.find((each) => each.name === step);
      if (!child) throw lost(`no field ${step}`);
      into(child, value, step);
    }
  }
  return { node, value, put };
}
