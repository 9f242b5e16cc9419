// What a load keeps of a file beside the records of the program: whole tables, and unknown blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/using_detail.hpp"
#include "database/kept/kept_handles.hpp"
#include "database/tables/issued_handles.hpp"
#include "hdb/executor.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "record/codec.hpp"

namespace hdb {

/// A table of a file that the program does not have. Does not change once it is read.
struct KeptTable {
  TableDescriptor descriptor;  ///< Its schema is `schema`.
  Field schema;                ///< With row_prefix.
  std::vector<RowGroup> groups;
  std::vector<std::uint32_t> free_list;  ///< In the order of use.
  TableHashes hashes;
  std::vector<KeptHandles> strong_handles;
  std::uint64_t id = 0;  ///< new_kept_id.

  /// The row group of a slot, and where in it the slot is. Requires: the table has the slot.
  [[nodiscard]] std::pair<const RowGroup*, std::size_t> place_of(
      std::uint64_t slot) const noexcept {
    const auto group = static_cast<std::size_t>(slot >> descriptor.group_shift);
    return {&groups[group], static_cast<std::size_t>(slot - descriptor.group_begin(group))};
  }

  /// What the table issued.
  [[nodiscard]] Issued issued() const;

  /// Reads and checks a whole table, so that every later save can write it.
  /// Errors: damage, memory_budget.
  [[nodiscard]] static Result<std::shared_ptr<KeptTable>> read(const Reader& reader,
                                                               std::size_t table, unsigned threads,
                                                               const Executor& executor,
                                                               MemoryBudget& budget);
};

namespace detail {

/// What a database and its snapshots share. Does not change.
struct KeptFile {
  std::vector<std::shared_ptr<const KeptTable>> tables;  ///< In ascending order of names.
  std::vector<AncillaryBlock> blocks;                    ///< Safe to copy.

  /// The table with a type id; null if there is none, and for 0.
  [[nodiscard]] const KeptTable* find_type_id(std::uint16_t type_id) const noexcept;
  [[nodiscard]] const KeptTable* find(std::string_view name) const noexcept;
  [[nodiscard]] bool has_components_of(std::string_view owner) const noexcept;
};

}  // namespace detail

/// Inserts a table into a list in ascending order of names. Returns its index.
std::size_t insert_by_name(std::vector<TableDescriptor>& tables, TableDescriptor table);

/// `kept` without the tables for which `is_replaced(descriptor)` holds; null if nothing is left.
template <class IsReplaced>
[[nodiscard]] std::shared_ptr<const KeptFile> without(std::shared_ptr<const KeptFile> kept,
                                                      const IsReplaced& is_replaced) {
  if (kept == nullptr) return kept;
  std::vector<std::shared_ptr<const KeptTable>> left;
  for (const auto& table : kept->tables) {
    if (!is_replaced(table->descriptor)) left.push_back(table);
  }
  if (left.size() == kept->tables.size()) return kept;
  if (left.empty() && kept->blocks.empty()) return nullptr;
  return std::make_shared<const KeptFile>(KeptFile{std::move(left), kept->blocks});
}

}  // namespace hdb
