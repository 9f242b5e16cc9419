// Ref: a counted reference to a record of a resource table, for code outside of records, such as a
// renderer that holds textures. Records themselves hold Strong (hdb/handle.hpp).
#pragma once

#include <utility>

#include "hdb/assert.hpp"
#include "hdb/detail/core/tables/ref_counts.hpp"
#include "hdb/fwd.hpp"
#include "hdb/table.hpp"

namespace hdb {

/// A counted reference to one record of a resource table. ResourceTable makes it. While a Ref
/// exists, ResourceTable::flush does not destroy the record.
///
/// Copying adds a reference and destruction releases it; neither destroys a record. A Ref refers to
/// a handle: if a restore takes the record away, get() returns null until another restore brings
/// the record back. A Ref may outlive its table; get() then returns null.
///
/// Threads: the thread that changes the database.
/// Complexity: constant. Copying allocates memory only for the counts.
/// Source: "Resource Management System" (reference-counted handles with deferred destruction).
///
/// Example:
/// @code
/// hdb::Database db;
/// auto& weapons = db.create_resource_table<Weapon>("weapons");
/// hdb::Ref<Weapon> claw = weapons.insert("claw", {.damage = 8});
/// assert(weapons.flush()->destroyed == 0);  // held by `claw`
/// claw.reset();
/// assert(weapons.flush()->destroyed == 1);
/// @endcode
template <class Record, class L, class Tag>
class Ref {
 public:
  using HandleType = Handle<Tag, L>;
  using OutsideRecords = void;  ///< Refused as a field of a record: use Strong there.

  /// An empty Ref, which holds nothing.
  Ref() noexcept = default;
  /// For ResourceTable: adds a reference to `handle`. Requires: the table has the handle's slot.
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

  /// Releases the reference; the Ref is empty afterwards. No effect on an empty Ref.
  void reset() noexcept {
    if (counts_ == nullptr) return;
    detail::RefCounts* const counts = std::exchange(counts_, nullptr);
    counts->release(handle_.index(), handle_.generation());
    handle_ = {};
    counts->drop_if_unused();
  }
  /// Exchanges two Refs; no count changes.
  void swap(Ref& other) noexcept {
    std::swap(counts_, other.counts_);
    std::swap(handle_, other.handle_);
  }

  /// The handle; null if the Ref is empty. Store it in records, as Strong or Handle, or save its
  /// bits and adopt() it after a load.
  [[nodiscard]] HandleType handle() const noexcept { return handle_; }
  operator HandleType()
      const noexcept {  // NOLINT(google-explicit-constructor): a Ref is its handle
    return handle_;
  }
  /// The record; null if the Ref is empty, the record does not exist at present, or the table is
  /// gone. Valid as long as a pointer from Table::find.
  [[nodiscard]] const Record* get() const noexcept {
    if (counts_ == nullptr || counts_->table() == nullptr) return nullptr;
    return static_cast<Table<Record, L, Tag>*>(counts_->table())->find(handle_);
  }
  /// The record. Requires: get() is not null. Every build ends the program with a message if not.
  const Record* operator->() const noexcept {
    const Record* const record = get();
    HDB_REQUIRE(record != nullptr, "Ref: the record no longer exists");
    return record;
  }
  const Record& operator*() const noexcept { return *operator->(); }
  /// Whether the record exists at present: get() is not null.
  [[nodiscard]] explicit operator bool() const noexcept { return get() != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) noexcept { return a.handle_ == b.handle_; }

 private:
  detail::RefCounts* counts_ = nullptr;
  HandleType handle_;
};

}  // namespace hdb
