// Rows become values, values run through the steps, and become rows of the program's schema.
#include "database/load/table_migration.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "evolve/add_change.hpp"
#include "evolve/dynamic_access.hpp"
#include "hdb/detail/database/tables/table_entry.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "hdb/translate_handle.hpp"

namespace hdb {
namespace {

// Runs code of the program; what it throws becomes an Error. Out of memory passes.
template <class Body>
Status guarded_migration(const Body& body) {
  try {
    body();
    return {};
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return fail(ErrorCode::migration_failed, error.what());
  } catch (...) {
    return fail(ErrorCode::migration_failed, "it threw something that is not a std::exception");
  }
}

// Whether a record has a value of `field` of which `is_wanted(bits)`.
template <class IsWanted>
bool has_value(const Value& value, const Field& field, const IsWanted& is_wanted) {
  if (value.field == &field) return is_wanted(value.bits);
  const std::uint64_t packed = value.is_packed() ? value.bits : 0;
  for (std::uint64_t i = 0; i < packed; ++i) {
    if (has_value(value.element(i), field, is_wanted)) return true;
  }
  return std::any_of(value.children.begin(), value.children.end(),
                     [&](const Value& child) { return has_value(child, field, is_wanted); });
}

}  // namespace

// --- what a step sees

class TableMigration::Context final : public MigrationContext {
 public:
  Context(const TableMigration& table, RecordCreator* creator) : table_(table), creator_(creator) {}

  void begin(MigratedSlot slot) noexcept {
    slot_ = slot;
    is_dropped_ = false;
  }
  void begin_step(const MigrationStep& step) noexcept { step_ = &step; }
  [[nodiscard]] bool is_dropped() const noexcept { return is_dropped_; }
  [[nodiscard]] MigratedSlot slot() const noexcept { return slot_; }

  [[nodiscard]] std::string_view table() const override { return table_.entry_.name; }
  [[nodiscard]] DynamicValue handle() const override { return table_.handle_of(slot_); }
  [[nodiscard]] std::string_view name() const override {
    const TableCore& core = table_.content_->core();
    return core.names() == nullptr ? std::string_view() : core.name_of(slot_.slot);
  }
  void drop() override {
    if (table_.entry_.is_singleton) throw DynamicError("a singleton keeps its record");
    is_dropped_ = true;
  }
  DynamicValue create(std::string_view table, DynamicValue record, std::string_view name) override {
    return creator_for(table).create(*step_, table, std::move(record), name);
  }
  void create_component(std::string_view table, const DynamicValue& owner,
                        DynamicValue component) override {
    creator_for(table).create_component(*step_, table, owner, std::move(component));
  }

 private:
  RecordCreator& creator_for(std::string_view table) const {
    const auto& creates = step_->declared.creates;
    if (creator_ == nullptr || std::find(creates.begin(), creates.end(), table) == creates.end()) {
      throw DynamicError("records of table '" + std::string(table) +
                         "' cannot be created: Migration::creates does not list it");
    }
    return *creator_;
  }

  const TableMigration& table_;
  RecordCreator* creator_;
  const MigrationStep* step_ = nullptr;
  MigratedSlot slot_;
  bool is_dropped_ = false;
};

// --- TableMigration

TableMigration::TableMigration(const TableEntry& entry, TableSchema own,
                               const TableMigrations* declared, Steps steps, Field stored,
                               const TableNamer& namer, ListTables list_tables,
                               UnknownValue unknown_value)
    : entry_(entry),
      own_(std::move(own)),
      declared_(declared),
      steps_(std::move(steps)),
      stored_(std::move(stored)),
      namer_(namer),
      list_tables_(std::move(list_tables)),
      unknown_value_(unknown_value),
      fields_(stored_, own_) {}

bool TableMigration::creates() const noexcept {
  return std::any_of(steps_.begin(), steps_.end(),
                     [](const MigrationStep* step) { return !step->declared.creates.empty(); });
}

std::uint32_t TableMigration::own_version() const noexcept {
  return own_.record.versioned ? own_.record.class_version : 0;
}

Status TableMigration::migrate(std::span<const Bytes> columns, std::span<const MigratedSlot> slots,
                               std::span<void* const> records, MemoryBudget& budget,
                               RecordCreator* creator, EqualKeys equal_keys) {
  // A value takes some 200 bytes beside its content.
  const std::uint64_t most = std::min(RowDecoder::kMaxValues, budget.left() / 200);
  MigratedRows rows(fields_);
  rows.begin(columns, slots.size(), most);
  std::vector<void*> kept;
  kept.reserve(slots.size());
  std::vector<MigratedSlot> kept_slots;
  kept_slots.reserve(slots.size());
  std::vector<std::uint32_t> dropped;
  Context context(*this, creator);
  DynamicValue record;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const auto failed = [&](Error error) {
      return fail(std::move(error).in(place_of(slots[i], report().from_version, own_version())));
    };
    rows.next(record);
    context.begin(slots[i]);
    const Status ran = run(steps_, record, context);
    if (auto read = rows.check(); !read) return failed(std::move(read.error()));
    if (!ran) return ran;
    if (context.is_dropped()) {
      rows.drop();
      dropped.push_back(slots[i].slot);
      continue;
    }
    if (auto put = rows.append(record); !put) return failed(std::move(put.error()));
    if (!records.empty()) kept.push_back(records[i]);
    kept_slots.push_back(slots[i]);
  }
  const auto migrated = rows.finish();
  if (!migrated)
    return fail(Error(migrated.error()).in("migration of table '" + entry_.name + "'"));
  if (records.empty()) {  // only now: creating a record may have moved the others
    for (const MigratedSlot& slot : kept_slots) kept.push_back(record_at(slot.slot));
  }
  const RowNamer name_row = [&](std::size_t row) {
    return place_of(kept_slots[row], report().from_version, own_version());
  };
  auto unknown = decode(*migrated, kept, name_row, budget, equal_keys);
  if (!unknown) return fail(std::move(unknown.error()));
  const std::lock_guard lock(mutex_);
  migrated_ += slots.size();
  dropped_.insert(dropped_.end(), dropped.begin(), dropped.end());
  for (const std::size_t row : *unknown) dropped_.push_back(kept_slots[row].slot);
  unknown_records_ += unknown->size();
  return {};
}

