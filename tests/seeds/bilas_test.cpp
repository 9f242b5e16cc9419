// Rows A1 to A13: "A Generic Handle-Based Resource Manager", Game Programming Gems, 2000.
#include <gtest/gtest.h>

#include <algorithm>
#include <cereal/types/string.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "hdb/hdb.hpp"

#include "hdb/resource_table.hpp"
#include "hdb/sidecar.hpp"
#include "support/folder.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {
namespace {

struct Thing {
  std::int32_t value = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(value));
  }
};

using Small = Layout<16, 16>;
using SmallHandle = Handle<Thing, Small>;
constexpr TableOptions kAsInTheBook{.free_list = FreeList::lifo,
                                    .generations = Generations::table_counter,
                                    .overflow = Overflow::wrap};

TEST(Bilas, A1_AHandleOf32BitsWith16BitsOfIndexAndMagic) {
  static_assert(sizeof(SmallHandle) == 4);
  Table<Thing, Small> table;
  SmallHandle last;
  for (int i = 0; i < 65536; ++i) last = table.insert({i});
  EXPECT_EQ(last.index(), 65535u);
  EXPECT_FALSE(table.insert({})) << "full: an index is never cut off";
  EXPECT_EQ(table.at(last).value, 65535);
  static_assert(sizeof(Handle<Thing, Layout<20, 12>>) == 4, "sizes are tunable");
}

TEST(Bilas, A2_TheNullHandleIsZeroAndIsTheErrorReturn) {
  const SmallHandle null;
  EXPECT_EQ(null.bits(), 0u);
  EXPECT_TRUE(null.is_null());
  Table<Thing, Small> table;
  const SmallHandle first = table.insert({});
  EXPECT_TRUE(first) << "slot 0, but a magic number that is not 0";
  EXPECT_EQ(first.index(), 0u);
  EXPECT_EQ(table.find(null), nullptr);
  EXPECT_FALSE(table.erase(null));
  const SmallHandle second = table.insert({});
  for (int freed = 0; freed < 2; ++freed) {  // a live slot, then a free one
    const auto magic_0 = SmallHandle::from_bits(second.bits() & 0xffff);
    ASSERT_EQ(magic_0.index(), 1u);
    EXPECT_FALSE(table.contains(magic_0)) << "magic 0 matches nothing; freed: " << freed;
    EXPECT_EQ(table.find(magic_0), nullptr);
    EXPECT_EQ(table.edit(magic_0), nullptr);
    EXPECT_FALSE(table.erase(magic_0));
    table.erase(second);
  }
  SmallHandle reset = first;
  reset = {};
  EXPECT_TRUE(reset.is_null());
  EXPECT_TRUE(table.contains(first));
}

TEST(Bilas, A3_TheMagicRisesAtEachAcquisitionAndWrapsFromItsMaximumToOne) {
  Table<Thing, Small> table(kAsInTheBook);
  for (std::uint32_t expected = 1; expected <= 65535; ++expected) {
    const SmallHandle handle = table.insert({});
    ASSERT_EQ(handle.generation(), expected);
    table.erase(handle);
  }
  EXPECT_EQ(table.insert({}).generation(), 1u) << "never 0";
  Table<Thing, Small> other(kAsInTheBook);
  EXPECT_EQ(other.insert({}).generation(), 1u) << "each table counts by itself";
}

