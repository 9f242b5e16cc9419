// The migrations of a load that wait until all tables are read: they create or erase records.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/using_detail.hpp"
#include "database/load/table_load.hpp"
#include "database/tables/loaded_table.hpp"
#include "hdb/load.hpp"
#include "hdb/migration.hpp"

namespace hdb {

/// Runs once, after the contents of all tables are ready to be installed, and changes only these.
//
//   MR1  The handles issued are a function of file and declarations: tables with steps that create
//        records are migrated on one thread, in the order of names and slots; then the records that
//        were dropped are erased in that order.
class MigrationRun final : private RecordCreator {
 public:
  /// Makes the migration of a table whose stored records, if any, are not migrated.
  using MakeMigration =
      std::function<Result<std::unique_ptr<TableMigration>>(const TableEntry& entry)>;

  MigrationRun(const evolve::LoadImage& image, MemoryBudget& budget,
               const std::vector<std::unique_ptr<TableLoad>>& incoming,
               std::vector<LoadedTable>& contents, MakeMigration make)
      : image_(image),
        budget_(budget),
        incoming_(incoming),
        contents_(contents),
        make_(std::move(make)) {}

  /// Errors: of the migrations. Then the contents may only be destroyed.
  [[nodiscard]] Status run(LoadReport& report);

 private:
  /// Steps of created records may create records, but not for ever.
  static constexpr unsigned kMaxDepth = 64;

  DynamicValue create(const MigrationStep& step, std::string_view table, DynamicValue record,
                      std::string_view name) override;
  void create_component(const MigrationStep& step, std::string_view table,
                        const DynamicValue& owner, DynamicValue component) override;
  [[nodiscard]] std::uint32_t version_of(const MigrationStep& step, const TableMigration& into,
                                         const DynamicValue& record) const;
  void complete(TableMigration& into, DynamicValue& record, std::uint32_t version,
                MigratedSlot slot);
  [[nodiscard]] TableMigration& target(std::string_view table);
  [[nodiscard]] const LoadedTable* content_of(const TableEntry& entry) const;
  [[nodiscard]] MigratedSlot insert(TableMigration& into, std::string_view name);
  [[nodiscard]] MigratedSlot insert_component(TableMigration& into, const DynamicValue& owner);
  void add_to(LoadReport& report) const;

  const evolve::LoadImage& image_;
  MemoryBudget& budget_;
  const std::vector<std::unique_ptr<TableLoad>>& incoming_;
  std::vector<LoadedTable>& contents_;
  MakeMigration make_;
  // Of tables that get records, but whose stored records are not migrated.
  std::map<std::string, std::unique_ptr<TableMigration>, std::less<>> targets_;
  unsigned depth_ = 0;
  std::optional<Error> failure_;  // of a created record: also where the step caught it
};

}  // namespace hdb
