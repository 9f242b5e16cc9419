// The names that a program gives to the values of an enumeration (hdb::EnumNames).
#pragma once

#include <type_traits>
#include <vector>

#include "hdb/detail/evolve/kinds.hpp"
#include "hdb/field.hpp"
#include "hdb/record_traits.hpp"

namespace hdb::detail::evolve {

/// What a program declares of an enumeration.
struct DescribedEnum {
  FieldKind integer = FieldKind::u8;
  std::vector<Enumerator> enumerators;  ///< In the order of the declaration.
  std::vector<Rename> renames;          ///< Declared old names of enumerators.
};

template <class T>
inline constexpr bool kHasEnumNames = EnumNames<T>::list.size() != 0;

template <class T>
[[nodiscard]] DescribedEnum describe_enum() {
  using Integer = EnumInteger<std::underlying_type_t<T>>;
  DescribedEnum described;
  described.integer = leaf_kind<Integer>();
  for (const EnumName<T>& each : EnumNames<T>::list)
    described.enumerators.push_back({stored_bits(static_cast<Integer>(each.value)), each.name});
  described.renames.assign(Renames<T>::list.begin(), Renames<T>::list.end());
  return described;
}

}  // namespace hdb::detail::evolve
