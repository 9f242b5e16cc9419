// The page's side of the worker, which reads the files. A call is a promise of what the worker
// answers; a call that is cancelled is answered by an error of the kind "cancelled".

/** @typedef {{kind: string, message: string, id?: string, where?: string}} Fault */

/**
 * @param {string} source the worker's program, bundled as a text
 * @returns {Connection}
 */
export function connect(source) {
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  return new Connection(new Worker(url));
}

export class Connection {
  #worker;
  #last = 0;
  /** @type {Map<number, {resolve: Function, reject: Function, progress?: Function}>} */
  #calls = new Map();

  /** @param {Worker} worker */
  constructor(worker) {
    this.#worker = worker;
    worker.onmessage = ({ data }) => this.#answer(data);
    worker.onerror = (event) => {
      const fault = { kind: 'internal', message: `The reader stopped: ${event.message}` };
      for (const call of this.#calls.values()) call.reject(fault);
      this.#calls.clear();
    };
  }

  /**
   * @param {string} name one of the functions of worker.js
   * @param {unknown[]} values
   * @param {{progress?: (done: number, all: number) => void, signal?: AbortSignal}} [options]
   * @returns {Promise<any>}
   */
  call(name, values = [], { progress, signal } = {}) {
    const number = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#calls.set(number, { resolve, reject, progress });
      this.#worker.postMessage({ number, name, values });
      signal?.addEventListener('abort', () => this.#worker.postMessage({ cancel: number }));
    });
  }

  #answer(data) {
    const call = this.#calls.get(data.number);
    if (!call) return;
    if (data.done !== undefined) return call.progress?.(data.done, data.all);
    this.#calls.delete(data.number);
    if (data.fault) call.reject(data.fault);
    else call.resolve(data.value);
  }
}
