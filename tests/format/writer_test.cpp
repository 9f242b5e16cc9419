// F15, F17: the bytes do not depend on threads; what would not load is not written; nothing thrown
// is lost.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <new>
#include <set>
#include <stdexcept>
#include <thread>

#include "format/frame/frame.hpp"
#include "format/sample.hpp"
#include "format/small_file.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/chunk_cache.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "support/allocation_watch.hpp"
#include "support/scale.hpp"

namespace hdb::test {
namespace {

// Many groups, so that threads run out of step.
MemoryImage many_groups() {
  MemoryImage image = small_image();
  const Field& schema = image.schema_list[0];
  image.add(random_table(schema, {.name = "zzz", .slots = 3000, .live_percent = 3, .seed = 9}));
  return image;
}

TEST(Determinism, AnyNumberOfThreadsGivesTheSameBytes) {
  const MemoryImage image = many_groups();
  const Bytes one = written(image);
  EXPECT_EQ(written(image), one);
  for (const unsigned threads : {2U, 3U, 8U, 100U})
    EXPECT_EQ(written(image, {.threads = threads}), one) << threads;
}

TEST(Determinism, AnyExecutorGivesTheSameBytes) {
  const MemoryImage image = many_groups();
  const Bytes one = written(image);
  WriteOptions options;
  options.threads = 4;
  options.executor = [](unsigned count, const std::function<void(unsigned)>& task) {
    for (unsigned i = count; i-- > 0;) task(i);  // one after another, backwards
  };
  EXPECT_EQ(written(image, options), one);
  options.executor = [](unsigned count, const std::function<void(unsigned)>& task) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < count; ++i) threads.emplace_back(task, i);
    for (std::thread& thread : threads) thread.join();
  };
  EXPECT_EQ(written(image, options), one);
  options.executor = [](unsigned, const std::function<void(unsigned)>&) {};  // runs nothing
  EXPECT_EQ(written(image, options), one);
}

TEST(Determinism, TheStateHashDoesNotDependOnCodecLevelOrFilters) {
  const MemoryImage image = sample_image();
  const auto hash = [&](const WriteOptions& options) {
    MemorySink sink;
    return write_image(image, sink, options)->state_hash.hex();
  };
  const std::string one = hash({});
  EXPECT_EQ(hash({.codec = Codec::none}), one);
  EXPECT_EQ(hash({.level = 5, .threads = 2, .filters = false}), one);
}

TEST(Determinism, TwoFilesNeverHaveOneIdUnlessTheProgramSetsIt) {
  const MemoryImage image = small_image();
  MemorySink sink;
  std::set<Hash128> ids;
  const std::size_t files = test::scaled(1000);
  for (std::size_t i = 0; i < files; ++i) ids.insert(write_image(image, sink)->file_id);
  EXPECT_EQ(ids.size(), files);
  const Hash128 id{0, 7};
  const auto report = write_image(image, sink, {.file_id = id});
  EXPECT_EQ(report->file_id, id);
  EXPECT_EQ(report->state_hash, write_image(image, sink)->state_hash);
}

TEST(Limits, AFileOfFewBytesDoesNotHoldManyGigabytes) {
  constexpr std::uint64_t kAny = format::kAnyContentBytes;
  const auto is_accepted = [](std::uint64_t content, std::uint64_t file_bytes) {
    const BlockInfo blocks[] = {
        {.type = 4, .stored_bytes = content / 999, .raw_bytes = content / 2},
        {.type = 200, .raw_bytes = ~std::uint64_t{0}},  // means what it will
        {.type = 6, .raw_bytes = content - content / 2}};
    return format::check_content_ratio(blocks, file_bytes, {}).has_value();
  };
  EXPECT_TRUE(is_accepted(kAny, 100));
  EXPECT_FALSE(is_accepted(kAny + 1, 100));
  EXPECT_TRUE(is_accepted(10 * kAny, 10 * kAny / 999));
  EXPECT_FALSE(is_accepted(10 * kAny, 10 * kAny / 1001));
}

