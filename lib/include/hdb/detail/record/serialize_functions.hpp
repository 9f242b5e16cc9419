// What is compiled for each record type: a few functions that hand one record to an archive.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "hdb/detail/base/object_functions.hpp"
#include "hdb/detail/base/type_key.hpp"
#include "hdb/detail/record/decode_archive.hpp"
#include "hdb/detail/record/describe_archive.hpp"
#include "hdb/detail/record/encode_archive.hpp"

namespace hdb::detail::record {

/// What hdb knows about one record type, or about the element type of a container.
struct SerializeFunctions {
  std::string_view type_name;
  std::size_t size = 0;
  std::uint32_t alignment = 0;
  bool may_be_plain = false;  ///< Trivially copyable, and not opted out.
  void (*construct)(void* at) = nullptr;
  void (*destroy)(void* at) = nullptr;
  const StructureType* structure = nullptr;  ///< Null: it becomes the field "value" of a record.
  void (*describe)(DescribeArchive& archive, const void* record) = nullptr;  ///< No structure.
  const MemberTable* members = nullptr;  ///< Of an aggregate; null: `save` and `load` are there.
  void (*save)(EncodeArchive& archive, const void* record) = nullptr;
  void (*load)(DecodeArchive& archive, void* record) = nullptr;

  void describe_record(DescribeArchive& archive, const void* record) const {
    structure != nullptr ? archive.record(*structure, record) : describe(archive, record);
  }
  void save_record(EncodeArchive& archive, const void* record) const {
    members != nullptr ? archive.aggregate_record(*members, record) : save(archive, record);
  }
  void load_record(DecodeArchive& archive, void* record) const {
    members != nullptr ? archive.aggregate_record(*members, record) : load(archive, record);
  }
};

/// A table or functions: what T does not have is null.
template <class T>
struct RecordVisits {
  static void save(EncodeArchive& archive, const void* at) {
    archive.record(*static_cast<const T*>(at));
  }
  static void load(DecodeArchive& archive, void* at) { archive.record(*static_cast<T*>(at)); }
  static constexpr const MemberTable* members = nullptr;
};
template <class T>
requires(has_member_table<T>()) struct RecordVisits<T> {
  static constexpr decltype(SerializeFunctions::save) save = nullptr;
  static constexpr decltype(SerializeFunctions::load) load = nullptr;
  static constexpr const MemberTable* members = &MemberTableOf<T>::table;
};
template <class T>
struct RecordDescription {
  static void describe(DescribeArchive& archive, const void* at) {
    archive.record_of_value(*static_cast<const T*>(at));
  }
  static constexpr const StructureType* structure = nullptr;
};
template <class T>
requires(is_structure<T>()) struct RecordDescription<T> {
  static constexpr decltype(SerializeFunctions::describe) describe = nullptr;
  static constexpr const StructureType* structure = &kStructureType<T>;
};

template <class T>
const SerializeFunctions& serialize_functions() {
  static const SerializeFunctions functions = {
      .type_name = type_name<T>(),
      .size = sizeof(T),
      .alignment = alignof(T),
      .may_be_plain = std::is_trivially_copyable_v<T> && !NotPlain<T>::value,
      .construct = &construct_object<T>,
      .destroy = &destroy_object<T>,
      .structure = RecordDescription<T>::structure,
      .describe = RecordDescription<T>::describe,
      .members = RecordVisits<T>::members,
      .save = RecordVisits<T>::save,
      .load = RecordVisits<T>::load,
  };
  return functions;
}

}  // namespace hdb::detail::record
