// Importing: new records of a file for running tables. All that can fail comes before the first
// record is inserted.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/using_detail.hpp"
#include "database/load/import_remap.hpp"
#include "database/load/table_loads.hpp"
#include "database/tables/family_tables.hpp"
#include "database/tables/name_and_blob_columns.hpp"
#include "hdb/changes.hpp"
#include "hdb/database.hpp"
#include "hdb/file_system.hpp"
#include "hdb/import.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb {

/// One import. Nothing of the database changes before `commit`.
class Importer {
 public:
  Importer(Database& database, const std::shared_ptr<const Reader>& reader,
           const ImportOptions& options)
      : database_(database),
        reader_(*reader),
        options_(options),
        file_(image_of(reader)),
        incoming_(database, *file_, reader_.info().file_bytes, options.limits, TimelineMode::fork,
                  [&options](const std::string&) { return options.unknown_values; }) {}

  Result<ImportReport> run() {
    report_.info = reader_.info();
    if (options_.unknown_values == UnknownValue::drop_record) {
      return fail(ErrorCode::bad_options,
                  "an import cannot drop records (ImportOptions::unknown_values); choose refuse or "
                  "use_default",
                  "import");
    }
    if (auto chosen = choose_tables(); !chosen) return fail(std::move(chosen.error()));
    for (const bool components : {false, true}) {  // which follow their owners
      for (std::size_t i = 0; i < plans_.size(); ++i) {
        if (plans_[i].incoming->entry->is_component() != components) continue;
        if (auto planned = plan_table(i); !planned) return fail(std::move(planned.error()));
      }
    }
    if (auto read = read_records(); !read) return fail(std::move(read.error()));
    for (const Plan& plan : plans_) prepare_inserts(plan);
    Changes changes;
    if (options_.changes != nullptr) changes = created();
    commit();
    if (options_.changes != nullptr) *options_.changes = std::move(changes);
    return std::move(report_);
  }

 private:
  /// The new records of one table; the entries are as in report_.tables.
  struct Plan {
    TableLoad* incoming = nullptr;
    std::vector<std::uint32_t> order;  ///< Of insertion: indices into ImportedTable::records.
    std::vector<Slots::Next> handles;  ///< As `order`.
    std::vector<bool> loses_name;      ///< As ImportedTable::records; empty: no record does.
  };

  static Error error_at(ErrorCode code, std::string what, std::string_view table) {
    return {code, std::move(what), kNoOffset, "import into " + quoted(table)};
  }
  [[nodiscard]] bool is_listed(std::string_view name) const {
    return std::find(options_.tables.begin(), options_.tables.end(), name) != options_.tables.end();
  }
  Status choose_tables();
  Status choose_table(TableEntry& entry, std::size_t stored);
  Status report_others(const std::map<std::string_view, std::size_t>& stored);
  [[nodiscard]] static std::string obstacle(const TableEntry& entry);
  /// Whether the records have names in the file and in the program.
  [[nodiscard]] bool takes_names(const Plan& plan) const {
    return reader_.tables()[plan.incoming->stored].policy.names != RecordNames::none &&
           plan.incoming->entry->core().names() != nullptr;
  }
  Status plan_table(std::size_t number);
  Status plan_group(std::size_t number, const RowGroup& rows);
  Status plan_components(std::size_t number);
  static void prepare_inserts(const Plan& plan);
  Status plan_names(std::size_t number, const RowGroup& rows, std::size_t first);
  Status read_records();
  [[nodiscard]] std::vector<ImportRemap::Column> handle_columns(const Plan& plan,
                                                                const ImportRemap& remap) const;
  [[nodiscard]] Changes created() const;
  void commit() noexcept;

  Database& database_;
  const Reader& reader_;
  const ImportOptions& options_;
  const std::unique_ptr<const ImageSource> file_;
  TableLoads incoming_;
  ImportReport report_;
  std::vector<Plan> plans_;
};

// Why a table gets no records; empty if it can.
std::string Importer::obstacle(const TableEntry& entry) {
  if (entry.is_singleton) return "it is a singleton";
  if (!entry.is_saved()) return "it is left out of files (Scope)";
  return {};
}

