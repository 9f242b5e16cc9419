// Plain structs in cereal's own archives. Games that write records without `serialize` with cereal
// as JSON, XML or binary include this header.
#pragma once

#include <cereal/cereal.hpp>

#include "hdb/detail/record/serialize_functions.hpp"

namespace hdb::detail::record {

template <class Archive>
inline constexpr bool kIsOwnArchive =
    std::is_same_v<Archive, EncodeArchive> || std::is_same_v<Archive, DescribeArchive> ||
    std::is_same_v<Archive, DecodeArchive>;

/// What cereal does not know, and hdb finds the members of, if it has any.
template <class T, class Archive>
concept OnlyFoundByHdb = !kIsOwnArchive<Archive> && std::is_class_v<T> && std::is_aggregate_v<T> &&
                         inner_shape<T>() == Shape::user &&
                         (save_form<T, EncodeArchive>().form == Form::aggregate ||
                          save_form<T, EncodeArchive>().form == Form::empty);

}  // namespace hdb::detail::record

namespace cereal {

/// @file
/// cereal's archives then write a struct that has no functions for cereal as if it had a
/// `serialize` that visits its members with CEREAL_NVP, but for those that hdb::LeavesOut names. A
/// struct whose members cannot be found does not compile.
/// Files of hdb do not use this function.
///
/// Example:
/// @code
/// struct Spell { std::int32_t mana = 5; };
/// std::stringstream text;
/// {
///   cereal::JSONOutputArchive archive(text);
///   archive(cereal::make_nvp("spell", Spell()));  // {"spell": {"mana": 5}}
/// }
/// Spell spell;
/// cereal::JSONInputArchive archive(text);
/// archive(cereal::make_nvp("spell", spell));
/// assert(spell.mana == 5);
/// @endcode

template <class Archive, class T>
requires hdb::detail::record::OnlyFoundByHdb<T, Archive>
void CEREAL_SERIALIZE_FUNCTION_NAME(Archive& archive, T& value) {
  namespace record = hdb::detail::record;
  if constexpr (record::require_value<record::Place::serialize, T,
                                      record::structure_refusal<T>()>()) {
    record::for_each_member(
        value, [&archive](const char* name, auto& member) { archive(make_nvp(name, member)); });
  }
}

}  // namespace cereal
