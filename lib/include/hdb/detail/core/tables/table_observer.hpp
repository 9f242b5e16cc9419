// What a table tells those who keep things beside its records.
#pragma once

#include <cstdint>

namespace hdb::detail {

/// Told by a table what becomes of its records. All calls come on the thread that mutates the
/// table, after the change; they may call the table again.
class TableObserver {
 public:
  /// The record of a slot was erased; `generation` was its handle's.
  virtual void on_erased(std::uint32_t slot, std::uint32_t generation) noexcept = 0;
  /// All records are gone (clear, reset, drop_table), or the table itself (then nothing of it may
  /// be used any more).
  virtual void on_cleared(bool table_is_gone) noexcept = 0;
  /// The table's content was replaced by restore or load, as that of all tables of its database.
  virtual void on_replaced() noexcept = 0;

 protected:
  ~TableObserver() = default;
};

}  // namespace hdb::detail
