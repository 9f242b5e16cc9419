// Values of a program, which knows a field only by its name, in the type of that field.
#pragma once

#include <string>

#include "base/using_detail.hpp"
#include "hdb/dynamic_value.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb {

/// Brings a value to the type of `field`, as LiveTable::set says; a load does the rest, such as
/// whole numbers of another width. What a load would refuse, leave out or make up is refused here.
/// `path`: of the field, for errors. `is_whole`: whether structures need all their fields. What was
/// not read of a record yet stays so.
/// Errors: type_mismatch, layout_mismatch, value_out_of_range and value_refused, as of a load;
/// not_found for a field that a structure does not have; invalid_value for the name of no
/// enumerator, for an array of another length and for a structure that lacks a field.
[[nodiscard]] Status conform(const Field& field, DynamicValue& value, const std::string& path = {},
                             bool is_whole = false);

}  // namespace hdb
