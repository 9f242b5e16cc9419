// The declarations of the later game, and what its loads and imports promise.
#include "later_game.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "exact/schema_document.hpp"
#include "hdb/component_table.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/load_as.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/migration.hpp"
#include "require.hpp"
#include "sound_files.hpp"
#include "subject.hpp"

namespace hdb::fuzz {
namespace {

struct Place {
  double x = 0;
  float height = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(height));
  }
};

/// Was test::Unit: a wider number, a field in another structure, another layout of handles.
struct LaterUnit {
  std::int64_t hp = 5;
  Place place;
  Handle<LaterUnit> target;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(hp), CEREAL_NVP(place), CEREAL_NVP(target));
  }
};

/// Was test::Hero: another name, no optional, a field that is computed.
struct Champion {
  std::string title;
  std::vector<std::int64_t> items;
  float mana = 3;
  std::map<std::string, std::int32_t> skills;
  Handle<LaterUnit> pet;
  std::int64_t level = 0;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(title), CEREAL_NVP(items), CEREAL_NVP(mana), CEREAL_NVP(skills), CEREAL_NVP(pet),
      CEREAL_NVP(level));
  }
};

/// Was an element of Thing::parts; has its own table now.
struct LaterPart {
  std::uint32_t size = 2;
  std::string label = "none";
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(size), CEREAL_NVP(label));
  }
};

/// Was Thing.
struct LaterThing {
  std::int64_t large = 0;
  double real = 0;
  Mood mood = Mood::calm;
  Handle<LaterUnit> unit;
  std::string text;
  std::vector<Handle<LaterPart>> parts;
  std::vector<std::vector<std::int64_t>> rows;
  std::variant<std::int64_t, std::string, Part> either;
  std::map<std::int64_t, bool> flags;
  template <class A>
  void serialize(A& a, std::uint32_t version) {
    require(version == 2, "F13: serialize sees the version of the program");
    a(CEREAL_NVP(large), CEREAL_NVP(real), CEREAL_NVP(mood), CEREAL_NVP(unit), CEREAL_NVP(text),
      CEREAL_NVP(parts), CEREAL_NVP(rows), CEREAL_NVP(either), CEREAL_NVP(flags));
  }
};

struct LaterWide {
  std::string name;
  std::vector<std::uint64_t> ids;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(ids));
  }
};

}  // namespace
}  // namespace hdb::fuzz

CEREAL_CLASS_VERSION(hdb::fuzz::Champion, 1)
CEREAL_CLASS_VERSION(hdb::fuzz::LaterThing, 2)
CEREAL_CLASS_VERSION(hdb::fuzz::LaterUnit, 1)

