// The public face of the reader; README.md says how to use it.

export { open, Snapshot } from './snapshot.js';
export { Table } from './table.js';
export { HdbError } from './errors.js';
export { blobSource, bytesSource, urlSource } from './sources.js';
export { check } from './check.js';
export { defaultLimits } from './limits.js';
export { Editor, edit } from './write.js';
