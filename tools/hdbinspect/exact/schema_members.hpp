// Fields and policies as members of JSON objects: the inverses of field_json and add_policies
// (hdb/inspect/table_schema.hpp).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "exact/json_members.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb::inspect {

/// Reads a field with its children; check_schema must check it afterwards.
/// Errors: bad_exact_dump, with what is wrong.
[[nodiscard]] Status read_field(const JsonDocument& line, const JsonNode& node, Field& field);

/// Reads the member `extensions`, which may be absent. `members` keeps the first fault.
[[nodiscard]] std::vector<Extension> read_extension_members(const JsonDocument& line,
                                                            Members& members);

/// Says that the member is none of these words.
void fault_word(Members& members, std::string_view member, std::string_view word,
                const std::vector<std::string>& names);

/// The value that `name_of` calls as the member says. `members` keeps the first fault.
template <class Enum, std::size_t N>
[[nodiscard]] Enum read_word(Members& members, std::string_view member,
                             const std::array<Enum, N>& values,
                             std::string_view (*name_of)(Enum) noexcept) {
  const std::string_view word = members.text(member);  // once: a member is taken
  std::vector<std::string> names;
  for (const Enum value : values) {
    if (name_of(value) == word) return value;
    names.emplace_back(name_of(value));
  }
  fault_word(members, member, word, names);
  return values.front();
}

/// Reads the members of a table's policies. `members` keeps the first fault.
void read_policies(Members& members, TableDescriptor& table);

}  // namespace hdb::inspect
