// Installing prepared tables: everything that can fail comes first.
#include "database/tables/loaded_table.hpp"

#include "base/using_detail.hpp"

#include <algorithm>

namespace hdb {
namespace {

Status raise(LoadedTable& replacement, const Issued& issued) {
  TableCore& core = replacement.content->core();
  if (core.slots().can_rise_above(issued)) {
    core.rise_above(issued);
    return {};
  }
  const std::string where = "fork of table '" + replacement.entry->name + "'";
  if (core.policy().overflow == Overflow::wrap) {
    return fail(ErrorCode::fork_under_wrap,
                "the generations of the table wrap, so no generation is above all others", where);
  }
  return fail(ErrorCode::fork_exhausted,
              "generation " + std::to_string(issued.highest()) +
                  ", the last of the handle layout, was already issued",
              where);
}

void insert_default(TableCore& core) {
  void* const memory = core.prepare_insert();
  core.ops().construct_default(memory);
  core.commit_insert();
}

}  // namespace

LoadedTable LoadedTable::initial(TableEntry& entry) {
  return {&entry, entry.content->make_empty(), entry.type_id(), true};
}

Status prepare_install(std::vector<LoadedTable>& replacements, TimelineMode mode,
                       DroppedTables& dropped, IssuedHandles& ever) {
  // Type ids may change hands: all is noted before any table rises.
  for (LoadedTable& replacement : replacements) replacement.entry->core().note_issued();
  for (LoadedTable& replacement : replacements) {
    TableEntry& entry = *replacement.entry;
    TableCore& core = replacement.content->core();
    if (entry.is_component()) {  // it issues no handles
      entry.content->prepare_adopt();
      continue;
    }
    const HandleSpace space = entry.handle_space(replacement.type_id);
    replacement.issued = ever.of(entry.scope(), space);
    if (mode == TimelineMode::fork) {
      if (auto raised = raise(replacement, ever.of(space, entry.name)); !raised) return raised;
    } else if (replacement.is_new && core.policy().overflow == Overflow::retire) {
      if (auto raised = raise(replacement, dropped.of(space, entry.name)); !raised) return raised;
    }
    if (replacement.is_new && entry.is_singleton) insert_default(core);
    entry.content->prepare_adopt();
  }
  if (mode == TimelineMode::fork) dropped = dropped.forked(ever);
  return {};
}

void install(std::vector<LoadedTable>& replacements) noexcept {
  for (LoadedTable& replacement : replacements) {
    replacement.entry->content->adopt(*replacement.content);
    replacement.entry->content->set_type_id(replacement.type_id);
    replacement.entry->core().set_issued(std::move(replacement.issued));
    replacement.entry->keep(std::move(replacement.kept), std::move(replacement.erased));
  }
}

void TablesAfterLoad::add(LoadedTable& replacement, const SnapshotTable& now) {
  Made& made = made_.emplace_back();
  made.descriptor = *now.descriptor;
  made.descriptor.type_id = replacement.type_id;
  made.table.frozen = replacement.content->freeze();
  made.table.entry = now.entry;
  made.table.codec = now.codec;
  made.table.type_id = replacement.type_id;
  made.table.descriptor = &made.descriptor;
  made.schema = now.program_schema();
  if (replacement.kept != nullptr) {
    made.table.own_schema = std::make_shared<const Field>(made.schema);
    made.schema = replacement.kept->merged(made.schema);
    made.table.kept = replacement.kept;
    made.table.erased = replacement.erased;
  }
  made.table.schema = &made.schema;
  tables_.push_back(&made.table);
}

Changes TablesAfterLoad::changes_since(const Snapshot& before) {
  for (Made& made : made_) {
    if (!made.table.entry->is_component()) continue;
    const auto owner = std::find_if(tables_.begin(), tables_.end(), [&](const auto* table) {
      return table->entry == made.table.entry->owner;
    });
    made.table.type_id = (*owner)->type_id;  // T4: who has components has their owner
  }
  std::sort(tables_.begin(), tables_.end(),
            [](const auto* a, const auto* b) { return a->descriptor->name < b->descriptor->name; });
  return changes_between(tables_of(before), tables_);
}

}  // namespace hdb
