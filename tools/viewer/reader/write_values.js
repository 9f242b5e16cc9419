// Columns from values (FORMAT.md, section 5.1): values of a program, with checks, and values of
// other columns, as they are.

import { HdbError } from './errors.js';
import { NaNBytes } from './rows.js';
import { Output, bytesOfText, isText } from './wire.js';

/** @typedef {import('./schema.js').Node} Node */
/** @typedef {import('./columns.js').Decoded} Decoded */

/** The columns of a schema, to which values are appended. */
export class ColumnBuilder {
  /** @param {import('./schema.js').Schema} schema */
  constructor(schema) {
    this.outputs = schema.columns.map(() => new Output(64));
    this.bits = schema.columns.map(() => 0);
  }

  /** Appends to a column of presence. @param {number} column @param {boolean} bit */
  present(column, bit) {
    const output = this.outputs[column];
    const at = this.bits[column]++;
    if (at % 8 === 0) output.number(0, 1);
    if (bit) output.bytes[output.at - 1] |= 1 << (at % 8);
  }
}

/**
 * @param {Node} node
 * @param {(Decoded|undefined)[]} columns all of them
 * @param {ColumnBuilder} builder
 * @returns {(i: number) => void} appends value i of other columns
 */
export function copier(node, columns, builder) {
  const column = node.firstColumn;
  const output = builder.outputs[column];
  const { bytes = new Uint8Array(0), offsets = [], ranks = [] } = columns[column] ?? {};
  const parts = node.kind === 'enum' ? []
    : node.children.map((child) => copier(child, columns, builder));
  switch (node.kind) {
    case 'struct': return (i) => { for (const part of parts) part(i); };
    case 'array':
      return (i) => { for (let k = i * node.count, n = node.count; n--;) parts[0](k++); };
    case 'list':
    case 'map':
      return (i) => {
        output.varint(offsets[i + 1] - offsets[i]);
        for (let k = offsets[i]; k < offsets[i + 1]; ++k) for (const part of parts) part(k);
      };
    case 'optional':
      return (i) => {
        const isPresent = ((bytes[i >> 3] >> (i & 7)) & 1) === 1;
        builder.present(column, isPresent);
        if (isPresent) parts[0](ranks[i]);
      };
    case 'variant':
      return (i) => {
        output.number(bytes[i], 1);
        parts[bytes[i]](ranks[i]);
      };
    case 'string':
    case 'opaque': {
      const content = columns[column + 1]?.bytes ?? new Uint8Array(0);
      return (i) => {
        output.varint(offsets[i + 1] - offsets[i]);
        builder.outputs[column + 1].put(content.subarray(offsets[i], offsets[i + 1]));
      };
    }
    default:
      return (i) => output.put(bytes.subarray(i * node.width, (i + 1) * node.width));
  }
}

/**
 * What the encoder of values needs to know.
 * @typedef {object} Context
 * @property {(node: Node, text: string) => bigint|undefined} handleOf the bits of a handle that is
 *   written as a text
 * @property {{node: Node, bits: bigint}[]} handles gets the handles of the values
 * @property {boolean} fillsIn whether fields that are missing get zero, empty, null
 */

/** @param {Node} node @param {string} what @param {string} [code] @returns {never} */
function refuse(node, what, code = 'type_mismatch') {
  throw new HdbError(code, `${what} does not fit the field ${node.path || 'record'} ` +
    `(${node.kind})`);
}

/** @param {unknown} value */
function shown(value) {
  const text = typeof value === 'bigint' ? `${value}` : JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}

/** @param {Node} node @returns {any} */
export function defaultOf(node) {
  switch (node.kind) {
    case 'struct': return {};
    case 'array': return Array.from({ length: node.count }, () => undefined);
    case 'list':
    case 'map': return [];
    case 'optional':
    case 'handle': return null;
    case 'variant': return { index: 0, value: undefined };
    case 'string': return '';
    case 'opaque': return new Uint8Array(0);
    case 'bool': return false;
    default: return 0;
  }
}

/**
 * @param {Node} node
 * @param {ColumnBuilder} builder
 * @param {Context} context
 * @returns {(value: any) => void} appends a value, or throws an HdbError
 */
export function encoder(node, builder, context) {
  const write = encoderOf(node, builder, context);
  return (value) => {
    if (value === undefined && !context.fillsIn) refuse(node, 'a missing value');
    write(value === undefined ? defaultOf(node) : value);
  };
}

/**
 * @param {Node} node
 * @param {ColumnBuilder} builder
 * @param {Context} context
 * @returns {(value: any) => void}
 */
