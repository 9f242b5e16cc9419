// Inserts and erases leave the state that a game gets which makes the same calls: slots,
// generations, free lists, dense orders, holes. MAKE_EDITS names the program make_edits.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { Editor, bytesSource, open } from '../../tools/viewer/reader/index.js';

test('edits are those of a game', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hdb-game-'));
  try {
    for (let seed = 1; seed <= 8; ++seed) {
      const lines = execFileSync(process.env.MAKE_EDITS, [folder, String(seed)],
        { encoding: 'utf8', maxBuffer: 1 << 28 });
      const openFile = (name) => open(bytesSource(
        new Uint8Array(readFileSync(join(folder, `${seed}_${name}.hdb`)))));
      const after = await openFile('after');
      const editor = new Editor(await openFile('before'));
      const calls = lines.split('\n').filter(Boolean).map((line) => JSON.parse(line));
      assert.ok(calls.length > 500, `${calls.length} calls`);
      for (const { kind, table, slot, n } of calls) {
        const isPart = !table.startsWith('table');
        const place = isPart || kind === 'erase' ? { slot } : {};
        const handle = await editor.apply({ kind, table, ...place, fields: { n } });
        if (kind === 'insert') assert.match(handle, new RegExp(`:${slot}@`), `${table} ${slot}`);
      }
      const written = await editor.write();
      assert.equal(written.stateHash, after.storedStateHash, `seed ${seed}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
