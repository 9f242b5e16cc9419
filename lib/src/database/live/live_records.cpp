// A record becomes a row, the row a value, and a changed value a row and a record again: by the
// same code as saves, migrations and loads, so that the same values are accepted.
#include "database/live/live_records.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "database/live/conform.hpp"
#include "database/tables/snapshot_data.hpp"
#include "hdb/inspect/json.hpp"
#include "hdb/inspect/paths.hpp"
#include "hdb/inspect/row_encoder.hpp"
#include "hdb/inspect/table_schema.hpp"
#include "hdb/inspect/text.hpp"
#include "record/decoder.hpp"

namespace hdb {
namespace {

Field schema_of(const TableEntry& entry, const TableNamer& namer) {
  auto schema = entry.codec->schema(namer);
  HDB_REQUIRE(schema.has_value(), "the schema was refused when the table was created");
  return *std::move(schema);
}

// What is read is of this program: nothing was renamed or migrated.
TableSchema as_present(const Field& record) {
  TableSchema schema;
  schema.record = record;
  return schema;
}

// Fields that are as before are not loaded again: elements of containers are made again in a load,
// and members of theirs that are not saved would be lost.
void remove_equal(DynamicValue& fields, DynamicValue& before) {
  if (fields.kind() != FieldKind::structure) return;
  for (const std::string& name : before.names()) {
    const DynamicValue* const field = fields.field(name);
    if (field != nullptr && *field == *before.field(name)) fields.remove(name);
  }
}

// The same of what is loaded from JSON: all fields but the one that `path` leads to.
void remove_other_fields(Field& schema, Value& record, std::string_view path) {
  const std::string_view name = path.substr(0, path.find_first_of(".["));
  const auto field = std::find_if(schema.children.begin(), schema.children.end(),
                                  [name](const Field& each) { return each.name == name; });
  const auto index = static_cast<std::size_t>(field - schema.children.begin());
  schema.children = std::vector<Field>{std::move(*field)};
  record.children = std::vector<Value>{std::move(record.children[index])};
}

// What the program sets is nothing of a file.
Error as_of_the_program(Error error) {
  if (error.code == ErrorCode::migration_failed) error.code = ErrorCode::invalid_value;
  return error;
}

}  // namespace

LooseRecord::LooseRecord(const RecordOps& ops, const std::byte* from)
    : ops_(ops), memory_(::operator new (ops.size_bytes, std::align_val_t{ops.alignment})) {
  try {
    if (from == nullptr) {
      ops_.construct_default(memory_);
    } else if (ops_.trivial) {
      std::memcpy(memory_, from, ops_.size_bytes);
    } else {
      ops_.copy_construct(memory_, from);
    }
  } catch (...) {
    ::operator delete (memory_, std::align_val_t{ops_.alignment});
    throw;
  }
  is_there_ = true;
}

LooseRecord::~LooseRecord() {
  if (is_there_ && !ops_.trivial) ops_.destroy(memory_);
  ::operator delete (memory_, std::align_val_t{ops_.alignment});
}

void LooseRecord::move_to(void* memory) noexcept {
  ops_.move(memory, memory_);
  is_there_ = false;
}

LiveRecords::LiveRecords(const TableList& tables, const TableEntry& entry)
    : entry_(entry),
      table_namer_([&tables](HandleKey key) {
        const TableEntry* const named = tables.find_key(key);
        return named != nullptr ? named->name : std::string();
      }),
      namer_(tables_),
      schema_(schema_of(entry, table_namer_)),
      fields_(schema_, as_present(schema_)),
      decoder_(schema_),
      columns_(columns_of(schema_).size()) {
  for (const auto& table : tables) {
    if (table.get() == &entry) own_ = tables_.size();
    tables_.push_back(descriptor_of(*table));
    tables_.back().type_id = table->type_id();
  }
}

Result<const Value*> LiveRecords::read(std::uint32_t slot, std::uint32_t generation) {
  const TableCore& core = entry_.core();
  Status read = encode(core.record_at(core.place_of(slot)), slot, generation);
  if (!read) return fail(std::move(read.error()));
  return &value_;
}

Status LiveRecords::encode(const void* record, std::uint32_t slot, std::uint32_t generation) {
  const std::array<const void*, 1> records{record};
  Status read =
      entry_.codec->encode({records, {&slot, 1}, {&generation, 1}, {}}, columns_, nullptr);
  if (!read) return read;
  decoder_.begin(columns_);
  return decoder_.next(value_);
}

Status LiveRecords::change(const Change& change, void* record) {
  MigratedRows rows(fields_);
  rows.begin(columns_, 1, RowDecoder::kMaxValues);
  DynamicValue fields;
  rows.next(fields);
  DynamicValue before = entry_.codec->is_aggregate() ? fields : DynamicValue();
  try {
    change(fields);
  } catch (const DynamicError& error) {
    return fail(ErrorCode::invalid_value, error.what());
  }
  if (Status is_read = rows.check(); !is_read) return is_read;
  remove_equal(fields, before);
  return write(rows, fields, record);
}

Status LiveRecords::fill(DynamicValue fields, void* record) {
  MigratedRows rows(fields_);
  return write(rows, fields, record);
}

Status LiveRecords::write(MigratedRows& rows, DynamicValue& fields, void* record) const {
  if (Status fits = conform(schema_, fields); !fits) return fits;
  if (Status put = rows.append(fields); !put)
    return fail(as_of_the_program(std::move(put.error())));
  const auto batches = rows.finish();
  if (!batches) return fail(as_of_the_program(batches.error()));
  const MigratedBatch& batch = batches->front();
  const auto decoder =
      entry_.codec->decoder_for(batch.schema, batch.plan(), batch.is_as_stored(), table_namer_);
  if (!decoder) return fail(decoder.error());
  return decode(batch.columns, **decoder, record);
}

Status LiveRecords::decode(const std::vector<Bytes>& columns, const RecordDecoder& decoder,
                           void* record) const {
  MemoryBudget budget(std::numeric_limits<std::uint64_t>::max());  // the values are there already
  const std::array<void*, 1> records{record};
  return decoder.decode(columns, records, budget,
                        [](std::size_t) { return std::string("the record"); });
}

// --- JSON

Status LiveRecords::fill_json(std::string_view json, void* record) {
  if (Status read = encode(record, 0, 0); !read) return read;
  return change_json({}, json, record);
}

Status LiveRecords::change_json(std::string_view path, std::string_view json, void* record) {
  const auto present = find_value(value_, path);
  if (!present) return fail(present.error());
  std::string text(json);  // the parser changes it
  JsonDocument document;
  if (Status parsed = document.parse(text.data(), text.size()); !parsed)
    return fail(std::move(parsed.error()).in("JSON text"));
  JsonValueReader reader(tables_);
  Value made;
  Status done = reader.read(document, document.root(), *present->field, made, &*present);
  if (!done) {
    constexpr std::string_view kField = "field ";
    std::string& where = done.error().where;
    if (!path.empty()) {
      where = std::string(kField) +
              joined_path(escape_text(path), where.empty()
                                                 ? std::string_view()
                                                 : std::string_view(where).substr(kField.size()));
    }
    return done;
  }
  Bytes memory;
  Value changed = value_;
  if (path.empty()) {
    changed = std::move(made);
  } else if (done = replace_value(changed, path, made, memory); !done) {
    return done;
  }
  Field schema = schema_;
  if (!path.empty() && entry_.codec->is_aggregate()) remove_other_fields(schema, changed, path);
  std::vector<Bytes> columns;
  RowEncoder encoder(schema);
  encoder.begin(columns);
  if (done = encoder.append(changed); !done) return done;
  const auto decoder = entry_.codec->decoder_for(schema, table_namer_);
  if (!decoder) return fail(decoder.error());
  return decode(columns, **decoder, record);
}

}  // namespace hdb
