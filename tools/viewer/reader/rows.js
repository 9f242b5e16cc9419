// FORMAT.md, section 6: records from columns, as canonical bytes and as values of JavaScript.

import { Output, textOf } from './wire.js';

/** @typedef {import('./schema.js').Node} Node */
/** @typedef {import('./columns.js').Decoded} Decoded */

/**
 * A value of a record: numbers, bigint of 64 bits, boolean, string, Uint8Array of opaque fields and
 * of texts that are not UTF-8, null of an absent optional, arrays, objects of structs, pairs of
 * maps, {index, name, value} of variants, and {bits, text} of handles.
 * @typedef {any} Value
 */

/**
 * @typedef {object} HandleValue
 * @property {bigint} bits
 * @property {string|null} text `table:index@generation`, `0x...`; null of the null handle
 */

/** The bytes of a NaN, which a number of JavaScript may not keep. */
export class NaNBytes {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
  }
}

/**
 * @param {Node} node
 * @param {(Decoded|undefined)[]} columns
 * @param {(node: Node, bits: bigint) => string|null} handleText
 * @param {boolean} [exact] whether a NaN is NaNBytes, for values that are written again
 * @returns {(i: number) => Value} undefined where a column is not decoded
 */
export function valueReader(node, columns, handleText, exact = false) {
  const { firstColumn, endColumn } = node;
  if (firstColumn < endColumn && !columns.slice(firstColumn, endColumn).some(Boolean)) {
    return () => undefined;
  }
  const { bytes, values, offsets, ranks } = columns[node.firstColumn] ?? {};
  const child = (/** @type {Node} */ of) => valueReader(of, columns, handleText, exact);
  switch (node.kind) {
    case 'struct': {
      /** @type {[string, (i: number) => Value][]} */
      const fields = node.children.map((of) => [of.name, child(of)]);
      return (i) => {
        // A field can have the name __proto__.
        const value = Object.create(null);
        for (const [name, read] of fields) {
          const field = read(i);
          if (field !== undefined) value[name] = field;
        }
        return value;
      };
    }
    case 'array': {
      const read = child(node.children[0]);
      return (i) => Array.from({ length: node.count }, (_, k) => read(i * node.count + k));
    }
    case 'list':
    case 'map': {
      if (!offsets) return () => undefined;
      const parts = node.children.map(child);
      const read = parts.length === 1 ? parts[0]
        : (/** @type {number} */ i) => [parts[0](i), parts[1](i)];
      return (i) =>
        Array.from({ length: offsets[i + 1] - offsets[i] }, (_, k) => read(offsets[i] + k));
    }
    case 'optional': {
      if (!bytes || !ranks) return () => undefined;
      const read = child(node.children[0]);
      return (i) => ((bytes[i >> 3] >> (i & 7)) & 1 ? read(ranks[i]) : null);
    }
    case 'variant': {
      if (!bytes || !ranks) return () => undefined;
      const parts = node.children.map(child);
      return (i) => {
        const index = bytes[i];
        const { name, typeName } = node.children[index];
        return { index, name: name || typeName || '', value: parts[index](ranks[i]) };
      };
    }
    case 'string':
    case 'opaque': {
      const content = columns[node.firstColumn + 1]?.bytes;
      if (!offsets || !content) return () => undefined;
      const isText = node.kind === 'string';
      return (i) => {
        const part = content.slice(offsets[i], offsets[i + 1]);
        return isText ? textOf(part) ?? part : part;
      };
    }
    case 'handle':
      return (i) => {
        if (!values) return undefined;
        const bits = BigInt(values[i]);
        return { bits, text: handleText(node, bits) };
      };
    case 'bool': return (i) => (values ? values[i] === 1 : undefined);
    case 'f32':
    case 'f64':
      if (exact && values && bytes) {
        const { width } = node;
        return (i) => (Number.isNaN(values[i])
          ? new NaNBytes(bytes.slice(i * width, (i + 1) * width)) : values[i]);
      }
      return (i) => values?.[i];
    default: return (i) => values?.[i];
  }
}

/**
 * @param {Node} node
 * @param {(Decoded|undefined)[]} columns all of them
 * @param {Output} output
 * @returns {(i: number) => void} writes the canonical bytes of value i
 */
export function rowWriter(node, columns, output) {
  const decoded = columns[node.firstColumn];
  const bytes = decoded?.bytes ?? new Uint8Array(0);
  const offsets = decoded?.offsets ?? new Uint32Array(0);
  const ranks = decoded?.ranks ?? new Uint32Array(0);
  const child = (/** @type {Node} */ of) => rowWriter(of, columns, output);
  const parts = node.kind === 'enum' ? [] : node.children.map(child);
  switch (node.kind) {
    case 'struct':
      return (i) => {
        for (let k = 0; k < parts.length; ++k) parts[k](i);
      };
    case 'array':
      return (i) => {
        for (let k = i * node.count, end = k + node.count; k < end; ++k) parts[0](k);
      };
    case 'list':
    case 'map':
      return (i) => {
        const end = offsets[i + 1];
        output.varint(end - offsets[i]);
        for (let k = offsets[i]; k < end; ++k) for (const write of parts) write(k);
      };
    case 'optional':
      return (i) => {
        const present = (bytes[i >> 3] >> (i & 7)) & 1;
        output.number(present, 1);
        if (present) parts[0](ranks[i]);
      };
    case 'variant':
      return (i) => {
        output.number(bytes[i], 1);
        parts[bytes[i]](ranks[i]);
      };
    case 'string':
    case 'opaque': {
      const content = columns[node.firstColumn + 1]?.bytes ?? new Uint8Array(0);
      return (i) => {
        const size = offsets[i + 1] - offsets[i];
        output.varint(size);
        output.reserve(size);
        // A call for a few bytes takes longer than a loop.
        if (size < 32) {
          const to = output.bytes;
          for (let k = offsets[i], end = k + size; k < end; ++k) to[output.at++] = content[k];
        } else {
          output.put(content.subarray(offsets[i], offsets[i + 1]));
        }
      };
    }
    default: {
      const { width } = node;
      return (i) => {
        output.reserve(width);
        const to = output.bytes;
        let at = output.at;
        for (let k = i * width, end = k + width; k < end; ++k) to[at++] = bytes[k];
        output.at = at;
      };
    }
  }
}
