// Filters and paths as `hdbinspect help filters` describes them: the same words and the same rules
// as lib/src/inspect/query/lexer.cpp and expression_parse.cpp have.
//
/**
 * @typedef {object} Step
 * @property {'name'|'element'|'any'|'key'|'alternative'|'value'} kind value: of an optional
 * @property {string} [name] name, key
 * @property {number} [number] element, alternative
 *
 * @typedef {object} Operand
 * @property {'path'|'size'|'slot'|'generation'|'number'|'text'|'handle'|'bool'} kind
 * @property {Step[]} [path]
 * @property {string} [text]
 * @property {number} [value] of a number
 * @property {bigint} [integer] exactly, if it has no fraction
 * @property {boolean} [word] a single name that may also be an enumerator
 *
 * @typedef {object} Token
 * @property {'end'|'word'|'path'|'text'|'number'|'handle'|'sign'} kind
 * @property {number} at
 * @property {string} text word, sign: itself; text: its content; path: as it was written
 * @property {Step[]} [path]
 * @property {string} [table] handle
 * @property {number} [slot]
 * @property {number} [generation]
 * @property {number} [value] number
 * @property {bigint} [integer]
 */

const MOST_BYTES = 65536;
const MOST_DEPTH = 100;

class FilterFault extends Error {
  /** @param {string} message @param {number} at */
  constructor(message, at) {
    super(`${message}, at character ${at + 1} of the filter`);
    this.kind = 'usage';
  }
}

const KEYWORDS = new Set(['or', 'and', 'not', 'in', 'is', 'null', 'true', 'false', 'nan', 'inf',
  'size']);
