// Writes the golden files of the present format version into a folder: make_fixtures FOLDER. See
// fixtures/make.sh.
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include <cereal/types/array.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

#include "ages/ages.hpp"
#include "component_fixture.hpp"
#include "dropped_fixture.hpp"
#include "hdb/hdb.hpp"
#include "layout_fixture.hpp"
#include "resource_fixture.hpp"
#include "series_fixture.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {

struct Vec3 {
  float x = 0;
  float y = 0;
  float z = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(y), CEREAL_NVP(z));
  }
};

struct Weapon {
  std::string name;
  float damage = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(damage));
  }
};

/// A weapon whose fields got other types: one that still compares, one that does not.
struct RetypedWeapon {
  std::int32_t name = 0;
  double damage = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(damage));
  }
};

/// A record of the game; a later version of the game gives it one field more.
template <bool kLater>
struct MonsterOf {
  std::string name;
  std::int32_t hp = 100;
  Vec3 pos;
  Handle<Weapon> weapon;
  Handle<MonsterOf> target;
  std::vector<std::string> loot;
  float stamina = 100;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(hp), CEREAL_NVP(pos), CEREAL_NVP(weapon), CEREAL_NVP(target),
      CEREAL_NVP(loot));
    if constexpr (kLater) a(CEREAL_NVP(stamina));
  }
};

struct Secret {
  std::uint32_t key = 0x5ec7e7;
  template <class A>
  void serialize(A& a) {
    a(key);
  }
};

enum class Mood : std::uint8_t { calm, alert, angry };

/// One field of every type of the format.
struct Everything {
  bool flag = true;
  std::int8_t tiny = -8;
  std::int16_t small = -1600;
  std::int32_t medium = -320000;
  std::int64_t large = std::numeric_limits<std::int64_t>::min();
  std::uint8_t utiny = 8;
  std::uint16_t usmall = 1600;
  std::uint32_t umedium = 320000;
  std::uint64_t ularge = std::numeric_limits<std::uint64_t>::max();
  float real = 0.1F;
  double precise = 0.1;
  char letter = 'h';
  char16_t wide = u'\u00e9';
  char32_t wider = U'\U0001f47e';
  Mood mood = Mood::angry;
  Handle<Everything> self;
  Strong<Everything> owned;
  std::string text;
  Vec3 pos;
  std::array<std::uint16_t, 3> triple{1, 2, 3};
  std::array<Vec3, 2> corners;
  std::vector<float> weights;
  std::vector<Weapon> weapons;
  std::optional<std::int32_t> maybe;
  std::variant<std::int32_t, std::string, Vec3> either;
  std::map<std::string, std::int32_t> skills;
  Secret secret;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(flag), CEREAL_NVP(tiny), CEREAL_NVP(small), CEREAL_NVP(medium), CEREAL_NVP(large));
    a(CEREAL_NVP(utiny), CEREAL_NVP(usmall), CEREAL_NVP(umedium), CEREAL_NVP(ularge));
    a(CEREAL_NVP(real), CEREAL_NVP(precise), CEREAL_NVP(letter), CEREAL_NVP(wide),
      CEREAL_NVP(wider));
    a(CEREAL_NVP(mood), CEREAL_NVP(self), CEREAL_NVP(owned), CEREAL_NVP(text), CEREAL_NVP(pos));
    a(CEREAL_NVP(triple), CEREAL_NVP(corners), CEREAL_NVP(weights), CEREAL_NVP(weapons),
      CEREAL_NVP(maybe));
    a(CEREAL_NVP(either), CEREAL_NVP(skills), CEREAL_NVP(secret));
  }
};

}  // namespace hdb::test

template <>
struct hdb::Opaque<hdb::test::Secret> : std::true_type {};

