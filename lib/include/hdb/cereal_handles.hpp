// Handles in cereal's own archives. Games that write the same records with cereal as JSON, XML or
// binary include this header; hdb/hdb.hpp includes it.
#pragma once

#include <cereal/cereal.hpp>

#include "hdb/handle.hpp"

namespace hdb {

/// @file
/// cereal writes a Handle or Strong as one unsigned number: its 16, 32 or 64 bits. Every archive of
/// cereal reads the number back exactly; other readers of JSON may round numbers above 2^53. Files
/// of hdb do not use these functions: there a handle is a field type.
///
/// Example:
/// @code
/// const auto saved = hdb::Handle<Monster>::from_bits(0x1'0000'0007);
/// std::stringstream text;
/// {
///   cereal::JSONOutputArchive archive(text);
///   archive(cereal::make_nvp("target", saved));
/// }
/// hdb::Handle<Monster> loaded;
/// cereal::JSONInputArchive archive(text);
/// archive(cereal::make_nvp("target", loaded));
/// assert(loaded == saved);
/// @endcode

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
