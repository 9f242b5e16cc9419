// Values over time are those that `hdbinspect log` finds, from the same saves on.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'node:test';

import { nameMatcher, pathMatcher } from '../../tools/viewer/page/globs.js';
import { lineOf, sampleAt, saveAt, scaleOf, thinned } from '../../tools/viewer/page/plot_lines.js';
import { SaveData } from '../../tools/viewer/page/save_data.js';
import { historyOf, inOrder } from '../../tools/viewer/page/series.js';
import { accepted, bytesOfFile, project } from './support.mjs';

const program = process.env.HDBINSPECT ?? '';
const work = { step: async () => {} };
const series = 'fixtures/v0.10/series';
const pathOf = (file) => fileURLToPath(new URL(file, project));
let numbers = 0;

async function opened(file, bytes = bytesOfFile(file)) {
  return new SaveData(++numbers, file, new Blob([bytes])).open();
}

async function openedSeries() {
  const names = readdirSync(new URL(series, project)).filter((name) => name.endsWith('.hdb'));
  return Promise.all(names.map((name) => opened(`${series}/${name}`)));
}

function inspect(...words) {
  const text = execFileSync(program, ['--json', ...words],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return text.split('\n').filter(Boolean).map((line) => JSON.parse(line));
}

const refusal = async (made) => {
  try {
    await made;
  } catch (error) {
    assert.equal(error.kind, 'usage', error.stack);
    return error.message;
  }
  return assert.fail('it is refused');
};

/** The values of a field and the saves from which on it has them, as the log says. */
function logged(name, path) {
  const samples = [];
  for (const { type, save, fields } of inspect('log', pathOf(series), name)) {
    if (type !== 'log_change') continue;
    const change = fields?.find((field) => field.path === path);
    const text = fields && change ? JSON.stringify(change.new) : undefined;
    if (!fields || change) samples.push([save.replace(/.*\//, ''), text]);
  }
  return samples;
}

/** What `hdbinspect plot` puts into its page. */
function plotted(what, by) {
  const page = join(mkdtempSync(join(tmpdir(), 'hdb-')), 'plot.html');
  execFileSync(program, ['-q', 'plot', pathOf(series), what, `--by=${by}`, '-o', page]);
  const text = readFileSync(page, 'utf8');
  rmSync(dirname(page), { recursive: true });
  return JSON.parse(/x-hdb-plot">(.*?)<\/script>/s.exec(text)[1]);
}

test('a page of plot has what the page makes of the saves', async () => {
  const saves = await openedSeries();
  const whats = ['monsters', '*', 'monsters:0@1', 'monsters:1', 'monsters:1@2', 'monsters:0.hp',
                 'monsters:0@1.pos.*', 'monsters:3@1.**', 'turn:0'];
  for (const what of whats) {
    for (const by of ['auto', 'sequence', 'date', 'play', 'order']) {
      const ours = await historyOf(saves, what, by, work);
      for (const save of ours.saves) {
        save.name = save.name.replace(/.*\//, '');
        delete save.number;
      }
      const { where, ...theirs } = plotted(what, by);
      assert.ok(where);
      assert.deepEqual(ours, theirs, `${what} by ${by}`);
    }
  }
});

test('values and the saves from which on they hold are those of the log', async () => {
  const saves = await openedSeries();
  let compared = 0;
  for (const [name, paths] of [
    ['monsters:0@1', ['name', 'hp', 'pos.x', 'pos.y', 'awake', 'target', 'stamina']],
    ['monsters:1', ['name', 'hp', 'pos.x']], ['monsters:0', ['hp', 'awake']],
  ]) {
    const whole = await historyOf(saves, name, 'auto', work);
    for (const path of paths) {
      const { fields } = await historyOf(saves, `${name}.${path}`, 'auto', work);
      assert.deepEqual(fields.map((field) => field.path), [path]);
      const [{ samples, isNumber }] = fields;
      const shown = samples.map(([save, , text]) =>
        [whole.saves[save].name.replace(/.*\//, ''), text]);
      assert.deepEqual(shown, logged(`${name}.${path}`, path), `${name}.${path}`);
      assert.deepEqual(whole.fields.find((field) => field.path === path).samples, samples);
      assert.equal(isNumber, ['hp', 'pos.x', 'pos.y', 'stamina'].includes(path), path);
      compared += samples.length;
    }
  }
  assert.ok(compared > 30, `${compared} values`);
});

test('the fields of a record and their values are those of the log', async () => {
  let compared = 0;
  for (const file of accepted.filter((path) => /v0.10\/\w+\.hdb/.test(path))) {
    const save = await opened(file);
    for (const data of save.tables.filter(({ table }) => table.live > 0)) {
      const [slot] = (await data.group(0, [])).rows;
      const handle = data.table.handleText(slot, (await data.slot(slot)).generation);
      const [found] = inspect('log', pathOf(file), handle);
      const { fields, fieldsLeftOut } = await historyOf([save], handle, 'auto', work);
      assert.equal(fields.length + fieldsLeftOut, found.fields.length, `${file} ${handle}`);
      found.fields.slice(0, fields.length).forEach(({ path, new: value }, i) => {
        const [[, number, text]] = fields[i].samples;
        const what = `${file} ${handle} ${path}`;
        assert.equal(fields[i].path.replaceAll('`', ''), path.replaceAll('`', ''), what);
        if (typeof value === 'number' && number !== null)
          assert.ok(Math.abs(number - value) <= Math.abs(value) * 1e-6, `${what} ${number}`);
        else if (value === null || typeof value === 'boolean')
          assert.ok([String(value), 'none'].includes(text), `${what} ${text}`);
        ++compared;
      });
    }
  }
  assert.ok(compared > 100, `${compared} values`);
});

test('a record is born and erased, and its slot is used again', async () => {
  const saves = await openedSeries();
  const events = async (name) => (await historyOf(saves, name, 'auto', work)).events
    .map(({ save, kind, text }) => `${save} ${kind} ${text}`);
  const expected = inspect('log', pathOf(series), 'monsters:1')
    .filter(({ event }) => ['born', 'erased', 'reused'].includes(event)).map(({ event }) => event);
  const found = await events('monsters:1');
  assert.deepEqual(found.map((event) => event.split(' ')[1]), expected);
  assert.deepEqual(await events('monsters:1@1'),
    [found[0], found[1].replace('born', 'reused').replace('was born', 'has the slot')]);
});

test('a record of a save without its table does not exist there', async () => {
  const names = ['three_tables', 'before', 'before', 'three_tables'];
  const saves = await Promise.all(names.map((name, i) =>
    opened(`${i}.hdb`, bytesOfFile(`fixtures/v0.10/${name}.hdb`))));
  const { events, fields } = await historyOf(saves, 'heroes:1.name', 'order', work);
  assert.deepEqual(events.map(({ save, kind }) => `${save} ${kind}`), ['1 erased', '3 born']);
  assert.deepEqual(fields[0].samples.map(([save, , text]) => [save, text !== undefined]),
    [[0, true], [1, false], [3, true]]);
});

test('the numbers of tables are those of ls', async () => {
  const saves = await openedSeries();
  const { fields } = await historyOf(saves, 'mon*', 'auto', work);
  assert.deepEqual(fields.map(({ path }) => path),
    ['live', 'free', 'retired', 'slots'].map((name) => `monsters ${name}`));
  inOrder(saves).forEach((save, i) => {
    const table = inspect('ls', pathOf(save.name)).find((line) => line.table === 'monsters');
    for (const { path, samples } of fields) {
      const [, number] = samples.findLast(([from]) => from <= i);
      assert.equal(number, table[path.split(' ')[1]], `${save.name} ${path}`);
    }
  });
});

test('globs and elements select fields', async () => {
  const saves = await openedSeries();
  const paths = async (what) => (await historyOf(saves, `monsters:0.${what}`, 'auto', work)).fields
    .map(({ path }) => path);
  assert.deepEqual(await paths('pos.*'), ['pos.x', 'pos.y']);
  assert.deepEqual(await paths('pos'), ['pos.x', 'pos.y']);
  assert.deepEqual(await paths('{**.y,h?,loot}'), ['hp', 'pos.y', 'loot']);
  assert.deepEqual(await paths('[a-i]*'), ['hp', 'awake']);
  assert.deepEqual(await paths('loot[0]'), ['loot[0]']);
  assert.equal((await paths('**')).length, 8);
  assert.ok(nameMatcher('level_*')('level_3') && !nameMatcher('level_?')('level_33'));
  assert.ok(nameMatcher('level-*')('level-3') && !nameMatcher('level-[!3]')('level-3'));
  assert.ok(nameMatcher("a\\*")('a*') && !nameMatcher("a\\*")('ab'));
  const chain = [{ kind: 'list', name: 'items', path: 'items' },
    { kind: 'struct', name: '', path: 'items' },
    { kind: 'i32', name: 'price', path: 'items.price' }];
  for (const glob of ['items.price', 'items[].price', '**.price', 'items', '*.pr*'])
    assert.ok(pathMatcher(glob)(chain), glob);
  for (const glob of ['price', 'items.pric', 'item'])
    assert.ok(!pathMatcher(glob)(chain), glob);
});

test('the axis rises, or the refusal says where it does not', async () => {
  const saves = await openedSeries();
  for (const by of ['auto', 'sequence', 'date', 'play', 'order']) {
    const history = await historyOf(saves, 'monsters', by, work);
    assert.equal(history.by, by === 'auto' ? 'sequence' : by);
    history.saves.forEach(({ time }, i) =>
      assert.ok(i === 0 || time > history.saves[i - 1].time, `${by} ${i}`));
  }
  const twice = [saves[0], await opened(saves[0].name), saves[1]];
  assert.equal((await historyOf(twice, 'monsters', 'auto', work)).by, 'order');
  assert.match(await refusal(historyOf(twice, 'monsters', 'date', work)),
    /^The date does not rise from .*auto-1.hdb to .*auto-1.hdb\./);
});

test('names that mean nothing are refused in words', async () => {
  const saves = await openedSeries();
  for (const [what, words] of [
    ['nix', /No save has a table nix/], ['nix:1.hp', /names a record of no table/],
    ['monsters:9@7', /slot 9 never held a record there/],
    ['monsters:1@9', /monsters:1@9 is in none of these saves; slot 1 held monsters:1@1, monst/],
    ['monsters:0.nix', /no save has the field nix of monsters/],
    ['monsters:0.{hp', /pattern '\{hp': a \{ is not closed/],
  ]) assert.match(await refusal(historyOf(saves, what, 'auto', work)), words);
});

test('a damaged save is left out and counted', async () => {
  const saves = await openedSeries();
  const ordered = inOrder(saves);
  const whole = await historyOf(saves, 'monsters:0.hp', 'auto', work);
  const damaged = ordered.map((save, i) => (i === 2 ? Object.assign(Object.create(save), {
    byName: new Map([['monsters', Object.assign(Object.create(save.byName.get('monsters')), {
      group: async () => { throw Object.assign(new Error('damaged'), { code: 'bad_chunk' }); },
    })]]) }) : save));
  const { unread, fields, saves: all } = await historyOf(damaged, 'monsters:0.hp', 'auto', work);
  assert.equal(unread, 1);
  assert.equal(all.length, saves.length);
  assert.deepEqual(fields[0].samples, whole.fields[0].samples
    .map(([save, ...rest]) => [save === 2 ? 3 : save, ...rest]));
});

test('a component is followed by the name of its owner', async () => {
  const saves = await Promise.all(['components', 'components_later']
    .map((name) => opened(`fixtures/v0.10/${name}.hdb`)));
  let followed = 0;
  for (const { table } of saves[0].tables.filter((data) => data.table.descriptor.component)) {
    if (table.live === 0) continue;
    const [slot] = (await saves[0].table(table.name).group(0, [])).rows;
    const { generation } = await saves[0].table(table.name).slot(slot);
    const { fields } = await historyOf(saves, table.handleText(slot, generation), 'order', work);
    const [found] = inspect('log', pathOf(saves[0].name), table.handleText(slot, generation));
    assert.deepEqual(fields.map(({ path }) => path), found.fields.map(({ path }) => path));
    followed += fields.length;
  }
  assert.ok(followed > 0);
});

test('bits name the record of the only table that they fit', async () => {
  const saves = await openedSeries();
  const { fields } = await historyOf(saves, '0x100000001.hp', 'auto', work);
  const named = await historyOf(saves, 'monsters:1@1.hp', 'auto', work);
  assert.deepEqual(fields, named.fields);
  assert.match(await refusal(historyOf(saves, '0x100000000', 'auto', work)),
    /may name a record of monsters or turn. Write monsters:0@1/);
});

test('a long line keeps its first, last, least and greatest values', () => {
  const scale = scaleOf(Array.from({ length: 50_000 }, (_, i) => i * i));
  const samples = Array.from({ length: 50_000 }, (_, i) => [i, (i * 7919) % 10_007, 'x']);
  samples[31_234] = [31_234, -5, 'least'];
  samples[41_234] = [41_234, 1e6, 'greatest'];
  const kept = thinned(samples, scale);
  assert.ok(kept.length <= 2004, `${kept.length} points`);
  for (const at of [0, 31_234, 41_234, 49_999]) assert.ok(kept.includes(samples[at]), `${at}`);
  kept.forEach(([save], i) => assert.ok(i === 0 || save > kept[i - 1][0]));
  const { low, high, dots } = lineOf(kept, scale);
  assert.deepEqual([low, high, dots], [-5, 1e6, '']);
});

test('a line has steps, and gaps where there is no value', () => {
  const scale = scaleOf([0, 1, 2, 3]);
  const samples = [[0, 10, '10'], [1], [2, 20, '20'], [3, -20, '-20']];
  const { line, absent, zero } = lineOf(samples, scale);
  assert.equal(line, 'M0 44H250M500 8H750V152H1000');
  assert.equal(absent, 'M250 0H500V160H250z');
  assert.equal(zero, 'M0 80H1000');
  assert.deepEqual([0, 1, 2, 9].map((save) => sampleAt(samples, save)), [0, 1, 2, 3]);
  assert.deepEqual([0, 0.26, 0.99, 1].map((place) => saveAt(scale, 4, place)), [0, 1, 3, 3]);
  // One save, one value, and a range beyond that of numbers: a line in the middle.
  assert.equal(lineOf([[0, 5, '5']], scaleOf([7])).line, 'M0 80H1000');
  assert.match(lineOf([[0, -1e308, ''], [1, 1e308, '']], scaleOf([0, 1])).line, /^M0 \d+H500V\d+/);
});
