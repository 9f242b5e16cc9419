// Sidecar<Value, Table>: values beside the records of a table, for what cannot be state. Games use
// it for open files, GPU objects and physics bodies that belong to a record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "hdb/detail/core/tables/table_observer.hpp"
#include "hdb/table.hpp"

namespace hdb {

/// Values by the handles of one table. Values may be move-only; moving and destroying them must not
/// throw. They are neither captured nor saved. Erasing a record destroys its value.
///
/// A restore or load destroys the values of handles that are not live afterwards. It keeps the
/// value of a handle that is live before and after. After an exact restore, the same handle can
/// name another record than before (TimelineMode::exact): if that matters, call clear() before the
/// restore and make all values again. take_changes() lists what to make.
///
/// Sidecar and table may be destroyed in either order. When the table ends or is dropped from its
/// database, all values are destroyed. If a restore brings a dropped table back, the sidecar works
/// again and take_changes() lists all records as appeared.
///
/// Threads: the thread that changes the table.
/// Source: the files of Bilas' `FileMgr`, Game Programming Gems, 2000.
///
/// Example:
/// @code
/// hdb::Database db;
/// auto& monsters = db.create_table<Monster>("monsters");
/// const auto imp = monsters.insert({.name = "imp"});
/// hdb::Sidecar<std::unique_ptr<int>, hdb::Table<Monster>> bodies(monsters);
/// bodies.set(imp, std::make_unique<int>(1));
/// const hdb::Snapshot before = db.capture();
/// monsters.erase(imp);  // destroys the body
/// assert(bodies.empty());
/// if (!db.restore(before)) return;
/// for (auto handle : bodies.take_changes().appeared) bodies.set(handle, std::make_unique<int>(2));
/// assert(**bodies.find(imp) == 2);
/// @endcode
//
//   K1  Entry e is at place p exactly when place_by_slot_[e.handle.index()] == p + 1.
//   K2  Every entry's handle is live in the table.
//   K3  gone_ has room for all entries, so that recording a loss needs no memory.
template <class Value, class TableType>
class Sidecar final : private detail::TableObserver {
 public:
  using HandleType = typename TableType::HandleType;
  static_assert(std::is_nothrow_move_constructible_v<Value> &&
                    std::is_nothrow_move_assignable_v<Value> &&
                    std::is_nothrow_destructible_v<Value>,
                "hdb: moving or destroying a value of a sidecar must not throw");

  /// What restores and loads did since the last take_changes. All empty if there were none.
  struct Changes {
    bool was_replaced = false;         ///< There was a restore or load.
    std::vector<HandleType> appeared;  ///< Live records without a value.
    std::vector<HandleType> vanished;  ///< Handles whose values a restore or load destroyed.
  };

  /// An empty sidecar of `table`.
  explicit Sidecar(TableType& table) : table_(&table) {
    detail::core_of(table).add_observer(*this);
  }
  ~Sidecar() {
    if (table_ != nullptr) detail::core_of(*table_).remove_observer(*this);
  }
  Sidecar(const Sidecar&) = delete;
  Sidecar& operator=(const Sidecar&) = delete;

