// The byte shuffle with AVX2. Compiled for processors that have it: so this file includes nothing
// with inline functions that other files use too.
#include "format/columns/shuffle_avx2.hpp"

#include <immintrin.h>

#include "format/columns/shuffle_kernel.hpp"

namespace hdb::format {
namespace {

struct Avx2 {
  using Reg = __m256i;
  static constexpr std::size_t kBlock = 32;

  HDB_VECTOR_INLINE __m128i half(const std::byte* from) noexcept {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
  // 16 bytes of each lane's values of this width.
  template <int Width>
  HDB_VECTOR_INLINE Reg load(const std::byte* from) noexcept {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(half(from)), half(from + 16 * Width), 1);
  }
  template <int Width>
  HDB_VECTOR_INLINE void store(std::byte* to, Reg v) noexcept {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(v));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 16 * Width), _mm256_extracti128_si256(v, 1));
  }
  HDB_VECTOR_INLINE Reg load_plane(const std::byte* from) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  HDB_VECTOR_INLINE void store_plane(std::byte* to, Reg v) noexcept {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), v);
  }
  HDB_VECTOR_INLINE Reg low_bytes() noexcept { return _mm256_set1_epi16(0x00ff); }
  HDB_VECTOR_INLINE Reg both(Reg a, Reg b) noexcept { return _mm256_and_si256(a, b); }
  HDB_VECTOR_INLINE Reg pack16(Reg a, Reg b) noexcept { return _mm256_packus_epi16(a, b); }
  HDB_VECTOR_INLINE Reg pack32(Reg a, Reg b) noexcept { return _mm256_packs_epi32(a, b); }
  HDB_VECTOR_INLINE Reg right16(Reg v) noexcept { return _mm256_srli_epi16(v, 8); }
  HDB_VECTOR_INLINE Reg right32(Reg v) noexcept { return _mm256_srai_epi32(v, 16); }
  HDB_VECTOR_INLINE Reg left32(Reg v) noexcept { return _mm256_slli_epi32(v, 16); }
  HDB_VECTOR_INLINE Reg even32(Reg a, Reg b) noexcept {
    return _mm256_castps_si256(
        _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _MM_SHUFFLE(2, 0, 2, 0)));
  }
  HDB_VECTOR_INLINE Reg odd32(Reg a, Reg b) noexcept {
    return _mm256_castps_si256(
        _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _MM_SHUFFLE(3, 1, 3, 1)));
  }
  HDB_VECTOR_INLINE Reg low8(Reg a, Reg b) noexcept { return _mm256_unpacklo_epi8(a, b); }
  HDB_VECTOR_INLINE Reg high8(Reg a, Reg b) noexcept { return _mm256_unpackhi_epi8(a, b); }
  HDB_VECTOR_INLINE Reg low16(Reg a, Reg b) noexcept { return _mm256_unpacklo_epi16(a, b); }
  HDB_VECTOR_INLINE Reg high16(Reg a, Reg b) noexcept { return _mm256_unpackhi_epi16(a, b); }
  HDB_VECTOR_INLINE Reg low32(Reg a, Reg b) noexcept { return _mm256_unpacklo_epi32(a, b); }
  HDB_VECTOR_INLINE Reg high32(Reg a, Reg b) noexcept { return _mm256_unpackhi_epi32(a, b); }
};

}  // namespace

std::size_t shuffle_avx2(const std::byte* from, std::size_t count, unsigned width, std::byte* to,
                         std::size_t stride) noexcept {
  return ShuffleLoops<Avx2>::shuffle(from, count, width, to, stride);
}

std::size_t unshuffle_avx2(const std::byte* from, std::size_t stride, std::size_t count,
                           unsigned width, std::byte* to) noexcept {
  return ShuffleLoops<Avx2>::unshuffle(from, stride, count, width, to);
}

}  // namespace hdb::format
