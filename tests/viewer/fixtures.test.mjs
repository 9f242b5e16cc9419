// The conformance suite, and damaged copies of one of its files.

import assert from 'node:assert/strict';
import test from 'node:test';
import { bytesSource, check, open } from '../../tools/viewer/reader/index.js';
import { bytesOfFile, manifest } from './support.mjs';

test('each file has the verdict of the manifest', async (t) => {
  for (const { path, action, what, hash } of manifest) {
    await t.test(path, async () => {
      const result = await check(bytesSource(bytesOfFile(path)), 'deep');
      if (action === 'refuse') {
        assert.ok(['refused', 'quick'].includes(result.verdict));
        assert.equal(result.class, what);
        return;
      }
      assert.equal(result.verdict, what);
      const snapshot = await open(bytesSource(bytesOfFile(path)));
      assert.equal(snapshot.storedStateHash, hash);
      if (what === 'deep') assert.equal(await snapshot.stateHash(), hash);
    });
  }
});

const bytes = bytesOfFile('fixtures/v0.10/before.hdb');

/** Whether damaged bytes are refused; what is accepted has the content of the sound file. */
async function isRefused(damaged) {
  const result = await check(bytesSource(damaged), 'deep');
  if (result.verdict !== 'deep') return true;
  const [snapshot, sound] = await Promise.all([open(bytesSource(damaged)),
    open(bytesSource(bytes))]);
  assert.equal(snapshot.storedStateHash, sound.storedStateHash);
  assert.deepEqual(snapshot.metadata, sound.metadata);
  return false;
}

test('a file that ends at any byte is refused', async () => {
  for (let size = 0; size < bytes.length; ++size) {
    assert.ok(await isRefused(bytes.subarray(0, size)), `${size} bytes`);
  }
});

test('a file with a changed byte is refused', async () => {
  for (let at = 0; at < bytes.length; ++at) {
    const damaged = bytes.slice();
    damaged[at] ^= 1 << (at % 8);
    assert.ok(await isRefused(damaged), `byte ${at}`);
  }
});

test('an unknown bit of compatible changes nothing', async () => {
  const { hash64 } = await import('../../tools/viewer/reader/hashes.js');
  const other = bytes.slice();
  other[32] |= 2;
  other.set(hash64(other.subarray(0, 56)), 56);
  assert.equal(await isRefused(other), false);
});
