// Two values of one field, possibly of different schemas: equal, or which parts differ.
#pragma once

#include <functional>
#include <string>

#include "hdb/inspect/values.hpp"
#include "inspect/diff/compare_rules.hpp"

namespace hdb::diffing {

/// Whether values of two fields can be equal: kinds that differ are comparable only among integers
/// (enumerations too), among floats, and among lists and arrays.
[[nodiscard]] bool are_comparable(const Field& a, const Field& b) noexcept;

/// Whether two values are equal, or not comparable: floats by their bits; integers and floats of
/// different widths by the numbers that they represent; structures by the fields that both have;
/// all of it as far as `rules` (those of the field of `a`) ask for.
[[nodiscard]] bool equal_values(const Value& a, const Value& b, const CompareRules& rules = {});

/// Called with the path of a part that differs and with its two values; null where there is none
/// (an element or a key that only one side has).
using PartListener = std::function<void(const std::string& path, const Value* a, const Value* b)>;

/// If more elements of a list differ, the whole list is one part.
inline constexpr std::uint64_t kMaxListedElements = 1000;

/// Finds the smallest parts that differ. List elements are matched by their number, map values by
/// their key.
void for_each_difference(const Value& a, const Value& b, const std::string& path,
                         const PartListener& listener, const CompareRules& rules = {});

/// "+2.75" between two numbers of one kind; empty for anything else.
[[nodiscard]] std::string difference_text(const Value& a, const Value& b);

}  // namespace hdb::diffing
