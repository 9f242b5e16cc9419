// Matching tables of a file with those of the program, and reading them on several threads.
#include "database/load/incoming_tables.hpp"

#include <algorithm>
#include <utility>

#include "base/ordered_work.hpp"
#include "hdb/inspect/compat.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "record/table_match.hpp"

namespace hdb {

Result<std::map<std::string_view, std::size_t>> IncomingTables::stored_by_name() const {
  std::map<std::string_view, std::size_t> stored;
  for (std::size_t i = 0; i < reader_.tables().size(); ++i) {
    const std::string& name = reader_.tables()[i].name;
    const auto [other, is_new] = stored.emplace(database_.present_name(name), i);
    if (!is_new) {
      return fail(ErrorCode::rename_conflict,
                  "the file has both " + quoted(reader_.tables()[other->second].name) + " and " +
                      quoted(name) + ", but the program declares that both are " +
                      quoted(other->first) + " now",
                  "load");
    }
  }
  return stored;
}

bool IncomingTables::is_left_out_family(std::string_view name) const {
  return std::any_of(database_.families_.begin(), database_.families_.end(),
                     [&](const Database::Family& family) {
                       return family.has(name) && family.scope >= Scope::unsaved;
                     });
}

Result<TableLoadReport> IncomingTables::add(TableEntry& entry, std::size_t stored,
                                            std::uint64_t max_records) {
  const TableDescriptor& table = reader_.tables()[stored];
  const std::string where = quoted(entry.name);
  TableDescriptor renamed = table;
  renamed.owner = database_.present_name(table.owner);
  for (CompatFinding& finding : record::match_tables(descriptor_of(entry), max_records, renamed)) {
    if (finding.effect == Compatibility::incompatible)
      return fail(finding.code.value(), std::move(finding.what), where);
  }
  Field stored_record = table_schema(table, reader_.schemas()[table.schema]).record;
  rename_tables(stored_record);
  auto migration = migration_of(entry, &stored_record);
  if (!migration) return fail(std::move(migration.error()).in(where));
  auto decoder = entry.codec->decoder_for(
      *migration == nullptr ? stored_record : (*migration)->own_record(), namer_);
  if (!decoder) return fail(std::move(decoder.error()).in(where));
  const std::uint64_t places =
      table.policy.storage == Storage::dense ? table.position_count() : table.slot_count;
  const std::uint64_t bytes = places * entry.core().ops().size_bytes + table.slot_count * 8 +
                              table.listed_count() * 4 +
                              (table.blobs ? table.blobs->capacity_bytes : 0);
  if (auto charged = charge(bytes, "slots and records", where); !charged) {
    return fail(std::move(charged.error()));
  }

  auto incoming = std::make_unique<IncomingTable>();
  incoming->entry = &entry;
  incoming->stored = stored;
  incoming->content = entry.body->make_empty();
  incoming->content->begin_fill(table, table.hole_count);
  incoming->content->core().set_flush_cursor(table.flush_cursor);
  TableLoadReport report;
  const auto sort_work = take_extensions(table, report);
  if (!sort_work) return fail(Error(sort_work.error()).in(where));
  incoming->content->core().set_sort_work(*sort_work);
  if (table.policy.storage == Storage::dense) {
    incoming->taken_positions = std::vector<std::atomic<std::uint64_t>>(
        static_cast<std::size_t>(table.position_count() / 64 + 1));
  }
  report.name = entry.name;
  report.live_count = table.live_count;
  report.exact_schema = *migration == nullptr && (*decoder)->exact();
  if (table.name != entry.name) report.old_name = table.name;
  incoming->decoder = *std::move(decoder);
  incoming->migration = *std::move(migration);
  if (incoming->migration != nullptr)
    incoming->migration->begin(*incoming->content, handle_type_id(table));
  list_.push_back(std::move(incoming));
  return report;
}

Status IncomingTables::charge(std::uint64_t bytes, const char* what, std::string where) {
  if (budget_.charge(bytes)) return {};
  return fail(ErrorCode::memory_budget,
              std::string(what) + " need " + std::to_string(bytes) + " bytes", std::move(where));
}

// The progress of a sort. Of what this version does not know, state must not get lost unnoticed: a
// fork begins a future of its own without it.
Result<SortWork> IncomingTables::take_extensions(const TableDescriptor& table,
                                                 TableLoadReport& report) const {
  SortWork sort_work;
  for (const Extension& extension : table.extensions) {
    const bool is_sort_work = extension.tag == format::kExtensionSortWork;
    if (is_sort_work && extension.bytes.at(0) == SortWork::kAlgorithm) {
      const auto stored = SortWork::from_bytes(extension.bytes);
      if (!stored || !stored->is_sound(table.live_count))
        return fail(ErrorCode::bad_table, "the progress of its unfinished sort is not possible");
      sort_work = *stored;
      continue;
    }
    const bool is_state = (extension.flags & format::kExtensionHashed) != 0;
    if (is_state && mode_ == TimelineMode::exact) {
      return fail(ErrorCode::unknown_feature,
                  is_sort_work ? std::string("another version of hdb began to sort it")
                               : "its state has an addition of a later version of hdb, extension " +
                                     std::to_string(extension.tag) +
                                     "; a load with TimelineMode::fork goes on without it");
    }
    report.dropped_extensions.push_back(extension.tag);
  }
  return sort_work;
}

// What brings the records of a table to the program's form; null if nothing does. `stored`: their
// schema; null for records that migrations create.
Result<std::unique_ptr<TableMigration>> IncomingTables::migration_of(const TableEntry& entry,
                                                                     const Field* stored) const {
  const TableMigrations* const declared = database_.migrations_->find(entry.name);
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
    if (!*planned) return std::unique_ptr<TableMigration>();
    steps = **std::move(planned);
  }
  Field from = stored != nullptr ? *stored : own.record;
  return TableMigration::make(entry, std::move(own), declared, std::move(steps), std::move(from),
                              namer_);
}

