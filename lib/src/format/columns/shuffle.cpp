// Byte shuffle and its inverse: 16 values at a time with SSE2, one at a time elsewhere.
//
//   values   a0 a1 a2 a3 | b0 b1 b2 b3 | ...      planes   a0 b0 ... | a1 b1 ... | a2 b2 ... | a3
//   b3 ...
#include "format/columns/filter.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace hdb::format {

void shuffle_portable(const std::byte* from, std::size_t begin, std::size_t count, unsigned width,
                      std::byte* to) noexcept {
  for (unsigned k = 0; k < width; ++k) {
    for (std::size_t i = begin; i < count; ++i) to[k * count + i] = from[i * width + k];
  }
}

void unshuffle_portable(const std::byte* from, std::size_t begin, std::size_t count, unsigned width,
                        std::byte* to) noexcept {
  for (std::size_t i = begin; i < count; ++i) {
    for (unsigned k = 0; k < width; ++k) to[i * width + k] = from[k * count + i];
  }
}

#if defined(__SSE2__)
namespace {

// Without it, vectors go through memory from one helper to the next.
#define HDB_INLINE [[gnu::always_inline]] inline

constexpr std::size_t kBlock = 16;  // values handled at once

__m128i load(const std::byte* from) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

void store(std::byte* to, __m128i value) noexcept {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), value);
}

// Two vectors of 16-bit values -> their low bytes, their high bytes.
HDB_INLINE void split2(__m128i a, __m128i b, std::byte* low, std::byte* high) noexcept {
  const __m128i mask = _mm_set1_epi16(0x00ff);
  store(low, _mm_packus_epi16(_mm_and_si128(a, mask), _mm_and_si128(b, mask)));
  store(high, _mm_packus_epi16(_mm_srli_epi16(a, 8), _mm_srli_epi16(b, 8)));
}

// The 16-bit halves of 32-bit values, sign-extended.
HDB_INLINE __m128i low_half(__m128i v) noexcept {
  return _mm_srai_epi32(_mm_slli_epi32(v, 16), 16);
}
HDB_INLINE __m128i high_half(__m128i v) noexcept { return _mm_srai_epi32(v, 16); }

// Four vectors of 32-bit values -> four planes, `count` bytes apart. Signed packing keeps the
// sign-extended halves as they are.
HDB_INLINE void split4(__m128i a, __m128i b, __m128i c, __m128i d, std::byte* to,
                       std::size_t count) noexcept {
  const __m128i low_ab = _mm_packs_epi32(low_half(a), low_half(b));
  const __m128i low_cd = _mm_packs_epi32(low_half(c), low_half(d));
  const __m128i high_ab = _mm_packs_epi32(high_half(a), high_half(b));
  const __m128i high_cd = _mm_packs_epi32(high_half(c), high_half(d));
  split2(low_ab, low_cd, to, to + count);
  split2(high_ab, high_cd, to + 2 * count, to + 3 * count);
}

// The low 32 bits of four 64-bit values, and the high ones.
HDB_INLINE __m128i low_words(const std::byte* at) noexcept {
  const __m128 a = _mm_castsi128_ps(load(at));
  const __m128 b = _mm_castsi128_ps(load(at + 16));
  return _mm_castps_si128(_mm_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0)));
}
HDB_INLINE __m128i high_words(const std::byte* at) noexcept {
  const __m128 a = _mm_castsi128_ps(load(at));
  const __m128 b = _mm_castsi128_ps(load(at + 16));
  return _mm_castps_si128(_mm_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1)));
}

std::size_t shuffle2(const std::byte* from, std::size_t count, std::byte* to) noexcept {
  std::size_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    split2(load(from + 2 * i), load(from + 2 * i + 16), to + i, to + count + i);
  }
  return i;
}

std::size_t shuffle4(const std::byte* from, std::size_t count, std::byte* to) noexcept {
  std::size_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    const std::byte* const at = from + 4 * i;
    split4(load(at), load(at + 16), load(at + 32), load(at + 48), to + i, count);
  }
  return i;
}

