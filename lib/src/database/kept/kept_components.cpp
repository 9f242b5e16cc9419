// Makes component tables again from those of the file and the live records of their owners.
#include "database/kept/kept_components.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "database/kept/kept_rows.hpp"
#include "database/tables/snapshot_data.hpp"
#include "hdb/inspect/row_encoder.hpp"
#include "inspect/values/keep_rows.hpp"

namespace hdb {
namespace {

constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

/// The live records of an owner.
struct Owner {
  const FrozenSlots& slots;
  const ErasedSlots* erased;  // null: none

  /// Whether it has the record that it had there when the components were loaded.
  [[nodiscard]] bool has(std::uint64_t slot) const noexcept {
    return slot < slots.counters.slot_count && (erased == nullptr || !erased->has(slot));
  }
};

[[nodiscard]] bool is_live(std::uint8_t state) noexcept {
  return state == static_cast<std::uint8_t>(SlotState::live);
}

/// Makes the table whose components are those of `stored` with a live record.
class Settler {
 public:
  Settler(const KeptTable& stored, const Owner& owner) : stored_(stored), owner_(owner) {}

  /// Whether the stored table is that table.
  [[nodiscard]] bool is_settled() const noexcept {
    const SlotCounters& counters = owner_.slots.counters;
    if (stored_.descriptor.slot_count != counters.slot_count ||
        stored_.descriptor.highest_generation != counters.highest_generation)
      return false;
    return std::all_of(stored_.groups.begin(), stored_.groups.end(), [&](const RowGroup& group) {
      for (std::size_t i = 0; i < group.states.size(); ++i) {
        if (is_orphan(group, i)) return false;
      }
      return true;
    });
  }

  [[nodiscard]] std::shared_ptr<const KeptTable> settle() {
    auto table = std::make_shared<KeptTable>();
    table->schema = stored_.schema;
    table->strong_handles = stored_.strong_handles;
    table->id = new_kept_id();
    TableDescriptor& descriptor = table->descriptor = stored_.descriptor;
    descriptor.slot_count = owner_.slots.counters.slot_count;
    descriptor.highest_generation = owner_.slots.counters.highest_generation;
    choose_positions(*table);
    table->groups.resize(static_cast<std::size_t>(descriptor.group_count()));
    descriptor.live_count = 0;
    for (std::size_t number = 0; number < table->groups.size(); ++number) {
      RowGroup& group = table->groups[number];
      make_group(descriptor, number, group);
      descriptor.live_count += group.live_count();
      table->hashes.records += *group.record_hash;
    }
    FreeListHash hash(descriptor);
    hash.add(table->free_list);
    table->hashes.free_list = hash.sum();
    return table;
  }

 private:
  [[nodiscard]] bool is_orphan(const RowGroup& group, std::size_t i) const noexcept {
    return is_live(group.states[i]) && !owner_.has(group.first_slot + i);
  }

  // The new position of each stored one, and the holes.
  void choose_positions(KeptTable& table) {
    if (stored_.descriptor.policy.storage != Storage::dense) return;
    positions_.assign(static_cast<std::size_t>(stored_.descriptor.position_count()), kNoSlot);
    std::vector<std::uint32_t> orphans;
    for (const RowGroup& group : stored_.groups) {
      std::size_t row = 0;
      for (std::size_t i = 0; i < group.states.size(); ++i) {
        if (!is_live(group.states[i])) continue;
        const std::uint32_t position = group.positions[row++];
        if (is_orphan(group, i)) {
          orphans.push_back(position);
        } else {
          positions_[position] = position;
        }
      }
    }
    if (stored_.descriptor.policy.removal == Removal::in_place) {
      std::sort(orphans.begin(), orphans.end());
      table.free_list = stored_.free_list;
      table.free_list.insert(table.free_list.end(), orphans.begin(), orphans.end());
      table.descriptor.hole_count = table.free_list.size();
      return;
    }
    std::uint32_t next = 0;
    for (std::uint32_t& position : positions_) {
      if (position != kNoSlot) position = next++;
    }
  }

  void make_group(const TableDescriptor& descriptor, std::size_t number, RowGroup& out) const {
    out.first_slot = descriptor.group_begin(number);
    const auto count = static_cast<std::size_t>(descriptor.group_end(number) - out.first_slot);
    std::vector<bool> keep;
    if (number < stored_.groups.size()) {
      const RowGroup& from = stored_.groups[number];
      out.columns = from.columns;
      std::size_t row = 0;
      for (std::size_t i = 0; i < from.states.size(); ++i) {
        const bool was_live = is_live(from.states[i]);
        const bool stays = was_live && !is_orphan(from, i);
        if (was_live) keep.push_back(stays);
        if (stays && !positions_.empty()) out.positions.push_back(positions_[from.positions[row]]);
        row += was_live ? 1 : 0;
        if (i >= count) continue;
        out.states.push_back(from.states[i]);
        out.generations.push_back(from.generations[i]);
        if (!stays) vacate(out, i);
      }
    } else {
      out.columns.resize(columns_of(stored_.schema).size());
    }
    for (std::size_t i = out.states.size(); i < count; ++i) {
      out.states.emplace_back();
      out.generations.emplace_back();
      vacate(out, i);
    }
    const bool all_stay = std::find(keep.begin(), keep.end(), false) == keep.end();
    // The columns passed all checks when the load read them.
    if (!all_stay && !keep_rows(stored_.schema, keep, ~std::uint64_t{0}, out.columns))
      fatal("a kept row group cannot be read again", __FILE__, __LINE__);
    const auto hash = group_record_hash(stored_.schema, out);
    if (!hash) fatal(hash.error().message().c_str(), __FILE__, __LINE__);
    out.record_hash = *hash;
  }

  static void vacate(RowGroup& group, std::size_t i) noexcept {
    group.states[i] = static_cast<std::uint8_t>(SlotState::unissued);
    group.generations[i] = 0;
  }

  const KeptTable& stored_;
  const Owner owner_;
  std::vector<std::uint32_t> positions_;  // dense tables: of each stored position the new one
};

}  // namespace

std::shared_ptr<const KeptFile> kept_state(const SnapshotData& data) {
  if (data.kept == nullptr) return nullptr;
  const std::lock_guard lock(data.kept_mutex);
  if (data.kept_state != nullptr) return data.kept_state;
  std::shared_ptr<KeptFile> changed;
  for (std::size_t i = 0; i < data.kept->tables.size(); ++i) {
    const KeptTable& table = *data.kept->tables[i];
    if (!table.descriptor.policy.is_component) continue;
    const auto at = data.find(table.descriptor.owner);
    if (!at) continue;  // a kept table, which does not change
    const SnapshotTable& owner = data.tables()[*at];
    Settler settler(table, Owner{owner.frozen.slots, owner.erased.get()});
    if (settler.is_settled()) continue;
    if (changed == nullptr) changed = std::make_shared<KeptFile>(*data.kept);
    changed->tables[i] = settler.settle();
  }
  data.kept_state = changed != nullptr ? std::move(changed) : data.kept;
  return data.kept_state;
}

}  // namespace hdb
