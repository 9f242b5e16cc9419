// make_codec<Record>(): the codec of a record type, from the functions that its user wrote for cereal.
//
// This header instantiates archives: include it in the one translation unit where a record type is registered.
#pragma once

#include <new>

#include "hdb/record/record_ops.hpp"

namespace hdb {

/// The codec of `Record`.
///
/// Requires: a default- and copy-constructible type that is described in one of cereal's ways; what it may consist of
/// is told by hdb/record/traits.hpp and the README. Types that cannot be records at all do not compile; those that show
/// it only when visited (recursive types, two fields of one name) give refused_type from `schema`.
template <class Record>
[[nodiscard]] std::shared_ptr<const RecordCodec> make_codec() {
  static_assert(
      !std::is_pointer_v<Record> && !std::is_reference_v<Record> && !std::is_const_v<Record>,
      "hdb: a record is a value: not a pointer, not a reference, not const");
  static_assert(std::is_default_constructible_v<Record>,
                "hdb: a record must be default-constructible");
  static_assert(std::is_copy_constructible_v<Record>,
                "hdb: a record must be copy-constructible; keep move-only things in a sidecar");
  record::RecordOps ops;
  ops.size = sizeof(Record);
  ops.alignment = alignof(Record);
  ops.may_be_plain = std::is_trivially_copyable_v<Record> && !NotPlain<Record>::value;
  ops.construct = [](void* at) { ::new (at) Record(); };
  ops.destroy = [](void* at) { static_cast<Record*>(at)->~Record(); };
  ops.describe = [](record::DescribeArchive& archive, const void* at) {
    archive.record(*static_cast<const Record*>(at));
  };
  ops.save = [](record::EncodeArchive& archive, const void* at) {
    archive.record(*static_cast<const Record*>(at));
  };
  ops.load = [](record::DecodeArchive& archive, void* at) {
    archive.record(*static_cast<Record*>(at));
  };
  return record::make_record_codec(ops);
}

}  // namespace hdb
