// A program to be looked at by debuggers: it fills values of each type that the printers know, and
// calls look() with them, where tests set a breakpoint. `program crash` ends itself there.
#include <csignal>
#include <cstring>
#include <string_view>

#include <hdb/blob_table.hpp>
#include <hdb/bound_handle.hpp>
#include <hdb/box.hpp>
#include <hdb/component_table.hpp>
#include <hdb/hdb.hpp>
#include <hdb/history.hpp>
#include <hdb/one_of.hpp>
#include <hdb/resource_table.hpp>
#include <hdb/sidecar.hpp>

struct Monster {
  int hp = 100;
  hdb::Handle<Monster> target = {};
};
struct Weapon {
  float damage = 0;
};
struct Position {
  int x = 0;
  int y = 0;
};
struct Clock {
  int hour = 7;
};
struct Mesh {
  int vertices = 0;
};
struct Shape {
  int sides = 0;
};
struct Square : Shape {
  int edge = 3;
};

namespace {

struct Sound {
  int hertz = 0;
};

/// What the tests print.
struct Scene {
  hdb::Database database;
  hdb::Table<Monster>& monsters = database.create_table<Monster>("monsters");
  hdb::Table<Weapon, hdb::TypedLayout>& weapons = database.create_table<Weapon, hdb::TypedLayout>(
      "weapons", {.storage = hdb::Storage::stable, .names = hdb::RecordNames::exact});
  hdb::ComponentTable<Position, Monster>& positions =
      database.create_component_table<Position>("positions", monsters);
  hdb::Singleton<Clock>& clock = database.singleton<Clock>("clock");
  hdb::ResourceTable<Sound>& sounds = database.create_resource_table<Sound>("sounds");
  hdb::BlobTable<Mesh>& meshes =
      database.create_blob_table<Mesh>("meshes", {.capacity_bytes = 4096});
  hdb::Table<Position> lonely;  // in no database

  hdb::Handle<Monster> null;
  hdb::Handle<Monster> imp = monsters.insert({.hp = 40});
  hdb::Handle<Monster> orc = monsters.insert({.hp = 70, .target = imp});
  hdb::Handle<Monster> gone = monsters.insert({.hp = 1});
  hdb::Handle<Monster> replaced;
  hdb::Handle<Monster> foreign = hdb::Handle<Monster>::from_bits(99 | std::uint64_t{5} << 32);
  hdb::Handle<Position> of_no_database = lonely.insert({.x = 5, .y = 6});
  hdb::TypedHandle<Weapon> claw = weapons.insert_named("claw", Weapon{2.5f});
  hdb::AnyHandle any = hdb::any_handle(claw);
  hdb::Strong<Monster> strong = imp;
  hdb::Ref<Sound> sound = sounds.insert("growl", {.hertz = 55});
  hdb::BoundHandle<hdb::Table<Monster>> bound{monsters, imp};

  hdb::Snapshot empty_snapshot;
  hdb::Snapshot snapshot;
  hdb::Sidecar<int, hdb::Table<Monster>> bodies{monsters};
  hdb::Sidecar<Position, hdb::Table<Position>> places{lonely};
  hdb::History history{database, {.frames = 5}};
  hdb::History empty_history{database};
  hdb::Metadata metadata{.title = "The Gate",
                         .play_time_ms = 3'723'000,
                         .date_unix_ms = 1'700'000'000'000,
                         .sequence = 3,
                         .values = {{"difficulty", "hard"},
                                    {"map", "E1M1"},
                                    {"mod", "none"},
                                    {"party", "4"},
                                    {"world", "A long name that needs memory of its own"}}};
  hdb::Metadata no_metadata;
  hdb::Result<int> number = 7;
  hdb::Result<hdb::Handle<Monster>> handle_result = imp;
  hdb::Status fine;
  hdb::Status failed = hdb::fail(hdb::ErrorCode::file_not_found, "no such file", "opening", 112);
  hdb::Error error{hdb::ErrorCode::block_checksum, "a damaged block", hdb::kNoOffset, "group 3",
                   "slot1.hdb"};
  hdb::Hash128 hash{0x12, 0xab};
  hdb::HandleLayout layout;
  hdb::Box<Position> box{Position{1, 2}};
  hdb::Box<Position> empty_box;
  hdb::OneOf<Shape, Square> shape{Square()};
  hdb::OneOf<Shape, Square> no_shape;

  Scene() {
    positions.insert(imp, {.x = 3, .y = 4});
    static_cast<void>(meshes.insert({.vertices = 12}, 64));
    const hdb::Handle<Monster> rat = monsters.insert({.hp = 2});
    monsters.erase(rat);
    replaced = rat;
    static_cast<void>(monsters.insert({.hp = 3}));
    monsters.erase(gone);
    snapshot = database.capture();
    bodies.set(imp, 11);
    bodies.set(orc, 12);
    for (std::uint64_t frame = 0; frame < 18; ++frame) {
      static_cast<void>(history.record(frame));
      monsters.edit(imp)->hp = 40;
    }
  }
};

bool ends_itself = false;

[[gnu::noinline]] void look(Scene& scene, hdb::Handle<Monster> handle) {
  if (ends_itself) std::raise(SIGABRT);
  asm volatile("" : : "r"(&scene), "r"(&handle) : "memory");  // both are needed until here
}

}  // namespace

int main(int count, char** arguments) {
  ends_itself = count > 1 && std::string_view(arguments[1]) == "crash";
  Scene scene;
  alignas(Scene) static unsigned char garbage[sizeof(Scene)];
  std::memset(garbage, 0x5a, sizeof garbage);
  look(scene, scene.orc);
  look(*reinterpret_cast<Scene*>(garbage), hdb::Handle<Monster>::from_bits(0x5a5a5a5a5a5a5a5a));
}
