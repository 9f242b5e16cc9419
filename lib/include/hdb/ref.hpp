// Ref: holds a record of a resource table from outside of records.
#pragma once

#include <utility>

#include "hdb/assert.hpp"
#include "hdb/detail/core/tables/ref_counts.hpp"
#include "hdb/table.hpp"

namespace hdb {

/// Holds a record of a resource table from outside of records: flush() does not destroy it. Copying
/// adds a reference, destruction releases it; nothing is destroyed by that. Keeps its hold of the
/// handle when a restore takes the record away; get() then gives null until the record is back.
/// Made by ResourceTable; used on the table's thread.
///
/// Source: "Resource Management System" (reference-counted handles with deferred destruction).
template <class Record, class L = DefaultLayout, class Tag = Record>
class Ref {
 public:
  using HandleType = Handle<Tag, L>;
  using OutsideRecords = void;  ///< A record holds Strong.

  /// Holds nothing.
  Ref() noexcept = default;
  Ref(detail::RefCounts& counts, HandleType handle) : counts_(&counts), handle_(handle) {
    counts.add(detail::slot_number(handle), handle.generation());
  }
  Ref(const Ref& other) : counts_(other.counts_), handle_(other.handle_) {
    if (counts_ != nullptr) counts_->add(detail::slot_number(handle_), handle_.generation());
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
    detail::RefCounts* const counts = std::exchange(counts_, nullptr);
    counts->release(handle_.index(), handle_.generation());
    handle_ = {};
    counts->drop_if_unused();
  }
  void swap(Ref& other) noexcept {
    std::swap(counts_, other.counts_);
    std::swap(handle_, other.handle_);
  }

  /// The handle: to be stored in records (as Strong or Handle), or saved by its bits and adopted
  /// after a load.
  [[nodiscard]] HandleType handle() const noexcept { return handle_; }
  operator HandleType()
      const noexcept {  // NOLINT(google-explicit-constructor): a Ref is its handle
    return handle_;
  }
  /// The record; null when the Ref holds nothing, the record was rewound or erased, or the table is
  /// gone.
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
  detail::RefCounts* counts_ = nullptr;
  HandleType handle_;
};

}  // namespace hdb
