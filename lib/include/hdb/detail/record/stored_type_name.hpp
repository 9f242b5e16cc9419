// What a file calls the type of a value that has only a place: an alternative of a variant, an
// element of a tuple.
#pragma once

#include <string>
#include <utility>

#include "hdb/detail/record/shape.hpp"
#include "hdb/record_traits.hpp"

namespace hdb::detail::record {

template <class T>
[[nodiscard]] std::string stored_type_name();

/// The names of some types with something between; empty if none has a name.
template <class... Ts>
[[nodiscard]] std::string joined_type_names() {
  std::string text;
  bool has_name = false;
  const auto add = [&](const std::string& name) {
    has_name = has_name || !name.empty();
    text += (text.empty() ? "" : ",") + (name.empty() ? std::string("-") : name);
  };
  (add(stored_type_name<Ts>()), ...);
  return has_name ? text : std::string();
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

/// TypeName of a class or an enum; of a container, those of its content and a mark. Empty for
/// numbers, texts and containers of such, and if the name is too long for a file.
template <class T>
[[nodiscard]] std::string stored_type_name() {
  constexpr std::size_t kMost = 255;  // bytes of a name in a file
  constexpr Shape shape = inner_shape<T>();
  std::string name;
  const auto marked = [](std::string content, const char* mark) {
    return content.empty() ? content : std::move(content) + mark;
  };
  if constexpr (shape == Shape::user || shape == Shape::enumeration || shape == Shape::nothing ||
                shape == Shape::loop_list || shape == Shape::loop_map ||
                (shape == Shape::handle && StoredAsHandle<T>)) {
    name = TypeName<T>::value;
  } else if constexpr (shape == Shape::handle) {
    name = marked(std::string(TypeName<typename T::Tag>::value), "@");
  } else if constexpr (shape == Shape::sequence || shape == Shape::set || shape == Shape::array) {
    name = marked(stored_type_name<typename Known<T>::Element>(), "[]");
  } else if constexpr (shape == Shape::map) {
    name = marked(joined_type_names<typename Known<T>::Key, typename Known<T>::Value>(), "{}");
  } else if constexpr (shape == Shape::optional) {
    name = marked(stored_type_name<typename Known<T>::Element>(), "?");
  } else {
    name = marked(ContentNames<T>::get(), "()");
  }
  return name.size() <= kMost ? name : std::string();
}

}  // namespace hdb::detail::record
