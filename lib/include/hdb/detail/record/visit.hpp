// The one dispatch that all archives share: from whatever a user hands to an archive to the
// operation for its shape.
#pragma once

#include <cereal/cereal.hpp>
#include <cereal/types/base_class.hpp>
#include <type_traits>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/base/type_key.hpp"
#include "hdb/detail/record/member_table.hpp"
#include "hdb/detail/record/refusal.hpp"

namespace hdb::detail::record {

template <class T>
[[nodiscard]] std::string stored_type_name();

class DescribeArchive;
class EncodeArchive;
class DecodeArchive;

template <class T>
inline constexpr bool kIsNameValuePair = false;
template <class T>
inline constexpr bool kIsNameValuePair<cereal::NameValuePair<T>> = true;
template <class T>
inline constexpr bool kIsSizeTag = false;
template <class T>
inline constexpr bool kIsSizeTag<cereal::SizeTag<T>> = true;
template <class T>
inline constexpr bool kIsBinaryData = false;
template <class T>
inline constexpr bool kIsBinaryData<cereal::BinaryData<T>> = true;
template <class T>
inline constexpr bool kIsMapItem = false;
template <class K, class V>
inline constexpr bool kIsMapItem<cereal::MapItem<K, V>> = true;
template <class T>
inline constexpr bool kIsBase = false;
template <class T>
inline constexpr bool kIsBase<cereal::base_class<T>> = true;
template <class T>
inline constexpr bool kIsVirtualBase = false;
template <class T>
inline constexpr bool kIsVirtualBase<cereal::virtual_base_class<T>> = true;

/// The virtual bases of the objects being visited: each is visited once an object, as cereal does
/// it.
class VirtualBases {
 public:
  /// Says that the next structure is a base of the present one.
  void next_is_base() noexcept { next_is_base_ = true; }
  [[nodiscard]] bool take_is_base() noexcept { return std::exchange(next_is_base_, false); }
  /// Whether this base is met for the first time.
  [[nodiscard]] HDB_API bool enter(TypeKey type, const void* object);
  [[nodiscard]] std::size_t size() const noexcept { return visited_.size(); }
  /// Forgets the bases of an object that has been visited whole.
  void shrink(std::size_t size) noexcept {
    if (visited_.size() > size) forget_from(size);
  }

 private:
  struct Base {
    TypeKey type;
    const void* object = nullptr;
  };
  HDB_API void forget_from(std::size_t size) noexcept;