TEST(Bilas, A3_TheCounterIsSaved) {
  Database db;
  auto& table = db.create_table<Thing, Small>("things", kAsInTheBook);
  for (int i = 0; i < 70'000; ++i) table.erase(table.insert({}));
  MemorySink file;
  ASSERT_TRUE(save(db.capture(), file));
  Database other;
  auto& loaded = other.create_table<Thing, Small>("things", kAsInTheBook);
  ASSERT_TRUE(other.load(std::make_unique<MemorySource>(file.bytes())));
  EXPECT_EQ(loaded.insert({}), table.insert({}));
}

TEST(Bilas, A4_AHandleIsAValueWithIndexMagicBitsAndEquality) {
  Table<Thing, Small> table;
  const SmallHandle a = table.insert({});
  const SmallHandle b = table.insert({});
  EXPECT_EQ(a, SmallHandle::from_bits(a.bits()));
  EXPECT_NE(a, b);
  EXPECT_EQ(b.index(), 1u);
  EXPECT_EQ(b.generation(), 1u);
  EXPECT_EQ(b.bits(), 0x0001'0001u) << "index lowest, on every machine";
  static_assert(std::is_trivially_copyable_v<SmallHandle>);
}

struct Other {};

TEST(Bilas, A5_HandlesOfDifferentResourcesDoNotMix) {
  static_assert(!std::is_convertible_v<Handle<Other>, Handle<Thing>>);
  static_assert(!std::is_constructible_v<Handle<Thing>, Handle<Other>>);
  using Contains = decltype(&Table<Thing>::contains);
  static_assert(std::is_invocable_v<Contains, Table<Thing>, Handle<Thing>>);
  static_assert(!std::is_invocable_v<Contains, Table<Thing>, Handle<Other>>);
  static_assert(!std::is_convertible_v<Handle<Thing, Small>, Handle<Thing>>);
}

TEST(Bilas, A6_ObjectsMagicsAndFreeListAlwaysAgree) {
  Table<Thing, Small> table(kAsInTheBook);
  std::vector<SmallHandle> handles;
  for (int i = 0; i < 2000; ++i) {
    handles.push_back(table.insert({i}));
    if (i % 3 == 0) table.erase(handles[static_cast<std::size_t>(i / 2)]);
    const SlotCounters& counters = table.counters();
    ASSERT_EQ(counters.live_count + counters.free_count, counters.slot_count);
    if (i % 100 != 0) continue;
    ASSERT_EQ(std::distance(table.begin(), table.end()), counters.live_count) << "objects, magics";
    std::vector<std::uint32_t> free_slots(counters.free_count);
    detail::core_of(table).slots().read_free_list(0, free_slots);
    for (const std::uint32_t slot : free_slots) {
      const bool is_live = std::any_of(handles.begin(), handles.end(), [&](SmallHandle handle) {
        return handle.index() == slot && table.contains(handle);
      });
      ASSERT_FALSE(is_live) << "slot " << slot << " is on the free list and in use";
    }
    ASSERT_EQ(table.check_invariants(), nullptr);
  }
}

TEST(Bilas, A7_TheSlotFreedLastIsUsedFirstElseOneIsAppended) {
  Table<Thing, Small> table(kAsInTheBook);
  const SmallHandle a = table.insert({1});
  const SmallHandle b = table.insert({2});
  table.erase(a);
  table.erase(b);
  EXPECT_EQ(table.insert({3}).index(), b.index());
  EXPECT_EQ(table.insert({4}).index(), a.index());
  EXPECT_EQ(table.insert({5}).index(), 2u);
}

TEST(Bilas, A8_ReleasingValidatesAndPushesTheSlotOnce) {
  Table<Thing, Small> table(kAsInTheBook);
  const SmallHandle a = table.insert({});
  EXPECT_TRUE(table.erase(a));
  EXPECT_FALSE(table.erase(a)) << "twice";
  EXPECT_FALSE(table.erase({})) << "null does not push slot 0";
  EXPECT_EQ(table.counters().free_count, 1u);
  EXPECT_NE(table.insert({}), table.insert({}));
}

TEST(Bilas, A9_DereferencingFailsForNullOutOfRangeAndMismatch) {
  Table<Thing, Small> table;
  const SmallHandle a = table.insert({7});
  const Table<Thing, Small>& readable = table;
  EXPECT_EQ(readable.find(a)->value, 7);
  EXPECT_EQ(readable.find({}), nullptr);
  EXPECT_EQ(readable.find(SmallHandle::from_bits(a.bits() + 1)), nullptr) << "out of range";
  EXPECT_EQ(readable.find(SmallHandle::from_bits(a.bits() + 0x10000)), nullptr) << "mismatch";
  table.erase(a);
  EXPECT_EQ(readable.find(a), nullptr) << "freed";
  EXPECT_EQ(table.edit(a), nullptr);
}

TEST(Bilas, A10_TheNumberOfUsedHandlesIsKnown) {
  Table<Thing> table;
  EXPECT_TRUE(table.empty());
  const auto a = table.insert({});
  table.insert({});
  EXPECT_EQ(table.size(), 2u);
  table.erase(a);
  EXPECT_EQ(table.size(), 1u);
  EXPECT_FALSE(table.empty());
}

TEST(Bilas, A11_HowMuchIsValidatedIsAChoiceOfTheType) {
  Table<Thing, Small, Thing, HandleCheck::unchecked> fast;
  Table<Thing, Small, Thing, HandleCheck::asserted> asserted;
  Table<Thing, Small> checked;
  EXPECT_EQ(fast.find(fast.insert({1}))->value, 1);
  EXPECT_EQ(asserted.find(asserted.insert({2}))->value, 2);
  EXPECT_EQ(checked.find({}), nullptr);
  EXPECT_FALSE(fast.contains({})) << "asking is always checked";
  const auto stale = fast.insert({3});
  EXPECT_TRUE(fast.erase(stale));
  EXPECT_FALSE(fast.erase(stale)) << "erasing too";
#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS
  EXPECT_DEATH(static_cast<void>(asserted.find({})), "stale");
#endif
}

// --- A12: a manager of files behind handles

class Files {
 public:
  struct File {
    std::string path;
    template <class A>
    void serialize(A& a) {
      a(CEREAL_NVP(path));
    }
  };
  explicit Files(Database& db) : files_(db.create_table<File>("files")), streams_(files_) {}

  Handle<File> open(const std::string& path) {
    auto stream = std::make_unique<std::ifstream>(path, std::ios::binary);
    if (!*stream) return {};
    const Handle<File> handle = files_.insert({path});
    streams_.set(handle, std::move(stream));
    return handle;
  }
  bool read(Handle<File> handle, std::span<char> out) {
    auto* const stream = streams_.find(handle);
    return stream != nullptr &&
           (*stream)->read(out.data(), static_cast<std::streamsize>(out.size()));
  }
  bool close(Handle<File> handle) { return files_.erase(handle); }
  [[nodiscard]] std::size_t open_streams() const { return streams_.size(); }
  /// After a load: opens again what the save had open; gives how many could not be.
  std::size_t reopen() {
    std::size_t failed = 0;
    for (const Handle<File> handle : streams_.take_changes().appeared) {
      auto stream = std::make_unique<std::ifstream>(files_.at(handle).path, std::ios::binary);
      failed += *stream ? 0 : 1;
      streams_.set(handle, std::move(stream));
    }
    return failed;
  }

 private:
  Table<File>& files_;
  Sidecar<std::unique_ptr<std::ifstream>, Table<File>> streams_;
};

TEST(Bilas, A12_AFileManagerOpensReadsAndClosesThroughHandles) {
  const Folder folder;
  const std::string path = folder / "handles.txt";
  std::ofstream(path) << "handles";
  Database db;
  Files files(db);
  const auto file = files.open(path);
  char text[7];
  EXPECT_TRUE(files.read(file, text));
  EXPECT_EQ(std::string_view(text, 7), "handles");
  EXPECT_FALSE(files.open("/no/such/file"));
  EXPECT_FALSE(files.read({}, text)) << "a bad handle is an error, not a crash";
  const Snapshot opened = db.capture();
  EXPECT_TRUE(files.close(file));
  EXPECT_FALSE(files.close(file));
  EXPECT_FALSE(files.read(file, text));
  EXPECT_EQ(files.open_streams(), 0u) << "the stream went with its record";
  ASSERT_TRUE(db.restore(opened));
  EXPECT_EQ(files.reopen(), 0u);
  EXPECT_TRUE(files.read(file, text)) << "the saved handle is good again";
  std::filesystem::remove(path);
}

// --- A13: a manager of textures

struct Texture {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t mips = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(width), CEREAL_NVP(height), CEREAL_NVP(mips));
  }
};

