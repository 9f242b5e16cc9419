// Singleton: a table of exactly one record, for a clock, a random generator or settings.
#pragma once

#include "hdb/table.hpp"

namespace hdb {

/// A table of exactly one record: a clock, a random generator, settings.
template <class T>
class Singleton {
 public:
  explicit Singleton(Table<T>& table) : table_(&table) {}
  [[nodiscard]] const T& get() const noexcept { return *table_->begin(); }
  [[nodiscard]] const T& operator*() const noexcept { return get(); }
  [[nodiscard]] const T* operator->() const noexcept { return &get(); }
  /// For writing; good until the next capture or restore.
  [[nodiscard]] T& edit() { return *table_->edit(table_->begin().handle()); }

 private:
  Table<T>* table_;
};

}  // namespace hdb
