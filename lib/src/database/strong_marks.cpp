// Scanning Strong fields, page by page.
#include "hdb/database/strong_marks.hpp"

#include <algorithm>
#include <utility>

#include "hdb/core/any_handle.hpp"
#include "hdb/core/table_iteration.hpp"
#include "hdb/database/database.hpp"

namespace hdb {
namespace {

// How many handles ahead their slots are fetched: they are scattered.
constexpr std::size_t kAhead = 16;

}  // namespace

StrongMarks::StrongMarks(Database& database, TableCore& target, HandleKey key)
    : database_(database), target_(target), keys_{key} {
  if (target.policy().layout == TypedLayout::value) {
    keys_.push_back(handle_key<AnyRecord, TypedLayout>());
  }
}

Status StrongMarks::mark_all() {
  holders_.clear();
  holds_itself_ = false;
  for (const auto& entry : database_.tables_) {
    if (!entry->codec->has_strong(keys_)) continue;
    holders_.push_back(entry);
    holds_itself_ = holds_itself_ || entry->core == &target_;
  }
  version_ = database_.version_;
  marks_.resize(static_cast<std::size_t>(target_.counters().slot_count / 64 + 1));
  for (const auto& holder : holders_) {
    holder->core->watch_records();
    for (std::size_t page = 0; page < holder->core->records().page_count(); ++page) {
      if (auto marked = mark_page(*holder, page); !marked) return marked;
    }
  }
  return {};
}

Status StrongMarks::mark_written() {
  if (version_ != database_.version_) return mark_all();
  marks_.resize(static_cast<std::size_t>(target_.counters().slot_count / 64 + 1));
  for (const auto& holder : holders_) {
    const PagedArray& records = holder->core->records();
    bool written = false;
    for (std::size_t page = 0; page < records.page_count(); ++page) {
      if (!records.is_written(page)) continue;
      written = true;
      if (auto marked = mark_page(*holder, page); !marked) return marked;
    }
    if (written) holder->core->watch_records();
  }
  return {};
}

void StrongMarks::own_write_done() noexcept {
  if (holds_itself_) target_.watch_records();
}

Status StrongMarks::mark_page(const TableEntry& entry, std::size_t page) {
  const TableCore& core = *entry.core;
  const std::uint64_t per_page = core.records().per_page();
  const std::uint64_t end = std::min((page + std::uint64_t{1}) * per_page, core.end_place());
  records_.clear();
  bits_.clear();
  for (std::uint64_t place = next_live_place(core, page * per_page, end); place < end;
       place = next_live_place(core, place + 1, end)) {
    records_.push_back(core.record_at(static_cast<std::uint32_t>(place)));
  }
  if (auto gathered = entry.codec->gather_strong(records_, keys_, bits_); !gathered) {
    return fail(std::move(gathered.error()).in("table '" + entry.name + "'"));
  }
  // Here and not in a function of its own: one that does nothing but fetch counts as pure, and its calls are dropped.
  const PagedArray& entries = target_.slots().entries();
  const std::uint64_t index_mask = (std::uint64_t{1} << target_.policy().layout.index_bits) - 1;
  const std::uint64_t slot_count = target_.counters().slot_count;
  for (std::size_t i = 0; i < bits_.size(); ++i) {
    if (i + kAhead < bits_.size() && (bits_[i + kAhead] & index_mask) < slot_count) {
      __builtin_prefetch(entries.at(static_cast<std::size_t>(bits_[i + kAhead] & index_mask)));
    }
    mark(bits_[i]);
  }
  return {};
}

void StrongMarks::mark(std::uint64_t bits) noexcept {
  const auto parts = split_handle(target_.policy().layout, bits);
  if (!parts || parts->type_id != target_.options().type_id) return;
  if (target_.slots().matches(parts->index, parts->generation)) {
    marks_[parts->index / 64] |= std::uint64_t{1} << (parts->index % 64);
  }
}

}  // namespace hdb
