// What a repair does to handles: those of lost records, those in records, and those that a program
// kept.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "inspect/salvage_tools.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {
namespace salvage_references_test {

// Wide, so that 64 slots make a row group; with every kind of column that a row can be cut out of.
struct Link {
  Strong<Link> next;
  Handle<Link> buddy;
  std::vector<Handle<Link>> others;
  std::uint32_t pad[4096] = {};
  std::string name;
  std::optional<float> mana;
  std::variant<std::int32_t, std::string> either;
  std::map<std::string, std::int32_t> skills;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(next), CEREAL_NVP(buddy), CEREAL_NVP(others), CEREAL_NVP(pad));
    a(CEREAL_NVP(name), CEREAL_NVP(mana), CEREAL_NVP(either), CEREAL_NVP(skills));
  }
  friend bool operator==(const Link& a, const Link& b) {
    return a.next == b.next && a.buddy == b.buddy && a.others == b.others && a.name == b.name &&
           std::equal(std::begin(a.pad), std::end(a.pad), std::begin(b.pad)) && a.mana == b.mana &&
           a.either == b.either && a.skills == b.skills;
  }
};

namespace {

constexpr std::uint32_t kLinks = 200;

// Links 1, 2, ... each hold the one before; in the middle of the third group a new chain begins.
struct Chain {
  Chain() {
    for (std::uint32_t i = 0; i < kLinks; ++i) {
      Link link;
      if (i != 0 && i != 150) link.next = Strong<Link>(handles[i - 1]);
      link.pad[i] = i;
      link.name = "link " + std::to_string(i);
      if (i % 3 == 0) link.mana = 0.5F * static_cast<float>(i);
      if (i % 2 == 0) link.either = "text " + std::to_string(i);
      for (std::uint32_t k = 0; k < i % 4; ++k) link.skills["s" + std::to_string(k)] = 1;
      handles.push_back(links.insert(link));
    }
    for (std::uint32_t i = 0; i < kLinks; ++i) {
      Link* const link = links.edit(handles[i]);
      link->buddy = handles[(i + 64) % kLinks];
      link->others = {handles[i], Handle<Link>{}, handles[(i + 100) % kLinks]};
    }
    MemorySink sink;
    EXPECT_TRUE(save(db.capture(), sink));
    file = sink.take();
  }
  Database db;
  Table<Link>& links = db.create_table<Link>("links", {.storage = Storage::dense});
  std::vector<Handle<Link>> handles;
  Bytes file;
};

// The file with the payload of one row group damaged.
Bytes damaged_group(const Bytes& file, std::uint64_t group, std::uint32_t table = 0) {
  Bytes damaged = file;
  for (const BlockInfo& block : blocks_of(file)) {
    if (static_cast<format::BlockType>(block.type) == format::BlockType::rows &&
        block.table == table && block.group == group) {
      damaged[static_cast<std::size_t>(block.offset + format::kBlockHeadBytes) + 3] ^= std::byte{1};
    }
  }
  return damaged;
}

bool is_lost(std::uint32_t i) { return i / 64 == 1; }

// What was read back of the repaired file.
struct Loaded {
  explicit Loaded(const Bytes& bytes) {
    const auto result = db.load(std::make_unique<MemorySource>(bytes), {.verify_state_hash = true});
    EXPECT_TRUE(result) << result.error().message();
  }
  Database db;
  Table<Link>& links = db.create_table<Link>("links", {.storage = Storage::dense});
};

TEST(SalvageReferences, OfLostRecordsBecomeNullAndAreTold) {
  Chain chain;
  std::vector<std::uint64_t> slots;
  std::size_t strong = 0;
  std::size_t reported = 0;
  SalvageOptions options;
  options.on_lost_slot = [&](const LostSlot& lost) {
    EXPECT_EQ(lost.table_name, "links");
    EXPECT_TRUE(lost.is_certain);
    EXPECT_EQ(lost.cause, LossCause::damaged_group);
    slots.push_back(lost.slot);
  };
  options.on_lost_reference = [&](const LostReference& lost) {
    ++reported;
    if (!lost.is_strong) return;
    ++strong;
    EXPECT_EQ(lost.slot, 128u);
    EXPECT_EQ(lost.path, "next");
    EXPECT_EQ(lost.name, "links:127@1");
    EXPECT_TRUE(lost.is_nulled);
  };
  const Repaired result = repair(damaged_group(chain.file, 1), options);
  ASSERT_EQ(result.fault, "");
  EXPECT_EQ(slots.size(), 64u);
  EXPECT_EQ(slots.front(), 64u);
  EXPECT_EQ(strong, 1u);
  Loaded loaded(result.bytes);
  std::size_t nulled = 0;
  for (std::uint32_t i = 0; i < kLinks; ++i) {
    const Link* const link = loaded.links.find(chain.handles[i]);
    ASSERT_EQ(link == nullptr, is_lost(i)) << i;
    if (link == nullptr) continue;
    Link expected = *chain.links.find(chain.handles[i]);
    const auto null = [&](auto& handle) {
      if (handle.is_null() || !is_lost(handle.index())) return;
      handle = {};
      ++nulled;
    };
    Handle<Link> next = expected.next.handle();
    null(next);
    expected.next = Strong<Link>(next);
    null(expected.buddy);
    for (Handle<Link>& other : expected.others) null(other);
    EXPECT_EQ(*link, expected) << i;
  }
  EXPECT_EQ(reported, nulled);
  EXPECT_EQ(result.table("links").references_nulled, nulled);
  EXPECT_GT(nulled, 64u);
}

TEST(SalvageReferences, KeptOnesStayAsTheyAre) {
  Chain chain;
  SalvageOptions options;
  options.references = LostReferences::keep;
  const Repaired result = repair(damaged_group(chain.file, 1), options);
  ASSERT_EQ(result.fault, "");
  EXPECT_EQ(difference(chain.file, result.bytes, {{0, 1}}), "");
  const Validation deep =
      validate(std::make_unique<MemorySource>(result.bytes), {.level = ValidationLevel::deep});
  ASSERT_EQ(deep.findings.size(), 1u);
  EXPECT_EQ(deep.findings[0].error.code, ErrorCode::dangling_strong);
}

TEST(SalvageReferences, HoldersOfLostRecordsAreDroppedOneAfterAnother) {
  Chain chain;
  SalvageOptions options;
  options.references = LostReferences::drop;
  std::map<LossCause, std::size_t> causes;
  options.on_lost_slot = [&](const LostSlot& lost) { ++causes[lost.cause]; };
  const Repaired result = repair(damaged_group(chain.file, 1), options);
  ASSERT_EQ(result.fault, "");
  // 128 held 127, 129 held 128, ... but 150 held none.
  EXPECT_EQ(causes[LossCause::lost_reference], 22u);
  EXPECT_EQ(result.table("links").records_dropped, 22u);
  Loaded loaded(result.bytes);
  const auto is_gone = [](std::uint32_t i) { return i >= 64 && i < 150; };
  for (std::uint32_t i = 0; i < kLinks; ++i) {
    const Link* const link = loaded.links.find(chain.handles[i]);
    ASSERT_EQ(link == nullptr, is_gone(i)) << i;
    if (link == nullptr) continue;
    Link expected = *chain.links.find(chain.handles[i]);
    if (is_gone(expected.buddy.index())) expected.buddy = {};
    for (Handle<Link>& other : expected.others) {
      if (is_gone(other.index())) other = {};
    }
    EXPECT_EQ(*link, expected) << i;
  }
  EXPECT_EQ(loaded.db.check_invariants(), nullptr);
}

// A table of Tiles that was churned, with every handle that it ever issued.
template <class L>
struct Churned {
  explicit Churned(const TableOptions& options)
      : tiles(db.create_table<Tile, L>("tiles", options)) {
    Random random(11);
    for (int i = 0; i < 400; ++i) {
      handles.push_back(tiles.emplace());
      if (random.one_in(2)) tiles.erase(handles[random.below(handles.size())]);
      if (options.free_list == FreeList::fifo || !random.one_in(3)) continue;
      tiles.erase(handles.back());
    }
    MemorySink sink;
    EXPECT_TRUE(save(db.capture(), sink));
    file = sink.take();
  }
  Database db;
  Table<Tile, L>& tiles;
  std::vector<Handle<Tile, L>> handles;
  Bytes file;
};

// SV3: after the repair, and after many more insertions, each handle of before names its own record
// or nothing.
template <class L>
std::size_t check_handles(const TableOptions& options, bool cut_free_list) {
  Churned<L> churned(options);
  std::size_t cases = 0;
  const TableDescriptor table =
      (*Reader::open(std::make_unique<MemorySource>(churned.file)))->tables()[0];
  EXPECT_GE(table.group_count(), 2u);
  std::set<std::uint64_t> issued;
  for (const auto handle : churned.handles) issued.insert(handle.bits());
  for (std::uint64_t group = 0; group < table.group_count(); ++group) {
    Bytes damaged = damaged_group(churned.file, group);
    if (cut_free_list) {
      for (const BlockInfo& block : blocks_of(churned.file)) {
        if (static_cast<format::BlockType>(block.type) == format::BlockType::free_list)
          damaged[static_cast<std::size_t>(block.offset) + format::kBlockHeadBytes] ^= std::byte{1};
      }
    }
    const Repaired result = repair(damaged);
    EXPECT_EQ(result.fault, "");
    Database db;
    auto& tiles = db.create_table<Tile, L>("tiles", options);
    const auto loaded =
        db.load(std::make_unique<MemorySource>(result.bytes), {.verify_state_hash = true});
    EXPECT_TRUE(loaded) << loaded.error().message();
    std::vector<bool> alive;
    for (const auto handle : churned.handles) {
      const bool survives =
          churned.tiles.contains(handle) && handle.index() >> table.group_shift != group;
      alive.push_back(tiles.contains(handle));
      EXPECT_EQ(alive.back(), survives);
    }
    for (std::uint64_t i = 0; i < table.slot_count + 10; ++i) {
      const auto made = tiles.emplace();
      ++cases;
      EXPECT_FALSE(issued.contains(made.bits()))
          << "handle " << made.index() << "@" << made.generation() << " was issued before";
    }
    for (std::size_t i = 0; i < churned.handles.size(); ++i, ++cases)
      EXPECT_EQ(tiles.contains(churned.handles[i]), alive[i]);
  }
  return cases;
}

TEST(SalvageReferences, NoStaleHandleComesAlive) {  // G20, SV3
  std::size_t cases = 0;
  for (const bool cut : {false, true}) {
    for (const Generations generations : {Generations::per_slot, Generations::table_counter}) {
      for (const FreeList order : {FreeList::lifo, FreeList::fifo, FreeList::lowest}) {
        if (cut && order == FreeList::fifo) continue;  // a lost free list has lost its order
        TableOptions options;
        options.generations = generations;
        options.free_list = order;
        cases += check_handles<DefaultLayout>(options, cut);
        options.storage = Storage::stable;
        cases += check_handles<Layout<20, 12>>(options, cut);
        cases += check_handles<Layout<40, 23>>(options, cut);
        options.overflow = Overflow::wrap;
        cases += check_handles<Layout<20, 12>>(options, cut);
      }
    }
  }
  std::printf("G20 stale handles: cases=%zu failures=%d\n", cases,
              testing::Test::HasFailure() ? 1 : 0);
  EXPECT_GT(cases, 3'000u);
}

// Under wrap, the highest generation is followed by the first, which a handle may have had.
TEST(SalvageReferences, LostSlotsOfWrappingTablesRetire) {
  using Short = Layout<20, 12>;
  Churned<Short> churned({.overflow = Overflow::wrap});
  const Repaired result = repair(damaged_group(churned.file, 1));
  ASSERT_EQ(result.fault, "");
  EXPECT_EQ(result.table("tiles").slots_retired, 64u);
  EXPECT_EQ(result.table("tiles").slots_jumped, 0u);
}

// Slots that cannot go on above the highest generation are retired.
TEST(SalvageReferences, LostSlotsRetireAtTheLastGeneration) {
  Database db;
  auto& tiles = db.create_table<Tile, Layout<20, 12>>("tiles");
  for (int i = 0; i < 4095; ++i) tiles.erase(tiles.emplace());  // slot 0 is used up
  for (int i = 0; i < 130; ++i) tiles.emplace();
  MemorySink sink;
  ASSERT_TRUE(save(db.capture(), sink));
  const Repaired result = repair(damaged_group(sink.bytes(), 1));
  ASSERT_EQ(result.fault, "");
  EXPECT_EQ(result.table("tiles").slots_retired, 64u);
  EXPECT_EQ(result.table("tiles").slots_jumped, 0u);
  Database other;
  auto& loaded = other.create_table<Tile, Layout<20, 12>>("tiles");
  ASSERT_TRUE(other.load(std::make_unique<MemorySource>(result.bytes)));
  EXPECT_EQ(loaded.emplace().index(), 131u) << "no lost slot is used again";
}

// Damage to one column leaves the states of the slots readable: only the live ones are lost.
TEST(SalvageReferences, SlotsOfADamagedColumnAreKnown) {
  Churned<DefaultLayout> churned({});
  const auto reader = Reader::open(std::make_unique<MemorySource>(churned.file));
  ASSERT_TRUE(reader);
  RowGroup before;
  ASSERT_TRUE((*reader)->read_group(0, 1, before));
  const auto chunks = (*reader)->chunks(0, 1);
  ASSERT_TRUE(chunks);
  Bytes damaged = churned.file;
  damaged[static_cast<std::size_t>(chunks->back().offset)] ^= std::byte{1};
  std::vector<std::pair<std::uint64_t, std::uint32_t>> lost;
  SalvageOptions options;
  options.drops_damaged_records = true;
  options.on_lost_slot = [&](const LostSlot& slot) {
    EXPECT_TRUE(slot.is_certain);
    lost.emplace_back(slot.slot, slot.generation.value_or(0));
  };
  const Repaired result = repair(damaged, options);
  ASSERT_EQ(result.fault, "");
  std::vector<std::pair<std::uint64_t, std::uint32_t>> expected;
  for (std::size_t i = 0; i < before.states.size(); ++i) {
    if (before.states[i] == 1) expected.emplace_back(before.first_slot + i, before.generations[i]);
  }
  EXPECT_EQ(lost, expected);
  EXPECT_EQ(result.table("tiles").slots_jumped, expected.size());
  const auto after = Reader::open(std::make_unique<MemorySource>(result.bytes));
  ASSERT_TRUE(after);
  RowGroup now;
  ASSERT_TRUE((*after)->read_group(0, 1, now));
  for (std::size_t i = 0; i < before.states.size(); ++i) {
    EXPECT_EQ(now.states[i], before.states[i] == 1 ? 0 : before.states[i]);
    EXPECT_EQ(now.generations[i], before.states[i] == 1 ? (*reader)->tables()[0].highest_generation
                                                        : before.generations[i]);
  }
  // The free list goes on as it was; the lost slots follow in slot order.
  std::vector<std::uint32_t> list = *(*reader)->read_free_list(0);
  for (const auto& [slot, generation] : expected) list.push_back(static_cast<std::uint32_t>(slot));
  EXPECT_EQ(*(*after)->read_free_list(0), list);
}

}  // namespace
}  // namespace salvage_references_test
}  // namespace hdb::test
