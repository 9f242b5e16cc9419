// The enumerators of an enum and their names, found while the program is compiled.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "hdb/detail/base/compiler.hpp"

namespace hdb::detail {

/// The identifier that the text of a value ends with; empty if the value has no enumerator.
[[nodiscard]] constexpr std::string_view enumerator_of(std::string_view value) {
  const std::size_t before = value.find_last_of(":) -");
  if (before == std::string_view::npos) return value;
  return value[before] == ':' ? value.substr(before + 1) : std::string_view();
}

/// Takes the next value off the front of a list. MSVC writes no space after a comma.
[[nodiscard]] constexpr std::string_view next_value(std::string_view& list) {
  std::size_t depth = 0;
  std::size_t end = 0;
  for (; end < list.size(); ++end) {
    const char c = list[end];
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
    if (c == ',' && depth == 0) break;
  }
  const std::string_view value = list.substr(0, end);
  list.remove_prefix(end);
  list.remove_prefix(std::min(list.size(), list.find_first_not_of(", ")));
  return value;
}

/// The values in the text of values_text: "hdb::Scope::full, (hdb::Scope)9".
[[nodiscard]] constexpr std::string_view values_in(std::string_view function) {
  if (function.ends_with(">(void)")) {  // a text of MSVC
    const std::string_view name = "values_text<";
    function.remove_suffix(std::string_view(">(void)").size());
    function.remove_prefix(function.find(name) + name.size());
    static_cast<void>(next_value(function));
    return function;
  }
  function.remove_suffix(2);  // "}]" or ">]"
  const std::string_view name = "Values = ";
  return function.substr(function.rfind(name) + name.size() + 1);
}

/// The values as the compiler prints them. One instantiation for all of them.
template <class E, E... Values>
[[nodiscard]] consteval auto values_text() {
  return values_in(HDB_FUNCTION_TEXT);
}

/// The enumerators of E among Count values from First on.
template <class E, auto First, std::size_t Count>
struct Enumerators {
  static constexpr std::string_view text = []<std::size_t... I>(std::index_sequence<I...>) {
    using U = std::underlying_type_t<E>;
    return values_text<E, static_cast<E>(static_cast<U>(First + static_cast<U>(I)))...>();
  }
  (std::make_index_sequence<Count>{});
  /// Where the identifier of each value lies in `text`; of no length if there is none.
  static constexpr std::array<std::string_view, Count> names = [] {
    std::array<std::string_view, Count> found{};
    std::string_view rest = text;
    for (std::string_view& name : found) name = enumerator_of(next_value(rest));
    return found;
  }();
  static constexpr std::size_t named = [] {
    std::size_t count = 0;
    for (const std::string_view name : names) count += name.empty() ? 0 : 1;
    return count;
  }();
  /// The identifiers, each with a zero byte after it.
  static constexpr auto characters = [] {
    constexpr std::size_t size = [] {
      std::size_t sum = 0;
      for (const std::string_view name : names) sum += name.empty() ? 0 : name.size() + 1;
      return sum;
    }();
    std::array<char, size> all{};
    std::size_t at = 0;
    for (const std::string_view name : names) {
      for (const char c : name) all[at++] = c;
      if (!name.empty()) ++at;
    }
    return all;
  }();
};

}  // namespace hdb::detail
