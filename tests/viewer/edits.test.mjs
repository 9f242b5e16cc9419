// Edits of saves: hdbinspect must find the new file sound and its state hash right, see the edit
// and no other difference, and get the same state from `set`. HDBINSPECT names the program.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Editor, HdbError, bytesSource, edit, open } from '../../tools/viewer/reader/index.js';
import { accepted, bytesOfFile, project } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'hdb-edits-'));
after(() => rmSync(folder, { recursive: true }));
const pathOf = (path) => fileURLToPath(new URL(path, project));
let made = 0;

function inspect(...words) {
  const options = { encoding: 'utf8', maxBuffer: 1 << 28 };
  const { stdout, stderr, status } = spawnSync(process.env.HDBINSPECT, words, options);
  return { stdout, stderr, status };
}

const bytesOf = (parts) => Buffer.concat(parts.map((part) => Buffer.from(part)));

/** Writes a new file into the folder. */
function save({ parts }) {
  const path = join(folder, `${made++}.hdb`);
  writeFileSync(path, bytesOf(parts));
  return path;
}

const openFile = async (path) => open(bytesSource(bytesOfFile(path)));
const files = accepted.filter((path) => !/invalid|regress/.test(path));

/** Numbers that seem random, the same in each run. */
function chance(seed) {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Requires that all files are sound, in one call of the program. */
function requireSound(paths) {
  const lines = inspect('--json', 'validate', '--level=deep', ...paths).stdout.split('\n');
  const found = lines.filter(Boolean).map((line) => JSON.parse(line))
    .filter(({ type }) => type !== 'references');
  for (const line of found) assert.ok(line.valid, JSON.stringify(line));
  assert.equal(found.length, paths.length);
}

/** Scalar fields, with a value that differs from any that the files have. */
function setting(node) {
  if (['i16', 'i32', 'u16', 'u32', 'f32', 'f64'].includes(node.kind)) return 77;
  if (node.kind === 'string') return 'ein neuer Text, ö';
  if (node.kind === 'handle') return null;
  return undefined;
}

test('a field is set as by hdbinspect set', async () => {
  let count = 0;
  let tried = 0;
  const paths = [];
  for (const path of files) {
    const snapshot = await openFile(path);
    if (!snapshot.rewritable) continue;
    for (const table of snapshot.tables) {
      const slot = (await table.denseOrder())[0] ?? 0;
      const record = await table.record(slot);
      for (const field of record ? table.root.children : []) {
        const value = setting(field);
        if (value === undefined || field.name[0] === '@' || tried++ % 3) continue;
        if (!/^[a-z_]+$/i.test(field.name) || table.descriptor.component) continue;
        const target = join(folder, 'set.hdb');
        const set = inspect('--json', 'set', pathOf(path),
          `${table.handleText(slot, record.generation)}.${field.name}=${JSON.stringify(value)}`,
          '-o', target, '--force');
        if (set.status !== 0) continue; // a field that the program does not set
        const written = await edit(snapshot,
          [{ kind: 'set', table: table.name, slot, path: field.name, value }]);
        const expected = await open(bytesSource(new Uint8Array(readFileSync(target))));
        assert.equal(written.stateHash, expected.storedStateHash, `${path} ${field.path}`);
        paths.push(save(written));
        ++count;
      }
    }
  }
  assert.ok(count > 60, `${count} edits`);
  requireSound(paths);
});

/** A random edit of a table; undefined if it has none to offer. */
async function randomEdit(editor, table, random) {
  const { slots } = await editor.table(table.name);
  const { component, ownerName, blobs, singleton, names } = table.descriptor;
  const live = [];
  for (let slot = 0; slot < slots.numbers.slots; ++slot) if (slots.isLive(slot)) live.push(slot);
  const kind = random(3);
  if (kind === 0 && live.length) {
    const fields = table.root.children.filter((field) => setting(field) !== undefined &&
      field.name[0] !== '@');
    const field = fields[random(fields.length)];
    return field && { kind: 'set', table: table.name, slot: live[random(live.length)],
      path: field.path, value: setting(field) };
  }
  if (blobs || singleton) return undefined;
  if (kind === 1 && live.length) {
    return { kind: 'erase', table: table.name, slot: live[random(live.length)] };
  }
  if (component) {
    const owner = await editor.table(ownerName);
    const slot = random(owner.slots.numbers.slots || 1);
    const isFree = owner.slots.isLive(slot) && !slots.isLive(slot);
    return isFree ? { kind: 'insert', table: table.name, slot } : undefined;
  }
  const fields = names === 'none' ? {} : { '@name': `neu ${made} ${random(1e9)}` };
  return { kind: 'insert', table: table.name, fields };
}

test('random edits leave a sound file', async () => {
  const random = chance(7);
  const paths = [];
  let edits = 0;
  for (let round = 0; round < 4; ++round) {
    for (const path of files) {
      const snapshot = await openFile(path);
      if (!snapshot.rewritable || snapshot.tables.length === 0) continue;
      const editor = new Editor(snapshot);
      for (let i = 0; i < 12; ++i) {
        const table = snapshot.tables[random(snapshot.tables.length)];
        const each = await randomEdit(editor, table, random);
        if (!each) continue;
        try {
          await editor.apply(each);
          ++edits;
        } catch (error) {
          // Layouts of a few bits run out of generations.
          if (error.code !== 'table_full') throw error;
        }
      }
      paths.push(save(await editor.write({ allowsStale: true })));
    }
  }
  assert.ok(edits > 1000, `${edits} edits`);
  const lines = inspect('--json', 'validate', '--level=deep', ...paths).stdout.split('\n');
  for (const line of lines.filter(Boolean).map((text) => JSON.parse(text))) {
    assert.ok(line.type !== 'finding' || line.name === 'dangling_strong', JSON.stringify(line));
  }
});

test('diff shows the edit alone', async () => {
  const path = 'fixtures/v0.10/components.hdb';
  const written = await edit(await openFile(path), [
    { kind: 'set', table: 'entities', slot: 5, path: 'kind', value: 9 },
    { kind: 'erase', table: 'entities', slot: 3 },
    { kind: 'insert', table: 'entities', fields: { kind: 4 } },
    { kind: 'insert', table: 'entities' },
    { kind: 'insert', table: 'Health', slot: 12, fields: { hp: 3, attacker: 'entities:5@1' } },
  ]);
  const { stdout } = inspect('diff', '--format=ndjson', pathOf(path), save(written));
  const records = stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'diff_record').map(({ mark, table, slot }) =>
      `${mark} ${table} ${slot}`);
  assert.deepEqual(records.sort(), ['+ Health 12', '+ entities 12', '- Position 3',
    'R entities 3', '~ entities 5'].sort());
  assert.deepEqual(written.handles, ['entities:5@1', undefined, 'entities:3@2', 'entities:12@1',
    'entities:12@1.Health']);
});