// A record of equal bytes in each row group, and a free list that compresses as well.
MemoryImage equal_bytes(std::uint64_t groups, std::uint8_t group_shift, std::uint64_t bytes) {
  MemoryImage image;
  image.schema_list = {record(
      {node(FieldKind::list, "list", {leaf(FieldKind::u8)}), leaf(FieldKind::u64, "number")})};
  const std::size_t slots = std::size_t{1} << group_shift;
  SampleTable table;
  TableDescriptor& descriptor = table.descriptor;
  descriptor.name = "t";
  descriptor.policy.storage = Storage::stable;
  descriptor.group_shift = group_shift;
  descriptor.slot_count = groups * slots;
  descriptor.live_count = groups;
  descriptor.free_count = descriptor.slot_count - groups;
  descriptor.highest_generation = 1;
  for (std::uint64_t i = 0; i < groups; ++i) {
    RowGroup& group = table.groups.emplace_back();
    group.first_slot = i * slots;
    group.states.assign(slots, 0);
    group.states[0] = 1;
    group.generations.assign(slots, 1);
    group.columns.resize(3);
    ByteWriter(group.columns[0]).varint(bytes);
    group.columns[1].resize(static_cast<std::size_t>(bytes));
    group.columns[2].resize(8);
  }
  for (std::uint32_t slot = 0; slot < descriptor.slot_count; ++slot) {
    if (slot % slots != 0) table.free_list.push_back(slot);
  }
  image.add(std::move(table));
  image.gives_hashes = false;
  return image;
}

// Checks that each block of rows, and each block of a free list, is within the ratio.
void expect_density(const MemoryImage& image, Codec codec, std::uint64_t ratio, bool lists,
                    std::size_t most_bytes) {
  WriteOptions options{.codec = codec, .file_id = Hash128{0, 7}};
  options.limits.max_content_ratio = ratio;
  const Bytes file = written(image, options);
  EXPECT_LT(file.size(), most_bytes) << ratio;
  ASSERT_TRUE(read_everything(file, {.verify_raw_hashes = true})) << ratio;
  const auto reader = open_bytes(file).value();
  for (const BlockInfo& block : reader->blocks()) {
    if (block.type != 4 && (block.type != 5 || !lists)) continue;
    EXPECT_LT(block.raw_bytes / block.stored_bytes, ratio) << unsigned{block.type};
  }
}

