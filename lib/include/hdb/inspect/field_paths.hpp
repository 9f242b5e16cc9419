// The fields of a schema by path: all of them, those that a glob matches, the one nearest to a mistyped path.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hdb/inspect/glob.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb {

/// The paths of all fields with columns and of the structures around them, in the order of the schema: "pos", "pos.x",
/// "items[].name".
[[nodiscard]] std::vector<std::string> field_paths(const Field& root);
/// "; did you mean 'pos.x'?" for the field nearest to `path`; empty when none is near.
[[nodiscard]] std::string near_field_hint(const Field& root, std::string_view path);

/// The fields that a path glob matches, each without those in it, in the order of the schema. Numbered elements match
/// nothing here: a field is all of its elements.
[[nodiscard]] std::vector<FieldPlace> match_fields(const Field& root, const Glob& glob);
/// The same for a walk that has come to `state` before the record: behind the table's name.
[[nodiscard]] std::vector<FieldPlace> match_fields(const Field& root, const Glob& glob,
                                                   const Glob::State& state);

/// How many columns of its own a field has before those of its children: 0, 1, or 2.
[[nodiscard]] std::uint32_t leading_columns(const Field& field) noexcept;
/// The columns of a field with all that is in it.
[[nodiscard]] std::uint32_t count_columns(const Field& field) noexcept;

}  // namespace hdb
