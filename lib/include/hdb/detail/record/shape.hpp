// How a C++ type is described: which containers and wrappers the record layer knows, and what it
// refuses.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "hdb/detail/base/type_key.hpp"
#include "hdb/detail/evolve/kinds.hpp"
#include "hdb/detail/record/using_evolve.hpp"
#include "hdb/field.hpp"
#include "hdb/handle.hpp"
#include "hdb/record_traits.hpp"

namespace hdb {
template <class T>
class Box;
template <class Base, class... Ts>
class OneOf;
}  // namespace hdb

namespace hdb::detail::record {

/// How values of a type are visited.
enum class Shape : std::uint8_t {
  user,         ///< Has functions of cereal's kind.
  leaf,         ///< A number or character.
  enumeration,  ///< An enum.
  handle,       ///< Handle, Strong, or a type that AsHandle makes a handle of.
  string,       ///< Bytes with a length.
  sequence,     ///< A list that can be resized.
  set,          ///< A list that is filled by inserting.
  map,          ///< Pairs.
  array,        ///< A fixed number of elements, contiguous.
  bits,         ///< std::bitset: a fixed number of booleans.
  optional,
  variant,
  pair,        ///< A structure: first, second.
  tuple,       ///< A structure: #0, #1, ...
  complex,     ///< A structure: real, imag.
  duration,    ///< A structure whose one field is named for the unit.
  time_point,  ///< As its duration.
  nothing,     ///< A structure without fields (std::monostate).
  loop_list,   ///< A user container in cereal's size-and-loop manner.
  loop_map,    ///< The same with pairs.
  opaque,      ///< Bytes.
  pointer,     ///< Refused.
  atomic,      ///< Refused.
  outside,     ///< Refused: may not be part of a record.
};

/// What is known of a standard type: its shape, and its element types.
template <class T>
struct Known {
  static constexpr Shape shape = Shape::user;
};

template <class E, bool Contiguous = false, bool Ordered = true>
struct KnownList {
  static constexpr Shape shape = Shape::sequence;
  using Element = E;
  static constexpr bool contiguous = Contiguous;
  static constexpr bool ordered = Ordered;
  static constexpr KeyRule rule = KeyRule::repeat;
};
/// The rule of a container whose elements or keys of type K are compared by C.
template <class C, class K, template <class> class Standard>
inline constexpr KeyRule kKeyRule =
    std::is_same_v<C, Standard<K>> || std::is_same_v<C, Standard<void>> ? KeyRule::distinct
                                                                        : KeyRule::compared;
template <class E, KeyRule Rule, bool Ordered = true>
struct KnownSet : KnownList<E, false, Ordered> {
  static constexpr Shape shape = Shape::set;
  static constexpr KeyRule rule = Rule;
};
template <class K, class V, KeyRule Rule, bool Ordered = true>
struct KnownMap {
  static constexpr Shape shape = Shape::map;
  using Key = K;
  using Value = V;
  static constexpr bool ordered = Ordered;
  static constexpr KeyRule rule = Rule;
};
template <Shape S>
struct KnownAs {
  static constexpr Shape shape = S;
};

// Standard templates whose headers few programs include are known by their names: <complex> and
// <valarray> would cost every program a tenth of the time that hdb.hpp takes to compile.

/// The shape of the template that a text of template_text names at its end: "[... C = std::list]",
/// or, by MSVC, "...template_text<class std::list>(void) noexcept".
[[nodiscard]] constexpr Shape shape_by_name(std::string_view text) {
  std::string_view name;
  if (const std::size_t begin = text.rfind("C = "); begin != std::string_view::npos) {
    name = text.substr(begin + 4);
    name = name.substr(0, name.find_first_of(";]"));
  } else if (const std::size_t end = text.rfind(">(void)"); end != std::string_view::npos) {
    name = text.substr(0, end);
    name = without_keyword(name.substr(name.rfind('<') + 1));
  }
  if (!name.starts_with("std::")) return Shape::user;
  name.remove_prefix(name.rfind(':') + 1);  // also of inline namespaces
  if (name == "deque" || name == "list" || name == "forward_list" || name == "valarray")
    return Shape::sequence;
  if (name == "complex") return Shape::complex;
  return name == "bitset" ? Shape::bits : Shape::user;
}
template <Shape S, class... Arguments>
struct KnownByName : KnownAs<S> {};
template <class E, class... More>
struct KnownByName<Shape::sequence, E, More...> : KnownList<E> {};

template <template <class...> class C, class... Arguments>
struct Known<C<Arguments...>> : KnownByName<shape_by_name(template_text<C>()), Arguments...> {};
template <template <std::size_t> class C, std::size_t N>
struct Known<C<N>> : KnownAs<shape_by_name(template_text<C>())> {};

template <class E, class A>
struct Known<std::vector<E, A>> : KnownList<E, !std::is_same_v<E, bool>> {};
template <class E, class C, class A>
struct Known<std::set<E, C, A>> : KnownSet<E, kKeyRule<C, E, std::less>> {};
template <class E, class C, class A>
struct Known<std::multiset<E, C, A>> : KnownSet<E, KeyRule::repeat> {};
template <class E, class H, class P, class A>
struct Known<std::unordered_set<E, H, P, A>> : KnownSet<E, kKeyRule<P, E, std::equal_to>, false> {};
template <class E, class H, class P, class A>
struct Known<std::unordered_multiset<E, H, P, A>> : KnownSet<E, KeyRule::repeat, false> {};
template <class K, class V, class C, class A>
struct Known<std::map<K, V, C, A>> : KnownMap<K, V, kKeyRule<C, K, std::less>> {};
template <class K, class V, class C, class A>
struct Known<std::multimap<K, V, C, A>> : KnownMap<K, V, KeyRule::repeat> {};
template <class K, class V, class H, class P, class A>
struct Known<std::unordered_map<K, V, H, P, A>>
    : KnownMap<K, V, kKeyRule<P, K, std::equal_to>, false> {};
template <class K, class V, class H, class P, class A>
struct Known<std::unordered_multimap<K, V, H, P, A>> : KnownMap<K, V, KeyRule::repeat, false> {};

template <class C, class Tr, class A>
struct Known<std::basic_string<C, Tr, A>> : KnownList<C, true> {
  static constexpr Shape shape = sizeof(C) == 1 ? Shape::string : Shape::sequence;
};
template <class E, std::size_t N>
struct Known<std::array<E, N>> : KnownAs<Shape::array> {
  using Element = E;
  static constexpr std::size_t count = N;
};
template <class E, std::size_t N>
struct Known<E[N]> : KnownAs<Shape::array> {
  using Element = E;
  static constexpr std::size_t count = N;
};

/// `is_apart`: whether the value held takes memory of its own.
template <class T, bool IsApart = false>
struct KnownOptional : KnownAs<Shape::optional> {
  using Element = T;
  static constexpr bool is_apart = IsApart;
};
template <class T>
struct Known<std::optional<T>> : KnownOptional<T> {};
template <class T>
struct Known<Box<T>> : KnownOptional<T, true> {};

/// `Stored` is the variant that files have. `visit` calls `function` with the alternative that is
/// held; `emplace` holds alternative I, freshly made, and calls `function` with it.
template <class... Ts>
struct Known<std::variant<Ts...>> : KnownAs<Shape::variant> {
  using Stored = std::variant<Ts...>;
  static constexpr bool is_apart = false;
  static bool is_valueless(const Stored& value) { return value.valueless_by_exception(); }
  template <class Function>
  static void visit(const Stored& value, const Function& function) {
    std::visit(function, value);
  }
  template <std::size_t I, class Function>
  static void emplace(Stored& value, const Function& function) {
    function(value.template emplace<I>());
  }
};
template <class Base, class... Ts>
struct Known<OneOf<Base, Ts...>> : KnownAs<Shape::variant> {
  using Stored = std::variant<std::monostate, Ts...>;
  static constexpr bool is_apart = true;
  static bool is_valueless(const OneOf<Base, Ts...>&) { return false; }
  template <class Function>
  static void visit(const OneOf<Base, Ts...>& value, const Function& function) {
    if (value) return value.visit(function);
    function(std::monostate());
  }
  template <std::size_t I, class Function>
  static void emplace(OneOf<Base, Ts...>& value, const Function& function) {
    if constexpr (I == 0) {
      value.reset();
      std::monostate none;
      function(none);
    } else {
      function(value.template emplace<std::variant_alternative_t<I, Stored>>());
    }
  }
};
template <>
struct Known<std::monostate> : KnownAs<Shape::nothing> {};
template <class A, class B>
struct Known<std::pair<A, B>> : KnownAs<Shape::pair> {};
template <class... Ts>
struct Known<std::tuple<Ts...>> : KnownAs<Shape::tuple> {};
template <class R, class P>
struct Known<std::chrono::duration<R, P>> : KnownAs<Shape::duration> {};
template <class C, class D>
struct Known<std::chrono::time_point<C, D>> : KnownAs<Shape::time_point> {};
template <class T, class L>
struct Known<Handle<T, L>> : KnownAs<Shape::handle> {};
template <class T, class L>
struct Known<Strong<T, L>> : KnownAs<Shape::handle> {};
template <class T>
struct Known<std::atomic<T>> : KnownAs<Shape::atomic> {};
template <class T, class D>
struct Known<std::unique_ptr<T, D>> : KnownAs<Shape::pointer> {};
template <class T>
struct Known<std::shared_ptr<T>> : KnownAs<Shape::pointer> {};
template <class T>
struct Known<std::weak_ptr<T>> : KnownAs<Shape::pointer> {};

template <class T>
inline constexpr bool kIsStrong = false;
template <class T, class L>
inline constexpr bool kIsStrong<Strong<T, L>> = true;

template <class T>
concept LoopsOverElements = requires {
  typename SizeAndLoop<T>::Element;
};
template <class T>
concept LoopsOverPairs = requires {
  typename SizeAndLoop<T>::Key;
  typename SizeAndLoop<T>::Value;
};
/// Types that are stored as handles.
template <class T>
concept StoredAsHandle = requires {
  typename AsHandle<T>::HandleType;
};
template <class T>
concept OutsideRecords = Refused<T>::value || requires {
  typename T::OutsideRecords;
};

/// The shape of T, leaving the `Opaque` trait aside.
template <class T>
[[nodiscard]] consteval Shape inner_shape() {
  if constexpr (OutsideRecords<T>) {
    return Shape::outside;
  } else if constexpr (StoredAsHandle<T>) {
    return Shape::handle;
  } else if constexpr (kIsLeaf<T>) {
    return Shape::leaf;
  } else if constexpr (std::is_pointer_v<T> || std::is_member_pointer_v<T> ||
                       std::is_null_pointer_v<T>) {
    return Shape::pointer;
  } else if constexpr (LoopsOverElements<T>) {
    return Shape::loop_list;
  } else if constexpr (LoopsOverPairs<T>) {
    return Shape::loop_map;
  } else if constexpr (Known<T>::shape != Shape::user) {
    return Known<T>::shape;
  } else if constexpr (std::is_enum_v<T>) {
    return Shape::enumeration;
  } else {
    return Shape::user;
  }
}

/// The shape of T.
template <class T>
[[nodiscard]] consteval Shape shape_of() {
  return Opaque<T>::value ? Shape::opaque : inner_shape<T>();
}

/// Bytes that one more element may cost in memory: what a load is charged.
template <class Container, class Element>
[[nodiscard]] consteval std::size_t element_cost() {
  constexpr Shape shape = inner_shape<Container>();
  constexpr bool is_node_based =
      shape == Shape::set || shape == Shape::map || shape == Shape::loop_map;
  return sizeof(Element) + (is_node_based ? 48 : 0);
}
/// The same for a value that a Box or OneOf holds.
template <class T>
inline constexpr std::size_t kApartCost = sizeof(T) + 16;

}  // namespace hdb::detail::record
