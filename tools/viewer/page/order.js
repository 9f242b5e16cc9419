// The rows that the page shows, and their order: a filter, a text to find, fields to sort by.
import { placeFinder } from '../reader/references.js';
import { Damage, soundGroup } from './damage.js';
import { chainsTo, columnsFor } from './fields.js';
import { parseFilter, parsePath } from './filter_parse.js';
import { bindFilter, bindValue } from './filter_bind.js';
import { textOrder } from './text.js';

/**
 * @param {import('./table_data.js').TableData} data
 * @param {{where: string, find: string, sort: string}} wanted
 * @param {{step: (done: number, all: number) => Promise<void>}} work
 * @returns {Promise<{count: number, slots: Uint32Array | null, damage: object[]}>} null: all live
 *   slots, in order; rows of damaged groups are left out
 */
export async function makeOrder(data, { where, find, sort }, work) {
  const starts = await data.rowStarts();
  if (!where && !find && !sort)
    return { count: starts[data.groups], slots: null, damage: data.damage.list };
  const damage = new Damage();
  const filter = where ? await bindFilter(data, parseFilter(where)) : null;
  const finder = find ? makeFinder(data, find) : null;
  const keys = sort ? await Promise.all(sort.split(',').map((text) => sortKey(data, text))) : [];
  const columns = [...new Set([filter, finder, ...keys].filter(Boolean)
    .flatMap((part) => part.columns))];
  const slots = [];
  const values = keys.map(() => []);
  for (let k = 0; k < data.groups; ++k) {
    await work.step(k, data.groups);
    const group = await soundGroup(data, k, columns, damage);
    if (!group) continue;
    const found = finder?.rows(group);
    const passes = filter?.bind(group);
    const readers = keys.map((key) => key.bind(group));
    const { rows } = group;
    for (let row = 0; row < rows.length; ++row) {
      if (found && !found[row]) continue;
      if (passes && !passes(row)) continue;
      slots.push(rows[row]);
      for (let i = 0; i < readers.length; ++i) values[i].push(readers[i](row));
    }
  }
  const made = keys.length === 0 ? Uint32Array.from(slots) : sorted(slots, keys, values);
  return { count: slots.length, slots: made, damage: damage.list };
}

/** Missing values and NaN come last, whatever the direction; equal ones in the order of slots. */
function sorted(slots, keys, values) {
  const order = Uint32Array.from(slots, (_, i) => i);
  const ranks = keys.map(({ descending }, k) => ranksOf(values[k], descending));
  order.sort((a, b) => {
    for (const rank of ranks) {
      const less = rank[a] - rank[b];
      if (less !== 0 && !Number.isNaN(less)) return less;
    }
    return a - b;
  });
  return order.map((i) => slots[i]);
}

/** The values as numbers of the same order, so that a comparison is a subtraction. */
function ranksOf(values, descending) {
  const sign = descending ? -1 : 1;
  const isMissing = (value) => value === undefined || value !== value;
  const first = values.find((value) => !isMissing(value));
  if (typeof first === 'number')
    return Float64Array.from(values, (value) => (isMissing(value) ? Infinity : sign * value));
  const ranks = new Float64Array(values.length).fill(Infinity);
  const present = Uint32Array.from(values.keys()).filter((i) => !isMissing(values[i]));
  const order = typeof first === 'string' ? textOrder : (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  present.sort((a, b) => order(values[a], values[b]));
  let rank = 0;
  present.forEach((i, place) => {
    if (place > 0 && values[i] !== values[present[place - 1]]) ++rank;
    ranks[i] = sign * rank;
  });
  return ranks;
}

async function sortKey(data, text) {
  const descending = text.startsWith('-');
  const path = parsePath(descending ? text.slice(1) : text);
  return { descending, ...await bindValue(data, path) };
}

/** A text in any text field, without regard to the case of ASCII letters; a number in any field. */
function makeFinder(data, find) {
  const { root } = data;
  const number = find.trim() !== '' && !Number.isNaN(Number(find)) ? Number(find) : null;
  const lower = find.toLowerCase();
  const chains = chainsTo(root, (node) => ['string', 'enum'].includes(node.kind) ||
    node.kind === 'handle' || (number !== null && /^[iuf]\d+$/.test(node.kind)));
  const expression = new RegExp([...new TextEncoder().encode(find)].map((byte) => {
    const c = String.fromCharCode(byte);
    if (/[a-z]/i.test(c)) return `[${c.toLowerCase()}${c.toUpperCase()}]`;
    return `\\x${byte.toString(16).padStart(2, "0")}`;
  }).join(''), 'g');
  const columns = [...new Set(chains.flatMap(columnsFor))];
  return {
    columns,
    rows(group) {
      const found = new Uint8Array(group.live);
      for (const chain of chains) {
        const placeOf = placeFinder(group, [root, ...chain]);
        const mark = (i) => { found[placeOf(i).row] = 1; };
        const node = chain.at(-1);
        const column = group.columns[node.firstColumn];
        if (!column) continue;
        if (node.kind === 'string') {
          findTexts(expression, column.offsets, group.columns[node.firstColumn + 1].bytes,
            mark);
        } else if (node.kind === 'enum') {
          const named = new Set([...node.enumNames ?? []]
            .filter(([, name]) => name.toLowerCase().includes(lower)).map(([value]) => value));
          if (named.size > 0 || number !== null) {
            column.values.forEach((value, i) => {
              if (named.has(value) || value == number) mark(i);
            });
          }
        } else if (node.kind === 'handle') {
          const text = find.trim();
          const bits = /^0x[0-9a-f]+$/i.test(text) ? BigInt(text)
            : data.save.snapshot.handleOf(node, text);
          if (bits !== undefined)
            column.values.forEach((value, i) => { if (value == bits) mark(i); });
        } else {
          const wanted = node.kind === 'f32' ? Math.fround(number) : number;
          const { values } = column;
          for (let i = 0; i < values.length; ++i) if (values[i] == wanted) mark(i);
        }
      }
      return found;
    },
  };
}

const PIECE = 1 << 20;
const latin1 = new TextDecoder('latin1');

/** Calls `use` with the number of each text that the expression matches. */
function findTexts(expression, offsets, bytes, use) {
  const count = offsets.length - 1;
  let first = 0;
  while (first < count) {
    // Texts from `first` on, together at least one and at most a piece.
    let last = first + 1;
    while (last < count && offsets[last + 1] - offsets[first] <= PIECE) ++last;
    const text = latin1.decode(bytes.subarray(offsets[first], offsets[last]));
    let at = first;
    expression.lastIndex = 0;
    for (let hit; (hit = expression.exec(text)) !== null;) {
      const from = offsets[first] + hit.index;
      while (offsets[at + 1] <= from) ++at;
      if (from + hit[0].length <= offsets[at + 1]) {
        use(at);
        expression.lastIndex = offsets[at + 1] - offsets[first];
      } else {
        expression.lastIndex = hit.index + 1;
      }
    }
    first = last;
  }
}