Status Importer::choose_tables() {
  auto stored = incoming_.stored_by_name();
  if (!stored) return fail(std::move(stored.error()));
  for (const std::string& name : options_.tables) {
    if (stored->contains(name)) continue;
    const std::string& now = database_.present_name(name);
    return fail(ErrorCode::not_found,
                now == name ? "the file has no " + quoted(name)
                            : "the program declares that " + quoted(name) + " is " + quoted(now) +
                                  " now; list this name (ImportOptions::tables)",
                "import");
  }
  for (const auto& entry : database_.tables_) {
    const auto found = stored->find(entry->name);
    if (found == stored->end()) continue;
    const std::size_t index = found->second;
    stored->erase(found);
    const bool listed = is_listed(entry->name);
    if (!options_.tables.empty() && !listed) continue;
    if (const std::string reason = obstacle(*entry); !reason.empty()) {
      if (listed) {
        return fail(error_at(ErrorCode::bad_options, "the table cannot be imported: " + reason,
                             entry->name));
      }
      report_.skipped_tables.push_back(entry->name);
      continue;
    }
    if (auto chosen = choose_table(*entry, index); !chosen) return chosen;
  }
  for (const Plan& plan : plans_) {
    const TableEntry& entry = *plan.incoming->entry;
    if (!entry.is_component() || incoming_.find(entry.owner.get()) != nullptr) continue;
    return fail(error_at(ErrorCode::bad_options,
                         "components are imported with their records only; list " +
                             quoted(entry.owner->name) + " too (ImportOptions::tables)",
                         entry.name));
  }
  return report_others(*stored);
}

Status Importer::choose_table(TableEntry& entry, std::size_t stored) {
  const TableDescriptor& table = reader_.tables()[stored];
  if (entry.content->blob_options() != nullptr || table.blobs) {
    if (table.live_count == 0) return {};
    return fail(error_at(ErrorCode::bad_options,
                         "blobs cannot be imported; list the tables to import without this one "
                         "(ImportOptions::tables)",
                         entry.name));
  }
  auto added = incoming_.add(entry, stored, kNoLimit, true);
  if (!added) return fail(std::move(added.error()));
  if (incoming_.list().back()->migration != nullptr) {
    return fail(error_at(ErrorCode::bad_options,
                         "its records need migrations, which an import does not run; load the file "
                         "in another database, save it there, and import that file",
                         entry.name));
  }
  ImportedTable& report = report_.tables.emplace_back();
  static_cast<TableLoadReport&>(report) = *std::move(added);
  report.layout = entry.core().policy().layout;
  report.new_type_id = entry.core().options().type_id;
  // Handles of the file that had no type id get the new one, so that they find the table.
  TableLoad& incoming = *incoming_.list().back();
  if (incoming.type_id == 0) incoming.type_id = report.new_type_id;
  report.old_type_id = incoming.type_id;
  report.key = entry.key;
  plans_.emplace_back().incoming = incoming_.list().back().get();
  return {};
}

// The tables of the file that the program does not have.
Status Importer::report_others(const std::map<std::string_view, std::size_t>& stored) {
  for (const auto& [name, index] : stored) {
    const bool listed = is_listed(name);
    if (!options_.tables.empty() && !listed) continue;
    const bool is_left_out = incoming_.is_left_out_family(name);
    if (listed || (!is_left_out && !options_.allow_unknown_tables)) {
      return fail(ErrorCode::unknown_table, "the program has no " + quoted(name), "import");
    }
    (is_left_out ? report_.skipped_tables : report_.unknown_tables).emplace_back(name);
  }
  std::sort(report_.skipped_tables.begin(), report_.skipped_tables.end());
  if (plans_.empty() && !report_.unknown_tables.empty() && report_.skipped_tables.empty()) {
    return fail(ErrorCode::unknown_table,
                "file and program share no table; is the file a save of this game?", "import");
  }
  return {};
}

