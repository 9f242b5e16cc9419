// An untyped table: insert, erase, order, capture and restore.
#include "hdb/detail/core/tables/table_core.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "core/arrays/undo_log.hpp"
#include "core/names/name_index.hpp"
#include "core/slots/issued.hpp"
#include "core/tables/erased_slots.hpp"
#include "core/tables/frozen_table.hpp"
#include "core/tables/owner_busy.hpp"
#include "core/tables/place_mover.hpp"
#include "core/tables/table_marks.hpp"
#include "hdb/assert.hpp"
#include "hdb/detail/base/compiler.hpp"

namespace hdb::detail {
namespace {

TablePolicy policy_of(const HandleLayout& layout, const TableOptions& options) noexcept {
  TablePolicy policy;
  policy.layout = layout;
  policy.storage = options.storage;
  policy.free_list = options.free_list;
  policy.generations = options.generations;
  policy.overflow = options.overflow;
  policy.names = options.names;
  return policy;
}

// As many records as there will ever be, with the rest of the last page.
std::uint64_t most_places(const HandleLayout& layout, const TableOptions& options) noexcept {
  const std::uint64_t slots = layout.max_slots();
  const std::uint64_t places =
      options.storage == Storage::dense ? std::min(slots, options.max_records) : slots;
  constexpr std::uint64_t kMostPerPage = 4096;
  return places + kMostPerPage;
}

}  // namespace

TableCore::TableCore(const std::shared_ptr<UndoLog>& log, const HandleLayout& layout,
                     const TableOptions& options, const RecordOps& ops)
    : TableCore(log, policy_of(layout, options), options, ops) {}

TableCore::TableCore(const std::shared_ptr<UndoLog>& log, const TablePolicy& policy,
                     const TableOptions& options, const RecordOps& ops)
    : dense_(options.storage == Storage::dense),
      log_(log),
      log_state_(*log),
      slots_(log_, policy, options.max_records),
      records_(log_, ops, Addresses::stay, most_places(policy.layout, options)),
      slot_of_(log_, trivial_ops<std::uint32_t>()),
      names_(options.names == RecordNames::none ? nullptr
                                                : std::make_unique<NameIndex>(log_, options.names)),
      options_(options) {
  update_path();
}

TableCore::~TableCore() {
  require_not_busy();
  release_observers();
  busy_ = Busy::record;  // until the last record is destroyed
  path_ = Path::none;
}

void TableCore::refuse() const noexcept {
  const char* const where = busy_ == Busy::iteration    ? "a mutable iteration"
                            : busy_ == Busy::comparison ? "a comparison of its sort"
                            : busy_ == Busy::owner      ? "the destructor of a record of its owner"
                            : busy_ == Busy::component
                                ? "the destructor of a component of one of its records"
                            : busy_ == Busy::record || log_->is_restoring()
                                ? "the constructor, copy, move or destructor of one of its records"
                                : "for_each_span";
  const std::string message =
      label_ + ": insert, erase, clear, sort, capture and restore are not allowed inside " + where;
  fatal(message.c_str(), __FILE__, __LINE__);
}

// --- what captures share

void TableCore::set_marks(std::shared_ptr<TableMarks> marks, std::size_t number) noexcept {
  marks_ = std::move(marks);
  number_ = number;
  is_changed_ = true;
  marks_->changed.set(number_);
  observers_changed();
}

void TableCore::settle() noexcept {
  is_changed_ = false;
  update_path();
}

void TableCore::unsettle() noexcept {
  if (log_->is_restoring()) refuse();
  is_changed_ = true;
  marks_->changed.set(number_);
  update_path();
}

void TableCore::set_flush_cursor(std::uint32_t slot) noexcept {
  note_change();
  flush_cursor_ = slot;
}

void TableCore::set_sort_progress(SortProgress progress) noexcept {
  note_change();
  sort_ = progress;
}

void TableCore::note_change_of_components() noexcept {
  for (TableCore* const component : components_) component->note_change();
}

void TableCore::observers_changed() noexcept {
  if (marks_ != nullptr) marks_->observed.set(number_, !observers_.empty());
  update_path();
}

void TableCore::no_record(std::uint64_t slot, std::uint32_t generation) const {
  const std::string handle = generation == 0
                                 ? "the handle is null"
                                 : "no record has the handle " + std::to_string(slot) + "@" +
                                       std::to_string(generation) +
                                       ": the handle is stale or belongs to another table";
  out_of_range((label_ + ": " + handle).c_str());
}

std::optional<std::uint32_t> TableCore::slot_named(std::string_view name) const noexcept {
  HDB_REQUIRE(names_.get() != nullptr, "the table was created without names");
  return names_->find(name);
}

bool TableCore::is_same_name(std::string_view a, std::string_view b) const noexcept {
  HDB_REQUIRE(names_.get() != nullptr, "the table was created without names");
  return names_->same(a, b);
}

std::string_view TableCore::name_of(std::uint32_t slot) const noexcept {
  HDB_REQUIRE(names_.get() != nullptr, "the table was created without names");
  return names_->name(slot);
}

void TableCore::fill_name(std::uint32_t slot, std::string_view name) { names_->fill(slot, name); }

void TableCore::rise_above(const Issued& issued) {
  note_change();
  slots_.rise_above(issued);
}

void TableCore::note_issued() {
  if (issued_) issued_->note(slots_);
}

std::size_t TableCore::logged_bytes() const noexcept {
  return slots_.logged_bytes() + records_.logged_bytes() + slot_of_.logged_bytes() +
         (names_ ? names_->logged_bytes() : 0);
}

PlaceMover TableCore::mover() noexcept { return {records_, slot_of_, slots_}; }

void TableCore::own_records(std::uint64_t begin, std::uint64_t end) {
  const auto first = static_cast<std::size_t>(begin);
  if (records_.is_trivial() && end - begin == 1) return records_.make_private(first);
  const Occupied copies(*this, Busy::record);
  records_.make_private(first, static_cast<std::size_t>(end));
}

void TableCore::set_label(std::string_view label) {
  const std::string table(label);
  label_ = table;
  slots_.set_label(table);
  records_.set_label("the records of " + table, dense_ ? "dense places" : "slots");
  slot_of_.set_label("the dense order of " + table, "dense places");
}

void TableCore::add_observer(TableObserver& observer) {
  observers_.push_back(&observer);
  observers_changed();
}

void TableCore::remove_observer(TableObserver& observer) noexcept {
  std::erase(observers_, &observer);
  observers_changed();
}

void TableCore::release_observers() noexcept {
  tell_cleared(true);
  for (TableCore* const component : components_) component->owner_ = nullptr;
  components_.clear();
  leave_owner();
  update_path();
}

void TableCore::set_type_id(std::uint16_t type_id) noexcept {
  if (policy().is_component) return;  // it has that of its owner
  note_change();
  options_.type_id = type_id;
  for (TableCore* const component : components_) component->options_.type_id = type_id;
}

// Observers may come and go while they are told.
void TableCore::tell_erased(std::uint32_t slot, std::uint32_t generation) noexcept {
  if (erased_) erased_->add(slot);
  for (std::size_t i = 0; i < observers_.size(); ++i) observers_[i]->on_erased(slot, generation);
}

void TableCore::tell_cleared(bool table_is_gone) noexcept {
  if (erased_) erased_->add_all();
  if (!table_is_gone) {
    for (std::size_t i = 0; i < observers_.size(); ++i) observers_[i]->on_cleared(false);
    return;
  }
  while (!observers_.empty()) {
    TableObserver* const observer = observers_.back();
    observers_.pop_back();
    observer->on_cleared(true);
  }
  observers_changed();
}

void TableCore::tell_replaced() noexcept {
  for (std::size_t i = 0; i < observers_.size(); ++i) observers_[i]->on_replaced();
}

void TableCore::fetch_name(std::uint32_t slot) const noexcept {
  if (names_) names_->fetch_name(slot);
}

void TableCore::fetch(std::uint32_t slot) const noexcept {
  if (dense_) {
    const std::uint32_t place = slots_.position(slot);
    HDB_PREFETCH_TO_WRITE(records_.at(place));
    HDB_PREFETCH_TO_WRITE(slot_of_.at(place));
    // The record that moves there: some erases later it will be another one near this.
    if (const std::uint64_t live = counters().live_count; live > kPrefetchAhead) {
      const auto last = static_cast<std::uint32_t>(live - 1 - kPrefetchAhead);
      HDB_PREFETCH_TO_WRITE(slots_.entries().at(slot_of_.as<std::uint32_t>(last)));
    }
  }
  if (names_) names_->fetch(slot);
}

void TableCore::rename_slot(std::uint32_t slot, std::string_view name) {
  begin_change();
  names_->rename(slot, name);
}

void TableCore::prepare_drop_all() {
  if (names_) names_->prepare_clear();
  records_.prepare_drop();
  slot_of_.prepare_drop();
}

void TableCore::drop_records() noexcept {
  const OwnerBusy components(*this);
  const Occupied destroys(*this, Busy::record);
  records_.drop_all();
  slot_of_.drop_all();
}

void TableCore::clear() {
  if (policy().is_component) return reset();
  begin_change();
  prepare_drop_components();
  prepare_drop_all();
  slots_.prepare_release_all();
  slots_.release_all();
  if (names_) names_->clear();
  drop_records();
  drop_components();
  tell_cleared(false);
  sort_ = {};
}

void TableCore::reset() {
  begin_change();
  note_issued();
  prepare_drop_components();
  prepare_drop_all();
  slots_.prepare_reset();
  slots_.reset();
  if (names_) names_->clear();
  flush_cursor_ = 0;
  drop_records();
  drop_components();
  tell_cleared(false);
  sort_ = {};
}

void TableCore::reserve(std::size_t records) {
  begin_change();
  const Occupied copies(*this, Busy::record);
  slots_.reserve(records);
  const auto places =
      static_cast<std::size_t>(std::min<std::uint64_t>(records, policy().layout.max_slots()));
  records_.grow_to(places);
  if (dense_) slot_of_.grow_to(places);
  if (names_) names_->reserve(places);
}

// --- dense order

void TableCore::erase_slot_keeping_order(std::uint32_t slot) {
  begin_change();
  const std::uint32_t generation = slots_.tag(slot);
  const std::uint32_t hole = slots_.position(slot);
  const auto last = static_cast<std::uint32_t>(counters().live_count - 1);
  if (!components_.empty()) prepare_erase_components(slot);
  if (hole != last) {
    std::vector<std::uint32_t> places(last - hole + 1);
    std::iota(places.begin(), places.end(), hole + 1);
    places.back() = hole;
    // All that remove() may fail at comes before the first move.
    slots_.prepare_release(slot);
    if (names_) names_->prepare_erase(slot);
    const Occupied moves(*this, Busy::record);
    static_cast<void>(mover().permute(hole, places));
  }
  const SortProgress progress = sort_.without(hole);
  remove(slot);
  sort_ = progress;
  if (!components_.empty()) erase_components(slot);
  if (is_watched()) tell_erased(slot, generation);
}

void TableCore::take_sorted_order(std::uint32_t* places, std::size_t count) {
  begin_change();
  const Occupied moves(*this, Busy::record);
  static_cast<void>(mover().permute(0, {places, count}));
  if (!policy().is_component) sort_ = SortProgress::done(counters().live_count);
}

// --- capture, restore and load

FrozenTable TableContent::freeze() {
  core().prepare_freeze();
  return freeze(log()->open());
}

void TableContent::thaw(const FrozenTable& frozen) {
  prepare_thaw(frozen);
  const bool is_logged = &frozen.moment->log() == log().get();
  if (is_logged) log()->prepare_restore(*frozen.moment);
  if (is_logged) log()->commit_restore();
  commit_thaw(frozen);
}

bool TableCore::moves_records(std::uint64_t slot) const noexcept {
  const bool is_refused = slots_.is_full() || (!policy().is_component && !slots_.next());
  return !is_refused && records_.moves_to_hold(to_size(std::max(end_place(), slot)) + 1);
}

void TableCore::prepare_freeze() {
  require_not_busy();
  if (owner_ != nullptr) slots_.follow(owner_->counters());
  slots_.pass_gaps_at_capture();
  update_path();
}

FrozenTable TableCore::freeze(const std::shared_ptr<const Moment>& moment) {
  FrozenTable frozen;
  frozen.moment = moment;
  frozen.slots = slots_.freeze(frozen.moment);
  frozen.records = records_.freeze(frozen.moment);
  frozen.slot_of = slot_of_.freeze(frozen.moment);
  if (names_) frozen.names = names_->freeze(frozen.moment);
  frozen.flush_cursor = flush_cursor_;
  frozen.sort = sort_;
  return frozen;
}

void TableCore::prepare_thaw(const FrozenTable& frozen) {
  begin_change();
  const Occupied copies(*this, Busy::record);
  if (issued_) issued_->note_before(slots_, frozen.slots);
  records_.prepare_thaw(frozen.records);
  slot_of_.prepare_thaw(frozen.slot_of);
  slots_.prepare_thaw(frozen.slots);
  if (names_) names_->prepare_thaw(frozen.names);
}

void TableCore::commit_thaw(const FrozenTable& frozen) noexcept {
  const Occupied moves(*this, Busy::record);
  records_.commit_thaw();
  slot_of_.commit_thaw();
  slots_.commit_thaw(frozen.slots);
  if (names_) names_->commit_thaw(frozen.names);
  flush_cursor_ = frozen.flush_cursor;
  sort_ = frozen.sort;
}

void TableCore::prepare_adopt() {
  begin_change();
  note_issued();
}

void TableCore::adopt(TableContent& content) noexcept {
  TableCore& other = content.core();
  records_.adopt(other.records_);
  slot_of_.adopt(other.slot_of_);
  slots_.adopt(other.slots_);
  if (names_) names_->adopt(*other.names_);
  flush_cursor_ = std::exchange(other.flush_cursor_, 0);
  sort_ = std::exchange(other.sort_, {});
  update_path();
}

std::unique_ptr<TableContent> TableCore::make_empty() const {
  return std::unique_ptr<TableCore>(new TableCore(log_, policy(), options_, ops()));
}

const char* TableCore::check_names() const {
  if (!names_) return nullptr;
  std::size_t named = 0;
  for (std::uint32_t slot = 0; slot < counters().slot_count; ++slot) {
    if (!slot_tag::is_live(slots_.tag(slot))) continue;
    if (!names_->is_indexed(slot)) return "N2: a name is not in the index";
    named += names_->name(slot).empty() ? 0 : 1;
  }
  if (named != names_->named_count()) return "N2: the index holds something that is not a name";
  return names_->check() ? nullptr : "N3: the buckets of the index";
}

const char* TableCore::check_invariants() const {
  if (const char* const broken = slots_.check_invariants()) return broken;
  if (const char* const broken = check_names()) return broken;
  if (!records_.check() || !slot_of_.check()) return "A1: what an array knows of its memory";
  if (dense_ ? !sort_.is_sound(counters().live_count) : sort_ != SortProgress{})
    return "O1: more records are sorted than there are";
  if (policy().is_component) {
    if (const char* const broken = check_component()) return broken;
  }
  const std::size_t places = records_.capacity();
  if (dense_) {
    if (places < end_place()) return "T1: too few records";
    for (std::uint32_t place = 0; place < end_place(); ++place) {
      if (is_hole(place)) continue;
      const std::uint32_t slot = slot_of_.as<std::uint32_t>(place);
      if (slot >= counters().slot_count || !slot_tag::is_live(slots_.tag(slot)) ||
          slots_.position(slot) != place) {
        return "H5: dense order and positions disagree";
      }
    }
  }
  if (ops().trivial) return nullptr;
  for (std::size_t place = 0; place < places; ++place) {
    if (records_.is_constructed(place) != is_live_place(place))
      return dense_ ? "T1: a record's construction" : "T2: a record's construction";
  }
  return nullptr;
}

}  // namespace hdb::detail
