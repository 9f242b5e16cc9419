// The parts of a handle's bits, and the bits that it has in another layout: for games that keep
// handles outside of their saves, in a settings file or on a server.
#pragma once

#include <cstdint>
#include <optional>

#include "hdb/table_options.hpp"

namespace hdb {

/// The parts of a handle's bits.
struct HandleParts {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  std::uint32_t type_id = 0;  ///< 0 in layouts without one.
  friend constexpr bool operator==(const HandleParts&, const HandleParts&) = default;
};

/// The parts of a handle; none where no table could have issued it for its index or its unused
/// bits: an index of 2^32 or more, or a bit above the layout's.
[[nodiscard]] constexpr std::optional<HandleParts> split_handle(const HandleLayout& layout,
                                                                std::uint64_t bits) noexcept {
  const unsigned used = layout.total_bits();
  if (used < 64 && bits >> used != 0) return std::nullopt;
  const auto part = [bits](unsigned shift, unsigned width) {
    return bits >> shift & ((std::uint64_t{1} << width) - 1);
  };
  const std::uint64_t index = part(0, layout.index_bits);
  if (index >> 32 != 0) return std::nullopt;
  HandleParts parts;
  parts.index = static_cast<std::uint32_t>(index);
  parts.generation = static_cast<std::uint32_t>(part(layout.index_bits, layout.generation_bits));
  if (layout.type_bits != 0) {
    parts.type_id = static_cast<std::uint32_t>(
        part(layout.index_bits + layout.generation_bits, layout.type_bits));
  }
  return parts;
}

/// The bits that a handle has when its table has the layout `to` instead of `from`: index,
/// generation and type id stay the same. A load translates the handles in records in this way; a
/// handle that named a record before names the same record afterwards, and a stale handle stays
/// stale.
///
/// `type_id` is the table's type id (it matters only if one of the layouts has type ids and the
/// other has none): a handle gets it, or is a handle of this table only if it has it.
///
/// Any bits are safe. Null (0) for the null handle, and for bits that name no record under `to`: an
/// index, generation or type id that does not fit, a bit above those of `from`, or another table's
/// type id. Null, too, if a layout is not valid.
///
/// Example:
/// @code
/// constexpr hdb::HandleLayout from = hdb::Layout<16, 16>::value;
/// constexpr hdb::HandleLayout to = hdb::DefaultLayout::value;
/// constexpr std::uint64_t kept = 0x0007'0102;  // index 258, generation 7
/// constexpr std::uint64_t bits = hdb::translate_handle(from, to, kept);
/// static_assert(bits == 0x0000'0007'0000'0102);
/// static_assert(hdb::translate_handle(to, from, bits) == kept);
/// const auto imp = hdb::Handle<Monster>::from_bits(bits);
/// assert(imp.index() == 258 && imp.generation() == 7);
/// @endcode
[[nodiscard]] constexpr std::uint64_t translate_handle(const HandleLayout& from,
                                                       const HandleLayout& to, std::uint64_t bits,
                                                       std::uint16_t type_id = 0) noexcept {
  if (!from.is_valid() || !to.is_valid()) return 0;
  const auto parts = split_handle(from, bits);
  if (!parts || parts->index >= to.max_slots() || parts->generation > to.max_generation()) return 0;
  std::uint32_t id = parts->type_id;
  if (from.type_bits == 0) id = type_id;
  if (from.type_bits != 0 && to.type_bits == 0 && id != type_id) return 0;
  if (to.type_bits != 0 && (id == 0 || id >> to.type_bits != 0)) return 0;
  // No handle has generation 0: the null handle stays null and gets no type id.
  return parts->generation == 0 ? 0 : pack_handle(to, parts->index, parts->generation, id);
}

}  // namespace hdb
