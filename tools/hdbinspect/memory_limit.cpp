// The limit as read limits, as a number of threads, and as the kernel's own limit.
#include "memory_limit.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <thread>

#include <fmt/format.h>

#include "hdb/inspect/values.hpp"
#include "system/system.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

std::uint64_t limit_bytes = 0;
bool limits_raised = false;

constexpr std::uint64_t kBytesPerThread = std::uint64_t{64} << 20;

}  // namespace

std::optional<std::uint64_t> parse_size(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{}) return std::nullopt;
  std::string_view unit(at, static_cast<std::size_t>(end - at));
  if (unit.size() > 1 && unit.front() == ' ') unit.remove_prefix(1);
  unsigned shift = 0;
  if (!unit.empty() && unit != "B") {
    constexpr std::string_view kUnits = "KMGT";
    const char letter = unit.front() == 'k' ? 'K' : unit.front();
    const std::size_t power = kUnits.find(letter);
    unit.remove_prefix(1);
    if (power == std::string_view::npos || !(unit.empty() || unit == "iB" || unit == "B"))
      return std::nullopt;
    shift = 10 * (static_cast<unsigned>(power) + 1);
  }
  if (number > std::numeric_limits<std::uint64_t>::max() >> shift) return std::nullopt;
  return number << shift;
}

std::string fault_of_size(const std::string& text, std::uint64_t least) {
  const auto bytes = parse_size(text);
  if (!bytes) return fmt::format("'{}' is not a size; write for example 512M or 2G", text);
  if (*bytes >= least) return {};
  return fmt::format("'{}' is too little: give at least {}", text, size_text(least));
}

void limit_memory(std::uint64_t bytes) {
  limit_bytes = bytes;
  limit_process_memory(bytes);
}

void raise_limits() noexcept { limits_raised = true; }

bool are_limits_raised() noexcept { return limits_raised; }

std::uint64_t memory_limit() noexcept { return limit_bytes; }

std::string memory_limit_text() {
  constexpr std::string_view kUnits = "KMGT";
  std::uint64_t number = limit_bytes;
  std::string unit;
  for (std::size_t i = 0; i < kUnits.size() && number != 0 && number % 1024 == 0; ++i) {
    number /= 1024;
    unit = kUnits[i];
  }
  return std::to_string(number) + unit;
}

bool is_memory_short() noexcept { return limit_bytes != 0 && limit_bytes < kDefaultMemoryBytes; }

ReadLimits read_limits() noexcept {
  ReadLimits limits = limits_raised ? ReadLimits::highest() : ReadLimits{};
  if (limit_bytes == 0) return limits;
  limits.max_memory_bytes = std::min(limits.max_memory_bytes, limit_bytes);
  if (!is_memory_short()) return limits;
  // A directory takes several times its bytes once it is read.
  limits.max_directory_bytes = std::min(limits.max_directory_bytes, limit_bytes / 8);
  limits.max_thumbnail_bytes = std::min(limits.max_thumbnail_bytes, limit_bytes / 4);
  limits.max_metadata_bytes = std::min(limits.max_metadata_bytes, limit_bytes / 8);
  limits.max_column_bytes = std::min(limits.max_column_bytes, limit_bytes / 2);
  return limits;
}

std::uint64_t max_row_values() noexcept {
  constexpr std::uint64_t kBytesPerValue = kDefaultMemoryBytes / RowDecoder::kMaxValues;
  return std::max(RowDecoder::kMaxValues, limit_bytes / kBytesPerValue);
}

unsigned worker_threads() noexcept {
  const unsigned there = std::max(1U, std::thread::hardware_concurrency());
  if (limit_bytes == 0) return there;
  return static_cast<unsigned>(std::clamp<std::uint64_t>(limit_bytes / kBytesPerThread, 1, there));
}

}  // namespace hdb::inspect
