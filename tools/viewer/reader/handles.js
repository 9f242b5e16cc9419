// FORMAT.md, section 4.3: layouts of handles, and what a stored handle names.

/**
 * @typedef {object} Layout
 * @property {number} index bits
 * @property {number} generation bits
 * @property {number} type bits
 * @property {number} width bytes
 * @property {number} lastGeneration
 * @property {number} mostSlots
 */

/**
 * @param {number} index
 * @param {number} generation
 * @param {number} type
 * @returns {Layout|undefined} undefined: not valid
 */
export function layoutOf(index, generation, type) {
  const bits = index + generation + type;
  if (index < 1 || generation < 1 || generation > 31 || type > 16 || bits > 64) return undefined;
  return {
    index, generation, type,
    width: bits <= 16 ? 2 : bits <= 32 ? 4 : 8,
    lastGeneration: generation === 31 ? 2 ** 31 - 2 : 2 ** generation - 1,
    mostSlots: Math.min(2 ** index, 2 ** 32 - 1),
  };
}

/** @param {Layout} a @param {Layout} b */
export function sameLayout(a, b) {
  return a.index === b.index && a.generation === b.generation && a.type === b.type;
}

/**
 * The parts of a handle; undefined if it has spare bits or an index that no table has.
 * @param {Layout} layout
 * @param {bigint} bits
 */
export function partsOf(layout, bits) {
  const index = BigInt.asUintN(layout.index, bits);
  const generation = BigInt.asUintN(layout.generation, bits >> BigInt(layout.index));
  const rest = bits >> BigInt(layout.index + layout.generation);
  if (index >= 2n ** 32n || rest >= 2n ** BigInt(layout.type)) return undefined;
  return { slot: Number(index), generation: Number(generation), type: Number(rest) };
}

/**
 * @param {Layout} layout
 * @param {number} typeId
 * @param {bigint} slot
 * @param {bigint} generation
 */
export function bitsOf(layout, typeId, slot, generation) {
  return slot | (generation << BigInt(layout.index)) |
    (BigInt(layout.type ? typeId : 0) << BigInt(layout.index + layout.generation));
}

/**
 * What tools write for a handle that belongs to no table.
 * @param {Layout} layout
 * @param {bigint} bits
 */
export function foreignText(layout, bits) {
  return `0x${bits.toString(16).padStart(layout.width * 2, '0')}`;
}

/**
 * Bits of a number that is given as two halves.
 * @param {number} low
 * @param {number} high
 * @param {number} from
 * @param {number} count at most 32
 */
function bitsAt(low, high, from, count) {
  if (count === 0) return 0;
  const word = from >= 32 ? high >>> (from - 32)
    : from === 0 ? low : ((low >>> from) | (high << (32 - from)));
  return count === 32 ? word >>> 0 : (word & (2 ** count - 1)) >>> 0;
}

/**
 * As `partsOf`, for many handles: without 64-bit numbers of JavaScript.
 * @param {Layout} layout
 * @param {number} low
 * @param {number} high
 * @param {{slot: number, generation: number, type: number}} parts gets the result
 * @returns {boolean} false: spare bits, or an index that no table has
 */
export function splitHalves(layout, low, high, parts) {
  const { index, generation, type } = layout;
  if (index > 32 && bitsAt(low, high, 32, index - 32) !== 0) return false;
  parts.slot = bitsAt(low, high, 0, Math.min(index, 32));
  parts.generation = bitsAt(low, high, index, generation);
  parts.type = bitsAt(low, high, index + generation, type);
  const used = index + generation + type;
  return (used >= 64 || bitsAt(low, high, used, Math.min(32, 64 - used)) === 0) &&
    (used >= 32 || high === 0);
}