namespace hdb::fuzz {
namespace {

// Parts get records of their own, things with a flag go.
void to_version_1(DynamicValue& thing, MigrationContext& context) {
  std::vector<DynamicValue> handles;
  DynamicValue& parts = thing.at("parts");
  for (std::size_t i = 0; i < parts.size() && i < 4; ++i) {
    const DynamicValue& old = parts.element(i);
    const DynamicValue& label = old.at("label");
    DynamicValue part;
    part.set("size", old.at("size"));
    if (label.has_value()) part.set("label", label.element(0));
    handles.push_back(context.create("parts", std::move(part)));
  }
  thing.set("parts", DynamicValue::list(std::move(handles)));
  if (thing.at("flag").as<bool>()) context.drop();
}

void to_version_2(DynamicValue& thing, MigrationContext&) {
  thing.remove("owned");
  thing.set("text", std::string(thing.at("text").text()) + '!');
  if (thing.contains("pair[1].label")) thing.move("pair[1].label", "label");
  if (const DynamicValue* const real = thing.find("maybe"); real != nullptr && real->has_value())
    thing.set("real", real->element(0));
}

void declare_later(Database& db) {
  auto& units = db.create_table<LaterUnit>("units", {.storage = Storage::stable});
  db.create_component_table<test::Clock>("age", units, {.removal = Removal::in_place});
  db.create_component_table<Named>("rider", units);
  db.create_table<Champion>("champions", {.free_list = FreeList::lowest});
  db.create_table<LaterThing>("things");
  db.create_table<LaterPart>("parts");
  db.create_table<LaterWide>("wide", {.generations = Generations::table_counter});
  db.create_table<Named>("named", {.names = RecordNames::exact});
  db.create_table<Named, TypedLayout>("typed", {.free_list = FreeList::fifo});
  db.declare_table_rename({.old_name = "heroes", .new_name = "champions"});
  db.declare_migration({.table = "champions", .from = 0}, [](DynamicValue& champion, auto&) {
    if (champion.contains("name")) champion.move("name", "title");
    if (!champion.contains("items")) return;
    champion.set("level", static_cast<std::int64_t>(champion.at("items").size()));
  });
  db.declare_migration({.table = "units", .from = 0}, [](DynamicValue& unit, auto&) {
    if (unit.contains("x")) unit.move("x", "place.x");
  });
  db.declare_migration({.table = "things", .from = 0, .creates = {"parts"}}, to_version_1);
  db.declare_migration({.table = "things", .from = 1}, to_version_2);
}

std::unique_ptr<ByteSource> source_of(std::span<const std::byte> bytes) {
  return std::make_unique<MemorySource>(MemorySource::borrowing(bytes));
}

void check_invariants(const Database& db) {
  const char* const broken = db.check_invariants();
  require(broken == nullptr, "F13: invariants", broken == nullptr ? "" : broken);
}

template <class Table>
void check_handles(const Table& table) {
  std::size_t records = 0;
  for (const auto [handle, record] : table.entries()) {
    require(table.find(handle) == &record, "F13: a record is found by its handle");
    ++records;
  }
  require(records == table.size(), "F13: iteration meets every record");
}

void check_all_handles(Database& db) {
  check_handles(*db.find_table<LaterUnit>("units"));
  check_handles(*db.find_table<Champion>("champions"));
  check_handles(*db.find_table<LaterThing>("things"));
  check_handles(*db.find_table<LaterPart>("parts"));
  check_handles(*db.find_table<LaterWide>("wide"));
  check_handles(*db.find_table<Named>("named"));
  check_handles(*db.find_table<Named, TypedLayout>("typed"));
}

}  // namespace

LaterGame::LaterGame() {
  declare_later(db_);
  declare_later(copy_);
  auto schemas = inspect::read_schema_document(db_.schema_json());
  require(schemas.has_value(), "a later game has schemas");
  schemas_ = *std::move(schemas);
  auto& units = *db_.find_table<LaterUnit>("units");
  for (int i = 0; i < 5; ++i) units.insert({.hp = i});
  db_.find_table<Champion>("champions")->insert({.title = "untouched", .items = {1, 2}});
  db_.find_table<Named>("named")->insert_named("name 1", {7});
  before_ = db_.capture();
  hash_before_ = before_.state_hash();
  const auto accepted = [](const Status& status, const char* what) {
    require(status.has_value(), what, status ? "" : status.error().message().c_str());
  };
  for (std::size_t i = 0; i < 2; ++i) {
    const Bytes& sound = sound_files()[i];
    accepted(load(sound, {}), "a later game loads the files:");
    accepted(load(sound, {.keep_unknown = true}), "a later game keeps what is unknown:");
  }
}

void LaterGame::check_without_program(std::span<const std::byte> bytes,
                                      const LoadOptions& options) {
  auto file = Reader::open(source_of(bytes), {options.limits, false});
  if (!file) return;
  const auto loaded = load_as(*std::move(file), schemas_, options);
  if (!loaded) return require(!loaded.error().message().empty(), "F21: a refusal says why");
  MemorySink sink;
  const auto written = write_image(*loaded->snapshot.image({}), sink);
  require(written.has_value(), "F21: what load_as brings over can be saved:",
          written ? "" : written.error().message().c_str());
  const auto reloaded = copy_.load(std::make_unique<MemorySource>(sink.bytes()));
  require(reloaded.has_value(), "F21: what load_as brings over loads:",
          reloaded ? "" : reloaded.error().message().c_str());
  check_invariants(copy_);
}

Status LaterGame::load(std::span<const std::byte> bytes, const LoadOptions& options) {
  check_without_program(bytes, options);
  const auto loaded = db_.load(source_of(bytes), options);
  check_invariants(db_);
  if (!loaded) {
    require(!loaded.error().message().empty(), "F12: a refusal says why");
    require(db_.state_hash() == hash_before_, "F12: a refused file changes nothing");
    return fail(loaded.error());
  }
  require(!loaded->summary().empty(), "F13: a load has a summary");
  check_all_handles(db_);
  MemorySink sink;
  const auto saved = save(db_.capture(), sink);
  require(saved.has_value(),
          "F13: what was brought over can be saved:", saved ? "" : saved.error().message().c_str());
  LoadOptions again;
  again.keep_unknown = options.keep_unknown;
  again.verify_state_hash = true;
  const auto reloaded = copy_.load(std::make_unique<MemorySource>(sink.bytes()), again);
  require(reloaded.has_value(),
          "F13: what was brought over loads:", reloaded ? "" : reloaded.error().message().c_str());
  require(copy_.state_hash() == saved->state_hash, "F13: what was brought over loads as it was");
  auto& units = *db_.find_table<LaterUnit>("units");
  auto& things = *db_.find_table<LaterThing>("things");
  for (int i = 0; i < 3; ++i) {
    require(units.emplace() == copy_.find_table<LaterUnit>("units")->emplace() &&
                things.emplace() == copy_.find_table<LaterThing>("things")->emplace(),
            "F13: equal handles are issued");
  }
  check_invariants(db_);
  go_back();
  return {};
}

void LaterGame::go_back() {
  const Status restored = db_.restore(before_);
  require(restored.has_value(), "F13: the state before can be restored");
  require(db_.state_hash() == hash_before_, "F13: the state before is restored");
}

}  // namespace hdb::fuzz
