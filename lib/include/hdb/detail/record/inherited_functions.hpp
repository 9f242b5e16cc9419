// Finds types that have the `serialize` of a base class, which does not visit what they add to it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hdb/detail/record/aggregate.hpp"

namespace hdb::detail::record {

class EncodeArchive;

// The size of the class that declares a member function of cereal's.
template <class C, class R>
[[nodiscard]] consteval std::size_t size_of_class(R (C::*)(EncodeArchive&)) {
  return sizeof(C);
}
template <class C, class R>
[[nodiscard]] consteval std::size_t size_of_class(R (C::*)(EncodeArchive&, std::uint32_t)) {
  return sizeof(C);
}
template <class C, class R>
[[nodiscard]] consteval std::size_t size_of_class(R (C::*)(EncodeArchive&) const) {
  return sizeof(C);
}
template <class C, class R>
[[nodiscard]] consteval std::size_t size_of_class(R (C::*)(EncodeArchive&, std::uint32_t) const) {
  return sizeof(C);
}

/// Whether T is larger than the class whose `serialize` or `save` it has, and does not declare with
/// hdb::LeavesOut that members are left out. Private functions are not seen.
template <class T>
[[nodiscard]] consteval bool inherits_too_little() {
  if constexpr (NamesLeftOut<T>) {
    return false;
  } else if constexpr (leaves_out_any<T>()) {
    return false;
  } else if constexpr (requires { size_of_class(&T::template serialize<EncodeArchive>); }) {
    return sizeof(T) > size_of_class(&T::template serialize<EncodeArchive>);
  } else if constexpr (requires { size_of_class(&T::template save<EncodeArchive>); }) {
    return sizeof(T) > size_of_class(&T::template save<EncodeArchive>);
  } else {
    return false;
  }
}

}  // namespace hdb::detail::record
