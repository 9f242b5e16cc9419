// Component tables: records in the slots of an owner, which are erased with its records.
#include <algorithm>
#include <cstring>

#include "core/names/name_index.hpp"
#include "core/tables/owner_busy.hpp"
#include "hdb/assert.hpp"
#include "hdb/detail/core/tables/table_core.hpp"

namespace hdb::detail {
namespace {

TablePolicy policy_of(const TableCore& owner, const ComponentOptions& options) noexcept {
  TablePolicy policy;
  policy.layout = owner.policy().layout;
  policy.storage = options.storage;
  policy.is_component = true;
  policy.removal = options.removal;
  return policy;
}

TableOptions options_of(const TableCore& owner, const ComponentOptions& options) noexcept {
  TableOptions table;
  table.storage = options.storage;
  table.type_id = owner.options().type_id;
  table.scope = options.scope;
  table.max_records = options.max_records;
  return table;
}

}  // namespace

TableCore::TableCore(TableCore& owner, const std::shared_ptr<UndoLog>& log,
                     const ComponentOptions& options, const RecordOps& ops)
    : TableCore(log, policy_of(owner, options), options_of(owner, options), ops) {
  HDB_REQUIRE(!owner.policy().is_component, "a component table cannot own components");
  HDB_REQUIRE(options.removal == Removal::swap || options.storage == Storage::dense,
              "Removal::in_place needs dense storage; in stable storage no component ever moves");
  owner.components_.push_back(this);
  owner_ = &owner;
  owner.update_path();
}

void TableCore::leave_owner() noexcept {
  if (owner_ == nullptr) return;
  std::erase(owner_->components_, this);
  owner_->update_path();
  owner_ = nullptr;
}

void* TableCore::prepare_component(std::uint32_t slot) {
  HDB_ASSERT(owner_ != nullptr && slot_tag::is_live(owner_->slots_.tag(slot)),
             "T4: the owner has a record at the slot");
  return prepare_component(slot, owner_->slots_.tag(slot));
}

void* TableCore::prepare_component(std::uint32_t slot, std::uint32_t generation) {
  begin_change();
  if (slots_.is_full()) return nullptr;
  const Occupied copies(*this, Busy::record);
  pending_ = {};
  pending_.next = {slot, generation};
  pending_free_place_ = slots_.prepare_take(slot);
  return begin_component(pending_);
}

void* TableCore::begin_component(Insertion& insertion) {
  insertion.place = insertion.next.slot;
  if (dense_) {
    insertion.place = has_holes() ? slots_.hole(0) : static_cast<std::uint32_t>(end_place());
    slot_of_.grow_to(std::size_t{insertion.place} + 1);
    slot_of_.make_private(insertion.place);
  }
  records_.grow_to(std::size_t{insertion.place} + 1);
  return records_.edit(insertion.place);
}

void TableCore::end_component(const Insertion& insertion, std::size_t free_place) noexcept {
  if (dense_ && has_holes()) slots_.use_hole();
  end_record(insertion);
  slots_.take(insertion.next, insertion.place, free_place);
}

void TableCore::prepare_erase_component(std::uint32_t slot) {
  const Occupied copies(*this, Busy::record);
  slots_.prepare_vacate(slot);
  if (dense_ && policy().removal == Removal::swap) {
    prepare_erase_dense(slot);
    return;
  }
  const std::uint32_t place = place_of(slot);
  if (!ops().trivial) records_.make_private(place);
  if (!dense_) return;
  slot_of_.make_private(place);
  slots_.prepare_holes(0);
}

void TableCore::erase_component(std::uint32_t slot) noexcept {
  const Occupied destroys(*this, Busy::record);
  if (dense_ && policy().removal == Removal::swap) {
    erase_dense(slot);
  } else {
    const std::uint32_t place = place_of(slot);
    if (!ops().trivial) {
      ops().destroy(records_.owned_at(place));
      records_.mark_destroyed(place);
    }
    if (dense_) {
      slot_of_.owned_as<std::uint32_t>(place) = kHole;
      slots_.add_hole(place);
    }
  }
  slots_.vacate(slot);
}

void TableCore::prepare_erase_components(std::uint32_t slot) {
  for (TableCore* const component : components_) {
    component->begin_change();
    if (component->has_component(slot)) component->prepare_erase_component(slot);
  }
}

void TableCore::erase_components(std::uint32_t slot) noexcept {
  const Occupied erases(*this, Busy::component);
  for (std::size_t i = 0; i < components_.size(); ++i) {
    TableCore& component = *components_[i];
    if (!component.has_component(slot)) continue;
    const std::uint32_t generation = component.slots_.tag(slot);
    component.erase_component(slot);
    if (component.is_watched()) component.tell_erased(slot, generation);
  }
}

void TableCore::prepare_drop_components() {
  for (TableCore* const component : components_) {
    component->begin_change();
    component->prepare_drop_all();
    component->slots_.prepare_reset();
  }
}

void TableCore::drop_components() noexcept {
  const Occupied erases(*this, Busy::component);
  for (std::size_t i = 0; i < components_.size(); ++i) {
    TableCore& component = *components_[i];
    component.slots_.reset();
    component.drop_records();
    component.tell_cleared(false);
  }
}

// --- import

void TableCore::prepare_components(std::span<const std::uint32_t> slots, std::uint64_t end) {
  begin_change();
  if (slots.empty()) return;
  const Occupied copies(*this, Busy::record);
  slots_.prepare_unissued(end);
  if (!dense_) records_.grow_to(static_cast<std::size_t>(end));
  for (const std::uint32_t slot : slots) {
    slots_.prepare_vacate(slot);
    if (!dense_) records_.make_private(slot);
  }
  if (!dense_) return;
  const auto holes =
      static_cast<std::size_t>(std::min<std::uint64_t>(slots.size(), slots_.hole_count()));
  for (std::size_t i = 0; i < holes; ++i) {
    slot_of_.make_private(slots_.hole(i));
    records_.make_private(slots_.hole(i));
  }
  const auto begin = static_cast<std::size_t>(end_place());
  const std::size_t places = begin + slots.size() - holes;
  slot_of_.grow_to(places);
  slot_of_.make_private(begin, places);
  records_.grow_to(places);
  records_.make_private(begin, places);
}

void TableCore::take_component(TableCore& other, std::uint32_t from, std::uint32_t to,
                               std::uint32_t generation) noexcept {
  const Occupied moves(*this, Busy::record);
  Insertion insertion;
  insertion.next = {to, generation};
  const std::size_t free_place = slots_.prepare_take(to);
  void* const record = begin_component(insertion);
  const std::uint32_t place = other.place_of(from);
  ops().move(record, other.records_.owned_at(place));
  other.records_.mark_destroyed(place);
  end_component(insertion, free_place);
}

// --- holes and orphans

void TableCore::compact() {
  begin_change();
  if (!has_holes()) return;
  const Occupied moves(*this, Busy::record);
  const auto places = static_cast<std::size_t>(end_place());
  records_.make_private(0, places);
  slot_of_.make_private(0, places);
  slots_.prepare_vacate_all();
  std::uint32_t hole = 0;
  for (auto last = static_cast<std::uint32_t>(places); last > counters().live_count;) {
    if (slot_of_.as<std::uint32_t>(--last) == kHole) continue;
    while (slot_of_.as<std::uint32_t>(hole) != kHole) ++hole;
    const std::uint32_t slot = slot_of_.as<std::uint32_t>(last);
    ops().move(records_.owned_at(hole), records_.owned_at(last));
    records_.mark_destroyed(last);
    records_.mark_constructed(hole);
    slot_of_.owned_as<std::uint32_t>(hole) = slot;
    slots_.set_position(slot, hole);
  }
  slots_.drop_holes();
}

void TableCore::prepare_drop_orphans() {
  begin_change();
  const Occupied copies(*this, Busy::record);
  const auto places = static_cast<std::size_t>(end_place());
  slots_.prepare_vacate_all();
  if (policy().removal == Removal::in_place) slots_.prepare_holes(counters().live_count);
  if (places == 0) return;
  records_.make_private(0, std::min(places, records_.capacity()));
  if (dense_) slot_of_.make_private(0, places);
}

std::optional<std::uint32_t> TableCore::find_orphan(const Slots& owner) const noexcept {
  for (std::uint32_t slot = 0; slot < counters().slot_count; ++slot) {
    const std::uint32_t tag = slots_.tag(slot);
    if (slot_tag::is_live(tag) && !owner.matches(slot, tag)) return slot;
  }
  return std::nullopt;
}

void TableCore::drop_orphans(const Slots& owner) {
  for (std::uint32_t slot = 0; slot < counters().slot_count; ++slot) {
    const std::uint32_t tag = slots_.tag(slot);
    if (slot_tag::is_live(tag) && !owner.matches(slot, tag)) erase_slot(slot);
  }
  if (owner.counters().slot_count >= counters().slot_count) return;
  note_change();
  slots_.follow(owner.counters());
}

const char* TableCore::check_component() const {
  if (owner_ != nullptr && find_orphan(owner_->slots_))
    return "T4: a component whose owner has no such record";
  if (!dense_ || policy().removal == Removal::swap) {
    return has_holes() ? "T5: holes in a table that makes none" : nullptr;
  }
  std::vector<bool> seen(static_cast<std::size_t>(end_place()));
  for (std::uint64_t i = 0; i < slots_.hole_count(); ++i) {
    const std::uint32_t hole = slots_.hole(i);
    if (hole >= seen.size() || seen[hole] || slot_of_.as<std::uint32_t>(hole) != kHole)
      return "T5: the holes are not the positions without a record";
    seen[hole] = true;
  }
  return nullptr;
}

}  // namespace hdb::detail
