// Fields of a schema: the columns of a table that the page shows, and how values are written.
import { nameInPath } from '../reader/references.js';

/** @typedef {import('../reader/schema.js').Node} Node */
/** @typedef {import('./cell.jsx').CellValue} CellValue */

const NUMERIC = /^[iuf]\d+$|^char/;

/**
 * What a table shows as columns: fields, and those of structs in them.
 * @param {Node} root
 * @returns {{path: string, kind: string, numeric: boolean, node: Node}[]}
 */
export function columnsOf(root) {
  const found = [];
  const add = (node, path) => {
    if (node.kind === 'struct' && node.children.length > 0)
      return node.children.forEach((child) => add(child, `${path}.${nameInPath(child.name)}`));
    found.push({ path, kind: node.kind, numeric: NUMERIC.test(node.kind), node });
  };
  for (const child of root.children) add(child, nameInPath(child.name));
  return found;
}

/** The shortest decimal that is read as the same 32-bit float. @param {number} value */
export function float32Text(value) {
  if (!Number.isFinite(value)) return floatText(value);
  for (let digits = 6; digits < 9; ++digits) {
    const text = Number(value.toPrecision(digits));
    if (Math.fround(text) === value) return floatText(text);
  }
  return floatText(Number(value.toPrecision(9)));
}

/** @param {number} value */
function floatText(value) {
  if (Object.is(value, -0)) return '-0';
  return Number.isNaN(value) ? 'nan' : String(value).replace('Infinity', 'inf');
}

/** @param {Uint8Array} bytes */
export function hexText(bytes, most = 64) {
  const digits = Array.from(bytes.subarray(0, most), (byte) => byte.toString(16).padStart(2, '0'));
  return digits.join('') + (bytes.length > most ? `… (${bytes.length} bytes)` : '');
}

/** @param {Node} node @param {number|bigint} value */
export function enumText(node, value) {
  return node.enumNames?.get(value) ?? String(value);
}

const MOST_PARTS = 8;

/**
 * A value in one line; handles say what they name.
 * @param {Node} node
 * @param {any} value as the reader makes it
 * @param {(node: Node, bits: bigint) => CellValue} handleCell
 * @returns {string | CellValue}
 */
export function cellOf(node, value, handleCell) {
  if (value === undefined) return '';
  switch (node.kind) {
    case 'bool': return value ? 'true' : 'false';
    case 'f32': return float32Text(value);
    case 'f64': return floatText(value);
    case 'enum': return enumText(node, value);
    case 'handle': return handleCell(node, value.bits);
    case 'string':
      if (typeof value === 'string') return value;
      return { kind: 'several', text: `bytes ${hexText(value)}` };
    case 'opaque': return hexText(value);
    case 'optional':
      return value === null ? { kind: 'null', text: 'null' }
        : cellOf(node.children[0], value, handleCell);
    case 'variant': {
      const inner = cellOf(node.children[value.index], value.value, handleCell);
      const name = value.name || `<${value.index}>`;
      if (typeof inner === 'string') return inner === '' ? name : `${name} ${inner}`;
      return { ...inner, text: `${name} ${inner.text}` };
    }
    case 'struct':
    case 'array':
    case 'list':
    case 'map': return { kind: 'several', text: summary(node, value, handleCell) };
    default: return String(value);
  }
}

function summary(node, value, handleCell) {
  const text = (child, part) => {
    const cell = cellOf(child, part, handleCell);
    const plain = typeof cell === 'string' ? cell : cell.text;
    return child.kind === 'string' && typeof part === 'string' ? JSON.stringify(plain) : plain;
  };
  if (node.kind === 'struct') {
    return `{${node.children.slice(0, MOST_PARTS)
      .map((child) => `${child.name} ${text(child, value[child.name])}`).join(', ')}` +
      `${node.children.length > MOST_PARTS ? ", …" : ""}}`;
  }
  const [first, second] = node.children;
  const parts = value.slice(0, MOST_PARTS).map((part) => (node.kind === 'map'
    ? `${text(first, part[0])}: ${text(second, part[1])}` : text(first, part)));
  const rest = value.length > MOST_PARTS ? `, … ${value.length} in all` : '';
  return node.kind === 'map' ? `{${parts.join(", ")}${rest}}` : `[${parts.join(", ")}${rest}]`;
}

/**
 * All nodes of some kinds, each with the nodes above it but the root.
 * @param {Node} root
 * @param {(node: Node) => boolean} isWanted
 * @returns {Node[][]}
 */
export function chainsTo(root, isWanted) {
  const found = [];
  const walk = (node, above) => {
    const chain = [...above, node];
    if (isWanted(node)) found.push(chain);
    if (node.kind !== 'enum') for (const child of node.children) walk(child, chain);
  };
  for (const child of root.children) walk(child, []);
  return found;
}

/**
 * A path as schemas are printed: `items[].price`, `by_name[].key`, `tag<2>.x`, `maybe?.x`.
 * @param {Node[]} chain
 * @param {string} dot between two names
 * @param {string} maybe after an optional
 */
export function schemaPath(chain, dot = '.', maybe = '?') {
  let path = '';
  chain.forEach((node, i) => {
    const parent = chain[i - 1];
    switch (parent?.kind) {
      case 'array':
      case 'list': path += '[]'; break;
      case 'map': path += `[]${dot}${node === parent.children[0] ? 'key' : 'value'}`; break;
      case 'variant': path += `<${parent.children.indexOf(node)}>`; break;
      case 'optional': path += maybe; break;
      default: path += (path && dot) + node.name;
    }
  });
  return path;
}

/** The columns that reading a node needs: its own, and the lengths, tags, ... above it. */
export function columnsFor(chain) {
  const node = chain.at(-1);
  const columns = [];
  for (let i = node.firstColumn; i < node.endColumn; ++i) columns.push(i);
  for (const above of chain.slice(0, -1))
    if (['list', 'map', 'optional', 'variant'].includes(above.kind))
      columns.push(above.firstColumn);
  return columns;
}

/** The columns of several nodes. */
export function columnsOfNodes(nodes) {
  const columns = [];
  for (const node of nodes)
    for (let i = node.firstColumn; i < node.endColumn; ++i) columns.push(i);
  return columns;
}
