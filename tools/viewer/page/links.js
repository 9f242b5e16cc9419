// How many handles of each field are live, stale, null and foreign, and which tables they name.
import { kLive } from '../reader/columns.js';
import { splitHalves } from '../reader/handles.js';
import { nameInPath, placeFinder } from '../reader/references.js';
import { columnsFor, schemaPath } from './fields.js';

/**
 * @typedef {object} Link a handle field
 * @property {string} table
 * @property {string} path as schemas are printed
 * @property {string} where the path in filters
 * @property {boolean} strong whether it owns the records that it names
 * @property {number} live
 * @property {number} stale
 * @property {number} null
 * @property {number} foreign
 * @property {number} unknown of slots that cannot be read
 * @property {{table: string, live: number, stale: number}[]} targets
 * @property {{slot: number, handle: string, path: string, names: string}} [firstStale]
 * @property {string} [fault] why not all were counted
 */

/**
 * @param {import('./save_data.js').SaveData} save
 * @returns {Promise<Link[]>}
 */
export async function linksOf(save, work) {
  const found = [];
  const groups = save.tables.reduce((sum, data) => sum + data.groups, 0);
  let before = 0;
  for (const data of save.tables) {
    for (const chain of save.handleFields(data)) {
      const counter = new Counter(save, data, chain);
      for (let k = 0; k < data.groups; ++k) {
        await work.step(before + k, groups);
        try {
          await counter.count(k);
        } catch (error) {
          if (!error.code || error.kind === 'cancelled') throw error;
          counter.link.fault ??= error.message;
        }
      }
      found.push(counter.done());
    }
    before += data.groups;
  }
  return found;
}

class Counter {
  constructor(save, data, chain) {
    const node = chain.at(-1);
    Object.assign(this, { save, data, chain, node });
    /** @type {Link} */
    this.link = { table: data.table.name, path: schemaPath(chain), where: filterPath(chain),
                  strong: node.strong, live: 0, stale: 0, null: 0, foreign: 0, unknown: 0,
                  targets: [] };
    /** By type id; null where no table has it. */
    this.targets = new Map();
  }

  async count(k) {
    const { node, data } = this;
    const { layout, width } = node;
    // States and generations of all that the field can name are kept by the tables.
    await this.save.loadSlots(node);
    const group = await data.group(k, columnsFor(this.chain));
    const { bytes } = group.columns[node.firstColumn];
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const parts = { slot: 0, generation: 0, type: 0 };
    const counts = { live: 0, stale: 0, null: 0, foreign: 0, unknown: 0 };
    let [target, lastType] = [null, -1];
    for (let at = 0; at < bytes.length; at += width) {
      const low = width === 2 ? view.getUint16(at, true) : view.getUint32(at, true);
      const high = width === 8 ? view.getUint32(at + 4, true) : 0;
      if (low === 0 && high === 0) {
        ++counts.null;
        continue;
      }
      const isValid = splitHalves(layout, low, high, parts);
      if (isValid && parts.type !== lastType) {
        target = this.targetOf(parts.type);
        lastType = parts.type;
      }
      if (!isValid || !target) {
        ++counts.foreign;
        continue;
      }
      const kind = kindOf(target, parts);
      ++counts[kind];
      ++target[kind];
      if (kind === 'stale' && !this.link.firstStale)
        this.setFirstStale(group, at / width, target, parts);
    }
    for (const kind of Object.keys(counts)) this.link[kind] += counts[kind];
  }

  targetOf(type) {
    if (!this.targets.has(type)) {
      const data = this.save.byTable.get(this.save.snapshot.targetOf(this.node, type));
      this.targets.set(type, data ? { data, live: 0, stale: 0, unknown: 0 } : null);
    }
    return this.targets.get(type);
  }

  setFirstStale(group, index, target, { slot, generation }) {
    const { table } = this.data;
    const { row, path } = placeFinder(group, [table.root, ...this.chain])(index);
    const from = group.rows[row];
    const handle = table.handleText(from, group.generations[from - group.firstSlot]);
    this.link.firstStale = { slot: from, handle, path,
                             names: target.data.table.handleText(slot, generation) };
  }

  done() {
    const { link, node, save } = this;
    link.targets = [...this.targets.values()].filter(Boolean)
      .map(({ data, live, stale }) => ({ table: data.table.name, live, stale }));
    // Without handles, the table that the schema says.
    if (link.targets.length === 0 && save.byName.has(node.table))
      link.targets = [{ table: node.table, live: 0, stale: 0 }];
    return link;
  }
}

function kindOf({ data }, { slot, generation }) {
  if (slot >= data.table.slots) return 'stale';
  const group = data.slots[Math.floor(slot / data.groupSlots)];
  if (!group) return 'unknown'; // it is damaged
  const at = slot - group.firstSlot;
  const isLive = group.states[at] === kLive && group.generations[at] === generation;
  return isLive ? 'live' : 'stale';
}

/** The path of a field in filters, any element of lists. */
function filterPath(chain) {
  let path = '';
  chain.forEach((node, i) => {
    const parent = chain[i - 1];
    if (node.name) path += `${path && "."}${nameInPath(node.name)}`;
    if (parent?.kind === 'variant') path += `<${parent.children.indexOf(node)}>`;
    if (parent?.kind === 'map') path += node === parent.children[0] ? '.key' : '.value';
    if (['array', 'list', 'map'].includes(node.kind)) path += '[*]';
  });
  return path;
}
