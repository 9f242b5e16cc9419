// What the page finds, sorts, compares and follows is what hdbinspect does.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'node:test';

import { compareSaves } from '../../tools/viewer/page/compare.js';
import { chainsTo } from '../../tools/viewer/page/fields.js';
import { makeOrder } from '../../tools/viewer/page/order.js';
import { SaveData } from '../../tools/viewer/page/save_data.js';
import { referencesTo } from '../../tools/viewer/page/survey.js';
import { nameInPath } from '../../tools/viewer/reader/references.js';
import { accepted, bytesOfFile, project } from './support.mjs';

const program = process.env.HDBINSPECT ?? '';
const work = { step: async () => {} };
const pathOf = (file) => fileURLToPath(new URL(file, project));

/** Lines of JSON; the exit statuses 0 and 1 are answers. */
function inspect(...words) {
  let text;
  try {
    text = execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 1 << 28 });
  } catch (error) {
    if (error.status !== 1) return { refused: error.stderr };
    text = error.stdout;
  }
  return { lines: text.split('\n').filter(Boolean).map((line) => JSON.parse(line)) };
}

const golden = (name) => `fixtures/v0.10/${name}.hdb`;
let numbers = 0;

async function opened(file) {
  return new SaveData(++numbers, file, new Blob([bytesOfFile(file)])).open();
}

async function liveSlots(data) {
  const slots = [];
  for (let k = 0; k < data.groups; ++k) slots.push(...(await data.group(k, [])).rows);
  return slots;
}

async function slotsOf(data, wanted) {
  try {
    const order = await makeOrder(data, { where: '', find: '', sort: '', ...wanted }, work);
    return [...order.slots ?? await liveSlots(data)];
  } catch (error) {
    assert.equal(error.kind, 'usage', `${JSON.stringify(wanted)}: ${error.stack}`);
    return 'refused';
  }
}

/** The path of a field in filters, any element of lists. */
function filterPath(chain) {
  let path = '';
  chain.forEach((node, i) => {
    const parent = chain[i - 1];
    if (node.name) path += `${path && '.'}${nameInPath(node.name)}`;
    if (parent?.kind === 'variant') path += `<${parent.children.indexOf(node)}>`;
    if (parent?.kind === 'map') path += node === parent.children[0] ? '.key' : '.value';
    if (['array', 'list', 'map'].includes(node.kind)) path += '[*]';
  });
  return path;
}

/** A literal of the first values of a field, and of others near them. */
function literalsOf(save, node, values) {
  const literals = [];
  for (const value of values) {
    if (node.kind === 'string') {
      if (typeof value === 'string' &&
          !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffd]/.test(value))
        literals.push(JSON.stringify(value), JSON.stringify(`${value.slice(0, 2)}*`));
    } else if (node.kind === 'handle') {
      const text = save.snapshot.handleText(node, BigInt(value));
      if (text) literals.push(text);
    } else if (node.kind === 'bool') {
      literals.push(value ? 'true' : 'false');
    } else if (node.kind === 'enum') {
      literals.push(String(value), ...(node.enumNames?.has(value)
        ? [JSON.stringify(node.enumNames.get(value))] : []));
    } else if (Number.isFinite(Number(value))) {
      literals.push(String(value).replace('e+', 'e'));
    }
  }
  return [...new Set(literals)].slice(0, 3);
}

/** Values of a field in the first group, whatever it is nested in. */
async function someValues(data, node) {
  const group = await data.group(0, [node.firstColumn, node.firstColumn + 1]
    .filter((column) => column < node.endColumn));
  const column = group.columns[node.firstColumn];
  if (!column) return [];
  if (node.kind !== 'string') return [...column.values.slice(0, 40)];
  const bytes = group.columns[node.firstColumn + 1]?.bytes;
  return Array.from({ length: Math.min(40, column.offsets.length - 1) }, (_, i) =>
    new TextDecoder().decode(bytes.subarray(column.offsets[i], column.offsets[i + 1])));
}

function filtersOf(path, node, literals) {
  const operators = { string: ['==', '!=', '<', '~', '~*'], handle: ['==', '!='], bool: ['=='] };
  const filters = [`${path} is null`];
  if (node.kind === 'handle') filters.push(`${path} is stale`, `not ${path} is stale`);
  if (/^f/.test(node.kind)) filters.push(`${path} is nan`);
  if (node.kind === 'string') filters.push(`size(${path}) > 3`);
  for (const literal of literals) {
    for (const operator of operators[node.kind] ?? ['==', '!=', '<=', '>'])
      filters.push(`${path} ${operator} ${literal}`);
  }
  if (literals.length > 1) filters.push(`${path} in {${literals.join(', ')}}`);
  return filters;
}

