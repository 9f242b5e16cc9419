// FORMAT.md, section 5.4: one zstd frame. Its header and the heads of its blocks are checked here,
// before memory is taken; zstddec decompresses it and checks its checksum.

import { ZSTDDecoder } from 'zstddec';
import { bytesOfBase64 } from './hashes.js';
import { kMaxZstdBlockBytes, kMaxZstdWindowBytes } from './limits.js';
import { viewOf } from './wire.js';

const decoder = new ZSTDDecoder();
/** @type {Promise<void>|undefined} */
let ready;

/**
 * Must end before any call of `decompress`. zstddec asks `fetch` for a data: URL, which the policy
 * of a page can forbid. So for this one call `fetch` is a function that decodes the URL itself.
 */
export function zstdReady() {
  if (ready) return ready;
  const kept = globalThis.fetch;
  globalThis.fetch = (url) => {
    const text = String(url);
    return Promise.resolve(new Response(bytesOfBase64(text.slice(text.indexOf(',') + 1))));
  };
  try {
    ready = decoder.init();
  } finally {
    globalThis.fetch = kept;
  }
  return ready;
}

/**
 * What is wrong with a frame before it is decompressed, or undefined.
 * @param {Uint8Array} frame
 * @param {number} size its content size
 * @param {boolean} needsChecksum
 */
export function faultOfFrame(frame, size, needsChecksum) {
  const view = viewOf(frame);
  if (frame.length < 6 || view.getUint32(0, true) !== 0xfd2fb528) return 'no zstd frame';
  const flags = frame[4];
  const single = (flags & 0x20) !== 0;
  const hasChecksum = (flags & 4) !== 0;
  if (flags & 8) return 'a reserved bit of the frame';
  if (needsChecksum && !hasChecksum) return 'a frame without a checksum';
  const dictionaryBytes = [0, 1, 2, 4][flags & 3];
  const sizeBytes = [single ? 1 : 0, 2, 4, 8][flags >> 6];
  let at = 5;
  let window = size;
  if (frame.length < at + (single ? 0 : 1) + dictionaryBytes + sizeBytes) return 'a short header';
  if (!single) {
    const base = 2 ** (10 + (frame[at] >> 3));
    window = base + (base / 8) * (frame[at++] & 7);
  }
  for (let i = 0; i < dictionaryBytes; ++i) if (frame[at++]) return 'a frame with a dictionary';
  if (sizeBytes === 0) return 'a frame without its content size';
  let stated = 0;
  for (let i = sizeBytes; i-- > 0;) stated = stated * 256 + frame[at + i];
  if (sizeBytes === 2) stated += 256;
  at += sizeBytes;
  if (stated !== size) return `a frame of ${stated} bytes, ${size} are expected`;
  if (window > kMaxZstdWindowBytes) return `a window of ${window} bytes`;
  return faultOfBlocks(frame, at, Math.min(window, kMaxZstdBlockBytes), hasChecksum);
}

/**
 * @param {Uint8Array} frame
 * @param {number} at where the blocks begin
 * @param {number} most bytes of a block
 * @param {boolean} hasChecksum
 */
function faultOfBlocks(frame, at, most, hasChecksum) {
  for (let last = false; !last;) {
    if (at + 3 > frame.length) return 'a frame that ends too early';
    const head = frame[at] | (frame[at + 1] << 8) | (frame[at + 2] << 16);
    last = (head & 1) !== 0;
    const type = (head >> 1) & 3;
    const size = head >> 3;
    if (type === 3) return 'a reserved type of block';
    if (size > most) return `a block of ${size} bytes`;
    at += 3 + (type === 1 ? 1 : size);
  }
  if (hasChecksum) at += 4;
  return at === frame.length ? undefined : 'a frame of another size';
}

/**
 * The content of a frame without a fault; undefined if it cannot be decompressed.
 * @param {Uint8Array} frame
 * @param {number} size of the content, not 0
 */
export function decompress(frame, size) {
  const bytes = decoder.decode(frame, size);
  return bytes.length === size ? bytes : undefined;
}
