// Byte shuffle and its inverse: 32 values at a time with AVX2, then 16 with SSE2, then one.
//
//   values   a0 a1 a2 a3 | b0 b1 b2 b3 | ...
//   planes   a0 b0 ... | a1 b1 ... | a2 b2 ... | a3 b3 ...
#include <array>

#include "format/columns/filter.hpp"
#include "hdb/detail/base/compiler.hpp"
#if defined(HDB_AVX2_SHUFFLE)
#include "format/columns/shuffle_avx2.hpp"
#endif

#if HDB_HAS_SSE2
#include <emmintrin.h>

#include "format/columns/shuffle_kernel.hpp"
#endif

namespace hdb::format {
namespace {

std::size_t shuffle_none(const std::byte*, std::size_t, unsigned, std::byte*,
                         std::size_t) noexcept {
  return 0;
}
std::size_t unshuffle_none(const std::byte*, std::size_t, std::size_t, unsigned,
                           std::byte*) noexcept {
  return 0;
}

#if HDB_HAS_SSE2
struct Sse2 {
  using Reg = __m128i;
  static constexpr std::size_t kBlock = 16;

  HDB_VECTOR_INLINE Reg load_plane(const std::byte* from) noexcept {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
  HDB_VECTOR_INLINE void store_plane(std::byte* to, Reg v) noexcept {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), v);
  }
  template <int Width>
  HDB_VECTOR_INLINE Reg load(const std::byte* from) noexcept {
    return load_plane(from);
  }
  template <int Width>
  HDB_VECTOR_INLINE void store(std::byte* to, Reg v) noexcept {
    store_plane(to, v);
  }
  HDB_VECTOR_INLINE Reg low_bytes() noexcept { return _mm_set1_epi16(0x00ff); }
  HDB_VECTOR_INLINE Reg both(Reg a, Reg b) noexcept { return _mm_and_si128(a, b); }
  HDB_VECTOR_INLINE Reg pack16(Reg a, Reg b) noexcept { return _mm_packus_epi16(a, b); }
  HDB_VECTOR_INLINE Reg pack32(Reg a, Reg b) noexcept { return _mm_packs_epi32(a, b); }
  HDB_VECTOR_INLINE Reg right16(Reg v) noexcept { return _mm_srli_epi16(v, 8); }
  HDB_VECTOR_INLINE Reg right32(Reg v) noexcept { return _mm_srai_epi32(v, 16); }
  HDB_VECTOR_INLINE Reg left32(Reg v) noexcept { return _mm_slli_epi32(v, 16); }
  HDB_VECTOR_INLINE Reg even32(Reg a, Reg b) noexcept {
    return _mm_castps_si128(
        _mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), _MM_SHUFFLE(2, 0, 2, 0)));
  }
  HDB_VECTOR_INLINE Reg odd32(Reg a, Reg b) noexcept {
    return _mm_castps_si128(
        _mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), _MM_SHUFFLE(3, 1, 3, 1)));
  }
  HDB_VECTOR_INLINE Reg low8(Reg a, Reg b) noexcept { return _mm_unpacklo_epi8(a, b); }
  HDB_VECTOR_INLINE Reg high8(Reg a, Reg b) noexcept { return _mm_unpackhi_epi8(a, b); }
  HDB_VECTOR_INLINE Reg low16(Reg a, Reg b) noexcept { return _mm_unpacklo_epi16(a, b); }
  HDB_VECTOR_INLINE Reg high16(Reg a, Reg b) noexcept { return _mm_unpackhi_epi16(a, b); }
  HDB_VECTOR_INLINE Reg low32(Reg a, Reg b) noexcept { return _mm_unpacklo_epi32(a, b); }
  HDB_VECTOR_INLINE Reg high32(Reg a, Reg b) noexcept { return _mm_unpackhi_epi32(a, b); }
};
#endif

constexpr std::array kKernels {
#if defined(HDB_AVX2_SHUFFLE)
  ShuffleKernel{shuffle_avx2, unshuffle_avx2},
#endif
#if HDB_HAS_SSE2
      ShuffleKernel{ShuffleLoops<Sse2>::shuffle, ShuffleLoops<Sse2>::unshuffle},
#endif
      ShuffleKernel{shuffle_none, unshuffle_none},
};

std::size_t first_kernel() noexcept {
#if defined(HDB_AVX2_SHUFFLE)
  return HDB_CPU_HAS_AVX2() ? 0 : 1;
#else
  return 0;
#endif
}

}  // namespace

std::span<const ShuffleKernel> shuffle_kernels() noexcept {
  static const std::size_t first = first_kernel();
  return std::span(kKernels).subspan(first);
}

void shuffle_with(std::span<const ShuffleKernel> kernels, const std::byte* from, std::size_t count,
                  unsigned width, std::byte* to, std::size_t stride) noexcept {
  std::size_t done = 0;
  for (const ShuffleKernel& kernel : kernels)
    done += kernel.shuffle(from + done * width, count - done, width, to + done, stride);
  for (unsigned k = 0; k < width; ++k) {
    for (std::size_t i = done; i < count; ++i) to[k * stride + i] = from[i * width + k];
  }
}

void unshuffle_with(std::span<const ShuffleKernel> kernels, const std::byte* from,
                    std::size_t stride, std::size_t count, unsigned width, std::byte* to) noexcept {
  std::size_t done = 0;
  for (const ShuffleKernel& kernel : kernels)
    done += kernel.unshuffle(from + done, stride, count - done, width, to + done * width);
  for (std::size_t i = done; i < count; ++i) {
    for (unsigned k = 0; k < width; ++k) to[i * width + k] = from[k * stride + i];
  }
}

void shuffle(const std::byte* from, std::size_t count, unsigned width, std::byte* to,
             std::size_t stride) noexcept {
  shuffle_with(shuffle_kernels(), from, count, width, to, stride);
}

void unshuffle(const std::byte* from, std::size_t stride, std::size_t count, unsigned width,
               std::byte* to) noexcept {
  unshuffle_with(shuffle_kernels(), from, stride, count, width, to);
}

}  // namespace hdb::format
