// hdb::Box and hdb::OneOf, also in cereal's own archives. Games whose records hold them in place of
// pointers, or that write such records with cereal as JSON, XML or binary, include this header.
#pragma once

#include <cereal/cereal.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "hdb/box.hpp"
#include "hdb/detail/base/type_key.hpp"
#include "hdb/one_of.hpp"
#include "hdb/record_traits.hpp"

namespace cereal::detail {
template <class T>
struct binding_name;  // CEREAL_REGISTER_TYPE specialises it
}  // namespace cereal::detail

namespace hdb::detail::record {

/// What cereal writes of a pointer's object: whether there is one, and the object.
template <class T>
struct PointedObject {
  const T* saved = nullptr;
  std::unique_ptr<T> loaded = nullptr;

  template <class Archive>
  void CEREAL_SAVE_FUNCTION_NAME(Archive& archive) const {
    archive(cereal::make_nvp("valid", static_cast<std::uint8_t>(saved != nullptr)));
    if (saved != nullptr) archive(cereal::make_nvp("data", *saved));
  }
  template <class Archive>
  void CEREAL_LOAD_FUNCTION_NAME(Archive& archive) {
    std::uint8_t is_there = 0;
    archive(cereal::make_nvp("valid", is_there));
    if (is_there == 0) return;
    loaded = make_object<T>();
    archive(cereal::make_nvp("data", *loaded));
  }
};
template <class T, class Archive>
void save_object(Archive& archive, const T* object) {
  archive(cereal::make_nvp("ptr_wrapper", PointedObject<T>{object}));
}
template <class T, class Archive>
[[nodiscard]] std::unique_ptr<T> load_object(Archive& archive) {
  PointedObject<T> object;
  archive(cereal::make_nvp("ptr_wrapper", object));
  return std::move(object.loaded);
}

/// The name of a class in cereal's archives, at one address.
template <class T>
[[nodiscard]] const std::string& name_for_cereal() {
  static const std::string name = [] {
    if constexpr (requires { cereal::detail::binding_name<T>::name(); }) {
      return std::string(cereal::detail::binding_name<T>::name());
    } else {
      static_assert(!TypeName<T>::value.empty(),
                    "hdb: a type of an hdb::OneOf that cereal writes needs an hdb::TypeName");
      return std::string(TypeName<T>::value);
    }
  }();
  return name;
}

/// In place of a name: the object is of the very class that a pointer to it names.
inline constexpr std::uint32_t kIsOfBase = cereal::detail::msb2_32bit;
/// Set in the number of a class where its name follows.
inline constexpr std::uint32_t kNameFollows = cereal::detail::msb_32bit;

}  // namespace hdb::detail::record

namespace hdb {

/// @file
/// cereal writes a Box as the std::unique_ptr in its place, and a OneOf as a std::unique_ptr to a
/// base with virtual functions: so archives that were written with the pointers load. The types of
/// a OneOf need no CEREAL_REGISTER_TYPE. Those that have it keep their names, others have their
/// hdb::TypeName; a load also finds types by their names without namespaces. It throws
/// cereal::Exception for a type that the OneOf does not list. If a load throws, the Box or OneOf
/// keeps what it held. Files of hdb do not use these functions.
///
/// Example:
/// @code
/// std::stringstream text;
/// {
///   cereal::JSONOutputArchive archive(text);
///   archive(cereal::make_nvp("monster", hdb::make_box<Monster>(Monster{"imp", 7})));
/// }
/// hdb::Box<Monster> monster;
/// cereal::JSONInputArchive archive(text);
/// archive(cereal::make_nvp("monster", monster));
/// assert(monster && monster->hp == 7);
/// @endcode

template <class Archive, class T>
void CEREAL_SAVE_FUNCTION_NAME(Archive& archive, const Box<T>& box) {
  if constexpr (std::is_polymorphic_v<T>) {
    archive(cereal::make_nvp("polymorphic_id", box ? detail::record::kIsOfBase : 0));
    if (!box) return;
  }
  detail::record::save_object(archive, box.get());
}
template <class Archive, class T>
void CEREAL_LOAD_FUNCTION_NAME(Archive& archive, Box<T>& box) {
  if constexpr (std::is_polymorphic_v<T>) {
    std::uint32_t id = 0;
    archive(cereal::make_nvp("polymorphic_id", id));
    if (id == 0) return box.reset();
    if (id != detail::record::kIsOfBase)
      throw cereal::Exception("hdb: an hdb::Box cannot hold an object of a derived class");
  }
  box = detail::record::load_object<T>(archive);
}

template <class Archive, class Base, class... Ts>
void CEREAL_SAVE_FUNCTION_NAME(Archive& archive, const OneOf<Base, Ts...>& one) {
  if (!one) {
    archive(cereal::make_nvp("polymorphic_id", std::uint32_t{0}));
    return;
  }
  one.visit([&archive]<class T>(const T& object) {
    if constexpr (std::is_same_v<T, Base>) {
      archive(cereal::make_nvp("polymorphic_id", detail::record::kIsOfBase));
    } else {
      const std::string& name = detail::record::name_for_cereal<T>();
      const std::uint32_t id = archive.registerPolymorphicType(name.c_str());
      archive(cereal::make_nvp("polymorphic_id", id));
      if ((id & detail::record::kNameFollows) != 0)
        archive(cereal::make_nvp("polymorphic_name", name));
    }
    detail::record::save_object(archive, &object);
  });
}
template <class Archive, class Base, class... Ts>
void CEREAL_LOAD_FUNCTION_NAME(Archive& archive, OneOf<Base, Ts...>& one) {
  std::uint32_t id = 0;
  archive(cereal::make_nvp("polymorphic_id", id));
  if (id == 0) return one.reset();
  const bool is_base = id == detail::record::kIsOfBase;
  std::string name;
  if (is_base) {
    name = TypeName<Base>::value;
  } else if ((id & detail::record::kNameFollows) != 0) {
    archive(cereal::make_nvp("polymorphic_name", name));
    archive.registerPolymorphicName(id, name);
  } else {
    name = archive.getPolymorphicName(id);
  }
  const auto load_if = [&]<class T>(bool is_it, std::type_identity<T>) {
    if (is_it) one = detail::record::load_object<T>(archive);
    return is_it;
  };
  const std::string_view identifier = detail::identifier_of(name);
  const bool is_found =
      (load_if(is_base ? std::is_same_v<Ts, Base> : name == detail::record::name_for_cereal<Ts>(),
               std::type_identity<Ts>()) ||
       ...) ||
      (load_if(!is_base && identifier == TypeName<Ts>::value, std::type_identity<Ts>()) || ...);
  if (!is_found)
    throw cereal::Exception("hdb: an hdb::OneOf of the program does not list the type '" + name +
                            "'");
}

}  // namespace hdb
