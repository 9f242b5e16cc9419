// A filter bound to a table: what it needs of a row group, and whether a row passes.
//
// A path may reach several values; a comparison is true if it is true for at least one of them. A
// part that goes through handles needs the target tables, which are read before.
import { textOf } from '../reader/wire.js';
import { enumText } from './fields.js';
import { textMatcher } from './globs.js';
import { textOrder } from './text.js';

const MOST_HANDLES = 4;

class BindFault extends Error {
  constructor(message) {
    super(message);
    this.kind = 'usage';
  }
}

/** @param {import('./table_data.js').TableData} data */
export async function bindFilter(data, tree) {
  const columns = new Set();
  const test = await bindNode({ data, columns }, tree);
  return { columns: [...columns], bind: (group) => test(group) };
}

/** The first value of a path, as a number, bigint, text or undefined: what rows are sorted by. */
export async function bindValue(data, path) {
  const columns = new Set();
  const { walk, node } = await bindPath({ data, columns }, path);
  if (!isLeaf(node)) throw new BindFault(`${pathText(path)} is a ${node.kind}, not one value`);
  return {
    node, columns: [...columns],
    bind(group) {
      const go = walk(group);
      return (row) => {
        let first;
        go(row, (value) => { first = value; return true; });
        return first;
      };
    },
  };
}

async function bindNode(context, tree) {
  switch (tree.kind) {
    case 'and':
    case 'or': {
      const left = await bindNode(context, tree.left);
      const right = await bindNode(context, tree.right);
      return (group) => {
        const [a, b] = [left(group), right(group)];
        return tree.kind === 'and' ? (row) => a(row) && b(row) : (row) => a(row) || b(row);
      };
    }
    case 'not': {
      const inner = await bindNode(context, tree.inner);
      return (group) => {
        const test = inner(group);
        return (row) => !test(row);
      };
    }
    case 'truth': return bindTruth(context, tree.left);
    case 'is': return bindIs(context, tree);
    case 'in': {
      const tests = [];
      const { node } = await bindOperand(context, tree.left);
      for (const value of tree.values) {
        if (value.word && node?.kind !== 'enum')
          throw new BindFault('a value is expected in { }; put texts in quotes');
        const right = value.word ? { kind: 'text', text: value.text } : value;
        tests.push(await bindComparison(context, { ...tree, operator: '==', right }));
      }
      return (group) => {
        const bound = tests.map((test) => test(group));
        return (row) => bound.some((test) => test(row));
      };
    }
    default: return bindComparison(context, tree);
  }
}

async function bindTruth(context, operand) {
  if (operand.kind !== 'path')
    throw new BindFault(`${operand.kind} is a number: compare it with a value`);
  const { walk, node } = await bindPath(context, operand.path);
  if (node.kind !== 'bool')
    throw new BindFault(`${pathText(operand.path)} is a ${node.kind}: compare it with a value`);
  return (group) => {
    const go = walk(group);
    return (row) => go(row, (value) => value === 1);
  };
}

async function bindIs(context, { state, left }) {
  if (left.kind !== 'path') throw new BindFault(`is ${state} needs a field before it`);
  const { walk, node, mayLack } = await bindPath(context, left.path);
  const text = pathText(left.path);
  if (state === 'nan' && !['f32', 'f64'].includes(node.kind))
    throw new BindFault(`${text} is a ${node.kind}, which is never nan`);
  if (state === 'stale' && node.kind !== 'handle')
    throw new BindFault(`${text} is a ${node.kind}, not a handle`);
  if (state === 'null' && !mayLack && node.kind !== 'handle')
    throw new BindFault(`${text} is a ${node.kind}, which is never null`);
  const { save } = context.data;
  if (state === 'stale') await save.loadSlots(node);
  return (group) => {
    const go = walk(group);
    if (state === 'nan') return (row) => go(row, (value) => value !== value);
    if (state === 'stale')
      return (row) => go(row, (value) => save.resolve(node, BigInt(value)).kind === 'stale');
    return (row) => {
      let some = false;
      const hasNull = go(row, (value) => {
        some = true;
        return node.kind === 'handle' && value == 0;
      });
      return hasNull || !some;
    };
  };
}

const COMPARE = {
  '==': (a, b) => a == b, '!=': (a, b) => a != b, '<': (a, b) => a < b, '<=': (a, b) => a <= b,
  '>': (a, b) => a > b, '>=': (a, b) => a >= b,
};
const compareTexts = (operator) => (a, b) => COMPARE[operator](textOrder(a, b), 0);

