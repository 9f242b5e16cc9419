// What a container of a program does with equal elements or keys. Files do not say it, but whether
// an old save loads can depend on it (hdb/inspect/compat.hpp). For tools and editors.
#pragma once

#include <cstdint>
#include <string_view>

#include "hdb/detail/base/api.hpp"

namespace hdb {

/// What a list does with equal elements, or a map with equal keys.
///
/// Example:
/// @code
/// hdb::KeyRule rule = hdb::KeyRule::distinct;  // of a std::set
/// assert(hdb::key_rule_name(rule) == "distinct");
/// rule = hdb::KeyRule::repeat;  // of a std::vector
/// assert(hdb::key_rule_name(rule) == "repeat");
/// @endcode
enum class KeyRule : std::uint8_t {
  unknown,   ///< A container that hdb does not know, or a container of a file.
  repeat,    ///< Holds all of them: std::vector, std::multimap.
  distinct,  ///< Holds one of equal values: std::set, std::map.
  compared,  ///< Holds one of those that a comparison of the program's own takes for equal.
};

/// "unknown", "repeat", "distinct", "compared".
[[nodiscard]] HDB_INSPECT_API std::string_view key_rule_name(KeyRule rule) noexcept;

}  // namespace hdb
