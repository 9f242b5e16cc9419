// Writes saves for the tests of pages into a folder: make_page_files FOLDER [RECORDS]. A game
// before and after some play, names that are hard to show, many tables, a damaged file; with
// RECORDS only large.hdb, of so many.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

#include "hdb/hdb.hpp"
#include "hdb/inspect.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/reader.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {

struct Room {
  std::string name;
  std::vector<float> heights;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(heights));
  }
};

struct Texture {
  std::string path;
  std::uint32_t width = 64;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(path), CEREAL_NVP(width));
  }
};

struct Creature;
struct Item {
  std::uint16_t kind = 0;
  std::uint32_t amount = 1;
  Strong<Texture> icon;
  Handle<Creature> owner;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(kind), CEREAL_NVP(amount), CEREAL_NVP(icon), CEREAL_NVP(owner));
  }
};

struct Creature {
  std::int32_t hp = 100;
  float x = 0;
  float y = 0;
  float angle = 0;
  std::uint32_t thinks_at = 0;
  Handle<Creature> target;
  Handle<Room> room;
  std::vector<Handle<Item>> items;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(hp), CEREAL_NVP(x), CEREAL_NVP(y), CEREAL_NVP(angle), CEREAL_NVP(thinks_at));
    a(CEREAL_NVP(target), CEREAL_NVP(room), CEREAL_NVP(items));
  }
};

struct Missile {
  float x = 0;
  float y = 0;
  Handle<Creature> shooter;
  Handle<Creature> target;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(y), CEREAL_NVP(shooter), CEREAL_NVP(target));
  }
};

namespace {

using Typed = Layout<32, 16, 15>;  // several tables of one record type

std::filesystem::path folder;

Bytes saved_bytes(Database& db, const std::string& title, std::uint64_t sequence) {
  SaveOptions options;
  options.metadata.title = title;
  options.metadata.play_time_ms = 5'400'000 + sequence * 61'000;
  options.metadata.date_unix_ms = 1'750'000'000'000 + static_cast<std::int64_t>(sequence) * 61'000;
  options.metadata.sequence = sequence;
  options.metadata.values = {{"difficulty", "hard"}, {"map", "E2M4"}};
  MemorySink sink;
  const auto result = save(db.capture(), sink, options);
  if (!result) {
    std::fprintf(stderr, "make_page_files: %s\n", result.error().message().c_str());
    std::exit(2);
  }
  return sink.take();
}

void write_bytes(const std::string& name, const Bytes& bytes) {
  std::ofstream file(folder / name, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) {
    std::fprintf(stderr, "make_page_files: cannot write %s\n", name.c_str());
    std::exit(2);
  }
}

class Game {
 public:
  Game() {
    for (int i = 0; i < 40; ++i)
      textures_.push_back(texture_table_.insert({"sprites/" + std::to_string(i) + ".png", 64}));
    for (int i = 0; i < 60; ++i) {
      Room room{"room " + std::to_string(i), {}};
      for (int j = 0; j < 40; ++j) room.heights.push_back(static_cast<float>(random_.below(64)));
      rooms_.push_back(room_table_.insert(room));
    }
    for (int i = 0; i < 4000; ++i) spawn();
    play(6000);
  }

  void play(int steps) {
    for (int step = 0; step < steps; ++step) {
      if (random_.one_in(3)) spawn();
      if (random_.one_in(3)) creature_table_.erase(any(creatures_));
      missiles_.push_back(
          missile_table_.insert({real(), real(), any(creatures_), any(creatures_)}));
      // Missiles fly for a while, then their slots go round.
      if (missiles_.size() > 300) missile_table_.erase(missiles_[missiles_.size() - 300]);
      if (Creature* const creature = creature_table_.edit(near(step))) {
        creature->x += 1.5F;
        creature->angle = real();
        creature->thinks_at += 35;
        if (random_.one_in(4)) creature->target = any(creatures_);
        if (random_.one_in(9)) creature->hp -= 7;
      }
    }
  }

  Database& db() { return db_; }

 private:
  void spawn() {
    Creature creature;
    creature.x = real();
    creature.y = real();
    creature.room = any(rooms_);
    const auto handle = creature_table_.insert(creature);
    creatures_.push_back(handle);
    for (std::uint64_t i = random_.below(4); i > 0; --i) {
      const auto item = item_table_.insert({.kind = static_cast<std::uint16_t>(random_.below(30)),
                                            .amount = 1,
                                            .icon = {any(textures_)},
                                            .owner = handle});
      creature_table_.edit(handle)->items.push_back(item);
    }
  }
  float real() { return static_cast<float>(random_.below(100000)) / 32; }
  template <class H>
  H any(const std::vector<H>& handles) {
    return handles[random_.below(handles.size())];
  }
  // The creatures of one part of the map are awake.
  Handle<Creature> near(int step) {
    return creatures_[creatures_.size() / 2 + static_cast<std::size_t>(step) % 300];
  }

