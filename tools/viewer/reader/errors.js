// Errors of the reader. Their numbers are those of hdb (`hdbinspect explain`).

/** @typedef {'corrupt'|'newer'|'draft'|'limit'|'io'|'changed'|'cancelled'|'refused'} ErrorKind */

/** @type {Record<string, string>} */
const numbers = {
  bad_signature: '0101', text_mode_damage: '0102', truncated: '0103', header_checksum: '0104',
  footer_checksum: '0105', directory_checksum: '0106', bad_footer: '0107', bad_directory: '0108',
  bad_geometry: '0109', newer_version: '0110', unknown_feature: '0111', old_draft: '0112',
  read_only_feature: '0113', bad_header: '0114', bad_block_head: '0201',
  block_head_checksum: '0202', foreign_block: '0203', unknown_block: '0204',
  missing_block: '0205', unexpected_block: '0206', bad_metadata: '0207', block_checksum: '0231',
  bad_schema: '0301', copies_differ: '0302', bad_table: '0401', bad_slots: '0402',
  bad_free_list: '0403', bad_dense_order: '0404', state_hash_mismatch: '0405',
  bad_names: '0406', bad_blobs: '0407', dangling_strong: '0408', bad_components: '0409',
  bad_chunk: '0501', bad_compression: '0502', bad_filter: '0503', bad_value: '0504',
  bad_lengths: '0505', raw_hash_mismatch: '0506', bad_pack: '0507', limit_exceeded: '0601',
  memory_budget: '0602', table_full: '0603', io_failed: '0702', file_changed: '0708',
  cancelled: '0710', duplicate_name: '0901', bad_name: '0902', bad_options: '0903',
  not_found: '0906', value_out_of_range: '0807', type_mismatch: '0801',
};

/** @type {Record<string, ErrorKind>} */
const kinds = {
  newer_version: 'newer', unknown_feature: 'newer', unknown_block: 'newer', old_draft: 'draft',
  limit_exceeded: 'limit', memory_budget: 'limit', io_failed: 'io', file_changed: 'changed',
  cancelled: 'cancelled', read_only_feature: 'refused', table_full: 'refused',
  duplicate_name: 'refused', bad_name: 'refused', bad_options: 'refused', not_found: 'refused',
  value_out_of_range: 'refused', type_mismatch: 'refused',
};

/** @type {Record<ErrorKind, string>} */
const advice = {
  corrupt: 'load a backup, or run hdbinspect repair on the file',
  newer: 'open the file with a newer version of hdb',
  draft: 'a draft of the format before 0.9 wrote the file; no reader promises to read it',
  limit: 'open the file with higher limits if you trust it',
  io: 'check that the file still exists and may be read',
  changed: 'open the file again',
  cancelled: 'start again when you need the result',
  refused: 'change the request',
};

/**
 * @typedef {object} Place
 * @property {number} [offset] the byte of the file
 * @property {string} [table]
 * @property {number} [group]
 * @property {number} [column]
 * @property {number} [chunk]
 * @property {string} [part] what it is in words: 'header', 'metadata'
 */

/** @param {Place} where */
export function placeText(where) {
  const words = [];
  if (where.part) words.push(where.part);
  if (where.table !== undefined) words.push(`table ${where.table}`);
  if (where.group !== undefined) words.push(`group ${where.group}`);
  if (where.column !== undefined) words.push(`column ${where.column}`);
  if (where.chunk !== undefined) words.push(`chunk ${where.chunk}`);
  const place = words.join(' > ') || 'file';
  return where.offset === undefined ? place : `${place}, byte ${where.offset}`;
}

/** Says what happened, where, and what to do next. */
export class HdbError extends Error {
  /**
   * @param {string} name a name of the table above
   * @param {string} what
   * @param {Place} [where]
   * @param {unknown} [cause]
   */
  constructor(name, what, where = {}, cause = undefined) {
    const kind = kinds[name] ?? 'corrupt';
    super(`${what} (${placeText(where)}); next: ${advice[kind]}`);
    this.name = 'HdbError';
    /** What kind of trouble it is: section 8.3 of FORMAT.md, and trouble of the source. */
    this.kind = kind;
    /** The number of the error in hdb. */
    this.id = `HDB-E${numbers[name]}`;
    this.code = name;
    this.what = what;
    this.offset = where.offset;
    this.where = where;
    this.next = advice[kind];
    this.cause = cause;
  }
}

/**
 * @param {AbortSignal|undefined} signal
 */
export function stopIfAborted(signal) {
  if (signal?.aborted) throw new HdbError('cancelled', 'the work was cancelled');
}
