// G9, G10: files whose hashes are right and whose content is not. Refused, and before memory is
// taken for it.
#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <functional>

#include "format/forge.hpp"
#include "format/small_file.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/inspect/reader.hpp"
#include "support/allocation_watch.hpp"
#include "support/promise_line.hpp"
#include "support/scale.hpp"

namespace hdb::test {
namespace {

using format::BlockType;
using format::kFirstSchemaColumn;

constexpr std::size_t kFewBytes = std::size_t{1} << 20;
[[maybe_unused]] const bool says_g9 = says_promise("G9", "Hostile");

void expect_refused(const Bytes& bytes, ErrorCode code, const std::string& what) {
  reset_largest_allocation();
  const Status status = read_everything(bytes);
  const std::size_t largest = largest_allocation();
  ASSERT_FALSE(status) << what;
  EXPECT_EQ(code_name(status.error().code), code_name(code))
      << what << ": " << status.error().message();
  EXPECT_LT(largest, kFewBytes) << what;
}

Bytes compressed(const Bytes& raw, bool content_size = true) {
  Bytes out(ZSTD_compressBound(raw.size()));
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, content_size ? 1 : 0);
  out.resize(ZSTD_compress2(context, out.data(), out.size(), raw.data(), raw.size()));
  ZSTD_freeCCtx(context);
  return out;
}

class Hostile : public testing::Test {
 protected:
  Hostile() : file(written(small_image())), rows(file.find(BlockType::rows)) {
    live = small_image().data[0].groups[0].live_count();
  }

  void refuse(ErrorCode code, const std::string& what) {
    expect_refused(file.sealed(), code, what);
  }
  void refuse_column(std::uint32_t column, const Bytes& raw, ErrorCode code,
                     const std::string& what) {
    file.set_column(rows, kFirstSchemaColumn + column, raw);
    refuse(code, what);
  }
  // Changes a chunk of the first group's column.
  void change_chunk(std::uint32_t column, const std::function<void(ForgedChunk&)>& change) {
    auto all = file.chunks(rows);
    for (ForgedChunk& chunk : all) {
      if (chunk.entry.info.column == column) change(chunk);
    }
    file.set_chunks(rows, all);
  }
  // Changes both catalogs: the descriptor of the only table, `offset` bytes after its name.
  void change_descriptor(std::size_t offset, std::span<const std::byte> value) {
    for (ForgedBlock& block : file.blocks) {
      if (block.head.info.type != format::type_number(BlockType::catalog)) continue;
      const auto name = bytes_of("units");
      auto at = std::find_end(block.payload.begin(), block.payload.end(), name.begin(), name.end());
      std::copy(value.begin(), value.end(), at + static_cast<std::ptrdiff_t>(name.size() + offset));
    }
  }
  template <class T>
  void change_number(std::size_t offset, T value) {
    std::byte bytes[sizeof(T)];
    store_le(bytes, value);
    change_descriptor(offset, bytes);
  }

