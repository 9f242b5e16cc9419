// What the page says of slots, orders, changes and damaged files is what hdbinspect says.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'node:test';

import { changedRows, compareSaves, sidesOf } from '../../tools/viewer/page/compare.js';
import { schemaChanges } from '../../tools/viewer/page/compare_tables.js';
import { FieldRows, noteText, parseLines, readDiffLines, valueText,
} from '../../tools/viewer/page/diff_lines.js';
import { makeOrder } from '../../tools/viewer/page/order.js';
import { recordTree } from '../../tools/viewer/page/record_tree.js';
import { SaveData } from '../../tools/viewer/page/save_data.js';
import { freeListRows, generationBins, OrderCounter, surveySlots,
} from '../../tools/viewer/page/slot_survey.js';
import { referencesTo } from '../../tools/viewer/page/survey.js';
import { accepted, bytesOfFile, project } from './support.mjs';

const program = process.env.HDBINSPECT ?? '';
const work = { step: async () => {} };
const pathOf = (file) => fileURLToPath(new URL(file, project));
const golden = (name) => `fixtures/v0.10/${name}.hdb`;
const files = accepted.filter((path) => /\/v0\.10\/[^/]+\.hdb$/.test(path));
const sum = (list, name) => list.reduce((total, each) => total + each[name], 0);

/** The exit statuses 0 and 1 are answers. */
function inspect(...words) {
  const run = spawnSync(program, words, { encoding: 'utf8', maxBuffer: 1 << 28 });
  assert.ok(run.status < 2, `${words}: ${run.stderr}`);
  return run.stdout;
}
const lines = (...words) => parseLines(inspect(...words));

let numbers = 0;
const openBytes = (bytes) => new SaveData(++numbers, `${numbers}.hdb`, new Blob([bytes])).open();
const opened = (file) => openBytes(bytesOfFile(file));

test('the cells of a map have the slots of hdbinspect ls', async () => {
  let tables = 0;
  for (const file of files) {
    const save = await opened(file);
    for (const of of lines('--json', 'ls', pathOf(file)).filter(({ type }) => type === 'table')) {
      const { bins, generations, dense, free, damage } =
        await surveySlots(save.table(of.table), work);
      const what = `${file} ${of.table}`;
      for (const state of ['live', 'free', 'retired'])
        assert.equal(sum(bins, state), of[state], `${what}: ${state}`);
      assert.equal(sum(bins, 'slots'), of.slots, what);
      assert.equal(sum(bins, 'unread'), 0, what);
      assert.equal(sum(generations, 'live'), of.live, `${what}: live by generation`);
      assert.ok(generations.length <= 16 && bins.length <= 2048, what);
      assert.deepEqual(damage, []);
      if (of.storage === 'dense' && of.live > 0) assert.equal(dense.entries, of.live, what);
      if (of.owner === undefined && of.free > 0) assert.equal(free.entries, of.free, what);
      for (const bin of bins) {
        assert.ok(bin.live === 0 || (bin.lowest <= bin.mean && bin.mean <= bin.highest), what);
        assert.equal(bin.at >= bin.first, bin.live > 0, what);
      }
      ++tables;
    }
  }
  assert.ok(tables > 40, `${tables} tables`);
});

test('generations are ranges without gaps', () => {
  for (const isCounter of [false, true]) {
    for (const [lowest, highest] of [[1, 1], [1, 16], [1, 17], [3, 70_000], [1, 2 ** 31 - 2],
      [5, 4]]) {
      const bins = generationBins(isCounter, lowest, highest);
      assert.ok(bins.length <= 16);
      let next = lowest;
      for (const bin of bins) {
        assert.equal(bin.lowest, next);
        assert.ok(bin.highest >= bin.lowest);
        next = bin.highest + 1;
      }
      assert.equal(next, Math.max(lowest, highest + 1));
    }
  }
});

test('an order is counted by runs and steps', () => {
  const orderOf = (list) => {
    const counter = new OrderCounter(list.length);
    for (const number of list) counter.add(number);
    return counter.take();
  };
  assert.equal(orderOf([]), null);
  const rising = orderOf(Array.from({ length: 1000 }, (_, i) => i));
  assert.deepEqual([rising.runs, rising.longestRun, rising.nearSteps, rising.meanStep],
    [1, 1000, 999, 1]);
  assert.ok(rising.bins.length <= 200);
  assert.equal(sum(rising.bins, 'entries'), 1000);
  const jumps = orderOf([5, 4, 3, 100, 101, 7]);
  assert.deepEqual([jumps.runs, jumps.longestRun, jumps.nearSteps], [3, 3, 3]);
  assert.equal(jumps.bins[0].mean, 5);
});

const pairs = [['before', 'after'], ['after', 'before'], ['before', 'later_version'],
  ['before', 'retyped'], ['components', 'components_later'], ['dropped', 'dropped_later'],
  ['dropped', 'dropped_unknown'], ['every_field', 'all_kinds'], ['before', 'before']];

