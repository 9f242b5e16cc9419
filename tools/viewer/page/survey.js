// What the page asks about a whole save or table: sizes, references.
import { Damage, isDamage } from './damage.js';
import { columnsFor } from './fields.js';

const MOST_LISTED = 500;

/**
 * Stored and raw bytes of each table, and of its fields.
 * @param {import('./save_data.js').SaveData} save
 */
export async function sizesOf(save) {
  const { snapshot } = save;
  const parts = new Map();
  const part = (name) => {
    if (!parts.has(name)) parts.set(name, { name, stored: 0, raw: 0, fields: new Map() });
    return parts.get(name);
  };
  for (const [number, block] of snapshot.blocks.entries()) {
    const isTable = block.typeName === 'rows' || block.typeName === 'free_list';
    const table = isTable ? snapshot.tables[block.table] : undefined;
    const name = table?.name ?? { catalog: 'schemas and tables, twice', pack: 'small tables' }[
      block.typeName] ?? block.typeName.replaceAll('_', ' ');
    const of = part(name);
    of.stored += block.stored;
    of.raw += block.raw;
    if (!table) continue;
    const opened = await snapshot.file.block(number, { table: table.name }, false);
    let chunks = 0;
    for (const chunk of opened.chunks) {
      chunks += chunk.stored;
      const field = block.typeName === 'free_list' ? 'free list' : fieldOf(table, chunk.column);
      const entry = of.fields.get(field) ?? { name: field, stored: 0, raw: 0 };
      entry.stored += chunk.stored;
      entry.raw += chunk.raw;
      of.fields.set(field, entry);
    }
    const entry = of.fields.get('indexes') ?? { name: 'indexes', stored: 0, raw: 0 };
    entry.stored += block.stored - chunks;
    of.fields.set('indexes', entry);
  }
  const used = [...parts.values()].reduce((sum, { stored }) => sum + stored, 0);
  part('header, heads, directory and footer').stored = save.blob.size - used;
  const bySize = (a, b) => b.stored - a.stored;
  return [...parts.values()].sort(bySize)
    .map((each) => ({ ...each, fields: [...each.fields.values()].sort(bySize) }));
}

function fieldOf(table, column) {
  if (column < 3) return ['slot states', 'slot generations', 'dense positions'][column];
  const { node, form } = table.schemaColumns[column - 3];
  return form === 'values' || form === 'bytes' ? node.path : `${node.path}, ${form}`;
}

/** The records that name a record, and with which field. */
export async function referencesTo(data, slot, work) {
  const { snapshot } = data.save;
  const { generation } = await data.slot(slot);
  const list = [];
  let all = 0;
  const damaged = new Map();
  const onFault = (table, group, error) => {
    if (!isDamage(error)) throw error;
    if (!damaged.has(table)) damaged.set(table, new Damage());
    damaged.get(table).add(data.save.byTable.get(table), group, error);
  };
  const options = { signal: work.signal, onProgress: work.progress, onFault };
  for await (const found of snapshot.referencesTo(data.table, slot, generation, options)) {
    if (++all > MOST_LISTED) continue;
    const { table, slot: from, path } = found;
    const text = table.handleText(from, found.generation);
    list.push({ path, cell: { kind: 'live', text, table: table.name, slot: from } });
  }
  const damage = [...damaged].map(([{ name }, { list: slots }]) => ({ name, slots }));
  return { all, list, damage };
}

/** How many handles of each field are live, stale, null and foreign. */
export async function linksOf(save, work) {
  const found = [];
  const total = save.tables.length;
  for (const [number, data] of save.tables.entries()) {
    for (const chain of save.handleFields(data)) {
      const node = chain.at(-1);
      await save.loadSlots(node);
      const link = { table: data.table.name, path: pathOf(chain), where: filterPath(chain),
                     live: 0, stale: 0, null: 0, foreign: 0, targets: [] };
      const targets = new Set();
      for (let k = 0; k < data.groups; ++k) {
        await work.step(number, total);
        const { values } = (await data.group(k, columnsFor(chain))).columns[node.firstColumn];
        for (let i = 0; i < values.length; ++i) {
          const hit = save.resolve(node, BigInt(values[i]));
          ++link[hit.kind];
          if (hit.data) targets.add(hit.data.table.name);
        }
      }
      link.targets = [...targets];
      found.push(link);
    }
  }
  return found;
}

const pathOf = (chain) => chain.at(-1).path;

function filterPath(chain) {
  let path = '';
  chain.forEach((node, i) => {
    const parent = chain[i - 1];
    if (node.name) path += `${path && "."}${node.name}`;
    if (parent?.kind === 'variant') path += `<${parent.children.indexOf(node)}>`;
    if (parent?.kind === 'map') path += node === parent.children[0] ? '.key' : '.value';
    if (['array', 'list', 'map'].includes(node.kind)) path += '[*]';
  });
  return path;
}