async function bindComparison(context, { operator, left, right }) {
  const sides = [await bindOperand(context, left), await bindOperand(context, right)];
  // A word is an enumerator if the other side is an enumeration and no field has the name.
  for (const [i, side] of sides.entries()) {
    const other = sides[1 - i];
    if (side.unknown && other.node?.kind === 'enum') sides[i] = enumerator(other.node, side.text);
    else if (side.unknown) throw side.unknown;
  }
  for (const [i, side] of sides.entries()) sides[i] = literalFor(context, side, sides[1 - i].node);
  const [a, b] = sides;
  if (a.class !== b.class)
    throw new BindFault(`${a.text} is a ${a.class} and ${b.text} a ${b.class}`);
  if (operator.startsWith('~')) {
    if (a.class !== 'text' || b.glob === undefined)
      throw new BindFault(`${operator} compares a text with a pattern in quotes`);
    const fold = operator === '~*' ? smallLetters : (text) => text;
    const matches = textMatcher(fold(b.glob));
    return (group) => {
      const go = a.walk(group);
      return (row) => go(row, (value) => matches(fold(value)));
    };
  }
  const compare = a.class === 'text' ? compareTexts(operator) : COMPARE[operator];
  if (b.constant !== undefined && a.node) refuseNeverTrue(a, operator, b);
  if (a.constant !== undefined && b.node) refuseNeverTrue(b, MIRRORED[operator], a);
  return (group) => {
    const [goA, goB] = [a.walk(group), b.walk(group)];
    if (b.constant !== undefined) {
      const { constant } = b;
      return (row) => goA(row, (x) => compare(x, constant));
    }
    return (row) => goA(row, (x) => goB(row, (y) => compare(x, y)));
  };
}

const MIRRORED = { '==': '==', '!=': '!=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' };

/** A comparison that is true for no value of the field is a slip of the pen. */
function refuseNeverTrue({ node, text }, operator, { constant, text: literal }) {
  const { kind } = node.kind === 'enum' ? node.children[0] : node;
  let [least, most] = [-Infinity, Infinity];
  const integer = /^([iu])(\d+)$/.exec(kind);
  const character = /^char(\d+)$/.exec(kind);
  if (integer) {
    const bits = BigInt(integer[2]);
    [least, most] = integer[1] === 'u' ? [0n, 2n ** bits - 1n]
      : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
  } else if (character) {
    [least, most] = [0n, 2n ** BigInt(character[1]) - 1n];
  } else if (kind === 'variant') {
    [least, most] = [0n, BigInt(node.children.length - 1)];
  } else if (!/^f\d+$/.test(kind)) {
    return;
  }
  const isWhole = kind.startsWith('f') || typeof constant === 'bigint' ||
    Number.isInteger(constant);
  const isTrue = {
    '==': constant >= least && constant <= most && isWhole, '!=': true, '<': constant > least,
    '<=': constant >= least, '>': constant < most, '>=': constant <= most,
  }[operator];
  if (!isTrue)
    throw new BindFault(`${text} is from ${least} to ${most}: ${operator} ${literal} is never ` +
      'true');
}