// Reads the slots and names of a table, and chooses the handles of its new records.
Status Importer::plan_table(std::size_t number) {
  Plan& plan = plans_[number];
  ImportedTable& imported = report_.tables[number];
  const TableDescriptor& table = reader_.tables()[plan.incoming->stored];
  const auto live = static_cast<std::size_t>(table.live_count);
  constexpr std::uint64_t kBytes =
      sizeof(ImportedRecord) + sizeof(std::uint32_t) + sizeof(Slots::Next);
  if (auto charged = incoming_.charge(live * kBytes, "the map of handles"); !charged)
    return fail(std::move(charged.error()).in(quoted(imported.name)));
  imported.records.reserve(live);
  if (table.policy.storage == Storage::dense) {
    const auto positions = static_cast<std::size_t>(table.position_count());
    plan.order.assign(positions, std::numeric_limits<std::uint32_t>::max());
  }
  RowGroup rows;
  for (std::uint64_t group = 0; group < table.group_count(); ++group) {
    if (auto read = file_->read_slots(plan.incoming->stored, group, rows); !read) return read;
    if (auto planned = plan_group(number, rows); !planned) return planned;
  }
  if (imported.records.size() != live) {
    return fail(ErrorCode::bad_slots, "the live slots are not as many as the descriptor has",
                quoted(table.name));
  }
  std::erase(plan.order, std::numeric_limits<std::uint32_t>::max());  // holes
  if (table.policy.is_component) return plan_components(number);
  std::erase_if(plan.order, [&](std::uint32_t i) { return !imported.records[i].is_new; });
  plan.handles = plan.incoming->entry->core().slots().next_handles(plan.order.size());
  if (plan.handles.size() < plan.order.size()) {
    return fail(error_at(ErrorCode::table_full,
                         "the import has " + std::to_string(plan.order.size()) +
                             " new records, but the table has room for " +
                             std::to_string(plan.handles.size()),
                         imported.name));
  }
  for (std::size_t i = 0; i < plan.order.size(); ++i) {
    ImportedRecord& record = imported.records[plan.order[i]];
    record.new_slot = plan.handles[i].slot;
    record.new_generation = plan.handles[i].generation;
  }
  imported.live_count = plan.order.size();
  return {};
}

// The components go to the new records of their owner. A record that was there already keeps its
// own.
Status Importer::plan_components(std::size_t number) {
  Plan& plan = plans_[number];
  ImportedTable& imported = report_.tables[number];
  const TableEntry& entry = *plan.incoming->entry;
  const ImportedTable* const owner = report_.table(entry.owner->name);
  for (ImportedRecord& record : imported.records) {
    const ImportedRecord* const own = owner->find(record.old_slot, record.old_generation);
    if (own == nullptr) {
      const TableDescriptor& table = reader_.tables()[plan.incoming->stored];
      return fail(ErrorCode::bad_components,
                  handle_name(table, record.old_slot, record.old_generation) +
                      " is stored, but its record is not live in " + quoted(table.owner),
                  quoted(table.name));
    }
    record.new_slot = own->new_slot;
    record.new_generation = own->new_generation;
    record.is_new = own->is_new;
    imported.existing_count += own->is_new ? 0 : 1;
  }
  std::erase_if(plan.order, [&](std::uint32_t i) { return !imported.records[i].is_new; });
  const TableCore& core = entry.core();
  if (plan.order.size() > core.options().max_records - core.counters().live_count) {
    return fail(error_at(ErrorCode::table_full,
                         "the import has " + std::to_string(plan.order.size()) +
                             " new components, but the table holds at most " +
                             std::to_string(core.options().max_records),
                         imported.name));
  }
  for (const std::uint32_t i : plan.order)
    plan.handles.push_back({imported.records[i].new_slot, imported.records[i].new_generation});
  imported.live_count = plan.order.size();
  return {};
}

void Importer::prepare_inserts(const Plan& plan) {
  TableCore& core = plan.incoming->entry->core();
  if (!core.policy().is_component) return core.prepare_inserts(plan.handles);
  std::vector<std::uint32_t> slots;
  std::uint64_t end = 0;
  for (const Slots::Next& next : plan.handles) {
    slots.push_back(next.slot);
    end = std::max<std::uint64_t>(end, std::uint64_t{next.slot} + 1);
  }
  core.prepare_components(slots, end);
}

