// Values of records as whole texts, written as hdbinspect writes them, and the parts of a record.
import { nameInPath } from '../reader/references.js';
import { hexText } from './fields.js';

/** @typedef {import('../reader/schema.js').Node} Node */

/** @param {number} value @param {boolean} isSingle whether it is of 32 bits */
export function numberText(value, isSingle = false) {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return String(value);
  if (Object.is(value, -0)) return '-0';
  let shortest = value;
  // The fewest digits that are read as the same 32-bit float.
  for (let digits = 1; isSingle && digits <= 9; ++digits) {
    shortest = Number(value.toPrecision(digits));
    if (Math.fround(shortest) === value) break;
  }
  const [digits, power] = shortest.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 16) return String(shortest);
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

const ESCAPES = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const MOST_BYTES = 1024; // of a value that is shown in hexadecimal digits

function characterText(code) {
  const isPlain = code > 0x20 && code < 0x7f && code !== 0x27 && code !== 0x5c;
  return isPlain ? `${code} '${String.fromCharCode(code)}'` : String(code);
}

/** A text in quotes; bytes that are no text as \xHH. @param {string | Uint8Array} text */
function quoted(text) {
  if (typeof text !== 'string') return `"${Array.from(text, byteText).join("")}"`;
  return `"${text.replace(/["\\]/g, "\\$&").replace(/[\n\r\t]/g, (c) => ESCAPES[c])}"`;
}

function byteText(byte) {
  if (byte < 0x20 || byte > 0x7e) return `\\x${byte.toString(16).padStart(2, "0")}`;
  return quoted(String.fromCharCode(byte)).slice(1, -1);
}

/**
 * A whole value; handles are `{bits, text}`, as the reader makes them.
 * @param {Node} node
 * @param {any} value
 * @returns {string}
 */
export function valueText(node, value) {
  const [first, second] = node.children;
  switch (node.kind) {
    case 'bool': return value ? 'true' : 'false';
    case 'f32': return numberText(value, true);
    case 'f64': return numberText(value);
    case 'char8':
    case 'char16':
    case 'char32': return characterText(Number(value));
    case 'handle': return value.text ?? 'null';
    case 'enum': {
      const name = node.enumNames?.get(value);
      return name === undefined ? String(value) : `${name} (${value})`;
    }
    case 'string': return quoted(value);
    case 'opaque':
      return `${value.length} opaque bytes ${hexText(value, MOST_BYTES)}`.trim();
    case 'struct':
      return `{${node.children.filter(({ name }) => value[name] !== undefined)
        .map((child) => `${child.name}: ${valueText(child, value[child.name])}`).join(", ")}}`;
    case 'array':
    case 'list': return `[${value.map((part) => valueText(first, part)).join(", ")}]`;
    case 'map':
      return `{${value.map(([key, part]) =>
        `${valueText(first, key)}: ${valueText(second, part)}`).join(", ")}}`;
    case 'optional': return value === null ? 'none' : valueText(first, value);
    case 'variant':
      return `<${value.index}> ${valueText(node.children[value.index], value.value)}`;
    default: return String(value);
  }
}

/** Whether a value has no parts that are shown for themselves. */
function isLeaf(node, value) {
  switch (node.kind) {
    case 'struct': return Object.keys(value).length === 0;
    case 'optional': return value === null || isLeaf(node.children[0], value);
    case 'variant': return isLeaf(node.children[value.index], value.value);
    case 'array':
    case 'list': return value.length === 0 || isLeaf(node.children[0], value[0]);
    case 'map':
      return value.length === 0 || value[0].every((part, i) => isLeaf(node.children[i], part));
    default: return true;
  }
}

/**
 * The parts of a value that have none themselves: `leaf(path, node, value)`.
 * @param {Node} node
 * @param {any} value what was not read is undefined, and left out
 * @param {string} path
 * @param {(path: string, node: Node, value: any) => void} leaf
 */
export function forEachLeaf(node, value, path, leaf) {
  if (value === undefined) return;
  if (isLeaf(node, value)) return leaf(path, node, value);
  switch (node.kind) {
    case 'struct':
      for (const child of node.children) {
        const name = nameInPath(child.name);
        forEachLeaf(child, value[child.name], path ? `${path}.${name}` : name, leaf);
      }
      return;
    case 'optional': return forEachLeaf(node.children[0], value, path, leaf);
    case 'variant':
      return forEachLeaf(node.children[value.index], value.value, `${path}<${value.index}>`, leaf);
    case 'map':
      return value.forEach((pair, i) => pair.forEach((part, k) =>
        forEachLeaf(node.children[k], part, `${path}[${i}].${k ? "value" : "key"}`, leaf)));
    default:
      value.forEach((part, i) => forEachLeaf(node.children[0], part, `${path}[${i}]`, leaf));
  }
}

/**
 * The value at a path such as `items[3].name` or `by_name['imp']`, with its node.
 * @param {Node} node
 * @param {any} value
 * @param {import('./filter_parse.js').Step[]} steps
 * @returns {{node: Node, value: any} | undefined}
 */
export function valueAt(node, value, steps) {
  while (node.kind === 'optional' && value != null) [node] = node.children;
  if (value == null || steps.length === 0) return value === undefined ? undefined : { node, value };
  const [step, ...rest] = steps;
  if (step.kind === 'value') return valueAt(node, value, rest);
  switch (node.kind) {
    case 'struct': {
      const child = step.kind === 'name' && node.children.find(({ name }) => name === step.name);
      return child ? valueAt(child, value[child.name], rest) : undefined;
    }
    case 'variant':
      return step.number === value.index
        ? valueAt(node.children[value.index], value.value, rest) : undefined;
    case 'array':
    case 'list': return valueAt(node.children[0], value[step.number], rest);
    case 'map': {
      const [keys, values] = node.children;
      if (step.kind === 'key') {
        const pair = value.find(([key]) => key === step.name ||
          valueText(keys, key).replace(/ \(.*/s, '') === step.name);
        return pair && valueAt(values, pair[1], rest);
      }
      const pair = value[step.number];
      if (!pair) return undefined;
      return rest[0]?.name === 'key' ? valueAt(keys, pair[0], rest.slice(1))
        : valueAt(values, pair[1], rest.slice(1));
    }
    default: return undefined;
  }
}
