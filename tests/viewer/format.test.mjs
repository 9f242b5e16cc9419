// The test vectors and the worked example of FORMAT.md (sections 13 and 14).

import assert from 'node:assert/strict';
import test from 'node:test';
import { unfilter } from '../../tools/viewer/reader/blocks.js';
import { readCatalog } from '../../tools/viewer/reader/catalog.js';
import { bytesOfHex } from '../../tools/viewer/reader/frame.js';
import {
  chunkId, freeListHash, hash128, hash64, hashText, hashesReady, seedOf,
} from '../../tools/viewer/reader/hashes.js';
import { bytesSource, defaultLimits, open } from '../../tools/viewer/reader/index.js';
import { readSchema } from '../../tools/viewer/reader/schema.js';
import { combinedHash } from '../../tools/viewer/reader/state_hash.js';
import { Cursor } from '../../tools/viewer/reader/wire.js';
import { exampleBytes, inputOf, tablesOf } from './support.mjs';

await hashesReady();
const [plain, seeded, seeds] = tablesOf('### 13.1 Hashes');

test('hashes', () => {
  for (const [input, short, long] of plain) {
    assert.equal(hashText(hash64(inputOf(input))), short, input);
    assert.equal(hashText(hash128(inputOf(input))), long, input);
  }
  for (const [input, seed, hash] of seeded) {
    assert.equal(hashText(hash128(inputOf(input), BigInt(`0x${seed}`))), hash, input);
  }
  for (const [slot, generation, position, seed] of seeds) {
    assert.equal(seedOf(Number(slot), Number(generation), Number(position)), BigInt(`0x${seed}`));
  }
});

test('hashes of long inputs come in pieces', () => {
  const bytes = Uint8Array.from({ length: (3 << 20) + 5 }, (_, i) => i % 251);
  // hash128 does not cut its input; the low half of both hashes is one for long inputs.
  assert.deepEqual(hash64(bytes), hash128(bytes).slice(0, 8));
});

test('chunk ids', () => {
  for (const [input, id] of tablesOf('### 13.2 Chunk ids')[0]) {
    assert.equal(Buffer.from(chunkId(inputOf(input))).toString('hex'), id);
  }
});

test('filters', () => {
  const numbers = { constant: 1, shuffle: 2, delta_shuffle: 3 };
  for (const [filter, width, raw, filtered] of tablesOf('### 13.3 Filters')[0]) {
    const bytes = bytesOfHex(raw);
    const chunk = { filter: numbers[filter], width: Number(width), raw: bytes.length };
    assert.deepEqual(unfilter(bytesOfHex(filtered), chunk), bytes, `${filter} ${raw}`);
  }
});

test('fingerprints', () => {
  for (const [schema, , fingerprint] of tablesOf('### 13.4 Fingerprints')[0]) {
    const read = readSchema(new Cursor(bytesOfHex(schema), 'bad_schema', {}));
    assert.equal(hashText(read.fingerprint), fingerprint, schema);
  }
});

test('free lists', () => {
  const entries = Uint32Array.from({ length: 5000 }, (_, i) => i);
  for (const [policy, hash] of tablesOf('### 13.5 Free lists')[0]) {
    const sequence = policy === 'FIFO' ? entries : entries.slice().reverse();
    assert.equal(hashText(freeListHash(sequence)), hash, policy);
  }
});

test('states', () => {
  for (const [what, catalog, hashes, state] of tablesOf('### 13.6 States')[0]) {
    const read = readCatalog(bytesOfHex(catalog), defaultLimits, 0);
    const parts = hashes.split(/[` ]+/).filter(Boolean).map((hash) => bytesOfHex(hash).reverse());
    const ofTables = new Map(read.tables.map((_, i) =>
      [i, { records: parts[i * 2], list: parts[i * 2 + 1] }]));
    assert.equal(hashText(combinedHash(read, ofTables)), state, what);
  }
});

test('the worked example', async () => {
  const snapshot = await open(bytesSource(exampleBytes('file')));
  assert.deepEqual(snapshot.metadata, {
    sequence: 1n, playTimeMs: 61000n, dateMs: 0n, title: 'Example', pairs: [['map', 'E1M1']],
  });
  assert.equal(snapshot.fileId, 'ead4adbfd0b88b4dca24a95a3fc7ef09');
  const table = snapshot.table('units');
  assert.deepEqual({ ...(await table.record(0)).fields }, { hp: 100, name: 'imp' });
  assert.deepEqual({ ...(await table.record(2)).fields }, { hp: -5, name: 'é' });
  assert.equal(await table.record(1), undefined);
  assert.deepEqual([...await table.denseOrder()], [2, 0]);
  assert.deepEqual([...await table.freeList()], [1]);
  assert.equal(await snapshot.stateHash(), 'ce296ffa0a6d0ba6db502713ff8c4273');
  assert.equal((await snapshot.validate('deep')).verdict, 'deep');
  const packed = snapshot.file.readPack.bind({ tables: [table.descriptor], places: [{ pack: 7 }] });
  const { source, list } = packed(7, exampleBytes('pack'), {}).get(0);
  assert.deepEqual([...await source.load(3)], [100, 0, 0, 0, 251, 255, 255, 255]);
  assert.deepEqual([...list], [1]);
});
