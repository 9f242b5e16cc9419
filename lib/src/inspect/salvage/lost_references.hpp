// Handles of lost records: which they are, and what becomes of them and of the records that hold
// them.
#pragma once

#include <memory>
#include <vector>

#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/references.hpp"
#include "inspect/salvage/salvaged_table.hpp"

namespace hdb::salvaging {

using SalvagedTables = std::vector<std::unique_ptr<SalvagedTable>>;

/// Judges handles by the fates of slots.
class ReferenceJudge {
 public:
  ReferenceJudge(const format::DamagedFile& file, const GroupSource& groups,
                 const SalvageOptions& options, SalvagedTables& tables)
      : file_(file), groups_(groups), options_(options), tables_(tables), namer_(file.tables()) {}

  /// Looks at every handle of every record that is left: drops holders where that is asked for,
  /// then counts and reports.
  /// Errors: memory_budget, limits, I/O.
  [[nodiscard]] Status run();
  /// Whether the handle becomes null.
  [[nodiscard]] bool becomes_null(const Reference& reference) const;

 private:
  enum class Verdict : std::uint8_t {
    fine,      // null, of no table of the file, or of a live record
    stale,     // names a record that was erased
    dangling,  // a strong one that does
    lost,      // names a record that is lost, or may have been
    later,     // was taken from a neighbour, and names a record that is yet to come
  };
  struct Edge {  // a strong handle: slots with their tables
    std::uint64_t target;
    std::uint64_t holder;
    friend auto operator<=>(const Edge&, const Edge&) = default;
  };

  [[nodiscard]] Verdict judge(const Reference& reference) const;
  [[nodiscard]] Verdict judge(const Field& field, std::uint64_t bits) const;
  [[nodiscard]] bool needs_look(std::size_t table) const;
  template <class Visit>
  [[nodiscard]] Status for_each(const Visit& visit);
  [[nodiscard]] Status drop_holders();

  const format::DamagedFile& file_;
  const GroupSource& groups_;
  const SalvageOptions& options_;
  SalvagedTables& tables_;
  HandleNamer namer_;
  RowGroup group_;
};

}  // namespace hdb::salvaging
