// Whether two values differ, bit by bit, and in which of their parts.
import { nameInPath } from '../reader/references.js';

/** @typedef {import('../reader/schema.js').Node} Node */
/** @typedef {import('../reader/columns.js').RowGroup} RowGroup */

/**
 * Whether value i of a node in one group differs from value k in another one, bit by bit.
 * @returns {(i: number, k: number) => boolean}
 */
export function differenceOf(from, to, ga, gb) {
  if (!ga || !gb) return () => false;
  const a = ga.columns[from.firstColumn];
  const b = gb.columns[to.firstColumn];
  const inner = () => from.children.map((child, n) => differenceOf(child, to.children[n], ga, gb));
  switch (from.kind) {
    case 'struct': {
      const parts = inner();
      return (i, k) => parts.some((part) => part(i, k));
    }
    case 'array': {
      const [part] = inner();
      return (i, k) => {
        for (let n = 0; n < from.count; ++n)
          if (part(i * from.count + n, k * from.count + n)) return true;
        return false;
      };
    }
    case 'list':
    case 'map': {
      const parts = inner();
      return (i, k) => {
        const size = a.offsets[i + 1] - a.offsets[i];
        if (size !== b.offsets[k + 1] - b.offsets[k]) return true;
        for (let n = 0; n < size; ++n)
          if (parts.some((part) => part(a.offsets[i] + n, b.offsets[k] + n))) return true;
        return false;
      };
    }
    case 'optional': {
      const [part] = inner();
      return (i, k) => {
        const has = (a.bytes[i >> 3] >> (i & 7)) & 1;
        if (has !== ((b.bytes[k >> 3] >> (k & 7)) & 1)) return true;
        return has === 1 && part(a.ranks[i], b.ranks[k]);
      };
    }
    case 'variant': {
      const parts = inner();
      return (i, k) => a.bytes[i] !== b.bytes[k] || parts[a.bytes[i]](a.ranks[i], b.ranks[k]);
    }
    case 'string':
    case 'opaque': {
      const x = ga.columns[from.firstColumn + 1].bytes;
      const y = gb.columns[to.firstColumn + 1].bytes;
      return (i, k) => {
        const size = a.offsets[i + 1] - a.offsets[i];
        if (size !== b.offsets[k + 1] - b.offsets[k]) return true;
        for (let n = 0; n < size; ++n)
          if (x[a.offsets[i] + n] !== y[b.offsets[k] + n]) return true;
        return false;
      };
    }
    default: {
      if (from.kind !== to.kind) return (i, k) => a.values[i] != b.values[k];
      const x = wholeNumbers(a.bytes, from.width);
      const y = wholeNumbers(b.bytes, from.width);
      return (i, k) => x[i] !== y[k];
    }
  }
}

function wholeNumbers(bytes, width) {
  const type = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array }[width];
  return new type(bytes.buffer, bytes.byteOffset, bytes.length / width);
}

/**
 * Names the parts that differ of value i in one group and value k in another: items[].hp, of any
 * element. Of a map, it names the map.
 * @param {Node} from
 * @param {Node} to of the same type
 * @param {string} path
 * @param {RowGroup} ga
 * @param {RowGroup} gb
 * @returns {(i: number, k: number, add: (path: string) => void) => void}
 */
export function partsOf(from, to, path, ga, gb) {
  const differs = differenceOf(from, to, ga, gb);
  const whole = (i, k, add) => { if (differs(i, k)) add(path); };
  const a = ga.columns[from.firstColumn];
  const b = gb.columns[to.firstColumn];
  const parts = (pathOf) => from.children.map((child, n) =>
    partsOf(child, to.children[n], pathOf(child, n), ga, gb));
  switch (from.kind) {
    case 'struct': {
      const fields = parts(({ name }) => `${path}.${nameInPath(name)}`);
      return (i, k, add) => { for (const part of fields) part(i, k, add); };
    }
    case 'array': {
      const [part] = parts(() => `${path}[]`);
      return (i, k, add) => {
        if (!differs(i, k)) return;
        for (let n = 0; n < from.count; ++n) part(i * from.count + n, k * from.count + n, add);
      };
    }
    case 'list': {
      const [part] = parts(() => `${path}[]`);
      return (i, k, add) => {
        if (!differs(i, k)) return;
        const [sizeA, sizeB] = [a.offsets[i + 1] - a.offsets[i], b.offsets[k + 1] - b.offsets[k]];
        if (sizeA !== sizeB) add(`${path}[]`);
        for (let n = 0; n < Math.min(sizeA, sizeB); ++n)
          part(a.offsets[i] + n, b.offsets[k] + n, add);
      };
    }
    case 'optional': {
      const [part] = parts(() => path);
      return (i, k, add) => {
        if (!differs(i, k)) return;
        const has = (column, at) => (column.bytes[at >> 3] >> (at & 7)) & 1;
        if (has(a, i) && has(b, k)) part(a.ranks[i], b.ranks[k], add);
        else add(path);
      };
    }
    case 'variant': {
      const inner = parts((_child, n) => `${path}<${n}>`);
      return (i, k, add) => {
        if (!differs(i, k)) return;
        if (a.bytes[i] === b.bytes[k]) inner[a.bytes[i]](a.ranks[i], b.ranks[k], add);
        else add(path);
      };
    }
    default: return whole;
  }
}
