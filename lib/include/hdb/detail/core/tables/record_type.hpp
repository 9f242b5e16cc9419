// What any table asks of its record type.
#pragma once

#include <cstdint>
#include <type_traits>

#include "hdb/detail/base/type_key.hpp"

namespace hdb::detail {

/// A record type, and how a module of the program lays its records out.
struct RecordType {
  TypeKey key;
  std::uint64_t layout = 0;  ///< A hash; 0 for a type of run time.
};

/// Ends the compilation, with a reason, unless values of `Record` can be kept in a table.
template <class Record>
consteval bool require_record_type() {
  static_assert(std::is_object_v<Record> && !std::is_pointer_v<Record> && !std::is_const_v<Record>,
                "hdb: a record must be a value, not a pointer, a reference or a const type");
  static_assert(std::is_default_constructible_v<Record>,
                "hdb: a record must be default-constructible: a load makes default records and "
                "fills them. Give the members default values");
  static_assert(std::is_copy_constructible_v<Record>,
                "hdb: a record must be copy-constructible: captures and files copy it. Instead of "
                "a std::unique_ptr<T>, hold the value (std::optional, std::vector), an "
                "hdb::Box<T>, an hdb::OneOf<Base, A, B> or an hdb::Handle to a record of another "
                "table; instead of a std::atomic, hold the plain value; keep files and locks in an "
                "hdb::Sidecar");
  static_assert(std::is_nothrow_destructible_v<Record>,
                "hdb: a record's destructor must not throw");
  static_assert(alignof(Record) <= 64, "hdb: a record must not need more than 64-byte alignment");
  return std::is_default_constructible_v<Record> && std::is_copy_constructible_v<Record>;
}

}  // namespace hdb::detail
