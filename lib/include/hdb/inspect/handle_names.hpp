// Names of handles for people: `monsters:1042@7`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hdb/schema.hpp"
#include "hdb/table_options.hpp"

namespace hdb {

/// `monsters:1042@7`; the table's name is as in the file, to be escaped where it is printed.
[[nodiscard]] std::string handle_name(const TableDescriptor& table, std::uint64_t slot,
                                      std::uint32_t generation);

/// Whether handles in `field` can name records of `table`: both have the same layout, and the field
/// gives the table's name, or no name where the table has a type id.
[[nodiscard]] bool can_name(const Field& field, const TableDescriptor& table) noexcept;

/// Names handles that are stored in fields.
class HandleNamer {
 public:
  explicit HandleNamer(const std::vector<TableDescriptor>& tables) : tables_(&tables) {}
  /// The table that a handle in `field` names, by the field's table and the handle's type id; none
  /// when no table of the file could have issued it. split_handle() succeeds for a handle that has
  /// one.
  [[nodiscard]] std::optional<std::size_t> table_of(const Field& field,
                                                    std::uint64_t bits) const noexcept;
  /// "null", `monsters:77@2`, or `0x...` where no table is known, in two digits a byte; not
  /// escaped.
  [[nodiscard]] std::string name(const Field& field, std::uint64_t bits) const;

 private:
  const std::vector<TableDescriptor>* tables_;
};

}  // namespace hdb