function encoderOf(node, builder, context) {
  const column = node.firstColumn;
  const output = builder.outputs[column];
  const parts = node.kind === 'enum' ? []
    : node.children.map((child) => encoder(child, builder, context));
  switch (node.kind) {
    case 'struct': {
      const names = new Set(node.children.map(({ name }) => name));
      return (value) => {
        if (typeof value !== 'object' || !value || Array.isArray(value)) refuse(node, shown(value));
        const other = Object.keys(value).find((name) => !names.has(name));
        if (other !== undefined) refuse(node, `the name ${shown(other)}`, 'not_found');
        node.children.forEach(({ name }, k) =>
          parts[k](Object.hasOwn(value, name) ? value[name] : undefined));
      };
    }
    case 'array':
    case 'list':
      return (value) => {
        const fits = Array.isArray(value) && (node.kind === 'list' || value.length === node.count);
        if (!fits) refuse(node, shown(value));
        if (node.kind === 'list') output.varint(value.length);
        for (const each of value) parts[0](each);
      };
    case 'map':
      return (value) => {
        if (!Array.isArray(value)) refuse(node, shown(value));
        output.varint(value.length);
        for (const pair of value) {
          if (!Array.isArray(pair) || pair.length !== 2) refuse(node, shown(pair));
          parts[0](pair[0]);
          parts[1](pair[1]);
        }
      };
    case 'optional':
      return (value) => {
        builder.present(column, value !== null);
        if (value !== null) parts[0](value);
      };
    case 'variant':
      return (value) => {
        const index = value?.index;
        if (!Number.isInteger(index) || !parts[index]) refuse(node, shown(value));
        output.number(index, 1);
        parts[index](value.value);
      };
    case 'string':
    case 'opaque':
      return (value) => {
        const bytes = typeof value === 'string' && node.kind === 'string' ? bytesOfText(value)
          : value;
        if (!(bytes instanceof Uint8Array)) return refuse(node, shown(value));
        const isWhole = typeof value !== 'string' || !/[\ud800-\udfff]/u.test(value);
        if (!isWhole || (node.utf8 && !isText(bytes))) refuse(node, 'a text that is not UTF-8');
        output.varint(bytes.length);
        builder.outputs[column + 1].put(bytes);
      };
    case 'bool':
      return (value) => {
        if (typeof value !== 'boolean') refuse(node, shown(value));
        output.number(Number(value), 1);
      };
    case 'handle':
      return (value) => putInteger(output, node.width, handleBits(node, value, context));
    case 'f32':
    case 'f64': return (value) => putFloat(node, output, value);
    default: return integerEncoder(node, output);
  }
}

/** @param {Node} node @param {Output} output @returns {(value: any) => void} */
function integerEncoder(node, output) {
  const integer = node.kind === 'enum' ? node.children[0] : node;
  const bits = BigInt(integer.width * 8);
  const isSigned = integer.kind[0] === 'i';
  const least = isSigned ? -(2n ** (bits - 1n)) : 0n;
  const most = isSigned ? 2n ** (bits - 1n) - 1n : 2n ** bits - 1n;
  return (value) => {
    let number = value;
    if (typeof value === 'string' && node.enumNames) {
      for (const [of, name] of node.enumNames) if (name === value) number = of;
    }
    const isInteger = typeof number === 'bigint' ||
      (typeof number === 'number' && Number.isSafeInteger(number));
    if (!isInteger) refuse(node, shown(value));
    const exact = BigInt(number);
    if (exact < least || exact > most) refuse(node, shown(value), 'value_out_of_range');
    putInteger(output, integer.width, BigInt.asUintN(Number(bits), exact));
  };
}

/** @param {Output} output @param {number} width @param {bigint} bits */
function putInteger(output, width, bits) {
  for (let i = 0; i < width; ++i) output.number(Number((bits >> BigInt(i * 8)) & 255n), 1);
}

/** @param {Node} node @param {Output} output @param {any} value */
function putFloat(node, output, value) {
  if (value instanceof NaNBytes && value.bytes.length === node.width) {
    output.put(value.bytes);
    return;
  }
  if (typeof value !== 'number') refuse(node, shown(value));
  const view = new DataView(new ArrayBuffer(node.width));
  if (node.width === 8) view.setFloat64(0, value, true);
  else view.setFloat32(0, value, true);
  const isLost = node.width === 4 && Number.isFinite(value) && !Number.isFinite(Math.fround(value));
  if (isLost) refuse(node, shown(value), 'value_out_of_range');
  output.put(new Uint8Array(view.buffer));
}

/** @param {Node} node @param {any} value @param {Context} context */
function handleBits(node, value, context) {
  let bits;
  if (value === null) bits = 0n;
  else if (typeof value === 'bigint') bits = value;
  else if (typeof value === 'string') bits = context.handleOf(node, value);
  else if (typeof value?.bits === 'bigint') ({ bits } = value);
  if (bits === undefined || bits < 0n || bits >= 2n ** BigInt(node.width * 8)) {
    return refuse(node, shown(value?.text ?? value));
  }
  if (bits !== 0n) context.handles.push({ node, bits });
  return bits;
}
