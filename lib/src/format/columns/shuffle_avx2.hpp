// The byte shuffle with AVX2: ShuffleLoops. Requires: the processor has AVX2.
#pragma once

#include <cstddef>

namespace hdb::format {

std::size_t shuffle_avx2(const std::byte* from, std::size_t count, unsigned width, std::byte* to,
                         std::size_t stride) noexcept;
std::size_t unshuffle_avx2(const std::byte* from, std::size_t stride, std::size_t count,
                           unsigned width, std::byte* to) noexcept;

}  // namespace hdb::format
