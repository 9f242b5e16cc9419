// The numbers of tables over a series of saves, and which of them only grow.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hdb/inspect/schema.hpp"

namespace hdb::inspect {

/// A number that each table has.
struct TableNumber {
  const char* name;
  std::uint64_t TableDescriptor::*value;
};
inline constexpr std::array<TableNumber, 4> kTableNumbers{{
    {"live", &TableDescriptor::live_count},
    {"free", &TableDescriptor::free_count},
    {"retired", &TableDescriptor::retired_count},
    {"slots", &TableDescriptor::slot_count},
}};

/// A number of a table, from save to save.
struct Growth {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::size_t rises = 0;  ///< Saves in which it is greater than in the save before.
  std::size_t since = 0;  ///< The save before the first rise.
  bool fell = false;
};

/// What grew in a series.
class GrowthSearch {
 public:
  using Key = std::pair<std::string, std::size_t>;  ///< A table, and an index of kTableNumbers.

  /// Looks at a table of a save; saves come in their order.
  void look(const TableDescriptor& table, std::size_t save);
  /// The numbers that never fell, and rose in at least `least` saves.
  [[nodiscard]] std::vector<std::pair<Key, Growth>> found(std::size_t least) const;

 private:
  std::map<Key, Growth> numbers_;
  std::map<std::string, std::size_t> saves_;  // in which each table was seen last
};

}  // namespace hdb::inspect
