// The ring of captures, and what it costs.
#include "hdb/history.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/using_detail.hpp"
#include "database/tables/database_state.hpp"
#include "database/tables/snapshot_data.hpp"

namespace hdb {
namespace {

tl::unexpected<Error> no_frame(std::uint64_t frame) {
  return fail(ErrorCode::not_found, "frame " + std::to_string(frame) + " is not in the history",
              "History");
}

std::uint64_t bytes_not_in(const FrozenTable& table, const FrozenTable& other) noexcept {
  return table.slots.entries.bytes_not_in(other.slots.entries) +
         table.slots.live_bits.bytes_not_in(other.slots.live_bits) +
         table.slots.free_list.bytes_not_in(other.slots.free_list) +
         table.records.bytes_not_in(other.records) + table.slot_of.bytes_not_in(other.slot_of) +
         table.names.names.bytes_not_in(other.names.names) +
         table.names.index.bytes_not_in(other.names.index);
}

}  // namespace

std::uint64_t Snapshot::bytes_not_in(const Snapshot& other) const {
  static const FrozenTable no_table;
  if (!data_) return 0;
  std::uint64_t bytes = 0;
  for (const SnapshotTable& table : data_->tables()) {
    const SnapshotTable* same = nullptr;
    if (other.data_) {
      const auto index = other.data_->find(table.descriptor->name);
      if (index && other.data_->tables()[*index].entry == table.entry) {
        same = &other.data_->tables()[*index];
      }
    }
    bytes += hdb::bytes_not_in(table.frozen, same != nullptr ? same->frozen : no_table);
    if (table.frozen.blobs == nullptr) continue;
    static const FrozenArray no_bytes;
    bytes += table.frozen.blobs->buffer.bytes().bytes_not_in(
        same != nullptr ? same->frozen.blobs->buffer.bytes() : no_bytes);
  }
  return bytes;
}

Status History::record(std::uint64_t frame) {
  if (!frames_.empty() && frame <= frames_.back().number) {
    return fail(ErrorCode::bad_options,
                "frame " + std::to_string(frame) + " must be above the newest frame, " +
                    std::to_string(frames_.back().number) +
                    "; rewind before recording earlier frames",
                "History");
  }
  frames_.push_back({frame, database_.capture()});
  if (frames_.size() > 1) {
    Frame& last = frames_[frames_.size() - 2];
    last.bytes = database_.state_->log->bytes_between(*data_of(last.snapshot)->captured,
                                                      *data_of(frames_.back().snapshot)->captured);
    bytes_ += last.bytes;
  }
  while (frames_.size() > options_.frames ||
         (options_.max_bytes != 0 && bytes_ > options_.max_bytes && frames_.size() > 1)) {
    drop_oldest();
  }
  return {};
}

Status History::rewind(std::uint64_t frame, const RestoreOptions& options) {
  const Snapshot* const snapshot = find(frame);
  if (snapshot == nullptr) return no_frame(frame);
  std::size_t later = 0;
  bool is_shared = false;  // by the program, which keeps a later snapshot
  for (auto each = frames_.rbegin(); each->number != frame; ++each, ++later)
    is_shared = is_shared || data_of(each->snapshot).use_count() != 1;
  const auto drop_later = [&] {
    while (frames_.back().number != frame) drop_newest();
  };
  if (is_shared) later = 0;
  auto restored = database_.restore_and_drop(*snapshot, options, later, drop_later);
  if (restored) drop_later();
  return restored;
}

Result<Changes> History::since(std::uint64_t frame) {
  const Snapshot* const snapshot = find(frame);
  if (snapshot == nullptr) return no_frame(frame);
  return changes_between(*snapshot, database_.capture());
}

Result<Hash128> History::state_hash(std::uint64_t frame) const {
  const Snapshot* const snapshot = find(frame);
  if (snapshot == nullptr) return no_frame(frame);
  return snapshot->try_state_hash();
}

auto History::last_until(std::uint64_t frame) const noexcept -> const Frame* {
  const auto later = std::upper_bound(
      frames_.begin(), frames_.end(), frame,
      [](std::uint64_t number, const Frame& each) { return number < each.number; });
  return later == frames_.begin() ? nullptr : &*std::prev(later);
}

const Snapshot* History::find(std::uint64_t frame) const noexcept {
  const Frame* const found = last_until(frame);
  return found != nullptr && found->number == frame ? &found->snapshot : nullptr;
}

std::optional<std::uint64_t> History::at_or_before(std::uint64_t frame) const noexcept {
  const Frame* const found = last_until(frame);
  if (found == nullptr) return std::nullopt;
  return found->number;
}

std::optional<std::uint64_t> History::oldest() const noexcept {
  if (frames_.empty()) return std::nullopt;
  return frames_.front().number;
}

std::optional<std::uint64_t> History::newest() const noexcept {
  if (frames_.empty()) return std::nullopt;
  return frames_.back().number;
}

void History::clear() noexcept {
  frames_.clear();
  bytes_ = 0;
}

void History::drop_oldest() noexcept {
  bytes_ -= frames_.front().bytes;
  frames_.pop_front();
}

void History::drop_newest() noexcept {
  frames_.pop_back();
  bytes_ -= std::exchange(frames_.back().bytes, 0);
}

}  // namespace hdb
