// The games that save and load a field type.
#include "field_type.hpp"

#include "exact/schema_document.hpp"
#include "hdb/import.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/load_as.hpp"
#include "hdb/migration.hpp"

namespace hdb::test::evolve {
namespace {

std::string text_of(const TableLoadReport& table) {
  std::string text;
  for (const LoadChange& change : table.changes)
    text += (text.empty() ? "" : ", ") + to_text(change);
  return text;
}

void read_all(DynamicValue& value) {
  switch (value.kind()) {
    case FieldKind::structure:
      for (const std::string& name : value.names()) read_all(*value.field(name));
      return;
    case FieldKind::list:
    case FieldKind::map:
      for (std::size_t i = 0; i < value.size() * (value.kind() == FieldKind::map ? 2 : 1); ++i)
        read_all(value.element(i));
      return;
    case FieldKind::optional:
      if (value.has_value()) read_all(value.value());
      return;
    case FieldKind::variant: read_all(value.value()); return;
    default: return;
  }
}

template <class Report>
std::string changes_of(const Report& report) {
  for (const TableLoadReport& table : report.tables) {
    if (table.name == "records") return text_of(table);
  }
  return {};
}

template <class Report>
Outcome outcome_of(const Result<Report>& report, const std::function<std::string()>& value) {
  Outcome outcome;
  outcome.loads = report.has_value();
  if (!outcome.loads) {
    outcome.error = report.error();
    return outcome;
  }
  outcome.value = value();
  outcome.changes = changes_of(*report);
  return outcome;
}

}  // namespace

Outcome load_through_schemas(const FieldType& to, const Bytes& save) {
  auto file = Reader::open(std::make_unique<MemorySource>(save));
  if (!file) return {false, {}, file.error(), {}, {}};
  const auto loaded = load_as(*std::move(file), to.loaded_schemas);
  if (!loaded) return {false, {}, loaded.error(), {}, {}};
  MemorySink sink;
  const auto written = write_image(*loaded->snapshot.image({}), sink);
  if (!written) return {false, {}, written.error(), {}, {}};
  Outcome outcome = to.load(sink.take(), Way::plain);
  if (!outcome.loads || !outcome.changes.empty()) {
    outcome.loads = true;
    outcome.value =
        "the converted save does not load as it is: " + outcome.error.message() + outcome.changes;
  }
  outcome.changes = changes_of(loaded->report);
  outcome.state = loaded->snapshot.state_hash().hex();
  return outcome;
}

Game::Game(bool has_records) {
  auto& swords = db.create_table<Sword>("swords");
  auto& shields = db.create_table<Shield>("shields");
  if (!has_records) return;
  sword = swords.insert({3});
  shield = shields.insert({4});
}

std::vector<TableSchema> schemas_of(const Database& db) {
  auto read = inspect::read_schema_document(db.schema_json());
  if (!read) throw std::runtime_error(read.error().message());
  return std::move(*read);
}

Bytes save_of(Database& db) {
  MemorySink sink;
  const auto saved = save(db.capture(), sink);
  if (!saved) throw std::runtime_error(saved.error().message());
  return sink.take();
}

Outcome load_into(Database& db, const Bytes& save, Way way,
                  const std::function<std::string()>& value) {
  auto source = std::make_unique<MemorySource>(save);
  if (way == Way::imported) {
    return outcome_of(
        db.import_records(std::move(source), {.unresolved_handles = UnresolvedHandles::keep}),
        value);
  }
  if (way == Way::migrated) {
    db.declare_migration({.table = "records", .from = 0}, [](DynamicValue&, MigrationContext&) {});
  }
  if (way == Way::migrated_reading) {
    db.declare_migration({.table = "records", .from = 0},
                         [](DynamicValue& record, MigrationContext&) { read_all(record); });
  }
  Outcome outcome = outcome_of(db.load(std::move(source)), value);
  outcome.state = db.state_hash().hex();
  return outcome;
}

}  // namespace hdb::test::evolve
