// Handles taken apart and named.
#include "hdb/inspect/handle_names.hpp"

#include "base/using_detail.hpp"
#include "hdb/inspect/text.hpp"
#include "hdb/translate_handle.hpp"

namespace hdb {

std::string handle_name(const TableDescriptor& table, std::uint64_t slot,
                        std::uint32_t generation) {
  const std::string handle = ':' + std::to_string(slot) + '@' + std::to_string(generation);
  return table.owner.empty() ? table.name + handle : table.owner + handle + '.' + table.name;
}

bool can_name(const Field& field, const TableDescriptor& table) noexcept {
  if (field.layout != table.policy.layout || table.policy.is_component) return false;
  return field.table.empty() ? table.type_id != 0 : field.table == table.name;
}

std::optional<std::size_t> HandleNamer::table_of(const Field& field,
                                                 std::uint64_t bits) const noexcept {
  const auto parts = split_handle(field.layout, bits);
  if (!parts) return std::nullopt;
  for (std::size_t i = 0; i < tables_->size(); ++i) {
    const TableDescriptor& table = (*tables_)[i];
    if (can_name(field, table) && parts->type_id == table.type_id) return i;
  }
  return std::nullopt;
}

std::string HandleNamer::name(const Field& field, std::uint64_t bits) const {
  if (bits == 0) return "null";
  const auto table = table_of(field, bits);
  if (!table) return "0x" + hex_number(bits, field.layout.byte_size() * 2);
  const auto parts = split_handle(field.layout, bits);
  return handle_name((*tables_)[*table], parts->index, parts->generation);
}

}  // namespace hdb
