// Table descriptors: what is written is read back, and every contradiction is refused.
#include "hdb/byte_io.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/schema.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace hdb {
namespace {

TableDescriptor sound_table() {
  TableDescriptor table;
  table.name = "monsters";
  table.type_id = 77;
  table.schema = 3;
  table.policy = {
      {32, 16, 15}, Storage::stable, FreeList::fifo, Generations::table_counter, Overflow::wrap};
  table.group_shift = 12;
  table.slot_count = 100;
  table.live_count = 50;
  table.retired_count = 20;
  table.free_count = 30;
  table.counter = 900;
  table.highest_generation = 1000;
  return table;
}

Extension sort_work() {
  return {format::kExtensionSortWork, format::kExtensionHashed, {std::byte{1}, std::byte{0}}};
}

bool accepted(const TableDescriptor& table) {
  Bytes bytes;
  ByteWriter out(bytes);
  write_table_descriptor(table, out);
  ByteReader in(bytes, 0, ErrorCode::bad_table);
  const TableDescriptor back = read_table_descriptor(in);
  in.expect_end();
  return in.ok() && back == table;
}

bool refused(const std::function<void(TableDescriptor&)>& spoil) {
  TableDescriptor table = sound_table();
  spoil(table);
  return !accepted(table);
}

TEST(TableDescriptor, IsReadBackAsWritten) {
  EXPECT_TRUE(accepted(sound_table()));
  TableDescriptor table;
  table.name = "empty";
  EXPECT_TRUE(accepted(table));
  table = sound_table();
  table.singleton = true;
  table.live_count = 1;
  table.free_count = 79;
  EXPECT_TRUE(accepted(table));
  table.scope = Scope::unhashed;
  EXPECT_TRUE(accepted(table));
}

TEST(TableDescriptor, SlotsThatNoStateCountsAreUnissued) {
  TableDescriptor table = sound_table();
  EXPECT_EQ(table.unissued_count(), 0U);
  table.slot_count += 3;
  EXPECT_EQ(table.unissued_count(), 3U);
  EXPECT_TRUE(accepted(table));
}

TEST(TableDescriptor, KeepsNamesBlobsAndUnfinishedWork) {
  TableDescriptor table = sound_table();
  table.policy.names = RecordNames::ignore_case;
  table.blobs = BlobPolicy{std::uint64_t{1} << 40, 4096, Compaction::on_demand};
  table.flush_cursor = 99;
  EXPECT_TRUE(accepted(table));
  table.blobs.reset();
  table.policy.storage = Storage::dense;
  table.extensions = {sort_work()};
  EXPECT_TRUE(accepted(table));
  table.extensions.push_back({9, format::kExtensionSafeToCopy, {}});
  table.extensions.push_back({10, format::kExtensionHashed, Bytes(200, std::byte{7})});
  EXPECT_TRUE(accepted(table));
}

TEST(TableDescriptor, EveryContradictionIsRefused) {
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.name.clear(); }));
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.name = "a\tb"; }));
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.name = "\xc0\x80"; }));
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.name.assign(256, 'n'); }));
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.policy.layout = {32, 16, 17}; }));
  EXPECT_TRUE(refused([](TableDescriptor& t) {
    t.policy.layout = {32, 31, 0};
  }));  // with a type id
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.type_id = 0x8000; }));
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.policy.storage = static_cast<Storage>(2); }));
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.policy.free_list = static_cast<FreeList>(3); }));
  EXPECT_TRUE(
      refused([](TableDescriptor& t) { t.policy.generations = static_cast<Generations>(2); }));
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.policy.overflow = static_cast<Overflow>(2); }));
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.group_shift = 5; }));
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.group_shift = 17; }));
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.free_count += 1; }));
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.slot_count -= 1; }));
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.extensions = {sort_work()}; }));  // stable
  const auto refused_dense = [](std::vector<Extension> extensions) {
    return refused([&](TableDescriptor& t) {
      t.policy.storage = Storage::dense;
      t.extensions = std::move(extensions);
    });
  };
  EXPECT_FALSE(refused_dense({sort_work()}));
  EXPECT_TRUE(refused_dense({{format::kExtensionSortWork, format::kExtensionHashed, {}}}));
  EXPECT_TRUE(refused_dense({{format::kExtensionSortWork, 0, {std::byte{1}}}}));
  EXPECT_TRUE(refused_dense({{0, 0, {}}}));
  EXPECT_TRUE(refused_dense({{9, 8, {}}}));
  EXPECT_TRUE(refused_dense({{9, 0, {}}, {9, 0, {}}}));
  EXPECT_TRUE(refused_dense({{10, 0, {}}, {9, 0, {}}}));
  EXPECT_TRUE(refused_dense({{9, 0, Bytes(65537)}}));
  EXPECT_TRUE(refused_dense({{9, format::kExtensionCritical, {}}}));
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.flush_cursor = 100; }));
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.policy.names = static_cast<RecordNames>(3); }));
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.blobs = BlobPolicy{99, 3}; }));
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.blobs = BlobPolicy{100, 16}; }));
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.blobs = BlobPolicy{8192, 8192}; }));
  EXPECT_TRUE(refused([](TableDescriptor& t) {
    t.blobs = BlobPolicy{(std::uint64_t{1} << 40) + 16, 16};
  }));
  EXPECT_TRUE(refused([](TableDescriptor& t) {
    t.blobs = BlobPolicy{160, 16, static_cast<Compaction>(2)};
  }));
  EXPECT_TRUE(refused([](TableDescriptor& t) {
    t.blobs = BlobPolicy{160, 16};
    t.policy.storage = Storage::dense;
  }));
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.counter = 1001; }));
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.highest_generation = 65536; }));
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.counter = t.highest_generation = 0; }));
  EXPECT_TRUE(refused([](TableDescriptor& t) { t.singleton = true; }));
}

TEST(TableDescriptor, SumsThatWrapAroundAreRefused) {
  EXPECT_TRUE(refused([](TableDescriptor& t) {
    t.live_count = std::uint64_t{1} << 63;
    t.retired_count = std::uint64_t{1} << 63;
    t.free_count = t.slot_count;
  }));
  EXPECT_TRUE(refused([](TableDescriptor& t) {
    t.policy.layout = {16, 16, 0};
    t.type_id = 0;
    t.slot_count = 65537;
    t.free_count = 65537 - 70;
  }));
}

TEST(TableDescriptor, CutAtAnyByteIsRefused) {
  Bytes bytes;
  ByteWriter out(bytes);
  write_table_descriptor(sound_table(), out);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteReader in(std::span<const std::byte>(bytes).first(size), 0, ErrorCode::bad_table);
    static_cast<void>(read_table_descriptor(in));
    EXPECT_FALSE(in.ok()) << "cut at " << size;
  }
}

TEST(TableDescriptor, GroupsCoverTheSlots) {
  TableDescriptor table = sound_table();
  table.group_shift = 6;
  EXPECT_EQ(table.group_count(), 2U);
  EXPECT_EQ(table.group_begin(1), 64U);
  EXPECT_EQ(table.group_end(0), 64U);
  EXPECT_EQ(table.group_end(1), 100U);
  table.slot_count = 128;
  EXPECT_EQ(table.group_count(), 2U);
  table.slot_count = 0;
  EXPECT_EQ(table.group_count(), 0U);
}

}  // namespace
}  // namespace hdb