  ForgedFile file;
  std::size_t rows;
  std::size_t live = 0;
};

TEST_F(Hostile, SealedAgainItIsRead) {
  file.set_chunks(rows, file.chunks(rows));
  const Status status = read_everything(file.sealed());
  ASSERT_TRUE(status) << status.error().message();
}

TEST_F(Hostile, DirectoryCounts) {
  for (const std::uint64_t count :
       {std::uint64_t{1}, std::uint64_t{0xffffffff}, ~std::uint64_t{0}, std::uint64_t{1} << 60}) {
    file.claimed_entries = count;
    refuse(ErrorCode::bad_directory, "directory of " + std::to_string(count));
  }
}

TEST_F(Hostile, EntriesThatLeaveGapsOrOverlap) {
  const auto each = [&](ErrorCode code, const char* what, auto change) {
    file.change_entries = change;
    refuse(code, what);
  };
  using Entries = std::vector<BlockInfo>;
  each(ErrorCode::bad_geometry, "a block after a gap", [](Entries& all) { all[1].offset += 8; });
  each(ErrorCode::bad_geometry, "a block in the one before",
       [](Entries& all) { all[2].offset -= 8; });
  each(ErrorCode::bad_geometry, "a block that reaches into the directory",
       [](Entries& all) { all.back().stored_bytes += 64; });
  each(ErrorCode::bad_geometry, "a block less", [](Entries& all) { all.pop_back(); });
  each(ErrorCode::bad_directory, "a block without an end",
       [](Entries& all) { all[0].stored_bytes = ~std::uint64_t{0} - 128; });
}

// Offsets in the descriptor, after the name: 0 type id, 2 schema, 6 layout, 9 policies, 14 group
// shift, 15 slots, ...
TEST_F(Hostile, SlotCounts) {
  for (const std::uint64_t count : {std::uint64_t{1} << 27, std::uint64_t{0xfffffff0}}) {
    ForgedFile copy = file;
    change_number(15, count);       // slots
    change_number(23, count - 42);  // live, so that the sum may fit
    change_number(31, std::uint64_t{12});
    change_number(39, std::uint64_t{30});
    refuse(count > (1U << 28) ? ErrorCode::limit_exceeded : ErrorCode::missing_block,
           "slots " + std::to_string(count));
    file = copy;
  }
  change_number(15, ~std::uint64_t{0});
  refuse(ErrorCode::bad_table, "2^64 - 1 slots");
}

TEST_F(Hostile, DescriptorFields) {
  struct Case {
    std::size_t offset;
    std::uint8_t value;
    const char* what;
  };
  const Case cases[] = {{0, 1, "type id without type bits"},
                        {2, 9, "schema number"},
                        {6, 34, "layout"},
                        {9, 2, "storage"},
                        {10, 3, "free list"},
                        {11, 2, "generations"},
                        {12, 2, "overflow"},
                        {13, 4, "reserved flag"},
                        {14, 5, "small group shift"},
                        {14, 17, "large group shift"},
                        {14, 64, "huge group shift"},
                        {55, 3, "names"},
                        {56, 2, "blobs"},
                        {57, 255, "flush cursor"}};
  for (const Case& one : cases) {
    const ForgedFile copy = file;
    change_number(one.offset, one.value);
    refuse(ErrorCode::bad_table, one.what);
    file = copy;
  }
}

TEST_F(Hostile, CatalogCounts) {
  for (ForgedBlock& block : file.blocks) {
    if (block.head.info.type == 3) store_le(block.payload.data(), std::uint32_t{0xffffffff});
  }
  refuse(ErrorCode::bad_schema, "2^32 - 1 schemas");
}

TEST_F(Hostile, CatalogsThatDiffer) {
  file.blocks.back().payload.back() ^= std::byte{1};
  refuse(ErrorCode::copies_differ, "second catalog");
}

TEST_F(Hostile, ColumnsThatBreakTheGrammar) {
  const ForgedFile sound = file;
  const Bytes ones(live, std::byte{1});
  const auto each = [&](std::uint32_t column, const Bytes& raw, ErrorCode code, const char* what) {
    file = sound;
    refuse_column(column, raw, code, what);
  };
  ASSERT_GE(live, 2U);
  each(5, Bytes(live, std::byte{2}), ErrorCode::bad_value, "bool 2");
  each(5, Bytes(live + 1, std::byte{1}), ErrorCode::bad_lengths, "a bool too many");
  each(5, Bytes(live - 1, std::byte{1}), ErrorCode::bad_lengths, "a bool too few");
  each(1, ones, ErrorCode::bad_lengths, "lengths that do not add up to the bytes");
  each(3, ones, ErrorCode::bad_lengths, "list lengths that do not add up");
  Bytes varints = ones;
  varints.back() = std::byte{0x80};
  each(1, varints, ErrorCode::bad_lengths, "varint cut off");
  varints.push_back(std::byte{0});
  each(1, varints, ErrorCode::bad_lengths, "varint that is not the shortest");
  Bytes huge;
  ByteWriter(huge).varint(~std::uint64_t{0});
  huge.insert(huge.end(), live - 1, std::byte{1});
  each(3, huge, ErrorCode::bad_lengths, "list of 2^64 - 1 elements");
  file = sound;
  file.set_column(rows, kFirstSchemaColumn + 1, ones);
  refuse_column(2, Bytes(live, std::byte{0xff}), ErrorCode::bad_value, "not UTF-8");
}

TEST_F(Hostile, SlotColumns) {
  const ForgedFile sound = file;
  const RowGroup group = small_image().data[0].groups[0];
  const auto with_states = [&](const std::vector<std::uint8_t>& changed, ErrorCode code,
                               const char* what) {
    file = sound;
    const auto bytes = std::as_bytes(std::span(changed));
    file.set_column(rows, 0, Bytes(bytes.begin(), bytes.end()));
    refuse(code, what);
  };
  auto changed = group.states;
  changed[0] = 3;
  with_states(changed, ErrorCode::bad_slots, "state 3");
  // Also where a state that is none makes the live slots another number.
  changed = group.states;
  const auto first_live = std::find(changed.begin(), changed.end(), 1);
  *first_live = 7;
  with_states(changed, ErrorCode::bad_slots, "state 7 of a live slot");
  changed = group.states;
  changed.push_back(0);
  with_states(changed, ErrorCode::bad_slots, "a state too many");
  changed = group.states;
  const auto free_slot =
      static_cast<std::size_t>(std::find(changed.begin(), changed.end(), 0) - changed.begin());
  changed[free_slot] = 1;
  with_states(changed, ErrorCode::bad_dense_order, "a live slot more");
  changed = group.states;
  changed[free_slot] = 2;
  with_states(changed, ErrorCode::bad_slots, "retired without the last generation");

  const auto with_generation = [&](std::size_t slot, std::uint32_t generation, const char* what) {
    file = sound;
    auto generations = group.generations;
    generations[slot] = generation;
    const auto bytes = std::as_bytes(std::span(generations));
    file.set_column(rows, 1, Bytes(bytes.begin(), bytes.end()));
    refuse(ErrorCode::bad_slots, what);
  };
  const auto live_slot = static_cast<std::size_t>(
      std::find(group.states.begin(), group.states.end(), 1) - group.states.begin());
  with_generation(live_slot, 0, "live with generation 0");
  with_generation(live_slot, 1001, "live above the highest issued");
  with_generation(live_slot, 0x80000001, "live with the top bit");
  with_generation(free_slot, 1001, "free above the highest issued");

  const auto with_positions = [&](std::uint32_t first, ErrorCode code, const char* what) {
    file = sound;
    auto positions = group.positions;
    positions[0] = first;
    const auto bytes = std::as_bytes(std::span(positions));
    file.set_column(rows, 2, Bytes(bytes.begin(), bytes.end()));
    refuse(code, what);
  };
  with_positions(group.positions[1], ErrorCode::bad_dense_order, "a dense position twice");
  with_positions(0xffffffff, ErrorCode::bad_dense_order, "a dense position too large");
}

TEST_F(Hostile, FreeList) {
  const std::size_t block = file.find(BlockType::free_list);
  const auto list = small_image().data[0].free_list;
  const auto with = [&](std::uint32_t entry, std::uint32_t value, const char* what) {
    auto changed = list;
    changed[entry] = value;
    const auto bytes = std::as_bytes(std::span(changed));
    file.set_column(block, 0, Bytes(bytes.begin(), bytes.end()));
    refuse(ErrorCode::bad_free_list, what);
  };
  with(0, list[1], "a slot twice");
  with(0, 0xffffffff, "a slot that does not exist");
  const RowGroup group = small_image().data[0].groups[0];
  const auto first_live = std::find(group.states.begin(), group.states.end(), 1);
  const auto live_slot = static_cast<std::uint32_t>(first_live - group.states.begin());
  with(0, live_slot, "a live slot");
  file.set_column(block, 0, Bytes(4, std::byte{0}));
  refuse(ErrorCode::bad_free_list, "one entry only");
}

TEST_F(Hostile, ChunkCounts) {
  const ForgedFile sound = file;
  file.blocks[rows].payload.resize(4);
  refuse(ErrorCode::bad_chunk, "no index");
  for (const std::uint32_t count : {0u, 1u << 20, 0x7fffffffu, 0xffffffffu}) {
    file = sound;
    store_le(file.blocks[rows].payload.data(), count);
    refuse(ErrorCode::bad_chunk, std::to_string(count) + " chunks");
  }
}

TEST_F(Hostile, ChunkEntries) {
  const ForgedFile sound = file;
  const auto each = [&](const std::function<void(ForgedChunk&)>& change, ErrorCode code,
                        const char* what) {
    file = sound;
    change_chunk(kFirstSchemaColumn, change);
    refuse(code, what);
  };
  each([](ForgedChunk& c) { c.entry.info.filter = 4; }, ErrorCode::bad_chunk, "unknown filter");
  each([](ForgedChunk& c) { c.entry.info.codec = 2; }, ErrorCode::bad_chunk, "unknown codec");
  each([](ForgedChunk& c) { c.entry.width = 4; }, ErrorCode::bad_chunk, "another width");
  each([](ForgedChunk& c) { c.entry.width = 3; }, ErrorCode::bad_chunk, "width 3");
  each([](ForgedChunk& c) { c.entry.info.piece = 1; }, ErrorCode::bad_chunk, "piece 1 first");
  each([](ForgedChunk& c) { c.entry.info.column = 4; }, ErrorCode::bad_chunk, "another column");
  each([](ForgedChunk& c) { c.stored.push_back(std::byte{0}); }, ErrorCode::bad_chunk,
       "a constant of two bytes");
  each([](ForgedChunk& c) { c.entry.info.raw_bytes = std::uint64_t{8} << 20; },
       ErrorCode::bad_lengths, "one byte that claims 8 MiB");
  each([](ForgedChunk& c) { c.entry.info.raw_bytes = (std::uint64_t{8} << 20) + 1; },
       ErrorCode::bad_chunk, "one byte that claims more than 8 MiB");
  each([](ForgedChunk& c) { c.entry.info.raw_bytes = std::uint64_t{1} << 40; },
       ErrorCode::bad_directory, "one byte that claims 1 TiB");
}

TEST_F(Hostile, ZstdFrames) {
  const ForgedFile sound = file;
  const Bytes raw(8200 * live, std::byte{7});
  const auto each = [&](Bytes stored, ErrorCode code, const char* what) {
    file = sound;
    change_chunk(kFirstSchemaColumn, [&](ForgedChunk& chunk) {
      chunk.entry.info.filter = 0;
      chunk.entry.info.codec = 1;
      chunk.stored = std::move(stored);
    });
    refuse(code, what);
  };
  file = sound;
  change_chunk(kFirstSchemaColumn, [&](ForgedChunk& chunk) {
    chunk.entry.info.filter = 0;
    chunk.entry.info.codec = 1;
    chunk.stored = compressed(raw);
  });
  ASSERT_TRUE(read_everything(file.sealed()));
  const Bytes frame = compressed(raw);
  Bytes twice = frame;
  twice.insert(twice.end(), frame.begin(), frame.end());
  each(twice, ErrorCode::bad_compression, "two frames");
  Bytes longer = frame;
  longer.push_back(std::byte{0});
  each(longer, ErrorCode::bad_compression, "a byte too many");
  each(Bytes(frame.begin(), frame.end() - 1), ErrorCode::bad_compression, "a byte too few");
  each(compressed(raw, false), ErrorCode::bad_compression, "no content size");
  each(compressed(Bytes(raw.size() + 1, std::byte{7})), ErrorCode::bad_compression,
       "one byte more than raw");
  each(compressed(Bytes(std::size_t{64} << 20, std::byte{7})), ErrorCode::bad_compression,
       "a bomb of 64 MiB");
  Bytes skippable;
  ByteWriter out(skippable);
  out.u32(0x184D2A50);
  out.u32(8);
  out.u64(0);
  each(skippable, ErrorCode::bad_compression, "a skippable frame");
}

TEST_F(Hostile, PartsThatAreTooLarge) {
  file.blocks[rows].head.info.raw_bytes = std::uint64_t{17} << 20;
  refuse(ErrorCode::bad_directory, "a part of 17 MiB");
}

TEST_F(Hostile, UnknownThings) {
  const ForgedFile sound = file;
  ForgedBlock& unknown = file.blocks[file.blocks.size() - 2];
  ASSERT_EQ(unknown.head.info.type, 201);
  unknown.head.info.flags = format::kBlockCritical;
  refuse(ErrorCode::unknown_block, "critical block");
  file = sound;
  file.blocks[file.blocks.size() - 2].head.info.flags = 8;
  refuse(ErrorCode::bad_directory, "reserved flag");
  file = sound;
  file.header.features.incompatible = 1;
  refuse(ErrorCode::unknown_feature, "incompatible feature");
  file = sound;
}

TEST_F(Hostile, TheVersionDecidesOnlyBefore09AndFrom20On) {
  const auto set_version = [this](std::uint16_t major, std::uint16_t minor) {
    file.header.version_major = major;
    file.header.version_minor = minor;
  };
  for (const std::uint16_t minor : std::initializer_list<std::uint16_t>{0, 1, 8}) {
    set_version(0, minor);
    refuse(ErrorCode::old_draft, "a draft");
  }
  set_version(0, 11);
  refuse(ErrorCode::newer_version, "a draft that there is not");
  set_version(0, 9);
  EXPECT_TRUE(read_everything(file.sealed())) << "the first release candidate";
  set_version(2, 0);
  refuse(ErrorCode::newer_version, "another major version");
  for (const std::uint16_t minor : std::initializer_list<std::uint16_t>{0, 1, 65535}) {
    set_version(1, minor);
    EXPECT_TRUE(read_everything(file.sealed())) << "1." << minor;
  }
}

TEST_F(Hostile, ReadOnlyFeatureIsReadButNeverRewritten) {
  file.header.features.read_only = 2;
  file.header.features.compatible = 4;
  const Bytes bytes = file.sealed();
  ASSERT_TRUE(read_everything(bytes));
  auto reader = open_bytes(bytes);
  MemorySink sink;
  const auto report = write_image(*image_of(std::move(*reader)), sink);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::read_only_feature);
}

