// See resource_fixture.hpp.
#include "resource_fixture.hpp"

#include "hdb/blob_table.hpp"
#include "hdb/resource_table.hpp"
#include "support/using_detail.hpp"

#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hdb::test {
namespace {

struct Texture {
  std::int32_t width = 0;
  std::int32_t height = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(width), CEREAL_NVP(height));
  }
};

struct Wall {
  Strong<Texture> front;
  Handle<Texture> back;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(front), CEREAL_NVP(back));
  }
};

struct Sound {
  std::uint32_t rate = 11025;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(rate));
  }
};

struct Door {
  std::int32_t state = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(state));
  }
};

struct Event {
  std::uint32_t tick = 0;
  std::vector<AnyHandle> subjects;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(tick), CEREAL_NVP(subjects));
  }
};

struct Score {
  std::int32_t points = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(points));
  }
};

struct Flash {
  std::int32_t left = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(left));
  }
};

struct Spark {
  std::int32_t brightness = 0;
  Handle<Flash> flash;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(brightness), CEREAL_NVP(flash));
  }
};

std::vector<std::byte> samples(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * i);
  return bytes;
}

void fill_textures(Database& db) {
  auto& textures =
      db.create_resource_table<Texture>("textures", {.names = RecordNames::ignore_case});
  auto& walls = db.create_table<Wall>("walls");
  for (const char* const name : {"BRICK1", "brick2", "DOOR\xc3\x84", "gone", "SKY1", "flushed"}) {
    const auto texture = textures.find_or_load(name, [](std::string_view) {
      return std::optional<Texture>({64, 128});
    });
    if (std::string_view(name) == "gone" || std::string_view(name) == "flushed") continue;
    walls.insert({.front = texture.handle(), .back = {}});
  }
  const auto brick = textures.table().find_named("brick1");
  walls.insert({.front = brick, .back = textures.table().find_named("gone")});
  textures.table().rename(brick, "BRICK-1");
  static_cast<void>(textures.flush({.max_destroyed = 1}));
}

void fill_sounds(Database& db) {
  auto& packed = db.create_blob_table<Sound>("sounds", {.capacity_bytes = 4096, .alignment = 16});
  struct Loose;
  auto& loose = db.create_blob_table<Sound, DefaultLayout, Loose>(
      "sprites", {.capacity_bytes = 8192, .alignment = 64, .compaction = Compaction::on_demand});
  const auto middle = packed.insert({.rate = 8000}, samples(100)).value();
  packed.insert({.rate = 11025}, samples(33)).value();
  packed.insert({.rate = 22050}, samples(0)).value();
  packed.erase(middle);
  const auto hole = loose.insert({.rate = 1}, samples(70)).value();
  loose.insert({.rate = 2}, samples(500)).value();
  loose.erase(hole);
}

void fill_events(Database& db) {
  auto& doors = db.create_table<Door, TypedLayout>("doors");
  auto& secrets = db.create_table<Door, TypedLayout>("secrets");
  db.create_table<Door, TypedLayout>("a level that is gone");
  db.drop_table("a level that is gone");
  auto& events = db.create_table<Event>("events", {.free_list = FreeList::fifo});
  const auto door = any_handle(doors.insert({.state = 1}));
  const auto secret = any_handle(secrets.insert({.state = 2}));
  const auto closed = doors.insert({});
  doors.erase(closed);
  events.insert({.tick = 7, .subjects = {door, secret, {}, any_handle(closed)}});
  auto& scores = db.create_table<Score>("scores");
  for (int i = 0; i < 600; ++i) scores.insert({.points = (i * 7919) % 601});
  scores.sort_step([](const Score& a, const Score& b) { return a.points < b.points; }, 1500);
}

// Tables that the program leaves out: of the state hash, and of files although a record that is
// saved names one of theirs.
void fill_effects(Database& db) {
  auto& flashes = db.create_table<Flash>("flashes", {.scope = Scope::unsaved});
  auto& sparks = db.create_table<Spark>("sparks", {.scope = Scope::unhashed});
  sparks.insert({.brightness = 7, .flash = flashes.insert({.left = 3})});
}

}  // namespace

void fill_resources(Database& db) {
  fill_effects(db);
  fill_textures(db);
  fill_sounds(db);
  fill_events(db);
}

}  // namespace hdb::test
