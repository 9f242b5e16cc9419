// Traits of record types: what hdb cannot learn from `serialize`. Games specialise them for renamed
// fields, opaque types, unordered containers, containers of their own, and the like.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "hdb/detail/base/enumerators.hpp"
#include "hdb/detail/base/type_key.hpp"

namespace hdb {

/// What files call a class or an enum: by default the identifier of the type, without namespaces
/// and template arguments. Files have the name where a type could be taken for another one: in the
/// alternatives of a variant, in fields that have only a place (those of a tuple, and what
/// `serialize` visits without a name), and for the handles of tables that were dropped.
///
/// Specialise it with a `value` of 1 to 255 bytes of UTF-8 for a type that gets another name in the
/// program, so that older files still find it, or to distinguish two instances of a template. An
/// empty value means that the type has no name.
///
/// For instance:
/// ~~~cpp
/// struct Walk {  // Move in earlier versions of the game
///   int steps = 0;
/// };
/// template <> struct hdb::TypeName<Walk> {
///   static constexpr std::string_view value = "Move";
/// };
/// int main() { static_assert(hdb::TypeName<Walk>::value == "Move"); }
/// ~~~
template <class T>
struct TypeName {
  static constexpr std::string_view value = detail::identifier_of(detail::type_name<T>());
};

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

/// Specialise as true for a type whose strings are all UTF-8. A save then refuses other strings in
/// it with schema_drift, and a load with value_refused.
template <class T>
struct Utf8Checked : std::false_type {};

/// A field, or an enumerator, that had another name in older files.
struct Rename {
  const char* old_name;
  const char* new_name;
};

/// Specialise with a `list` of renamed fields to load older files. A field may have several old
/// names; the first one that the file has counts, and a stored field of the present name before all
/// of them. `create_table` refuses contradictions with rename_conflict: a new name that is not a
/// field of the type, an old name that is one, and two new names of one old name. Renames of an
/// enum type are old names of its enumerators (EnumNames), with the same rules.
///
/// Example:
/// @code
/// struct Door {
///   int strength = 0;
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

/// A value of an enum and its name.
template <class E>
struct EnumName {
  E value;
  const char* name;
};
template <class E>
EnumName(E, const char*) -> EnumName<E>;

/// Specialise with a `list` of the enumerators of an enum, so that its values are found by name in
/// older files, whatever their numbers were. Files then hold the names, and tools print them:
/// `static constexpr std::array list{hdb::EnumName{Mood::calm, "calm"}, ...};`
///
/// A load replaces each stored value by the program's number of the same name. Old names are
/// declared with Renames of the enum; an enumerator may have several old names. The load fails with
/// value_out_of_range in two cases: a stored value has a name in the file that the program does not
/// have; or it has no name in the file, but the program has a name for its number. All other values
/// without a name in the file keep their numbers. If the file or the program has no names at all,
/// all values keep their numbers. Combinations of flags have no names: name the values of an enum
/// only if each value is one enumerator.
///
/// A name is 1 to 255 bytes of UTF-8 without control characters. `create_table` refuses other
/// names, two names of one number and two numbers of one name with refused_type, and wrong old
/// names with rename_conflict. The names of an enum may take 64 KiB in a file. They apply to all
/// fields of the enum, also in containers and as keys, but not inside of Opaque types. An enum that
/// is saved by functions of its own cannot have names.
/// Complexity: none for a file with equal names and numbers; else a load looks each value up,
/// in time logarithmic in the names.
template <class E>
struct EnumNames {
  static constexpr std::array<EnumName<E>, 0> list{};
};

/// Names for EnumNames from the identifiers of the enumerators of E from Min to Max:
/// `template <> struct hdb::EnumNames<Mood> : hdb::AutoEnumNames<Mood, 0, 15> {};`
///
/// The range has 1 to 256 values. The compiler prints them all in one instantiation for each enum.
/// Where two enumerators have one number, the first one counts. An enumerator right below Min or
/// above Max does not compile, so that one that is added at the end is not forgotten; others
/// outside of the range have no name. E must be a scoped enum, or have a declared underlying type,
/// and in a class template it must have been used before (clang).
///
/// Whoever renames an enumerator must declare its old name with Renames: files have it.
template <class E, std::underlying_type_t<E> Min, std::underlying_type_t<E> Max>
struct AutoEnumNames {
 private:
  using Integer = std::underlying_type_t<E>;
  static_assert(Min <= Max &&
                    static_cast<std::uint64_t>(Max) - static_cast<std::uint64_t>(Min) < 256,
                "hdb: AutoEnumNames takes a range of 1 to 256 values");
  static_assert(
      requires { E{0}; },
      "hdb: AutoEnumNames needs a scoped enum, or one with an underlying type: "
      "`enum Mood : int`");
  // With the neighbours, which must not be enumerators.
  static constexpr bool has_before = Min != std::numeric_limits<Integer>::min();
  static constexpr bool has_after = Max != std::numeric_limits<Integer>::max();
  static constexpr std::uint64_t count = static_cast<std::uint64_t>(Max) -
                                         static_cast<std::uint64_t>(Min) + 1 + has_before +
                                         has_after;
  static constexpr Integer first = static_cast<Integer>(Min - has_before);
  using Found = detail::Enumerators<E, first, count>;
  static_assert((!has_before || Found::names.front().empty()) &&
                    (!has_after || Found::names.back().empty()),
                "hdb: an enumerator lies right below or above the range of AutoEnumNames");
  static_assert(Found::named != 0, "hdb: no enumerator lies in the range of AutoEnumNames");