test('filters select the records that hdbinspect selects', async () => {
  let cases = 0;
  let selected = 0;
  let next = 0;
  for (const file of accepted.filter((path) => path.includes('/v0.10/'))) {
    const save = await opened(file);
    for (const data of save.tables) {
      if (data.table.live === 0) continue;
      const leaves = chainsTo(data.root, (node) =>
        !['struct', 'array', 'list', 'map', 'optional', 'variant', 'opaque'].includes(node.kind));
      for (const chain of leaves) {
        const node = chain.at(-1);
        const literals = literalsOf(save, node, await someValues(data, node));
        for (const where of filtersOf(filterPath(chain), node, literals)) {
          if (next++ % 3 !== 0) continue;  // the others would take half a minute
          const answer = inspect('--json', 'dump', pathOf(file), '-t', data.table.name,
            '-w', where);
          const expected = answer.refused ? 'refused'
            : answer.lines.filter(({ type }) => type === 'record').map(({ slot }) => slot);
          const what = `${file} ${data.table.name}: ${where} ${answer.refused ?? ''}`;
          assert.deepEqual(await slotsOf(data, { where }), expected, what);
          ++cases;
          selected += expected.length;
        }
      }
    }
  }
  assert.ok(cases > 300 && selected > 1000, `${cases} filters selected ${selected} records`);
});

/** Filters of the monsters of before.hdb: words, quotes, numbers, patterns and slips of the pen. */
const writtenFilters = String.raw`
name == "imp"
name == 'i\x6dp'
name == "\u{69}mp"
name == 'im\p'
name == 'imp\
name == "\xe9"
name == '\u{d800}'
name == 'a\'b' or name == "imp"
${'`name` == "imp"'}
${'`n\\x61me` == "imp"'}
name == imp
weapon == weapons:0@1
${'weapon == `weapons`:0@1'}
${'weapon == `level.mon`:7@1'}
weapon == level.mon:7@1
weapon == weapons:0
weapon == weapons:0@1x
weapon == null
weapon != null
weapon is not null
null == weapon
weapon == 0
hp == +40
hp > -1
hp > - 1
hp > 0x1F
hp > 0x
hp > 1e1
hp > 1e+1
hp > .5
hp > 5.
hp > 1_000
hp > 18446744073709551616
hp > 1e400
hp == nan
hp != nan
hp < inf
hp < -inf
hp = 40
hp == 40 && hp == 40
hp not in {40, 50}
not hp in {40, 50}
hp in {40, hp}
hp in {}
hp in {40
3 == 3
3 == hp
true
hp
hp == 40 hp
(hp == 40
@slot < 3
@slot
${'`@slot` < 3'}
size(name) > 3
size(hp) > 3
size > 3
pos.x > 1
pos.x? > 1
pos . x > 1
pos.size > 1
loot[0] == "gold"
loot[] == "gold"
loot[*] == "gold"
loot["gold"] == 1
loot[x] == 1
loot<0> == 1
name ~ "i*"
name ~ "[!i]*"
name ~ "[^i]*"
name ~ "[a-i]m?"
name ~ "[i-a]m?"
name ~ "[]i]*"
name ~ "[i"
name ~ "[]"
name ~ "{imp,orc}*"
name ~ "{imp"
name ~ "im\\p"
name ~ "i-m*"
name ~ "imp\\"
name ~ "*.*"
name ~ "imp."
name ~* "IM*"
name ~* "[A-I]M*"
name ~ imp
name < "m"
weapon is stale
weapon is "stale"
name is nan
hp is null
weapon.name ~ "*"
`.split('\n').filter(Boolean);

test('filters are read as hdbinspect reads them', async () => {
  const file = golden('before');
  const monsters = (await opened(file)).table('monsters');
  const differences = [];
  const seen = { refused: 0, some: 0, none: 0 };
  for (const where of writtenFilters) {
    const answer = inspect('--json', 'dump', pathOf(file), '-t', 'monsters', '-w', where);
    const expected = answer.refused ? 'refused'
      : answer.lines.filter(({ type }) => type === 'record').map(({ slot }) => slot);
    ++seen[answer.refused ? 'refused' : expected.length > 0 ? 'some' : 'none'];
    const found = await slotsOf(monsters, { where });
    if (JSON.stringify(found) !== JSON.stringify(expected))
      differences.push(`${where}: ${found} for ${answer.refused ?? expected}`);
  }
  assert.deepEqual(differences, []);
  assert.ok(seen.refused > 20 && seen.some > 20 && seen.none > 5, JSON.stringify(seen));
});

test('rows are sorted as hdbinspect sorts them', async () => {
  let cases = 0;
  for (const file of ['before', 'three_tables', 'every_field', 'layouts'].map(golden)) {
    const save = await opened(file);
    for (const data of save.tables) {
      const fields = data.columns.filter(({ kind, node }) =>
        !['array', 'list', 'map', 'opaque', 'variant', 'handle'].includes(kind) &&
        (kind !== 'optional' || /^(string|[iuf]\d+)$/.test(node.children[0].kind)));
      for (const { path } of fields) {
        for (const sort of [path, `-${path}`, `-${fields[0].path},${path}`]) {
          const { lines, refused } = inspect('--json', 'dump', pathOf(file), '-t', data.table.name,
            `--sort=${sort}`);
          assert.equal(refused, undefined);
          const expected = lines.filter(({ type }) => type === 'record').map(({ slot }) => slot);
          assert.deepEqual(await slotsOf(data, { sort }), expected, `${file}: ${sort}`);
          ++cases;
        }
      }
    }
  }
  assert.ok(cases > 30, `${cases} orders`);
});

