// Captures of blob tables: what is copied when, what is shared, what outlives what, and running out
// of memory.
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/blob_model.hpp"

#include "hdb/blob_table.hpp"
#include "support/meagre_source.hpp"
#include "support/using_detail.hpp"

namespace hdb {
namespace {

using test::BlobLabel;
using test::Bytes;
using test::make_bytes;
using test::read_all;
using LabelHandle = Handle<BlobLabel>;
using LabelTable = BlobTable<BlobLabel>;

constexpr std::size_t kChunk = 65536;

using test::MeagreSource;

// Four chunks of one block each.
class BlobCaptureTest : public testing::Test {
 protected:
  BlobCaptureTest() {
    for (std::uint32_t i = 0; i < 4; ++i) {
      handles.push_back(table->insert({"block", i}, make_bytes(kChunk, i)).value());
    }
  }
  // Chunks that are logged, in pages of 64 blocks of 64 bytes.
  [[nodiscard]] std::size_t logged() {
    constexpr std::size_t kPage = 4096;
    return detail::core_of(*table).core().log()->logged_bytes() /
           (kChunk / kPage * (sizeof(LogEntry) + kPage));
  }
  void write(std::size_t block, std::size_t at) { table->edit(handles[block])[at] = std::byte{0}; }
  [[nodiscard]] Bytes now() const { return {table->bytes().begin(), table->bytes().end()}; }