  std::vector<Base> visited_;
  bool next_is_base_ = false;
};

/// Handles one value by a given shape. `V` may be const when saving.
template <Shape S, class Ar, class V>
void visit_shape(Ar& ar, V& value) {
  using T = std::remove_const_t<V>;
  if constexpr (S == Shape::leaf) {
    ar.leaf(value);
  } else if constexpr (S == Shape::enumeration) {
    if constexpr (has_own_enum_functions<T>()) {
      visit_shape<Shape::user>(ar, value);
    } else {
      ar.enumeration(value);
    }
  } else if constexpr (S == Shape::user) {
    if constexpr (save_form<T, EncodeArchive>().is_minimal() &&
                  !save_form<T, EncodeArchive>().versioned) {
      ar.minimal(value);
    } else {
      ar.structure(value);
    }
  } else if constexpr (S == Shape::pair || S == Shape::tuple || S == Shape::complex ||
                       S == Shape::duration || S == Shape::time_point || S == Shape::nothing) {
    ar.structure(value);
  } else if constexpr (S == Shape::handle && StoredAsHandle<T>) {
    ar.as_handle(value);
  } else if constexpr (S == Shape::handle) {
    ar.handle(value);
  } else if constexpr (S == Shape::string) {
    ar.string(value);
  } else if constexpr (S == Shape::sequence || S == Shape::set) {
    ar.list(value);
  } else if constexpr (S == Shape::map) {
    ar.map(value);
  } else if constexpr (S == Shape::array) {
    ar.array(std::data(value), Known<T>::count);
  } else if constexpr (S == Shape::bits) {
    ar.bits(value);
  } else if constexpr (S == Shape::optional) {
    ar.optional(value);
  } else if constexpr (S == Shape::variant) {
    ar.variant(value);
  } else if constexpr (S == Shape::loop_list) {
    ar.loop_list(value);
  } else if constexpr (S == Shape::loop_map) {
    ar.loop_map(value);
  } else if constexpr (S == Shape::opaque) {
    ar.opaque(value);
  }
  // Else the type is refused (require_value).
}

/// The archive that describes records hears the type of each value.
template <class Ar>
inline constexpr bool kHearsTypes = std::is_same_v<Ar, DescribeArchive>;

template <class Ar, class V>
void visit_value(Ar& ar, V& value) {
  static_assert(refusal_of<std::remove_const_t<V>>() == Refusal::none,
                "hdb: this type cannot be part of a record; an error above says why");
  if constexpr (kHearsTypes<Ar>) ar.type_next(stored_type_name<std::remove_const_t<V>>);
  visit_shape<shape_of<std::remove_const_t<V>>()>(ar, value);
}

template <class Ar, class Base>
void visit_base(Ar& ar, Base& base) {
  ar.bases().next_is_base();
  if constexpr (kHearsTypes<Ar>) ar.type_next(stored_type_name<std::remove_const_t<Base>>);
  visit_shape<Shape::user>(ar, base);
}

/// Handles one argument of `archive(...)`.
template <class Ar, class V>
void visit(Ar& ar, V& item) {
  using T = std::remove_const_t<V>;
  if constexpr (kIsNameValuePair<T>) {
    ar.name_next(item.name);
    visit(ar, item.value);
  } else if constexpr (kIsSizeTag<T>) {
    ar.size_tag(item.size);
  } else if constexpr (kIsBinaryData<T>) {
    using E = typename BinaryElement<T>::type;
    using P =
        std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(item.data)>>, const E, E>;
    ar.binary(static_cast<P*>(item.data), static_cast<std::size_t>(item.size / sizeof(E)));
  } else if constexpr (kIsMapItem<T>) {
    ar.map_item(item.key, item.value);
  } else if constexpr (kIsBase<T>) {
    visit_base(ar, *item.base_ptr);
  } else if constexpr (kIsVirtualBase<T>) {
    using Base = std::remove_reference_t<decltype(*item.base_ptr)>;
    if (ar.bases().enter(type_key<std::remove_cv_t<Base>>(), item.base_ptr)) {
      visit_base(ar, *item.base_ptr);
    } else {
      ar.name_next(nullptr);
    }
  } else {
    visit_value(ar, item);
  }
}

/// Calls that only cereal's own text archives answer. Deleted, so that the compiler's first lines
/// say what to write instead: those of g++ have the name of the class, those of clang++ the line.
struct UseMakeNvpInstead {
  void setNextName(const char*) = delete;  // use cereal::make_nvp(name, value)
  void startNode() = delete;
  void finishNode() = delete;
  void makeArray() = delete;
  void writeName() = delete;
  template <class T>
  void saveValue(const T&) = delete;
  template <class T>
  void loadValue(T&) = delete;
  void saveBinaryValue(const void*, std::size_t, const char* = nullptr) = delete;
  void loadBinaryValue(void*, std::size_t, const char* = nullptr) = delete;
};

/// What the functions of a user call on an archive: archive(items...), and the operators.
template <class Ar, bool Loads>
class ItemCalls : public UseMakeNvpInstead {
 public:
  // The result is deduced so that compilers look at the items as soon as they see the call.
  template <class... Ts>
  decltype(auto) operator()(Ts&&... items) {
    (static_cast<void>(require_value<Place::serialize, std::remove_cvref_t<Ts>,
                                     VisitedItem<std::remove_cvref_t<Ts>>::refusal>()),
     ...);
    (static_cast<void>(require_plain_parts<typename VisitedItem<std::remove_cvref_t<Ts>>::Value>()),
     ...);
    (visit_item(items), ...);
    return static_cast<Ar&>(*this);
  }
  template <class T>
  decltype(auto) operator&(T&& item) {
    return (*this)(item);
  }
  template <class T>
  requires(!Loads) decltype(auto) operator<<(T&& item) { return (*this)(item); }
  template <class T>
  requires Loads decltype(auto) operator>>(T&& item) { return (*this)(item); }

