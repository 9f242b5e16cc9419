// Compares two snapshots, passing over pages that they share.
#include "hdb/database/changes.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "row_extras.hpp"
#include "snapshot_data.hpp"

namespace hdb {
namespace {

// Whether page `page` holds the same bytes on both sides for certain.
bool is_shared(const FrozenPages& a, const FrozenPages& b, std::size_t page) noexcept {
  return page < a.page_count() && page < b.page_count() && &a.pool() == &b.pool() &&
         a.page_id(page) == b.page_id(page) && a.stamp(page) == b.stamp(page);
}

// One table on both sides; either may be missing.
class TableComparison {
 public:
  TableComparison(const SnapshotTable* earlier, const SnapshotTable* later)
      : earlier_(earlier), later_(later) {}

  TableChanges run() {
    changes_.table = (earlier_ != nullptr ? earlier_ : later_)->descriptor->name;
    if (earlier_ != nullptr && later_ != nullptr && are_comparable()) {
      compare_slots();
      compare_records();
    } else {
      if (earlier_ != nullptr) list_live(*earlier_, changes_.erased);
      if (later_ != nullptr) list_live(*later_, changes_.created);
    }
    return std::move(changes_);
  }

 private:
  static std::uint32_t tag_at(const SnapshotTable& table, std::uint64_t slot) noexcept {
    return slot < table.frozen().counters().slot_count ? table.frozen().slots.tag(slot)
                                                       : slot_tag::kVacant;
  }
  static std::uint64_t handle(const SnapshotTable& table, std::uint64_t slot, std::uint32_t tag) {
    return pack_handle(table.descriptor->policy.layout, static_cast<std::uint32_t>(slot), tag,
                       table.descriptor->type_id);
  }

  [[nodiscard]] bool are_comparable() const {
    const TablePolicy& before = earlier_->descriptor->policy;
    const TablePolicy& after = later_->descriptor->policy;
    return before.layout == after.layout && before.storage == after.storage &&
           before.names == after.names &&
           earlier_->descriptor->type_id == later_->descriptor->type_id &&
           (earlier_->blobs != nullptr) == (later_->blobs != nullptr) &&
           *earlier_->schema == *later_->schema;
  }
  static void list_live(const SnapshotTable& table, std::vector<std::uint64_t>& list) {
    for (std::uint64_t slot = 0; slot < table.frozen().counters().slot_count; ++slot) {
      const std::uint32_t tag = table.frozen().slots.tag(slot);
      if (slot_tag::is_live(tag)) list.push_back(handle(table, slot, tag));
    }
  }

  // Tells what was created and erased; a handle live on both sides, in pages that are not shared, may have changed.
  void compare_slots() {
    const FrozenSlots& a = earlier_->frozen().slots;
    const FrozenSlots& b = later_->frozen().slots;
    const std::uint64_t count = std::max(a.counters.slot_count, b.counters.slot_count);
    const std::uint64_t per_page = a.entries.per_page();
    const bool same_geometry = per_page == b.entries.per_page();
    for (std::uint64_t begin = 0; begin < count; begin += per_page) {
      const auto page = static_cast<std::size_t>(begin / per_page);
      // The slot counts bound what a page holds: behind them its bytes mean nothing.
      const std::uint64_t end = std::min(begin + per_page, count);
      if (same_geometry && end <= std::min(a.counters.slot_count, b.counters.slot_count) &&
          is_shared(a.entries, b.entries, page)) {
        continue;
      }
      for (std::uint64_t slot = begin; slot < end; ++slot) compare_slot(slot);
    }
  }
  void compare_slot(std::uint64_t slot) {
    const std::uint32_t before = tag_at(*earlier_, slot);
    const std::uint32_t after = tag_at(*later_, slot);
    const bool was = slot_tag::is_live(before);
    const bool is = slot_tag::is_live(after);
    if (was && is && before == after) {
      suspects_.push_back(static_cast<std::uint32_t>(slot));
      return;
    }
    if (was) changes_.erased.push_back(handle(*earlier_, slot, before));
    if (is) changes_.created.push_back(handle(*later_, slot, after));
  }

