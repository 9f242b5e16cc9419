// What the page asks about a whole save: who names a record.
import { Damage, isDamage } from './damage.js';

const MOST_LISTED = 500;

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
