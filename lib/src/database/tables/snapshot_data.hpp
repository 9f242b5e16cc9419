// What a Snapshot shares: the frozen tables, their codecs, and the descriptions that a file would
// carry.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/sees_detail.hpp"
#include "hdb/changes.hpp"
#include "hdb/database.hpp"
#include "hdb/detail/core/blobs/blob_core.hpp"
#include "hdb/detail/core/tables/table_core.hpp"
#include "hdb/detail/record/codec.hpp"
#include "hdb/snapshot.hpp"

namespace hdb {

/// The schemas of all tables that are captured, with handle fields bound to tables; made anew when
/// a table is added.
struct Database::Schemas {
  /// Distinct schemas, in the order of the tables that use them first: those of saved tables before
  /// all others.
  std::vector<Field> fields;
  std::size_t saved_fields = 0;            ///< How many of them saved tables use.
  std::vector<std::size_t> column_counts;  ///< Of each.
  std::vector<TableDescriptor>
      descriptors;  ///< Of each table in rising order of names; counts unset.
};

struct SnapshotTable {
  FrozenTable frozen;
  std::shared_ptr<TableEntry> entry;  ///< The table that was captured; it may be dropped since.
  const TableDescriptor* descriptor = nullptr;
  const Field* schema = nullptr;  ///< With row_prefix.
  std::shared_ptr<const RecordCodec> codec;
};

struct SnapshotData {
  std::shared_ptr<PagePool> pool;
  std::shared_ptr<const Database::Schemas> schemas;
  std::vector<TableDescriptor> descriptors;
  std::vector<SnapshotTable> tables;  ///< As `descriptors`, in rising order of names.
  std::uint16_t highest_type_id = 0;
  DroppedTables dropped;

  /// The index of the table of this name. Complexity: logarithmic.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const noexcept {
    const auto found = std::lower_bound(
        descriptors.begin(), descriptors.end(), name,
        [](const TableDescriptor& each, std::string_view wanted) { return each.name < wanted; });
    if (found == descriptors.end() || found->name != name) return std::nullopt;
    return static_cast<std::size_t>(found - descriptors.begin());
  }

  mutable std::mutex hash_mutex;
  mutable std::optional<Hash128> state_hash;  // guarded by hash_mutex
};

/// Records at some slots of a frozen table, ready for a codec.
struct GatheredRecords {
  std::vector<const void*> records;
  std::vector<std::uint32_t> slots;
  std::vector<std::uint32_t> generations;

  void clear() { resize(0); }
  void resize(std::size_t count) {
    records.resize(count);
    slots.resize(count);
    generations.resize(count);
  }
  void set(std::size_t i, const void* record, std::uint32_t slot, std::uint32_t generation) {
    records[i] = record;
    slots[i] = slot;
    generations[i] = generation;
  }
  void add(const FrozenTable& table, std::uint32_t slot) {
    records.push_back(table.record(slot));
    slots.push_back(slot);
    generations.push_back(table.slots.tag(slot));
  }
  [[nodiscard]] RecordBatch batch() const { return {records, slots, generations}; }
};

/// As changes_between of two snapshots, for tables of any origin; both lists in rising order of
/// names.
[[nodiscard]] Changes changes_between(std::span<const SnapshotTable* const> earlier,
                                      std::span<const SnapshotTable* const> later);
/// The tables of a snapshot, as that function takes them.
[[nodiscard]] std::vector<const SnapshotTable*> tables_of(const Snapshot& snapshot);

/// Sum of the row hashes of all slots, from the sums kept with unchanged pages where there are any.
[[nodiscard]] Result<Hash128> table_record_hash(const SnapshotTable& table);
/// XXH3-128 over the free list in the order of use.
[[nodiscard]] Hash128 free_list_hash(const FrozenTable& table);
/// XXH3-128 over the dense order; zero for stable tables.
[[nodiscard]] Hash128 dense_order_hash(const FrozenTable& table);

}  // namespace hdb
