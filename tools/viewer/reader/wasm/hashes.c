// The hashes of FORMAT.md (sections 1 and 7) as a WebAssembly module for hashes.js: XXH3 of
// libxxhash, and the sums of row hashes and of pages, for many rows in one call. build.sh builds it.
#define XXH_INLINE_ALL
#define XXH_NO_STDLIB
#define XXH_VECTOR 0
#include <xxhash.h>

#define EXPORT(name) __attribute__((export_name(#name))) name
typedef unsigned __int128 sum_t;

// The C library that xxhash.h needs; compilers call the first two by themselves.
void* memcpy(void* to, const void* from, size_t size) { return __builtin_memcpy(to, from, size); }
void* memset(void* to, int byte, size_t size) { return __builtin_memset(to, byte, size); }
int memcmp(const void* a, const void* b, size_t size) {
  const unsigned char *left = a, *right = b;
  for (; size; --size, ++left, ++right)
    if (*left != *right) return *left - *right;
  return 0;
}

extern unsigned char __heap_base;
static XXH3_state_t stream;

// Where the memory of the caller begins.
unsigned EXPORT(heap)(void) { return (unsigned)(size_t)&__heap_base; }

void EXPORT(hash64)(const void* data, unsigned size, XXH64_hash_t* out) {
  *out = XXH3_64bits(data, size);
}

void EXPORT(hash128)(const void* data, unsigned size, XXH64_hash_t seed, XXH64_hash_t* out) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(data, size, seed);
  out[0] = hash.low64;
  out[1] = hash.high64;
}

// Long inputs come in pieces.
void EXPORT(begin)(void) { XXH3_64bits_reset(&stream); }
void EXPORT(more)(const void* data, unsigned size) { XXH3_64bits_update(&stream, data, size); }
void EXPORT(end)(XXH64_hash_t* out) { *out = XXH3_64bits_digest(&stream); }

XXH64_hash_t EXPORT(seed)(unsigned slot, unsigned generation, unsigned position) {
  const XXH64_hash_t a = (slot + ((XXH64_hash_t)generation << 32)) * 0x9e3779b97f4a7c15ull;
  return ((a ^ (a >> 32)) + position) * 0xc2b2ae3d27d4eb4full;
}

static void add(XXH64_hash_t* sum, XXH128_hash_t hash) {
  const sum_t whole = (((sum_t)sum[1] << 64) | sum[0]) + (((sum_t)hash.high64 << 64) | hash.low64);
  sum[0] = (XXH64_hash_t)whole;
  sum[1] = (XXH64_hash_t)(whole >> 64);
}

// Adds the row hashes of `count` slots from `slot` on. The bytes of the live ones follow one another
// in `rows`; ends[i] is where those of the i-th live slot end, positions[i] its dense position.
// Returns the number of live slots.
unsigned EXPORT(rows)(const unsigned char* states, const unsigned* generations,
                      const unsigned* positions, const unsigned char* rows, const unsigned* ends,
                      unsigned slot, unsigned count, XXH64_hash_t* sum) {
  unsigned live = 0;
  unsigned begin = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (states[i] == 1) {
      const XXH64_hash_t key = seed(slot + i, generations[i], positions ? positions[live] : 0);
      add(sum, XXH3_128bits_withSeed(rows + begin, ends[live] - begin, key));
      begin = ends[live++];
    } else {
      const XXH64_hash_t key = seed(slot + i, generations[i] | 0x80000000u, 0);
      add(sum, XXH3_128bits_withSeed(states + i, 1, key));
    }
  }
  return live;
}

// The row hash of one large row, whose bytes come in pieces.
static XXH3_state_t row;
void EXPORT(row_begin)(unsigned slot, unsigned generation, unsigned position) {
  XXH3_128bits_reset_withSeed(&row, seed(slot, generation, position));
}
void EXPORT(row_more)(const void* data, unsigned size) { XXH3_128bits_update(&row, data, size); }
void EXPORT(row_end)(XXH64_hash_t* sum) { add(sum, XXH3_128bits_digest(&row)); }

// Adds the hashes of the pages of a free list (section 7), which has `count` entries.
void EXPORT(pages)(const unsigned* entries, unsigned count, unsigned page, XXH64_hash_t* sum) {
  for (unsigned at = 0; at < count; at += 4096, ++page) {
    const unsigned size = count - at < 4096 ? count - at : 4096;
    add(sum, XXH3_128bits_withSeed(entries + at, size * 4, page));
  }
}