test('changes, schemas and notes are those of hdbinspect diff', async () => {
  for (const names of pairs) {
    const [before, after] = await Promise.all(names.map((name) => opened(golden(name))));
    const found = await compareSaves(before, after, work);
    const theirs = lines('--json', 'diff', '--summary', ...names.map((name) =>
      pathOf(golden(name))));
    for (const of of theirs.filter(({ type }) => type === 'diff_table')) {
      const table = found.tables.find(({ name }) => name === of.table);
      const what = `${names} ${of.table}`;
      assert.deepEqual([table.before, table.after], [of.old_live, of.new_live], what);
      for (const kind of ['added', 'removed', 'changed', 'reused']) {
        assert.equal(table[kind], of[kind], `${what}: ${kind}`);
        if (table.bins.length > 0) assert.equal(sum(table.bins, kind), of[kind], `${what}: map`);
      }
      assert.equal(found.differing.includes(table), of.differs, what);
      assert.deepEqual(table.notes, of.notes.map(({ what: word, old, new: now, detail }) => (
        { what: word, from: old, to: now, detail })), what);
      assert.deepEqual(table.schema.map(({ mark, path, from, to, compared = true, value }) => (
        [mark, path, from, to, compared, value])), of.schema.map((change) => (
        [change.mark, change.path, change.old_type, change.new_type, change.compared ?? true,
         change.value])),
      what);
    }
    const { notes = [] } = theirs.find(({ type }) => type === 'diff_database') ?? {};
    const details = (list) => list.map(({ what, detail }) => `${what}: ${detail}`).sort();
    assert.deepEqual(details(found.notes), details(notes), names.join());
    assert.equal(found.equal, names[0] === names[1]);
  }
});