const smallLetters = (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const constantSide = (value, extra) => ({
  walk: () => (_row, use) => use(value), constant: value, ...extra });

async function bindOperand(context, operand) {
  const { text = '' } = operand;
  switch (operand.kind) {
    case 'number':
      return constantSide(operand.integer ?? operand.value,
                          { class: 'number', text, number: operand });
    case 'bool':
      return constantSide(operand.value, { class: 'bool', text: String(!!operand.value) });
    case 'text':
      return constantSide(text, { class: 'text', text: JSON.stringify(text), glob: text });
    case 'handle': return { class: 'handle', text, handle: operand };
    case 'slot':
      return { class: 'number', text: '@slot',
               walk: (group) => (row, use) => use(group.rows[row]) };
    case 'generation':
      return { class: 'number', text: '@gen',
               walk: (group) => (row, use) =>
                 use(group.generations[group.rows[row] - group.firstSlot]) };
    case 'size': {
      const { walk, node } = await bindPath(context, operand.path, true);
      if (!['list', 'map', 'string', 'opaque'].includes(node.kind))
        throw new BindFault(`${pathText(operand.path)} is a ${node.kind}, which has no size`);
      return { class: 'number', text: `size(${pathText(operand.path)})`, walk };
    }
    default: {
      let bound;
      try {
        bound = await bindPath(context, operand.path);
      } catch (fault) {
        if (operand.word && fault instanceof BindFault) return { unknown: fault, text };
        throw fault;
      }
      const { walk, node } = bound;
      if (!isLeaf(node)) {
        throw new BindFault(`${pathText(operand.path)} is a ${node.kind}: a part of it can be ` +
          'compared, or its size()');
      }
      return { class: classOf(node), text: pathText(operand.path), walk, node };
    }
  }
}

function enumerator(node, name) {
  for (const [value, text] of node.enumNames ?? [])
    if (text === name) return constantSide(value, { class: 'number', text: name });
  const names = [...node.enumNames?.values() ?? []].slice(0, 12).join(', ');
  throw new BindFault(`${name} is neither a field nor an enumerator` +
    `${names && `; those are ${names}`}`);
}

/** A literal as the type of the field that it is compared with. */
function literalFor(context, side, node) {
  if (!node) {
    if (side.handle) throw new BindFault(`${side.text} can only be compared with a handle`);
    return side;
  }
  if (node.kind === 'enum' && side.class === 'text' && side.glob !== undefined)
    return enumerator(node, side.glob);
  if (node.kind === 'handle' && side.handle) {
    const bits = context.data.save.snapshot.handleOf(node, side.text);
    if (bits === undefined)
      throw new BindFault(`the field never names a record of ${side.handle.table}`);
    return constantSide(bits, { class: 'handle', text: side.text });
  }
  if (node.kind === 'handle' && side.number?.integer !== undefined)
    return constantSide(side.number.integer, { class: 'handle', text: side.text });
  if (node.kind === 'f32' && side.number && side.number.integer === undefined)
    return constantSide(Math.fround(side.number.value), { class: 'number', text: side.text });
  return side;
}

function isLeaf(node) {
  return !['struct', 'array', 'list', 'map', 'opaque'].includes(node.kind);
}

function classOf({ kind }) {
  if (kind === 'string') return 'text';
  if (kind === 'bool' || kind === 'handle') return kind;
  return 'number';  // also enumerations, characters, and the tags of variants
}

function pathText(path) {
  return path.map((step) => ({
    name: `.${step.name}`, any: '[*]', element: `[${step.number}]`, key: `['${step.name}']`,
    alternative: `<${step.number}>`, value: '?',
  })[step.kind]).join('').replace(/^\./, '');
}

/**
 * @param {{data: import('./table_data.js').TableData, columns: Set<number>}} context
 * @returns {Promise<{walk: (group: any) => (row: number, use: (value: any) => boolean) => boolean,
 *   node: import('../reader/schema.js').Node, mayLack?: boolean}>} mayLack: there may be no value
 */
async function bindPath(context, path, isSize = false) {
  return follow(context, context.data.root, path, 0, isSize, MOST_HANDLES);
}

/** What reads the values that the steps from `at` on reach from a value of `node`. */
async function follow(context, node, path, at, isSize, handles) {
  const { columns } = context;
  const rest = (child, next = at + 1) => follow(context, child, path, next, isSize, handles);
  const step = path[at];
  const here = pathText(path.slice(0, at)) || context.data.table.name;
  const wrong = (what) => new BindFault(`${here} is a ${node.kind} ${what}`);
  const { firstColumn } = node;
  if (node.kind === 'optional') {
    columns.add(firstColumn);
    const inner = await rest(node.children[0], step?.kind === 'value' ? at + 1 : at);
    return { node: inner.node, mayLack: true, walk: (group) => {
      const { bytes, ranks } = group.columns[firstColumn];
      const go = inner.walk(group);
      return (i, use) => ((bytes[i >> 3] >> (i & 7)) & 1) === 1 && go(ranks[i], use);
    } };
  }
  if (!step) return leaf(context, node, isSize);
  switch (node.kind) {
    case 'struct': {
      const child = step.kind === 'name' && node.children.find(({ name }) => name === step.name);
      if (child) return rest(child);
      const names = node.children.slice(0, 20).map(({ name }) => name).join(', ');
      throw wrong(`without ${pathText([step])}; its fields are ${names}`);
    }
    case 'array':
    case 'list': {
      if (step.kind !== 'any' && step.kind !== 'element')
        throw wrong(`: write ${pathText(path.slice(0, at))}[*]${pathText([step])} for any element`);
      const inner = await rest(node.children[0]);
      if (node.kind === 'list') columns.add(firstColumn);
      const range = (group) => {
        if (node.kind === 'array') return (i) => [i * node.count, (i + 1) * node.count];
        const { offsets } = group.columns[firstColumn];
        return (i) => [offsets[i], offsets[i + 1]];
      };
      const mayLack = node.kind === 'list' || step.kind === 'any' || inner.mayLack;
      return { node: inner.node, mayLack,
               walk: (group) => elements(range(group), step, inner.walk(group)) };
    }
    case 'map': return followMap(context, node, path, at, rest, wrong);
    case 'variant': {
      if (step.kind !== 'alternative' || !node.children[step.number])
        throw wrong(`: write <0> to <${node.children.length - 1}> for an alternative`);
      columns.add(firstColumn);
      const inner = await rest(node.children[step.number]);
      return { node: inner.node, mayLack: true, walk: (group) => {
        const { bytes, ranks } = group.columns[firstColumn];
        const go = inner.walk(group);
        return (i, use) => bytes[i] === step.number && go(ranks[i], use);
      } };
    }
    case 'handle': return followHandle(context, node, path, at, isSize, handles, wrong);
    default: throw wrong('without parts');
  }
}

function elements(range, step, go) {
  return (i, use) => {
    const [from, to] = range(i);
    if (step.kind === 'element') return from + step.number < to && go(from + step.number, use);
    for (let k = from; k < to; ++k) if (go(k, use)) return true;
    return false;
  };
}

async function followMap(context, node, path, at, rest, wrong) {
  const step = path[at];
  const { firstColumn } = node;
  const [key, value] = node.children;
  context.columns.add(firstColumn);
  const range = (group) => {
    const { offsets } = group.columns[firstColumn];
    return (i) => [offsets[i], offsets[i + 1]];
  };
  if (step.kind === 'key') {
    const keys = await leaf(context, key, false);
    const inner = await rest(value);
    return { node: inner.node, mayLack: true, walk: (group) => {
      const [readKey, go, of] = [keys.walk(group), inner.walk(group), range(group)];
      const isIt = (k) => keyText(key, k) === step.name;
      return (i, use) => {
        const [from, to] = of(i);
        for (let k = from; k < to; ++k) if (readKey(k, isIt)) return go(k, use);
        return false;
      };
    } };
  }
  const side = path[at + 1];
  if (!['any', 'element'].includes(step.kind) || !['key', 'value'].includes(side?.name))
    throw wrong(": write ['KEY'], [*].key or [*].value");
  const inner = await rest(side.name === 'key' ? key : value, at + 2);
  return { node: inner.node, mayLack: true,
           walk: (group) => elements(range(group), step, inner.walk(group)) };
}

function keyText(node, value) {
  if (node.kind === 'enum') return enumText(node, value);
  return node.kind === 'bool' ? String(value === 1) : String(value);
}

async function followHandle(context, node, path, at, isSize, handles, wrong) {
  if (path[at].kind !== 'name') throw wrong('without parts');
  if (handles === 0) throw new BindFault('the path goes through more than 4 handles');
  const { save } = context.data;
  const targets = save.targetsOf(node);
  const bound = [];
  let fault = null;
  for (const data of targets) {
    const own = { data, columns: new Set() };
    try {
      bound.push({ data, own, ...await follow(own, data.root, path, at, isSize,
                                              handles - 1) });
    } catch (error) {
      fault = error;
    }
  }
  if (bound.length === 0)
    throw fault ?? new BindFault(`${pathText(path.slice(0, at))} names records of no table here`);
  const first = await leaf(context, node, false);
  const loaded = new Map();
  for (const { data, own, walk } of bound) {
    const groups = [];
    for (let k = 0; k < data.groups; ++k) {
      const group = await data.group(k, [...own.columns]);
      groups.push({ group, go: walk(group) });
    }
    loaded.set(data, groups);
  }
  return { node: bound[0].node, mayLack: true, walk: (group) => {
    const read = first.walk(group);
    return (i, use) => read(i, (bits) => {
      const { kind, data, slot } = save.resolve(node, BigInt(bits));
      const groups = kind === 'live' && loaded.get(data);
      if (!groups) return false;
      const { group: target, go } = groups[data.groupOf(slot)];
      return go(target.rowOf(slot), use);
    });
  } };
}

function leaf({ columns }, node, isSize) {
  const { firstColumn } = node;
  if (isSize) {
    columns.add(firstColumn);
    return { node, walk: (group) => {
      const { offsets } = group.columns[firstColumn];
      return (i, use) => use(offsets[i + 1] - offsets[i]);
    } };
  }
  switch (node.kind) {
    case 'string':
      columns.add(firstColumn).add(firstColumn + 1);
      return { node, walk: (group) => {
        const { offsets } = group.columns[firstColumn];
        const { bytes } = group.columns[firstColumn + 1];
        return (i, use) => {
          const part = bytes.subarray(offsets[i], offsets[i + 1]);
          return use(textOf(part) ?? String.fromCharCode(...part));
        };
      } };
    case 'variant':
      columns.add(firstColumn);
      return { node, walk: (group) => {
        const { bytes } = group.columns[firstColumn];
        return (i, use) => use(bytes[i]);
      } };
    case 'struct':
    case 'array': return { node, walk: () => (_i, use) => use(0) };
    default:
      columns.add(firstColumn);
      return { node, walk: (group) => {
        const { values, offsets } = group.columns[firstColumn];
        return values ? (i, use) => use(values[i]) : (i, use) => use(offsets[i + 1] - offsets[i]);
      } };
  }
}