  void compare_records() {
    const FrozenTable& later = later_->frozen();
    const bool dense = later.policy().storage == Storage::dense;
    const std::uint64_t places = dense ? later.counters().live_count : later.counters().slot_count;
    // In pages of records, or of names, that are not shared.
    suspect_pages(earlier_->frozen().records, later.records, places, dense);
    if (later.policy().names != Names::none) {
      suspect_pages(earlier_->frozen().names.names, later.names.names, later.counters().slot_count,
                    false);
    }
    if (later_->blobs) {
      for (std::uint64_t slot = 0; slot < later.counters().slot_count; ++slot) suspect(slot);
    }
    std::sort(suspects_.begin(), suspects_.end());
    suspects_.erase(std::unique(suspects_.begin(), suspects_.end()), suspects_.end());
    for (const std::uint32_t slot : suspects_) {
      if (is_equal(slot)) continue;
      changes_.changed.push_back(handle(*later_, slot, later.slots.tag(slot)));
    }
  }
  void suspect_pages(const FrozenPages& before, const FrozenPages& after, std::uint64_t places,
                     bool dense) {
    const bool same_geometry = before.per_page() == after.per_page();
    for (std::uint64_t begin = 0; begin < places; begin += after.per_page()) {
      if (same_geometry &&
          is_shared(before, after, static_cast<std::size_t>(begin / after.per_page()))) {
        continue;
      }
      const std::uint64_t end = std::min<std::uint64_t>(begin + after.per_page(), places);
      for (std::uint64_t place = begin; place < end; ++place) {
        suspect(dense ? later_->frozen().slot_at(place) : place);
      }
    }
  }
  void suspect(std::uint64_t slot) {
    const std::uint32_t tag = tag_at(*later_, slot);
    if (!slot_tag::is_live(tag) || tag_at(*earlier_, slot) != tag) return;
    suspects_.push_back(static_cast<std::uint32_t>(slot));
  }

  // Live on both sides with one generation: whether the rows are equal.
  bool is_equal(std::uint32_t slot) {
    const std::byte* const before = earlier_->frozen().record(slot);
    const std::byte* const after = later_->frozen().record(slot);
    const bool plain = later_->descriptor->policy.names == Names::none && !later_->blobs;
    if (plain && before == after) return true;
    // Equal bytes are equal records where there is nothing behind them; other bytes may be padding.
    const RecordOps& ops = later_->entry->core->ops();
    if (plain && ops.trivial && earlier_->entry == later_->entry &&
        std::memcmp(before, after, ops.size_bytes) == 0) {
      return true;
    }
    const auto a = hash_of(*earlier_, slot);
    const auto b = hash_of(*later_, slot);
    return a && b && *a == *b;
  }
  Result<Hash128> hash_of(const SnapshotTable& table, std::uint32_t slot) {
    row_.clear();
    row_.add(table.frozen(), slot);
    return hash_rows(table, row_);
  }

  const SnapshotTable* earlier_;
  const SnapshotTable* later_;
  TableChanges changes_;
  std::vector<std::uint32_t> suspects_;
  GatheredRecords row_;
};

}  // namespace

const TableChanges& Changes::of(std::string_view table) const noexcept {
  static const TableChanges nothing;
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const TableChanges& each) { return each.table == table; });
  return found == tables.end() ? nothing : *found;
}

Changes changes_between(const Snapshot& earlier, const Snapshot& later) {
  static const SnapshotData nothing;
  const SnapshotData& a = earlier ? *earlier.data() : nothing;
  const SnapshotData& b = later ? *later.data() : nothing;
  Changes changes;
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < a.tables.size() || k < b.tables.size()) {
    // Both lists rise by name.
    const SnapshotTable* before = i < a.tables.size() ? &a.tables[i] : nullptr;
    const SnapshotTable* after = k < b.tables.size() ? &b.tables[k] : nullptr;
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

}  // namespace hdb