 private:
  // What was refused is not visited: one error is enough.
  template <class V>
  void visit_item(V& item) {
    if constexpr (VisitedItem<std::remove_const_t<V>>::refusal == Refusal::none)
      visit(static_cast<Ar&>(*this), item);
  }
};

/// The name of a duration's one field: its unit, so that a change of unit is not read as a change
/// of value.
template <class Period>
[[nodiscard]] const char* unit_name() {
  if constexpr (std::is_same_v<Period, std::nano>) return "ns";
  if constexpr (std::is_same_v<Period, std::micro>) return "us";
  if constexpr (std::is_same_v<Period, std::milli>) return "ms";
  if constexpr (std::is_same_v<Period, std::ratio<1>>) return "s";
  if constexpr (std::is_same_v<Period, std::ratio<60>>) return "min";
  if constexpr (std::is_same_v<Period, std::ratio<3600>>) return "h";
  if constexpr (std::is_same_v<Period, std::ratio<86400>>) return "d";
  static const std::string text =
      std::to_string(Period::num) + "/" + std::to_string(Period::den) + "s";
  return text.c_str();
}

template <class To, class From>
[[nodiscard]] auto& first_member(From& from) {
  using Result = std::conditional_t<std::is_const_v<From>, const To, To>;
  static_assert(std::is_standard_layout_v<std::remove_const_t<From>> && sizeof(To) == sizeof(From));
  return *reinterpret_cast<Result*>(&from);
}

/// Whether T is an aggregate without functions: archives visit its members, by their table.
template <class T>
[[nodiscard]] consteval bool has_member_table() {
  if constexpr (inner_shape<T>() == Shape::user) {
    return save_form<T, EncodeArchive>().form == Form::aggregate;
  } else {
    return false;
  }
}

/// Visits the fields of a value whose shape is a structure, without a member table. `version` is
/// the class version to hand on.
template <class Ar, class V>
void visit_fields(Ar& ar, V& value, [[maybe_unused]] std::uint32_t version) {
  using T = std::remove_const_t<V>;
  constexpr Shape shape = inner_shape<T>();
  if constexpr (shape == Shape::pair) {
    ar.name_next("first");
    visit_value(ar, value.first);
    ar.name_next("second");
    visit_value(ar, value.second);
  } else if constexpr (shape == Shape::tuple) {
    std::apply([&ar](auto&... items) { (visit_value(ar, items), ...); }, value);
  } else if constexpr (shape == Shape::complex) {
    using E = typename T::value_type;
    auto& parts = reinterpret_cast<std::conditional_t<std::is_const_v<V>, const E, E>(&)[2]>(value);
    ar.name_next("real");
    visit_value(ar, parts[0]);
    ar.name_next("imag");
    visit_value(ar, parts[1]);
  } else if constexpr (shape == Shape::duration) {
    ar.name_next(unit_name<typename T::period>());
    visit_value(ar, first_member<typename T::rep>(value));
  } else if constexpr (shape == Shape::time_point) {
    visit_fields(ar, first_member<typename T::duration>(value), version);
  } else if constexpr (shape == Shape::nothing) {
  } else if constexpr (save_form<T, EncodeArchive>().is_minimal()) {
    ar.name_next("value");
    ar.minimal(value, version);
  } else if constexpr (Ar::is_loading::value) {
    call_load(ar, value, version);
  } else {
    call_save(ar, value);
  }
}

/// Whether functions of T for cereal take the class version.
template <class T>
[[nodiscard]] consteval bool takes_version() {
  if constexpr (inner_shape<T>() == Shape::user) {
    return save_form<T, EncodeArchive>().versioned;
  } else {
    return false;
  }
}

/// Whether the version of T is kept in the schema.
template <class T>
[[nodiscard]] consteval bool is_versioned() {
  if constexpr (inner_shape<T>() == Shape::user) {
    constexpr UserForm form = save_form<T, EncodeArchive>();
    return form.versioned || (form.form == Form::aggregate && kDeclaresVersion<T>);
  } else {
    return false;
  }
}

/// Unwinds out of user code after an archive has recorded its error. Not a std::exception, so that
/// user code which catches those does not swallow it.
struct Unwind {};

}  // namespace hdb::detail::record
