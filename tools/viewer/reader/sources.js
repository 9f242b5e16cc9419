// Where the bytes of a file come from: memory, a Blob or File, a URL.

import { HdbError } from './errors.js';

/**
 * @typedef {object} Source
 * @property {number} size in bytes
 * @property {(offset: number, size: number) => Promise<Uint8Array>} read exactly these bytes
 * @property {(offset: number, size: number) => Blob|Uint8Array} [part] the same, not yet read
 */

/**
 * @param {Uint8Array} bytes
 * @returns {Source}
 */
export function bytesSource(bytes) {
  const part = (/** @type {number} */ offset, /** @type {number} */ size) =>
    bytes.subarray(offset, offset + size);
  return { size: bytes.length, read: async (offset, size) => part(offset, size), part };
}

/**
 * Reads ranges, so that a large file opens at once.
 * @param {Blob} blob
 * @returns {Source}
 */
export function blobSource(blob) {
  return {
    size: blob.size,
    async read(offset, size) {
      try {
        const bytes = new Uint8Array(await blob.slice(offset, offset + size).arrayBuffer());
        if (bytes.length === size) return bytes;
      } catch (error) {
        const gone = error instanceof DOMException && error.name === 'NotReadableError';
        if (!gone) throw new HdbError('io_failed', `the file cannot be read: ${error}`, {}, error);
      }
      throw new HdbError('file_changed', 'the file changed while it was open', { offset });
    },
    part: (offset, size) => blob.slice(offset, offset + size),
  };
}

/**
 * Asks a server for ranges, or for everything if it does not answer with ranges.
 * @param {string|URL} url
 * @param {{fetch?: typeof fetch, signal?: AbortSignal}} [options]
 * @returns {Promise<Source>}
 */
export async function urlSource(url, options = {}) {
  const ask = options.fetch ?? fetch;
  /** @param {number} first @param {number} last */
  const request = async (first, last) => {
    let answer;
    try {
      const headers = { Range: `bytes=${first}-${last}` };
      answer = await ask(url, { headers, signal: options.signal, cache: 'no-store' });
    } catch (error) {
      if (options.signal?.aborted) throw new HdbError('cancelled', 'the work was cancelled');
      throw new HdbError('io_failed', `${url} cannot be read: ${error}`, {}, error);
    }
    if (answer.ok || answer.status === 416) return answer;
    throw new HdbError('io_failed', `the server answers ${answer.status} for ${url}`);
  };
  const first = await request(0, 65535);
  if (first.status === 416) return bytesSource(new Uint8Array(0)); // of an empty file
  if (first.status !== 206) return bytesSource(await bodyOf(first));
  const version = versionOf(first);
  const size = totalOf(first);
  if (size === undefined) throw new HdbError('io_failed', `${url} has no known size`);
  const head = await bodyOf(first);
  return {
    size,
    async read(offset, count) {
      if (count === 0) return new Uint8Array(0);
      if (offset + count <= head.length) return head.subarray(offset, offset + count);
      const answer = await request(offset, offset + count - 1);
      const changed = answer.status !== 206 || totalOf(answer) !== size ||
        versionOf(answer) !== version;
      const bytes = changed ? new Uint8Array(0) : await bodyOf(answer);
      if (changed || bytes.length !== count) {
        throw new HdbError('file_changed', `${url} changed while it was open`, { offset });
      }
      return bytes;
    },
  };
}

/**
 * A file that is in several parts.
 * @param {(Uint8Array|Blob)[]} parts
 * @returns {Source}
 */
export function partsSource(parts) {
  let size = 0;
  const placed = parts.map((part) => {
    const source = part instanceof Blob ? blobSource(part) : bytesSource(part);
    const begin = size;
    size += source.size;
    return { begin, end: size, source };
  });
  return {
    size,
    async read(offset, count) {
      let low = 0;
      let high = placed.length;
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (placed[middle].begin <= offset) low = middle;
        else high = middle;
      }
      const { begin, end, source } = placed[low];
      if (offset + count <= end) return source.read(offset - begin, count);
      const bytes = new Uint8Array(count);
      for (let at = 0; at < count; ++low) {
        const part = placed[low];
        const from = offset + at - part.begin;
        const piece = await part.source.read(from, Math.min(count - at, part.source.size - from));
        bytes.set(piece, at);
        at += piece.length;
      }
      return bytes;
    },
  };
}

/** @param {Response} answer */
async function bodyOf(answer) {
  try {
    return new Uint8Array(await answer.arrayBuffer());
  } catch (error) {
    throw new HdbError('io_failed', `the connection ended: ${error}`, {}, error);
  }
}

/** @param {Response} answer */
function versionOf(answer) {
  return answer.headers.get('etag') ?? answer.headers.get('last-modified') ?? '';
}

/** @param {Response} answer */
function totalOf(answer) {
  const total = /^bytes \d+-\d+\/(\d+)$/.exec(answer.headers.get('content-range') ?? '')?.[1];
  return total === undefined ? undefined : Number(total);
}
