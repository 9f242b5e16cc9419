// Passes over one column: sums of varints, set bits, tags, bools, UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace hdb::format {

/// The sum of exactly `count` shortest varints that fill `bytes`; nothing when they do not, or
/// overflow.
[[nodiscard]] std::optional<std::uint64_t> sum_varints(std::span<const std::byte> bytes,
                                                       std::uint64_t count) noexcept;
/// The number of set bits among `count`; nothing when a bit after them is set.
/// Requires: `bytes` has (count + 7) / 8 bytes.
[[nodiscard]] std::optional<std::uint64_t> count_present(std::span<const std::byte> bytes,
                                                         std::uint64_t count) noexcept;
/// Counts each tag into `counts`; false when a tag is not below counts.size().
[[nodiscard]] bool count_tags(std::span<const std::byte> bytes,
                              std::span<std::uint64_t> counts) noexcept;
/// Whether every byte is 0 or 1.
[[nodiscard]] bool are_bools(std::span<const std::byte> bytes) noexcept;
/// Whether each of the strings is well-formed UTF-8. Requires: the lengths were summed to
/// bytes.size().
[[nodiscard]] bool are_utf8(std::span<const std::byte> bytes,
                            std::span<const std::byte> lengths) noexcept;

}  // namespace hdb::format
