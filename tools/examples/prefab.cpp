// Prefabs: a file of records placed several times. Handles inside lead to the new records, shared
// resources are found by name, and handles that lead out of the prefab are reported.
#include <hdb/hdb.hpp>
#include <hdb/import.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace {

struct Sound {
  std::int32_t milliseconds = 0;
};
struct Guard {
  std::int32_t x = 0;
  hdb::Handle<Guard> leader = {};
  hdb::Handle<Guard> enemy = {};
  hdb::Handle<Sound> alarm = {};
};

int failed(const std::string& what) {
  std::fprintf(stderr, "prefab: %s\n", what.c_str());
  return 1;
}

// The tables that a prefab may fill; game and editor create them alike.
struct Tables {
  hdb::Database db;
  hdb::Table<Sound>& sounds = db.create_table<Sound>("sounds", {.names = hdb::RecordNames::exact});
  hdb::Table<Guard>& guards = db.create_table<Guard>("guards");
};

hdb::Result<hdb::SaveReport> make_prefab(const std::string& path) {
  Tables editor;
  const auto dummy = editor.guards.insert({});  // for trying the guards out: not in the prefab
  const auto horn = editor.sounds.insert_named("horn", Sound{.milliseconds = 900});
  const auto leader = editor.guards.insert({.x = 0, .enemy = dummy, .alarm = horn});
  editor.guards.insert({.x = 2, .leader = leader, .alarm = horn});
  editor.guards.erase(dummy);
  return hdb::save(editor.db.capture(), path);
}

// One copy of the prefab in the game: its guards, for moving and for removing them.
hdb::Result<std::vector<hdb::Handle<Guard>>> place(Tables& game, const std::string& prefab,
                                                   std::int32_t x) {
  const auto report = game.db.import_records(prefab, {.name_clash = hdb::NameClash::use_existing});
  if (!report) return hdb::fail(report.error());
  std::printf("at %d: %s\n", x, report->summary().c_str());
  for (const hdb::UnresolvedHandle& handle : report->unresolved) {
    std::printf("  %s of a guard named %s, which the prefab does not have\n", handle.field.c_str(),
                handle.target.c_str());
  }
  auto guards = report->created<hdb::Handle<Guard>>();
  for (const auto guard : guards) game.guards.edit(guard)->x += x;
  return guards;
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const fs::path folder = argc > 1 ? fs::path(argv[1]) : fs::temp_directory_path() / "hdb-prefab";
  const std::string prefab = (folder / "guard_post.hdb").string();
  if (const auto saved = make_prefab(prefab); !saved) return failed(saved.error().message());

  Tables game;
  const auto player = game.guards.insert({.x = -5});
  std::vector<std::vector<hdb::Handle<Guard>>> posts;
  for (const std::int32_t x : {100, 200, 300}) {
    auto post = place(game, prefab, x);
    if (!post) return failed(post.error().message());
    posts.push_back(*std::move(post));
  }
  for (const auto& [handle, guard] : game.guards.entries()) {
    const Guard* const leader = game.guards.find(guard.leader);
    std::printf("guard at %d, leader at %d\n", guard.x, leader != nullptr ? leader->x : guard.x);
    const bool is_placed = handle != player;
    if (is_placed && game.sounds.find(guard.alarm) == nullptr) return failed("no alarm");
    if (!guard.enemy.is_null()) return failed("a handle leads out of the prefab");
    if (leader != nullptr && guard.x != leader->x + 2) return failed("the leader of another post");
  }
  if (game.guards.size() != 7 || game.sounds.size() != 1) return failed("wrong counts");

  for (const auto guard : posts[1]) game.guards.erase(guard);  // one post is removed again
  std::printf("after the second post was removed: %zu guards\n", game.guards.size());
  return game.guards.size() == 5 && game.guards.contains(player) ? 0 : failed("wrong guards left");
}
