// Each record of the golden files is what `hdbinspect dump` prints of it: HDBINSPECT names the
// program.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { bytesSource, open } from '../../tools/viewer/reader/index.js';
import { accepted, bytesOfFile, project } from './support.mjs';

/** @param {string} path @returns {any[]} */
function dumped(path) {
  const file = fileURLToPath(new URL(path, project));
  const options = { encoding: 'utf8', maxBuffer: 1 << 30 };
  // As texts, -0 and 1e400 stay what they are.
  const text = execFileSync(process.env.HDBINSPECT, ['dump', '--full', file], options);
  return text.split('\n').filter(Boolean).map((line) => JSON.parse(line));
}

/** A value as `dump` prints it. */
function printed(node, value) {
  switch (node.kind) {
    case 'struct':
      return Object.fromEntries(node.children.map((child) =>
        [child.name, printed(child, value[child.name])]));
    case 'array':
    case 'list':
      return value.map((each) => printed(node.children[0], each));
    case 'map': {
      const [key, of] = node.children;
      return value.map(([k, v]) => ({ key: printed(key, k), value: printed(of, v) }));
    }
    case 'optional': return value === null ? null : printed(node.children[0], value);
    case 'variant': {
      const child = node.children[value.index];
      return { tag: value.index, value: printed(child, value.value) };
    }
    case 'handle': return value.text;
    case 'string': return typeof value === 'string' ? value : hex(value);
    case 'opaque': return hex(value);
    case 'f32':
    case 'f64': return real(value);
    default: return typeof value === 'boolean' ? value : integer(value);
  }
}

function hex(bytes) {
  return { hex: Buffer.from(bytes).toString('hex') };
}

/** Numbers that JSON cannot hold are texts. */
function integer(value) {
  return typeof value === 'bigint' ? String(value) : value;
}

function real(value) {
  if (Object.is(value, -0)) return '-0';
  return Number.isFinite(value) ? value : String(value);
}

/** What `dump` prints, with 64-bit numbers as texts and floats in the precision of the field. */
function expected(node, value) {
  if (value === undefined) return undefined;
  switch (node.kind) {
    case 'struct':
      return Object.fromEntries(node.children.map((child) =>
        [child.name, expected(child, value[child.name])]));
    case 'array':
    case 'list':
      return value.map((each) => expected(node.children[0], each));
    case 'map':
      return value.map((pair) => ({
        key: expected(node.children[0], pair.key), value: expected(node.children[1], pair.value),
      }));
    case 'optional': return value === null ? null : expected(node.children[0], value);
    case 'variant': {
      const child = node.children[value.tag];
      return { tag: value.tag, value: expected(child, value.value) };
    }
    case 'f32': return typeof value === 'number' ? Math.fround(value) : value;
    case 'i64':
    case 'u64': return String(value);
    case 'enum': {
      const is64 = node.width === 8 && typeof value === 'number';
      return is64 ? String(value) : value;
    }
    default: return value;
  }
}

test('records are those of hdbinspect dump', async (t) => {
  for (const path of accepted) {
    await t.test(path, async () => {
      const snapshot = await open(bytesSource(bytesOfFile(path)));
      const lines = dumped(path).filter(({ type }) => type === 'record');
      let count = 0;
      for (const line of lines) {
        const table = snapshot.table(line.table);
        const record = await table.record(line.slot);
        assert.equal(record.handle, line.handle);
        assert.equal(record.generation, line.generation);
        assert.deepEqual(printed(table.root, record.fields), expected(table.root, line.fields),
          line.handle);
        ++count;
      }
      assert.equal(count, snapshot.tables.reduce((sum, { live }) => sum + live, 0));
    });
  }
});
