// How errors call a table.
#pragma once

#include <string>
#include <string_view>

namespace hdb {

[[nodiscard]] inline std::string quoted(std::string_view name) {
  return "table '" + std::string(name) + "'";
}

}  // namespace hdb
