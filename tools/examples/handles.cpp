// Handles and stale handles: what becomes of a target that dies, also if its slot is used again.
#include <hdb/hdb.hpp>

#include <cstdint>
#include <cstdio>
#include <string>

namespace {

struct Unit {
  std::string name;
  std::int32_t hp = 10;
  hdb::Handle<Unit> target = {};  // null: none
};

int failed(const std::string& what) {
  std::fprintf(stderr, "handles: %s\n", what.c_str());
  return 1;
}

std::string text_of(hdb::Handle<Unit> handle) {
  if (handle.is_null()) return "null";
  return std::to_string(handle.index()) + "@" + std::to_string(handle.generation());
}

// One shot. Keep handles from frame to frame, and a pointer only until the next erase, capture or
// restore.
void shoot(hdb::Table<Unit>& units, hdb::Handle<Unit> shooter) {
  const hdb::Handle<Unit> aim = units.at(shooter).target;
  const std::string name = units.at(shooter).name;
  Unit* const target = units.edit(aim);  // null for null, stale and invented handles
  if (target == nullptr) {
    std::printf("%s: target %s is gone\n", name.c_str(), text_of(aim).c_str());
    units.edit(shooter)->target = {};
    return;
  }
  target->hp -= 5;
  std::printf("%s hits %s %s: %d hp\n", name.c_str(), target->name.c_str(), text_of(aim).c_str(),
              target->hp);
  if (target->hp <= 0) units.erase(aim);  // all handles to it are stale now
}

}  // namespace

int main() {
  hdb::Database db;
  auto& units = db.create_table<Unit>("units");
  const auto goblin = units.insert({.name = "goblin"});
  const auto archer = units.insert({.name = "archer", .target = goblin});
  const auto hunter = units.insert({.name = "hunter", .target = goblin});

  shoot(units, archer);
  shoot(units, hunter);  // kills it
  const auto orc = units.insert({.name = "orc", .hp = 30});
  std::printf("the orc %s has the slot of the goblin %s\n", text_of(orc).c_str(),
              text_of(goblin).c_str());
  if (orc.index() != goblin.index() || orc == goblin) return failed("another slot was used");

  shoot(units, archer);  // does not hit the orc
  if (units.at(orc).hp != 30) return failed("a stale handle named the new record");
  if (units.contains(goblin) || units.find({}) != nullptr) return failed("a dead unit was found");

  // A stale handle stays stale in snapshots and files, so records may keep one.
  const hdb::Snapshot later = db.capture();
  units.clear();
  if (auto restored = db.restore(later); !restored) return failed(restored.error().message());
  if (units.find(units.at(hunter).target) != nullptr) return failed("the goblin is back");
  shoot(units, hunter);
  return units.at(hunter).target.is_null() ? 0 : failed("the hunter still aims at a dead unit");
}