Status Importer::plan_group(std::size_t number, const RowGroup& rows) {
  Plan& plan = plans_[number];
  ImportedTable& imported = report_.tables[number];
  const TableDescriptor& table = reader_.tables()[plan.incoming->stored];
  const std::size_t first = imported.records.size();
  if (first + rows.live_count() > table.live_count) {
    return fail(ErrorCode::bad_slots, "there are more live slots than the descriptor has",
                quoted(table.name));
  }
  for (std::size_t i = 0; i < rows.states.size(); ++i) {
    if (rows.states[i] != static_cast<std::uint8_t>(SlotState::live)) continue;
    const auto record = static_cast<std::uint32_t>(imported.records.size());
    if (table.policy.storage == Storage::stable) {
      plan.order.push_back(record);
    } else {
      const std::uint32_t place = rows.positions[record - first];
      if (place >= plan.order.size() ||
          plan.order[place] != std::numeric_limits<std::uint32_t>::max()) {
        return fail(ErrorCode::bad_dense_order,
                    "dense position " + std::to_string(place) + " is used twice or too large",
                    quoted(table.name));
      }
      plan.order[place] = record;
    }
    imported.records.push_back(
        {static_cast<std::uint32_t>(rows.first_slot + i), rows.generations[i], 0, 0, true});
  }
  return takes_names(plan) ? plan_names(number, rows, first) : Status{};
}

// Looks for the names of the records from `first` on, those of `rows`.
Status Importer::plan_names(std::size_t number, const RowGroup& rows, std::size_t first) {
  Plan& plan = plans_[number];
  ImportedTable& imported = report_.tables[number];
  const TableDescriptor& table = reader_.tables()[plan.incoming->stored];
  const TableCore& core = plan.incoming->entry->core();
  std::vector<std::uint32_t> slots;
  for (std::size_t i = first; i < imported.records.size(); ++i)
    slots.push_back(imported.records[i].old_slot);
  return for_each_name(rows.columns, slots, [&](std::size_t row, std::string_view name) -> Status {
    const auto twin = core.slot_named(name);
    if (!twin) return {};
    ImportedRecord& record = imported.records[first + row];
    const std::uint32_t generation = core.slots().tag(*twin);
    switch (options_.name_clash) {
      case NameClash::use_existing:
        record.new_slot = *twin;
        record.new_generation = generation;
        record.is_new = false;
        ++imported.existing_count;
        return {};
      case NameClash::drop_name:
        plan.loses_name.resize(imported.records.size());
        plan.loses_name[first + row] = true;
        ++imported.unnamed_count;
        return {};
      case NameClash::refuse: break;
    }
    return fail(error_at(ErrorCode::duplicate_name,
                         handle_name(table, record.old_slot, record.old_generation) +
                             " of the file has the name \"" + escape_text(name) +
                             "\", which record " + std::to_string(*twin) + '@' +
                             std::to_string(generation) +
                             " has already; ImportOptions::name_clash can say what to "
                             "do then",
                         imported.name));
  });
}

std::vector<ImportRemap::Column> Importer::handle_columns(const Plan& plan,
                                                          const ImportRemap& remap) const {
  const std::size_t number = plan.incoming->stored;
  const TableDescriptor& in_file = reader_.tables()[number];
  const TableDescriptor& table = incoming_.evolved().tables()[number];
  const std::vector<hdb::Column> stored = columns_of(incoming_.evolved().schemas()[table.schema]);
  const std::vector<hdb::Column> file_columns = columns_of(reader_.schemas()[in_file.schema]);
  const std::size_t extras = extra_column_count(table);
  const std::size_t dropped = extra_column_count(in_file) - extras;
  std::vector<ImportRemap::Column> columns;
  for (std::size_t i = extras; i < stored.size(); ++i) {
    if (stored[i].kind != FieldKind::handle) continue;
    ImportRemap::Column& column = columns.emplace_back();
    column.index = static_cast<std::uint32_t>(i);
    column.width = stored[i].width;
    column.field = stored[i].field;
    column.has_type_ids = file_columns[i + dropped].field->layout.type_bits != 0 &&
                          column.field->layout.type_bits != 0;
    // The program knows the table also where the file does not name one.
    const std::string own = database_.table_name(plan.incoming->decoder->handles_of(i - extras));
    column.target = remap.find(own.empty() ? database_.present_name(column.field->table) : own);
  }
  return columns;
}

