// ChunkCache: a file written through it is byte for byte the file written without it.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "format/write/cache_store.hpp"
#include "format/write/group_encoder.hpp"
#include "hdb/blob_table.hpp"
#include "hdb/chunk_cache.hpp"
#include "hdb/hdb.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::chunk_cache_test {
namespace {
/// Wide enough that 512 slots make a row group.
struct Wide {
  std::uint32_t id = 0;
  std::array<std::uint32_t, 511> cells{};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(id), CEREAL_NVP(cells));
  }
};

Wide noise(Random& random) {
  Wide wide{.id = static_cast<std::uint32_t>(random.next())};
  for (std::uint32_t& cell : wide.cells) cell = static_cast<std::uint32_t>(random.next());
  return wide;
}

struct Note {
  std::uint32_t kind = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(kind));
  }
};
struct Text {
  std::string text;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(text));
  }
};
struct DenseTag {};
struct StableTag {};
struct LevelTag {};

struct World {
  Database db;
  Table<Wide, DefaultLayout, DenseTag>& dense =
      db.create_table<Wide, DefaultLayout, DenseTag>("dense", {});
  Table<Wide, DefaultLayout, StableTag>& stable = db.create_table<Wide, DefaultLayout, StableTag>(
      "stable", {.storage = Storage::stable, .free_list = FreeList::fifo});
  Table<Hero>& heroes = db.create_table<Hero>("heroes", {.names = RecordNames::ignore_case});
  BlobTable<Note>& notes = db.create_blob_table<Note>("notes", {.capacity_bytes = 1 << 16});
};

Bytes saved(const Snapshot& snapshot, SaveOptions options, std::uint64_t* reused = nullptr) {
  MemorySink sink;
  options.write.file_id = Hash128{1, 2};  // so that equal states make equal files
  const auto report = save(snapshot, sink, options);
  EXPECT_TRUE(report) << report.error().message();
  if (reused != nullptr && report) *reused = report->reused_bytes;
  return sink.take();
}

SaveOptions through(ChunkCache& cache, SaveOptions options = {}) {
  options.write.cache = &cache;
  return options;
}

// A program of random steps on one world.
class Program {
 public:
  explicit Program(std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < 900; ++i) {
      dense_.push_back(world_.dense.insert(noise(random_)));
      stable_.push_back(world_.stable.insert(noise(random_)));
    }
  }
  World& world() { return world_; }
  void step() {
    switch (random_.below(16)) {
      case 0: churn(world_.dense, dense_); break;
      case 1: churn(world_.stable, stable_); break;
      case 2:
      case 3: edit(world_.dense, dense_, 1 + random_.below(20)); break;
      case 4: edit(world_.stable, stable_, 1 + random_.below(20)); break;
      case 5: erase_only(world_.stable, stable_); break;
      case 6: erase_only(world_.dense, dense_); break;
      case 7:
        world_.dense.sort([](const Wide& a, const Wide& b) { return a.id % 7 < b.id % 7; });
        break;
      case 8: change_heroes(); break;
      case 9: rename_hero(); break;
      case 10: change_notes(); break;
      case 11: make_or_drop(); break;
      case 12: remember_or_restore(); break;
      case 13: load(); break;
      case 14: clear_at_times(); break;
      default: break;  // nothing changes
    }
  }

 private:
  template <class T, class H>
  void churn(T& table, std::vector<H>& handles) {
    for (int i = 0; i < 12; ++i) {
      if (random_.one_in(2) && !handles.empty()) {
        table.erase(handles[static_cast<std::size_t>(random_.below(handles.size()))]);
      } else {
        handles.push_back(table.insert({.id = static_cast<std::uint32_t>(random_.next())}));
      }
    }
  }
  template <class T, class H>
  void edit(T& table, std::vector<H>& handles, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count && !handles.empty(); ++i) {
      Wide* const wide =
          table.edit(handles[static_cast<std::size_t>(random_.below(handles.size()))]);
      if (wide == nullptr) continue;
      wide->cells[static_cast<std::size_t>(random_.below(511))] +=
          static_cast<std::uint32_t>(random_.below(3));
    }
  }
  template <class T, class H>
  void erase_only(T& table, std::vector<H>& handles) {
    if (handles.empty()) return;
    table.erase(handles.back());
    handles.pop_back();
  }
  void change_heroes() {
    const std::string name = "hero" + std::to_string(random_.below(400));
    if (const auto found = world_.heroes.find_named(name)) {
      world_.heroes.erase(found);
    } else {
      world_.heroes.insert_named(name, Hero{.name = name, .items = {1, 2}});
    }
  }
  void rename_hero() {
    if (world_.heroes.empty()) return;
    static_cast<void>(world_.heroes.rename(world_.heroes.begin().handle(),
                                           "other" + std::to_string(random_.next())));
  }
  void change_notes() {
    if (random_.one_in(3) && !notes_.empty()) {
      world_.notes.erase(notes_[static_cast<std::size_t>(random_.below(notes_.size()))]);
    } else {
      const Bytes bytes(static_cast<std::size_t>(random_.below(500)),
                        static_cast<std::byte>(random_.below(256)));
      if (const auto added = world_.notes.insert(Note{7}, bytes)) notes_.push_back(*added);
    }
  }
  void make_or_drop() {
    if (world_.db.drop_table("a level")) return;
    auto& table = world_.db.create_table<Wide, DefaultLayout, LevelTag>("a level");
    for (std::uint32_t i = 0; i < 600; ++i) table.insert({.id = i});
  }
  void remember_or_restore() {
    if (!remembered_ || random_.one_in(2)) {
      remembered_ = world_.db.capture();
    } else {
      static_cast<void>(world_.db.restore(remembered_));  // refused where the level was made anew
    }
  }
  void load() {
    auto source = std::make_unique<MemorySource>(file_);
    if (file_.empty() || random_.one_in(3)) {
      source.reset();
      file_ = saved(world_.db.capture(), {});
    } else {
      ASSERT_TRUE(world_.db.load(std::move(source)));
    }
  }
  void clear_at_times() {
    if (!random_.one_in(4)) return;
    world_.heroes.clear();
    world_.dense.clear();
    world_.stable.clear();
    for (std::uint32_t i = 0; i < 700; ++i) {
      dense_.push_back(world_.dense.insert({.id = i}));
      stable_.push_back(world_.stable.insert({.id = i}));
    }
  }

  World world_;
  Random random_;
  std::vector<Handle<DenseTag>> dense_;
  std::vector<Handle<StableTag>> stable_;
  std::vector<Handle<Note>> notes_;
  Snapshot remembered_;
  Bytes file_;
};

