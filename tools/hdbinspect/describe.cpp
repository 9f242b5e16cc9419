// Words for what a file says.
#include "describe.hpp"

#include <ctime>

#include <fmt/chrono.h>

#include "hdb/inspect/constants.hpp"
#include "text.hpp"

namespace hdb::inspect {

std::string date_text(std::int64_t unix_ms) {
  const std::int64_t seconds = unix_ms / 1000 - (unix_ms % 1000 < 0 ? 1 : 0);
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string duration_text(std::uint64_t ms) {
  const std::uint64_t seconds = ms / 1000;
  if (seconds < 60) return fmt::format("{}.{:03} s", seconds, ms % 1000);
  if (seconds < 3600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {} min {} s", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

TableBytes bytes_of_table(const Reader& reader, std::size_t table) {
  TableBytes bytes;
  for (const BlockInfo& block : reader.blocks()) {
    if (!belongs_to_table(block.type) || block.table != table) continue;
    bytes.raw += block.raw_bytes;
    bytes.stored += block.stored_bytes;
    bytes.blocks += 1;
  }
  return bytes;
}

}  // namespace hdb::inspect