  /// Sets the value of a record, replacing any former value, and returns a pointer to it. Returns
  /// null and destroys `value` if the handle is null, stale or foreign.
  /// Complexity: amortised constant. Invalidates: pointers to values.
  Value* set(HandleType handle, Value value) {
    if (table_ == nullptr || !table_->contains(handle)) return nullptr;
    const std::size_t slot = handle.index();
    if (slot >= place_by_slot_.size()) place_by_slot_.resize(slot + 1 + slot / 2);
    if (Value* const known = find(handle)) {
      *known = std::move(value);
      return known;
    }
    if (gone_.capacity() < gone_.size() + entries_.size() + 1) {
      gone_.reserve(2 * (gone_.size() + entries_.size() + 1));
    }
    entries_.push_back({handle, std::move(value)});
    place_by_slot_[slot] = static_cast<std::uint32_t>(entries_.size());
    return &entries_.back().value;
  }
  /// The value of a record; null if it has none or the handle is null, stale or foreign. Valid
  /// until the next non-const call on the sidecar, its table or its database. Complexity: constant.
  [[nodiscard]] Value* find(HandleType handle) noexcept {
    const std::size_t place = place_of(handle);
    return place == kNone ? nullptr : &entries_[place].value;
  }
  [[nodiscard]] const Value* find(HandleType handle) const noexcept {
    return const_cast<Sidecar*>(this)->find(handle);
  }
  /// Destroys the value of a record; false if it has none. Invalidates: pointers to values.
  bool erase(HandleType handle) noexcept {
    const std::size_t place = place_of(handle);
    if (place == kNone) return false;
    [[maybe_unused]] const Value gone = remove(place);
    return true;
  }
  /// Destroys all values. The records stay.
  void clear() noexcept {
    while (!entries_.empty()) [[maybe_unused]] const Value gone = remove(entries_.size() - 1);
  }
  /// The number of values.
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  /// Calls `visit(handle, value)` for every value, in no particular order.
  /// Requires: `visit` neither adds nor destroys values, and erases no record of the table.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (Entry& entry : entries_) visit(entry.handle, entry.value);
  }

  /// Returns what restores and loads changed since the last call, and forgets it.
  /// Complexity: linear in the slots of the table after a restore or load; else constant.
  [[nodiscard]] Changes take_changes() {
    Changes changes;
    if (!was_replaced_ || table_ == nullptr) return changes;
    for (const auto& [handle, record] : table_->entries()) {
      if (place_of(handle) == kNone) changes.appeared.push_back(handle);
    }
    changes.vanished.assign(gone_.begin(), gone_.end());
    changes.was_replaced = std::exchange(was_replaced_, false);
    gone_.clear();
    return changes;
  }

 private:
  struct Entry {
    HandleType handle;
    Value value;
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  [[nodiscard]] std::size_t place_of(HandleType handle) const noexcept {
    const std::size_t slot = handle.index();
    if (slot >= place_by_slot_.size() || place_by_slot_[slot] == 0) return kNone;
    const std::size_t place = place_by_slot_[slot] - 1;
    return entries_[place].handle == handle ? place : kNone;
  }
  // Takes an entry out; the caller destroys its value when the sidecar is in order again.
  Value remove(std::size_t place) noexcept {
    Value gone = std::move(entries_[place].value);
    place_by_slot_[entries_[place].handle.index()] = 0;
    if (place + 1 != entries_.size()) {
      entries_[place] = std::move(entries_.back());
      place_by_slot_[entries_[place].handle.index()] = static_cast<std::uint32_t>(place + 1);
    }
    entries_.pop_back();
    return gone;
  }

  void on_erased(std::uint32_t slot, std::uint32_t) noexcept override {
    if (slot >= place_by_slot_.size() || place_by_slot_[slot] == 0) return;
    [[maybe_unused]] const Value gone = remove(place_by_slot_[slot] - 1);
  }
  void on_cleared(bool table_is_gone) noexcept override {
    if (table_is_gone) table_ = nullptr;
    clear();
  }
  void on_replaced() noexcept override {
    was_replaced_ = true;
    for (std::size_t place = 0; place < entries_.size();) {
      const HandleType handle = entries_[place].handle;
      if (table_->contains(handle)) {
        ++place;
        continue;
      }
      gone_.push_back(handle);  // K3
      [[maybe_unused]] const Value gone = remove(place);
      place = 0 < place ? place - 1 : 0;  // the value's destructor may have dropped others
    }
  }

  TableType* table_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> place_by_slot_;  // 0: none
  std::vector<HandleType> gone_;
  bool was_replaced_ = false;
};

}  // namespace hdb
