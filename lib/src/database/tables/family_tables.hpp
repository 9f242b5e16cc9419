// Tables that a load makes because a file has them and the program registered their family.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/using_detail.hpp"
#include "database/tables/database_state.hpp"
#include "database/tables/snapshot_data.hpp"
#include "hdb/database.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb {

/// The tables of families that a load makes: gone again unless the load keeps them.
class Database::FamilyTables {
 public:
  explicit FamilyTables(Database& database)
      : database_(database),
        tables_(database.tables_),
        schemas_(database.state_->schemas),
        kept_file_(database.state_->kept),
        highest_type_id_(database.state_->highest_type_id) {}
  ~FamilyTables() {
    if (kept_ || database_.tables_.size() == tables_.size()) return;
    std::swap(database_.tables_, tables_);
    database_.tables_changed();
    database_.state_->schemas = std::move(schemas_);
    database_.state_->kept = std::move(kept_file_);
    database_.state_->highest_type_id = highest_type_id_;
  }
  FamilyTables(const FamilyTables&) = delete;
  FamilyTables& operator=(const FamilyTables&) = delete;

  /// Makes those that the file holds and the database lacks; with names in `only`, only of these
  /// names.
  Status make(const Reader& reader, const std::vector<std::string>& only = {}) {
    for (const TableDescriptor& table : reader.tables()) {
      const std::string& name = database_.present_name(table.name);
      if (database_.find_entry(name) != nullptr) continue;
      if (!only.empty() && std::find(only.begin(), only.end(), name) == only.end()) continue;
      const auto family =
          std::find_if(database_.state_->families.begin(), database_.state_->families.end(),
                       [&](const TableFamily& each) { return each.has(name); });
      if (family == database_.state_->families.end()) continue;
      if (family->scope >= Scope::unsaved) continue;  // would only be passed by
      if (auto status = family->make(database_, name); !status) return status;
    }
    return {};
  }
  void keep() noexcept { kept_ = true; }

 private:
  Database& database_;
  TableList tables_;
  std::shared_ptr<const Schemas> schemas_;
  std::shared_ptr<const KeptFile> kept_file_;
  std::uint16_t highest_type_id_;
  bool kept_ = false;
};

}  // namespace hdb
