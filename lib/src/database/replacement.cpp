// Installing prepared tables: everything that can fail comes first.
#include "replacement.hpp"

#include <algorithm>

namespace hdb {
namespace {

Status raise(Replacement& replacement) {
  TableCore& core = replacement.content.core();
  const TablePolicy& policy = core.policy();
  const std::string where = "fork of table '" + replacement.entry->name + "'";
  if (policy.overflow == Overflow::wrap) {
    return fail(ErrorCode::fork_under_wrap,
                "the table's generations wrap, so none is above all others", where);
  }
  const std::uint32_t floor = std::max(core.counters().highest_generation,
                                       replacement.entry->core->counters().highest_generation);
  if (floor >= policy.layout.max_generation()) {
    return fail(ErrorCode::fork_exhausted,
                "generation " + std::to_string(floor) + " was issued, the last of the layout",
                where);
  }
  core.raise_generations(floor);
  return {};
}

}  // namespace

Replacement Replacement::initial(TableEntry& entry) {
  Replacement replacement{&entry, TableContent::empty_of(entry), entry.core->options().type_id};
  if (entry.is_singleton) {
    TableCore& core = replacement.content.core();
    void* const memory = core.prepare_insert();
    core.ops().default_construct(memory);
    core.commit_insert();
  }
  return replacement;
}

Status install(std::vector<Replacement>& replacements, TimelineMode mode) {
  for (Replacement& replacement : replacements) {
    if (mode == TimelineMode::fork) {
      if (auto raised = raise(replacement); !raised) return raised;
    }
    TableContent::prepare_install(*replacement.entry);
  }
  for (Replacement& replacement : replacements) {
    replacement.content.install(*replacement.entry);
    replacement.entry->core->set_type_id(replacement.type_id);
  }
  return {};
}

}  // namespace hdb
