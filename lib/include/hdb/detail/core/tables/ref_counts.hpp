// References from outside of the records: how many there are to each handle of one table, kept beside the database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hdb/table.hpp"

namespace hdb {

/// How often each handle of a table is held from outside: neither captured, hashed, saved nor rewound. Counts belong to
/// handles, not to slots: after a restore, references to the slot's earlier and later tenants do not mix.
//
//   R1  by_slot_[s] counts one generation of slot s, that which was held first; counts of others are in others_.
//   R2  It lives until the table and all references are gone.
class RefCounts {
 public:
  explicit RefCounts(void* table) noexcept : table_(table) {}
  RefCounts(const RefCounts&) = delete;
  RefCounts& operator=(const RefCounts&) = delete;

  /// Complexity: constant. Throws nothing but std::bad_alloc, with nothing changed.
  void add(std::uint32_t slot, std::uint32_t generation) {
    if (slot >= by_slot_.size()) by_slot_.resize(slot + std::size_t{1} + slot / 2);
    Count& own = by_slot_[slot];
    if (own.count == 0 && !has_other(slot, generation)) own.generation = generation;
    if (own.generation == generation) {
      ++own.count;
    } else {
      ++others_[key(slot, generation)];
    }
    ++total_;
  }
  /// False, and nothing changed, when the handle is not held. Any numbers are safe.
  bool release(std::uint64_t slot, std::uint32_t generation) noexcept {
    if (slot >= by_slot_.size()) return false;
    Count& own = by_slot_[slot];
    if (own.count != 0 && own.generation == generation) {
      --own.count;
    } else {
      const auto other = others_.find(key(slot, generation));
      if (other == others_.end()) return false;
      if (--other->second == 0) others_.erase(other);
    }
    --total_;
    ++releases_;
    return true;
  }
  /// Any numbers are safe.
  [[nodiscard]] std::uint32_t count(std::uint64_t slot, std::uint32_t generation) const noexcept {
    if (slot >= by_slot_.size()) return 0;
    if (by_slot_[slot].generation == generation && by_slot_[slot].count != 0)
      return by_slot_[slot].count;
    if (others_.empty()) return 0;
    const auto other = others_.find(key(slot, generation));
    return other == others_.end() ? 0 : other->second;
  }
  /// A bit for each of up to 64 neighbouring slots, with the generations they have: whether the handle is held. No branch
  /// on what differs from slot to slot: it would be mispredicted.
  [[nodiscard]] std::uint64_t held_among(
      std::uint32_t first, std::span<const std::uint32_t> generations) const noexcept {
    std::uint64_t held = 0;
    for (std::size_t i = 0; i < generations.size() && first + i < by_slot_.size(); ++i) {
      const Count& own = by_slot_[first + i];
      const bool is_held = own.generation == generations[i] && own.count != 0;
      held |= static_cast<std::uint64_t>(is_held) << i;
    }
    for (std::size_t i = 0; i < generations.size() && !others_.empty(); ++i) {
      const auto slot = static_cast<std::uint32_t>(first + i);
      held |= std::uint64_t{count(slot, generations[i]) != 0} << i;
    }
    return held;
  }
  /// References of all handles.
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
  /// How many were ever released.
  [[nodiscard]] std::uint64_t releases() const noexcept { return releases_; }
  /// The Table<...>; null when it is gone.
  [[nodiscard]] void* table() const noexcept { return table_; }

  /// The owners: the table side, and each Ref through add and release.
  void leave_table() noexcept {
    table_ = nullptr;
    drop_if_unused();
  }
  void drop_if_unused() noexcept {
    if (table_ == nullptr && total_ == 0) delete this;
  }

 private:
  struct Count {
    std::uint32_t generation = 0;
    std::uint32_t count = 0;
  };
  [[nodiscard]] static std::uint64_t key(std::uint64_t slot, std::uint32_t generation) noexcept {
    return std::uint64_t{generation} << 32 | slot;
  }
  [[nodiscard]] bool has_other(std::uint32_t slot, std::uint32_t generation) const noexcept {
    return !others_.empty() && others_.contains(key(slot, generation));
  }
  ~RefCounts() = default;

  std::vector<Count> by_slot_;
  std::unordered_map<std::uint64_t, std::uint32_t> others_;
  std::uint64_t total_ = 0;
  std::uint64_t releases_ = 0;
  void* table_;
};

/// Holds a record of a resource table from outside of records: flush() does not destroy it. Copying adds a reference,
/// destruction releases it; nothing is destroyed by that. Keeps its hold of the handle when a restore takes the record
/// away; get() then gives null until the record is back. Made by ResourceTable; used on the table's thread.
///
/// Source: "Resource Management System" (reference-counted handles with deferred destruction).
template <class Record, class L = DefaultLayout, class Tag = Record>
class Ref {
 public:
  using HandleType = Handle<Tag, L>;
  using OutsideRecords = void;  ///< A record holds Strong.

  /// Holds nothing.
  Ref() noexcept = default;
  Ref(RefCounts& counts, HandleType handle) : counts_(&counts), handle_(handle) {
    counts.add(slot_number(handle), handle.generation());
  }
  Ref(const Ref& other) : counts_(other.counts_), handle_(other.handle_) {
    if (counts_ != nullptr) counts_->add(slot_number(handle_), handle_.generation());
  }
  Ref(Ref&& other) noexcept { swap(other); }
  Ref& operator=(const Ref& other) {
    Ref(other).swap(*this);  // adds before it releases: assigning to itself changes nothing
    return *this;
  }
  Ref& operator=(Ref&& other) noexcept {
    Ref(std::move(other)).swap(*this);
    return *this;
  }
  ~Ref() { reset(); }

  /// Releases; holds nothing afterwards. Again: nothing happens.
  void reset() noexcept {
    if (counts_ == nullptr) return;
    RefCounts* const counts = std::exchange(counts_, nullptr);
    counts->release(handle_.index(), handle_.generation());
    handle_ = {};
    counts->drop_if_unused();
  }
  void swap(Ref& other) noexcept {
    std::swap(counts_, other.counts_);
    std::swap(handle_, other.handle_);
  }

  /// The handle: to be stored in records (as Strong or Handle), or saved by its bits and adopted after a load.
  [[nodiscard]] HandleType handle() const noexcept { return handle_; }
  operator HandleType()
      const noexcept {  // NOLINT(google-explicit-constructor): a Ref is its handle
    return handle_;
  }
  /// The record; null when the Ref holds nothing, the record was rewound or erased, or the table is gone.
  [[nodiscard]] const Record* get() const noexcept {
    if (counts_ == nullptr || counts_->table() == nullptr) return nullptr;
    return static_cast<Table<Record, L, Tag>*>(counts_->table())->find(handle_);
  }
  const Record* operator->() const noexcept {
    const Record* const record = get();
    HDB_REQUIRE(record != nullptr, "Ref: the record no longer exists");
    return record;
  }
  const Record& operator*() const noexcept { return *operator->(); }
  /// Whether the record is there.
  [[nodiscard]] explicit operator bool() const noexcept { return get() != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) noexcept { return a.handle_ == b.handle_; }

 private:
  RefCounts* counts_ = nullptr;
  HandleType handle_;
};

}  // namespace hdb