// Handle fields of the file name tables as the file does.
void IncomingTables::rename_tables(Field& field) const {
  if (!field.table.empty()) field.table = database_.present_name(field.table);
  for (Field& child : field.children) rename_tables(child);
}

Status IncomingTables::read(unsigned threads, const Executor& executor, bool hash_records) {
  struct Task {
    IncomingTable* incoming;
    std::uint64_t group;
  };
  std::vector<Task> tasks;
  for (const auto& incoming : list_) {
    const std::uint64_t groups = reader_.tables()[incoming->stored].group_count();
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
    return task.incoming->read_group(reader_, task.group, buffers[worker], budget_, hash_records);
  };
  return work.run();
}

std::uint16_t IncomingTables::handle_type_id(const TableDescriptor& table) const {
  if (!table.policy.is_component) return table.type_id;
  for (const TableDescriptor& owner : reader_.tables()) {
    if (owner.name == table.owner) return owner.type_id;
  }
  return 0;
}

IncomingTable* IncomingTables::find(const TableEntry* entry) const noexcept {
  for (const auto& incoming : list_) {
    if (incoming->entry == entry) return incoming.get();
  }
  return nullptr;
}

Status IncomingTables::finish() {
  for (const auto& incoming : list_) {
    if (auto finished = incoming->finish(reader_); !finished) return finished;
  }
  for (const auto& incoming : list_) {
    if (!incoming->entry->is_component()) continue;
    const IncomingTable* const owner = find(incoming->entry->owner.get());
    if (owner == nullptr) {
      return fail(ErrorCode::bad_options,
                  "its owner, " + quoted(incoming->entry->owner->name) + ", is not read with it",
                  quoted(incoming->entry->name));
    }
    const TableCore& core = incoming->content->core();
    const auto orphan = core.find_orphan(owner->content->core().slots());
    if (!orphan) continue;
    const TableDescriptor& table = reader_.tables()[incoming->stored];
    return fail(ErrorCode::bad_components,
                handle_name(table, *orphan, core.slots().tag(*orphan)) +
                    " is stored, but its record is not live in " + quoted(table.owner),
                quoted(table.name));
  }
  return {};
}

}  // namespace hdb
