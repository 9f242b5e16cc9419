// The rules of a load about a table as a whole.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/using_detail.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/inspect/compat.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/load_change.hpp"

namespace hdb::detail::evolve {

/// A finding with the effect of its rule.
[[nodiscard]] CompatFinding finding_of(CompatRule rule, std::string field, std::string what,
                                       std::optional<ErrorCode> code = {});

/// What differs between the stored options of a table and the program's.
[[nodiscard]] HDB_INSPECT_API std::vector<PolicyChange> policy_changes(const TablePolicy& own,
                                                                       const TablePolicy& stored);

/// Compares a table of the program, which holds at most `max_records`, with a stored one of the
/// same name. `has_counts`: the stored one has the counts of a file. The first finding that is
/// incompatible, and does not depend on values, is the error of a load.
[[nodiscard]] HDB_INSPECT_API std::vector<CompatFinding> match_tables(const TableDescriptor& own,
                                                                      std::uint64_t max_records,
                                                                      const TableDescriptor& stored,
                                                                      bool has_counts);

/// A field of handles whose table has another layout in the program, or of handles that name their
/// table by type id.
struct AdaptedHandle {
  std::size_t column = 0;  ///< In columns_of(the record).
  std::string path;        ///< "loot[]"
  std::string table;       ///< The name of their table; empty: by type id.
  HandleLayout stored;
  HandleLayout own;  ///< As `stored` where the type id names the table.
};

/// The layout of the program's table that a handle field names; none if the program does not have
/// this table.
using LayoutOf = std::function<std::optional<HandleLayout>(const std::string& table)>;

/// Whether all handles of a stored record name tables, and have the layouts of those: then
/// adapt_handles finds none.
[[nodiscard]] HDB_INSPECT_API bool has_own_layouts(const Field& stored, const LayoutOf& layout_of);
/// Gives the handle fields of a stored record the layouts that their tables have in the program,
/// and lists them. Lists the fields that name their tables by type id, too; they keep their layout.
[[nodiscard]] HDB_INSPECT_API std::vector<AdaptedHandle> adapt_handles(Field& stored,
                                                                       const LayoutOf& layout_of);

}  // namespace hdb::detail::evolve
