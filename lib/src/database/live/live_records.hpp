// Records of one table of a database as values, without their type.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/using_detail.hpp"
#include "evolve/migrated_rows.hpp"
#include "evolve/record_loader.hpp"
#include "hdb/detail/core/tables/table_core.hpp"
#include "hdb/detail/database/tables/table_list.hpp"
#include "hdb/dynamic_value.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/values.hpp"
#include "hdb/live_table.hpp"
#include "record/codec.hpp"

namespace hdb {

/// A record that is not in its table yet.
class LooseRecord {
 public:
  /// A copy of `from`; null: the default record.
  LooseRecord(const RecordOps& ops, const std::byte* from);
  ~LooseRecord();
  LooseRecord(const LooseRecord&) = delete;
  LooseRecord& operator=(const LooseRecord&) = delete;

  [[nodiscard]] void* get() const noexcept { return memory_; }
  /// Moves it to memory without a record, and ends it.
  void move_to(void* memory) noexcept;

 private:
  const RecordOps& ops_;
  void* memory_;
  bool is_there_ = false;
};

/// Reads records and makes changed ones. Requires: the list and the entry outlive it, and handle
/// fields name the same tables as when it was made.
class LiveRecords {
 public:
  LiveRecords(const TableList& tables, const TableEntry& entry);

  [[nodiscard]] const TableDescriptor& descriptor() const noexcept { return tables_[own_]; }
  [[nodiscard]] const Field& schema() const noexcept { return schema_; }
  [[nodiscard]] const HandleNamer& namer() const noexcept { return namer_; }

  /// The record of a live slot. Valid until the next call of read or change.
  /// Errors: those of RecordCodec::encode.
  [[nodiscard]] Result<const Value*> read(std::uint32_t slot, std::uint32_t generation);

  /// See LiveTable::read_column.
  [[nodiscard]] Result<LiveColumn> read_column(std::string_view path) const;
  /// The field of a column. Errors: see LiveTable::read_column.
  [[nodiscard]] Result<FieldPlace> find_column(std::string_view path) const;
  [[nodiscard]] static FieldKind column_kind(const Field& field) noexcept;

  using Change = std::function<void(DynamicValue& record)>;
  /// Makes `record` what `change` makes of the record that was read last; of a record without
  /// fields if nothing was. Fields that it removes keep what `record` has. Errors: see
  /// LiveTable::edit; `record` is unspecified then.
  [[nodiscard]] Status change(const Change& change, void* record);
  /// The same from these fields alone.
  [[nodiscard]] Status fill(DynamicValue fields, void* record);
  /// Sets the field at `path` to a value in JSON. Requires: `record` is a copy of the record that
  /// was read last. Errors: see LiveTable::set_json; `record` is unspecified then.
  [[nodiscard]] Status change_json(std::string_view path, std::string_view json, void* record);
  /// Makes the default record `record` one of these fields. Errors: see LiveTable::insert_json.
  [[nodiscard]] Status fill_json(std::string_view json, void* record);

 private:
  /// Makes `value_` the values of a record.
  [[nodiscard]] Status encode(const void* record, std::uint32_t slot, std::uint32_t generation);
  [[nodiscard]] Status decode(const std::vector<Bytes>& columns, const RecordDecoder& decoder,
                              void* record) const;
  [[nodiscard]] Status write(MigratedRows& rows, DynamicValue& fields, void* record) const;

  const TableEntry& entry_;
  const TableNamer table_namer_;
  std::vector<TableDescriptor> tables_;
  std::size_t own_ = 0;
  HandleNamer namer_;
  const Field schema_;
  const StoredRecord fields_;
  RowDecoder decoder_;
  std::vector<Bytes> columns_;
  Value value_;
};

}  // namespace hdb
