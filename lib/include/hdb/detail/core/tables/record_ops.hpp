// What the untyped core must know about a record type: its size and how to make, copy, move and
// destroy one.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/base/object_functions.hpp"
#include "hdb/detail/core/tables/record_type.hpp"

namespace hdb::detail {

/// The operations of one element type. Trivial elements that are not records have no functions;
/// trivial records of a type that exists only at run time have `destroy` and `initial` alone.
struct RecordOps {
  std::size_t size_bytes = 0;
  std::size_t alignment = 1;
  bool trivial = true;  ///< Trivially copyable and destructible: bytes are all there is.
  void (*default_construct)(void* to) = nullptr;
  void (*copy_construct)(void* to, const void* from) = nullptr;
  /// Moves `from` to `to` and destroys `from`. A record whose move throws ends the program.
  void (*relocate)(void* to, void* from) noexcept = nullptr;
  void (*destroy)(void* record) noexcept = nullptr;
  const std::byte* initial = nullptr;  ///< Without default_construct: a default record.

  /// Makes a default record. Requires: the elements are records.
  void construct_default(void* to) const {
    if (default_construct != nullptr) {
      default_construct(to);
    } else {
      std::memcpy(to, initial, size_bytes);
    }
  }
  /// Moves `from` to `to` and ends it.
  void move(void* to, void* from) const noexcept {
    if (trivial) {
      std::memcpy(to, from, size_bytes);
    } else {
      relocate(to, from);
    }
  }
};

/// A record made beside a table, which ends it unless it has moved.
class MadeRecord {
 public:
  MadeRecord(const RecordOps& ops, void* record) noexcept : ops_(ops), record_(record) {}
  HDB_API ~MadeRecord();
  MadeRecord(const MadeRecord&) = delete;
  MadeRecord& operator=(const MadeRecord&) = delete;
  HDB_API void move_to(void* memory) noexcept;

 private:
  const RecordOps& ops_;
  void* record_;  // Null: it has moved.
};

/// Whether the bytes of a record are all there is to it.
template <class Record>
inline constexpr bool is_trivial_record =
    std::is_trivially_copyable_v<Record>&& std::is_trivially_destructible_v<Record>;

/// The operations of `Record`.
template <class Record>
[[nodiscard]] const RecordOps& record_ops() noexcept {
  static_cast<void>(require_record_type<Record>());
  static constexpr RecordOps ops{
      sizeof(Record),
      alignof(Record),
      is_trivial_record<Record>,
      &construct_object<Record>,
      [](void* to, const void* from) { ::new (to) Record(*static_cast<const Record*>(from)); },
      [](void* to, void* from) noexcept {
        auto* const source = static_cast<Record*>(from);
        ::new (to) Record(std::move(*source));
        source->~Record();
      },
      &destroy_object<Record>,
  };
  return ops;
}

}  // namespace hdb::detail
