// FORMAT.md, section 8.4: the levels of validity.

import { Budget } from './columns.js';
import { checkTable } from './checks.js';
import { HdbError } from './errors.js';
import { splitHalves } from './handles.js';
import { hashText } from './hashes.js';
import { isKnown } from './geometry.js';
import { combinedHash } from './state_hash.js';
import { Work } from './work.js';
import { typeName } from './file.js';

/** @typedef {import('./work.js').WorkOptions} WorkOptions */
/** @typedef {import('./snapshot.js').Snapshot} Snapshot */
/** @typedef {import('./table.js').Table} Table */

/**
 * @typedef {object} Validation
 * @property {'deep'|'full'|'quick'|'refused'} verdict the highest level that the file was found to
 *   have; `quick` also if a check of the level `full` failed
 * @property {import('./errors.js').ErrorKind|undefined} class why the file lacks the level that was
 *   asked for
 * @property {HdbError[]} findings
 * @property {string|undefined} stateHash computed, at the level deep
 */

/** @typedef {Map<number, {records: Uint8Array, list: Uint8Array}>} Hashes */

/**
 * @param {Snapshot} snapshot
 * @param {'quick'|'full'|'deep'} level
 * @param {WorkOptions} options
 * @returns {Promise<Validation>}
 */
export async function checkFile(snapshot, level, options) {
  /** @type {HdbError[]} */
  const findings = [];
  const report = (/** @type {unknown} */ error) => {
    const isFinding = error instanceof HdbError &&
      ['corrupt', 'newer', 'limit'].includes(error.kind);
    if (!isFinding) throw error;
    findings.push(error);
    options.onFinding?.(error);
  };
  const result = (/** @type {Validation['verdict']} */ verdict, stateHash = undefined) => ({
    verdict, findings, stateHash,
    class: findings.find(({ kind }) => kind === 'newer')?.kind ?? findings[0]?.kind,
  });
  if (level === 'quick') return result('quick');
  const groups = snapshot.tables.reduce((sum, table) => sum + table.groups, 0);
  const work = new Work(options, level === 'deep' ? groups * 2 : groups);
  await checkOtherBlocks(snapshot, report);
  /** @type {Hashes} */
  const hashes = new Map();
  for (const table of snapshot.tables) {
    const isHashed = level === 'deep' && table.descriptor.hashed;
    try {
      const found = await checkTable(table, isHashed, work);
      if (isHashed) hashes.set(table.number, found);
    } catch (error) {
      report(error);
    }
  }
  if (findings.length) return result('quick');
  if (level === 'full') return result('full');
  const hash = hashText(combinedHash(snapshot.catalog, hashes));
  if (hash !== snapshot.storedStateHash) {
    report(new HdbError('state_hash_mismatch', `the content has the state hash ${hash}, the ` +
      `footer says ${snapshot.storedStateHash}`, { part: 'footer' }));
  }
  const strong = new StrongHandles(snapshot);
  for (const table of snapshot.tables) {
    try {
      await strong.check(table, work);
    } catch (error) {
      report(error);
    }
  }
  return { ...result(findings.length ? 'full' : 'deep'), stateHash: hash };
}

/** @param {Snapshot} snapshot @param {(error: unknown) => void} report */
async function checkOtherBlocks({ file }, report) {
  for (let i = 0; i < file.directory.count; ++i) {
    const entry = file.directory.entry(i);
    if (isKnown(entry) && i !== file.thumbnail) continue;
    try {
      const block = await file.block(i, { part: typeName(entry.type) }, true);
      if (!isKnown(entry)) await block.checkUnknown();
    } catch (error) {
      report(error);
    }
  }
}

class StrongHandles {
  /** @param {Snapshot} snapshot */
  constructor(snapshot) {
    this.snapshot = snapshot;
    this.budget = new Budget(snapshot.limits.maxMemoryBytes);
    /** @type {Map<Table, Uint32Array>} */
    this.generations = new Map();
  }

  /** @param {Table} table */
  async of(table) {
    let found = this.generations.get(table);
    if (!found) this.generations.set(table, found = await table.liveGenerations(this.budget));
    return found;
  }

  /** @param {Table} table @param {Work} work */
  async check(table, work) {
    const fields = table.schemaColumns.filter(({ node }) => node.strong);
    for (let k = 0; k < table.groups; ++k) {
      await work.step();
      if (fields.length === 0) continue;
      const group = await table.group(k, { columns: fields.map(({ number }) => number) });
      for (const { number, node } of fields) {
        const bytes = group.columns[number]?.bytes ?? new Uint8Array(0);
        const stale = await this.firstStale(node, bytes);
        if (stale) {
          const what = `the strong handle ${stale} of ${node.path} names no record`;
          throw new HdbError('dangling_strong', what,
            { table: table.name, group: k, column: number + 3 });
        }
      }
    }
  }

  /**
   * @param {import('./schema.js').Node} node
   * @param {Uint8Array} bytes
   */
  async firstStale(node, bytes) {
    const { width, layout } = node;
    if (!layout) return undefined;
    const view = new DataView(bytes.buffer);
    const parts = { slot: 0, generation: 0, type: 0 };
    for (let at = 0; at < bytes.length; at += width) {
      const low = width === 2 ? view.getUint16(at, true) : view.getUint32(at, true);
      const high = width === 8 ? view.getUint32(at + 4, true) : 0;
      if ((low === 0 && high === 0) || !splitHalves(layout, low, high, parts)) continue;
      const target = this.snapshot.targetOf(node, parts.type);
      if (!target) continue;
      const generations = this.generations.get(target) ?? await this.of(target);
      if (parts.generation === 0 || generations[parts.slot] !== parts.generation) {
        return target.handleText(parts.slot, parts.generation);
      }
    }
    return undefined;
  }
}
