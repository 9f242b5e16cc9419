// The members of an aggregate that has no function of cereal's, and their names, found while the
// program is compiled.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "hdb/detail/base/compiler.hpp"
#include "hdb/detail/record/count_members.hpp"
#include "hdb/detail/record/with_members.hpp"
#include "hdb/record_traits.hpp"

// The object below is never defined: only its members' addresses are named.
HDB_BEGIN_NEVER_MADE

namespace hdb::detail::record {

/// Converts to any base class of T.
template <class T>
struct AnyBaseOf {
  template <class B>
  requires(std::is_base_of_v<B, T> && !std::is_same_v<B, T>) operator B() const;
};
struct ConvertsToNothing {};

template <class T>
concept TakesBase = requires {
  T{AnyBaseOf<T>{}};
};
template <class T>
concept TakesAnything = requires {
  T{ConvertsToNothing{}};
};
/// Whether an aggregate has base classes, whose members are not found.
template <class T>
inline constexpr bool kHasBases = TakesBase<T> && !TakesAnything<T>;

/// Has each of the names that cereal's functions have: a class that is derived from it and from T
/// has the name twice if T has it, whoever may call it.
struct CerealNames {
  void serialize();
  void save();
  void load();
  void save_minimal();
  void load_minimal();
};
template <class T>
struct WithCerealNames : T, CerealNames {};

/// Whether T has functions of these names. A name that has a size, or that names a type, is none:
/// that of T itself names a type to some compilers only after `class`.
template <class T>
[[nodiscard]] consteval bool has_cereal_names() {
  if constexpr (std::is_final_v<T>) {
    return false;
  } else {
    using Both = WithCerealNames<T>;
#define HDB_HAS_FUNCTION(name)                                        \
  (                                                                   \
      !requires { &Both::name; } && !requires { sizeof(T::name); } && \
      !requires { typename T::name; } && !requires { static_cast<class T::name*>(nullptr); })
    return HDB_HAS_FUNCTION(serialize) || HDB_HAS_FUNCTION(save) || HDB_HAS_FUNCTION(load) ||
           HDB_HAS_FUNCTION(save_minimal) || HDB_HAS_FUNCTION(load_minimal);
#undef HDB_HAS_FUNCTION
  }
}

/// The number of members of an aggregate that is not refused.
template <class T>
[[nodiscard]] consteval std::size_t member_count() {
  return count_initialisers<T, false>().all;
}

/// An object of type T that is never made.
template <class T>
union NoObject {
  constexpr NoObject() noexcept : none() {}
  constexpr ~NoObject() {}

  char none;
  T value;
};
template <class T>
struct NamedObject {
  static NoObject<T> object;
};

/// A member of such an object: as an argument of a template, its name is in the name of the
/// template.
template <class P>
struct MemberPointer {
  P at;
};
template <class P>
MemberPointer(P) -> MemberPointer<P>;

/// The addresses of all members, in order. A std::tuple of them takes compilers longer.
template <class Indices, class... P>
struct MemberPointers;
template <std::size_t I, class P>
struct PointerAt {
  P at;
};
template <std::size_t... I, class... P>
struct MemberPointers<std::index_sequence<I...>, P...> : PointerAt<I, P>... {};

template <std::size_t I, class P>
[[nodiscard]] consteval MemberPointer<P> pointer_to(const PointerAt<I, P>& member) {
  return {member.at};
}

template <class T>
[[nodiscard]] consteval auto member_pointers() {
  return with_members<member_count<T>()>(
      NamedObject<T>::object.value, []<class... M>(M&... members) {
        return MemberPointers<std::index_sequence_for<M...>, M*...>{{std::addressof(members)}...};
      });
}

/// The name in a text of member_name, which ends with "...value.name}]", "...::name)}]" or, by
/// MSVC, "...value->name}>(void)".
[[nodiscard]] constexpr std::string_view member_name_in(std::string_view function) {
  function = function.substr(0, function.rfind(">(void)"));
  function = function.substr(0, function.find_last_of('}'));
  while (function.ends_with(')') || function.ends_with('}')) function.remove_suffix(1);
  return function.substr(function.find_last_of(".:>") + 1);
}
template <MemberPointer P>
[[nodiscard]] consteval std::string_view member_name() {
  return member_name_in(HDB_FUNCTION_TEXT);
}
template <MemberPointer P>
inline constexpr auto kMemberName = [] {
  constexpr std::string_view name = member_name<P>();
  std::array<char, name.size() + 1> text{};
  for (std::size_t i = 0; i < name.size(); ++i) text[i] = name[i];
  return text;
}();

template <class T>
concept NamesLeftOut = requires {
  LeavesOut<T>::members;
};

/// Whether any members may be left out.
template <class T>
[[nodiscard]] consteval bool leaves_out_any() {
  if constexpr (requires { LeavesOut<T>::value; }) {
    return LeavesOut<T>::value;
  } else {
    return false;
  }
}

/// Whether a pointer to a member means the member at `at` of the object that is never made. Members
/// without a value may share the address of another one, which has another type.
template <class T, class M, class N>
[[nodiscard]] constexpr bool is_member([[maybe_unused]] const M* at,
                                       [[maybe_unused]] N T::*member) {
  if constexpr (std::is_same_v<const M, const N>) {
    const M& named = NamedObject<T>::object.value.*member;
    return std::addressof(named) == at;
  } else {
    return false;
  }
}

/// What is known of the members of T, in order.
template <class T>
struct Members {
  static constexpr std::size_t count = member_count<T>();
  static constexpr std::array<const char*, count> names =
      []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<const char*, count>{
        kMemberName<pointer_to<I>(member_pointers<T>())>.data()...};
  }
  (std::make_index_sequence<count>{});
  /// Whether LeavesOut names it.
  static constexpr std::array<bool, count> left_out = [] {
    std::array<bool, count> left{};
    if constexpr (NamesLeftOut<T>) {
      const auto mark = [&left](auto left_member) {
        constexpr auto members = member_pointers<T>();
        [&]<std::size_t... I>(std::index_sequence<I...>) {
          ((left[I] |= is_member(pointer_to<I>(members).at, left_member)), ...);
        }
        (std::make_index_sequence<count>{});
      };
      std::apply([&mark](auto... members) { (mark(members), ...); }, LeavesOut<T>::members);
    }
    return left;
  }();
};

/// Calls visit(name, member) for each member of an aggregate that is not left out. `value` may be
/// const.
template <class V, class Visit>
void for_each_member(V& value, const Visit& visit) {
  using T = std::remove_const_t<V>;
  with_members<Members<T>::count>(value, [&visit](auto&... members) {
    if constexpr (NamesLeftOut<T>) {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        [[maybe_unused]] const auto visit_one =
            [&visit]<std::size_t Index>(std::integral_constant<std::size_t, Index>, auto& member) {
              if constexpr (!Members<T>::left_out[Index]) visit(Members<T>::names[Index], member);
            };
        (visit_one(std::integral_constant<std::size_t, I>{}, members), ...);
      }
      (std::make_index_sequence<sizeof...(members)>{});
    } else {
      [[maybe_unused]] const char* const* name = Members<T>::names.data();
      (visit(*name++, members), ...);
    }
  });
}

}  // namespace hdb::detail::record

HDB_END_NEVER_MADE
