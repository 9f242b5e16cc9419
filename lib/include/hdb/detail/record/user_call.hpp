// Finds and calls the functions that a user wrote for cereal: serialize, save and load,
// save_minimal and load_minimal.
#pragma once

#include <cereal/cereal.hpp>
#include <cstdint>
#include <type_traits>

namespace hdb::detail::record {

class EncodeArchive;

/// Which of cereal's ways a type uses.
enum class Form : std::uint8_t {
  none,
  member_serialize,
  free_serialize,
  member_split,
  free_split,
  member_minimal,
  free_minimal,
  empty,      ///< An empty class without functions.
  aggregate,  ///< Another aggregate without functions: hdb finds its members.
};

struct UserForm {
  Form form = Form::none;
  bool versioned = false;

  [[nodiscard]] constexpr bool is_minimal() const {
    return form == Form::member_minimal || form == Form::free_minimal;
  }
  /// One function for both directions: the only form that plain records may have. Records of
  /// another class version are not loaded by copying.
  [[nodiscard]] constexpr bool is_plain_serialize() const {
    return form == Form::member_serialize || form == Form::free_serialize ||
           form == Form::aggregate || form == Form::empty;
  }
};

/// Whether T is an aggregate that cereal knows nothing of.
template <class T, class Ar>
inline constexpr bool kIsPlainAggregate =
    std::is_class_v<T>&& std::is_aggregate_v<T>&&
        cereal::traits::detail::count_output_serializers<T, Ar>::value == 0;

/// The form that cereal would choose for saving T through Ar.
template <class T, class Ar>
[[nodiscard]] consteval UserForm save_form() {
  namespace t = cereal::traits;
  if constexpr (!t::is_output_serializable<T, Ar>::value ||
                t::has_invalid_output_versioning<T, Ar>::value) {
    if constexpr (std::is_empty_v<T>) return {Form::empty, false};
    return {kIsPlainAggregate<T, Ar> ? Form::aggregate : Form::none, false};
  } else {
    constexpr bool any = !t::is_specialized<T, Ar>::value;
#define HDB_FORM(test, result, is_versioned)                                                    \
  if constexpr (t::has_##test<T, Ar>::value) {                                                  \
    if constexpr (any || t::is_specialized_##test<T, Ar>::value) return {result, is_versioned}; \
  }
    HDB_FORM(member_serialize, Form::member_serialize, false)
    HDB_FORM(non_member_serialize, Form::free_serialize, false)
    HDB_FORM(member_save, Form::member_split, false)
    HDB_FORM(non_member_save, Form::free_split, false)
    HDB_FORM(member_save_minimal, Form::member_minimal, false)
    HDB_FORM(non_member_save_minimal, Form::free_minimal, false)
    HDB_FORM(member_versioned_serialize, Form::member_serialize, true)
    HDB_FORM(non_member_versioned_serialize, Form::free_serialize, true)
    HDB_FORM(member_versioned_save, Form::member_split, true)
    HDB_FORM(non_member_versioned_save, Form::free_split, true)
    HDB_FORM(member_versioned_save_minimal, Form::member_minimal, true)
    HDB_FORM(non_member_versioned_save_minimal, Form::free_minimal, true)
#undef HDB_FORM
    return {};
  }
}

/// Whether the program declares a version of T (CEREAL_CLASS_VERSION).
template <class T>
inline constexpr bool kDeclaresVersion = requires {
  cereal::detail::Version<T>::registerVersion();
};

/// The version of T that the program declares (CEREAL_CLASS_VERSION), else 0.
template <class T>
[[nodiscard]] inline std::uint32_t class_version_of() {
  return cereal::detail::Version<T>::version;
}

/// What the save_minimal of T returns.
template <class T, class Ar>
[[nodiscard]] auto call_save_minimal(const Ar& ar, const T& value) {
  constexpr UserForm form = save_form<T, EncodeArchive>();
  if constexpr (form.form == Form::member_minimal && form.versioned) {
    return cereal::access::member_save_minimal(ar, value, class_version_of<T>());
  } else if constexpr (form.form == Form::member_minimal) {
    return cereal::access::member_save_minimal(ar, value);
  } else if constexpr (form.versioned) {
    return CEREAL_SAVE_MINIMAL_FUNCTION_NAME(ar, value, class_version_of<T>());
  } else {
    return CEREAL_SAVE_MINIMAL_FUNCTION_NAME(ar, value);
  }
}

template <class T, class Ar>
using MinimalOf = std::remove_cvref_t<decltype(call_save_minimal<T>(std::declval<const Ar&>(),
                                                                    std::declval<const T&>()))>;

/// Calls the user's serialize or save.
template <class Ar, class T>
void call_save(Ar& ar, const T& value) {
  // One answer for all saving archives: asking again for each would cost time to compile.
  constexpr UserForm form = save_form<T, EncodeArchive>();
  [[maybe_unused]] T& mutable_value =
      const_cast<T&>(value);  // as cereal does: serialize must not change it
  if constexpr (form.form == Form::member_serialize && form.versioned) {
    cereal::access::member_serialize(ar, mutable_value, class_version_of<T>());
  } else if constexpr (form.form == Form::member_serialize) {
    cereal::access::member_serialize(ar, mutable_value);
  } else if constexpr (form.form == Form::free_serialize && form.versioned) {
    CEREAL_SERIALIZE_FUNCTION_NAME(ar, mutable_value, class_version_of<T>());
  } else if constexpr (form.form == Form::free_serialize) {
    CEREAL_SERIALIZE_FUNCTION_NAME(ar, mutable_value);
  } else if constexpr (form.form == Form::member_split && form.versioned) {
    cereal::access::member_save(ar, value, class_version_of<T>());
  } else if constexpr (form.form == Form::member_split) {
    cereal::access::member_save(ar, value);
  } else if constexpr (form.form == Form::free_split && form.versioned) {
    CEREAL_SAVE_FUNCTION_NAME(ar, value, class_version_of<T>());
  } else if constexpr (form.form == Form::free_split) {
    CEREAL_SAVE_FUNCTION_NAME(ar, value);
  }
}

/// Calls the user's serialize or load with the stored version.
template <class Ar, class T>
void call_load(Ar& ar, T& value, [[maybe_unused]] std::uint32_t version) {
  constexpr UserForm form = save_form<T, EncodeArchive>();
  if constexpr (form.form == Form::member_serialize && form.versioned) {
    cereal::access::member_serialize(ar, value, version);
  } else if constexpr (form.form == Form::member_serialize) {
    cereal::access::member_serialize(ar, value);
  } else if constexpr (form.form == Form::free_serialize && form.versioned) {
    CEREAL_SERIALIZE_FUNCTION_NAME(ar, value, version);
  } else if constexpr (form.form == Form::free_serialize) {
    CEREAL_SERIALIZE_FUNCTION_NAME(ar, value);
  } else if constexpr (form.form == Form::member_split && form.versioned) {
    cereal::access::member_load(ar, value, version);
  } else if constexpr (form.form == Form::member_split) {
    cereal::access::member_load(ar, value);
  } else if constexpr (form.form == Form::free_split && form.versioned) {
    CEREAL_LOAD_FUNCTION_NAME(ar, value, version);
  } else if constexpr (form.form == Form::free_split) {
    CEREAL_LOAD_FUNCTION_NAME(ar, value);
  }
}

/// Calls the user's load_minimal.
template <class Ar, class T, class M>
void call_load_minimal(const Ar& ar, T& value, const M& minimal,
                       [[maybe_unused]] std::uint32_t version) {
  constexpr UserForm form = save_form<T, EncodeArchive>();
  if constexpr (form.form == Form::member_minimal && form.versioned) {
    cereal::access::member_load_minimal(ar, value, minimal, version);
  } else if constexpr (form.form == Form::member_minimal) {
    cereal::access::member_load_minimal(ar, value, minimal);
  } else if constexpr (form.versioned) {
    CEREAL_LOAD_MINIMAL_FUNCTION_NAME(ar, value, minimal, version);
  } else {
    CEREAL_LOAD_MINIMAL_FUNCTION_NAME(ar, value, minimal);
  }
}

}  // namespace hdb::detail::record