  std::optional<LabelTable> table{std::in_place,
                                  BlobOptions{.capacity_bytes = 4 * kChunk + kChunk / 2}};
  std::vector<LabelHandle> handles;
};

TEST_F(BlobCaptureTest, ACaptureCopiesNothingAndTheFirstWriteToABlockLogsItOnce) {  // U2
  const std::size_t before = logged();
  const Bytes old = now();
  const FrozenTable frozen = detail::core_of(*table).freeze();
  EXPECT_EQ(logged(), before);
  write(1, 5);
  EXPECT_EQ(logged(), before + 1);
  write(1, 6);
  write(1, kChunk - 1);
  EXPECT_EQ(logged(), before + 1) << "later writes to the chunk copy nothing";
  write(3, 5);
  EXPECT_EQ(logged(), before + 2);
  EXPECT_EQ(read_all(frozen.blobs->buffer), old);
  EXPECT_NE(now(), old);
}

TEST_F(BlobCaptureTest, CapturesThatShareAChunkShareItsOneCopy) {
  const std::size_t before = logged();
  const Bytes old = now();
  std::vector<FrozenTable> captures;
  for (int i = 0; i < 5; ++i) captures.push_back(detail::core_of(*table).freeze());
  write(0, 0);
  EXPECT_EQ(logged(), before + 1);
  captures.push_back(detail::core_of(*table).freeze());
  const Bytes newer = now();
  write(0, 1);
  EXPECT_EQ(logged(), before + 2);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(read_all(captures[static_cast<std::size_t>(i)].blobs->buffer), old);
  EXPECT_EQ(read_all(captures[5].blobs->buffer), newer);
  captures.erase(captures.begin(), captures.begin() + 4);
  EXPECT_EQ(read_all(captures[0].blobs->buffer), old);
  captures.clear();
  EXPECT_EQ(logged(), before) << "copies go with the last capture that has them";
}

TEST_F(BlobCaptureTest, NothingIsCopiedOnceNoCaptureIsAlive) {
  const std::size_t before = logged();
  { const FrozenTable frozen = detail::core_of(*table).freeze(); }
  for (std::size_t i = 0; i < 4; ++i) write(i, i);
  EXPECT_EQ(logged(), before);
}

TEST_F(BlobCaptureTest, ARestoreWritesOnlyTheChunksThatChangedAndKeepsNewerCaptures) {
  const Bytes old = now();
  const FrozenTable first = detail::core_of(*table).freeze();
  write(1, 5);
  const Bytes newer = now();
  const FrozenTable second = detail::core_of(*table).freeze();
  const std::byte* const address = table->bytes().data();
  const std::size_t before = logged();
  detail::core_of(*table).thaw(first);
  EXPECT_EQ(logged(), before + 1)
      << "of four chunks one is restored, and kept for the newer capture";
  EXPECT_EQ(now(), old);
  EXPECT_EQ(table->bytes().data(), address);
  EXPECT_EQ(read_all(second.blobs->buffer), newer);
  detail::core_of(*table).thaw(second);
  EXPECT_EQ(now(), newer);
  EXPECT_EQ(read_all(first.blobs->buffer), old);
  EXPECT_STREQ(table->check_invariants(), nullptr);
}

TEST_F(BlobCaptureTest, ARestoreOfFewerBytesLeavesZerosBehind) {
  table->erase(handles[3]);
  table->erase(handles[2]);
  const FrozenTable small = detail::core_of(*table).freeze();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(table->insert({}, make_bytes(30'000, 7)).has_value());
  const Bytes large = now();
  const FrozenTable between = detail::core_of(*table).freeze();
  detail::core_of(*table).thaw(small);
  EXPECT_STREQ(table->check_invariants(), nullptr);
  EXPECT_EQ(table->bytes().size(), 2 * kChunk);
  detail::core_of(*table).thaw(between);
  EXPECT_EQ(now(), large);
  EXPECT_STREQ(table->check_invariants(), nullptr);
}

TEST_F(BlobCaptureTest, ACaptureOutlivesItsTableAndMayBeRestoredAfterALoad) {
  const Bytes old = now();
  FrozenTable frozen = detail::core_of(*table).freeze();
  write(2, 9);
  const auto loaded = detail::core_of(*table).make_empty();
  loaded->begin_fill({});
  ASSERT_TRUE(loaded->finish_fill().has_value());
  detail::core_of(*table).prepare_adopt();
  detail::core_of(*table).adopt(*loaded);
  EXPECT_TRUE(table->empty());
  EXPECT_EQ(read_all(frozen.blobs->buffer), old);
  detail::core_of(*table).thaw(frozen);
  EXPECT_EQ(now(), old);
  EXPECT_STREQ(table->check_invariants(), nullptr);
  const std::shared_ptr<detail::UndoLog> log = detail::core_of(*table).core().log();
  table.reset();
  EXPECT_EQ(read_all(frozen.blobs->buffer), old);
  frozen = FrozenTable{};
  EXPECT_EQ(log->logged_bytes(), 0u);
}

TEST_F(BlobCaptureTest, PartsOfACaptureAreReadAcrossChunks) {
  const Bytes old = now();
  const FrozenTable frozen = detail::core_of(*table).freeze();
  write(1, 0);
  for (const std::size_t at : {std::size_t{0}, kChunk - 3, 2 * kChunk - 1, 4 * kChunk}) {
    Bytes part(std::min<std::size_t>(kChunk + 7, 4 * kChunk - at));
    frozen.blobs->buffer.read(at, part);
    EXPECT_TRUE(
        std::equal(part.begin(), part.end(), old.begin() + static_cast<std::ptrdiff_t>(at)));
  }
}

TEST(BlobMemory, ACallThatRunsOutOfMemoryChangesNothing) {  // V7
  const std::function<void(LabelTable&, const std::vector<LabelHandle>&, const FrozenTable&)>
      calls[] = {
          [](LabelTable& table, const auto&, const auto&) {
            static_cast<void>(table.insert({"new", 1}, make_bytes(40'000, 1)));
          },
          [](LabelTable& table, const auto& handles, const auto&) { table.erase(handles[1]); },
          [](LabelTable& table, const auto& handles, const auto&) {
            static_cast<void>(table.resize(handles[1], 40'000));
          },
          [](LabelTable& table, const auto& handles, const auto&) {
            static_cast<void>(table.resize(handles[1], 3));
          },
          [](LabelTable& table, const auto& handles, const auto&) {
            static_cast<void>(table.edit(handles[3]));
            static_cast<void>(table.edit_meta(handles[3]));
          },
          [](LabelTable& table, const auto&, const auto&) { table.compact(); },
          [](LabelTable& table, const auto&, const auto&) { table.clear(); },
          [](LabelTable& table, const auto&, const auto&) { table.reset(); },
          [](LabelTable& table, const auto&, const auto& older) {
            detail::core_of(table).thaw(older);
          },
      };
  std::size_t refused = 0;
  for (const Compaction compaction : {Compaction::at_release, Compaction::on_demand}) {
    for (std::size_t call = 0; call < std::size(calls); ++call) {
      for (long n = 0; n < 12; ++n) {
        const auto source = std::make_shared<MeagreSource>();
        {
          BlobOptions options;
          options.capacity_bytes = 300'000;
          options.alignment = 8;
          options.compaction = compaction;
          LabelTable table(options, std::make_shared<UndoLog>(std::make_shared<PagePool>(source)));
          std::vector<LabelHandle> handles;
          for (std::uint32_t i = 0; i < 10; ++i) {
            handles.push_back(table.insert({"block", i}, make_bytes(28'000, i)).value());
          }
          const FrozenTable older = detail::core_of(table).freeze();
          table.erase(handles[4]);
          table.erase(handles[7]);
          const FrozenTable newer = detail::core_of(table).freeze();
          const Bytes before(table.bytes().begin(), table.bytes().end());
          const SlotCounters counters = detail::core_of(table).table().counters();
          source->left = n;
          bool failed = false;
          try {
            calls[call](table, handles, older);
          } catch (const std::bad_alloc&) {
            failed = true;
          }
          source->left = -1;
          ASSERT_STREQ(table.check_invariants(), nullptr) << "call " << call << ", page " << n;
          if (failed) {
            ++refused;
            ASSERT_EQ(Bytes(table.bytes().begin(), table.bytes().end()), before);
            ASSERT_EQ(detail::core_of(table).table().counters(), counters);
            for (std::uint32_t i = 0; i < 10; ++i) {
              ASSERT_EQ(table.contains(handles[i]), i != 4 && i != 7);
            }
          }
          ASSERT_EQ(read_all(newer.blobs->buffer), before);
          ASSERT_TRUE(table.insert({"again", 1}, 10).has_value());
          ASSERT_STREQ(table.check_invariants(), nullptr);
        }
        ASSERT_EQ(source->given, 0) << "a page leaked";
      }
    }
  }
  EXPECT_GT(refused, 30u);
}

// Memory of a program is not zero at first, and a capture holds bytes after its end.
class DirtySource final : public PageSource {
 public:
  void* allocate(std::size_t size_bytes) noexcept override {
    void* const memory = source_.allocate(size_bytes);
    if (memory != nullptr) std::memset(memory, 0xaa, size_bytes);
    return memory;
  }
  void deallocate(void* memory, std::size_t size_bytes) noexcept override {
    source_.deallocate(memory, size_bytes);
  }

 private:
  MeagreSource source_;
};

TEST(BlobCapture, BytesAfterTheEndOfACaptureAreZeroWhenTheyAreUsedAfterItsRestore) {  // V2
  for (const std::size_t left : {std::size_t{0}, std::size_t{100}, std::size_t{900}}) {
    const auto pool = std::make_shared<PagePool>(std::make_shared<DirtySource>());
    LabelTable table({.capacity_bytes = 4096}, std::make_shared<UndoLog>(pool));
    table.insert({"kept", 0}, make_bytes(500, 1)).value();
    const FrozenTable frozen = detail::core_of(table).freeze();
    const LabelHandle later = table.insert({"later", 1}, make_bytes(900, 2)).value();
    ASSERT_TRUE(table.resize(later, left));
    detail::core_of(table).thaw(frozen);
    EXPECT_STREQ(table.check_invariants(), nullptr) << left;
    const auto block = table.insert({"zeros", 2}, 2000);
    ASSERT_TRUE(block.has_value());
    const auto bytes = table.at(*block);
    EXPECT_EQ(Bytes(bytes.begin(), bytes.end()), Bytes(2000)) << left;
  }  // the capture ends: its bytes are those that it saw
}

}  // namespace
}  // namespace hdb
