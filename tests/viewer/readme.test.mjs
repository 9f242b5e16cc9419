// Each snippet of the README of the reader runs, one after another as one program.

import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { bytesOfFile, project } from './support.mjs';

test('the snippets run', async () => {
  const text = readFileSync(new URL('tools/viewer/reader/README.md', project), 'utf8');
  const snippets = [...text.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
  const index = new URL('../../tools/viewer/reader/index.js', import.meta.url);
  const program = snippets.join('\n').replaceAll(`'hdb-reader'`, `'${index}'`);
  // `bytes` is the file of the reader of the page.
  const file = new URL(`readme_${process.pid}.mjs`, new URL('../../', import.meta.url));
  const printed = [];
  const { log } = console;
  globalThis.bytes = bytesOfFile('fixtures/v0.10/every_field.hdb').slice();
  writeFileSync(file, program);
  try {
    console.log = (...values) => printed.push(values.join(' '));
    await import(file);
  } finally {
    console.log = log;
    rmSync(file);
  }
  for (const line of ['things 3', '-24', 'live things 0', 'deep  ']) {
    assert.ok(printed.includes(line), `${line} in\n${printed.join('\n')}`);
  }
  assert.ok(printed.some((line) => line.startsWith('things:1@1 1.5 things:0@1')));
  assert.ok(printed.some((line) => line.startsWith('corrupt HDB-E0103')), printed.join('\n'));
});
