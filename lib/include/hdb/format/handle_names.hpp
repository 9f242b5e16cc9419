// Names of handles for people: `monsters:1042@7`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hdb/schema/field.hpp"
#include "hdb/schema/table.hpp"

namespace hdb {

/// The parts of a handle's raw bits.
struct HandleParts {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  std::uint32_t type_id = 0;
};

/// Takes raw bits apart; nothing when bits outside of the layout are set.
[[nodiscard]] std::optional<HandleParts> split_handle(const HandleLayout& layout,
                                                      std::uint64_t bits) noexcept;

/// `monsters:1042@7`; the table's name is as in the file, to be escaped where it is printed.
[[nodiscard]] std::string handle_name(const TableDescriptor& table, std::uint64_t slot,
                                      std::uint32_t generation);

/// Names handles that are stored in fields.
class HandleNamer {
 public:
  explicit HandleNamer(const std::vector<TableDescriptor>& tables) : tables_(&tables) {}
  /// The table that a handle in `field` names, by the field's table or the handle's type id.
  [[nodiscard]] std::optional<std::size_t> table_of(const Field& field,
                                                    std::uint64_t bits) const noexcept;
  /// "null", `monsters:77@2`, or `0x...` where no table is known; not escaped.
  [[nodiscard]] std::string name(const Field& field, std::uint64_t bits) const;

 private:
  const std::vector<TableDescriptor>* tables_;
};

}  // namespace hdb
