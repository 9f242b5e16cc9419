// --max-memory: lowers what readers accept, and bounds what the program takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hdb/file_info.hpp"

namespace hdb::inspect {

/// Less than this, and not even the program itself would run.
inline constexpr std::uint64_t kLeastMemoryBytes = std::uint64_t{16} << 20;

/// Reads "512M", "2G", "65536", "64 KiB"; nothing if the text is not a size.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text);

/// Holds for the whole run: read_limits() and worker_threads() follow, and allocations beyond it
/// fail.
/// Requires: bytes >= kLeastMemoryBytes.
void limit_memory(std::uint64_t bytes);

/// The limit that was set; 0: none.
[[nodiscard]] std::uint64_t memory_limit() noexcept;

/// The limit as it is typed: "512M".
[[nodiscard]] std::string memory_limit_text();

/// What readers accept, each limit as low as that of `limits` or lower.
[[nodiscard]] ReadLimits read_limits(ReadLimits limits = {}) noexcept;

/// Threads that the machine has, and the memory limit leaves room for.
[[nodiscard]] unsigned worker_threads() noexcept;

}  // namespace hdb::inspect
