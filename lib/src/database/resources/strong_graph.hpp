// The resources of a database as a graph: Strong fields are its edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "hdb/database.hpp"
#include "hdb/detail/database/resources/strong_marks.hpp"
#include "hdb/resource_table.hpp"

namespace hdb::detail {

/// Which resources are reachable: from outside references and from records of ordinary tables,
/// along Strong fields.
//
//   SG1  A resource is marked exactly when a chain of Strong fields, or none, leads to it from a
//        root.
class StrongGraph {
 public:
  explicit StrongGraph(const Database& database);

  /// Marks all that is reachable. Errors: a record's `serialize`.
  [[nodiscard]] Status mark_reachable();
  /// The marks of a resource table, a bit a slot; null when the table is not one. Requires:
  /// mark_reachable.
  [[nodiscard]] const std::vector<std::uint64_t>* marks_of(const TableCore& table) const noexcept;
  /// Requires: mark_reachable.
  [[nodiscard]] Result<std::vector<RingResource>> rings();

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
