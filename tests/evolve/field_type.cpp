// The games that save and load a field type.
#include "field_type.hpp"

#include "exact/schema_document.hpp"

namespace hdb::test::evolve {
namespace {

std::string text_of(const TableLoadReport& table) {
  std::string text;
  for (const LoadChange& change : table.changes)
    text += (text.empty() ? "" : ", ") + to_text(change);
  return text;
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
  for (const TableLoadReport& table : report->tables) {
    if (table.name == "records") outcome.changes = text_of(table);
  }
  return outcome;
}

}  // namespace

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
        db.import_records(std::move(source), {.leaving_handles = LeavingHandles::keep}), value);
  }
  if (way == Way::migrated) {
    db.declare_migration({.table = "records", .from = 0}, [](DynamicValue&, MigrationContext&) {});
  }
  return outcome_of(db.load(std::move(source)), value);
}

}  // namespace hdb::test::evolve
