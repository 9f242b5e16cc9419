// Functions on objects of one type, for tables of functions.
#pragma once

#include <new>

namespace hdb::detail {

template <class T>
void construct_object(void* to) {
  ::new (to) T();
}
template <class T>
void destroy_object(void* object) noexcept {
  static_cast<T*>(object)->~T();
}

}  // namespace hdb::detail
