// Values of a program, which knows a field only by its name, in the type of that field.
#pragma once

#include <string>

#include "base/using_detail.hpp"
#include "hdb/dynamic_value.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb {

/// Brings a value to the type of `field`, as LiveTable::set says; a load does the rest, such as
/// whole numbers of another width. What a load would leave out or make up, and list in its report,
/// is refused. `path`: of the field, for errors. `is_whole`: whether structures need all their
/// fields. Fields of a record that were not read yet stay so.
/// Errors: not_found for a field that a structure does not have; value_out_of_range for a double
/// that no float is near to; invalid_value for the name of no enumerator, for an array of another
/// length and for a structure that lacks a field; type_mismatch for an optional without a value
/// where a value is needed.
[[nodiscard]] Status conform(const Field& field, DynamicValue& value, const std::string& path = {},
                             bool is_whole = false);

/// The error of a load that refused a value, in the words of a call: what the field is, and the
/// first value that does not fit it. Where all values fit, the error stays as it is.
[[nodiscard]] Error as_of_a_call(Error error, const Field& record, const DynamicValue& value);

}  // namespace hdb