TEST(Density, LargeGroupsOfEqualBytesAreAsDenseAsEveryReaderAccepts) {
  const MemoryImage image = equal_bytes(1, 6, 9'000'000);  // a piece of 8 MiB, and a smaller one
  for (const std::uint64_t ratio : {1000U, 200U})
    expect_density(image, Codec::zstd, ratio, false, 300'000);
  expect_density(image, Codec::zstd, 30, false, 9'100'000);
  expect_density(image, Codec::zstd, ~std::uint64_t{0}, false, 5'000);
  expect_density(image, Codec::none, 1000, false, 9'100'000);
}

TEST(Density, FilesOfManyGroupsAreAsDenseAsEveryReaderAccepts) {
  expect_density(equal_bytes(65, 12, 400'000), Codec::zstd, 1000, true, 150'000);
}

TEST(Density, ChunksOfACacheAreOnlyTakenWhereTheyWouldBeTheSame) {
  ChunkCache cache;
  MemoryImage image = equal_bytes(1, 6, 9'000'000);
  const auto both = [&] {
    WriteOptions options{.file_id = Hash128{0, 7}};
    const Bytes fresh = written(image, options);
    options.cache = &cache;
    EXPECT_EQ(written(image, options), fresh);
  };
  both();
  std::uint64_t noise = 1;  // in the second piece, with which the first one may be dense
  for (std::byte& byte : std::span(image.data[0].groups[0].columns[1]).last(30'000))
    byte = static_cast<std::byte>((noise = noise * 6364136223846793005 + 1) >> 56);
  both();
  image = equal_bytes(1, 6, 9'000'000);
  both();
}

void expect_not_written(const std::function<void(MemoryImage&)>& spoil, ErrorCode code,
                        const WriteOptions& options = {}) {
  MemoryImage image = small_image();
  spoil(image);
  MemorySink sink;
  const auto report = write_image(image, sink, options);
  ASSERT_FALSE(report) << code_name(code);
  EXPECT_EQ(code_name(report.error().code), code_name(code)) << report.error().message();
}

TEST(WriterRefuses, SchemasAndTablesThatBreakTheRules) {
  expect_not_written([](MemoryImage& i) { i.schema_list[0].kind = FieldKind::u8; },
                     ErrorCode::refused_type);
  expect_not_written([](MemoryImage& i) { i.schema_list.push_back(record({})); },
                     ErrorCode::bad_schema);
  expect_not_written([](MemoryImage& i) { i.data[0].descriptor.schema = 1; }, ErrorCode::bad_table);
  expect_not_written([](MemoryImage& i) { i.data[0].descriptor.name = ""; }, ErrorCode::bad_table);
  expect_not_written([](MemoryImage& i) { i.data[0].descriptor.name = "a\nb"; },
                     ErrorCode::bad_table);
  expect_not_written([](MemoryImage& i) { i.data[0].descriptor.live_count += 1; },
                     ErrorCode::bad_table);
  expect_not_written([](MemoryImage& i) { i.data[0].descriptor.group_shift = 5; },
                     ErrorCode::bad_table);
  expect_not_written([](MemoryImage& i) { i.add(i.data[0]); }, ErrorCode::bad_table);
  expect_not_written(
      [](MemoryImage& i) {
        i.data[0].descriptor.live_count -= 1;
        i.data[0].descriptor.free_count += 1;
        i.data[0].free_list.push_back(0);
      },
      ErrorCode::bad_dense_order);
}

TEST(WriterRefuses, GroupsThatWouldNotLoad) {
  const auto group = [](auto spoil) {
    return [spoil](MemoryImage& i) { spoil(i.data[0].groups[1]); };
  };
  expect_not_written(group([](RowGroup& g) { g.states.pop_back(); }), ErrorCode::bad_slots);
  expect_not_written(group([](RowGroup& g) { g.generations.back() = 5000; }), ErrorCode::bad_slots);
  expect_not_written(group([](RowGroup& g) { g.states.back() = 7; }), ErrorCode::bad_slots);
  expect_not_written(group([](RowGroup& g) { g.first_slot = 0; }), ErrorCode::bad_slots);
  expect_not_written(group([](RowGroup& g) { g.positions.push_back(0); }),
                     ErrorCode::bad_dense_order);
  expect_not_written(group([](RowGroup& g) { g.positions[0] = 10000; }),
                     ErrorCode::bad_dense_order);
  expect_not_written(group([](RowGroup& g) { g.columns.pop_back(); }), ErrorCode::bad_lengths);
  expect_not_written(group([](RowGroup& g) { g.columns[0].pop_back(); }), ErrorCode::bad_lengths);
  expect_not_written(group([](RowGroup& g) { g.columns[5][0] = std::byte{2}; }),
                     ErrorCode::invalid_value);
  expect_not_written([](MemoryImage& i) { i.data[0].free_list[0] = i.data[0].free_list[1]; },
                     ErrorCode::bad_free_list);
}

TEST(WriterRefuses, TextsThatAreNotUtf8) {
  expect_not_written([](MemoryImage& i) { i.meta.title = "\xff"; }, ErrorCode::bad_metadata);
  expect_not_written([](MemoryImage& i) { i.meta.values["\xff"] = "x"; }, ErrorCode::bad_metadata);
}

TEST(WriterRefuses, BlocksThatMustNotBeCopied) {
  expect_not_written([](MemoryImage& i) { i.extra[0].type = 4; }, ErrorCode::unexpected_block);
  expect_not_written([](MemoryImage& i) { i.extra[0].flags = 0; }, ErrorCode::unexpected_block);
}

TEST(WriterRefuses, WhatItsLimitsWouldNotLoad) {
  const auto limited = [](auto change) {
    WriteOptions options;
    change(options.limits);
    return options;
  };
  const auto nothing = [](MemoryImage&) {};
  const ErrorCode code = ErrorCode::limit_exceeded;
  expect_not_written(nothing, code, limited([](ReadLimits& l) { l.max_file_bytes = 1000; }));
  expect_not_written(nothing, code, limited([](ReadLimits& l) { l.max_slots_per_table = 149; }));
  expect_not_written(nothing, code, limited([](ReadLimits& l) { l.max_tables = 0; }));
  expect_not_written(nothing, code, limited([](ReadLimits& l) { l.max_schema_fields = 5; }));
  expect_not_written(nothing, code, limited([](ReadLimits& l) { l.max_blocks = 8; }));
  expect_not_written(nothing, code, limited([](ReadLimits& l) { l.max_metadata_bytes = 10; }));
  expect_not_written(nothing, code, limited([](ReadLimits& l) { l.max_thumbnail_bytes = 10; }));
  expect_not_written(nothing, code, limited([](ReadLimits& l) { l.max_directory_bytes = 100; }));
  expect_not_written(nothing, code, limited([](ReadLimits& l) { l.max_column_bytes = 1000; }));
  expect_not_written(nothing, ErrorCode::memory_budget,
                     limited([](ReadLimits& l) { l.max_memory_bytes = 10000; }));
}

TEST(WriterRefuses, Options) {
  const auto nothing = [](MemoryImage&) {};
  expect_not_written(nothing, ErrorCode::bad_options, {.level = 0});
  expect_not_written(nothing, ErrorCode::bad_options, {.level = 20});
  expect_not_written(nothing, ErrorCode::bad_options, {.threads = 0});
  expect_not_written(nothing, ErrorCode::bad_options, {.codec = static_cast<Codec>(2)});
}

TEST(Writer, CancelStopsIt) {
  std::atomic<bool> cancel{false};
  WriteOptions options;
  options.threads = 3;
  options.cancel = &cancel;
  options.on_progress = [&](const Progress& progress) { cancel = progress.groups_done >= 5; };
  MemorySink sink;
  const auto report = write_image(many_groups(), sink, options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::cancelled);
}

TEST(Writer, ProgressRisesToTheEnd) {
  const MemoryImage image = many_groups();
  std::uint64_t before = 0;
  std::uint64_t rises = 0;
  Progress last;
  WriteOptions options;
  options.threads = 4;
  options.on_progress = [&](const Progress& progress) {
    EXPECT_GE(progress.groups_done, before);
    rises += progress.groups_done > before ? 1 : 0;
    before = progress.groups_done;
    last = progress;
  };
  static_cast<void>(written(image, options));
  EXPECT_EQ(last.groups_done, last.groups_total);
  EXPECT_EQ(rises, last.groups_total) << "after each row group";
  EXPECT_GE(last.groups_total, 50U);
}

class FailingSink : public ByteSink {
 public:
  explicit FailingSink(int writes) : writes_(writes) {}
  Status write(std::span<const std::byte>) override {
    if (writes_-- > 0) return {};
    return fail(ErrorCode::disk_full, "full");
  }

 private:
  int writes_;
};

TEST(Writer, TheSinksErrorIsReturned) {
  const MemoryImage image = many_groups();
  for (int writes = 0; writes < 40; writes += 3) {
    FailingSink sink(writes);
    const auto report = write_image(image, sink, {.threads = 3});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::disk_full);
  }
}

class ThrowingImage : public MemoryImage {
 public:
  explicit ThrowingImage(MemoryImage image) : MemoryImage(std::move(image)) {}
  Status read_group(std::size_t table, std::uint64_t group, bool with_hash,
                    RowGroup& out) const override {
    if (group == 7) throw std::runtime_error("thrown by the image");
    return MemoryImage::read_group(table, group, with_hash, out);
  }
};

TEST(Writer, WhatAWorkerThrowsReachesTheCaller) {
  const ThrowingImage image(many_groups());
  for (const unsigned threads : {1U, 4U}) {
    MemorySink sink;
    EXPECT_THROW(static_cast<void>(write_image(image, sink, {.threads = threads})),
                 std::runtime_error);
  }
}

// G4 for this layer: every allocation fails once; the call throws bad_alloc, or returns, but never
// loses it.
TEST(Writer, OutOfMemoryAnywhereThrows) {
  const MemoryImage image = small_image();
  for (const unsigned threads : {1U, 2U}) {
    bool done = false;
    std::size_t n = 1;
    for (; !done; ++n) {
      ASSERT_LT(n, 20000U);
      MemorySink sink;
      fail_allocation(n);
      try {
        done = write_image(image, sink, {.threads = threads}).has_value();
        fail_allocation(0);
        EXPECT_TRUE(done);
      } catch (const std::bad_alloc&) {
        fail_allocation(0);
      }
    }
    EXPECT_GT(n, 50U);
  }
}

TEST(Reader, OutOfMemoryAnywhereThrows) {
  const Bytes bytes = written(small_image());
  bool done = false;
  std::size_t n = 1;
  for (; !done; ++n) {
    ASSERT_LT(n, 20000U);
    fail_allocation(n);
    try {
      done = read_everything(bytes).has_value();
      fail_allocation(0);
      EXPECT_TRUE(done);
    } catch (const std::bad_alloc&) {
      fail_allocation(0);
    }
  }
  EXPECT_GT(n, 50U);
}

TEST(Reader, ManyThreadsReadTheSameGroups) {
  const MemoryImage image = many_groups();
  const Bytes bytes = written(image);
  auto reader = open_bytes(bytes);
  ASSERT_TRUE(reader);
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      RowGroup group;
      for (std::uint64_t i = 0; i < image.data[1].groups.size(); ++i) {
        const bool sound = (*reader)->read_group(1, i, group).has_value();
        if (!sound || group.columns != image.data[1].groups[i].columns) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

// What a reader would refuse is not written.
TEST(Writer, RefusesTablesThatAFileCannotHold) {
  const auto refusal = [](const std::function<void(MemoryImage&)>& change) {
    MemoryImage image;
    image.schema_list = {plain_schema(), plain_schema()};
    image.schema_list[1].children.back().name = "other";
    for (const char* const name : {"a", "b"}) {
      image.add(random_table(image.schema_list[0],
                             {.name = name, .schema = *name == 'a' ? 0U : 1U, .slots = 20}));
    }
    change(image);
    MemorySink sink;
    const auto report = write_image(image, sink);
    EXPECT_TRUE(sink.bytes().empty() || report);
    return report ? "written" : report.error().what;
  };
  const auto first = [](MemoryImage& image) -> TableDescriptor& {
    return image.data[0].descriptor;
  };
  EXPECT_EQ(refusal([](MemoryImage&) {}), "written");
  EXPECT_EQ(refusal([&](MemoryImage& image) { first(image).name = "b"; }),
            "table 'b' is out of order: tables are sorted by name");
  EXPECT_EQ(refusal([&](MemoryImage& image) { first(image).schema = 2; }),
            "table 'a' names a schema that does not exist");
  EXPECT_EQ(refusal([&](MemoryImage& image) { first(image).schema = 1; }),
            "a schema belongs to no table");
  EXPECT_EQ(refusal([&](MemoryImage& image) { first(image).scope = Scope::unsaved; }),
            "table 'a' has a scope that files cannot hold");
  EXPECT_EQ(refusal([&](MemoryImage& image) { image.schema_list[0].children[0].name = "@x"; }),
            "table 'a': the field name '@x' is reserved");
  EXPECT_EQ(refusal([&](MemoryImage& image) {
              first(image).policy.is_component = true;
              first(image).owner = "c";
            }),
            "table 'a': its owner 'c' is not in the file");
  EXPECT_EQ(refusal([&](MemoryImage& image) {
              for (SampleTable& table : image.data) {
                table.descriptor.policy.layout.type_bits = 8;
                table.descriptor.policy.layout.index_bits = 24;
                table.descriptor.type_id = 3;
              }
            }),
            "table 'b' has the type id of another table");
}

}  // namespace
}  // namespace hdb::test
