// An open save for the page's worker: what the page asks about it.
import { sameLayout } from '../reader/handles.js';
import { blobSource, edit, open } from '../reader/index.js';
import { valueOf } from './edit_text.js';
import { kLive } from '../reader/columns.js';
import { Damage, isDamage, soundGroup } from './damage.js';
import { chainsTo } from './fields.js';
import { TableData } from './table_data.js';

/** @typedef {import('../reader/schema.js').Node} Node */

export class SaveData {
  /** @param {number} number @param {string} name @param {Blob} blob */
  constructor(number, name, blob) {
    this.number = number;
    this.name = name;
    this.blob = blob;
    this.original = blob;
    this.edits = [];
  }

  async open() {
    this.snapshot = await open(blobSource(this.blob));
    this.base ??= this.snapshot;
    this.tables = this.snapshot.tables.map((table) => new TableData(this, table));
    this.byTable = new Map(this.tables.map((data) => [data.table, data]));
    this.byName = new Map(this.tables.map((data) => [data.table.name, data]));
    return this;
  }

  /** @param {string} name */
  table(name) {
    const data = this.byName.get(name);
    if (!data) throw { kind: 'usage', message: `${this.name} has no table ${name}` };
    return data;
  }

  async info() {
    const { snapshot } = this;
    const { metadata } = snapshot;
    const others = snapshot.unknownExtensions.map(({ of, tag }) => `an extension ${tag} of ${of}`);
    try {
      for (const block of await snapshot.unknownBlocks())
        others.push(`a block of type ${block.type}${block.table ? ` of ${block.table}` : ''}`);
    } catch (error) {
      if (!isDamage(error)) throw error;
      others.push('blocks of unknown types, of which some are damaged');
    }
    return {
      number: this.number, name: this.name, bytes: this.blob.size,
      format: `${snapshot.version.major}.${snapshot.version.minor}`,
      fileId: snapshot.fileId, stateHash: snapshot.storedStateHash, edits: this.edits.length,
      others,
      metadata: { sequence: metadata.sequence, playTime: metadata.playTimeMs,
                  date: Number(metadata.dateMs), title: metadata.title, pairs: metadata.pairs },
      tables: this.tables.map((data) => tableInfo(data, snapshot.rewritable)),
    };
  }

  /**
   * Makes the file with these edits, which becomes the open one; or throws, and changes nothing.
   * @returns {Promise<string | undefined>} the handle of the record of the last edit
   */
  async setEdits(edits) {
    const made = edits.length > 0 ? await edit(this.base, edits) : undefined;
    this.blob = made ? new Blob(made.parts) : this.original;
    this.edits = edits;
    await this.open();
    return made?.handles.at(-1);
  }

  async setText(table, slot, steps, text) {
    const data = this.table(table);
    let { node, value } = { node: data.root, value: (await data.table.record(slot)).fields };
    for (const step of steps) {
      while (node.kind === 'optional' || node.kind === 'variant') {
        if (node.kind === 'optional') [node] = node.children;
        else ({ node, value } = { node: node.children[value.index], value: value.value });
      }
      const inner = typeof step === 'string' ? node.children.find(({ name }) => name === step)
        : node.children.at(-1);
      value = typeof step === 'number' && node.kind === 'map' ? value[step][1] : value[step];
      node = inner;
    }
    const made = { kind: 'set', table, slot, path: steps, value: valueOf(node, text, value) };
    return this.setEdits([...this.edits, made]);
  }

  /** What a field can name. @param {Node} node */
  targetsOf(node) {
    return this.tables.filter(({ table }) => {
      const { component, layout, typeId } = table.descriptor;
      if (component || !sameLayout(layout, node.layout)) return false;
      return node.table ? table.name === node.table : typeId !== 0;
    });
  }