// An index of more bytes than are read at first.
TEST(ManyColumns, AreRead) {
  std::vector<Field> fields;
  for (int i = 0; i < 300; ++i) fields.push_back(leaf(FieldKind::u16, "f" + std::to_string(i)));
  MemoryImage image;
  image.schema_list = {record(std::move(fields))};
  image.add(random_table(image.schema_list[0], {.slots = 100}));
  const Bytes bytes = written(image, {.packs = false});
  const Status status = read_everything(bytes);
  ASSERT_TRUE(status) << status.error().message();
  auto reader = open_bytes(bytes);
  const auto chunks = (*reader)->chunks(0, 0);
  ASSERT_TRUE(chunks);
  EXPECT_GE(chunks->size(), 300U);
  expect_equal(image, *image_of(*std::move(reader)));
  ForgedFile forged(bytes);
  auto all = forged.chunks(forged.find(BlockType::rows));
  all.back().entry.width = 4;
  forged.set_chunks(forged.find(BlockType::rows), all);
  expect_refused(forged.sealed(), ErrorCode::bad_chunk, "the width of the last of many columns");
}

// std::mt19937 bytes behind right hashes: any answer is fine, as long as there is one.
// Their ids fit one extension.
TEST(ManyColumns, FillPartsOf2048Chunks) {
  std::vector<Field> fields;
  for (int i = 0; i < 2100; ++i) fields.push_back(leaf(FieldKind::u8, "f" + std::to_string(i)));
  MemoryImage image;
  image.schema_list = {record(std::move(fields))};
  image.add(random_table(image.schema_list[0], {.slots = 3}));
  const Bytes bytes = written(image, {.packs = false});
  EXPECT_TRUE(read_everything(bytes));
  const ForgedFile file(bytes);
  const std::size_t rows = file.find(BlockType::rows);
  EXPECT_EQ(file.chunks(rows).size(), format::kMaxPartChunks);
  ASSERT_EQ(file.blocks[rows + 1].head.info.part, 1U);
  EXPECT_GE(file.chunks(rows + 1).size(), 2100U + 2 - format::kMaxPartChunks);
}

