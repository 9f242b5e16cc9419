// Random programs end in the same state on every processor and system: their state hashes are
// pinned here, as 64-bit x86 computed them.
#include <gtest/gtest.h>

#include <cereal/types/array.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

#include <array>
#include <bit>
#include <cstdio>
#include <fstream>
#include <string_view>
#include <variant>

#include "support/records.hpp"
#include "support/world.hpp"

namespace hdb::test::portability {
namespace {

enum class Mood : std::uint16_t { calm, angry = 300 };

/// Fields of many kinds and widths, among them floats whose bits must stay: NaNs with a payload.
struct Thing {
  Mood mood = Mood::calm;
  std::int8_t small = -1;
  std::int64_t large = 0;
  float part = 0;
  double whole = 0;
  bool is_seen = false;
  std::array<std::uint16_t, 3> steps = {};
  std::vector<bool> marks = {};
  std::vector<std::vector<std::string>> pages = {};
  std::optional<std::int32_t> age = {};
  std::variant<std::uint8_t, std::string, double> extra = {};
  std::map<std::uint32_t, std::string> notes = {};
  Handle<Thing, Layout<16, 16>> other = {};
  Handle<Unit> unit = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(mood), CEREAL_NVP(small), CEREAL_NVP(large), CEREAL_NVP(part), CEREAL_NVP(whole),
      CEREAL_NVP(is_seen), CEREAL_NVP(steps), CEREAL_NVP(marks), CEREAL_NVP(pages), CEREAL_NVP(age),
      CEREAL_NVP(extra), CEREAL_NVP(notes), CEREAL_NVP(other), CEREAL_NVP(unit));
  }
};

struct Program {
  Storage storage;
  Compaction compaction;
  int steps;
  std::uint64_t seed;
  std::string_view state_hash;
};

constexpr std::array kPrograms{
    Program{Storage::dense, Compaction::at_release, 200, 1, "1948c8f3a3d228258a4c7ae73dec4f05"},
    Program{Storage::stable, Compaction::at_release, 200, 2, "b7628c745ed61468b5c7fe8e0e4faf1c"},
    Program{Storage::dense, Compaction::on_demand, 300, 3, "1bc7cf16fa53481bc17e69a266394a7f"},
    Program{Storage::stable, Compaction::on_demand, 500, 4, "3b1aa9299b33374910dc70a7cfe7288c"},
};

/// The tables of World, and one with records of every kind.
struct Worlds : World {
  explicit Worlds(const Program& program) : World(program.compaction, program.storage) {}

  void play(int steps, std::uint64_t seed) {
    churn(steps, seed);
    Random random(seed + 77);
    for (int i = 0; i < steps; ++i) {
      const std::uint64_t number = random.next();
      held.push_back(things.insert(made_of(number)));
      if (random.one_in(3)) things.erase(held[random.below(held.size())]);
      if (Thing* const thing = things.edit(held[random.below(held.size())])) change(*thing, number);
      if (random.one_in(9)) static_cast<void>(db.capture());  // the next edits copy pages out
    }
  }

  Table<Thing, Layout<16, 16>>& things = db.create_table<Thing, Layout<16, 16>>(
      "things", {.free_list = FreeList::lowest, .generations = Generations::table_counter});
  std::vector<Handle<Thing, Layout<16, 16>>> held;

 private:
  Thing made_of(std::uint64_t number) {
    Thing thing;
    thing.mood = number % 2 == 0 ? Mood::calm : Mood::angry;
    thing.small = static_cast<std::int8_t>(number);
    thing.large = static_cast<std::int64_t>(number);
    // Every fourth is a NaN with a payload. None is a signalling NaN, which 32-bit x86 makes a
    // quiet one when it copies the value.
    const auto bits = static_cast<std::uint32_t>(number >> 9);
    thing.part = std::bit_cast<float>(number % 4 == 0 ? bits | 0x7fc00000u : bits & 0xff7fffffu);
    thing.whole = std::bit_cast<double>(number & ~(std::uint64_t{1} << 52));
    thing.is_seen = number % 3 == 0;
    for (auto& step : thing.steps) step = static_cast<std::uint16_t>(number >>= 7);
    thing.marks.assign(number % 19, number % 5 == 0);
    if (!thing.marks.empty()) thing.marks.back() = true;
    thing.pages.assign(number % 4, std::vector<std::string>(number % 3, std::to_string(number)));
    if (number % 3 != 0) thing.age = static_cast<std::int32_t>(number % 1000) - 500;
    if (number % 3 == 1) thing.extra = std::to_string(number % 77);
    if (number % 3 == 2) thing.extra = static_cast<double>(number % 1024) / 8;
    thing.notes[static_cast<std::uint32_t>(number % 65536)] = "note";
    if (!held.empty()) thing.other = held[static_cast<std::size_t>(number % held.size())];
    if (!handles.empty()) thing.unit = handles[static_cast<std::size_t>(number % handles.size())];
    return thing;
  }
  static void change(Thing& thing, std::uint64_t number) {
    thing.large ^= static_cast<std::int64_t>(number << 20);
    thing.marks.push_back(number % 2 == 0);
    thing.notes[static_cast<std::uint32_t>(number % 99)] += "!";
    if (thing.pages.empty()) thing.pages.emplace_back();
    thing.pages.back().push_back("added");
  }
};

// A file to compare with that of another machine: hdbinspect diff shows what is different.
void keep_file(const Snapshot& snapshot, std::uint64_t seed) {
  const std::string name = "program_" + std::to_string(seed) + ".hdb";
  const Bytes file = saved(snapshot);
  std::ofstream(name, std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  ADD_FAILURE() << "another state than on 64-bit x86; the save is " << name;
}

TEST(PortablePrograms, EndInThePinnedStateAndInTheSameFuture) {  // G18, G19
  std::size_t count = 0;
  for (const Program& program : kPrograms) {
    SCOPED_TRACE(program.seed);
    Worlds world(program);
    world.play(program.steps, program.seed);
    const Snapshot before = world.db.capture();
    EXPECT_EQ(before.state_hash().hex(), program.state_hash);
    if (before.state_hash().hex() != program.state_hash) keep_file(before, program.seed);

    Worlds other(program);
    const auto loaded =
        other.db.load(std::make_unique<MemorySource>(saved(before)), {.verify_state_hash = true});
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(other.db.state_hash(), before.state_hash());
    other.blocks = world.blocks;
    other.handles = world.handles;
    other.held = world.held;
    world.play(50, program.seed + 1000);
    other.play(50, program.seed + 1000);
    EXPECT_EQ(other.db.state_hash(), world.db.state_hash());
    world.expect_sound();
    other.expect_sound();

    ASSERT_TRUE(world.db.restore(before));
    EXPECT_EQ(world.db.state_hash(), before.state_hash());
    ++count;
  }
  std::printf("G18 programs: cases=%zu failures=%d\n", count, HasFailure() ? 1 : 0);
}

}  // namespace
}  // namespace hdb::test::portability
