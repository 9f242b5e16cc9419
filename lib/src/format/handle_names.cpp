// Handles taken apart and named.
#include "hdb/format/handle_names.hpp"

#include "hdb/base/text.hpp"

namespace hdb {

std::optional<HandleParts> split_handle(const HandleLayout& layout, std::uint64_t bits) noexcept {
  const unsigned used = layout.index_bits + layout.generation_bits + layout.type_bits;
  if (used < 64 && bits >> used != 0) return std::nullopt;
  const auto part = [bits](unsigned shift, unsigned width) {
    return static_cast<std::uint32_t>(bits >> shift & ((std::uint64_t{1} << width) - 1));
  };
  HandleParts parts;
  parts.index = part(0, layout.index_bits);
  parts.generation = part(layout.index_bits, layout.generation_bits);
  if (layout.type_bits != 0)
    parts.type_id = part(layout.index_bits + layout.generation_bits, layout.type_bits);
  return parts;
}

std::string handle_name(const TableDescriptor& table, std::uint64_t slot,
                        std::uint32_t generation) {
  return table.name + ':' + std::to_string(slot) + '@' + std::to_string(generation);
}

std::optional<std::size_t> HandleNamer::table_of(const Field& field,
                                                 std::uint64_t bits) const noexcept {
  const auto parts = split_handle(field.layout, bits);
  if (!parts) return std::nullopt;
  for (std::size_t i = 0; i < tables_->size(); ++i) {
    const TableDescriptor& table = (*tables_)[i];
    if (field.table.empty() ? parts->type_id != 0 && parts->type_id == table.type_id
                            : field.table == table.name) {
      return i;
    }
  }
  return std::nullopt;
}

std::string HandleNamer::name(const Field& field, std::uint64_t bits) const {
  if (bits == 0) return "null";
  const auto parts = split_handle(field.layout, bits);
  const auto table = table_of(field, bits);
  const bool other_type =
      parts && table && field.layout.type_bits != 0 && parts->type_id != (*tables_)[*table].type_id;
  if (!parts || !table || other_type)
    return "0x" + hex_number(bits, static_cast<unsigned>(field.layout.byte_size() * 2));
  return handle_name((*tables_)[*table], parts->index, parts->generation);
}

}  // namespace hdb
