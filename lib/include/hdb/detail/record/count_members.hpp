// Counts the members of an aggregate while the program is compiled. Only builds with assertions
// include this header.
#pragma once

#include <optional>
#include <type_traits>

namespace hdb::detail::record {

/// Converts to any empty class: an initialiser that members with a value do not accept.
struct AnyEmptyClass {
  template <class T>
  requires(requires { sizeof(T); } && std::is_empty_v<T>) operator T() const;
};

/// The number of initialisers that are tried: types with as many members are not counted.
inline constexpr unsigned kTriedInitialisers = 64;

/// The number of members of T that hold a value; base classes that hold a value count as one member
/// each. None if T is not an aggregate, or has too many members. Never more than T has; less if a
/// member cannot be initialised by empty braces.
///
/// An aggregate of n members takes n pairs of empty braces and no more. An array or an aggregate
/// takes one pair, because a pair of braces always begins a new member.
template <class T>
[[nodiscard]] consteval std::optional<unsigned> count_members() {
  if constexpr (!std::is_aggregate_v<T> || std::is_array_v<T>) {
    return std::nullopt;
  } else {
    unsigned initialisers = 0;
    unsigned members = 0;
    // Tests whether T takes one initialiser more than the empty braces that are given.
#define HDB_COUNT_MEMBER(...)                                               \
  if constexpr (requires { T{__VA_ARGS__{}}; }) {                           \
    ++initialisers;                                                         \
    if constexpr (!requires { T{__VA_ARGS__ AnyEmptyClass{}}; }) ++members; \
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
      }
    }
#undef HDB_BRACES_16
#undef HDB_COUNT_16
#undef HDB_BRACES_8
#undef HDB_BRACES_4
#undef HDB_COUNT_4
#undef HDB_COUNT_MEMBER
    if (initialisers == kTriedInitialisers) return std::nullopt;
    return members;
  }
}

}  // namespace hdb::detail::record
