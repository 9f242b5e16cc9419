// Words for what a file says: dates, durations, sizes of tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/inspect/reader.hpp"
#include "hdb/schema.hpp"

namespace hdb::inspect {

/// "2026-11-21 05:43:49 UTC".
[[nodiscard]] std::string date_text(std::int64_t unix_ms);
/// "1 h 23 min 45 s".
[[nodiscard]] std::string duration_text(std::uint64_t ms);

/// What a table's blocks hold.
struct TableBytes {
  std::uint64_t raw = 0;
  std::uint64_t stored = 0;
  std::uint64_t blocks = 0;
};
[[nodiscard]] TableBytes bytes_of_table(const Reader& reader, std::size_t table);

}  // namespace hdb::inspect
