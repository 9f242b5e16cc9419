// New contents for tables, prepared aside and then installed all together.
#pragma once

#include <memory>
#include <vector>

#include "hdb/database/database.hpp"
#include "table_content.hpp"

namespace hdb {

/// A table's next state.
struct Replacement {
  TableEntry* entry = nullptr;
  TableContent content;
  std::uint16_t type_id = 0;

  /// The state of a table as its program makes it: empty, or one default record for a singleton.
  [[nodiscard]] static Replacement initial(TableEntry& entry);
};

/// Installs all replacements or none; under `fork`, raises their generations first.
/// Errors: fork_under_wrap, fork_exhausted.
[[nodiscard]] Status install(std::vector<Replacement>& replacements, TimelineMode mode);

}  // namespace hdb