test('a NaN, a text that is not UTF-8 and an alternative stay as they are', async () => {
  const path = 'fixtures/v0.10/every_field.hdb';
  const written = await edit(await openFile(path),
    [{ kind: 'set', table: 'things', slot: 1, path: 'weapons[1].name', value: 'bögen' }]);
  const { stdout } = inspect('diff', '--format=ndjson', pathOf(path), save(written));
  const record = JSON.parse(stdout.split('\n').find((line) => line.includes('diff_record')));
  assert.deepEqual(record.fields.map((field) => field.path), ['weapons[1].name']);
});

test('what cannot be done is refused, and changes nothing', async () => {
  const snapshot = await openFile('fixtures/v0.10/every_field.hdb');
  const before = (await edit(snapshot, [])).stateHash;
  assert.equal(before, snapshot.storedStateHash);
  const editor = new Editor(snapshot);
  const set = (path, value, slot = 1) => ({ kind: 'set', table: 'things', slot, path, value });
  const refused = [
    set('tiny', 128), set('utiny', -1), set('medium', 1.5), set('flag', 1),
    set('ularge', 2n ** 64n), set('large', -(2n ** 63n) - 1n), set('real', 1e39),
    set('real', 'x'), set('mood', 'a new mood'),
    set('self', 'things:7@1'), set('self', 'things:0@2'), set('self', 5n), set('triple', [1, 2]),
    set('pos', { x: 1 }), set('pos.w', 1), set('nothing', 1), set('weights[9]', 1),
    set('either', { index: 9, value: 0 }), set('secret', 'text'), set('text', 5),
    set('tiny', 1, 99), { kind: 'erase', table: 'things', slot: 99 },
    { kind: 'insert', table: 'things', fields: { wrong: 1 } }, { kind: 'insert', table: 'nothing' },
  ];
  for (const each of refused) {
    await assert.rejects(editor.apply(each), HdbError, JSON.stringify(each, (_, value) =>
      (typeof value === 'bigint' ? `${value}` : value)));
  }
  assert.equal((await editor.write()).stateHash, before);
});

test('names are of one record, singletons and blobs keep theirs', async () => {
  const snapshot = await openFile('fixtures/v0.10/all_kinds.hdb');
  const editor = new Editor(snapshot);
  const textures = snapshot.table('textures');
  const names = [];
  for (let slot = 0; slot < textures.slots; ++slot) {
    const record = await textures.record(slot);
    if (record) names.push([slot, record.fields['@name']]);
  }
  const [[first, name], [second]] = names.filter(([, each]) => each);
  const rename = (slot, value) => ({ kind: 'set', table: 'textures', slot, path: '@name', value });
  await assert.rejects(editor.apply(rename(second, name.toUpperCase())),
    { code: 'duplicate_name' });
  await editor.apply(rename(first, 'another'));
  await editor.apply(rename(second, name.toUpperCase()));
  for (const { name: table, descriptor } of snapshot.tables) {
    if (!descriptor.singleton && !descriptor.blobs) continue;
    await assert.rejects(editor.apply({ kind: 'insert', table }), HdbError, table);
  }
  requireSound([save(await editor.write())]);
});

test('a strong handle keeps its record', async () => {
  const snapshot = await openFile('fixtures/v0.10/every_field.hdb');
  await assert.rejects(edit(snapshot, [{ kind: 'erase', table: 'things', slot: 0 }]),
    { code: 'dangling_strong' });
});
