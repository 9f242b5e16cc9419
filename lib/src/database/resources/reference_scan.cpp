// Scanning Strong fields, page by page.
#include "database/resources/reference_scan.hpp"

#include <algorithm>
#include <utility>

#include "database/resources/reference_cycles.hpp"
#include "hdb/any_handle.hpp"
#include "hdb/database.hpp"
#include "hdb/detail/base/compiler.hpp"
#include "hdb/detail/core/tables/table_iteration.hpp"
#include "hdb/translate_handle.hpp"
#include "record/runtime_records.hpp"

namespace hdb::detail {
namespace {

// How many handles ahead their slots are fetched: they are scattered.
constexpr std::size_t kAhead = 16;

}  // namespace

StrongTarget::StrongTarget(TableCore& core, HandleKey key) : core_(&core), keys_{key} {
  if (core.policy().layout == TypedLayout::value) {
    keys_.push_back(handle_key<AnyRecord, TypedLayout>());
  }
  if (core.policy().layout.type_bits != 0)
    keys_.push_back(record::runtime_handle_key({}, core.policy().layout));
}

std::optional<std::uint32_t> StrongTarget::slot_of(std::uint64_t bits) const noexcept {
  const auto parts = split_handle(core_->policy().layout, bits);
  if (!parts || parts->type_id != core_->options().type_id) return std::nullopt;
  if (!core_->slots().matches(parts->index, parts->generation)) return std::nullopt;
  return parts->index;
}

ReferenceScan::ReferenceScan(Database& database, TableCore& target, HandleKey key, Keeps keeps)
    : database_(database), target_(target, key), keeps_(keeps) {}

Status ReferenceScan::mark_all() {
  holders_.clear();
  holds_itself_ = false;
  const TableEntry* target = nullptr;
  for (const auto& entry : database_.tables_) {
    if (&entry->core() == &target_.core()) target = entry.get();
    if (!entry->codec->has_strong(target_.keys())) continue;
    holders_.push_back(entry);
    // Components of its records are destroyed with them.
    holds_itself_ = holds_itself_ || &entry->core() == &target_.core() ||
                    entry->core().owner() == &target_.core();
  }
  version_ = database_.state_->version;
  target_.unmark();
  for (const auto& holder : holders_) holder->core().watch_records();
  if (keeps_ == Keeps::reachable) {
    ReferenceCycles graph(database_);
    if (auto marked = graph.mark_reachable(); !marked) return marked;
    if (const auto* const marks = graph.marks_of(target_.core())) {
      target_.mark_these(*marks);
      return {};
    }
  }
  if (target != nullptr) {
    ReferenceCycles::for_each_kept(database_, *target, [this](std::uint64_t bits) {
      if (const auto slot = target_.slot_of(bits)) target_.mark(*slot);
    });
  }
  for (const auto& holder : holders_) {
    for (std::size_t page = 0; page < holder->core().records().page_count(); ++page) {
      if (auto marked = mark_page(*holder, page); !marked) return marked;
    }
  }
  return {};
}

Status ReferenceScan::mark_written() {
  if (version_ != database_.state_->version) return mark_all();
  target_.cover_slots();
  for (const auto& holder : holders_) {
    const FlatArray& records = holder->core().records();
    bool written = false;
    for (std::size_t page = 0; page < records.page_count(); ++page) {
      if (!records.is_written(page)) continue;
      written = true;
      if (auto marked = mark_page(*holder, page); !marked) return marked;
    }
    if (written) holder->core().watch_records();
  }
  return {};
}

void ReferenceScan::own_write_done() noexcept {
  if (holds_itself_) target_.core().watch_records();
}

Status ReferenceScan::mark_page(const TableEntry& entry, std::size_t page) {
  const TableCore& core = entry.core();
  const std::uint64_t per_page = core.records().per_page();
  const std::uint64_t end = std::min((page + std::uint64_t{1}) * per_page, core.end_place());
  records_.clear();
  bits_.clear();
  for (std::uint64_t place = next_live_place(core, page * per_page, end); place < end;
       place = next_live_place(core, place + 1, end)) {
    records_.push_back(core.record_at(static_cast<std::uint32_t>(place)));
  }
  if (auto gathered = entry.codec->gather_strong(records_, target_.keys(), bits_); !gathered) {
    return fail(std::move(gathered.error()).in("table '" + entry.name + "'"));
  }
  // Here and not in a function of its own: one that does nothing but fetch counts as pure, and its
  // calls are dropped.
  const FlatArray& entries = target_.core().slots().entries();
  const std::uint64_t index_mask =
      (std::uint64_t{1} << target_.core().policy().layout.index_bits) - 1;
  const std::uint64_t slot_count = target_.core().counters().slot_count;
  for (std::size_t i = 0; i < bits_.size(); ++i) {
    if (i + kAhead < bits_.size() && (bits_[i + kAhead] & index_mask) < slot_count) {
      HDB_PREFETCH(entries.at(static_cast<std::size_t>(bits_[i + kAhead] & index_mask)));
    }
    if (const auto slot = target_.slot_of(bits_[i])) target_.mark(*slot);
  }
  return {};
}

}  // namespace hdb::detail