 public:
  static constexpr std::array<EnumName<E>, Found::named> list = [] {
    std::array<EnumName<E>, Found::named> named{};
    std::size_t at = 0;
    std::size_t character = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (Found::names[i].empty()) continue;
      named[at++] = {static_cast<E>(static_cast<Integer>(first + static_cast<Integer>(i))),
                     Found::characters.data() + character};
      character += Found::names[i].size() + 1;
    }
    return named;
  }();
};

/// Stands in OldAlternatives for an alternative whose type the program no longer has.
struct RemovedAlternative {};

/// Specialise for a std::variant with a `list` of the variants that older programs had in its place
/// where the alternatives themselves do not show which is which:
/// `using list = std::tuple<std::variant<Sword, Potion>>;`
///
/// A load finds alternatives by the names of their types (TypeName): they may be inserted, moved,
/// removed and changed. Files of format 0.9 have no such names, and numbers, texts and containers
/// of them never have: there a load follows the schemas, and fails (type_mismatch) where they do
/// not show which is which, because two alternatives with the same fields look the same. Then
/// declare the old variant. Its types are looked up among the present alternatives; a type that is
/// not among them, such as RemovedAlternative, was removed. A declaration counts for files with
/// that number of alternatives, each of which fits the present type, and never against a name. The
/// exact rule is in lib/docs/guide/07-enums-variants.md.
///
/// For instance, where Food is new:
/// ~~~cpp
/// struct Potion {
///   int heal = 0;
/// };
/// struct Food {
///   int heal = 0;
/// };
/// using Item = std::variant<Food, Potion>;  // Food is new
/// template <> struct hdb::OldAlternatives<Item> {
///   using list = std::tuple<std::variant<Potion>>;
/// };
/// int main() { return std::tuple_size_v<hdb::OldAlternatives<Item>::list> == 1 ? 0 : 1; }
/// ~~~
template <class Variant>
struct OldAlternatives {
  using list = std::tuple<>;
};

/// Specialise for a container of your own whose save and load use cereal::make_size_tag and a loop:
/// with `using Element = ...;` for a sequence, or with `using Key = ...; using Value = ...;` for
/// pairs that are saved by cereal::make_map_item.
template <class Container>
struct SizeAndLoop {};

/// Specialise for a type of another library that names records, to store its values as handles:
/// with `using HandleType = hdb::Handle<...>;` and the static functions `HandleType to(T)` and
/// `T from(HandleType)`, which undo each other for every value. Fields of the type are then handle
/// fields, also in containers. hdb/entt.hpp does so for entt::entity.
template <class T>
struct AsHandle {};

/// Declares which members of a type are left out of files on purpose, such as caches: members of a
/// plain struct that has no functions for cereal, or members that `serialize` does not visit. In
/// builds with assertions, Database::create_table warns of others that `serialize` does not visit.
///
/// Specialise with pointers to these members, in a friend class if they are private:
/// `static constexpr std::tuple members{&Torch::sprite};`. A member that is added later and
/// forgotten is then still found. Or specialise as true to allow any members to be left out, for
/// example bit fields.
///
/// A warning is never given of a type that visits all its members, but not every forgotten member
/// is found. hdb compares what `serialize` visits with the number of members of an aggregate (up to
/// 64 members), and with the bytes of a trivially copyable type that are not padding (needs a
/// compiler that knows them, such as g++ 11, or a type without padding and floats). Neither is
/// possible if `serialize` visits copies of members. SyncTestOptions::through_file finds others.
template <class T>
struct LeavesOut : std::false_type {};

/// Specialise as true to refuse a type as part of a record at compile time. hdb also refuses types
/// with a member type `OutsideRecords`.
template <class T>
struct Refused : std::false_type {};

}  // namespace hdb
