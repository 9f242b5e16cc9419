// Compares two snapshots, passing over pages that they share.
#include "hdb/changes.hpp"

#include <algorithm>
#include <utility>

#include "base/using_detail.hpp"
#include "database/capture/changed_slots.hpp"
#include "database/tables/name_and_blob_columns.hpp"
#include "database/tables/snapshot_data.hpp"

namespace hdb {
namespace {

// One table on both sides; either may be missing.
class TableComparison {
 public:
  TableComparison(const SnapshotTable* earlier, const SnapshotTable* later)
      : earlier_(earlier), later_(later) {}

  TableChanges run() {
    changes_.table = (earlier_ != nullptr ? earlier_ : later_)->descriptor->name;
    if (earlier_ != nullptr && later_ != nullptr && have_same_shape(*earlier_, *later_)) {
      changed_slots(*earlier_, *later_).for_each([&](std::uint32_t slot) { compare_slot(slot); });
    } else {
      if (earlier_ != nullptr) list_live(*earlier_, changes_.erased);
      if (later_ != nullptr) list_live(*later_, changes_.created);
    }
    return std::move(changes_);
  }

 private:
  static std::uint32_t tag_at(const SnapshotTable& table, std::uint64_t slot) noexcept {
    return slot < table.frozen.counters().slot_count ? table.frozen.slots.tag(slot)
                                                     : slot_tag::kVacant;
  }
  static std::uint64_t handle(const SnapshotTable& table, std::uint64_t slot, std::uint32_t tag) {
    return pack_handle(table.descriptor->policy.layout, static_cast<std::uint32_t>(slot), tag,
                       table.type_id);
  }

  static void list_live(const SnapshotTable& table, std::vector<std::uint64_t>& list) {
    for (std::uint64_t slot = 0; slot < table.frozen.counters().slot_count; ++slot) {
      const std::uint32_t tag = table.frozen.slots.tag(slot);
      if (slot_tag::is_live(tag)) list.push_back(handle(table, slot, tag));
    }
  }

  void compare_slot(std::uint32_t slot) {
    const std::uint32_t before = tag_at(*earlier_, slot);
    const std::uint32_t after = tag_at(*later_, slot);
    const bool was = slot_tag::is_live(before);
    const bool is = slot_tag::is_live(after);
    if (was && is && before == after) {
      if (!is_equal(slot)) changes_.changed.push_back(handle(*later_, slot, after));
      return;
    }
    if (was) changes_.erased.push_back(handle(*earlier_, slot, before));
    if (is) changes_.created.push_back(handle(*later_, slot, after));
  }

  // Live on both sides with one generation: whether the rows are equal.
  bool is_equal(std::uint32_t slot) {
    if (have_same_bytes(*earlier_, *later_, slot)) return true;
    const auto a = hash_of(*earlier_, slot);
    const auto b = hash_of(*later_, slot);
    return a && b && *a == *b;
  }
  Result<Hash128> hash_of(const SnapshotTable& table, std::uint32_t slot) {
    row_.begin(table, 1);
    row_.leave_out_positions();
    row_.add(slot);
    return hash_rows(table, row_);
  }

  const SnapshotTable* earlier_;
  const SnapshotTable* later_;
  TableChanges changes_;
  GatheredRecords row_;
};

}  // namespace

const TableChanges& Changes::of(std::string_view table) const noexcept {
  static const TableChanges nothing;
  const auto found = std::lower_bound(
      tables.begin(), tables.end(), table,
      [](const TableChanges& each, std::string_view wanted) { return each.table < wanted; });
  return found == tables.end() || found->table != table ? nothing : *found;
}

Changes changes_between(std::span<const SnapshotTable* const> earlier,
                        std::span<const SnapshotTable* const> later) {
  Changes changes;
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < earlier.size() || k < later.size()) {
    const SnapshotTable* before = i < earlier.size() ? earlier[i] : nullptr;
    const SnapshotTable* after = k < later.size() ? later[k] : nullptr;
    if (before != nullptr && after != nullptr) {
      const int order = before->descriptor->name.compare(after->descriptor->name);
      if (order < 0) after = nullptr;
      if (order > 0) before = nullptr;
    }
    if (before != nullptr) ++i;
    if (after != nullptr) ++k;
    TableChanges table = TableComparison(before, after).run();
    if (!table.empty()) changes.tables.push_back(std::move(table));
  }
  return changes;
}

std::vector<const SnapshotTable*> tables_of(const Snapshot& snapshot) {
  std::vector<const SnapshotTable*> tables;
  if (!snapshot) return tables;
  tables.reserve(data_of(snapshot)->tables().size());
  for (const SnapshotTable& table : data_of(snapshot)->tables()) tables.push_back(&table);
  return tables;
}

Changes changes_between(const Snapshot& earlier, const Snapshot& later) {
  return changes_between(tables_of(earlier), tables_of(later));
}

}  // namespace hdb
