// The handles that name a record are those that reading all records finds.

import assert from 'node:assert/strict';
import test from 'node:test';
import { bytesSource, open } from '../../tools/viewer/reader/index.js';
import { accepted, bytesOfFile } from './support.mjs';

/** The texts of the handles in a value. */
function handlesIn(value) {
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return [];
  if (typeof value.bits === 'bigint') return value.text ? [value.text] : [];
  return Object.values(value).flatMap(handlesIn);
}

test('references are those of all records', async () => {
  let count = 0;
  for (const path of accepted) {
    const snapshot = await open(bytesSource(bytesOfFile(path)));
    /** @type {Map<string, string[]>} */
    const expected = new Map();
    const records = [];
    for (const table of snapshot.tables) {
      for (let slot = 0; slot < Math.min(table.slots, 200); ++slot) {
        const record = await table.record(slot);
        if (record) records.push({ table, record });
        for (const text of record ? handlesIn(record.fields) : []) {
          expected.set(text, [...expected.get(text) ?? [], record.handle]);
        }
      }
    }
    for (const { table, record } of records) {
      if (table.descriptor.component) continue;
      const found = [];
      const references = snapshot.referencesTo(table, record.slot, record.generation);
      for await (const { table: of, slot, generation } of references) {
        if (slot < 200) found.push(of.handleText(slot, generation));
      }
      count += found.length;
      assert.deepEqual(found.sort(), (expected.get(record.handle) ?? []).sort(),
        `${path} ${record.handle}`);
    }
  }
  assert.ok(count > 100, `${count} references`);
});
