// Long work: it can be cancelled, and leaves time for others.

import { stopIfAborted } from './errors.js';

/**
 * @typedef {object} WorkOptions
 * @property {(finding: import('./errors.js').HdbError) => void} [onFinding]
 * @property {(done: number, total: number) => void} [onProgress] row groups
 * @property {AbortSignal} [signal]
 */

/** Milliseconds after which other tasks of the thread get their turn. */
const kTurn = 40;

export class Work {
  /** @param {WorkOptions} options @param {number} total */
  constructor(options, total) {
    this.options = options;
    this.total = total;
    this.done = 0;
    this.turn = performance.now();
  }

  /** Between two steps. */
  async step() {
    this.options.onProgress?.(++this.done, this.total);
    if (performance.now() - this.turn > kTurn) {
      await new Promise((resolve) => { setTimeout(resolve, 0); });
      this.turn = performance.now();
    }
    stopIfAborted(this.options.signal);
  }
}
