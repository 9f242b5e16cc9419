// --max-memory: lowers what readers accept, and bounds what the program takes. --no-limits: raises
// what they accept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hdb/file_info.hpp"

namespace hdb::inspect {

/// Less than this, and not even the program itself would run.
inline constexpr std::uint64_t kLeastMemoryBytes = std::uint64_t{16} << 20;

/// The limit without the option.
inline constexpr std::uint64_t kDefaultMemoryBytes = std::uint64_t{1} << 30;

/// Reads "512M", "2G", "65536", "64 KiB"; nothing if the text is not a size.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text);
/// What is wrong with a size that must be at least `least`, for OptionRules::check.
[[nodiscard]] std::string fault_of_size(const std::string& text, std::uint64_t least);

/// Holds for the whole run: read_limits() and worker_threads() follow, and allocations beyond it
/// fail.
/// Requires: bytes >= kLeastMemoryBytes.
void limit_memory(std::uint64_t bytes);

/// Files may exceed the other default limits, as a game with higher ones writes them.
void raise_limits() noexcept;
[[nodiscard]] bool are_limits_raised() noexcept;

/// The limit that was set; 0: none yet.
[[nodiscard]] std::uint64_t memory_limit() noexcept;

/// The limit as it is typed: "512M".
[[nodiscard]] std::string memory_limit_text();

/// Whether the limit is below the default.
[[nodiscard]] bool is_memory_short() noexcept;

/// What readers accept, and writers write.
[[nodiscard]] ReadLimits read_limits() noexcept;

/// The most values of a record that are in memory at a time, for RowDecoder.
[[nodiscard]] std::uint64_t max_row_values() noexcept;

/// Threads that the machine has, and the memory limit leaves room for.
[[nodiscard]] unsigned worker_threads() noexcept;

}  // namespace hdb::inspect