Status TableMigration::complete(DynamicValue& value, std::uint32_t version, MigratedSlot slot,
                                MemoryBudget& budget, RecordCreator& creator) {
  const auto created_at = [&] { return place_of(slot, version, own_version()); };
  Steps steps;
  if (version != own_version()) {
    static const TableMigrations kNone{};
    auto chain = (declared_ == nullptr ? kNone : *declared_).chain(version, own_version());
    if (!chain) return fail(std::move(chain.error()).in(created_at()));
    steps = *std::move(chain);
  }
  value.set_class_version(version);
  ++created_;
  Context context(*this, &creator);
  context.begin(slot);
  if (auto ran = run(steps, value, context); !ran) return ran;
  if (context.is_dropped()) {
    dropped_.push_back(slot.slot);
    return {};
  }
  MigratedRows rows(fields_);
  if (auto put = rows.append(value); !put) return fail(std::move(put.error()).in(created_at()));
  const auto batches = rows.finish();
  if (!batches) return fail(Error(batches.error()).in(created_at()));
  void* const records[] = {record_at(slot.slot)};
  const RowNamer name_row = [&](std::size_t) { return created_at(); };
  const auto unknown = decode(*batches, records, name_row, budget, EqualKeys::refuse);
  if (!unknown) return fail(unknown.error());
  if (!unknown->empty()) {
    dropped_.push_back(slot.slot);
    ++unknown_records_;
  }
  return {};
}

// Fills records from batches of them. Returns the rows with values that the program does not have.
Result<std::vector<std::size_t>> TableMigration::decode(std::span<const MigratedBatch> batches,
                                                        std::span<void* const> records,
                                                        const RowNamer& name_record,
                                                        MemoryBudget& budget,
                                                        EqualKeys equal_keys) {
  std::vector<std::size_t> unknown;
  std::size_t first = 0;
  for (const MigratedBatch& batch : batches) {
    auto decoder = decoder_of(batch);
    if (!decoder) return fail(std::move(decoder.error()).in(name_record(first)));
    const RowNamer name_row = [&](std::size_t row) {
      return row < batch.rows ? name_record(first + row) : std::string("all records");
    };
    if (auto checked = check_type_ids(**decoder, batch, name_row); !checked)
      return fail(std::move(checked.error()));
    std::vector<std::size_t> rows;
    auto decoded = (*decoder)->decoder->decode(batch.columns, records.subspan(first, batch.rows),
                                               budget, name_row, equal_keys, &rows);
    if (!decoded) return fail(std::move(decoded.error()));
    for (const std::size_t row : rows) unknown.push_back(first + row);
    first += batch.rows;
  }
  return unknown;
}

// Most records of a table become one schema, or a few.
Result<const TableMigration::Decoder*> TableMigration::decoder_of(const MigratedBatch& batch) {
  const std::lock_guard lock(mutex_);
  for (const Decoder& each : decoders_) {
    if (each.schema == batch.schema && each.forms == batch.forms) return &each;
  }
  auto decoder =
      entry_.codec->decoder_for(batch.schema, batch.plan(), batch.is_as_stored(), namer_);
  if (!decoder) return fail(std::move(decoder.error()));
  (*decoder)->set_unknown_value(unknown_value_);
  Decoder& made = decoders_.emplace_back(Decoder{batch.schema, batch.forms, *std::move(decoder)});
  made.tables = list_tables_();
  const std::vector<Column> columns = columns_of(made.schema);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Field& field = *columns[i].field;
    if (columns[i].kind != FieldKind::handle || !field.table.empty() || field.layout.type_bits == 0)
      continue;
    const HandleKey key = made.decoder->handles_of(i);
    const bool has_table =
        std::any_of(made.tables.begin(), made.tables.end(),
                    [&](const TypedTable& each) { return key != HandleKey() && each.key == key; });
    if (has_table) made.typed_columns.emplace_back(i, key);
  }
  return &made;
}

