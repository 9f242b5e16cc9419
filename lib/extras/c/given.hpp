// Records as callers give them, and what the calls of records and blobs check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "c/objects.hpp"
#include "core/tables/handle_bits.hpp"
#include "hdb/detail/core/blobs/blob_core.hpp"

namespace hdb::c {

using detail::record::PackedRecord;

[[nodiscard]] inline const RuntimeRecords& records_of(const hdb_table& table) noexcept {
  return *table.records->runtime;
}

[[nodiscard]] inline std::string place_of(const hdb_table& table) {
  return "table '" + table.name + "'";
}

/// The blobs of a blob table; null for other tables. Requires: the table is in its database.
[[nodiscard]] inline detail::BlobCore* find_blobs(const hdb_table& table) noexcept {
  detail::TableContent& content = *table.entry.lock()->content;
  return content.blob_options() != nullptr ? static_cast<detail::BlobCore*>(&content) : nullptr;
}

/// A handle in errors: "monsters:7@1".
[[nodiscard]] inline std::string place_of(const hdb_table& table, hdb_handle handle) {
  return live_of(&table).handle_text(handle);
}

/// The slot of a handle. Errors: not_found.
[[nodiscard]] inline std::uint32_t known_slot(const hdb_table& table, hdb_handle handle) {
  const auto slot = find_slot(*table.core, handle);
  if (!slot) refuse(ErrorCode::not_found, "the handle names no record", place_of(table, handle));
  return *slot;
}

/// Errors: bad_options in a table without names; duplicate_name. An empty name is none.
inline void check_name(const hdb_table& table, std::string_view name) {
  if (name.empty()) return;
  if (table.core->names() == nullptr)
    refuse(ErrorCode::bad_options, "the table was made without names", place_of(table));
  if (table.core->slot_named(name))
    refuse(ErrorCode::duplicate_name, "another record has the name", place_of(table));
}

/// The bytes of a record that the caller gave, checked. Of a table of rows also a copy, made before
/// anything changes.
class Given {
 public:
  Given(const hdb_table& table, const void* record, std::size_t size)
      : is_struct_(records_of(table).is_struct()) {
    require_bytes(record, size, "record");
    if (record != nullptr) {
      bytes_ = {static_cast<const std::byte*>(record), size};
      if (Status checked = records_of(table).check(bytes_); !checked)
        throw Failure{std::move(checked.error()).in("a record of " + place_of(table))};
    }
    if (is_struct_ && record == nullptr) initial_ = table.core->ops().initial;
    if (!is_struct_) copy_.row.assign(bytes_.begin(), bytes_.end());
  }
  /// Makes the record. Cannot fail.
  void construct(void* memory, std::size_t size) noexcept {
    if (is_struct_) {
      std::memcpy(memory, initial_ != nullptr ? initial_ : bytes_.data(), size);
    } else {
      ::new (memory) PackedRecord(std::move(copy_));
    }
  }
  void assign(void* record, std::size_t size) noexcept {
    if (is_struct_) {
      construct(record, size);
    } else {
      static_cast<PackedRecord*>(record)->row.swap(copy_.row);
    }
  }

 private:
  const bool is_struct_;
  std::span<const std::byte> bytes_;
  const std::byte* initial_ = nullptr;
  PackedRecord copy_;
};

}  // namespace hdb::c
