// How hdb::Box and hdb::OneOf make and take the objects that they hold.
#pragma once

#include <memory>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace hdb::detail::record {

/// A new T, made of the arguments in parentheses if T has such a constructor, else in braces.
template <class T, class... Args>
[[nodiscard]] std::unique_ptr<T> make_object(Args&&... args) {
  static_assert(!std::is_abstract_v<T>,
                "hdb: an object in an hdb::Box or hdb::OneOf cannot be of an abstract type: list "
                "the types derived from it, as in hdb::OneOf<Base, A, B>");
  if constexpr (std::is_constructible_v<T, Args...>) {
    return std::unique_ptr<T>(new T(std::forward<Args>(args)...));
  } else {
    static_assert(std::is_abstract_v<T> || !std::is_same_v<void(Args...), void(const T&)>,
                  "hdb: a type in an hdb::Box or hdb::OneOf must be copy-constructible");
    return std::unique_ptr<T>(new T{std::forward<Args>(args)...});
  }
}

/// Whether an object is a T, and not of a class derived from it, of which a copy would lose a part.
/// True where that is not known at run time.
template <class T>
[[nodiscard]] bool is_exactly([[maybe_unused]] const T& object) noexcept {
#if defined(__cpp_rtti)
  if constexpr (std::is_polymorphic_v<T>) return typeid(object) == typeid(T);
#endif
  return true;
}

}  // namespace hdb::detail::record
