// What a program declares of the alternatives that a variant had in older files
// (hdb::OldAlternatives), as numbers.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "hdb/detail/evolve/plan.hpp"
#include "hdb/record_traits.hpp"

namespace hdb::detail::evolve {

/// The place of T among Ts; -1 if it is not there.
template <class T, class... Ts>
[[nodiscard]] consteval std::int16_t alternative_number() {
  std::int16_t number = 0;
  const bool is_there = ((std::is_same_v<T, Ts> || (++number, false)) || ...);
  return is_there ? number : std::int16_t{-1};
}

template <class Old, class Variant>
struct OldOrder {
  static_assert(sizeof(Old) == 0, "hdb: OldAlternatives lists std::variants in a std::tuple");
};
template <class... Olds, class... Ts>
struct OldOrder<std::variant<Olds...>, std::variant<Ts...>> {
  static AlternativeOrder get() { return {alternative_number<Olds, Ts...>()...}; }
};

/// The declared lists, in their order.
template <class Variant>
[[nodiscard]] std::vector<AlternativeOrder> old_alternatives_of() {
  using List = typename OldAlternatives<Variant>::list;
  return []<std::size_t... Is>(std::index_sequence<Is...>) {
    return std::vector<AlternativeOrder>{
        OldOrder<std::tuple_element_t<Is, List>, Variant>::get()...};
  }
  (std::make_index_sequence<std::tuple_size_v<List>>());
}

}  // namespace hdb::detail::evolve
