// Values as a person types them.
import { enumText, float32Text, hexText } from './fields.js';

const fault = (message) => ({ kind: 'usage', message });

/**
 * How a value is edited: its text, and the only texts that fit, if there are few.
 * @returns {{text: string, choices?: string[]} | undefined} undefined: it has no text
 */
export function editOf(node, value) {
  switch (node.kind) {
    case 'bool': return { text: String(value), choices: ['false', 'true'] };
    case 'enum': {
      const text = enumText(node, value);
      if (!node.enumNames) return { text };
      return { text, choices: [...new Set([...node.enumNames.values(), text])] };
    }
    case 'f32': return { text: float32Text(value) };
    case 'f64': return { text: Number.isNaN(value) ? 'nan' : String(value) };
    case 'handle': return { text: value.text ?? 'null' };
    case 'string': return typeof value === 'string' ? { text: value } : undefined;
    case 'opaque': return value.length <= 4096 ? { text: hexText(value, Infinity) } : undefined;
    case 'optional': {
      if (value === null) return isText(node.children[0]) ? { text: 'null' } : undefined;
      const inner = editOf(node.children[0], value);
      if (inner?.choices) inner.choices = ['null', ...inner.choices];
      return inner;
    }
    case 'variant': return editOf(node.children[value.index], value.value);
    case 'struct':
    case 'array':
    case 'list':
    case 'map': return undefined;
    default: return { text: String(value) };
  }
}

const isText = (node) => !['struct', 'array', 'list', 'map', 'variant'].includes(node.kind);

/**
 * The value that a text means.
 * @param {any} node
 * @param {string} text
 * @param {any} old the value that it replaces
 */
export function valueOf(node, text, old) {
  const word = text.trim();
  switch (node.kind) {
    case 'bool':
      if (word !== 'true' && word !== 'false') throw fault(`${word} is neither true nor false`);
      return word === 'true';
    case 'enum':
      if ([...node.enumNames?.values() ?? []].includes(word)) return word;
      return integer(word, node);
    case 'f32':
    case 'f64': return float(word);
    case 'handle': {
      if (word === 'null') return null;
      return /^0x[0-9a-f]+$/i.test(word) ? BigInt(word) : word;
    }
    case 'string': return text;
    case 'opaque':
      if (!/^([0-9a-f]{2})*$/i.test(word)) throw fault('bytes are pairs of hexadecimal digits');
      return Uint8Array.from(word.match(/../g) ?? [], (digits) => parseInt(digits, 16));
    case 'optional': return word === 'null' ? null : valueOf(node.children[0], text, old);
    case 'variant':
      return { index: old.index, value: valueOf(node.children[old.index], text, old.value) };
    default: return integer(word, node);
  }
}

function integer(word, node) {
  if (!/^-?(\d+|0x[0-9a-f]+)$/i.test(word)) {
    const names = [...node.enumNames?.values() ?? []].slice(0, 12).join(', ');
    throw fault(`${word || 'nothing'} is not a whole number${names && ` or one of ${names}`}`);
  }
  return word.startsWith('-') ? -BigInt(word.slice(1)) : BigInt(word);
}

function float(word) {
  if (/^nan$/i.test(word)) return NaN;
  const infinite = /^(-?)inf(inity)?$/i.exec(word);
  if (infinite) return infinite[1] ? -Infinity : Infinity;
  if (word === '' || Number.isNaN(Number(word)))
    throw fault(`${word || 'nothing'} is not a number`);
  return Number(word);
}
