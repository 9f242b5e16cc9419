// Names of types as the compiler writes them.
#pragma once

#include <string_view>

namespace hdb {
namespace detail {

template <class T>
[[nodiscard]] constexpr const char* function_text() noexcept {
#if defined(_MSC_VER) && !defined(__clang__)
  return __FUNCSIG__;
#else
  return __PRETTY_FUNCTION__;
#endif
}

/// Where the name of T begins in function_text<T>(), and how many characters follow it.
struct NamePlace {
  std::size_t before = 0;
  std::size_t after = 0;
};
[[nodiscard]] constexpr NamePlace name_place() noexcept {
  const std::string_view text = function_text<double>();
  const std::size_t before = text.find("double");
  return {before, text.size() - before - std::string_view("double").size()};
}

}  // namespace detail

/// The name of T with its namespaces, as the compiler writes it: for messages.
template <class T>
[[nodiscard]] constexpr std::string_view type_name() noexcept {
  constexpr detail::NamePlace place = detail::name_place();
  const std::string_view text = detail::function_text<T>();
  return text.substr(place.before, text.size() - place.before - place.after);
}

}  // namespace hdb
