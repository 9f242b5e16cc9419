// What the page asks about a whole save or table: sizes, references, values over time.
import { Damage, isDamage } from './damage.js';
import { columnsFor } from './fields.js';
import { parsePath } from './filter_parse.js';
import { bindValue } from './filter_bind.js';

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

/** By the number that the game counts up, then by date, then by name. */
export function inOrder(saves) {
  const key = ({ snapshot }) => snapshot.metadata;
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  return [...saves].sort((a, b) => compare(key(a).sequence, key(b).sequence) ||
    compare(key(a).dateMs, key(b).dateMs) ||
    a.name.localeCompare(b.name, 'en', { numeric: true }));
}

/** Live records of each table, or of one; or one field of a record. */
export async function historyOf(saves, what, work) {
  const ordered = inOrder(saves);
  const shown = ordered.map(({ number, name }) => ({ number, name }));
  const record = /^(.+?):(\d+)(?:@(\d+))?\.(.+)$/s.exec(what);
  if (!record) {
    const names = new Set(ordered.flatMap(({ tables }) => tables.map(({ table }) => table.name)));
    if (what && !names.has(what)) {
      throw { kind: 'usage',
              message: `no save has a table ${what}; write monsters:42@1.hp for a field` };
    }
    const series = [...names].filter((name) => !what || name === what).map((name) => {
      const counts = ordered.map((save) => save.byName.get(name)?.table.live);
      return { name, numbers: counts.map((count) => count ?? NaN),
               texts: counts.map((count) => (count === undefined ? '–' : String(count))) };
    });
    return { saves: shown, series };
  }
  const [, table, slot, generation, path] = record;
  const values = { name: what, numbers: [], texts: [] };
  const steps = parsePath(path);
  let known = false;
  for (const [i, save] of ordered.entries()) {
    await work.step(i, ordered.length);
    const { number, text, found } = await fieldAt(save, table, Number(slot), generation, steps);
    known ||= found;
    values.numbers.push(number);
    values.texts.push(text);
  }
  if (!known) throw { kind: 'usage', message: `no save has the record ${table}:${slot}` };
  return { saves: shown, series: [values] };
}

async function fieldAt(save, table, slot, generation, steps) {
  const none = { number: NaN, text: '–', found: false };
  const data = save.byName.get(table);
  if (!data || slot >= data.table.slots) return none;
  const has = await data.slot(slot);
  if (has.state !== 'live' || (generation !== undefined && has.generation !== Number(generation)))
    return none;
  const bound = await bindValue(data, steps);
  const group = await data.group(data.groupOf(slot), bound.columns);
  const value = bound.bind(group)(group.rowOf(slot));
  if (bound.node.kind === 'handle') {
    const text = save.snapshot.handleText(bound.node, BigInt(value)) ?? 'null';
    return { number: NaN, text, found: true };
  }
  const name = bound.node.enumNames?.get(value);
  return { number: typeof value === 'string' ? NaN : Number(value), found: true,
           text: name ?? (value === undefined ? 'null' : String(value)) };
}

