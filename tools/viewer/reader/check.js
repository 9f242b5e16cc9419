// One answer about a file that may not open at all.

import { HdbError } from './errors.js';
import { open } from './snapshot.js';

/**
 * Opens and validates a file.
 * @param {import('./sources.js').Source} source
 * @param {'quick'|'full'|'deep'} level
 * @param {import('./work.js').WorkOptions &
 *   {limits?: Partial<import('./limits.js').Limits>}} [options]
 * @returns {Promise<import('./validate.js').Validation>}
 */
export async function check(source, level, options = {}) {
  let snapshot;
  try {
    snapshot = await open(source, options);
  } catch (error) {
    const isRefused = error instanceof HdbError &&
      ['corrupt', 'newer', 'draft', 'limit'].includes(error.kind);
    if (!isRefused) throw error;
    options.onFinding?.(error);
    return { verdict: 'refused', class: error.kind, findings: [error], stateHash: undefined };
  }
  return snapshot.validate(level, options);
}
