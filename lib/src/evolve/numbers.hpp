// Stored numbers of one kind as numbers of another: exactly, or not at all.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/evolve/kinds.hpp"
#include "hdb/error.hpp"

namespace hdb::detail::evolve {

/// The bits of a stored number: 1, 2, 4 or 8 bytes.
[[nodiscard]] HDB_INSPECT_API std::uint64_t load_number(std::span<const std::byte> bytes) noexcept;

/// The number as text, in as few digits as read back equal.
[[nodiscard]] HDB_INSPECT_API std::string number_text(std::uint64_t bits, FieldKind kind);

/// Writes such a number.
HDB_INSPECT_API void store_number(std::uint64_t bits, std::span<std::byte> to) noexcept;

/// The bits, in kind `to`, of the number that `bits` are in kind `from`. None if kind `to` has no
/// equal number or `bits` are no boolean. A NaN becomes a NaN (`narrowed`); an infinity stays one.
/// Requires: both kinds are numbers.
[[nodiscard]] HDB_INSPECT_API std::optional<std::uint64_t> convert_number(std::uint64_t bits,
                                                                          FieldKind from,
                                                                          FieldKind to) noexcept;

/// Why convert_number returned nothing, with the value.
[[nodiscard]] HDB_INSPECT_API Error conversion_error(std::uint64_t bits, FieldKind from,
                                                     FieldKind to);

}  // namespace hdb::detail::evolve
