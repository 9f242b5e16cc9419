// make_codec<Record>(): the codec of a record type, from the functions that its user wrote for
// cereal.
//
// This header instantiates archives: include it in the one translation unit where a record type is
// registered.
#pragma once

#include <memory>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/record/serialize_functions.hpp"

namespace hdb::detail {

class RecordCodec;

[[nodiscard]] HDB_API std::shared_ptr<const RecordCodec> codec_of(
    const record::SerializeFunctions& functions);

/// The codec of `Record`.
///
/// Requires: a default- and copy-constructible type that is described in one of cereal's ways; what
/// it may consist of is told by hdb/record/traits.hpp and the README. Types that cannot be records
/// at all do not compile; those that show it only when visited (recursive types, two fields of one
/// name, a load that does not read what save writes) give refused_type from `schema`.
///
/// A record's move constructor must not throw, whether or not it is noexcept: erasing from a dense
/// table and sorting move records after the point of return, so an exception there ends the
/// program. (The copy constructor stands in where there is no move constructor.)
///
/// The type's functions are called on default objects of it, and of the types of its containers'
/// elements: saving first, then loading what was saved. Load must read each field that save writes,
/// by the same name (fields without names: in the same order) and type, and no other; named fields
/// in any order. Only a load that is given an older class version may read other fields. Fields of
/// older files that have other names are declared with hdb::Renames. What a default object does not
/// show is checked at each load: a field left unread is type_mismatch.
template <class Record>
[[nodiscard]] std::shared_ptr<const RecordCodec> make_codec() {
  if constexpr (require_record<Record>()) {
    return codec_of(record::serialize_functions<Record>());
  } else {
    return nullptr;
  }
}

}  // namespace hdb::detail