test('texts have the order of their bytes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hdb_page_'));
  try {
    const file = join(folder, 'names.hdb');
    const names = ['\u{1f600}', '\ufb01', '\ue000', 'z', '\u00e9', '\u{1f600}a'];
    const before = await liveSlots((await opened(golden('before'))).table('monsters'));
    const edits = names.map((name, i) => `monsters:${before[i]}.name=${name}`);
    inspect('set', pathOf(golden('before')), ...edits, '-o', file, '--json');
    const save = await new SaveData(++numbers, file, new Blob([readFileSync(file)])).open();
    const monsters = save.table('monsters');
    const slots = (...words) => inspect('--json', 'dump', file, '-t', 'monsters', ...words).lines
      .filter(({ type }) => type === 'record').map(({ slot }) => slot);
    assert.deepEqual(await slotsOf(monsters, { sort: 'name' }), slots('--sort=name'));
    for (const operator of ['<', '<=', '>', '>=', '==', '!=']) {
      for (const name of names) {
        const where = `name ${operator} '${name}'`;
        assert.deepEqual(await slotsOf(monsters, { where }), slots('-w', where), where);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a text is found in any field', async () => {
  const save = await opened(golden('before'));
  const monsters = save.table('monsters');
  const imps = await slotsOf(monsters, { where: 'name == "imp"' });
  assert.ok(imps.length > 0);
  assert.deepEqual(await slotsOf(monsters, { find: 'IMP' }), imps);
  assert.deepEqual(await slotsOf(monsters, { find: '128.5' }),
    await slotsOf(monsters, { where: 'pos.y == 128.5 or pos.x == 128.5 or pos.z == 128.5' }));
  assert.deepEqual(await slotsOf(monsters, { find: 'weapons:0@1' }),
    await slotsOf(monsters, { where: 'weapon == weapons:0@1' }));
  assert.deepEqual(await slotsOf(monsters, { find: 'gold' }),
    await slotsOf(monsters, { where: 'loot[*] ~ "*gold*"' }));
  assert.deepEqual(await slotsOf(monsters, { find: 'no such text' }), []);
  // The end of a text and the begin of the next one are no text.
  const names = (await Promise.all((await liveSlots(monsters)).map((slot) =>
    monsters.table.record(slot)))).map(({ fields }) => fields.name);
  let across = 0;
  for (const [i, name] of names.slice(1).entries()) {
    const find = names[i].slice(-2) + name.slice(0, 2);
    if (names.some((each) => each.toLowerCase().includes(find))) continue;
    assert.deepEqual(await slotsOf(monsters, { find }), [], find);
    ++across;
  }
  assert.ok(across > 2, `${across} texts`);
});

test('the records that name a record are those of hdbinspect', async () => {
  let found = 0;
  for (const file of ['before', 'every_field', 'all_kinds', 'layouts'].map(golden)) {
    const save = await opened(file);
    for (const data of save.tables.filter(({ table }) => !table.descriptor.component)) {
      for (const slot of (await slotsOf(data, { sort: '' })).slice(0, 6)) {
        const { generation } = await data.slot(slot);
        const handle = data.table.handleText(slot, generation);
        const { lines } = inspect('--json', 'get', '--refs', pathOf(file), handle);
        const expected = lines.filter(({ type }) => type === 'reference')
          .map(({ handle: source, path }) => `${source} ${path}`);
        const { list, all } = await referencesTo(data, slot, work);
        const ours = list.map(({ cell, path }) => `${cell.text} ${path}`);
        assert.deepEqual(ours.sort(), expected.sort(), `${file} ${handle}`);
        assert.equal(all, expected.length);
        found += all;
      }
    }
  }
  assert.ok(found > 20, `${found} references`);
});

test('two saves differ where hdbinspect says so', async () => {
  const pairs = [['before', 'after'], ['after', 'before'], ['before', 'later_version'],
    ['before', 'before'], ['before', 'retyped'], ['components', 'components_later']];
  for (const names of pairs) {
    const files = names.map(golden);
    const [before, after] = await Promise.all(files.map(opened));
    const { tables, equal } = await compareSaves(before, after, work);
    const { lines } = inspect('--json', 'diff', '--summary', ...files.map(pathOf));
    const expected = lines.filter(({ type, old_live: old, new_live: now }) =>
      type === 'diff_table' && old !== undefined && now !== undefined);
    for (const of of expected) {
      const table = tables.find(({ name }) => name === of.table);
      if (!table) continue;  // in one of the files: a note
      const what = `${names} ${of.table}`;
      for (const count of ['added', 'removed', 'changed', 'reused'])
        assert.equal(table[count], of[count], `${what}: ${count}`);
      assert.equal(table.all, of.added + of.removed + of.changed + of.reused, what);
    }
    assert.equal(equal, names[0] === names[1], names.join());
  }
});
