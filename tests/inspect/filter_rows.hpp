// Records for tests of filters: plain C++ values, and the same as columns of a row group.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "hdb/bytes.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb::test {

struct FilterItem {
  std::string n;
  std::int32_t k = 0;
};

/// A record with a field for each kind of value that filters look at.
struct FilterRecord {
  bool b = false;
  std::int8_t i = 0;
  std::int64_t l = 0;
  std::uint64_t u = 0;
  float f = 0;
  double d = 0;
  std::uint8_t e = 0;  ///< An enumeration.
  char letter = 0;
  std::uint64_t h = 0;  ///< A handle of the table "things".
  std::string s;
  double x = 0;  ///< pos.x
  std::optional<std::int32_t> opt;
  std::vector<std::int16_t> list;
  std::vector<FilterItem> items;
  std::vector<std::pair<std::string, float>> map;
  std::variant<std::int32_t, std::string> var;
};

[[nodiscard]] Field filter_schema();
/// The table that handles name.
[[nodiscard]] std::vector<TableDescriptor> filter_tables();
/// Values near each other and near the limits of their types, so that comparisons go either way.
[[nodiscard]] FilterRecord random_filter_record(std::mt19937& random);
[[nodiscard]] std::vector<Bytes> filter_columns(const std::vector<FilterRecord>& records);

}  // namespace hdb::test