TEST(ChunkCache, FilesWrittenThroughItAreTheFilesWrittenWithout) {  // CC1
  int cases = 0;
  for (const Codec codec : {Codec::none, Codec::zstd}) {
    Program program(codec == Codec::none ? 11 : 12);
    ChunkCache one;
    ChunkCache four;
    ChunkCache tiny(1'500'000);
    std::uint64_t total_reused = 0;
    for (int step = 0; step < 60; ++step) {
      for (int i = 0; i < 1 + step % 3; ++i) program.step();
      SaveOptions options;
      options.write.codec = codec;
      options.metadata.sequence = static_cast<std::uint64_t>(step);  // so that the file id differs
      const Snapshot snapshot = program.world().db.capture();
      const Bytes expected = saved(snapshot, options);
      std::uint64_t reused = 0;
      ASSERT_EQ(saved(snapshot, through(one, options), &reused), expected) << "step " << step;
      ASSERT_EQ(saved(snapshot, through(tiny, options)), expected) << "step " << step;
      if (step % 2 == 0) static_cast<void>(snapshot.state_hash());  // known to the writer
      options.write.threads = 4;
      ASSERT_EQ(saved(snapshot, through(four, options)), expected) << "step " << step;
      ASSERT_LE(tiny.bytes_used(), tiny.max_bytes());
      total_reused += reused;
      ++cases;
    }
    EXPECT_GT(total_reused, 0u);
    EXPECT_GT(one.bytes_used(), 0u);
    EXPECT_GT(tiny.bytes_used(), 0u);
  }
  std::printf("F16: cases=%d failures=%d\n", cases, testing::Test::HasFailure() ? 1 : 0);
}

TEST(ChunkCache, IsNotUsedForAnotherCodecLevelOrChoiceOfFiltersOrPacks) {
  Program program(3);
  ChunkCache cache;
  for (int i = 0; i < 12; ++i) program.step();
  // Each differs from the one before in one setting.
  const WriteOptions settings[] = {
      {.level = 1},
      {.level = 9},
      {.level = 9, .filters = false},
      {.level = 9, .filters = false, .packs = false},
      {.codec = Codec::none, .level = 9, .filters = false, .packs = false},
      {.codec = Codec::none, .level = 9, .filters = false},
  };
  for (std::size_t round = 0; round < std::size(settings); ++round) {
    SaveOptions options;
    options.write = settings[round];
    const Snapshot snapshot = program.world().db.capture();
    std::uint64_t reused = 1;
    EXPECT_EQ(saved(snapshot, through(cache, options), &reused), saved(snapshot, options));
    EXPECT_EQ(reused, 0u) << "round " << round;
    EXPECT_EQ(saved(snapshot, through(cache, options), &reused), saved(snapshot, options));
    EXPECT_GT(reused, 0u);
  }
}

