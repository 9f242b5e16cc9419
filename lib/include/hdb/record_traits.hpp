// What a user may say about a type beyond its `serialize`: opaque, not plain, unordered, UTF-8,
// renames, own containers.
#pragma once

#include <array>
#include <type_traits>

namespace hdb {

/// Specialise as true to keep a type as bytes that only the program understands. Its `serialize`
/// may then visit other fields each time; tools cannot see into it, and it cannot be loaded field
/// by field.
template <class T>
struct Opaque : std::false_type {};

/// Specialise as true when a trivially copyable type must always be saved and loaded through its
/// `serialize`. Needed only where `serialize` does more than visit its fields, and does so for
/// values that probing with zeros, small numbers and byte patterns does not meet.
template <class T>
struct NotPlain : std::false_type {};

/// Specialise as true for an unordered container type: it is saved in the order of its elements'
/// canonical bytes, so equal contents give equal files, but the order of iteration after a load is
/// not that before the save.
template <class Container>
struct AllowUnordered : std::false_type {};

/// Specialise as true for a described type whose strings are all UTF-8: checked when saved and when
/// loaded.
template <class T>
struct Utf8Checked : std::false_type {};

/// One field that had another name in older files.
struct Rename {
  const char* old_name;
  const char* new_name;
};

/// Specialise with `static constexpr std::array list{hdb::Rename{"health", "hp"}};` to load older
/// files.
template <class T>
struct Renames {
  static constexpr std::array<Rename, 0> list{};
};

/// Specialise for a container whose save and load use `make_size_tag` and a loop, as cereal
/// documents: `using Element = ...;` for a sequence, or `using Key = ...; using Value = ...;` for
/// pairs (`make_map_item`).
template <class Container>
struct SizeAndLoop {};

/// Specialise as true to refuse a type as part of a record at compile time. A type with a member
/// type `OutsideRecords` is refused too.
template <class T>
struct Refused : std::false_type {};

}  // namespace hdb