const SIGN = /==|!=|<=|>=|<|>|~\*|~|[(){},]/y;
const BLANK = /[ \t\n\r]*/y;
const NAME = /[A-Za-z0-9_#@$\u0080-\u{10ffff}]+/uy;
// A sign is part of a number only after an exponent.
const NUMBER = /[+-]?(0[xX][\w#@$.\u0080-\u{10ffff}]*|(?:[eE][+-]|[\w#@$.\u0080-\u{10ffff}])*)/uy;
const ELEMENT = /\[(\d*|\*)\]/y;
const ALTERNATIVE = /<(\d+)>/y;
const HANDLE = /:(\d+)@(\d+)(?![A-Za-z0-9_#@$\u0080-\u{10ffff}])/uy;
const ESCAPE = /\\(?:([ntr0\\'"`])|x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]+)\})/y;
const LETTERS = { n: '\n', t: '\t', r: '\r', 0: '\0' };

/** Reads an expression word by word. */
class Lexer {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  peek(ahead = 0) { return this.text[this.at + ahead] ?? ''; }
  /** @param {RegExp} expression sticky */
  match(expression) {
    expression.lastIndex = this.at;
    const hit = expression.exec(this.text);
    if (hit) this.at += hit[0].length;
    return hit;
  }

  /** @returns {Token} */
  next() {
    this.match(BLANK);
    const { at } = this;
    const c = this.peek();
    if (c === '') return { kind: 'end', text: 'the end', at };
    if (c === "'" || c === '"') return { kind: 'text', text: this.quoted(), at };
    if (/[0-9+-]/.test(c) || (c === '.' && /[0-9]/.test(this.peek(1)))) return this.number();
    if (c === '`' || /[A-Za-z_#@$\u0080-\uffff]/.test(c)) return this.field();
    const sign = this.match(SIGN);
    if (sign) return { kind: 'sign', text: sign[0], at };
    if (c === '=') throw new FilterFault("'=' is not an operator; write '==' for equal", at);
    if ('&|!'.includes(c))
      throw new FilterFault("write 'and', 'or' and 'not' to join conditions", at);
    throw new FilterFault(`${JSON.stringify(c)} means nothing in a filter`, at);
  }

  number() {
    const { at } = this;
    const text = this.match(NUMBER)[0];
    const wrong = (why) => new FilterFault(`'${text}' ${why}`, at);
    const digits = text.replace(/^[+-]/, '');
    const isNegative = text[0] === '-';
    if (/^(0[xX][0-9a-fA-F]+|\d+)$/.test(digits)) {
      const integer = BigInt(digits);
      if (integer >= 1n << 64n) throw wrong('does not fit 64 bits');
      return { kind: 'number', text, at, integer: isNegative ? -integer : integer,
               value: isNegative ? -Number(digits) : Number(digits) };
    }
    if (digits === 'nan') return { kind: 'number', text, at, value: NaN };
    if (digits === 'inf')
      return { kind: 'number', text, at, value: isNegative ? -Infinity : Infinity };
    if (!/^(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(digits)) throw wrong('is not a number');
    if (!Number.isFinite(Number(digits))) throw wrong('does not fit a double');
    return { kind: 'number', text, at, value: isNegative ? -Number(digits) : Number(digits) };
  }

  /** @returns {Token} */
  field() {
    const { at } = this;
    const isQuoted = this.peek() === '`';
    const first = this.name();
    if (this.peek() === ':') return this.handle(first, at);
    if (!isQuoted && KEYWORDS.has(first)) {
      if (first !== 'nan' && first !== 'inf') return { kind: 'word', text: first, at };
      return { kind: 'number', text: first, at, value: first === 'nan' ? NaN : Infinity };
    }
    /** @type {Step[]} */
    const path = [{ kind: 'name', name: first }, ...this.steps()];
    const text = this.text.slice(at, this.at);
    if (this.peek() === ':' && !/[`[<?]/.test(text)) {
      throw new FilterFault(`the table of a handle needs backquotes: \`${text}\`:77@2`, at);
    }
    if (!isQuoted && path.length === 1 && (first === '@slot' || first === '@gen'))
      return { kind: 'word', text: first, at };
    return { kind: 'path', path, text: path.length === 1 ? first : text, at };
  }

  /** What follows the first name of a path. @returns {Step[]} */
  steps() {
    /** @type {Step[]} */
    const steps = [];
    for (;;) {
      const c = this.peek();
      let hit;
      if (c === '.') {
        ++this.at;
        steps.push({ kind: 'name', name: this.name() });
      } else if (c === '[') {
        steps.push(this.bracket());
      } else if ((hit = this.match(ALTERNATIVE))) {
        steps.push({ kind: 'alternative', number: Number(hit[1]) });
      } else if (c === '?') {
        ++this.at;
        steps.push({ kind: 'value' });
      } else {
        return steps;
      }
    }
  }

  /** @returns {Step} */
  bracket() {
    const element = this.match(ELEMENT);
    if (element) {
      return /\d/.test(element[1]) ? { kind: 'element', number: Number(element[1]) }
        : { kind: 'any' };
    }
    ++this.at;
    const name = /['"]/.test(this.peek()) ? this.quoted() : undefined;
    if (name === undefined || this.peek() !== ']') {
      throw new FilterFault("write [3] for one element, [*] for any or ['sword'] for a key of a " +
        'map', this.at);
    }
    ++this.at;
    return { kind: 'key', name };
  }

  name() {
    if (this.peek() === '`') return this.quoted();
    const name = this.match(NAME);
    if (!name) throw new FilterFault('the name of a field is missing', this.at);
    return name[0];
  }

  /** @returns {Token} */
  handle(table, at) {
    const parts = this.match(HANDLE);
    if (!parts) throw new FilterFault('handles look like monsters:77@2', at);
    return { kind: 'handle', text: `${table}:${parts[1]}@${parts[2]}`, at, table,
             slot: Number(parts[1]), generation: Number(parts[2]) };
  }

  /** A text or name in quotes. Escapes may give bytes of UTF-8 one by one. */
  quoted() {
    const begin = this.at;
    const quote = this.peek();
    const bytes = [];
    const put = (text) => bytes.push(...new TextEncoder().encode(text));
    for (++this.at; this.peek() !== quote;) {
      if (this.peek() === '') throw new FilterFault(`a ${quote} is not closed`, begin);
      if (this.peek() !== '\\') {
        const character = String.fromCodePoint(this.text.codePointAt(this.at) ?? 0);
        put(character);
        this.at += character.length;
        continue;
      }
      const { at } = this;
      const escape = this.match(ESCAPE);
      if (!escape) {
        throw new FilterFault(
          'escapes are \\n \\t \\r \\0 \\\\ \\\' \\" \\` \\xHH \\u{H...}', at);
      }
      const [, letter, byte, code] = escape;
      if (letter) put(LETTERS[letter] ?? letter);
      else if (byte) bytes.push(parseInt(byte, 16));
      else if (parseInt(code, 16) > 0x10ffff || /^0*d[89a-f]..$/i.test(code))
        throw new FilterFault('\\u{...} is not a code point', at);
      else put(String.fromCodePoint(parseInt(code, 16)));
    }
    ++this.at;
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes));
  }
}

const isLiteral = ({ kind }) => ['number', 'text', 'handle', 'bool'].includes(kind);

class Parser {
  /** @param {string} text */
  constructor(text) {
    if (new TextEncoder().encode(text).length > MOST_BYTES)
      throw new FilterFault(`a filter is longer than ${MOST_BYTES} bytes`, MOST_BYTES);
    this.lexer = new Lexer(text);
    this.token = this.lexer.next();
  }

  is(kind, text) { return this.token.kind === kind && this.token.text === text; }
  take(kind, text) {
    if (!this.is(kind, text)) return false;
    this.token = this.lexer.next();
    return true;
  }
  word(text) { return this.take('word', text); }
  sign(text) { return this.take('sign', text); }
  expected(what) { throw new FilterFault(`${what} is expected here`, this.token.at); }

  whole() {
    const tree = this.either(0);
    if (this.token.kind !== 'end') {
      this.expected(tree.kind === 'truth' ? "a comparison, 'and' or 'or'"
        : "'and', 'or' or the end");
    }
    return tree;
  }
  either(depth) {
    let left = this.both(depth);
    while (this.word('or')) left = { kind: 'or', left, right: this.both(depth) };
    return left;
  }
  both(depth) {
    let left = this.no(depth);
    while (this.word('and')) left = { kind: 'and', left, right: this.no(depth) };
    return left;
  }
  no(depth) {
    if (depth > MOST_DEPTH)
      throw new FilterFault("parentheses and 'not' nest too deeply", this.token.at);
    if (this.word('not')) return { kind: 'not', inner: this.no(depth + 1) };
    if (!this.sign('(')) return this.test();
    const inner = this.either(depth + 1);
    if (!this.sign(')')) this.expected("')'");
    return inner;
  }

  test() {
    const { at } = this.token;
    const left = this.operand();
    for (const operator of ['~*', '~']) {
      if (!this.sign(operator)) continue;
      if (this.token.kind !== 'text') this.expected('a pattern in quotes');
      return { kind: 'compare', operator, left, right: this.operand(), at };
    }
    if (this.word('is')) {
      const isNegative = this.word('not');
      const state = ['null', 'nan', 'stale'].find((each) => this.token.text === each);
      if (!state || this.token.kind === 'text') this.expected("'null', 'nan' or 'stale'");
      this.token = this.lexer.next();
      return this.state(state, left, isNegative, at);
    }
    if (this.word('not')) {
      if (!this.word('in')) this.expected("'in'");
      return { kind: 'not', inner: this.set(left, at) };
    }
    if (this.word('in')) return this.set(left, at);
    for (const operator of ['==', '!=', '<=', '>=', '<', '>']) {
      if (!this.sign(operator)) continue;
      if ((operator === '==' || operator === '!=') && this.word('null'))
        return this.state('null', left, operator === '!=', at);
      const right = this.operand();
      if (isLiteral(left) && isLiteral(right))
        throw new FilterFault('one side of a comparison must be a field', at);
      return { kind: 'compare', operator, left, right, at };
    }
    if (isLiteral(left)) this.expected('a comparison');
    return { kind: 'truth', left, at };
  }
  state(state, left, isNegative, at) {
    if (left.kind !== 'path')
      throw new FilterFault('only a field can be null, nan or stale', at);
    const is = { kind: 'is', state, left, at };
    return isNegative ? { kind: 'not', inner: is } : is;
  }
  set(left, at) {
    if (isLiteral(left)) throw new FilterFault("a field is expected before 'in'", at);
    if (!this.sign('{')) this.expected("'{'");
    const values = [];
    do {
      const from = this.token.at;
      const value = this.operand();
      if (!isLiteral(value) && !value.word)
        throw new FilterFault('a number, text or handle is expected in { }', from);
      values.push(value);
    } while (this.sign(','));
    if (!this.sign('}')) this.expected("',' or '}'");
    return { kind: 'in', left, values, at };
  }

  /** @returns {Operand} */
  operand() {
    const { token } = this;
    if (token.kind === 'number' && token.value !== token.value)
      throw new FilterFault("no value equals nan: write 'FIELD is nan'", token.at);
    if (token.kind === 'word') return this.wordOperand();
    if (token.kind === 'end' || token.kind === 'sign') this.expected('a field or a value');
    this.token = this.lexer.next();
    return { ...token, word: token.path?.length === 1 };
  }
  /** @returns {Operand} */
  wordOperand() {
    if (this.word('true')) return { kind: 'bool', value: 1 };
    if (this.word('false')) return { kind: 'bool', value: 0 };
    if (this.word('@slot')) return { kind: 'slot' };
    if (this.word('@gen')) return { kind: 'generation' };
    if (this.is('word', 'null')) this.expected('a field (null comes after ==, != or is)');
    if (!this.word('size')) this.expected('a field or a value');
    if (!this.sign('(')) this.expected("'(' and a field, as in size(items),");
    const { kind, path } = this.token;
    if (kind !== 'path') this.expected('a field');
    this.token = this.lexer.next();
    if (!this.sign(')')) this.expected("')'");
    return { kind: 'size', path };
  }
}

/** @param {string} text */
export function parseFilter(text) {
  return new Parser(text).whole();
}

/** @param {string} text @returns {Step[]} */
export function parsePath(text) {
  const lexer = new Lexer(text);
  /** @type {Step[]} */
  const path = [{ kind: 'name', name: lexer.name() }, ...lexer.steps()];
  if (lexer.peek() !== '') throw new FilterFault(`${lexer.peek()} is not expected`, lexer.at);
  return path;
}
