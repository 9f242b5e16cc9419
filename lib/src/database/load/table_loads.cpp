// Matching tables of a file with those of the program, and reading them on several threads.
#include "database/load/table_loads.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/ordered_work.hpp"
#include "database/load/report_text.hpp"
#include "database/tables/database_state.hpp"
#include "database/tables/name_and_blob_columns.hpp"
#include "evolve/table_match.hpp"
#include "hdb/inspect/compat.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/handle_names.hpp"

namespace hdb {
namespace {

bool has_extensions(const Field& field) {
  return !field.extensions.empty() ||
         std::any_of(field.children.begin(), field.children.end(), has_extensions);
}

std::vector<LoadChange> joined(std::vector<LoadChange> first, std::vector<LoadChange> second) {
  std::move(second.begin(), second.end(), std::back_inserter(first));
  return first;
}

}  // namespace

Result<std::map<std::string_view, std::size_t>> TableLoads::stored_by_name() const {
  std::map<std::string_view, std::size_t> stored;
  const auto is_unused = [&](std::size_t i) { return file_.tables()[i].slot_count == 0; };
  for (std::size_t i = 0; i < file_.tables().size(); ++i) {
    const std::string& name = file_.tables()[i].name;
    const auto [other, is_new] = stored.emplace(database_.present_name(name), i);
    if (is_new) continue;
    // A program that did not know of the rename made a table of its own, but did not use it.
    if (is_unused(other->second) && (!is_unused(i) || name == other->first)) {
      other->second = i;
    } else if (!is_unused(i)) {
      return fail(ErrorCode::rename_conflict,
                  "the file has both " + quoted(file_.tables()[other->second].name) + " and " +
                      quoted(name) + ", but the program declares that both are " +
                      quoted(other->first) + " now",
                  "load");
    }
  }
  return stored;
}

bool TableLoads::is_left_out_family(std::string_view name) const {
  return std::any_of(database_.state_->families.begin(), database_.state_->families.end(),
                     [&](const detail::TableFamily& family) {
                       return family.has(name) && family.scope >= Scope::unsaved;
                     });
}

std::vector<std::string> TableLoads::absent_tables(
    const std::map<std::string, UnknownValue>& answers,
    const std::map<std::string_view, std::size_t>& others) const {
  std::set<std::string> names;
  for (const auto& [name, steps] : database_.state_->migrations.tables()) names.insert(name);
  for (const auto& [name, answer] : answers) names.insert(name);
  const auto& families = database_.state_->families;
  std::erase_if(names, [&](const std::string& name) {
    return database_.tables_.find(name) != nullptr || others.count(name) != 0 ||
           std::any_of(families.begin(), families.end(),
                       [&](const detail::TableFamily& family) { return family.has(name); });
  });
  return {names.begin(), names.end()};
}

Result<TableLoadReport> TableLoads::add(TableEntry& entry, std::size_t stored,
                                        std::uint64_t max_records, bool allow_policy_changes) {
  const TableDescriptor& table = file_.tables()[stored];
  const TablePolicy& own_policy = entry.core().policy();
  const auto where = [&] { return quoted(entry.name); };
  TableDescriptor renamed = table;
  renamed.owner = database_.present_name(table.owner);
  for (CompatFinding& finding :
       evolve::match_tables(descriptor_of(entry), max_records, renamed, true)) {
    if (finding.effect == Compatibility::incompatible && !finding.depends_on_values)
      return fail(finding.code.value(), std::move(finding.what), where());
  }
  TableLoadReport report;
  report.policy_changes = evolve::policy_changes(own_policy, table.policy);
  if (!report.policy_changes.empty() && !allow_policy_changes)
    return fail(policy_error(report.policy_changes.front()).in(where()));
  auto incoming = std::make_unique<TableLoad>();
  incoming->entry = &entry;
  incoming->stored = stored;
  incoming->type_id = own_policy.layout.type_bits != 0 ? table.type_id : std::uint16_t{0};
  std::uint64_t memory = table_memory(table, own_policy.storage, entry.core().ops().size_bytes);
  if (evolve::PolicyConversion::are_needed(table.policy, own_policy))
    memory += evolve::PolicyConversion::memory_for(table);
  if (auto charged = charge(memory, "slots and records"); !charged)
    return fail(std::move(charged.error()).in(where()));
  const auto layout_of_table = [this](const std::string& name) { return layout_of(name); };
  if (auto evolved = evolved_.evolve(stored, own_policy, layout_of_table); !evolved)
    return fail(std::move(evolved.error()));
  const TableDescriptor& now = evolved_.tables()[stored];
  const Field& schema = evolved_.schemas()[now.schema];
  const bool has_file_schema =
      now.schema == table.schema ||
      table_schema(now, schema).record == table_schema(table, file_.schemas()[table.schema]).record;
  Field adapted;  // of the schema
  const bool is_adapted = extra_column_count(now) != 0 || !database_.state_->renamed_tables.empty();
  if (is_adapted) {
    adapted = table_schema(now, schema).record;
    rename_tables(adapted);
  }
  const Field& stored_record = is_adapted ? adapted : schema;
  auto migration = migration_of(entry, &stored_record);
  if (!migration) return fail(std::move(migration.error()).in(where()));
  auto decoder = entry.codec->decoder_for(
      *migration == nullptr ? stored_record : (*migration)->own_record(), namer_);
  if (!decoder) return fail(std::move(decoder.error()).in(where()));
  incoming->begin(now);
  const auto sorted =
      take_extensions(table, file_.schemas()[table.schema], own_policy.storage, report);
  if (!sorted) return fail(Error(sorted.error()).in(where()));
  report.name = entry.name;
  report.live_count = table.live_count;
  report.exact_schema = *migration == nullptr && (*decoder)->exact() && has_file_schema;
  const bool is_exact = report.policy_changes.empty() && mode_ == TimelineMode::exact;
  report.promise = is_exact ? HandlePromise::exact : HandlePromise::handles_valid;
  if (table.name != entry.name) report.old_name = table.name;
  incoming->decoder = *std::move(decoder);
  incoming->decoder->set_unknown_value(unknown_value_of(entry));
  incoming->migration = *std::move(migration);
  if (keeps_) {
    if (auto kept = keep_rows(entry, table, stored_record, *incoming); !kept)
      return fail(std::move(kept.error()).in(where()));
    if (incoming->kept != nullptr) incoming->decoder->keep(incoming->kept->unknown_nodes());
  }
  // Records that the load changes may have another order.
  if (report.exact_schema || (has_file_schema && incoming->keeps_all)) {
    incoming->content->core().set_sort_progress(*sorted);
  } else if (*sorted != SortProgress()) {
    report.dropped_extensions.push_back({format::kExtensionSortWork, {}});
  }
  list_.push_back(std::move(incoming));
  return report;
}

UnknownValue TableLoads::unknown_value_of(const TableEntry& entry) const {
  const UnknownValue value = unknown_value_(entry.name);
  return value == UnknownValue::drop_record && entry.is_singleton ? UnknownValue::refuse : value;
}

Error TableLoads::policy_error(const PolicyChange& change) {
  return {change.kind == PolicyChange::Kind::layout ? ErrorCode::layout_mismatch
                                                    : ErrorCode::storage_mismatch,
          to_text(change) +
              ", so the saved game cannot be continued exactly "
              "(LoadOptions::allow_policy_changes)",
          kNoOffset,
          {},
          {}};
}

std::optional<HandleLayout> TableLoads::layout_of(const std::string& table) const {
  const TableEntry* const entry = database_.tables_.find(database_.present_name(table));
  return entry == nullptr ? std::nullopt : std::optional(entry->core().policy().layout);
}

// What is known only once all tables are matched.
void TableLoads::begin_read() {
  std::vector<evolve::MovedTable> moved;
  for (const auto& incoming : list_) {
    const TableDescriptor& table = file_.tables()[incoming->stored];
    const bool is_moved = table.policy.layout != incoming->entry->core().policy().layout;
    if (!is_moved || table.policy.is_component) continue;
    moved.push_back({table.name, table.policy.layout, table.type_id, incoming->type_id});
  }
  evolved_.resolve(moved);
  for (const auto& incoming : list_) {
    if (incoming->migration != nullptr)
      incoming->migration->begin(*incoming->content, handle_type_id(*incoming));
  }
}

std::vector<LoadChange> TableLoads::changes(const TableLoad& incoming) const {
  return joined(evolved_.changes(incoming.stored), incoming.decoder->changes());
}

Status TableLoads::charge(std::uint64_t bytes, const char* what) {
  if (budget_.charge(bytes)) return {};
  return fail(ErrorCode::memory_budget,
              std::string(what) + " need " + std::to_string(bytes) + " bytes, and " +
                  std::to_string(budget_.left()) +
                  " are left (ReadLimits::max_memory_bytes, max_content_ratio)");
}

// Of what this version does not know, state must not get lost unnoticed: a fork begins a future of
// its own without it.
Status TableLoads::drop_extension(const Extension& extension, std::string field,
                                  std::vector<DroppedExtension>& dropped) const {
  dropped.push_back({extension.tag, std::move(field)});
  const bool is_state = (extension.flags & format::kExtensionHashed) != 0;
  if (!is_state || mode_ == TimelineMode::fork) return {};
  return fail(ErrorCode::unknown_feature,
              "its state has an addition of a later version of hdb, " +
                  extension_text(dropped.back()) +
                  "; a load with TimelineMode::fork goes on without it");
}

// What this version does not know of a field and of those in it. `node`: of the field in the plan
// of the whole schema; the next one afterwards.
Status TableLoads::drop_extensions(const Field& field, const evolve::Plan& plan, std::size_t& node,
                                   TableLoadReport& report) const {
  const std::string& path = plan.nodes[node].path;
  for (const Extension& extension : field.extensions) {
    if (is_known(extension.tag, format::kKnownFieldExtensions)) continue;
    if (auto dropped = drop_extension(extension, path, report.dropped_extensions); !dropped)
      return dropped;
  }
  if (field.kind != FieldKind::enumeration) ++node;  // whose integer has the same node
  for (const Field& child : field.children) {
    if (auto dropped = drop_extensions(child, plan, node, report); !dropped) return dropped;
  }
  return {};
}

// The progress of a sort. What else there is of the table, and of its schema, is dropped.
Result<SortProgress> TableLoads::take_extensions(const TableDescriptor& table, const Field& schema,
                                                 Storage own_storage,
                                                 TableLoadReport& report) const {
  SortProgress sorted;
  for (const Extension& extension : table.extensions) {
    if (extension.tag == format::kExtensionSortWork) {
      const auto stored = SortProgress::from_bytes(extension.bytes, table.live_count);
      if (stored && own_storage == Storage::dense) {
        sorted = *stored;
      } else {
        report.dropped_extensions.push_back({extension.tag, {}});
      }
      continue;
    }
    if (auto dropped = drop_extension(extension, {}, report.dropped_extensions); !dropped)
      return fail(std::move(dropped.error()));
  }
  if (!has_extensions(schema)) return sorted;
  std::size_t node = 0;
  if (auto dropped = drop_extensions(schema, evolve::plan_of(schema), node, report); !dropped)
    return fail(std::move(dropped.error()));
  return sorted;
}

// What brings the records of a table to the program's form; null if nothing does. `stored`: their
// schema; null for records that migrations create.
Result<std::unique_ptr<TableMigration>> TableLoads::migration_of(const TableEntry& entry,
                                                                 const Field* stored) const {
  const TableMigrations* const declared = database_.state_->migrations.find(entry.name);
  if (declared == nullptr && stored != nullptr) return std::unique_ptr<TableMigration>();
  auto record = entry.codec->schema(namer_);
  if (!record) return fail(std::move(record.error()));
  TableSchema own;
  own.table = descriptor_of(entry);
  own.record = *std::move(record);
  entry.codec->add_declarations(own);
  TableMigration::Steps steps;
  if (stored != nullptr) {
    auto planned = plan_migration(*declared, own, *stored);
    if (!planned) return fail(std::move(planned.error()));
    if (planned->empty()) return std::unique_ptr<TableMigration>();
    steps = *std::move(planned);
  }
  Field from = stored != nullptr ? *stored : own.record;
  return std::make_unique<TableMigration>(
      entry, std::move(own), declared, std::move(steps), std::move(from), namer_,
      [this] { return typed_tables(); }, unknown_value_of(entry));
}

// Keeps what the program does not know of the records, unless that is nothing, or migrations have
// used what they need of it.
Status TableLoads::keep_rows(const TableEntry& entry, const TableDescriptor& table,
                             const Field& stored, TableLoad& incoming) const {
  if (incoming.migration != nullptr) return {};
  auto layout = incoming.decoder->kept(stored);
  if (!layout) return {};
  auto kept = std::make_shared<KeptRows>(*std::move(layout), table);
  auto own = entry.codec->schema(namer_);
  if (!own) return fail(std::move(own.error()));
  const Field merged = kept->merged(*own);
  if (auto checked = check_schema(merged); !checked)
    return fail(std::move(checked.error()).in("the program's fields and those to keep"));
  incoming.kept = std::move(kept);
  incoming.keeps_all = merged == stored;
  return {};
}

// Handle fields of the file name tables as the file does.
void TableLoads::rename_tables(Field& field) const {
  if (!field.table.empty()) field.table = database_.present_name(field.table);
  for (Field& child : field.children) rename_tables(child);
}

Status TableLoads::read(unsigned threads, const Executor& executor,
                        const evolve::LoadImage* image) {
  if (image == nullptr) image = &evolved_;
  begin_read();
  struct Task {
    TableLoad* incoming;
    std::uint64_t group;
  };
  std::vector<Task> tasks;
  for (const auto& incoming : list_) {
    const std::uint64_t groups = file_.tables()[incoming->stored].group_count();
    for (std::uint64_t group = 0; group < groups; ++group) tasks.push_back({incoming.get(), group});
  }
  OrderedWork work;
  work.total = tasks.size();
  work.workers = static_cast<unsigned>(
      std::min<std::size_t>(std::max(threads, 1u), std::max<std::size_t>(tasks.size(), 1)));
  work.slots = std::max<std::size_t>(tasks.size(), 1);  // nothing waits for an order
  work.executor = executor;
  std::vector<RowGroup> buffers(work.workers);
  work.produce = [&](unsigned worker, std::uint64_t index, std::size_t) {
    const Task& task = tasks[static_cast<std::size_t>(index)];
    return task.incoming->read_group(*image, task.group, buffers[worker], budget_);
  };
  return work.run();
}

std::uint16_t TableLoads::handle_type_id(const TableLoad& incoming) const noexcept {
  if (!incoming.entry->is_component()) return incoming.type_id;
  const TableLoad* const owner = find(incoming.entry->owner.get());
  return owner != nullptr ? owner->type_id : std::uint16_t{0};
}

// Those of the program, and those that only the file has.
std::vector<TableMigration::TypedTable> TableLoads::typed_tables() const {
  std::vector<TableMigration::TypedTable> tables;
  const auto add = [&](std::string name, std::uint16_t type_id, HandleKey key) {
    if (type_id != 0) tables.push_back({std::move(name), type_id, key});
  };
  for (const auto& entry : database_.tables_) {
    const TableLoad* const incoming = find(entry.get());
    const auto chosen = type_ids_.find(entry.get());
    add(entry->name,
        incoming != nullptr         ? incoming->type_id
        : chosen != type_ids_.end() ? chosen->second
                                    : entry->type_id(),
        entry->key);
  }
  for (const TableDescriptor& table : file_.tables()) {
    const std::string& name = database_.present_name(table.name);
    if (database_.tables_.find(name) == nullptr) add(name, table.type_id, {});
  }
  return tables;
}

TableLoad* TableLoads::find(const TableEntry* entry) const noexcept {
  for (const auto& incoming : list_) {
    if (incoming->entry == entry) return incoming.get();
  }
  return nullptr;
}

Status TableLoads::finish() {
  for (const auto& incoming : list_) {
    const RecordNames names = file_.tables()[incoming->stored].policy.names;
    if (auto finished = incoming->finish(evolved_, names); !finished) return finished;
  }
  for (const auto& incoming : list_) {
    if (!incoming->entry->is_component()) continue;
    const TableLoad* const owner = find(incoming->entry->owner.get());
    if (owner == nullptr) {
      return fail(ErrorCode::bad_options,
                  "its owner, " + quoted(incoming->entry->owner->name) + ", is not read with it",
                  quoted(incoming->entry->name));
    }
    const TableCore& core = incoming->content->core();
    const auto orphan = core.find_orphan(owner->content->core().slots());
    if (!orphan) continue;
    const TableDescriptor& table = file_.tables()[incoming->stored];
    return fail(ErrorCode::bad_components,
                handle_name(table, *orphan, core.slots().tag(*orphan)) +
                    " is stored, but its record is not live in " + quoted(table.owner),
                quoted(table.name));
  }
  return {};
}

}  // namespace hdb
