// Passes over one column, eight bytes at a time where the common case allows.
#include "format/columns/column_scan.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "hdb/bytes.hpp"

namespace hdb::format {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;

// Sum of the eight bytes of a word, each below 128.
std::uint64_t sum_of_bytes(std::uint64_t word) noexcept {
  constexpr std::uint64_t kEven = 0x00ff00ff00ff00ffULL;
  const std::uint64_t pairs = (word & kEven) + ((word >> 8) & kEven);
  return (pairs * 0x0001000100010001ULL) >> 48;
}

bool is_ascii(std::span<const std::byte> bytes) noexcept {
  std::uint64_t seen = 0;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) seen |= load_le<std::uint64_t>(bytes.data() + at);
  for (; at < bytes.size(); ++at) seen |= std::to_integer<std::uint64_t>(bytes[at]);
  return (seen & kHighBits) == 0;
}

}  // namespace

std::optional<std::uint64_t> sum_varints(std::span<const std::byte> bytes,
                                         std::uint64_t count) noexcept {
  const std::byte* at = bytes.data();
  const std::byte* const end = at + bytes.size();
  std::uint64_t sum = 0;
  std::uint64_t left = count;
  while (left != 0) {
    while (left >= 8 && end - at >= 8) {
      const auto word = load_le<std::uint64_t>(at);
      if ((word & kHighBits) != 0) break;
      sum +=
          sum_of_bytes(word);  // cannot overflow: at most 1016, and large values are checked below
      at += 8;
      left -= 8;
      if (sum > (std::uint64_t{1} << 62)) return std::nullopt;
    }
    if (left == 0) break;
    std::uint64_t value = 0;
    at = load_varint(at, end, value);
    if (at == nullptr || value > (std::uint64_t{1} << 62) - std::min(sum, std::uint64_t{1} << 62)) {
      return std::nullopt;
    }
    sum += value;
    --left;
  }
  if (at != end) return std::nullopt;
  return sum;
}

std::optional<std::uint64_t> count_present(std::span<const std::byte> bytes,
                                           std::uint64_t count) noexcept {
  if (count % 8 != 0 && std::to_integer<unsigned>(bytes.back()) >> (count % 8) != 0)
    return std::nullopt;
  std::uint64_t present = 0;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    present += static_cast<unsigned>(std::popcount(load_le<std::uint64_t>(bytes.data() + at)));
  }
  for (; at < bytes.size(); ++at) {
    present += static_cast<unsigned>(std::popcount(std::to_integer<unsigned>(bytes[at])));
  }
  return present;
}

bool count_tags(std::span<const std::byte> bytes, std::span<std::uint64_t> counts) noexcept {
  std::array<std::uint64_t, 256> all{};
  for (const std::byte tag : bytes) ++all[std::to_integer<std::size_t>(tag)];
  std::copy_n(all.begin(), counts.size(), counts.begin());
  return std::all_of(all.begin() + static_cast<std::ptrdiff_t>(counts.size()), all.end(),
                     [](std::uint64_t n) { return n == 0; });
}

bool are_bools(std::span<const std::byte> bytes) noexcept {
  std::byte seen{0};
  for (const std::byte value : bytes) seen |= value;
  return seen <= std::byte{1};
}

bool are_utf8(std::span<const std::byte> bytes, std::span<const std::byte> lengths) noexcept {
  if (is_ascii(bytes)) return true;  // then it may be cut anywhere
  const char* text = reinterpret_cast<const char*>(bytes.data());
  const std::byte* at = lengths.data();
  const std::byte* const end = at + lengths.size();
  while (at != end) {
    std::uint64_t size = 0;
    at = load_varint(at, end, size);
    if (!is_utf8({text, static_cast<std::size_t>(size)})) return false;
    text += size;
  }
  return true;
}

}  // namespace hdb::format
