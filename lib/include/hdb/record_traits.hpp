// Traits of record types: what hdb cannot learn from `serialize`. Games specialise them for renamed
// fields, opaque types, unordered containers, containers of their own, and the like.
#pragma once

#include <array>
#include <type_traits>

namespace hdb {

/// Specialise as true for a type whose `serialize` may visit other fields each time. hdb then saves
/// what `serialize` writes as bytes that only the program understands. Tools cannot read its
/// fields, and a load cannot match them by name.
template <class T>
struct Opaque : std::false_type {};

/// Specialise as true if a trivially copyable type must always be saved and loaded through its
/// `serialize`. By default hdb copies the fields of such a type directly if test values (zeros,
/// small numbers, byte patterns) show that `serialize` only visits them. The trait is needed if
/// `serialize` does more for other values only.
template <class T>
struct NotPlain : std::false_type {};

/// Specialise as true to allow an unordered container in records. Its elements are saved in the
/// order of their canonical bytes, so equal contents give equal files. The order of iteration can
/// change in a load.
template <class Container>
struct AllowUnordered : std::false_type {};

/// Specialise as true for a type whose strings are all UTF-8. Save and load then refuse other
/// strings in it (bad_value).
template <class T>
struct Utf8Checked : std::false_type {};

/// A field that had another name in older files.
struct Rename {
  const char* old_name;
  const char* new_name;
};

/// Specialise with a `list` of renamed fields to load older files.
///
/// Example:
/// @code
/// struct Door {
///   int strength = 0;
///   template <class A> void serialize(A& a) { a(CEREAL_NVP(strength)); }
/// };
/// template <> struct hdb::Renames<Door> {
///   static constexpr std::array list{hdb::Rename{"health", "strength"}};
/// };
/// int main() {
///   hdb::Database db;
///   db.create_table<Door>("doors");  // a load fills `strength` from `health`, too
/// }
/// @endcode
template <class T>
struct Renames {
  static constexpr std::array<Rename, 0> list{};
};

/// Specialise for a container of your own whose save and load use cereal::make_size_tag and a loop:
/// with `using Element = ...;` for a sequence, or with `using Key = ...; using Value = ...;` for
/// pairs that are saved by cereal::make_map_item.
template <class Container>
struct SizeAndLoop {};

/// Specialise as true to refuse a type as part of a record at compile time. hdb also refuses types
/// with a member type `OutsideRecords`.
template <class T>
struct Refused : std::false_type {};

}  // namespace hdb