TEST(Bilas, A13_ATextureManagerFindsOrLoadsByNameAndUnloadsAll) {
  Database db;
  auto& textures =
      db.create_resource_table<Texture>("textures", {.names = RecordNames::ignore_case});
  int loads = 0;
  const auto load = [&loads](std::string_view name) -> std::optional<Texture> {
    ++loads;
    if (name == "missing.tga") return std::nullopt;
    return Texture{.width = 64, .height = 32, .mips = 6};
  };
  auto wall = textures.find_or_load("Wall.tga", load);
  EXPECT_EQ(textures.find_or_load("WALL.TGA", load), wall);
  EXPECT_EQ(loads, 1) << "the same name is never loaded twice";
  EXPECT_EQ(textures.table().name(wall), "Wall.tga");
  EXPECT_EQ(wall->width, 64u);
  EXPECT_EQ(wall->height, 32u);
  EXPECT_EQ(wall->mips, 6u);
  const auto missing = textures.find_or_load("missing.tga", load);
  EXPECT_TRUE(missing.handle().is_null());
  EXPECT_EQ(textures.table().size(), 1u) << "a failed load leaves nothing";
  const auto floor = textures.find_or_load("floor.tga", load).handle();
  EXPECT_TRUE(textures.table().erase(floor)) << "deleted by its handle";
  EXPECT_FALSE(textures.find("floor.tga"));
  textures.table().clear();
  EXPECT_FALSE(wall) << "all is unloaded at the end";
  EXPECT_TRUE(textures.find_or_load("wall.tga", load)) << "and can be loaded again";
}

}  // namespace
}  // namespace hdb::test