// What the file says of a handle goes with it, so a load converts it. One that a step made is what
// it is: with the type id of another table it would name a record of that one, or none. Several
// tables may have handles of one type; a table that was dropped is as good as none.
Status TableMigration::check_type_ids(const Decoder& decoder, const MigratedBatch& batch,
                                      const RowNamer& name_row) {
  const auto find = [&](const auto& is_wanted) -> const TypedTable* {
    const auto found = std::find_if(decoder.tables.begin(), decoder.tables.end(), is_wanted);
    return found != decoder.tables.end() ? &*found : nullptr;
  };
  for (const auto& [number, key] : decoder.typed_columns) {
    const auto wanted = static_cast<std::uint32_t>(number);
    const Column column = columns_of(batch.schema)[number];
    const TypedTable* other = nullptr;  // whose handle was found
    const auto is_foreign = [&, key = key](std::uint64_t bits) {
      const auto parts = split_handle(column.field->layout, bits);
      const std::uint32_t id = parts ? parts->type_id : 0;
      other = find([&](const TypedTable& each) { return each.type_id == id && each.key == key; });
      if (other != nullptr) return false;
      other = find([&](const TypedTable& each) { return each.type_id == id; });
      return other != nullptr;
    };
    RowDecoder rows(batch.schema, std::span(&wanted, 1));
    rows.begin(batch.columns);
    Value row;
    for (std::size_t i = 0; i < batch.rows; ++i) {
      if (auto read = rows.next(row); !read) return fail(std::move(read.error()).in(name_row(i)));
      if (!has_value(row, *column.field, is_foreign)) continue;
      const TypedTable& own =
          *find([&, key = key](const TypedTable& each) { return each.key == key; });
      return fail(ErrorCode::migration_failed,
                  "the migration set a handle of table '" + other->name + "' (type id " +
                      std::to_string(other->type_id) + "), but the field holds handles of table '" +
                      own.name + "' (" + std::to_string(own.type_id) +
                      "); a handle with a type id names records of the table that issued it alone",
                  "field '" + column.path + "' of " + name_row(i));
    }
  }
  return {};
}

void* TableMigration::record_at(std::uint32_t slot) const {
  TableCore& core = content_->core();
  return core.edit_at(core.place_of(slot));
}

Status TableMigration::run(const Steps& steps, DynamicValue& record, Context& context) const {
  for (const MigrationStep* const step : steps) {
    const std::uint32_t from = step->declared.from;
    const auto place = [&] { return place_of(context.slot(), from, from + 1); };
    context.begin_step(*step);
    if (auto ran = guarded_migration([&] { step->run(record, context); }); !ran)
      return fail(std::move(ran.error()).in(place()));
    if (record.kind() != FieldKind::structure) {
      return fail(ErrorCode::migration_failed,
                  "the migration made the record a value of kind " +
                      std::string(kind_name(record.kind())) + "; a record has fields",
                  place());
    }
    if (context.is_dropped()) return {};
    record.set_class_version(from + 1);
  }
  return {};
}

void TableMigration::erase_dropped() {
  std::sort(dropped_.begin(), dropped_.end());
  for (const std::uint32_t slot : dropped_) content_->erase_slot(slot);
}

MigrationReport TableMigration::report() const {
  const std::uint32_t from = stored_.versioned ? stored_.class_version : 0;
  return {from, own_version(), migrated_, dropped_.size() - unknown_records_, created_};
}

std::vector<LoadChange> TableMigration::changes() const {
  std::vector<LoadChange> changes;
  for (const Decoder& each : decoders_) {
    for (LoadChange& change : each.decoder->changes())
      detail::evolve::add_change(changes, std::move(change));
  }
  return changes;
}

DynamicValue TableMigration::handle_of(MigratedSlot slot) const {
  const HandleLayout& layout = entry_.core().policy().layout;
  DynamicValue handle;
  DynamicAccess::kind(handle) = FieldKind::handle;
  DynamicAccess::layout(handle) = layout;
  DynamicAccess::bits(handle) = pack_handle(layout, slot.slot, slot.generation, type_id_);
  DynamicAccess::text(handle) = entry_.owner != nullptr ? entry_.owner->name : entry_.name;
  return handle;
}

std::string TableMigration::name_of(MigratedSlot slot) const {
  TableDescriptor table;
  table.name = entry_.name;
  if (entry_.owner != nullptr) table.owner = entry_.owner->name;
  return handle_name(table, slot.slot, slot.generation);
}

std::string TableMigration::place_of(MigratedSlot slot, std::uint32_t from,
                                     std::uint32_t to) const {
  const std::string versions =
      from == to ? "" : "from version " + std::to_string(from) + " to " + std::to_string(to) + " ";
  return "migration " + versions + "of " + name_of(slot);
}

}  // namespace hdb
