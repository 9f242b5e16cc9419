// The slots of a table as a bounded number of values to draw: maps, generations, orders.
import { kFree, kLive, kRetired } from '../reader/columns.js';
import { Damage, faultText, isDamage, soundGroup } from './damage.js';

const MOST_BINS = 2048;
const MOST_ORDER_BINS = 200;
const MOST_GENERATIONS = 16;
/** A step of an order that stays near: records this close share cache lines and pages. */
const NEAR_STEP = 64;

/** The power of two of which `count` fill at most `most` bins. */
export function binWidth(count, most) {
  const least = Math.max(1, Math.ceil(count / most));
  return 2 ** Math.ceil(Math.log2(least));
}

/** Bins of equal width, of which the last may be shorter. @param {() => object} make */
export function binsOf(slots, make, most = MOST_BINS) {
  const width = binWidth(slots, most);
  return Array.from({ length: Math.ceil(slots / width) }, (_, i) => (
    { first: i * width, slots: Math.min(width, slots - i * width), ...make() }));
}

/**
 * @typedef {object} SlotBin
 * @property {number} first the first slot
 * @property {number} slots
 * @property {number} live
 * @property {number} free
 * @property {number} retired
 * @property {number} unread slots of damaged groups; the rest are unissued
 * @property {number} lowest generation of live slots
 * @property {number} highest
 * @property {number} mean
 * @property {number} at the first live slot, or -1
 */

const emptyBin = () => (
  { live: 0, free: 0, retired: 0, unread: 0, lowest: Infinity, highest: 0, mean: 0, at: -1 });

/**
 * @param {import('./table_data.js').TableData} data
 * @param {{step: (done: number, all: number) => Promise<void>}} work
 */
export async function surveySlots(data, work) {
  const { table } = data;
  const damage = new Damage();
  const range = { lowest: Infinity, highest: 0 };
  for (let k = 0; k < data.groups; ++k) {
    await work.step(k, 2 * data.groups);
    const group = await soundGroup(data, k, [], damage);
    if (group) widen(range, group.generations);
  }
  const isCounter = table.descriptor.generationPolicy === 'counter';
  const generations = generationBins(isCounter, range.lowest, range.highest);
  const bins = binsOf(table.slots, emptyBin);
  const order = new OrderCounter(table.live);
  for (let k = 0; k < data.groups; ++k) {
    await work.step(data.groups + k, 2 * data.groups);
    const group = await soundGroup(data, k, [], new Damage());
    if (group) countGroup(group, bins, generations, order);
    else countUnread(data, k, bins);
  }
  for (const bin of bins) {
    if (bin.live === 0) bin.lowest = 0;
    else bin.mean /= bin.live;
  }
  return {
    bins, generations, damage: damage.list,
    dense: table.descriptor.storage === 'dense' ? order.take() : null,
    ...await freeListOrder(data),
  };
}

function widen(range, generations) {
  let { lowest, highest } = range;
  for (let i = 0; i < generations.length; ++i) {
    const generation = generations[i];
    if (generation === 0) continue;
    if (generation < lowest) lowest = generation;
    if (generation > highest) highest = generation;
  }
  Object.assign(range, { lowest, highest });
}

function countGroup(group, bins, ranges, order) {
  const { firstSlot, states, generations, positions } = group;
  const width = bins[0].slots;
  let row = 0;
  let range = ranges[0];
  for (let i = 0; i < states.length;) {
    const bin = bins[Math.floor((firstSlot + i) / width)];
    const end = Math.min(states.length, bin.first + bin.slots - firstSlot);
    for (; i < end; ++i) {
      const generation = generations[i];
      const state = states[i];
      if (generation !== 0) {
        if (generation < range.lowest || generation > range.highest)
          range = ranges.find(({ highest }) => highest >= generation);
        if (state === kLive) ++range.live;
        else ++range.vacant;
      }
      if (state === kLive) {
        if (bin.live++ === 0) bin.at = firstSlot + i;
        bin.mean += generation;  // the sum, until all are counted
        if (generation < bin.lowest) bin.lowest = generation;
        if (generation > bin.highest) bin.highest = generation;
        if (positions) order.add(positions[row]);
        ++row;
      } else if (state === kFree) {
        ++bin.free;
      } else if (state === kRetired) {
        ++bin.retired;
      }
    }
  }
}