std::size_t shuffle8(const std::byte* from, std::size_t count, std::byte* to) noexcept {
  std::size_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    const std::byte* const at = from + 8 * i;
    split4(low_words(at), low_words(at + 32), low_words(at + 64), low_words(at + 96), to + i,
           count);
    split4(high_words(at), high_words(at + 32), high_words(at + 64), high_words(at + 96),
           to + 4 * count + i, count);
  }
  return i;
}

std::size_t unshuffle2(const std::byte* from, std::size_t count, std::byte* to) noexcept {
  std::size_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    const __m128i a = load(from + i);
    const __m128i b = load(from + count + i);
    store(to + 2 * i, _mm_unpacklo_epi8(a, b));
    store(to + 2 * i + 16, _mm_unpackhi_epi8(a, b));
  }
  return i;
}

// Four planes -> four vectors of 32-bit values.
HDB_INLINE void join4(const std::byte* from, std::size_t count, __m128i (&out)[4]) noexcept {
  const __m128i p0 = load(from);
  const __m128i p1 = load(from + count);
  const __m128i p2 = load(from + 2 * count);
  const __m128i p3 = load(from + 3 * count);
  const __m128i low_a = _mm_unpacklo_epi8(p0, p1);
  const __m128i low_b = _mm_unpackhi_epi8(p0, p1);
  const __m128i high_a = _mm_unpacklo_epi8(p2, p3);
  const __m128i high_b = _mm_unpackhi_epi8(p2, p3);
  out[0] = _mm_unpacklo_epi16(low_a, high_a);
  out[1] = _mm_unpackhi_epi16(low_a, high_a);
  out[2] = _mm_unpacklo_epi16(low_b, high_b);
  out[3] = _mm_unpackhi_epi16(low_b, high_b);
}

std::size_t unshuffle4(const std::byte* from, std::size_t count, std::byte* to) noexcept {
  std::size_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    __m128i v[4];
    join4(from + i, count, v);
    for (std::size_t j = 0; j < 4; ++j) store(to + 4 * i + 16 * j, v[j]);
  }
  return i;
}

std::size_t unshuffle8(const std::byte* from, std::size_t count, std::byte* to) noexcept {
  std::size_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    __m128i low[4];
    __m128i high[4];
    join4(from + i, count, low);
    join4(from + 4 * count + i, count, high);
    for (std::size_t j = 0; j < 4; ++j) {
      store(to + 8 * i + 32 * j, _mm_unpacklo_epi32(low[j], high[j]));
      store(to + 8 * i + 32 * j + 16, _mm_unpackhi_epi32(low[j], high[j]));
    }
  }
  return i;
}

#undef HDB_INLINE

}  // namespace

void shuffle(const std::byte* from, std::size_t count, unsigned width, std::byte* to) noexcept {
  std::size_t done = 0;
  if (width == 2) done = shuffle2(from, count, to);
  if (width == 4) done = shuffle4(from, count, to);
  if (width == 8) done = shuffle8(from, count, to);
  shuffle_portable(from, done, count, width, to);
}

void unshuffle(const std::byte* from, std::size_t count, unsigned width, std::byte* to) noexcept {
  std::size_t done = 0;
  if (width == 2) done = unshuffle2(from, count, to);
  if (width == 4) done = unshuffle4(from, count, to);
  if (width == 8) done = unshuffle8(from, count, to);
  unshuffle_portable(from, done, count, width, to);
}
#else
void shuffle(const std::byte* from, std::size_t count, unsigned width, std::byte* to) noexcept {
  shuffle_portable(from, 0, count, width, to);
}

void unshuffle(const std::byte* from, std::size_t count, unsigned width, std::byte* to) noexcept {
  unshuffle_portable(from, 0, count, width, to);
}
#endif

}  // namespace hdb::format