  /** Reads the slots of all tables that a field can name, for `resolve`; not damaged ones. */
  async loadSlots(node) {
    for (const data of this.targetsOf(node))
      for (let k = 0; k < data.groups; ++k) await soundGroup(data, k, [], new Damage());
  }

  /**
   * What a stored handle names, if loadSlots was called.
   * @param {Node} node @param {bigint} bits
   */
  resolve(node, bits) {
    if (bits === 0n) return { kind: 'null' };
    const found = this.snapshot.belongsTo(node, bits);
    if (!found) return { kind: 'foreign' };
    const data = this.byTable.get(found.table);
    const { slot, generation } = found;
    const group = data.slots[data.groupOf(slot)];
    if (!group && slot < data.table.slots) return { kind: 'unknown', data, slot, generation };
    const at = slot - (group?.firstSlot ?? 0);
    const isLive = group && group.states[at] === kLive && group.generations[at] === generation;
    return { kind: isLive ? 'live' : 'stale', data, slot, generation };
  }

  /** A handle that may still be stale: `settle` says. */
  handleCell = (node, bits) => ({
    kind: bits === 0n ? 'null' : 'handle',
    text: this.snapshot.handleText(node, bits) ?? 'null', node, bits,
  });

  async #resolved({ node, bits }) {
    try {
      return await this.snapshot.resolve(node, bits);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return { kind: 'unknown' };
    }
  }

  /** Says of each handle among the cells what it names. @param {any[]} cells */
  async settle(cells) {
    for (const cell of cells) {
      if (cell?.kind === 'handle') {
        const found = await this.#resolved(cell);
        cell.kind = found.kind;
        if (found.kind === 'live') {
          cell.table = found.table.name;
          cell.slot = found.slot;
        }
      }
      if (cell?.node) {
        delete cell.node;
        delete cell.bits;
      }
    }
    return cells;
  }

  /** Handle fields, each with the nodes above it. @param {TableData} data */
  handleFields(data) {
    return chainsTo(data.root, (node) => node.kind === 'handle');
  }
}

/** @param {TableData} data @param {boolean} isRewritable */
function tableInfo(data, isRewritable) {
  const { table } = data;
  const of = table.descriptor;
  const { layout } = of;
  const policies = [of.freePolicy, of.generationPolicy === 'counter' ? 'table counter' : '',
                    of.overflow === 'wrap' ? 'wrap' : '', of.hashed ? '' : 'not hashed',
                    of.names === 'none' ? '' : 'named records'];
  return {
    name: table.name, live: of.live, free: of.free, retired: of.retired, slots: of.slots,
    unissued: of.unissued, counter: of.counter, highestGeneration: of.highestGeneration,
    storage: of.singleton ? 'singleton' : of.component ? `component of ${of.ownerName}`
      : of.blobs ? 'blobs' : of.storage,
    layout: `<${layout.index},${layout.generation}${layout.type ? `,${layout.type}` : ""}>`,
    policies: of.component ? of.component.removal === 'swap' ? '' : 'in place'
      : policies.filter(Boolean).join(', '),
    component: Boolean(of.component),
    canChange: isRewritable && !of.singleton && !of.blobs,
    freeListed: of.component ? of.component.holes : of.free,
    columns: data.columns.map(({ path, kind, numeric }) => ({ path, kind, numeric })),
    hasHandles: chainsTo(data.root, (node) => node.kind === 'handle').length > 0,
    facts: factsOf(of),
  };
}

/** What TableFacts shows. @param {import('../reader/catalog.js').Descriptor} of */
function factsOf(of) {
  const { component, typeId, blobs, hashed } = of;
  return {
    owner: component ? of.ownerName : '', removal: component?.removal ?? '',
    holes: component?.holes ?? 0, freeList: of.freePolicy, generations: of.generationPolicy,
    overflow: of.overflow, names: of.names, typeId, hashed,
    blobs: blobs && { capacity: blobs.capacity, alignment: blobs.alignment,
                      compaction: blobs.compaction },
  };
}
