// Insert and erase in any case: first all that may fail, then the writing.
#include "hdb/detail/core/tables/table_steps.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/names/name_index.hpp"
#include "core/tables/erased_slots.hpp"
#include "core/tables/owner_busy.hpp"

namespace hdb::detail {

TableCore::Occupied::Occupied(TableCore& core, Busy with) noexcept
    : core_(core), before_(std::exchange(core.busy_, with)) {
  core.path_ = Path::none;
  core.log_state_.add_busy(1);
}

TableCore::Occupied::~Occupied() {
  core_.log_state_.add_busy(-1);
  core_.busy_ = before_;
  core_.update_path();
}

void* TableCore::begin_insert(Insertion& insertion) {
  insertion.next = slots_.next();
  if (!insertion.next) return nullptr;
  slots_.prepare_acquire(insertion.next);
  return begin_record(insertion);
}

// Memory for the record of a slot that is about to be live.
void* TableCore::begin_record(Insertion& insertion) {
  insertion.place = insertion.next.slot;
  if (dense_) {
    insertion.place = static_cast<std::uint32_t>(counters().live_count);
    slot_of_.grow_to(std::size_t{insertion.place} + 1);
    slot_of_.make_private(insertion.place);
  }
  records_.grow_to(std::size_t{insertion.place} + 1);
  return records_.edit(insertion.place);
}

void TableCore::end_record(const Insertion& insertion) noexcept {
  if (dense_) slot_of_.owned_as<std::uint32_t>(insertion.place) = insertion.next.slot;
  records_.mark_constructed(insertion.place);
}

Slots::Next TableCore::end_insert(const Insertion& insertion) noexcept {
  end_record(insertion);
  slots_.acquire(insertion.next, insertion.place);
  return insertion.next;
}

bool TableCore::is_private_to_insert(std::uint32_t slot, std::uint32_t place) const noexcept {
  return slots_.is_private(slot) && records_.is_private(place) &&
         (!dense_ || slot_of_.is_private(place));
}

bool TableCore::is_private_to_erase(std::uint32_t slot, std::uint32_t place) const noexcept {
  if (!slots_.is_private_for_release(slot)) return false;
  if (!dense_) return true;
  const auto last = static_cast<std::size_t>(counters().live_count - 1);
  return records_.is_private(place) && slot_of_.is_private(place) &&
         slots_.is_private(slot_of_.as<std::uint32_t>(last));
}

void TableCore::erase_record(std::uint32_t slot) {
  slots_.prepare_release(slot);
  if (dense_) {
    prepare_erase_dense(slot);
    erase_dense(slot);
  } else if (!ops().trivial) {
    ops().destroy(records_.edit(slot));
    records_.mark_destroyed(slot);
  }
  slots_.release(slot);
}

void TableCore::prepare_erase_dense(std::uint32_t slot) {
  const std::uint32_t place = slots_.position(slot);
  const auto last = static_cast<std::uint32_t>(counters().live_count - 1);
  if (!ops().trivial) records_.make_private(last);
  if (place == last) return;
  records_.make_private(place);
  slot_of_.make_private(place);
  slots_.prepare_move(slot_of_.as<std::uint32_t>(last));
}

void TableCore::erase_dense(std::uint32_t slot) noexcept {
  const std::uint32_t place = slots_.position(slot);
  const auto last = static_cast<std::uint32_t>(counters().live_count - 1);
  const std::uint32_t moved = slot_of_.as<std::uint32_t>(last);
  std::byte* const to = records_.owned_at(place);
  if (!ops().trivial) ops().destroy(to);
  if (place != last) {
    ops().move(to, records_.owned_at(last));
    slot_of_.owned_as<std::uint32_t>(place) = moved;
    slots_.set_position(moved, place);
  }
  records_.mark_destroyed(last);
  sort_.note_change(place);
}

void* TableCore::prepare_insert(std::string_view name) {
  begin_change();
  const Occupied copies(*this, Busy::record);
  pending_free_place_ = kNoFreePlace;
  slots_.pass_gaps();
  void* const record = begin_insert(pending_);
  if (record != nullptr && names_) names_->prepare_insert(pending_.next.slot, name);
  return record;
}

void* TableCore::prepare_insert_at(std::uint32_t slot, std::uint32_t generation,
                                   std::string_view name) {
  begin_change();
  const Occupied copies(*this, Busy::record);
  pending_ = {};
  pending_.next = {slot, generation};
  pending_free_place_ = slots_.prepare_take(slot);
  void* const record = begin_record(pending_);
  if (names_) names_->prepare_insert(slot, name);
  return record;
}

MadeRecord::~MadeRecord() {
  if (record_ != nullptr) ops_.destroy(record_);
}

void MadeRecord::move_to(void* memory) noexcept {
  ops_.relocate(memory, std::exchange(record_, nullptr));
}

Slots::Next TableCore::commit_insert() noexcept {
  const Slots::Next next = pending_.next;
  if (policy().is_component) {
    end_component(pending_, pending_free_place_);
    return next;
  }
  if (pending_free_place_ != kNoFreePlace) {
    end_record(pending_);
    slots_.take(next, pending_.place, pending_free_place_);
  } else {
    end_insert(pending_);
  }
  update_path();  // gaps come and go
  if (names_) names_->commit_insert(next.slot);
  return next;
}

void TableCore::prepare_inserts(std::span<const Slots::Next> handles) {
  begin_change();
  if (handles.empty()) return;
  const Occupied copies(*this, Busy::record);
  const auto live = static_cast<std::size_t>(counters().live_count);
  std::size_t slots = 0;
  for (const Slots::Next& next : handles) {
    slots_.prepare_acquire(next);
    slots = std::max(slots, std::size_t{next.slot} + 1);
  }
  if (dense_) {
    slot_of_.grow_to(live + handles.size());
    slot_of_.make_private(live, live + handles.size());
    records_.grow_to(live + handles.size());
    records_.make_private(live, live + handles.size());
  } else {
    records_.grow_to(slots);
    for (const Slots::Next& next : handles) records_.make_private(next.slot);
  }
  if (!names_) return;
  names_->prepare_inserts(slots, handles.size());
  for (const Slots::Next& next : handles) names_->prepare_slot(next.slot);
}

Slots::Next TableCore::insert_from(TableCore& other, std::uint32_t slot, bool with_name) noexcept {
  const Occupied moves(*this, Busy::record);
  Insertion insertion;
  void* const to = begin_insert(insertion);
  const std::uint32_t place = other.place_of(slot);
  ops().move(to, other.records_.owned_at(place));
  other.records_.mark_destroyed(place);
  const Slots::Next issued = end_insert(insertion);
  if (names_)
    names_->insert_prepared(issued.slot, with_name ? other.names_->take_filled(slot) : "");
  return issued;
}

void TableCore::watch_erases(std::uint64_t slots) {
  if (!erased_) erased_ = std::make_unique<ErasedSlots>();
  erased_->grow_to(slots);
  update_path();
}

void TableCore::erase_slot(std::uint32_t slot) {
  begin_change();
  const std::uint32_t generation = slots_.tag(slot);
  slots_.pass_gaps();
  if (!components_.empty()) prepare_erase_components(slot);
  remove(slot);
  if (!components_.empty()) erase_components(slot);
  if (is_watched()) tell_erased(slot, generation);
}

// Destroys the record, frees the slot and drops the name.
void TableCore::remove(std::uint32_t slot) {
  if (policy().is_component) {
    prepare_erase_component(slot);
    return erase_component(slot);
  }
  if (names_) names_->prepare_erase(slot);
  {
    const OwnerBusy components(*this);
    const Occupied destroys(*this, Busy::record);
    erase_record(slot);
  }
  if (names_) names_->commit_erase(slot);
}

}  // namespace hdb::detail