test('rows of a comparison name the fields that hdbinspect names', async () => {
  let seen = 0;
  for (const names of [['before', 'after'], ['after', 'before'], ['before', 'later_version'],
    ['components', 'components_later'], ['series/auto-1', 'series/auto-8']]) {
    const [before, after] = await Promise.all(names.map((name) => opened(golden(name))));
    const { tables } = await compareSaves(before, after, work);
    for (const { name, all, fields } of tables.filter((table) => table.all > 0)) {
      const rows = await changedRows(before, after, name, 0, all);
      const theirs = lines('--json', 'diff', '-t', name, ...names.map((of) => pathOf(golden(of))));
      const records = theirs.filter(({ type }) => type === 'diff_record');
      assert.deepEqual(rows.map(({ slot }) => slot), records.map(({ slot }) => slot));
      rows.forEach((row, i) => {
        const paths = (records[i].fields ?? []).map(({ path }) => path.replace(/[[<].*/, ''));
        assert.deepEqual(row.mark === 'changed' ? row.what.split(', ') : [], [...new Set(paths)]);
      });
      const [ranking] = readDiffLines(theirs).tables;
      assert.deepEqual([...fields].sort(), [...ranking.fields].sort(), `${names} ${name}`);
      const sides = await sidesOf(before, after, name, rows[0].slot);
      assert.ok(sides.rows.some(({ differs }) => differs));
      seen += all;
    }
  }
  assert.ok(seen > 20, `${seen} records`);
});

test('a changed schema is shown by its types', () => {
  const leaf = (name, kind) => ({ name, kind, children: [] });
  const root = (...children) => ({ kind: 'struct', name: '', children });
  assert.deepEqual(
    schemaChanges(root(leaf('hp', 'i32'), leaf('old', 'f32')), root(leaf('hp', 'i64'))),
    [{ mark: '~', path: 'hp', from: 'i32', to: 'i64' },
     { mark: '-', path: 'old', from: 'f32', to: '' }]);
  assert.deepEqual(schemaChanges(root(leaf('a', 'u8'), leaf('b', 'u8')),
    root(leaf('b', 'u8'), leaf('a', 'u8'))).map(({ from }) => from), ['order of fields']);
});

test('lines of hdbinspect diff are read as they are', () => {
  const diff = (...words) => readDiffLines(parseLines(inspect('diff', '--format=ndjson',
    ...words)));
  const two = [golden('before'), golden('after')].map(pathOf);
  const all = diff(...two);
  assert.deepEqual(all.differing.map(({ name }) => name), ['clock', 'monsters']);
  assert.deepEqual([all.tables.length, all.hidden, all.within, all.remark], [3, 0, 0, '']);
  const rows = new FieldRows(all.records.get('monsters'));
  const shown = rows.slice(0, 1000);
  assert.equal(shown.length, rows.count);
  for (let i = 0; i < rows.count; ++i)
    assert.deepEqual(rows.slice(i, 1), shown.slice(i, i + 1));
  assert.equal(shown.filter(({ isFirst }) => isFirst).length, 6);
  const target = shown.find(({ field }) => field?.path === 'target');
  assert.deepEqual([target.of.kind, valueText(target.field.old), valueText(target.field.new),
    target.field.note], ['changed', 'monsters:7@1', 'null', 'monsters:7@1 was removed']);
  assert.deepEqual(all.differing[1].fields.find(([path]) => path === 'loot[]'), ['loot[]', 1]);
  assert.equal(diff('--summary', ...two).hidden, 7);
  assert.equal(diff('-n', '2', ...two).hidden, 5);
  assert.equal(diff('--records', ...two).records.get('monsters')[1].fields.length, 0);
  const near = diff('--abs', '1000000', '--ignore', '**.loot', '--ignore', '**.target', ...two);
  assert.ok(near.within > 0);
  assert.deepEqual(diff(two[0], two[0]).differing, []);
  assert.deepEqual([[16, 18.75], [100, 85], [2n ** 60n, 2n ** 60n + 2n], ['a', 'b']].map(
    ([old, now]) => noteText({ old, new: now })), ['+2.75', '-15', '+2', '']);
  assert.equal(valueText({ hex: '00ff' }), 'bytes 00ff');
  assert.equal(parseLines('{"a":12345678901234567890,"b":1e300,"c":1}\n')[0].c, 1);
});

test('the first pair of two folders that differs is said', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hdb-'));
  const frames = { host: ['before', 'before', 'after'], client: ['before', 'before', 'before'] };
  try {
    for (const [side, names] of Object.entries(frames)) {
      mkdirSync(join(folder, side));
      names.forEach((name, i) => {
        copyFileSync(pathOf(golden(name)), join(folder, side, `frame_${i + 9}.hdb`));
      });
    }
    copyFileSync(pathOf(golden('before')), join(folder, 'host', 'more.hdb'));
    const first = (a, b) => readDiffLines(parseLines(inspect('diff', '--format=ndjson', '--first',
      join(folder, a), join(folder, b))));
    assert.equal(first('host', 'host').remark, 'No difference in 4 pairs.');
    const found = first('host', 'client');
    assert.equal(found.remark, 'The first pair that differs is frame_11.hdb, number 3 of 3; ' +
      'equal up to frame_10.hdb; 1 only in the first folder.');
    assert.equal(found.differing.length, 2);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** A copy of a file with a byte changed. */
function flipped(bytes, at) {
  const damaged = bytes.slice();
  damaged[at] ^= 1 << (at % 8);
  return damaged;
}

test('a damaged file opens if hdbinspect info opens it, and every view shows what is sound',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hdb-'));
    let opens = 0;
    let seen = 0;
    try {
      for (const [name, count] of [['before_stored', 60], ['every_field', 30],
        ['components', 30], ['all_kinds', 30]]) {
        const bytes = bytesOfFile(golden(name));
        const sound = await openBytes(bytes);
        for (let i = 0; i < count; ++i) {
          const at = Math.floor(((i + 0.5) * bytes.length) / count);
          const damaged = flipped(bytes, at);
          const path = join(folder, 'damaged.hdb');
          writeFileSync(path, damaged);
          const what = `${name}, byte ${at}`;
          const theirs = spawnSync(program, ['info', path]).status === 0;
          const save = await openBytes(damaged).catch((error) => {
            assert.equal(theirs, false, `${what}: ${error.message}`);
          });
          if (!save) continue;
          assert.equal(theirs, true, what);
          ++opens;
          await save.info();
          seen += await lookAtAll(save, sound, what);
        }
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
    assert.ok(opens > 50 && seen > 20, `${opens} open, in ${seen} tables damage was seen`);
  });

/** Each view of a save; how many tables say that something of them is damaged. */
async function lookAtAll(save, sound, what) {
  let damaged = 0;
  const compared = await compareSaves(sound, save, work);
  assert.equal(compared.equal, false, what);
  for (const data of save.tables) {
    const { bins, damage } = await surveySlots(data, work);
    const { descriptor } = data.table;
    assert.equal(sum(bins, 'unread') + sum(bins, 'live') + sum(bins, 'free') +
      sum(bins, 'retired') + descriptor.unissued >= descriptor.slots, true, what);
    assert.equal(damage.length > 0, sum(bins, 'unread') > 0, what);
    const order = await makeOrder(data, { where: '', find: '', sort: '' }, work);
    assert.equal(order.damage.length, damage.length, what);
    await makeOrder(data, { where: '', find: '7', sort: '' }, work);
    if (damage.length === 0 && descriptor.listed > 0)
      await freeListRows(data, 0, 10).catch((error) => assert.equal(error.kind, 'corrupt'));
    const live = bins.find(({ at }) => at >= 0)?.at;
    if (live !== undefined) {
      const record = await recordTree(data, live);
      damaged += record.damage.length > 0 ? 1 : 0;
      await referencesTo(data, live, work);
      await sidesOf(sound, save, data.table.name, live);
    }
    damaged += damage.length > 0 ? 1 : 0;
  }
  return damaged;
}
