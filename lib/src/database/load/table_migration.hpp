// The records of one table on their way from an old form to the program's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/using_detail.hpp"
#include "database/load/declared_migrations.hpp"
#include "evolve/migrated_rows.hpp"
#include "hdb/database.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/migration.hpp"
#include "record/decoder.hpp"

namespace hdb {

/// Where the records of a load's tables are made. Implemented by MigrationRun.
class RecordCreator {
 public:
  /// As MigrationContext::create, for the step `step` of a table.
  virtual DynamicValue create(const MigrationStep& step, std::string_view table,
                              DynamicValue record, std::string_view name) = 0;
  /// As MigrationContext::create_component.
  virtual void create_component(const MigrationStep& step, std::string_view table,
                                const DynamicValue& owner, DynamicValue component) = 0;

 protected:
  ~RecordCreator() = default;
};

/// A record that has its slot.
struct MigratedSlot {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
};

/// The migrations of one table in one load.
//
// Threads: `migrate` may run on several threads at once, unless `creates()`.
class TableMigration {
 public:
  using Steps = std::vector<const MigrationStep*>;
  /// A table whose handles carry a type id.
  struct TypedTable {
    std::string name;
    std::uint16_t type_id = 0;
    HandleKey key = {};  // of a table of the program
  };
  /// Those of the program and of the file.
  using ListTables = std::function<std::vector<TypedTable>()>;

  /// `declared`: null if nothing is declared. `steps`: for the stored records. `stored`: their
  /// schema, or the program's if no stored record is migrated. `list_tables`: called from `migrate`
  /// on.
  TableMigration(const TableEntry& entry, TableSchema own, const TableMigrations* declared,
                 Steps steps, Field stored, const TableNamer& namer, ListTables list_tables,
                 UnknownValue unknown_value);

  [[nodiscard]] const TableEntry& entry() const noexcept { return entry_; }
  /// The schema of migrated records.
  [[nodiscard]] const Field& own_record() const noexcept { return own_.record; }
  /// Whether a step may create records.
  [[nodiscard]] bool creates() const noexcept;

  /// Where the migrated records are, and which type id their handles have.
  void begin(TableContent& content, std::uint16_t type_id) noexcept {
    content_ = &content;
    type_id_ = type_id;
  }
  [[nodiscard]] TableContent& content() const noexcept { return *content_; }
  /// Migrates the stored records of a row group into `records`, or, if these are empty, into the
  /// records of the content, which steps may make more of. `equal_keys`: as RecordDecoder::decode.
  /// Errors: of the migrations and of the rules of a load, naming the record.
  [[nodiscard]] Status migrate(std::span<const Bytes> columns, std::span<const MigratedSlot> slots,
                               std::span<void* const> records, MemoryBudget& budget,
                               RecordCreator* creator, EqualKeys equal_keys);
  /// Fills a record that a migration created from a value of class version `version`.
  [[nodiscard]] Status complete(DynamicValue& value, std::uint32_t version, MigratedSlot slot,
                                MemoryBudget& budget, RecordCreator& creator);
  /// Erases the records that were dropped, in the order of slots.
  void erase_dropped();

  [[nodiscard]] std::uint32_t own_version() const noexcept;
  [[nodiscard]] MigrationReport report() const;
  /// Records that are dropped because they hold values that the program does not have.
  [[nodiscard]] std::uint64_t unknown_records() const noexcept { return unknown_records_; }
  /// What the load did to the migrated records.
  [[nodiscard]] std::vector<LoadChange> changes() const;
  /// The handle of a slot, as a field holds it.
  [[nodiscard]] DynamicValue handle_of(MigratedSlot slot) const;
  /// A record in errors: "monsters:4@1".
  [[nodiscard]] std::string name_of(MigratedSlot slot) const;

 private:
  class Context;

  [[nodiscard]] Status run(const Steps& steps, DynamicValue& record, Context& context) const;
  [[nodiscard]] Result<std::vector<std::size_t>> decode(std::span<const MigratedBatch> batches,
                                                        std::span<void* const> records,
                                                        const RowNamer& name_record,
                                                        MemoryBudget& budget, EqualKeys equal_keys);
  struct Decoder {  // of the records of one schema
    Field schema;
    std::vector<ValueForm> forms;
    std::unique_ptr<RecordDecoder> decoder;
    std::vector<TypedTable> tables = {};
    // Columns of handles that steps made, and which handles the program's fields hold.
    std::vector<std::pair<std::size_t, HandleKey>> typed_columns = {};
  };

  [[nodiscard]] Result<const Decoder*> decoder_of(const MigratedBatch& batch);
  [[nodiscard]] static Status check_type_ids(const Decoder& decoder, const MigratedBatch& batch,
                                             const RowNamer& name_row);
  [[nodiscard]] std::string place_of(MigratedSlot slot, std::uint32_t from, std::uint32_t to) const;
  [[nodiscard]] void* record_at(std::uint32_t slot) const;

  const TableEntry& entry_;
  const TableSchema own_;
  const TableMigrations* declared_;
  Steps steps_;
  const Field stored_;
  const TableNamer namer_;
  const ListTables list_tables_;
  const UnknownValue unknown_value_;
  const StoredRecord fields_;
  TableContent* content_ = nullptr;
  std::uint16_t type_id_ = 0;

  mutable std::mutex mutex_;  // guards what follows
  std::vector<std::uint32_t> dropped_;
  std::uint64_t unknown_records_ = 0;
  std::uint64_t migrated_ = 0;
  std::uint64_t created_ = 0;
  std::deque<Decoder> decoders_;  // they do not move
};

}  // namespace hdb
