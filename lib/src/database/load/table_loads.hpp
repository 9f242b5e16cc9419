// What a load and an import have in common: tables of a file, matched with those of the program and
// read aside.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/using_detail.hpp"
#include "database/load/load_memory.hpp"
#include "database/load/table_load.hpp"
#include "evolve/evolved_image.hpp"
#include "evolve/table_match.hpp"
#include "hdb/database.hpp"
#include "hdb/executor.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/load.hpp"

namespace hdb {

/// The tables that one load or import reads from a file. Nothing of the database changes.
class TableLoads {
 public:
  /// `file`: as it is stored; must outlive this. `file_bytes`: its size, which bounds the memory.
  /// `mode`: exact refuses tables whose state this version does not know wholly.
  /// `unknown_value`: what to do with values that the program does not have, by its tables' names.
  /// `keeps`: as LoadOptions::keep_unknown, for fields.
  TableLoads(const Database& database, const ImageSource& file, std::uint64_t file_bytes,
             const ReadLimits& limits, TimelineMode mode,
             std::function<UnknownValue(const std::string&)> unknown_value, bool keeps = false)
      : database_(database),
        file_(file),
        evolved_(file),
        budget_(most_load_memory(file_bytes, limits)),
        mode_(mode),
        unknown_value_(std::move(unknown_value)),
        keeps_(keeps) {}

  /// The indices of the stored tables by the names that they have in the program. Of two with one
  /// name, one that never had a record does not count.
  /// Errors: rename_conflict.
  [[nodiscard]] Result<std::map<std::string_view, std::size_t>> stored_by_name() const;
  /// Whether the program's tables of this name are left out of files, by their family.
  [[nodiscard]] bool is_left_out_family(std::string_view name) const;
  /// The names that migrations and `answers` give to no table: not to one of the program, nor to
  /// one of a family, nor to `others`, which only the file has.
  [[nodiscard]] std::vector<std::string> absent_tables(
      const std::map<std::string, UnknownValue>& answers,
      const std::map<std::string_view, std::size_t>& others) const;
  /// Adds a table of the program and the stored one that it is read from. `max_records`: the most
  /// records that the stored one may have.
  /// The type id of the table, if it comes to have one, is chosen later: TableLoad::type_id.
  /// Errors: those of evolve::match_tables and RecordCodec::decoder_for; memory_budget.
  [[nodiscard]] Result<TableLoadReport> add(TableEntry& entry, std::size_t stored,
                                            std::uint64_t max_records, bool allow_policy_changes);
  /// What brings the records of a table to the program's form; null if nothing does. `stored`:
  /// their schema; null for records that migrations create.
  [[nodiscard]] Result<std::unique_ptr<TableMigration>> migration_of(const TableEntry& entry,
                                                                     const Field* stored) const;
  /// Notes the type id that a table gets which is not in the file.
  void set_type_id(const TableEntry& entry, std::uint16_t type_id) { type_ids_[&entry] = type_id; }
  /// Gives handle fields of the file the names that the tables have in the program.
  void rename_tables(Field& field) const;
  /// The layout that handles of a table of the file have in the program.
  [[nodiscard]] std::optional<HandleLayout> layout_of(const std::string& table) const;
  /// Takes memory for something else; `what` and `where` are for the error.
  /// Errors: memory_budget.
  [[nodiscard]] Status charge(std::uint64_t bytes, const char* what);
  /// The file with the policies and handle layouts of the program.
  [[nodiscard]] const evolve::EvolvedImage& evolved() const noexcept { return evolved_; }
  /// Reads and checks the row groups of all tables, of evolved() or of an image made from it.
  /// Requires: the type ids are chosen.
  [[nodiscard]] Status read(unsigned threads, const Executor& executor,
                            const evolve::LoadImage* image = nullptr);
  /// Completes each table, once all groups are read. Errors: bad_components if a component has no
  /// record.
  [[nodiscard]] Status finish();
  /// What the load did with the fields of a table.
  [[nodiscard]] std::vector<LoadChange> changes(const TableLoad& incoming) const;

  /// The table read for this one of the program; null if none is.
  [[nodiscard]] TableLoad* find(const TableEntry* entry) const noexcept;
  [[nodiscard]] const std::vector<std::unique_ptr<TableLoad>>& list() const noexcept {
    return list_;
  }
  [[nodiscard]] MemoryBudget& budget() noexcept { return budget_; }

  /// Notes an extension of a file that this version does not know. `field`: empty unless it is of a
  /// field. Errors: unknown_feature if it is state, unless the load is a fork.
  Status drop_extension(const Extension& extension, std::string field,
                        std::vector<DroppedExtension>& dropped) const;

 private:
  static Error policy_error(const PolicyChange& change);
  Status drop_extensions(const Field& field, const evolve::Plan& plan, std::size_t& node,
                         TableLoadReport& report) const;
  Result<SortProgress> take_extensions(const TableDescriptor& table, const Field& schema,
                                       Storage own_storage, TableLoadReport& report) const;
  // A singleton keeps its record, so it refuses what would drop it.
  [[nodiscard]] UnknownValue unknown_value_of(const TableEntry& entry) const;
  void begin_read();
  // The type id in the handles of a table's records; of a component table, the owner's.
  [[nodiscard]] std::uint16_t handle_type_id(const TableLoad& incoming) const noexcept;
  [[nodiscard]] std::vector<TableMigration::TypedTable> typed_tables() const;
  Status keep_rows(const TableEntry& entry, const TableDescriptor& table, const Field& stored,
                   TableLoad& incoming) const;

  const Database& database_;
  const TableNamer namer_ = [this](HandleKey key) { return database_.table_name(key); };
  const ImageSource& file_;
  evolve::EvolvedImage evolved_;
  MemoryBudget budget_;
  TimelineMode mode_;
  std::function<UnknownValue(const std::string&)> unknown_value_;
  bool keeps_;
  std::vector<std::unique_ptr<TableLoad>> list_;
  std::map<const TableEntry*, std::uint16_t> type_ids_;  // of tables that are not in the file
};

}  // namespace hdb
