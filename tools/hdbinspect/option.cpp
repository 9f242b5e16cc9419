// Takes option specifications apart.
#include "option.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "text.hpp"

namespace hdb::inspect {

Option::Option(std::string_view spec, Target where, std::string text, OptionRules more)
    : target(where), help(std::move(text)), rules(std::move(more)) {
  if (!spec.starts_with('-')) rules.required = !spec.starts_with('[');
  if (spec.starts_with('[')) spec = spec.substr(1, spec.size() - 2);
  const std::size_t end = std::min(spec.find_first_of(" ="), spec.size());
  names = split(spec.substr(0, end), ',');
  if (end == spec.size()) return;
  value = spec.substr(end + 1);
  if (spec[end] == '=') choices = split(value, '|');
}

std::string Option::text() const {
  if (is_argument()) return names.front();
  const std::string all = fmt::format("{}", fmt::join(names, ", "));
  return value.empty() ? all : all + (choices.empty() ? " " : "=") + value;
}

}  // namespace hdb::inspect
