// A server that keeps its worlds in an archive: every save of each world, stored as what changed.
// An administrator goes back to an earlier save, and old saves are thinned out.
#include <hdb/archive.hpp>
#include <hdb/hdb.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace {

struct House {
  std::string owner;
  std::int32_t gold = 0;
};

int failed(const std::string& what) {
  std::fprintf(stderr, "archive_server: %s\n", what.c_str());
  return 1;
}

struct World {
  std::string name;
  hdb::Database db = hdb::Database();
  hdb::Table<House>& houses = db.create_table<House>("houses");

  void play() {  // an hour: a few of many houses change
    for (std::uint64_t i = 0; i < houses.size(); i += 500)
      houses.edit(houses.handle_at(i))->gold += 7;
  }
  [[nodiscard]] std::int64_t gold() const {
    std::int64_t sum = 0;
    for (const House& house : houses) sum += house.gold;
    return sum;
  }
};

// Every save of every world; another process may read them at the same time.
hdb::Status run(hdb::Archive& archive, std::vector<World*> worlds) {
  for (int hour = 1; hour <= 6; ++hour) {
    for (World* const world : worlds) {
      world->play();
      hdb::Metadata metadata;
      metadata.title = "hour " + std::to_string(hour);
      const auto put = archive.put(world->db.capture(), {.world = world->name}, metadata);
      if (!put) return hdb::fail(put.error());
    }
  }
  return {};
}

// Back to an earlier save. The later ones stay in the archive; the next save gets the next number.
hdb::Status go_back(hdb::Archive& archive, World& world, const std::string& title) {
  const auto saves = archive.list(world.name);
  if (!saves) return hdb::fail(saves.error());
  for (const hdb::ArchivedSave& save : *saves) {
    if (save.metadata.title != title) continue;
    auto source = archive.source(save.version);
    if (!source) return hdb::fail(source.error());
    if (auto loaded = world.db.load(*std::move(source)); !loaded) return hdb::fail(loaded.error());
    std::printf("%s is back at %s\n", world.name.c_str(), save.version.text().c_str());
    return {};
  }
  return hdb::fail(hdb::ErrorCode::version_not_found, "the world has no save '" + title + "'");
}

hdb::Status thin_out(hdb::Archive& archive, const std::string& world, std::size_t keep) {
  auto saves = archive.versions(world);
  if (!saves) return hdb::fail(saves.error());
  if (saves->size() > keep) {
    saves->resize(saves->size() - keep);
    if (auto removed = archive.remove(*saves); !removed) return removed;
  }
  const auto garbage = archive.collect_garbage();  // what no save needs any more
  if (!garbage) return hdb::fail(garbage.error());
  std::printf("%llu saves remain\n", static_cast<unsigned long long>(garbage->saves));
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const fs::path folder =
      argc > 1 ? fs::path(argv[1]) : fs::temp_directory_path() / "hdb-archive-server";
  std::error_code ignored;
  fs::create_directories(folder, ignored);  // open says so if the folder cannot be used
  fs::remove(folder / "worlds.hdba", ignored);
  const auto archive = hdb::Archive::open((folder / "worlds.hdba").string(), {.create = true});
  if (!archive) return failed(archive.error().message());

  World north{"north"}, south{"south"};
  for (int i = 0; i < 5000; ++i) {
    north.houses.insert({.owner = "n" + std::to_string(i), .gold = i});
    south.houses.insert({.owner = "s" + std::to_string(i), .gold = 2 * i});
  }
  const std::int64_t at_first = north.gold();
  if (auto ran = run(**archive, {&north, &south}); !ran) return failed(ran.error().message());

  const auto sharing = (*archive)->sharing();
  if (!sharing) return failed(sharing.error().message());
  std::printf("%llu saves in a third of the bytes or less: %s\n",
              static_cast<unsigned long long>(sharing->saves),
              sharing->stored_bytes * 3 <= sharing->raw_bytes ? "yes" : "no");
  if (sharing->stored_bytes * 3 > sharing->raw_bytes) return failed("the saves share nothing");

  if (auto back = go_back(**archive, north, "hour 2"); !back) return failed(back.error().message());
  if (north.gold() != at_first + 2 * 10 * 7) return failed("another save was loaded");
  north.play();
  const auto put = (*archive)->put(north.db.capture(), {.world = "north"});
  if (!put) return failed(put.error().message());
  std::printf("and goes on as %s\n", put->version.text().c_str());

  for (const char* const world : {"north", "south"}) {
    if (auto thinned = thin_out(**archive, world, 2); !thinned) {
      return failed(thinned.error().message());
    }
  }
  const auto check = (*archive)->verify();
  if (!check) return failed(check.error().message());
  return check->saves == 4 && check->faults.empty() ? 0 : failed("the archive is damaged");
}
