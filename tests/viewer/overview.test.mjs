// Sizes, references and facts of tables are those that hdbinspect counts.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import test from 'node:test';

import { arrowOf, heightOf, layoutOf } from '../../tools/viewer/page/graph_layout.js';
import { linksOf } from '../../tools/viewer/page/links.js';
import { SaveData } from '../../tools/viewer/page/save_data.js';
import { sizesOf } from '../../tools/viewer/page/sizes.js';
import { kHeadBytes } from '../../tools/viewer/reader/frame.js';
import { padded } from '../../tools/viewer/reader/geometry.js';
import { accepted, bytesOfFile, project } from './support.mjs';

const program = process.env.HDBINSPECT ?? '';
const work = { step: async () => {} };
const files = accepted.filter((path) => path.includes('/v0.10/'));

function inspect(...words) {
  let text;
  try {
    text = execFileSync(program, ['--json', ...words],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 });
  } catch (error) {
    if (error.status !== 1) throw error;
    text = error.stdout;
  }
  return text.split('\n').filter(Boolean).map((line) => JSON.parse(line));
}

const pathOf = (file) => fileURLToPath(new URL(file, project));

async function opened(file) {
  return new SaveData(1, file, new Blob([bytesOfFile(file)])).open();
}

test('sizes add up to the file, and those of tables are those of ls', async () => {
  let fields = 0;
  for (const file of files) {
    const save = await opened(file);
    const parts = await sizesOf(save, work);
    assert.equal(parts.reduce((sum, { stored }) => sum + stored, 0), save.blob.size, file);
    for (const listed of inspect('ls', pathOf(file))) {
      const { table: name, raw_bytes: raw, stored_bytes: stored } = listed;
      const part = parts.find((each) => each.kind === 'table' && each.name === name);
      const heads = part.fields.find((each) => each.name === 'block heads and indexes');
      assert.equal(part.raw - (heads?.raw ?? 0), raw, `${file} ${name}`);
      const { number } = save.byName.get(name).table;
      const isPacked = save.snapshot.file.places[number].pack >= 0;
      const around = save.snapshot.blocks
        .filter(({ table, typeName }) => table === number && /rows|free_list/.test(typeName))
        .reduce((sum, block) => sum + kHeadBytes + padded(block.stored) - block.stored, 0);
      if (isPacked) assert.ok(part.stored >= stored, `${file} ${name}`);
      else assert.equal(part.stored - around, stored, `${file} ${name}`);
      fields += part.fields.length;
    }
  }
  assert.ok(fields > 200, `${fields} fields`);
});

test('handles are live, stale, null and foreign as validate counts them', async () => {
  let handles = 0;
  let stale = 0;
  for (const file of files) {
    const links = await linksOf(await opened(file), work);
    const shown = links.map((link) => ({
      table: link.table, field: link.path, strong: link.strong, live: link.live,
      stale: link.stale, null: link.null, foreign: link.foreign,
      first: link.firstStale &&
        `${link.firstStale.handle}.${link.firstStale.path} names ${link.firstStale.names}` }));
    const expected = inspect('validate', '--level=deep', pathOf(file))
      .filter(({ type }) => type === 'references')
      .map((of) => ({ table: of.table, field: of.field, strong: of.strong, live: of.live,
                      stale: of.stale, null: of.null, foreign: of.foreign,
                      first: of.first_stale }));
    assert.deepEqual(shown, expected, file);
    for (const { live, stale: gone, targets } of links) {
      handles += live;
      stale += gone;
      for (const kind of ['live', 'stale']) {
        assert.equal(targets.reduce((sum, target) => sum + target[kind], 0),
          kind === 'live' ? live : gone);
      }
    }
  }
  assert.ok(handles > 50 && stale > 5, `${handles} live, ${stale} stale`);
});

test('the facts of tables are those of ls', async () => {
  const freeLists = { lifo: 'lifo', fifo: 'fifo', lowest: 'lowest' };
  const generations = { per_slot: 'perSlot', table_counter: 'counter' };
  const names = { none: 'none', exact: 'exact', ignore_case: 'ignoreCase' };
  for (const file of files) {
    const { tables } = await (await opened(file)).info();
    for (const of of inspect('ls', pathOf(file))) {
      const { facts } = tables.find(({ name }) => name === of.table);
      assert.equal(facts.freeList, freeLists[of.free_list], `${file} ${of.table}`);
      assert.equal(facts.generations, generations[of.generations], `${file} ${of.table}`);
      assert.equal(facts.names, names[of.names], `${file} ${of.table}`);
      assert.equal(facts.overflow, of.overflow);
      assert.equal(facts.typeId, of.type_id);
      assert.equal(facts.hashed, of.hashed);
    }
  }
});

test('boxes of the graph do not overlap, and arrows go to the right where they can', () => {
  const to = (...nodes) => (
    { link: {}, targets: nodes.map((node) => ({ node, live: 1, stale: 0 })) });
  const nodes = [[to(1), to(2)], [to(3)], [to(3), to(0)], [to(3)], []]
    .map((fields, i) => ({ name: `t${i}`, live: 1, fields }));
  const layout = layoutOf(nodes);
  assert.deepEqual(layout.layer, [0, 1, 1, 2, 0]);
  for (let a = 0; a < nodes.length; ++a) {
    for (let b = 0; b < a; ++b) {
      const apart = layout.x[a] !== layout.x[b] ||
        layout.y[a] + heightOf(nodes[a]) < layout.y[b] ||
        layout.y[b] + heightOf(nodes[b]) < layout.y[a];
      assert.ok(apart, `${a} and ${b}`);
    }
  }
  const { line } = arrowOf(layout, { from: 0, row: 0, to: 1, isStale: false });
  assert.match(line, /^M238 \d+C/);
  assert.deepEqual(layoutOf([]).layer, []);
});
