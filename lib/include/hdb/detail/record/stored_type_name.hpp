// What a file calls the type of a value that has only a place: an alternative of a variant, an
// element of a tuple.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/record/shape.hpp"
#include "hdb/record_traits.hpp"

namespace hdb::detail::record {

template <class T>
[[nodiscard]] std::string stored_type_name();

/// The names of some types with something between; empty if none has a name.
[[nodiscard]] HDB_API std::string joined_names(std::initializer_list<std::string> names);
template <class... Ts>
[[nodiscard]] std::string joined_type_names() {
  return joined_names({stored_type_name<Ts>()...});
}

template <class T>
struct ContentNames {
  static std::string get() { return {}; }
};
template <class A, class B>
struct ContentNames<std::pair<A, B>> {
  static std::string get() { return joined_type_names<A, B>(); }
};
template <class... Ts>
struct ContentNames<std::tuple<Ts...>> {
  static std::string get() { return joined_type_names<Ts...>(); }
};
template <class... Ts>
struct ContentNames<std::variant<Ts...>> {
  static std::string get() { return joined_type_names<Ts...>(); }
};
template <class Base, class... Ts>
struct ContentNames<OneOf<Base, Ts...>> : ContentNames<std::variant<std::monostate, Ts...>> {};

/// The name of a type with this content, or none: if the content has no name, or if it is too long
/// for a file.
[[nodiscard]] HDB_API std::string marked_type_name(std::string_view content, const char* mark);

/// TypeName of a class or an enum; of a container, those of its content and a mark. Empty for
/// numbers, texts and containers of such, and if the name is too long for a file.
template <class T>
[[nodiscard]] std::string stored_type_name() {
  constexpr Shape shape = inner_shape<T>();
  if constexpr (shape == Shape::user || shape == Shape::enumeration || shape == Shape::nothing ||
                shape == Shape::loop_list || shape == Shape::loop_map ||
                (shape == Shape::handle && StoredAsHandle<T>)) {
    return marked_type_name(TypeName<T>::value, "");
  } else if constexpr (shape == Shape::handle) {
    return marked_type_name(TypeName<typename T::Tag>::value, "@");
  } else if constexpr (shape == Shape::sequence || shape == Shape::set || shape == Shape::array) {
    return marked_type_name(stored_type_name<typename Known<T>::Element>(), "[]");
  } else if constexpr (shape == Shape::map) {
    return marked_type_name(joined_type_names<typename Known<T>::Key, typename Known<T>::Value>(),
                            "{}");
  } else if constexpr (shape == Shape::optional) {
    return marked_type_name(stored_type_name<typename Known<T>::Element>(), "?");
  } else {
    return marked_type_name(ContentNames<T>::get(), "()");
  }
}

}  // namespace hdb::detail::record
