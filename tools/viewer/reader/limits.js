// FORMAT.md, section 9: hard maxima, and the limits of this reader, which a program may change.

export const kMaxTables = 4096;
export const kMaxSchemas = 4096;
export const kMaxNameBytes = 255;
export const kMaxSchemaDepth = 32;
export const kMaxSchemaFields = 16384;
export const kMaxFieldsPerFile = 262144;
export const kMaxAlternatives = 255;
export const kMaxArrayCount = 1048576;
export const kMaxFixedRowBytes = 16777216;
export const kMaxCatalogBytes = 67108864;
export const kMaxMetadataBytes = 16777216;
export const kMaxThumbnailBytes = 268435456;
export const kMaxAncillaryBytes = 268435456;
export const kMaxChunkRawBytes = 8388608;
export const kMaxPartRawBytes = 16777216;
export const kFreeListBlockEntries = 262144;
export const kMaxPackBytes = 65536;
export const kMaxZstdWindowBytes = 8388608;
export const kMaxZstdBlockBytes = 131072;
export const kMaxBlobCapacityBytes = 1099511627776;
export const kMaxBlobAlignment = 4096;
export const kMaxExtensionBytes = 65536;
export const kMaxCatalogExtensionBytes = 33554432;
export const kMaxBlocks = 4294967295;
export const kMaxFileBytes = 281474976710656;

/** The largest sum of lengths (section 5.1). */
export const kMaxSum = 2 ** 62;
/** max_content_ratio holds above this many raw bytes. */
export const kRatioFrom = 2 ** 30;

/**
 * The defaults of section 9, but for the memory: a page has less of it than a game.
 * @typedef {typeof defaultLimits} Limits
 */
export const defaultLimits = {
  maxFileBytes: 68719476736,
  maxSlotsPerTable: 268435456,
  maxTables: 4096,
  maxSchemaFields: 4096,
  maxBlocks: 4194304,
  maxMetadataBytes: 1048576,
  maxThumbnailBytes: 16777216,
  maxDirectoryBytes: 536870912,
  maxColumnBytes: 1073741824,
  /** Decoded content that is in memory at one time, by this reader. */
  maxMemoryBytes: 268435456,
  maxContentRatio: 1000,
};
