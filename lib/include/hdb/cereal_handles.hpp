// Handles in cereal's own archives: a record that hdb saves can be written as JSON, XML or binary
// too.
#pragma once

#include <cereal/cereal.hpp>

#include "hdb/handle.hpp"

namespace hdb {

// A handle is its bits: one unsigned number of 16, 32 or 64 bits, which every archive of cereal
// reads back exactly. The archives of hdb do not come here: to them a handle is a field type.
// Readers of JSON other than cereal may round numbers above 2^53.

template <class Archive, class T, class L>
[[nodiscard]] typename L::Bits CEREAL_SAVE_MINIMAL_FUNCTION_NAME(const Archive&,
                                                                 const Handle<T, L>& handle) {
  return handle.bits();
}
template <class Archive, class T, class L>
void CEREAL_LOAD_MINIMAL_FUNCTION_NAME(const Archive&, Handle<T, L>& handle,
                                       const typename L::Bits& bits) {
  handle = Handle<T, L>::from_bits(bits);
}

template <class Archive, class T, class L>
[[nodiscard]] typename L::Bits CEREAL_SAVE_MINIMAL_FUNCTION_NAME(const Archive&,
                                                                 const Strong<T, L>& handle) {
  return handle.bits();
}
template <class Archive, class T, class L>
void CEREAL_LOAD_MINIMAL_FUNCTION_NAME(const Archive&, Strong<T, L>& handle,
                                       const typename L::Bits& bits) {
  handle = Handle<T, L>::from_bits(bits);
}

}  // namespace hdb
