// Globs of names and paths, as `hdbinspect help globs` describes them.

import { schemaPath } from './fields.js';

const END = '\0'; // between the parts of a path; no name has it
const MOST_CHOICES = 1000;

/** A pattern for each choice in braces. @param {string} glob @returns {string[]} */
function choicesOf(glob) {
  const open = indexOutside(glob, '{', 0);
  if (open < 0) return [glob];
  let depth = 0;
  const cuts = [open];
  for (let at = open; at < glob.length; ++at) {
    if (glob[at] === "\\") ++at;
    else if (glob[at] === '{') ++depth;
    else if (glob[at] === ',' && depth === 1) cuts.push(at);
    else if (glob[at] === '}' && --depth === 0) {
      cuts.push(at);
      const [before, after] = [glob.slice(0, open), glob.slice(at + 1)];
      const made = cuts.slice(1).flatMap((cut, i) =>
        choicesOf(before + glob.slice(cuts[i] + 1, cut) + after));
      if (made.length > MOST_CHOICES) throw usage('the braces have too many choices');
      return made;
    }
  }
  throw usage(`${glob} has a { without its }`);
}

function indexOutside(text, character, from) {
  for (let at = from; at < text.length; ++at) {
    if (text[at] === "\\") ++at;
    else if (text[at] === character) return at;
  }
  return -1;
}

const usage = (message) => ({ kind: 'usage', message });

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

function sourceOfPart(part) {
  let source = '';
  for (let at = 0; at < part.length; ++at) {
    const rest = part.slice(at);
    const element = /^\[(\*|\d*)\]/.exec(rest);
    const alternative = /^<(\*|\d+)>/.exec(rest);
    const set = /^\[(!?)([^\]]+)\]/.exec(rest);
    if (element) source += "\\[\\]";
    else if (alternative) source += alternative[1] === '*' ? "<\\d+>" : alternative[0];
    else if (set) source += `[${set[1] && "^"}${set[2].replace(/[\\^\]]/g, "\\$&")}]`;
    else if (part[at] === '*') source += `[^${END}]*`;
    else if (part[at] === '?') source += `[^${END}]`;
    else source += literal(part[at] === "\\" ? part[++at] ?? '' : part[at]);
    at += (element ?? alternative ?? set ?? ' ')[0].length - 1;
  }
  return source;
}

const literal = (character) => character.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");

/**
 * Whether a name matches a glob, or is it.
 * @param {string} glob
 * @returns {(name: string) => boolean}
 */
export function nameMatcher(glob) {
  const sources = choicesOf(glob).map(sourceOfPart);
  const expression = new RegExp(`^(?:${sources.join("|")})$`, 'su');
  return (name) => name === glob || expression.test(name);
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