TEST(Checksums, AreNeededInFramesOfCatalogsAndPacksFrom010On) {
  ForgedFile file(written(small_image()));
  format::Compressor bare_frames(6);
  format::Compressor frames(6);
  frames.add_checksums();
  const auto compress = [](ForgedBlock& block, format::Compressor& compressor) {
    format::Buffer frame;
    ASSERT_TRUE(compressor.compress(block.payload, 0, frame));
    block.head.info.raw_bytes = block.payload.size();
    block.payload.assign(frame.bytes().begin(), frame.bytes().end());
  };
  ForgedFile bare = file;
  for (ForgedBlock& block : bare.blocks) {
    if (block.head.info.type == format::type_number(BlockType::catalog))
      compress(block, bare_frames);
  }
  expect_refused(bare.sealed(), ErrorCode::bad_compression, "no checksum");
  bare.header.version_minor = format::kFirstMinor;
  EXPECT_TRUE(read_everything(bare.sealed()));
  for (ForgedBlock& block : file.blocks) {
    if (block.head.info.type == format::type_number(BlockType::catalog)) compress(block, frames);
  }
  EXPECT_TRUE(read_everything(file.sealed()));
}

TEST_F(Hostile, RandomContentBehindRightHashes) {
  std::mt19937 random(3);
  const std::size_t cases = scaled(4000);
  for (std::size_t i = 0; i < cases; ++i) {
    ForgedFile hurt = file;
    ForgedBlock& block = hurt.blocks[random() % hurt.blocks.size()];
    for (std::size_t k = 1 + random() % 4; k > 0 && !block.payload.empty(); --k) {
      block.payload[random() % std::min<std::size_t>(block.payload.size(), 600)] =
          static_cast<std::byte>(random());
    }
    reset_largest_allocation();
    static_cast<void>(read_everything(hurt.sealed()));
    ASSERT_LT(largest_allocation(), std::size_t{2} << 20) << "case " << i;
  }
  std::printf("G10 random content with right hashes: cases=%zu failures=0\n", cases);
}

}  // namespace
}  // namespace hdb::test
