// The byte shuffle for vectors of any width: included by one source for each set of instructions.
//
// A register has one or two lanes of 16 bytes. A block is 16 values for each lane; lane j works on
// the values 16 j ... 16 j + 15 of the block, and no instruction moves bytes from one lane to the
// other.
#pragma once

#include <cstddef>

#include "hdb/detail/base/compiler.hpp"

// Without it, vectors go through memory from one helper to the next.
#define HDB_VECTOR_INLINE static HDB_INLINE

namespace hdb::format {
namespace {

/// `V` has the register type and its operations.
template <class V>
struct ShuffleLoops {
  using Reg = typename V::Reg;

  // Two registers of 16-bit values -> their low bytes, their high bytes.
  HDB_VECTOR_INLINE void split2(Reg a, Reg b, std::byte* low, std::byte* high) noexcept {
    const Reg mask = V::low_bytes();
    V::store_plane(low, V::pack16(V::both(a, mask), V::both(b, mask)));
    V::store_plane(high, V::pack16(V::right16(a), V::right16(b)));
  }

  // The 16-bit halves of 32-bit values, sign-extended.
  HDB_VECTOR_INLINE Reg low_half(Reg v) noexcept { return V::right32(V::left32(v)); }
  HDB_VECTOR_INLINE Reg high_half(Reg v) noexcept { return V::right32(v); }

  // Four registers of 32-bit values -> four planes. Signed packing keeps the sign-extended halves
  // as they are.
  HDB_VECTOR_INLINE void split4(Reg a, Reg b, Reg c, Reg d, std::byte* to,
                                std::size_t stride) noexcept {
    const Reg low_ab = V::pack32(low_half(a), low_half(b));
    const Reg low_cd = V::pack32(low_half(c), low_half(d));
    const Reg high_ab = V::pack32(high_half(a), high_half(b));
    const Reg high_cd = V::pack32(high_half(c), high_half(d));
    split2(low_ab, low_cd, to, to + stride);
    split2(high_ab, high_cd, to + 2 * stride, to + 3 * stride);
  }

  // Registers 2 j and 2 j + 1 of a lane's 64-bit values: their low 32 bits, their high ones.
  HDB_VECTOR_INLINE Reg low_words(const std::byte* at) noexcept {
    return V::even32(V::template load<8>(at), V::template load<8>(at + 16));
  }
  HDB_VECTOR_INLINE Reg high_words(const std::byte* at) noexcept {
    return V::odd32(V::template load<8>(at), V::template load<8>(at + 16));
  }

  /// Both return how many values are done: all whole blocks, none for other widths.
  static std::size_t shuffle(const std::byte* from, std::size_t count, unsigned width,
                             std::byte* to, std::size_t stride) noexcept {
    std::size_t i = 0;
    if (width == 2) {
      for (; i + V::kBlock <= count; i += V::kBlock) {
        const std::byte* const at = from + 2 * i;
        split2(V::template load<2>(at), V::template load<2>(at + 16), to + i, to + stride + i);
      }
    } else if (width == 4) {
      for (; i + V::kBlock <= count; i += V::kBlock) {
        const std::byte* const at = from + 4 * i;
        split4(V::template load<4>(at), V::template load<4>(at + 16), V::template load<4>(at + 32),
               V::template load<4>(at + 48), to + i, stride);
      }
    } else if (width == 8) {
      for (; i + V::kBlock <= count; i += V::kBlock) {
        const std::byte* const at = from + 8 * i;
        split4(low_words(at), low_words(at + 32), low_words(at + 64), low_words(at + 96), to + i,
               stride);
        split4(high_words(at), high_words(at + 32), high_words(at + 64), high_words(at + 96),
               to + 4 * stride + i, stride);
      }
    }
    return i;
  }

  // Four planes -> four registers of 32-bit values.
  HDB_VECTOR_INLINE void join4(const std::byte* from, std::size_t stride, Reg (&out)[4]) noexcept {
    const Reg p0 = V::load_plane(from);
    const Reg p1 = V::load_plane(from + stride);
    const Reg p2 = V::load_plane(from + 2 * stride);
    const Reg p3 = V::load_plane(from + 3 * stride);
    const Reg low_a = V::low8(p0, p1);
    const Reg low_b = V::high8(p0, p1);
    const Reg high_a = V::low8(p2, p3);
    const Reg high_b = V::high8(p2, p3);
    out[0] = V::low16(low_a, high_a);
    out[1] = V::high16(low_a, high_a);
    out[2] = V::low16(low_b, high_b);
    out[3] = V::high16(low_b, high_b);
  }

  static std::size_t unshuffle(const std::byte* from, std::size_t stride, std::size_t count,
                               unsigned width, std::byte* to) noexcept {
    std::size_t i = 0;
    if (width == 2) {
      for (; i + V::kBlock <= count; i += V::kBlock) {
        const Reg a = V::load_plane(from + i);
        const Reg b = V::load_plane(from + stride + i);
        V::template store<2>(to + 2 * i, V::low8(a, b));
        V::template store<2>(to + 2 * i + 16, V::high8(a, b));
      }
    } else if (width == 4) {
      for (; i + V::kBlock <= count; i += V::kBlock) {
        Reg v[4];
        join4(from + i, stride, v);
        for (std::size_t j = 0; j < 4; ++j) V::template store<4>(to + 4 * i + 16 * j, v[j]);
      }
    } else if (width == 8) {
      for (; i + V::kBlock <= count; i += V::kBlock) {
        Reg low[4];
        Reg high[4];
        join4(from + i, stride, low);
        join4(from + 4 * stride + i, stride, high);
        for (std::size_t j = 0; j < 4; ++j) {
          V::template store<8>(to + 8 * i + 32 * j, V::low32(low[j], high[j]));
          V::template store<8>(to + 8 * i + 32 * j + 16, V::high32(low[j], high[j]));
        }
      }
    }
    return i;
  }
};

}  // namespace
}  // namespace hdb::format