  Database db_;
  Random random_{17};
  Table<Texture>& texture_table_ =
      db_.create_table<Texture>("textures", {.storage = Storage::stable});
  Table<Room>& room_table_ = db_.create_table<Room>("rooms", {.storage = Storage::stable});
  Table<Item>& item_table_ = db_.create_table<Item>("items");
  Table<Creature>& creature_table_ = db_.create_table<Creature>("creatures");
  Table<Missile>& missile_table_ = db_.create_table<Missile>(
      "missiles", {.free_list = FreeList::fifo, .generations = Generations::table_counter});
  std::vector<Handle<Texture>> textures_;
  std::vector<Handle<Room>> rooms_;
  std::vector<Handle<Creature>> creatures_;
  std::vector<Handle<Missile>> missiles_;
};

/// A field whose name a page must not take for markup.
struct Spiteful {
  std::string value = "</td></tr></table><script>alert(1)</script>";
  template <class A>
  void serialize(A& a) {
    a(cereal::make_nvp("\"><img src=x onerror=alert(2)>", value),
      cereal::make_nvp("a&b<c>'d'", other));
  }
  Handle<Spiteful> other;
};

void make_hostile() {
  const auto file = [](const char* value) {
    Database db;
    auto& script = db.create_table<Spiteful>("<script>alert('table')</script>");
    auto& quotes = db.create_table<Spiteful, Typed>("q\" onfocus=\"alert(3)\" autofocus x='");
    db.create_table<Unit, Typed>("right \xe2\x80\xae to left \xe2\x81\xa6 isolate");
    db.create_table<Unit, Typed>("nbsp \xc2\xa0 soft \xc2\xad hyphen");
    db.create_table<Unit, Typed>("]]>--><!-- &lt;b&gt; &amp; {{x}} ${y} @media{} \\x3c");
    db.create_table<Unit, Typed>(std::string(230, 'W') + " long");
    db.create_table<Unit>(
        "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xe6\xb1\x89\xe5\xad\x97 \xf0\x9f\x91\xbe");
    const auto first = script.insert({});
    script.insert({.value = value, .other = first});
    quotes.insert({});
    SaveOptions options;
    options.metadata.title = "</title><script>alert('title')</script>";
    options.metadata.values = {{"<b>key</b>", "\"'><svg onload=alert(4)>"},
                               {"steers", "esc \x1b[31m bell \x07"}};
    MemorySink sink;
    static_cast<void>(save(db.capture(), sink, options));
    return sink.take();
  };
  write_bytes("hostile.hdb", file("</script><script>alert(5)</script>\xe2\x80\xae\xff"));
  write_bytes("hostile_later.hdb", file("<style>*{display:none}</style>\x1b[2J"));
}

void make_many_tables() {
  Database db;
  for (int i = 0; i < 300; ++i) {
    // Half of the names are as long as can be and get longer where what steers is made visible.
    std::string name = "table " + std::to_string(1000 + i);
    for (int j = 0; i % 2 == 1 && j < 80; ++j) name += "\xe2\x80\xae";
    auto& table = db.create_table<Unit, Typed>(name);
    std::vector<Handle<Unit, Typed>> handles;
    for (int j = 0; j < 40 + i; ++j) handles.push_back(table.insert({.hp = j}));
    for (std::size_t j = 0; j < handles.size(); j += 3) table.erase(handles[j]);
  }
  write_bytes("many_tables.hdb", saved_bytes(db, "Many tables", 1));
}

/// A field of one row group is damaged, and the index of another one.
Bytes damaged_copy(Bytes file) {
  const auto reader = Reader::open(std::make_unique<MemorySource>(file));
  if (!reader) std::exit(2);
  std::size_t hit = 0;
  for (const BlockInfo& block : (*reader)->blocks()) {
    if (static_cast<format::BlockType>(block.type) != format::BlockType::rows || ++hit > 2)
      continue;
    const std::uint64_t at = block.offset + format::kBlockHeadBytes;
    file[static_cast<std::size_t>(hit == 1 ? at + 20 : at + block.stored_bytes - 40)] ^=
        std::byte{0x55};
  }
  return file;
}

void make_large(std::uint64_t records) {
  Database db;
  auto& units = db.create_table<Unit>("units");
  Random random(3);
  std::vector<Handle<Unit>> handles;
  handles.reserve(records);
  for (std::uint64_t i = 0; i < records; ++i) {
    handles.push_back(
        units.insert({.hp = static_cast<std::int32_t>(i % 1000),
                      .kind = 0,
                      .x = static_cast<double>(random.below(1000)),
                      .target = handles.empty() ? Handle<Unit>{} : handles[random.below(i)]}));
  }
  // Holes: scattered ones in a third of the slots, a wide one after it.
  for (std::uint64_t i = 0; i < records / 8; ++i) units.erase(handles[random.below(records / 3)]);
  for (std::uint64_t i = records / 2; i < records / 2 + records / 10; ++i) units.erase(handles[i]);
  for (std::uint64_t i = 0; i < records / 20; ++i) units.insert({.hp = 1});
  write_bytes("large.hdb", saved_bytes(db, "Large", 1));
}

}  // namespace
}  // namespace hdb::test

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fputs("usage: make_page_files FOLDER [RECORDS]\n", stderr);
    return 2;
  }
  using namespace hdb::test;
  folder = argv[1];
  if (argc == 3) {
    make_large(std::strtoull(argv[2], nullptr, 10));
    return 0;
  }
  Game game;
  const hdb::Bytes before = saved_bytes(game.db(), "Quicksave", 1);
  write_bytes("game.hdb", before);
  write_bytes("damaged.hdb", damaged_copy(before));
  game.play(500);
  write_bytes("game_later.hdb", saved_bytes(game.db(), "Quicksave", 2));
  make_hostile();
  make_many_tables();
  return 0;
}
