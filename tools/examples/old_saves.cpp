// Old saves: three versions of one record. The present program loads the files of all of them.
#include <hdb/hdb.hpp>
#include <hdb/migration.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

namespace v1 {  // the first release: prices in gold, table "items"
struct Item {
  std::string name;
  std::int16_t cost = 1;
};
}  // namespace v1

namespace v2 {  // a field was renamed, one is new, the table has another name
struct Item {
  std::string name;
  std::int32_t price = 1;   // was cost, and is wider
  std::int32_t weight = 5;  // new: old items get what a freshly made one has
};
}  // namespace v2
template <>
struct hdb::Renames<v2::Item> {
  static constexpr std::array list{hdb::Rename{"cost", "price"}};
};

// The present program: prices are in copper, 100 for each gold. The old number means something else
// now, so the record gets a class version, which only a `serialize` can have (it was 0), and the
// field a new name: an older program must not take copper for gold.
struct Item {
  std::string name;
  std::int64_t copper = 100;
  std::int32_t weight = 5;

  template <class Archive>
  void serialize(Archive& archive, std::uint32_t) {
    archive(CEREAL_NVP(name), CEREAL_NVP(copper), CEREAL_NVP(weight));
  }
};
CEREAL_CLASS_VERSION(Item, 1)

namespace {

int failed(const std::string& what) {
  std::fprintf(stderr, "old_saves: %s\n", what.c_str());
  return 1;
}

void declare_old_forms(hdb::Database& db) {
  db.declare_table_rename({.old_name = "items", .new_name = "goods"});
  // A migration sees the record as the file has it, so here both older forms arrive.
  db.declare_migration({.table = "goods", .from = 0},
                       [](hdb::DynamicValue& item, hdb::MigrationContext&) {
                         const char* const gold = item.contains("cost") ? "cost" : "price";
                         item.set("copper", item.at(gold).as<std::int64_t>() * 100);
                         item.remove(gold);
                       });
}

// Loads one file into a game of the present version.
hdb::Status check(const std::string& path, const std::string& name, std::int64_t copper,
                  std::int32_t weight) {
  hdb::Database db;
  auto& goods = db.create_table<Item>("goods");
  declare_old_forms(db);
  const auto loaded = db.load(path);
  if (!loaded) return hdb::fail(loaded.error());
  std::printf("%s\n", loaded->summary().c_str());  // for the log of the game
  const Item& item = *goods.begin();
  std::printf("  %s costs %lld copper, weighs %d\n", item.name.c_str(),
              static_cast<long long>(item.copper), item.weight);
  const bool is_right = item.name == name && item.copper == copper && item.weight == weight;
  if (!is_right) return hdb::fail(hdb::ErrorCode::bad_value, "the item has other values", path);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const fs::path folder =
      argc > 1 ? fs::path(argv[1]) : fs::temp_directory_path() / "hdb-old-saves";
  const std::array<std::string, 3> path = {
      (folder / "v1.hdb").string(), (folder / "v2.hdb").string(), (folder / "v3.hdb").string()};
  hdb::Database first, second, third;
  first.create_table<v1::Item>("items").insert({.name = "rope", .cost = 2});
  second.create_table<v2::Item>("goods").insert({.name = "lamp", .price = 7, .weight = 3});
  third.create_table<Item>("goods").insert({.name = "pearl", .copper = 999, .weight = 1});
  const std::array<hdb::Database*, 3> games = {&first, &second, &third};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto saved = hdb::save(games[i]->capture(), path[i]);
    if (!saved) return failed(saved.error().message());
  }

  const std::array results = {check(path[0], "rope", 200, 5), check(path[1], "lamp", 700, 3),
                              check(path[2], "pearl", 999, 1)};
  for (const hdb::Status& result : results) {
    if (!result) return failed(result.error().message());
  }

  // The second release loads the file of the first by names alone, without a migration.
  hdb::Database db;
  auto& goods = db.create_table<v2::Item>("goods");
  db.declare_table_rename({.old_name = "items", .new_name = "goods"});
  if (const auto loaded = db.load(path[0]); !loaded) return failed(loaded.error().message());
  if (goods.begin()->price != 2 || goods.begin()->weight != 5) return failed("v2 misread v1");
  // It also loads the newer file of the third, and says what it lacks. mod_removed.cpp shows how to
  // save such a file again without a loss.
  const auto newer = db.load(path[2]);
  if (!newer) return failed(newer.error().message());
  std::printf("in the second release: %s\n", newer->summary().c_str());
  return goods.begin()->price == 1 ? 0 : failed("v2 took copper for gold");
}
