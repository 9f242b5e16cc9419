// Fields of records as texts that people edit: what a text means, and where a value is in a record.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/dynamic_value.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/inspect/values.hpp"
#include "hdb/live_table.hpp"

namespace hdb::detail::imgui {

/// A record: the name of its table and the bits of its handle; 0: the table alone.
struct Place {
  std::string table = {};
  std::uint64_t handle = 0;

  friend bool operator==(const Place&, const Place&) = default;
};

/// One step from a value to a part of it. Unlike a path it reaches fields of any name, and the
/// values of maps and variants.
struct ValueStep {
  enum class Kind : std::uint8_t {
    field,    ///< The field with this number of a structure.
    element,  ///< The element with this number; of a map, key or value as in Value::children.
    held,     ///< The value of an optional or variant.
  };
  Kind kind = Kind::field;
  std::uint64_t number = 0;

  friend bool operator==(const ValueStep&, const ValueStep&) = default;
};

/// The part of a record at the end of the steps, which begin at a structure of schema `root`.
/// Throws: DynamicError if the record has no such part.
[[nodiscard]] HDB_IMGUI_API DynamicValue& value_at(DynamicValue& record, const Field& root,
                                                   std::span<const ValueStep> steps);
/// The path of the part as hdb prints it: "items[3].name", "tag<1>.x", "by_name[0].value".
/// `record`: the value that the steps begin at; steps that it does not have are left out.
[[nodiscard]] HDB_IMGUI_API std::string path_of(const Value& record,
                                                std::span<const ValueStep> steps);

/// Whether the value is edited as one text: numbers, strings, characters and handles.
[[nodiscard]] HDB_IMGUI_API bool is_edited_as_text(FieldKind kind) noexcept;
/// The text of such a value: without quotes and escapes.
[[nodiscard]] HDB_IMGUI_API std::string edited_text(const Value& value, const HandleNamer& namer);
/// The value that a text means in `field`. A handle is "null", "monsters:7@1", its bits as
/// "0x...", or the name of a record.
/// Errors: invalid_value, with what the field takes. LiveTable::edit checks the rest (ranges).
[[nodiscard]] HDB_IMGUI_API Result<DynamicValue> parse_value(const Field& field,
                                                             std::string_view text,
                                                             const std::vector<LiveTable>& tables);
/// What a new element of this field is: zero, empty, none, the first alternative.
[[nodiscard]] HDB_IMGUI_API DynamicValue empty_value(const Field& field);
/// Adds a pair with an empty key and value to a map.
HDB_IMGUI_API void add_pair(DynamicValue& map, const Field& field);

/// The record that a text of LiveTable::handle_text names. Errors: invalid_value; not_found for a
/// table or a record that does not exist.
[[nodiscard]] HDB_IMGUI_API Result<Place> parse_place(std::string_view text,
                                                      const std::vector<LiveTable>& tables);

}  // namespace hdb::detail::imgui
