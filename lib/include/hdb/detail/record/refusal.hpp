// What may not be part of a record, and what the compiler then says. All of it is asked when a
// table is created, before other templates of hdb meet the type, so that the reason comes first.
#pragma once

#include <cereal/cereal.hpp>
#include <cereal/types/base_class.hpp>
#include <type_traits>
#include <utility>

#include "hdb/detail/core/tables/record_type.hpp"
#include "hdb/detail/record/aggregate.hpp"
#include "hdb/detail/record/inherited_functions.hpp"
#include "hdb/detail/record/shape.hpp"
#include "hdb/detail/record/user_call.hpp"

namespace hdb::detail::record {

class DescribeArchive;
class DecodeArchive;

/// Why a type cannot be part of a record.
enum class Refusal : std::uint8_t {
  none,
  pointer,
  atomic,
  outside,
  machine_number,       ///< long double, 128-bit integers.
  unordered,            ///< A container without an order.
  many_alternatives,    ///< A variant.
  abstract_object,      ///< In a Box or OneOf.
  element_default,      ///< Elements that are not default-constructible.
  names_and_functions,  ///< An enum with both.
  union_type,
  no_functions,
  hidden_functions,     ///< Functions of cereal's names that cannot be called.
  inherited_functions,  ///< In a OneOf: those of the base, which visit too little.
  several_functions,
  const_serialize,
  load_alone,  ///< A load without a save.
  save_alone,
  bases,
  many_members,
  hidden_members,  ///< One cannot be made from empty braces, so they cannot be counted.
  unnamed_left_out,
  const_member,
  bytes,  ///< binary_data of other things than numbers.
  deferred,
};

template <class... Ts>
struct Parts {};
template <class... Ts>
struct Holds {
  using held = Parts<Ts...>;
  using made = Parts<>;
};
/// Values that a load makes.
template <class... Ts>
struct Makes {
  using held = Parts<>;
  using made = Parts<Ts...>;
};
template <class Variant>
struct MakesAlternatives;
template <class... Ts>
struct MakesAlternatives<std::variant<Ts...>> : Makes<Ts...> {};

/// The types of the values that a container or a wrapper holds.
template <class T, Shape S>
struct PartsOf : Holds<> {};
template <class T, Shape S>
requires(S == Shape::sequence || S == Shape::set || S == Shape::optional) struct PartsOf<T, S>
    : Makes<typename Known<T>::Element> {
};
template <class T>
struct PartsOf<T, Shape::map> : Makes<typename Known<T>::Key, typename Known<T>::Value> {};
template <class T>
struct PartsOf<T, Shape::loop_list> : Makes<typename SizeAndLoop<T>::Element> {};
template <class T>
struct PartsOf<T, Shape::loop_map>
    : Makes<typename SizeAndLoop<T>::Key, typename SizeAndLoop<T>::Value> {};
template <class T>
struct PartsOf<T, Shape::variant> : MakesAlternatives<typename Known<T>::Stored> {};
template <class T>
struct PartsOf<T, Shape::array> : Holds<typename Known<T>::Element> {};
template <class T>
struct PartsOf<T, Shape::complex> : Holds<typename T::value_type> {};
template <class T, Shape S>
requires(S == Shape::duration || S == Shape::time_point) struct PartsOf<T, S>
    : Holds<typename T::rep> {
};
template <template <class...> class Values, class... Ts, Shape S>
requires(S == Shape::pair || S == Shape::tuple) struct PartsOf<Values<Ts...>, S> : Holds<Ts...> {
};

/// Whether the user's own functions describe an enum (as a text, say) instead of cereal's.
template <class T>
[[nodiscard]] consteval bool has_own_enum_functions() {
  if constexpr (cereal::traits::is_specialized<T, EncodeArchive>::value) {
    return true;
  } else if constexpr (cereal::traits::has_non_member_save_minimal<T, EncodeArchive>::value) {
    return !std::is_same_v<
        typename cereal::traits::has_non_member_save_minimal<T, EncodeArchive>::type,
        std::underlying_type_t<T>>;
  } else {
    return false;
  }
}

/// Whether the only `serialize` of T is a const function, which could not load.
template <class T>
[[nodiscard]] consteval bool has_const_serialize() {
  using Ar = DecodeArchive;
  return !std::is_empty_v<T> && requires(Ar & archive, const T& value) { value.serialize(archive); }
  &&!requires { static_cast<void (T::*)(Ar&)>(&T::template serialize<Ar>); };
}

/// Whether a type's values become structures of their own, so that it can be a record without a
/// wrapper.
template <class T>
[[nodiscard]] consteval bool is_structure() {
  constexpr Shape shape = shape_of<T>();
  if constexpr (shape == Shape::user) {
    return !save_form<T, EncodeArchive>().is_minimal() || save_form<T, EncodeArchive>().versioned;
  } else {
    return shape == Shape::pair || shape == Shape::tuple || shape == Shape::complex ||
           shape == Shape::duration || shape == Shape::time_point || shape == Shape::nothing;
  }
}

/// Of a type that has cereal's functions, or whose members hdb finds.
template <class T>
[[nodiscard]] consteval Refusal structure_refusal() {
  constexpr Form form = save_form<T, EncodeArchive>().form;
  if constexpr (std::is_same_v<T, long double> || kIsInt128<T>) {
    return Refusal::machine_number;
  } else if constexpr (form == Form::none || form == Form::aggregate) {
    namespace t = cereal::traits::detail;
    if constexpr (std::is_union_v<T>) return Refusal::union_type;
    if constexpr (t::count_output_serializers<T, EncodeArchive>::value > 1)
      return Refusal::several_functions;
    if constexpr (std::is_class_v<T>) {
      if constexpr (has_cereal_names<T>()) return Refusal::hidden_functions;
    }
    if constexpr (form == Form::none) return Refusal::no_functions;
    if constexpr (t::count_input_serializers<T, DecodeArchive>::value != 0)
      return Refusal::load_alone;
    if constexpr (form == Form::aggregate) {
      if constexpr (kHasBases<T>) return Refusal::bases;
      constexpr InitialiserCount count = count_initialisers<T, false>();
      if constexpr (count.all == kTriedInitialisers) return Refusal::many_members;
      if constexpr (!count.is_all) return Refusal::hidden_members;
      if constexpr (leaves_out_any<T>()) return Refusal::unnamed_left_out;
    }
    return Refusal::none;
  } else {
    if constexpr (has_const_serialize<T>()) return Refusal::const_serialize;
    return form == Form::empty || cereal::traits::is_input_serializable<T, DecodeArchive>::value
               ? Refusal::none
               : Refusal::save_alone;
  }
}

template <class T>
[[nodiscard]] consteval Refusal refusal_of();

template <class... Ts>
[[nodiscard]] consteval bool inherit_too_little(Parts<Ts...>) {
  return (inherits_too_little<Ts>() || ...);
}
/// Of a value that a load makes.
template <class T>
[[nodiscard]] consteval Refusal made_refusal() {
  if constexpr (std::is_abstract_v<T>) return Refusal::abstract_object;
  return std::is_default_constructible_v<T> ? refusal_of<T>() : Refusal::element_default;
}
template <class... Held, class... Made>
[[nodiscard]] consteval Refusal parts_refusal(Parts<Held...>, Parts<Made...>) {
  Refusal found = Refusal::none;
  (void)(((found = refusal_of<Held>()) != Refusal::none) || ...);
  if (found != Refusal::none) return found;
  (void)(((found = made_refusal<Made>()) != Refusal::none) || ...);
  return found;
}

/// Why a value of type T cannot be part of a record. Looks through containers, but not at the
/// members of structures.
template <class T>
[[nodiscard]] consteval Refusal refusal_of() {
  constexpr Shape shape = inner_shape<T>();
  if constexpr (shape == Shape::leaf || shape == Shape::handle || shape == Shape::string) {
    return Refusal::none;
  } else if constexpr (shape == Shape::pointer) {
    return Refusal::pointer;
  } else if constexpr (shape == Shape::atomic) {
    return Refusal::atomic;
  } else if constexpr (shape == Shape::outside) {
    return Refusal::outside;
  } else if constexpr (shape == Shape::user) {
    return structure_refusal<T>();
  } else if constexpr (shape == Shape::enumeration) {
    return has_own_enum_functions<T>() && EnumNames<T>::list.size() != 0
               ? Refusal::names_and_functions
               : Refusal::none;
  } else {
    if constexpr (shape == Shape::sequence || shape == Shape::set || shape == Shape::map) {
      if constexpr (!Known<T>::ordered && !AllowUnordered<T>::value) return Refusal::unordered;
    } else if constexpr (shape == Shape::variant) {
      constexpr std::size_t count = std::variant_size_v<typename Known<T>::Stored>;
      if constexpr (count > 255) return Refusal::many_alternatives;
      if constexpr (Known<T>::is_apart && inherit_too_little(typename PartsOf<T, shape>::made{}))
        return Refusal::inherited_functions;
    }
    return parts_refusal(typename PartsOf<T, shape>::held{}, typename PartsOf<T, shape>::made{});
  }
}

/// The type that a BinaryData points to; void and char types count as bytes.
template <class T>
struct BinaryElement;
template <class T>
struct BinaryElement<cereal::BinaryData<T>> {
  using Pointee =
      std::remove_cv_t<std::remove_all_extents_t<std::remove_pointer_t<std::decay_t<T>>>>;
  using type = std::conditional_t<std::is_void_v<Pointee>, std::uint8_t, Pointee>;
};

template <class E>
inline constexpr bool is_bytes = kIsLeaf<E> && !std::is_same_v<E, bool>;

/// What cereal's `archive(item)` means for an item of type T: why it is refused, and the value in
/// which others may be refused.
template <class T>
struct VisitedItem {
  static constexpr Refusal refusal = refusal_of<T>();
  using Value = std::conditional_t<refusal == Refusal::none, T, bool>;
};
template <class T>
struct VisitedItem<cereal::NameValuePair<T>> : VisitedItem<std::remove_cvref_t<T>> {};

/// An item that is not a value itself.
template <Refusal Why = Refusal::none>
struct VisitedWrapper {
  static constexpr Refusal refusal = Why;
  using Value = bool;
};
template <class T>
struct VisitedItem<cereal::SizeTag<T>> : VisitedWrapper<> {};
template <class T>
struct VisitedItem<cereal::BinaryData<T>>
    : VisitedWrapper<is_bytes<typename BinaryElement<cereal::BinaryData<T>>::type>
                         ? Refusal::none
                         : Refusal::bytes> {};
template <class K, class V>
struct VisitedItem<cereal::MapItem<K, V>>
    : VisitedItem<std::pair<std::remove_cvref_t<K>, std::remove_cvref_t<V>>> {};
template <class T>
struct VisitedItem<cereal::base_class<T>>
    : VisitedWrapper<structure_refusal<std::remove_const_t<T>>()> {};
template <class T>
struct VisitedItem<cereal::virtual_base_class<T>> : VisitedItem<cereal::base_class<T>> {};
template <class T>
struct VisitedItem<cereal::DeferredData<T>> : VisitedWrapper<Refusal::deferred> {};

/// Where a value stands that is not a member of a plain struct.
enum class Place : std::uint8_t {
  record,     ///< It is the record itself.
  serialize,  ///< A function of cereal's kind visits it.
};

/// Ends the compilation, with a reason, if `Why` is one. `Where` and `Value` are there for the
/// compiler to print: the member, or its absence, and its type.
template <auto Where, class Value, Refusal Why>
consteval bool require_value() {
  static_assert(Why != Refusal::pointer,
                "hdb: a pointer cannot be part of a record: an address is not valid in another "
                "run. Hold the value itself (std::optional, std::vector). Instead of a "
                "std::unique_ptr<T>, use hdb::Box<T>, or for objects of several derived types "
                "hdb::OneOf<Base, A, B>; instead of other pointers, an hdb::Handle to a record of "
                "another table");
  static_assert(Why != Refusal::atomic,
                "hdb: std::atomic cannot be part of a record: records are values that are copied, "
                "and one thread at a time changes a table. Hold the plain value, or keep the "
                "atomic in an hdb::Sidecar");
  static_assert(Why != Refusal::outside,
                "hdb: this type cannot be part of a record. hdb::Ref is for code outside records; "
                "inside a record use hdb::Strong, or hdb::Handle");
  static_assert(Why != Refusal::machine_number,
                "hdb: long double and 128-bit integers differ between machines and cannot be part "
                "of a record");
  static_assert(Why != Refusal::unordered,
                "hdb: an unordered container has no defined order to save. Use an ordered one, or "
                "specialise hdb::AllowUnordered for the container (then it is saved sorted, and "
                "its iteration order changes when it is loaded)");
  static_assert(Why != Refusal::many_alternatives,
                "hdb: a variant in a record has at most 255 alternatives");
  static_assert(Why != Refusal::abstract_object,
                "hdb: an object in an hdb::Box or hdb::OneOf cannot be of an abstract type: list "
                "the types derived from it, as in hdb::OneOf<Base, A, B>");
  static_assert(Why != Refusal::element_default,
                "hdb: elements of containers, optionals and variants in a record must be "
                "default-constructible");
  static_assert(Why != Refusal::names_and_functions,
                "hdb: names of values have no effect on an enum that is saved by functions of its "
                "own; take hdb::EnumNames or the functions away");
  static_assert(Why != Refusal::union_type,
                "hdb: a union in a record needs functions that save and load its active member; "
                "use std::variant");
  static_assert(Why != Refusal::no_functions,
                "hdb: this type in a record has no usable functions, and its members are not found "
                "by themselves: that takes a struct without constructors, private members and "
                "virtual functions. Give it `template <class A> void serialize(A&)`, or save and "
                "load, or save_minimal and load_minimal, as members or free functions, exactly one "
                "kind (see cereal's documentation)");
  static_assert(Why != Refusal::hidden_functions,
                "hdb: this type has a function called serialize, save or load that cannot be "
                "called. If it is private, add `friend class cereal::access;`. It is a template "
                "of the archive's type: `template <class A> void serialize(A&)`, not const");
  static_assert(Why != Refusal::several_functions,
                "hdb: this type has several kinds of functions for cereal, for example a "
                "`serialize` that it inherits beside a save and a load of its own. Say which ones "
                "count: template <class A> struct cereal::specialize<A, Type, "
                "cereal::specialization::member_load_save> {};");
  static_assert(Why != Refusal::inherited_functions,
                "hdb: a type of an hdb::OneOf has only the serialize of its base, which does not "
                "visit the members that the type adds: give it a `template <class A> void "
                "serialize(A& a)` that visits cereal::base_class<Base>(this) and its own members, "
                "or hdb::LeavesOut");
  static_assert(Why != Refusal::const_serialize,
                "hdb: the `serialize` of this type is const, so that it cannot load: take the "
                "const away");
  static_assert(Why != Refusal::load_alone,
                "hdb: this type has a load function for cereal but no save function: give it both, "
                "or `template <class A> void serialize(A&)`, or neither");
  static_assert(Why != Refusal::save_alone,
                "hdb: this type in a record can be saved but not loaded: it needs a matching load "
                "or load_minimal too");
  static_assert(Why != Refusal::bases,
                "hdb: members of base classes are not found by themselves: give this type a "
                "`template <class A> void serialize(A& a)` that visits "
                "cereal::base_class<Base>(this) and the members, or hold the base as a member");
  static_assert(Why != Refusal::many_members,
                "hdb: members are found by themselves up to 64: give this type a `template <class "
                "A> void serialize(A& a)` that visits them, or put some into a struct");
  static_assert(Why != Refusal::hidden_members,
                "hdb: the members of this struct are not found: one cannot be made from empty "
                "braces, because its type has no constructor without arguments, or an explicit "
                "one. Give that type such a constructor, or this struct a `template <class A> void "
                "serialize(A& a)` that visits its members");
  static_assert(Why != Refusal::unnamed_left_out,
                "hdb: hdb::LeavesOut must name the members of a type without `serialize` that are "
                "left out");
  static_assert(Why != Refusal::const_member,
                "hdb: a const member cannot be loaded: take the const away, or leave the member "
                "out (hdb::LeavesOut)");
  static_assert(Why != Refusal::bytes,
                "hdb: binary_data in a record must point to numbers or characters: other bytes may "
                "contain padding and pointers. Serialize the elements");
  static_assert(Why != Refusal::deferred,
                "hdb: cereal::defer does not work in a record; serialize the value itself");
  return Why == Refusal::none;
}

template <class T, class... Open>
consteval bool require_plain_parts();

template <class... Open, class... Held, class... Made>
consteval bool require_all_plain_parts(Parts<Held...>, Parts<Made...>) {
  return (require_plain_parts<Held, Open...>() && ... && true) &&
         (require_plain_parts<Made, Open...>() && ... && true);
}

template <class T, std::size_t I>
using MemberType = std::remove_pointer_t<decltype(pointer_to<I>(member_pointers<T>()).at)>;
/// Why a member is refused.
template <class T, std::size_t I>
inline constexpr Refusal kMemberRefusal = Members<T>::left_out[I] ? Refusal::none
                                          : std::is_const_v<MemberType<T, I>>
                                              ? Refusal::const_member
                                              : refusal_of<MemberType<T, I>>();
/// The type of a member in which others may be refused.
template <class T, std::size_t I>
using OpenMember =
    std::conditional_t<Members<T>::left_out[I] || kMemberRefusal<T, I> != Refusal::none, bool,
                       MemberType<T, I>>;

template <class T, class... Open, std::size_t... I>
consteval bool require_members(std::index_sequence<I...>) {
  constexpr auto members = member_pointers<T>();
  return (... && require_value<pointer_to<I>(members), MemberType<T, I>, kMemberRefusal<T, I>>()) &&
         (... && require_plain_parts<OpenMember<T, I>, T, Open...>());
}

/// Asks for the members of all plain structs in a T that is not refused itself. `Open` are the
/// structs that it lies in.
template <class T, class... Open>
consteval bool require_plain_parts() {
  constexpr Shape shape = shape_of<T>();
  if constexpr (shape != Shape::user) {
    return require_all_plain_parts<Open...>(typename PartsOf<T, shape>::held{},
                                            typename PartsOf<T, shape>::made{});
  } else if constexpr (save_form<T, EncodeArchive>().form == Form::aggregate &&
                       !(std::is_same_v<T, Open> || ...)) {
    return require_members<T, Open...>(std::make_index_sequence<member_count<T>()>{});
  } else {
    return true;
  }
}

}  // namespace hdb::detail::record

namespace hdb::detail {

/// Ends the compilation, with a reason, if `Record` is refused as a record. Has the compiler look
/// at its functions first, too: it takes their addresses. To compare these with null is not a
/// constant for g++ with -fsanitize=undefined.
template <class Record>
constexpr bool require_record() {
  using Ar = record::DescribeArchive;
  if constexpr (!record::require_value<record::Place::record, Record,
                                       record::refusal_of<Record>()>()) {
    return false;
  } else if constexpr (!record::require_plain_parts<Record>()) {
    return false;
  } else if constexpr (!require_record_type<Record>()) {
    return false;
  } else if constexpr (requires {  // first: a value of this name is an error to g++
                         requires !requires { sizeof(Record::serialize); };
                         static_cast<void (Record::*)(Ar&)>(&Record::template serialize<Ar>);
                       }) {
    static_cast<void>(static_cast<void (Record::*)(Ar&)>(&Record::template serialize<Ar>));
  } else if constexpr (record::is_structure<Record>() &&
                       record::inner_shape<Record>() == record::Shape::user) {
    static_cast<void>(static_cast<void (*)(Ar&, const Record&)>(&record::call_save<Ar, Record>));
  }
  return true;
}

}  // namespace hdb::detail