namespace hdb::test {
namespace {

std::filesystem::path folder;

void write_bytes(const std::string& name, std::span<const std::byte> bytes) {
  std::ofstream file(folder / name, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) {
    std::fprintf(stderr, "make_fixtures: cannot write %s\n", name.c_str());
    std::exit(2);
  }
}

// Most files have no packs: as if their tables were larger.
const WriteOptions kAlone{.packs = false};
const WriteOptions kPacked{};

Bytes saved_bytes(Database& db, const std::string& title, std::uint64_t sequence,
                  Bytes thumbnail = {}, const WriteOptions& write = kAlone) {
  SaveOptions options;
  options.write = write;
  options.write.file_id = hash128(bytes_of(title));
  options.metadata.title = title;
  options.metadata.play_time_ms = sequence * 3'725'000;
  options.metadata.date_unix_ms = 1'700'000'000'000 + static_cast<std::int64_t>(sequence) * 60'000;
  options.metadata.sequence = sequence;
  options.metadata.values = {{"difficulty", "nightmare"}, {"map", "E1M1"}};
  options.thumbnail = std::move(thumbnail);
  MemorySink sink;
  const auto saved = save(db.capture(), sink, options);
  if (!saved) {
    std::fprintf(stderr, "make_fixtures: %s: %s\n", title.c_str(), saved.error().message().c_str());
    std::exit(2);
  }
  return sink.take();
}

void write_file(Database& db, const std::string& name, const std::string& title,
                std::uint64_t sequence, Bytes thumbnail = {}, const WriteOptions& write = kAlone) {
  write_bytes(name, saved_bytes(db, title, sequence, std::move(thumbnail), write));
}

/// Dense and stable tables, four row groups, free and retired slots, every block type, codec and
/// filter.
void make_three_tables() {
  Database db;
  auto& zones =
      db.create_table<Tile>("zones", {.storage = Storage::stable, .free_list = FreeList::fifo});
  auto& heroes = db.create_table<Hero>("heroes", {.generations = Generations::table_counter});
  auto& units = db.create_table<Unit, Layout<20, 12>>("units");
  Random random(11);
  std::vector<Handle<Tile>> tiles;
  for (std::uint32_t i = 0; i < 200; ++i) {
    tiles.push_back(zones.emplace());
    if (i % 40 == 0) zones.edit(tiles.back())->cells[i] = i + 1;
  }
  for (const std::size_t i : {5U, 150U, 77U}) zones.erase(tiles[i]);
  std::vector<Handle<Hero>> freed;
  for (std::int32_t i = 0; i < 40; ++i) {
    const auto handle =
        heroes.insert({.name = "hero " + std::to_string(i % 5), .items = {i, i * i}, .mana = 1.5F});
    if (i % 7 == 3) freed.push_back(handle);
  }
  for (const auto handle : freed) heroes.erase(handle);
  for (int i = 0; i < 4095; ++i)
    units.erase(units.emplace());  // slot 0 goes through all its generations
  std::vector<Handle<Unit, Layout<20, 12>>> dead;
  for (int i = 0; i < 60; ++i) {
    const auto handle =
        units.insert({.hp = static_cast<std::int32_t>(random.below(200)), .x = 0.25 * i});
    if (i % 9 == 4) dead.push_back(handle);
  }
  for (const auto handle : dead) units.erase(handle);
  Bytes thumbnail;
  for (int i = 0; i < 40; ++i) thumbnail.push_back(static_cast<std::byte>(i * 7));
  write_file(db, "three_tables.hdb", "Three tables", 1, thumbnail);
}

void make_every_field() {
  Database db;
  auto& table = db.create_table<Everything>("things");
  const auto first = table.emplace();
  Everything thing;
  thing.self = first;
  thing.owned = first;
  thing.text = "tab\there, quote \" here, \xc3\xa9, ESC \x1b[31m, RLO \xe2\x80\xae, byte \xff";
  thing.pos = {1.5F, -0.0F, std::numeric_limits<float>::infinity()};
  thing.real = std::numeric_limits<float>::quiet_NaN();
  thing.corners[1].y = 2;
  thing.weights = {0.5F, 1e20F, -3};
  thing.weapons = {{"axe", 7}, {"bow", 3.5F}};
  thing.maybe = -5;
  thing.either = Vec3{7, 8, 9};
  thing.skills = {{"aim", 3}, {"hide", -1}};
  table.insert(thing);
  thing.either = std::string("text");
  thing.mood = Mood::calm;
  table.insert(thing);
  write_file(db, "every_field.hdb", "Every field", 1);
}

void make_resources() {
  Database db;
  fill_resources(db);
  write_file(db, "all_kinds.hdb", "All kinds of tables", 1);
}

void make_layouts() {
  Database db;
  fill_layouts(db);
  write_file(db, "layouts.hdb", "Handles of many layouts", 1, {}, kPacked);
}

void make_components() {
  Database db;
  fill_components(db);
  write_file(db, "components.hdb", "Component tables", 1, {},
             {.codec = Codec::none, .packs = false});
  play_components(db);
  write_file(db, "components_later.hdb", "Component tables, later", 2, {}, kPacked);
}

void make_dropped() {
  Database db;
  fill_dropped(db);
  write_file(db, "dropped.hdb", "Dropped tables", 1);
  play_dropped(db);
  write_file(db, "dropped_later.hdb", "Dropped tables, later", 2, {}, kPacked);
  Database passed;
  pass_tables(passed);
  write_file(passed, "dropped_unknown.hdb", "Tables that were left out", 1, {},
             {.codec = Codec::none});
  Database named;
  fill_type_names(named);
  write_file(named, "type_names.hdb", "Names of types", 1);
}

void make_empty() {
  Database db;
  write_file(db, "empty.hdb", "", 0);
}

/// empty.hdb with a header that names a later version, and with one that needs an unknown feature;
/// the header's hash is computed again.
void make_newer() {
  Database db;
  const Bytes file = saved_bytes(db, "", 0);
  const auto reseal = [](Bytes bytes, std::size_t at, std::uint8_t value) {
    bytes[at] = std::byte{value};
    store_le(bytes.data() + 56, hash64(std::span(bytes).first(56)));
    return bytes;
  };
  write_bytes("invalid/newer_version.hdb", reseal(file, 8, 9));
  write_bytes("invalid/unknown_feature.hdb", reseal(file, 16, 64));
}

/// A small game before and after a few moves; `after` also as a later version of the game writes
/// it.
template <class M>
class Game {
 public:
  Game()
      : weapons_(db_.create_table<Weapon>("weapons")),
        monsters_(db_.template create_table<M>("monsters")) {
    db_.template singleton<Clock>("clock").edit().tick = 300;
    const auto axe = weapons_.insert({"axe", 7});
    weapons_.insert({"bow", 3.5F});
    for (int i = 0; i < 12; ++i) {
      M monster;
      monster.name = i % 3 == 0 ? "imp" : "demon";
      monster.pos = {static_cast<float>(i) * 8, 128.5F, 0};
      monster.weapon = axe;
      handles_.push_back(monsters_.insert(monster));
    }
    monsters_.edit(handles_[2])->target = handles_[7];
    monsters_.edit(handles_[3])->loot = {"gold", "key"};
    monsters_.erase(handles_[5]);
  }