function countUnread(data, number, bins) {
  const width = bins[0].slots;
  const end = Math.min((number + 1) * data.groupSlots, data.table.slots);
  for (let slot = number * data.groupSlots; slot < end;) {
    const bin = bins[Math.floor(slot / width)];
    const next = Math.min(bin.first + bin.slots, end);
    bin.unread += next - slot;
    slot = next;
  }
}

/** The order in which the free list uses slots; holes are positions, not slots. */
async function freeListOrder(data) {
  if (data.table.descriptor.component || data.table.descriptor.free === 0) return { free: null };
  try {
    const list = await freeListOf(data);
    const order = new OrderCounter(list.length);
    for (const slot of list) order.add(slot);
    return { free: order.take() };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { free: null, freeFault: faultText(error) };
  }
}

/**
 * Ranges from the lowest to the highest generation without gaps; they double in width, or have the
 * same width for a counter of the table, whose numbers spread evenly.
 * @param {boolean} isCounter @param {number} lowest @param {number} highest
 */
export function generationBins(isCounter, lowest, highest, most = MOST_GENERATIONS) {
  if (lowest > highest) return [];
  const span = highest - lowest + 1;
  const even = span <= most || isCounter;
  let bins = [];
  for (let factor = 2; ; factor *= 2) {
    bins = [];
    let width = even ? Math.ceil(span / most) : 1;
    for (let first = lowest; first <= highest; first += width, width *= even ? 1 : factor) {
      const last = Math.min(first + width - 1, highest);
      bins.push({ lowest: first, highest: last, live: 0, vacant: 0 });
    }
    if (even || bins.length <= most) return bins;
  }
}

/** How scattered an order of numbers is: runs, steps, and the range of the numbers by bins. */
export class OrderCounter {
  /** @param {number} entries how many will be added */
  constructor(entries) {
    this.width = binWidth(entries, MOST_ORDER_BINS);
    this.order = { entries: 0, runs: 0, longestRun: 0, nearSteps: 0, meanStep: 0, bins: [] };
    this.steps = 0;
    this.run = 0;
    this.direction = 0;
    this.last = 0;
  }

  /** @param {number} number */
  add(number) {
    const { order, last } = this;
    if (order.entries % this.width === 0) {
      this.bin = { first: order.entries, entries: 0, lowest: number, highest: number, mean: 0 };
      order.bins.push(this.bin);
    }
    const { bin } = this;
    ++bin.entries;
    if (number < bin.lowest) bin.lowest = number;
    if (number > bin.highest) bin.highest = number;
    bin.mean += (number - bin.mean) / bin.entries;
    let direction = 0;
    if (order.entries !== 0) {
      const step = Math.abs(number - last);
      this.steps += step;
      if (step <= NEAR_STEP) ++order.nearSteps;
      if (step === 1) direction = number > last ? 1 : -1;
    }
    // A run goes on by one, in the direction that its second entry chose.
    if (direction !== 0 && (this.direction === 0 || direction === this.direction)) {
      ++this.run;
      this.direction = direction;
    } else {
      ++order.runs;
      this.run = 1;
      this.direction = 0;
    }
    if (this.run > order.longestRun) order.longestRun = this.run;
    ++order.entries;
    this.last = number;
  }

  take() {
    const { order } = this;
    if (order.entries === 0) return null;
    if (order.entries > 1) order.meanStep = this.steps / (order.entries - 1);
    return order;
  }
}

const lists = new WeakMap();

/** The free list of a table, or the holes of a component table. */
function freeListOf(data) {
  if (!lists.has(data)) {
    const { component } = data.table.descriptor;
    lists.set(data, component ? data.table.holes() : data.table.freeList());
  }
  return lists.get(data);
}

export async function freeListRows(data, from, count) {
  const list = await freeListOf(data);
  const rows = [];
  for (let place = from; place < Math.min(list.length, from + count); ++place)
    rows.push({ place, slot: list[place], generation: await generationOf(data, list[place]) });
  return rows;
}

async function generationOf(data, slot) {
  if (data.table.descriptor.component) return '';
  try {
    return (await data.slot(slot)).generation;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return 'unreadable';
  }
}