Status Importer::read_records() {
  std::vector<std::size_t> numbers;
  for (const Plan& plan : plans_) numbers.push_back(plan.incoming->stored);
  ImportRemap remap(incoming_.evolved(), report_.tables, numbers, options_);
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    std::vector<ImportRemap::Column> columns = handle_columns(plans_[i], remap);
    if (!columns.empty()) remap.describe(i, std::move(columns));
  }
  if (auto read = incoming_.read(options_.threads, options_.executor, &remap); !read) return read;
  for (std::size_t i = 0; i < plans_.size(); ++i)
    report_.tables[i].changes = incoming_.changes(*plans_[i].incoming);
  remap.report_unresolved(report_);
  return incoming_.finish();
}

// As changes_between of the states before and after.
Changes Importer::created() const {
  Changes changes;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    const ImportedTable& imported = report_.tables[i];
    if (plans_[i].handles.empty()) continue;
    std::vector<Slots::Next> handles = plans_[i].handles;
    std::sort(handles.begin(), handles.end(),
              [](const Slots::Next& a, const Slots::Next& b) { return a.slot < b.slot; });
    TableChanges& table = changes.tables.emplace_back();
    table.table = imported.name;
    for (const Slots::Next& next : handles) {
      table.created.push_back(
          pack_handle(imported.layout, next.slot, next.generation, imported.new_type_id));
    }
  }
  return changes;
}

void Importer::commit() noexcept {
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    Plan& plan = plans_[i];
    TableCore& core = plan.incoming->entry->core();
    TableCore& content = plan.incoming->content->core();
    for (std::size_t k = 0; k < plan.order.size(); ++k) {
      const std::uint32_t record = plan.order[k];
      if (core.policy().is_component) {
        core.take_component(content, report_.tables[i].records[record].old_slot,
                            plan.handles[k].slot, plan.handles[k].generation);
        continue;
      }
      const bool with_name = plan.loses_name.size() <= record || !plan.loses_name[record];
      const Slots::Next issued =
          core.insert_from(content, report_.tables[i].records[record].old_slot, with_name);
      HDB_ASSERT(
          issued.slot == plan.handles[k].slot && issued.generation == plan.handles[k].generation,
          "an import issues the handles that it planned");
      static_cast<void>(issued);
    }
  }
}

Result<ImportReport> Database::import_records(std::unique_ptr<ByteSource> source,
                                              const ImportOptions& options) {
  auto opened = Reader::open(std::move(source), {options.limits, false});
  if (!opened) return fail(std::move(opened.error()));
  const std::shared_ptr<const Reader> reader = *std::move(opened);
  FamilyTables made(*this);
  if (auto status = made.make(*reader, options.tables); !status)
    return fail(std::move(status.error()));
  auto imported = Importer(*this, reader, options).run();
  if (imported) made.keep();
  return imported;
}

Result<ImportReport> Database::import_records(const std::string& path,
                                              const ImportOptions& options) {
  const auto named = [&](Error error) {
    error.file = path;
    return fail(std::move(error));
  };
  auto source = FileSource::open(path, options.file_system);
  if (!source) return named(std::move(source.error()));
  auto imported = import_records(std::unique_ptr<ByteSource>(*std::move(source)), options);
  if (!imported) return named(std::move(imported.error()));
  return imported;
}

Result<ImportReport> Database::import_records(std::unique_ptr<ByteSource> source) {
  return import_records(std::move(source), ImportOptions{});
}

Result<ImportReport> Database::import_records(const std::string& path) {
  return import_records(path, ImportOptions{});
}

}  // namespace hdb
