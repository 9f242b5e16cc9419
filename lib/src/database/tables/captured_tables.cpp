// Which tables changed since the last capture, and the states that captures share.
#include "database/tables/captured_tables.hpp"

#include <algorithm>
#include <utility>

#include "core/tables/erased_slots.hpp"
#include "database/tables/database_state.hpp"
#include "database/tables/snapshot_data.hpp"
#include "hdb/assert.hpp"
#include "hdb/detail/core/blobs/blob_core.hpp"

namespace hdb {

CapturedTables::CapturedTables(std::shared_ptr<const TableRoll> roll)
    : roll_(std::move(roll)), groups_((roll_->members.size() + kPerGroup - 1) / kPerGroup) {}

void CapturedTables::set(std::size_t member, std::shared_ptr<const State> state) {
  std::shared_ptr<Group>& group = groups_[member / kPerGroup];
  if (group.use_count() != 1)
    group = group == nullptr ? std::make_shared<Group>() : std::make_shared<Group>(*group);
  group->states[member % kPerGroup] = std::move(state);
}

void CapturedTables::mark_differences(const CapturedTables& other, Marks& marks) const {
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    if (groups_[group] == other.groups_[group]) continue;
    for (std::size_t i = 0; i < kPerGroup; ++i) {
      if (groups_[group]->states[i] == other.groups_[group]->states[i]) continue;
      marks.set(group * kPerGroup + i);
    }
  }
}

// All members count as changed.
std::shared_ptr<const TableRoll> Database::call_roll() {
  auto roll = std::make_shared<TableRoll>();
  roll->schemas = schemas();
  roll->members.reserve(roll->schemas->descriptors.size());
  for (const auto& entry : tables_) {
    if (!entry->is_captured()) {
      roll->has_outside_components |= entry->is_component() && entry->owner->is_captured();
      continue;
    }
    roll->members.push_back({entry, entry->type_id(), entry->core().options().type_id, entry->codec,
                             entry->schema->own});
  }
  roll->marks = std::make_shared<TableMarks>();
  roll->marks->changed.resize(roll->members.size());
  roll->marks->observed.resize(roll->members.size());
  for (std::size_t i = 0; i < roll->members.size(); ++i)
    roll->members[i].entry->core().set_marks(roll->marks, i);
  return roll;
}

// What was kept of them does not come back, whatever record gets the handle again.
static void note_erased(TableEntry& entry) {
  ErasedSlots* const erased = entry.core().erased();
  if (erased == nullptr || erased->is_empty()) return;
  auto all = entry.erased != nullptr ? std::make_shared<ErasedSlots>(*entry.erased)
                                     : std::make_shared<ErasedSlots>();
  all->add(*erased);
  entry.erased = std::move(all);
  erased->clear();
}

// Ends the program if a capture or restore would come amid a change of a captured table.
void Database::require_not_busy() const noexcept {
  if (!state_->log->is_busy() && !state_->log->is_restoring()) return;
  for (const auto& entry : tables_) {
    if (entry->is_captured()) entry->core().require_not_busy();
  }
  HDB_REQUIRE(!state_->log->is_restoring(),
              "capture and restore are not allowed inside the copy, move or destructor of a record "
              "that a restore brings back");
}

std::shared_ptr<const CapturedTables> Database::settle_tables() {
  require_not_busy();
  std::shared_ptr<CapturedTables> next;
  if (state_->captured == nullptr) next = std::make_shared<CapturedTables>(call_roll());
  const TableRoll& roll = next != nullptr ? next->roll() : state_->captured->roll();
  Marks& changed = roll.marks->changed;
  changed.for_each(
      [&](std::size_t i) { roll.members[i].entry->core().note_change_of_components(); });
  changed.for_each([&](std::size_t i) {
    TableEntry& entry = *roll.members[i].entry;
    note_erased(entry);
    entry.core().prepare_freeze();
    auto state = std::make_shared<CapturedTables::State>(
        CapturedTables::State{entry.content->freeze(nullptr), entry.kept, entry.erased});
    if (next == nullptr) next = std::make_shared<CapturedTables>(*state_->captured);
    next->set(i, std::move(state));
  });
  if (next != nullptr) state_->captured = std::move(next);
  changed.for_each([&](std::size_t i) { roll.members[i].entry->core().settle(); });
#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS
  // The others, too: that also notes the hashes of their pages.
  for (std::size_t i = 0; i < roll.members.size(); ++i) {
    if (changed.has(i)) continue;
    const TableEntry& entry = *roll.members[i].entry;
    const CapturedTables::State& state = (*state_->captured)[i];
    HDB_ASSERT(is_same_state(entry.content->freeze(nullptr), state.frozen) &&
                   entry.kept == state.kept && entry.erased == state.erased,
               "T6: the state of a table changed without note_change");
  }
#endif
  changed.clear();
  return state_->captured;
}

// --- what a snapshot shows of them

// Where assertions are on, the capture calls it, for the hashes of pages; they are nowhere else.
void SnapshotData::make_tables() const {
  const TableRoll& roll = states->roll();
  descriptors_ = roll.schemas->descriptors;
  tables_.resize(descriptors_.size());
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const TableRoll::Member& member = roll.members[i];
    SnapshotTable& table = tables_[i];
    table.frozen = seen_at((*states)[i].frozen, captured, true);
    table.codec = member.codec;
    table.entry = member.entry;
    table.descriptor = &descriptors_[i];
    table.schema = &roll.schemas->fields[descriptors_[i].schema];
    table.kept = (*states)[i].kept;
    table.erased = (*states)[i].erased;
    table.own_schema = member.own_schema;
    table.type_id = member.handle_type_id;
    TableDescriptor& descriptor = descriptors_[i];
    descriptor.type_id = member.type_id;
    static_cast<SlotCounters&>(descriptor) = table.frozen.counters();
    descriptor.hole_count = table.frozen.slots.hole_count;
    // A reset makes slots fewer; the next flush then begins at slot 0.
    const bool is_slot = table.frozen.flush_cursor < descriptor.slot_count;
    descriptor.extensions.clear();
    if (table.frozen.sort != SortProgress{}) {
      descriptor.extensions.push_back(
          {format::kExtensionSortWork, format::kExtensionHashed, table.frozen.sort.to_bytes()});
    }
    descriptor.flush_cursor = is_slot ? table.frozen.flush_cursor : 0;
  }
}

std::optional<std::size_t> SnapshotData::find(std::string_view name) const noexcept {
  if (states == nullptr) return std::nullopt;
  const auto& descriptors = states->roll().schemas->descriptors;
  const auto found = std::lower_bound(
      descriptors.begin(), descriptors.end(), name,
      [](const TableDescriptor& each, std::string_view wanted) { return each.name < wanted; });
  if (found == descriptors.end() || found->name != name) return std::nullopt;
  return static_cast<std::size_t>(found - descriptors.begin());
}

}  // namespace hdb
