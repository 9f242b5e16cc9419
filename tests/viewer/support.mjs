// What the tests of the JavaScript reader share: the files and the text of the format.

import { readFileSync } from 'node:fs';
import { bytesOfHex } from '../../tools/viewer/reader/frame.js';

// The tests run in build/viewer, where links lead to the project.
const root = new URL('../../', import.meta.url);
export const project = new URL(/\/build\/viewer\/$/.test(root.href) ? '../../' : '.', root);

/** @param {string} path in the project */
export function bytesOfFile(path) {
  return new Uint8Array(readFileSync(new URL(path, project)));
}

export const format = readFileSync(new URL('schema/FORMAT.md', project), 'utf8');

/** The lines of the conformance suite. */
export const manifest = readFileSync(new URL('fixtures/manifest.txt', project), 'utf8')
  .split('\n').filter((line) => line && line[0] !== '#').map((line) => {
    const [file, action, what, hash] = line.split(' ');
    return { path: `fixtures/${file}`, action, what, hash };
  });

export const accepted = manifest.filter(({ action }) => action === 'accept')
  .map(({ path }) => path);

/** The rows of the first table behind a heading, as cells without backticks. */
export function tablesOf(heading) {
  const section = format.split(`\n${heading}\n`)[1].split(/\n##+ /)[0];
  return section.split(/\n\n/).filter((part) => part.trim().startsWith('|')).map((part) =>
    part.trim().split('\n').slice(2).map((line) =>
      line.slice(1, -1).split('|').map((cell) => cell.trim().replace(/^`|`$/g, ''))));
}

/** The bytes that an input of a test vector means. @param {string} text */
export function inputOf(text) {
  if (text === '(empty)') return new Uint8Array(0);
  const sequence = /^seq (\d+)$/.exec(text);
  if (sequence) return Uint8Array.from({ length: Number(sequence[1]) }, (_, i) => i % 251);
  return bytesOfHex(text);
}

/** The bytes of the examples in a kind of block: file, pack, state. @param {string} kind */
export function exampleBytes(kind) {
  const blocks = [...format.matchAll(new RegExp(`\`\`\`hex ${kind}\n(.*?)\`\`\``, 'gs'))];
  const lines = blocks.flatMap(([, block]) => block.trim().split('\n'));
  return bytesOfHex(lines.map((line) => line.slice(6).split('|')[0].replace(/ /g, '')).join(''));
}
