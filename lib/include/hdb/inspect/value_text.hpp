// Values as text and as JSON.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb {

/// The value in one line: `-3`, `128.5`, `"imp"`, `monsters:77@2`, `[1, 2]`, `{x: 1, y: 2}`,
/// `none`.
[[nodiscard]] std::string value_text(const Value& value, const HandleNamer& namer);
/// The value as JSON. A structure is an object, a list an array, a map an array of {"key",
/// "value"}, an optional its value or null, a variant {"tag", "value"}, an opaque value {"hex"}.
[[nodiscard]] std::string value_json(const Value& value, const HandleNamer& namer);
/// A float's or double's bits in the shortest form that reads back the same; NaNs with a payload
/// tell their bits.
[[nodiscard]] std::string float_text(FieldKind kind, std::uint64_t bits);
/// The number that float bits stand for.
[[nodiscard]] double float_value(FieldKind kind, std::uint64_t bits) noexcept;

/// The path of a field in a structure at `path`: "pos" and "x" give "pos.x". Names are escaped.
[[nodiscard]] std::string child_path(const std::string& path, std::string_view name);

/// "items" and 3 give "items[3]".
[[nodiscard]] std::string element_path(const std::string& path, std::uint64_t index);
/// "tag" and 2 give "tag<2>".
[[nodiscard]] std::string variant_path(const std::string& path, std::uint64_t tag);

/// Calls `leaf` for every value that is best shown by itself, with its path, in the order of the
/// schema. Lists of plain values are shown whole.
void for_each_leaf(const Value& value, const std::string& path,
                   const std::function<void(const std::string& path, const Value& leaf)>& leaf);

}  // namespace hdb
