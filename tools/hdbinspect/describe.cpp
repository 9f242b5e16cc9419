// Words for what a file says.
#include "describe.hpp"

#include <fmt/format.h>

#include "hdb/inspect/constants.hpp"
#include "text.hpp"

namespace hdb::inspect {

std::string date_text(std::int64_t unix_ms) {
  // Days since 1970 to a date of the Gregorian calendar, counted in years that begin in March.
  std::int64_t seconds = unix_ms / 1000 - (unix_ms % 1000 < 0 ? 1 : 0);
  std::int64_t days = seconds / 86400 - (seconds % 86400 < 0 ? 1 : 0);
  seconds -= days * 86400;
  days += 719468;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const std::int64_t day_of_era = days - era * 146097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t march_month = (5 * day_of_year + 2) / 153;
  const std::int64_t day = day_of_year - (153 * march_month + 2) / 5 + 1;
  const std::int64_t month = march_month < 10 ? march_month + 3 : march_month - 9;
  const std::int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", year, month, day, seconds / 3600,
                     seconds / 60 % 60, seconds % 60);
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