  void play() {
    db_.template singleton<Clock>("clock").edit().tick = 600;
    M* const hunter = monsters_.edit(handles_[2]);
    hunter->pos.x = 18.75F;
    hunter->target = {};
    hunter->hp = 85;
    monsters_.edit(handles_[3])->loot = {"gold", "gem", "map"};
    monsters_.erase(handles_[7]);
    monsters_.erase(handles_[8]);
    for (int i = 0; i < 3; ++i) {
      M born;
      born.name = "born " + std::to_string(i);
      handles_.push_back(monsters_.insert(born));
    }
    monsters_.erase(handles_[0]);
  }

  Database& db() { return db_; }

 private:
  Database db_;
  Table<Weapon>& weapons_;
  Table<M>& monsters_;
  std::vector<Handle<M>> handles_;
};

void make_games() {
  Game<MonsterOf<false>> game;
  write_file(game.db(), "before.hdb", "Before", 1);
  write_file(game.db(), "before_stored.hdb", "Before, not compressed", 1, {},
             {.codec = Codec::none, .packs = false});
  game.play();
  write_file(game.db(), "after.hdb", "After", 2);
  Game<MonsterOf<true>> later;
  later.db().create_table<Vec3>("marks").insert({1, 2, 3});
  later.play();
  write_file(later.db(), "later_version.hdb", "After, as a later version writes it", 2);
  Database retyped;
  auto& weapons = retyped.create_table<RetypedWeapon>("weapons");
  weapons.insert({1, 7});
  weapons.insert({2, 3.25});
  write_file(retyped, "retyped.hdb", "Weapons with fields of other types", 3);
  Database odd;
  auto& marks = odd.create_table<Weapon>("m:1@2\\\xe2\x80\xae");
  marks.insert({"axe", 7});
  odd.create_table<Vec3>("=x 'y'").insert({1, 2, 3});
  write_file(odd, "odd_names.hdb", "Names that are hard to print", 4, {}, kPacked);
}

void make_ages() {
  std::filesystem::create_directories(folder / "ages");
  for (int age = 1; age <= 5; ++age) write_bytes(ages::file_name(age, false), ages::file_of(age));
}

/// Autosaves in a ring of eight files, whose oldest is auto-3.hdb.
void make_series() {
  std::filesystem::create_directories(folder / "series");
  for (int moment = 1; moment <= kSeriesMoments; ++moment) {
    Database db;
    fill_series(db, moment);
    write_file(db, "series/auto-" + std::to_string((moment + 1) % kSeriesMoments + 1) + ".hdb",
               "Moment " + std::to_string(moment), static_cast<std::uint64_t>(moment), {},
               {.codec = Codec::none, .packs = false});
  }
}

}  // namespace
}  // namespace hdb::test

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_fixtures FOLDER\n", stderr);
    return 2;
  }
  hdb::test::folder = argv[1];
  std::filesystem::create_directories(hdb::test::folder / "ages");
  hdb::test::make_three_tables();
  hdb::test::make_every_field();
  hdb::test::make_resources();
  hdb::test::make_layouts();
  hdb::test::make_components();
  hdb::test::make_dropped();
  hdb::test::make_empty();
  hdb::test::make_games();
  hdb::test::make_ages();
  hdb::test::make_series();
  std::filesystem::create_directories(hdb::test::folder / "invalid");
  hdb::test::make_newer();
  return 0;
}
