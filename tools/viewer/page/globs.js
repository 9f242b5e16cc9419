// Globs of names, texts and paths, as `hdbinspect help globs` describes them: the rules of
// lib/src/inspect/query/glob_parse.cpp.

import { schemaPath } from './fields.js';

const END = '\0'; // between the parts of a path; no name has it
const MOST_CHOICES = 256;

const usage = (glob, what) => ({ kind: 'usage', message: `pattern '${glob}': ${what}` });

/** One past the bracket that closes the set at `at`. */
function setEnd(glob, at) {
  let next = at + (/[!^]/.test(glob[at + 1]) ? 2 : 1);
  for (let isFirst = true; next < glob.length; ++next, isFirst = false) {
    if (glob[next] === '\\') ++next;
    else if (glob[next] === ']' && (!isFirst || next === at + 1)) return next + 1;
  }
  throw usage(glob, 'a [ is not closed');
}

/** A pattern for each choice in braces. @param {string} glob @returns {string[]} */
function choicesOf(glob) {
  let depth = 0;
  const cuts = [];
  for (let at = 0; at < glob.length; ++at) {
    if (glob[at] === '\\') ++at;
    else if (glob[at] === '[') at = setEnd(glob, at) - 1;
    else if (glob[at] === '{' && ++depth === 1) cuts.push(at);
    else if (glob[at] === ',' && depth === 1) cuts.push(at);
    else if (glob[at] === '}' && depth > 0 && --depth === 0) {
      cuts.push(at);
      const [before, after] = [glob.slice(0, cuts[0]), glob.slice(at + 1)];
      const made = cuts.slice(1).flatMap((cut, i) =>
        choicesOf(before + glob.slice(cuts[i] + 1, cut) + after));
      if (made.length > MOST_CHOICES) throw usage(glob, `more than ${MOST_CHOICES} choices`);
      return made;
    }
  }
  if (depth !== 0) throw usage(glob, 'a { is not closed');
  return [glob];
}

function indexOutside(text, character, from) {
  for (let at = from; at < text.length; ++at) {
    if (text[at] === '\\') ++at;
    else if (text[at] === '[') at = setEnd(text, at) - 1;
    else if (text[at] === character) return at;
  }
  return -1;
}

/** The parts of a path, between dots. */
function partsOf(glob) {
  const parts = [];
  let from = 0;
  for (;;) {
    const dot = indexOutside(glob, '.', from);
    parts.push(glob.slice(from, dot < 0 ? glob.length : dot));
    if (dot < 0) return parts;
    from = dot + 1;
  }
}

const inSet = (code) => `\\u{${code.toString(16)}}`;

/** The set at `at`, and where it ends. */
function sourceOfSet(glob, at) {
  const end = setEnd(glob, at);
  const isOthers = /[!^]/.test(glob[at + 1]);
  const codes = [...glob.slice(at + (isOthers ? 2 : 1), end - 1)];
  const take = () => (codes[0] === '\\' ? codes.splice(0, 2)[1] : codes.shift())?.codePointAt(0);
  let source = '';
  while (codes.length > 0) {
    const first = take() ?? 0;
    let last = first;
    if (codes.length > 1 && codes[0] === '-') {
      codes.shift();
      last = take() ?? 0;
    }
    if (last < first) throw usage(glob, 'a range of a set ends before it begins');
    source += `${inSet(first)}-${inSet(last)}`;
  }
  if (!source) throw usage(glob, 'a set is empty');
  return { source: `[${isOthers ? '^' : ''}${source}]`, end };
}

/**
 * What the characters of a glob match.
 * @param {string} any one character
 * @param {boolean} hasElements [3], [*] and <2> after a name are elements and alternatives
 */
function sourceOf(glob, any, hasElements) {
  let source = '';
  for (let at = 0; at < glob.length;) {
    const rest = glob.slice(at);
    const element = hasElements && at > 0 ? /^\[(\*|\d*)\]/.exec(rest) : null;
    const alternative = hasElements && at > 0 ? /^<(\*|\d*)>/.exec(rest) : null;
    if (element) {
      source += '\\[\\]';
    } else if (alternative) {
      source += /\d/.test(alternative[1]) ? alternative[0] : '<\\d+>';
    } else if (glob[at] === '[') {
      const set = sourceOfSet(glob, at);
      source += set.source;
      at = set.end;
      continue;
    } else if (glob[at] === '*') {
      source += `${any}*`;
    } else if (glob[at] === '?') {
      source += any;
    } else {
      if (glob[at] === '\\' && ++at === glob.length)
        throw usage(glob, 'a backslash at the end escapes nothing');
      const character = String.fromCodePoint(glob.codePointAt(at) ?? 0);
      source += literal(character);
      at += character.length - 1;
    }
    at += (element ?? alternative ?? ' ')[0].length;
  }
  return source;
}

const sourceOfPart = (part) => sourceOf(part, `[^${END}]`, true);

const literal = (character) => character.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/**
 * Whether a text matches a glob.
 * @param {string} glob
 * @returns {(text: string) => boolean}
 */
export function textMatcher(glob) {
  const sources = choicesOf(glob).map((choice) => sourceOf(choice, '[^]', false));
  const expression = new RegExp(`^(?:${sources.join('|')})$`, 'u');
  return (text) => expression.test(text);
}

/**
 * Whether a name matches a glob, or is it.
 * @param {string} glob
 * @returns {(name: string) => boolean}
 */
export function nameMatcher(glob) {
  const matches = textMatcher(glob);
  return (name) => name === glob || matches(name);
}

/**
 * Whether a glob matches a field or one that it is in. Elements and alternatives may be left out.
 * @param {string} glob
 * @returns {(chain: import('../reader/schema.js').Node[]) => boolean}
 */
export function pathMatcher(glob) {
  const sources = choicesOf(glob).map((choice) => {
    const parts = partsOf(choice);
    return parts.map((part, i) => {
      const isLast = i + 1 === parts.length;
      if (part === '**') return isLast ? '.*' : `(?:[^${END}]+${END})*`;
      return `${sourceOfPart(part)}(?:\\[\\]|<\\d+>)*${isLast ? "" : END}`;
    }).join('');
  });
  const expression = new RegExp(`^(?:${sources.join("|")})(?:$|[${END}\\[<])`, 'su');
  return (chain) => chain.at(-1).path === glob || expression.test(schemaPath(chain, END, ''));
}
