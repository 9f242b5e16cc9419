// Counts the members of an aggregate while the program is compiled.
#pragma once

#include <optional>
#include <type_traits>

namespace hdb::detail::record {

/// Converts to any empty class: an initialiser that members with a value do not accept.
struct AnyEmptyClass {
  template <class T>
  requires(requires { sizeof(T); } && std::is_empty_v<T>) operator T() const;
};

/// Initialisers for members that empty braces do not initialise: values and references.
struct AnyValue {
  template <class T>
  operator T() const;
};
struct AnyObject {
  template <class T>
  operator T&() const;
};

/// The number of initialisers that are tried.
inline constexpr unsigned kTriedInitialisers = 65;

/// The initialisers that an aggregate takes: one for each base class and member.
struct InitialiserCount {
  unsigned all = 0;         ///< At most kTriedInitialisers.
  unsigned with_value = 0;  ///< Of bases and members that hold a value; if they were asked for.
  bool is_all = true;       ///< Else a member that empty braces do not initialise ended the count.
};

/// Counts them. Requires: T is an aggregate, but not an array.
///
/// An aggregate of n members takes n pairs of empty braces and no more. An array or an aggregate
/// takes one pair, because a pair of braces always begins a new member. A member whose type has no
/// constructor without arguments, or an explicit one, takes none; without a value of its own, it
/// has to be initialised, so that no number of pairs is taken.
template <class T, bool AsksForValues>
[[nodiscard]] consteval InitialiserCount count_initialisers() {
  InitialiserCount count;
  // Tests whether T takes one initialiser more than the empty braces that are given.
#define HDB_COUNT_MEMBER(...)                                                                \
  if constexpr (requires { T{__VA_ARGS__{}}; }) {                                            \
    ++count.all;                                                                             \
    if constexpr (AsksForValues) {                                                           \
      if (!requires { T{__VA_ARGS__ AnyEmptyClass{}}; }) ++count.with_value;                 \
    }                                                                                        \
  } else if (                                                                                \
      requires { T{__VA_ARGS__ AnyValue{}}; } || requires { T{__VA_ARGS__ AnyObject{}}; }) { \
    count.is_all = false;                                                                    \
  }
#define HDB_COUNT_4(...)                \
  HDB_COUNT_MEMBER(__VA_ARGS__)         \
  HDB_COUNT_MEMBER(__VA_ARGS__{}, )     \
  HDB_COUNT_MEMBER(__VA_ARGS__{}, {}, ) \
  HDB_COUNT_MEMBER(__VA_ARGS__{}, {}, {}, )
#define HDB_BRACES_4 {}, {}, {}, {},
#define HDB_BRACES_8 HDB_BRACES_4 HDB_BRACES_4
#define HDB_COUNT_16(...)               \
  HDB_COUNT_4(__VA_ARGS__)              \
  HDB_COUNT_4(__VA_ARGS__ HDB_BRACES_4) \
  HDB_COUNT_4(__VA_ARGS__ HDB_BRACES_8) \
  HDB_COUNT_4(__VA_ARGS__ HDB_BRACES_8 HDB_BRACES_4)
#define HDB_BRACES_16 HDB_BRACES_8 HDB_BRACES_8
  HDB_COUNT_16()
  if constexpr (requires { T{HDB_BRACES_16}; }) {
    HDB_COUNT_16(HDB_BRACES_16)
    if constexpr (requires { T{HDB_BRACES_16 HDB_BRACES_16}; }) {
      HDB_COUNT_16(HDB_BRACES_16 HDB_BRACES_16)
      HDB_COUNT_16(HDB_BRACES_16 HDB_BRACES_16 HDB_BRACES_16)
      HDB_COUNT_MEMBER(HDB_BRACES_16 HDB_BRACES_16 HDB_BRACES_16 HDB_BRACES_16)
    }
  }
#undef HDB_BRACES_16
#undef HDB_COUNT_16
#undef HDB_BRACES_8
#undef HDB_BRACES_4
#undef HDB_COUNT_4
#undef HDB_COUNT_MEMBER
  if (count.all == 0 && !std::is_empty_v<T>) count.is_all = false;
  return count;
}

/// The number of members of T that hold a value; base classes that hold a value count as one member
/// each. None if T is not an aggregate, or has too many members. Never more than T has; less if a
/// member cannot be initialised by empty braces.
template <class T>
[[nodiscard]] consteval std::optional<unsigned> count_members() {
  if constexpr (!std::is_aggregate_v<T> || std::is_array_v<T>) {
    return std::nullopt;
  } else {
    constexpr InitialiserCount count = count_initialisers<T, true>();
    if (count.all == kTriedInitialisers) return std::nullopt;
    return count.with_value;
  }
}

}  // namespace hdb::detail::record
