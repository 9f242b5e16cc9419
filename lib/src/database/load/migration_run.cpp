// Creates and erases on contents that are not installed yet.
#include "database/load/migration_run.hpp"

#include <algorithm>
#include <utility>

#include "database/tables/snapshot_data.hpp"
#include "evolve/dynamic_access.hpp"
#include "hdb/translate_handle.hpp"

namespace hdb {
namespace {

[[noreturn]] void refuse_record(const TableEntry& entry, const std::string& what) {
  throw DynamicError("no record can be created in table '" + entry.name + "': " + what);
}

void charge_record(MemoryBudget& budget, const TableEntry& entry) {
  if (!budget.charge(entry.core().ops().size_bytes))
    refuse_record(entry, "the memory budget is exceeded");
}

// Makes a default record at `memory`, which is null if the table is full.
MigratedSlot commit_record(const TableEntry& entry, TableCore& core, void* memory) {
  if (memory == nullptr) refuse_record(entry, "it is full");
  core.ops().construct_default(memory);
  const Slots::Next next = core.commit_insert();
  return {next.slot, next.generation};
}

}  // namespace

Status MigrationRun::run(LoadReport& report) {
  RowGroup buffer;
  for (const auto& table : incoming_) {
    if (table->migration == nullptr || !table->migration->creates()) continue;
    const std::uint64_t groups = image_.tables()[table->stored].group_count();
    for (std::uint64_t group = 0; group < groups; ++group) {
      if (auto migrated = table->migrate_group(image_, group, buffer, budget_, *this); !migrated)
        return migrated;
      if (failure_) return fail(*failure_);
    }
  }
  for (const auto& table : incoming_) {
    if (table->migration == nullptr && table->dropped_slots.empty()) continue;
    TableContent& content = *content_of(*table->entry)->content;
    if (content.core().end_place() != 0)
      static_cast<void>(content.core().edit_at(0));  // the records may have another order now
    std::sort(table->dropped_slots.begin(), table->dropped_slots.end());
    for (const std::uint32_t slot : table->dropped_slots) content.erase_slot(slot);
    if (table->migration != nullptr) table->migration->erase_dropped();
  }
  for (const auto& [name, table] : targets_) table->erase_dropped();
  add_to(report);
  return {};
}

DynamicValue MigrationRun::create(const MigrationStep& step, std::string_view table,
                                  DynamicValue record, std::string_view name) {
  TableMigration& into = target(table);
  const std::uint32_t version = version_of(step, into, record);
  const MigratedSlot slot = insert(into, name);
  complete(into, record, version, slot);
  return into.handle_of(slot);
}

void MigrationRun::create_component(const MigrationStep& step, std::string_view table,
                                    const DynamicValue& owner, DynamicValue component) {
  TableMigration& into = target(table);
  const std::uint32_t version = version_of(step, into, component);
  complete(into, component, version, insert_component(into, owner));
}

// The class version of a record to be created. Throws DynamicError if it cannot be created.
std::uint32_t MigrationRun::version_of(const MigrationStep& step, const TableMigration& into,
                                       const DynamicValue& record) const {
  if (record.kind() != FieldKind::structure)
    throw DynamicError("a created record must be a structure");
  const bool is_same_table = step.declared.table == into.entry().name;
  const std::uint32_t made = is_same_table ? step.declared.from + 1 : into.own_version();
  const std::uint32_t version = record.class_version().value_or(made);
  if (is_same_table && version < made) {
    throw DynamicError("the created record has version " + std::to_string(version) +
                       ", for which this migration would run again");
  }
  if (depth_ == kMaxDepth)
    throw DynamicError("migrations of created records create records, " +
                       std::to_string(kMaxDepth) + " times nested");
  return version;
}

void MigrationRun::complete(TableMigration& into, DynamicValue& record, std::uint32_t version,
                            MigratedSlot slot) {
  ++depth_;
  const Status completed = into.complete(record, version, slot, budget_, *this);
  --depth_;
  if (completed) return;
  if (!failure_) failure_ = completed.error();
  throw DynamicError(completed.error().message());
}

// The migration of a table that may get records. Throws DynamicError if it may not.
TableMigration& MigrationRun::target(std::string_view table) {
  const auto quoted_table = [&] { return "table '" + std::string(table) + "'"; };
  for (const auto& each : incoming_) {
    if (each->migration != nullptr && each->entry->name == table) return *each->migration;
  }
  if (const auto known = targets_.find(table); known != targets_.end()) return *known->second;
  const auto found = std::find_if(contents_.begin(), contents_.end(), [&](const LoadedTable& each) {
    return each.entry->name == table;
  });
  if (found == contents_.end() || !found->entry->is_saved())
    throw DynamicError("the database has no saved " + quoted_table());
  auto made = make_(*found->entry);
  if (!made) throw DynamicError(made.error().message());
  (*made)->begin(*found->content, found->type_id);
  return *targets_.emplace(std::string(table), *std::move(made)).first->second;
}

const LoadedTable* MigrationRun::content_of(const TableEntry& entry) const {
  for (const LoadedTable& each : contents_) {
    if (each.entry == &entry) return &each;
  }
  return nullptr;
}

MigratedSlot MigrationRun::insert(TableMigration& into, std::string_view name) {
  const TableEntry& entry = into.entry();
  if (entry.is_singleton) refuse_record(entry, "it is a singleton");
  if (entry.content->blob_options() != nullptr) refuse_record(entry, "it is a blob table");
  if (entry.is_component())
    refuse_record(entry, "it is a component table; use MigrationContext::create_component");
  TableCore& core = into.content().core();
  if (core.names() == nullptr && !name.empty()) refuse_record(entry, "its records have no names");
  if (core.names() != nullptr && core.slot_named(name))
    refuse_record(entry, "it already has a record of the name '" + std::string(name) + "'");
  charge_record(budget_, entry);
  return commit_record(entry, core, core.prepare_insert(name));
}

MigratedSlot MigrationRun::insert_component(TableMigration& into, const DynamicValue& owner) {
  const TableEntry& entry = into.entry();
  if (!entry.is_component())
    refuse_record(entry, "it is not a component table; use MigrationContext::create");
  const LoadedTable* const owners = content_of(*entry.owner);
  if (owners == nullptr) refuse_record(entry, "the load leaves out its owner");
  const TablePolicy& policy = entry.owner->core().policy();
  std::optional<HandleParts> parts;
  if (owner.kind() == FieldKind::handle && DynamicAccess::layout(owner) == policy.layout)
    parts = split_handle(policy.layout, DynamicAccess::bits(owner));
  const std::string& table = DynamicAccess::text(owner);
  if (!parts || (!table.empty() && table != entry.owner->name) ||
      !owners->content->core().slots().matches(parts->index, parts->generation)) {
    refuse_record(entry, "the owner given is not the handle of a record of table '" +
                             entry.owner->name + "'");
  }
  TableCore& core = into.content().core();
  if (parts->index < core.counters().slot_count &&
      slot_tag::is_live(core.slots().tag(parts->index))) {
    refuse_record(entry, "the record already has a component in it");
  }
  charge_record(budget_, entry);
  return commit_record(entry, core, core.prepare_component(parts->index, parts->generation));
}

void MigrationRun::add_to(LoadReport& report) const {
  for (std::size_t i = 0; i < incoming_.size(); ++i) {
    if (incoming_[i]->dropped_slots.empty()) continue;
    TableLoadReport& to = report.tables[i];
    to.unknown_records = incoming_[i]->dropped_slots.size();
    to.live_count = content_of(*incoming_[i]->entry)->content->core().counters().live_count;
    to.promise = HandlePromise::handles_valid;
  }
  const auto add = [](TableLoadReport& to, const TableMigration& table) {
    to.live_count = table.content().core().counters().live_count;
    to.migration = table.report();
    to.unknown_records = table.unknown_records();
    if (to.migration->dropped != 0 || to.migration->created != 0 || to.unknown_records != 0)
      to.promise = HandlePromise::handles_valid;
    for (LoadChange& change : table.changes()) to.changes.push_back(std::move(change));
  };
  for (std::size_t i = 0; i < incoming_.size(); ++i) {
    if (incoming_[i]->migration != nullptr) add(report.tables[i], *incoming_[i]->migration);
  }
  for (const auto& [name, table] : targets_) {
    auto at = std::find_if(report.tables.begin(), report.tables.end(),
                           [&, &name = name](const auto& each) { return each.name == name; });
    if (at == report.tables.end()) {  // new since the file was written
      at = report.tables.emplace(at);
      at->name = name;
      std::erase(report.missing_tables, name);
    }
    add(*at, *table);
  }
}

}  // namespace hdb
