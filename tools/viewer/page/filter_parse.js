// The filter language of hdbinspect (hdbinspect help filters) as a tree.
//
//   expression := and { "or" and };  and := not { "and" not };  not := "not" not | comparison
//   comparison := "(" expression ")" | operand [ operator operand | "in" set | "is" [not] state ]

/**
 * @typedef {object} Step
 * @property {'name'|'element'|'any'|'key'|'alternative'} kind
 * @property {string} [name] name, key
 * @property {number} [number] element, alternative
 *
 * @typedef {object} Operand
 * @property {'path'|'size'|'slot'|'generation'|'number'|'text'|'handle'|'bool'|'null'} kind
 * @property {Step[]} [path]
 * @property {string} [text]
 * @property {number} [value] of a number
 * @property {bigint} [integer] exactly, if it has no fraction
 * @property {boolean} [word] a single name that may also be an enumerator
 */

export class FilterFault extends Error {
  /** @param {string} message @param {number} at */
  constructor(message, at) {
    super(`${message}, at character ${at + 1} of the filter`);
    this.kind = 'usage';
  }
}

const WORD = /[\p{L}_#@$][\p{L}\p{N}_#@$]*/uy;
const NUMBER = /0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/uy;
const HANDLE = /([\p{L}\p{N}_#$]+):(\d+)@(\d+)/uy;
const OPERATOR = /~\*|==|!=|<=|>=|[*<>~()[\]{},.-]/uy;
const KEYWORDS = new Set(['and', 'or', 'not', 'in', 'is', 'true', 'false', 'null', 'nan', 'inf']);

/** @param {string} text */
function tokens(text) {
  const found = [];
  let at = 0;
  const match = (expression) => {
    expression.lastIndex = at;
    return expression.exec(text);
  };
  while (at < text.length) {
    const from = at;
    let hit;
    if (/\s/.test(text[at])) {
      ++at;
      continue;
    }
    if (text[at] === "'" || text[at] === '"' || text[at] === "`") {
      const { value, end } = quoted(text, at);
      found.push({ kind: text[at] === '`' ? 'name' : 'text', text: value, at: from });
      at = end;
      continue;
    }
    if ((hit = match(HANDLE)) && found.at(-1)?.text !== '.')
      found.push({ kind: 'handle', text: hit[0], parts: hit, at: from });
    else if ((hit = match(WORD)))
      found.push({ kind: KEYWORDS.has(hit[0]) ? 'keyword' : 'name', text: hit[0], at: from });
    else if ((hit = match(NUMBER))) found.push({ kind: 'number', text: hit[0], at: from });
    else if ((hit = match(OPERATOR))) found.push({ kind: 'operator', text: hit[0], at: from });
    else throw new FilterFault(`${JSON.stringify(text[at])} is not understood`, at);
    at += hit[0].length;
  }
  found.push({ kind: 'end', text: 'the end', at: text.length });
  return found;
}

const ESCAPES = { n: "\n", t: "\t", "\\": "\\", "'": "'", '"': '"' };

function quoted(text, from) {
  let value = '';
  for (let at = from + 1; at < text.length; ++at) {
    if (text[at] === text[from]) return { value, end: at + 1 };
    if (text[at] !== "\\' || text[from] === '`") {
      value += text[at];
      continue;
    }
    const rest = text.slice(at + 1);
    const code = /^x([0-9a-fA-F]{2})|^u\{([0-9a-fA-F]{1,6})\}/.exec(rest);
    if (code) {
      value += String.fromCodePoint(parseInt(code[1] ?? code[2], 16));
      at += code[0].length;
    } else if (ESCAPES[rest[0]] !== undefined) {
      value += ESCAPES[rest[0]];
      ++at;
    } else {
      throw new FilterFault(`the escape \\${rest[0] ?? ""} is unknown`, at);
    }
  }
  throw new FilterFault('a text without its end', from);
}

class Parser {
  /** @param {string} text */
  constructor(text) {
    this.tokens = tokens(text);
    this.at = 0;
    this.depth = 0;
  }

  get next() { return this.tokens[this.at]; }
  is(text) { return !['text', 'name'].includes(this.next.kind) && this.next.text === text; }
  take(text) {
    if (!this.is(text)) return false;
    ++this.at;
    return true;
  }
  expect(text) {
    if (!this.take(text)) this.fail(`${text} is expected before ${this.next.text}`);
  }
  fail(message) { throw new FilterFault(message, this.next.at); }

  whole() {
    const tree = this.expression();
    if (this.next.kind !== 'end') this.fail(`${this.next.text} is not expected`);
    return tree;
  }
  expression() {
    if (++this.depth > 100) this.fail('the filter is nested too deeply');
    let left = this.both();
    while (this.take('or')) left = { kind: 'or', left, right: this.both() };
    --this.depth;
    return left;
  }
  both() {
    let left = this.negation();
    while (this.take('and')) left = { kind: 'and', left, right: this.negation() };
    return left;
  }
  negation() {
    if (!this.take('not')) return this.comparison();
    if (++this.depth > 100) this.fail('the filter is nested too deeply');
    const inner = { kind: 'not', inner: this.negation() };
    --this.depth;
    return inner;
  }
  comparison() {
    if (this.take('(')) {
      const inner = this.expression();
      this.expect(')');
      return inner;
    }
    const { at } = this.next;
    const left = this.operand();
    for (const operator of ['==', '!=', '<=', '>=', '<', '>', '~*', '~']) {
      if (this.take(operator))
        return { kind: 'compare', operator, left, right: this.operand(), at };
    }
    if (this.take('in')) {
      const values = [];
      this.expect('{');
      do values.push(this.operand()); while (this.take(','));
      this.expect('}');
      return { kind: 'in', left, values, at };
    }
    if (this.take('is')) {
      const negative = this.take('not');
      const state = this.next.text;
      if (!['null', 'nan', 'stale'].includes(state)) this.fail('null, nan or stale is expected');
      ++this.at;
      const is = { kind: 'is', state, left, at };
      return negative ? { kind: 'not', inner: is } : is;
    }
    if (left.kind === 'path' || left.kind === 'bool') return { kind: 'truth', left, at };
    return this.fail('a comparison is expected');
  }

  /** @returns {Operand} */
  operand() {
    const token = this.next;
    if (token.kind === 'text') { ++this.at; return { kind: 'text', text: token.text }; }
    if (token.kind === 'handle') {
      ++this.at;
      const [, table, slot, generation] = token.parts;
      return { kind: 'handle', text: token.text, table, slot: Number(slot),
               generation: Number(generation) };
    }
    if (token.kind === 'number' || this.is('-') || this.is('inf')) return this.number();
    if (this.is('true') || this.is('false')) {
      ++this.at;
      return { kind: 'bool', value: token.text === 'true' ? 1 : 0 };
    }
    if (this.take('null')) return { kind: 'null' };
    if (this.is('nan')) this.fail("no value equals nan: write 'FIELD is nan'");
    if (token.kind !== 'name') this.fail(`a field or a value is expected before ${token.text}`);
    if (token.text === '@slot') { ++this.at; return { kind: 'slot' }; }
    if (token.text === '@gen') { ++this.at; return { kind: 'generation' }; }
    if (token.text === 'size' && this.tokens[this.at + 1].text === '(') {
      this.at += 2;
      const path = this.path();
      this.expect(')');
      return { kind: 'size', path };
    }
    const path = this.path();
    return { kind: 'path', path, word: path.length === 1, text: token.text };
  }
  number() {
    const negative = this.take('-');
    const { text, kind } = this.next;
    if (this.take('inf')) return { kind: 'number', value: negative ? -Infinity : Infinity };
    if (kind !== 'number') this.fail('a number is expected');
    const whole = /^(0[xX].*|\d+)$/.test(text);
    if (whole && BigInt(text) >= 1n << 64n) this.fail(`${text} does not fit 64 bits`);
    ++this.at;
    const integer = whole ? (negative ? -BigInt(text) : BigInt(text)) : undefined;
    return { kind: 'number', value: negative ? -Number(text) : Number(text), integer, text };
  }
  path() {
    const steps = [{ kind: 'name', name: this.name() }];
    for (;;) {
      if (this.take('.')) {
        steps.push({ kind: 'name', name: this.name() });
      } else if (this.take('[')) {
        const { kind, text } = this.next;
        ++this.at;
        if (kind === 'text') steps.push({ kind: 'key', name: text });
        else if (kind === 'number') steps.push({ kind: 'element', number: Number(text) });
        else if (text === ']') { steps.push({ kind: 'any' }); continue; }
        else if (text === '*') steps.push({ kind: 'any' });
        else this.fail('a number, * or a key in quotes is expected');
        this.expect(']');
      } else if (this.is('<') && this.tokens[this.at + 1].kind === 'number' &&
                 this.tokens[this.at + 2].text === '>') {
        steps.push({ kind: 'alternative', number: Number(this.tokens[this.at + 1].text) });
        this.at += 3;
      } else {
        return steps;
      }
    }
  }
  name() {
    const { kind, text } = this.next;
    if (kind !== 'name' && kind !== 'number') this.fail('the name of a field is expected');
    ++this.at;
    return text;
  }
}

/** @param {string} text */
export function parseFilter(text) {
  return new Parser(text).whole();
}

/** @param {string} text @returns {Step[]} */
export function parsePath(text) {
  const parser = new Parser(text);
  const path = parser.path();
  if (parser.next.kind !== 'end') parser.fail(`${parser.next.text} is not expected`);
  return path;
}
