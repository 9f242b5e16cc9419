// A value that was typed on the command line, for one field.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "exact/json_members.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/json.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb::inspect {

/// Refers to itself, so it stays where it is.
class TypedValue {
 public:
  /// Reads JSON as `dump --exact` writes it. Of one field also a bare word: a text, the name of an
  /// enumerator, a handle. Of an optional the value that it holds, or null.
  /// Errors: bad_name, with what is needed.
  [[nodiscard]] static Result<std::unique_ptr<const TypedValue>> read(
      std::string_view text, const Field& field, const std::vector<TableDescriptor>& tables);

  TypedValue(const TypedValue&) = delete;
  TypedValue& operator=(const TypedValue&) = delete;

  [[nodiscard]] const Value& value() const noexcept { return value_; }

 private:
  TypedValue(std::string json, const std::vector<TableDescriptor>& tables)
      : json_(std::move(json)), reader_(tables, JsonValueReader::Form::exact) {}

  std::string json_;
  JsonDocument line_;
  JsonValueReader reader_;
  Value value_;
};

/// Refuses a value with a handle that is not null and names no record of the file.
/// Errors: not_found, with the handle; those of SlotLookup.
[[nodiscard]] Status check_handles(const Reader& reader, const Value& value);

}  // namespace hdb::inspect
