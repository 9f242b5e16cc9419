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
  /// The content is what a new table has: nothing or, in a singleton, a default record (made by `install`).
  bool is_new = false;

  /// The state of a table as if it were made in the timeline that begins.
  [[nodiscard]] static Replacement initial(TableEntry& entry);
};

/// Installs all replacements or none. Under `exact`, a new table starts above what `dropped`, that of the timeline to come,
/// says of its handles. Under `fork` all tables start above everything that was `ever` issued, and `dropped` becomes that.
/// Errors: fork_under_wrap, fork_exhausted.
[[nodiscard]] Status install(std::vector<Replacement>& replacements, TimelineMode mode,
                             DroppedTables& dropped, IssuedHandles& ever);

}  // namespace hdb
