// Handles as text for people: `monsters:1042@7` is slot 1042 of table monsters, generation 7. For
// tools that print handles of any file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/table_options.hpp"

namespace hdb {

/// The text of a record's handle: `monsters:1042@7`. In a component table, the text of the handle
/// of the component's record, a dot and the name of the component: `entities:1042@7.Position`. The
/// names of tables are not escaped: apply escape_text before printing.
[[nodiscard]] HDB_INSPECT_API std::string handle_name(const TableDescriptor& table,
                                                      std::uint64_t slot, std::uint32_t generation);

/// Whether handles in `field` can name records of `table`: the layouts are equal, and the field
/// either names the table, or names no table and the table has a type id. Nothing names the records
/// of a component table but the handles of its owner.
[[nodiscard]] HDB_INSPECT_API bool can_name(const Field& field,
                                            const TableDescriptor& table) noexcept;

/// Resolves and prints handles that fields hold.
///
/// Example:
/// @code
/// const auto reader = hdb::Reader::open(hdb::FileSource::open("slot1.hdb").value());
/// if (!reader) return;
/// const auto& tables = (*reader)->tables();
/// const auto target = hdb::find_field((*reader)->schemas()[tables[1].schema], "target");
/// assert(hdb::handle_name(tables[1], 7, 1) == "monsters:7@1");
/// const hdb::HandleNamer namer(tables);
/// assert(namer.name(*target->field, 0x1'0000'0007) == "monsters:7@1");
/// assert(namer.name(*target->field, 0) == "null");
/// @endcode
class HandleNamer {
 public:
  /// Requires: `tables` outlives the namer.
  explicit HandleNamer(const std::vector<TableDescriptor>& tables) : tables_(&tables) {}
  /// The index of the table that a handle in `field` names, by the field's table and the handle's
  /// type id. None if no table of the file can have issued the handle. Does not check the slot.
  [[nodiscard]] HDB_INSPECT_API std::optional<std::size_t> table_of(
      const Field& field, std::uint64_t bits) const noexcept;
  /// The text of a handle in `field`: "null", `monsters:77@2`, or its bits as `0x...` (two digits
  /// for each byte) if table_of returns none. Not escaped.
  [[nodiscard]] HDB_INSPECT_API std::string name(const Field& field, std::uint64_t bits) const;

 private:
  const std::vector<TableDescriptor>* tables_;
};

}  // namespace hdb
