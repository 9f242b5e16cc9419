// The worker: reads the saves and answers the page. Each call is one of the functions below.
import { changedRows, compareSaves, sidesOf } from './compare.js';
import { damagedCell, soundFields } from './damage.js';
import { children, recordTree } from './record_tree.js';
import { freeListRows, surveySlots } from './slot_survey.js';
import { referencesTo } from './survey.js';
import { linksOf } from './links.js';
import { makeOrder } from './order.js';
import { historyOf } from './series.js';
import { sizesOf } from './sizes.js';
import { SaveData } from './save_data.js';

/** @type {Map<number, SaveData>} */
const saves = new Map();
/** @type {Map<number, {data: import('./table_data.js').TableData, count: number, slots: any}>} */
const orders = new Map();
const MOST_ORDERS = 8;
let lastNumber = 0;

const saveOf = (number) => saves.get(number);
const tableOf = (number, name) => saveOf(number).table(name);

const functions = {
  async open(_work, name, blob) {
    const save = await new SaveData(++lastNumber, name, blob).open();
    saves.set(save.number, save);
    return save.info();
  },
  info: (_work, number) => saveOf(number).info(),
  validate: async (work, number) => {
    const { snapshot } = saveOf(number);
    const { verdict, findings } = await snapshot.validate('deep',
      { signal: work.signal, onProgress: work.progress });
    return { verdict, findings: findings.map(faultOf) };
  },
  thumbnail: async (_work, number) => {
    const bytes = await saveOf(number).snapshot.thumbnail();
    return bytes && new Blob([bytes]);
  },
  async order(work, number, table, wanted) {
    const data = tableOf(number, table);
    const made = await makeOrder(data, wanted, work);
    const order = ++lastNumber;
    orders.set(order, { data, ...made });
    if (orders.size > MOST_ORDERS) orders.delete(orders.keys().next().value);
    return { number: order, count: made.count, damage: made.damage };
  },
  rows: (_work, number, order, from, count, paths) =>
    rowsOf(saveOf(number), orders.get(order), from, count, paths),
  record: (_work, number, table, slot) => recordTree(tableOf(number, table), slot),
  children: (_work, number, table, slot, path, from) =>
    children(tableOf(number, table), slot, path, from),
  references: (work, number, table, slot) => referencesTo(tableOf(number, table), slot, work),
  sizes: (work, number) => sizesOf(saveOf(number), work),
  links: (work, number) => linksOf(saveOf(number), work),
  slots: (work, number, table) => surveySlots(tableOf(number, table), work),
  freeList: (_work, number, table, from, count) =>
    freeListRows(tableOf(number, table), from, count),
  changes: (work, before, after) => compareSaves(saveOf(before), saveOf(after), work),
  changedRows: (_work, before, after, table, from, count) =>
    changedRows(saveOf(before), saveOf(after), table, from, count),
  sides: (_work, before, after, table, slot) =>
    sidesOf(saveOf(before), saveOf(after), table, slot),
  history: (work, numbers, what, by) => historyOf(numbers.map(saveOf), what, by, work),
  set: (_work, number, table, slot, steps, text) =>
    inTurn(() => saveOf(number).setText(table, slot, steps, text)),
  change: (_work, number, edit) =>
    inTurn(() => saveOf(number).setEdits([...saveOf(number).edits, edit])),
  undo: (_work, number) => inTurn(() => saveOf(number).setEdits(saveOf(number).edits.slice(0, -1))),
  save: (_work, number) => {
    const { name, blob } = saveOf(number);
    return { name: `${name.replace(/\.hdb$/, '')}.edited.hdb`, blob };
  },
};

let last = Promise.resolve();

/** Edits one after another. */
function inTurn(work) {
  const made = last.then(work);
  last = made.catch(() => {});
  return made;
}

async function rowsOf(save, order, from, count, paths) {
  if (!order) throw { kind: 'usage', message: 'these rows were dropped: scroll again' };
  const { data, slots } = order;
  const columns = paths.map((path) => data.column(path)).filter(Boolean);
  const nodes = columns.map(({ node }) => node);
  const wanted = slots ? slots.subarray(from, from + count)
    : await slotsFrom(data, from, Math.min(count, order.count - from));
  const rows = [];
  const readers = new Map();
  for (const slot of wanted) {
    const number = data.groupOf(slot);
    if (!readers.has(number)) {
      const { group, faults } = await soundFields(data, number, nodes);
      const cells = nodes.map((node) => (faults.has(node)
        ? () => damagedCell(faults.get(node)) : data.cellReader(node, group)));
      readers.set(number, { group, cells });
    }
    const { group, cells } = readers.get(number);
    const row = group.rowOf(slot);
    const generation = group.generations[slot - group.firstSlot];
    rows.push({ slot, handle: data.table.handleText(slot, generation),
                slots: [group.firstSlot, group.firstSlot + group.slots - 1],
                cells: cells.map((cell) => cell(row)) });
  }
  for (const row of rows) await save.settle(row.cells);
  return rows;
}

/** The live slots from row `from` on. */
async function slotsFrom(data, from, count) {
  const starts = await data.rowStarts();
  const found = [];
  let number = starts.findIndex((start, k) => k + 1 < starts.length && starts[k + 1] > from);
  for (; number >= 0 && number < data.groups && found.length < count; ++number) {
    if (starts[number] === starts[number + 1]) continue;  // also damaged ones
    const { rows } = await data.group(number, []);
    const first = Math.max(0, from - starts[number]);
    for (let i = first; i < rows.length && found.length < count; ++i) found.push(rows[i]);
  }
  return found;
}

/** Errors as the page shows them. */
function faultOf(error) {
  if (error.code) {
    const { kind, id, what, where, next } = error;
    const place = Object.entries(where).filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name} ${value}`).join(', ');
    return { kind, id, message: `${what}; ${next}`, where: place };
  }
  return { kind: error.kind ?? 'internal', message: error.message ?? String(error) };
}

/** @type {Map<number, AbortController>} */
const running = new Map();

onmessage = async ({ data: { number, name, values, cancel } }) => {
  if (cancel) return running.get(cancel)?.abort();
  const stop = new AbortController();
  running.set(number, stop);
  let turn = performance.now();
  const progress = (done, all) => postMessage({ number, done, all });
  const work = {
    signal: stop.signal, progress,
    /** Between two steps of long work: says how far it is, and lets other calls in. */
    async step(done, all) {
      if (performance.now() - turn > 40) {
        progress(done, all);
        await new Promise((resolve) => setTimeout(resolve, 0));
        turn = performance.now();
      }
      if (stop.signal.aborted) throw { kind: 'cancelled', message: 'cancelled' };
    },
  };
  try {
    postMessage({ number, value: await functions[name](work, ...values) });
  } catch (error) {
    const fault = faultOf(error);
    if (fault.kind === 'internal') console.error(error);
    postMessage({ number, fault });
  } finally {
    running.delete(number);
  }
};