// The first group then holds other slots, although none of its pages changed: its second half has
// no record, so both sizes lie in the same pages of slots and of records.
TEST(ChunkCache, IsNotUsedForGroupsOfAnotherSize) {
  Database db;
  auto& texts = db.create_table<Text>("texts");
  std::vector<Handle<Text>> handles;
  for (int i = 0; i < 1500; ++i) handles.push_back(texts.insert({std::string(6000, 'a')}));
  for (std::size_t i = 64; i < 128; ++i) texts.erase(handles[i]);
  ChunkCache cache;
  const auto group_shift = [&] {
    const Snapshot snapshot = db.capture();
    EXPECT_EQ(saved(snapshot, through(cache, {})), saved(snapshot, {}));
    return snapshot.image({})->tables()[0].group_shift;
  };
  EXPECT_EQ(group_shift(), 7);
  for (std::size_t i = 500; i < handles.size(); ++i)
    texts.edit(handles[i])->text = std::string(12'000, 'b');
  EXPECT_EQ(group_shift(), 6);
}

TEST(ChunkCache, TakesUnchangedGroupsWholeAndUnchangedColumnsByTheirBytes) {
  Database db;
  auto& table = db.create_table<Wide>("wide", {.storage = Storage::stable});
  std::vector<Handle<Wide>> handles;
  for (std::uint32_t i = 0; i < 1600; ++i) handles.push_back(table.insert({.id = i}));
  ChunkCache cache;
  const auto write = [&] {
    MemorySink sink;
    WriteOptions options;
    options.cache = &cache;
    auto report = write_image(*db.capture().image({}), sink, options);
    EXPECT_TRUE(report);
    return *report;
  };
  EXPECT_EQ(write().reused_bytes, 0u);
  EXPECT_EQ(write().reused_groups, 4u);
  table.edit(handles[600])->id = 7;
  WriteReport changed = write();
  EXPECT_EQ(changed.reused_groups, 3u);
  const std::uint64_t whole = changed.reused_bytes;
  table.edit(handles[600])->id = 7;  // written, but equal
  changed = write();
  EXPECT_EQ(changed.reused_groups, 3u);
  EXPECT_GT(changed.reused_bytes, whole);
}

TEST(ChunkCache, ServesDatabasesOfEqualTablesInTurn) {
  Program first(21);
  Program second(22);
  ChunkCache cache;
  for (int step = 0; step < 10; ++step) {
    Program& program = step % 2 == 0 ? first : second;
    program.step();
    const Snapshot snapshot = program.world().db.capture();
    ASSERT_EQ(saved(snapshot, through(cache)), saved(snapshot, {})) << "step " << step;
  }
}

struct FailingSink final : ByteSink {
  Status write(std::span<const std::byte> bytes) override {
    if (bytes.size() > room) return fail(ErrorCode::disk_full, "no room");
    room -= bytes.size();
    return {};
  }
  std::uint64_t room = 0;
};

TEST(ChunkCache, WritesThatFailOrAreCancelledLeaveOnlyTrueEntries) {  // CC2
  Program program(5);
  ChunkCache cache;
  SaveOptions options = through(cache);
  options.write.codec = Codec::none;
  SaveOptions plain;
  plain.write.codec = Codec::none;
  for (std::uint64_t round = 0; round < 12; ++round) {
    program.step();
    const Snapshot snapshot = program.world().db.capture();
    options.write.threads = round % 2 == 0 ? 1 : 4;
    FailingSink sink;
    sink.room = saved(snapshot, plain).size() * round / 12;
    EXPECT_FALSE(save(snapshot, sink, options)) << "round " << round;
    SaveOptions cancelled = options;
    std::atomic<bool> cancel{false};
    cancelled.write.cancel = &cancel;
    cancelled.write.on_progress = [&](const Progress& progress) {
      cancel = progress.groups_done > round % 5;
    };
    MemorySink ignored;
    static_cast<void>(save(snapshot, ignored, cancelled));
    program.step();
    const Snapshot later = program.world().db.capture();
    ASSERT_EQ(saved(later, options), saved(later, plain)) << "round " << round;
  }
}

// What a group takes counts until it is stored again.
TEST(ChunkCache, WhatItHasIsNotDisplacedByWhatItLacks) {
  Database db;
  auto& table = db.create_table<Wide>("wide", {.storage = Storage::stable});
  for (std::uint32_t i = 0; i < 2 * 512; ++i) table.insert({.id = i});
  const auto image = db.capture().image({});
  ChunkCache cache(10'000);
  const auto session = format::CacheSession::begin(&cache, *image, {});
  ASSERT_NE(session, nullptr);
  const auto store = [&](std::uint64_t group, std::size_t bytes) {
    format::EncodedBlocks encoded;
    encoded.bytes.append(Bytes(bytes));
    ASSERT_TRUE(session->store_group(0, format::GroupPart::rows, group, {}, encoded));
  };
  store(0, 6000);
  EXPECT_NE(session->last_group(0, 0), nullptr);
  store(1, 5000);
  EXPECT_EQ(session->last_group(0, 1), nullptr) << "the cache kept more than its limit";
  EXPECT_NE(session->last_group(0, 0), nullptr) << "an unchanged group lost its room";
  store(0, 3000);
  EXPECT_LT(cache.bytes_used(), 4000u);
  store(1, 5000);
  store(0, 9000);
  EXPECT_EQ(session->last_group(0, 0), nullptr) << "it grew beyond the limit";
  EXPECT_NE(session->last_group(0, 1), nullptr);
}

TEST(ChunkCache, DropsWhatIsGone) {
  World world;
  Random random(8);
  for (int i = 0; i < 600; ++i) world.dense.insert(noise(random));
  ChunkCache cache;
  SaveOptions options = through(cache);
  options.write.codec = Codec::none;
  saved(world.db.capture(), options);
  const std::uint64_t full = cache.bytes_used();
  EXPECT_GT(full, 600u * sizeof(Wide));
  world.db.drop_table("dense");
  saved(world.db.capture(), options);
  EXPECT_LT(cache.bytes_used(), full / 10);
  cache.clear();
  EXPECT_EQ(cache.bytes_used(), 0u);
}

// Tables so small that several share a pack.
struct Packed {
  Packed() {
    Random random(4);
    for (int i = 0; i < 60; ++i) {
      auto& table = db.create_table<Text, TypedLayout>("table " + std::to_string(i));
      std::string text;
      for (int byte = 0; byte < 4000; ++byte) text += static_cast<char>('a' + random.below(26));
      table.insert({text});
    }
  }
  void change(int table) {
    auto& texts = *db.find_table<Text, TypedLayout>("table " + std::to_string(table));
    texts.edit(texts.handle_at(0))->text[0] = '!';
  }
  Database db;
};

TEST(ChunkCache, PackedTablesThatDidNotChangeAreNotEncodedAgain) {  // CC1
  Packed packed;
  ChunkCache cache;
  const auto write = [&] {
    MemorySink sink;
    WriteOptions options;
    options.cache = &cache;
    const auto report = write_image(*packed.db.capture().image({}), sink, options);
    EXPECT_TRUE(report);
    return report->reused_groups;
  };
  EXPECT_EQ(write(), 0u);
  packed.change(7);
  EXPECT_EQ(write(), 59u);
  auto& texts = *packed.db.find_table<Text, TypedLayout>("table 8");
  for (int i = 0; i < 3; ++i) texts.insert({"more"});
  texts.erase(texts.handle_at(1));
  texts.erase(texts.handle_at(1));
  EXPECT_EQ(write(), 59u);
  EXPECT_EQ(saved(packed.db.capture(), through(cache)), saved(packed.db.capture(), {}))
      << "the free list of a packed table";
}

TEST(ChunkCache, PacksOfTablesThatDidNotChangeAreNotCompressedAgain) {  // CC1
  Packed packed;
  ChunkCache cache;
  std::uint64_t reused = 1;
  EXPECT_EQ(saved(packed.db.capture(), through(cache), &reused), saved(packed.db.capture(), {}));
  EXPECT_EQ(reused, 0u);
  for (const int table : {0, 30, 59, 7}) {
    packed.change(table);
    const Bytes expected = saved(packed.db.capture(), {});
    EXPECT_EQ(saved(packed.db.capture(), through(cache), &reused), expected);
    EXPECT_GT(reused, expected.size() / 2);
    EXPECT_LT(reused, expected.size());
  }
}

TEST(ChunkCache, PacksThatAreGoneLeaveNothing) {
  Packed packed;
  ChunkCache cache;
  saved(packed.db.capture(), through(cache));
  const std::uint64_t full = cache.bytes_used();
  EXPECT_GT(full, 20'000u);
  for (int i = 0; i < 60; ++i) {
    packed.change(i);
    saved(packed.db.capture(), through(cache));
  }
  EXPECT_LT(cache.bytes_used(), full + full / 10) << "packs of earlier writes stayed";
  ChunkCache tiny(10'000);
  saved(packed.db.capture(), through(tiny));
  EXPECT_LE(tiny.bytes_used(), 10'000u);
  for (int i = 0; i < 60; ++i) packed.db.drop_table("table " + std::to_string(i));
  saved(packed.db.capture(), through(cache));
  EXPECT_LT(cache.bytes_used(), full / 10);
  cache.clear();
  EXPECT_EQ(cache.bytes_used(), 0u);
}

}  // namespace
}  // namespace hdb::test::chunk_cache_test
