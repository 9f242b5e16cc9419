// The resources of a database as a graph: Strong fields are its edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "database/kept/kept_file.hpp"
#include "database/kept/kept_rows.hpp"
#include "database/resources/reference_scan.hpp"
#include "database/tables/database_state.hpp"
#include "hdb/database.hpp"
#include "hdb/resource_table.hpp"

namespace hdb::detail {

/// Which resources are reachable: from outside references, from records of ordinary tables and from
/// what a load kept, along Strong fields.
//
//   SG1  A resource is marked exactly when a chain of Strong fields, or none, leads to it from a
//        root.
class ReferenceCycles {
 public:
  explicit ReferenceCycles(const Database& database);

  /// Marks all that is reachable. Errors: a record's `serialize`.
  [[nodiscard]] Status mark_reachable();
  /// The marks of a resource table, a bit a slot; null when the table is not one. Requires:
  /// mark_reachable.
  [[nodiscard]] const std::vector<std::uint64_t>* marks_of(const TableCore& table) const noexcept;
  /// Requires: mark_reachable.
  [[nodiscard]] Result<std::vector<CycleResource>> cycles();

  /// Calls `visit(bits)` with each strong handle that a load kept and that can name a record of a
  /// table.
  template <class Visit>
  static void for_each_kept(const Database& database, const TableEntry& table, const Visit& visit) {
    for (const auto& entry : database.tables_) {
      const bool has_kept =
          entry->kept != nullptr && (entry->erased == nullptr || !entry->erased->are_all());
      if (has_kept) for_each_handle_to(table, entry->kept->strong_handles(), visit);
    }
    if (database.state_->kept == nullptr) return;
    for (const auto& kept : database.state_->kept->tables)
      for_each_handle_to(table, kept->strong_handles, visit);
  }

 private:
  struct Resources {
    const TableEntry* entry;
    StrongTarget target;
    std::vector<const TableEntry*> components;  // tables of components, which are parts of it
  };
  struct Node {
    std::uint32_t table;
    std::uint32_t slot;
  };
  [[nodiscard]] Status mark_roots();
  // Calls `visit(Node)` for every resource that the Strong fields of a record name.
  template <class Visit>
  [[nodiscard]] Status for_each_held(const TableEntry& holder, std::uint32_t place,
                                     const Visit& visit);
  // The same of a resource with its components.
  template <class Visit>
  [[nodiscard]] Status for_each_held(Node node, const Visit& visit);
  // The same for all records of a table.
  template <class Visit>
  [[nodiscard]] Status for_all_held(const TableEntry& holder, const Visit& visit);

  const Database& database_;
  std::vector<Resources> tables_;
  std::vector<Node> to_visit_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace hdb::detail
