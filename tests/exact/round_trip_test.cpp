// X2: what dump_exact writes of an image is imported as that image, bit by bit.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <set>

#include "exact/exact_lines.hpp"
#include "exact/importer.hpp"
#include "format/sample.hpp"
#include "format/small_file.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/file_system.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "support/source_folder.hpp"

namespace hdb::test::exact_round_trip_test {
namespace {

void expect_round_trip(const ImageSource& image) {
  const auto lines = dumped_lines(image);
  ASSERT_TRUE(lines) << lines.error().message();
  const auto back = imported(*lines);
  ASSERT_TRUE(back) << back.error().message();
  expect_equal(image, **back);
  EXPECT_EQ(image.database(), (*back)->database());
  for (const Codec codec : {Codec::none, Codec::zstd})
    EXPECT_EQ(written(image, {.codec = codec}), written(**back, {.codec = codec}));
}

// One table of live records whose columns are given.
MemoryImage image_of_columns(Field schema, std::vector<Bytes> columns, std::uint32_t live) {
  MemoryImage image;
  image.schema_list = {std::move(schema)};
  SampleTable table;
  table.descriptor.name = "things";
  table.descriptor.policy.storage = Storage::stable;
  table.descriptor.group_shift = group_shift_for(image.schema_list[0]);
  table.descriptor.slot_count = table.descriptor.live_count = live;
  table.descriptor.highest_generation = 1;
  RowGroup& group = table.groups.emplace_back();
  group.states.assign(live, 1);
  group.generations.assign(live, 1);
  group.columns = std::move(columns);
  image.add(std::move(table));
  image.gives_hashes = false;
  return image;
}

template <class Bits>
Bytes column_of(const std::vector<Bits>& values) {
  Bytes bytes(values.size() * sizeof(Bits));
  for (std::size_t i = 0; i < values.size(); ++i)
    store_le(bytes.data() + i * sizeof(Bits), values[i]);
  return bytes;
}

TEST(ExactRoundTrip, EveryKindOfFieldStorageAndState) { expect_round_trip(sample_image()); }

TEST(ExactRoundTrip, NamesOfEnumerators) {
  Field mood = node(FieldKind::enumeration, "mood", {leaf(FieldKind::i16)});
  set_enumerators(mood, {{0, "calm"}, {0x8000, "lowest"}, {300, "\xe2\x80\xae \"quoted\""}});
  mood.extensions.push_back({200, 0, Bytes(2)});
  Field far = node(FieldKind::enumeration, {}, {leaf(FieldKind::u64)});
  set_enumerators(far, {{~std::uint64_t{0}, "far"}, {(std::uint64_t{1} << 53) + 1, "odd"}});
  Field list = node(FieldKind::list, "all", {far});
  const MemoryImage image = image_of_columns(
      record({mood, list}),
      {column_of(std::vector<std::uint16_t>{0, 7}), Bytes{std::byte{1}, std::byte{0}},
       column_of(std::vector<std::uint64_t>{~std::uint64_t{0}})},
      2);
  expect_round_trip(image);
  const auto lines = dumped_lines(image);
  ASSERT_TRUE(lines);
  std::string text;
  for (const std::string& line : *lines) text += line;
  EXPECT_NE(text.find(R"("values":[{"number":-32768,"name":"lowest"},)"), std::string::npos);
  EXPECT_NE(text.find(R"({"number":"18446744073709551615","name":"far"}])"), std::string::npos);
}

TEST(ExactRoundTrip, NoTablesAtAll) { expect_round_trip(MemoryImage{}); }

TEST(ExactRoundTrip, UnknownBlocksAndManyGroups) { expect_round_trip(small_image()); }

TEST(ExactRoundTrip, RandomImages) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    MemoryImage image;
    image.meta.sequence = random();
    image.meta.values = {{std::string("\0\x7f", 2), "\x1b[31m"}, {"k", "\xe2\x80\xae"}};
    image.thumb.assign(random() % 70000, std::byte{7});
    image.schema_list = {every_kind(), plain_schema()};
    const std::array names{"a", "b", "c:1@2", "\xc3\xa4 \"\\"};
    for (std::uint32_t i = 0; i < names.size(); ++i) {
      SampleOptions options{.name = names[i], .schema = i % 2, .seed = seed * 7 + i};
      options.slots = random() % 150;
      options.live_percent = static_cast<unsigned>(random() % 101);
      options.retired_percent = (100 - options.live_percent) / 2;
      options.policy.storage = random() % 2 == 0 ? Storage::dense : Storage::stable;
      options.policy.free_list = random() % 2 == 0 ? FreeList::lifo : FreeList::fifo;
      options.policy.overflow = random() % 2 == 0 ? Overflow::retire : Overflow::wrap;
      options.policy.generations =
          random() % 2 == 0 ? Generations::per_slot : Generations::table_counter;
      constexpr HandleLayout kLayouts[] = {{32, 31, 0}, {24, 8, 0}, {10, 6, 0}, {40, 23, 0}};
      constexpr HandleLayout kTyped[] = {{32, 16, 15}, {12, 10, 8}, {33, 15, 16}, {9, 16, 7}};
      options.policy.layout = (i == 3 ? kTyped : kLayouts)[random() % 4];
      SampleTable table = random_table(image.schema_list[i % 2], options);
      if (i == 3) table.descriptor.type_id = 77;
      if (i == 1) table.descriptor.scope = Scope::unhashed;
      table.descriptor.flush_cursor =
          table.descriptor.slot_count == 0
              ? 0
              : static_cast<std::uint32_t>(random() % table.descriptor.slot_count);
      image.add(std::move(table));
    }
    expect_round_trip(image);
  }
}

TEST(ExactRoundTrip, FloatsKeepEveryBit) {
  std::vector<std::uint32_t> f32{0,          0x80000000, 1,          0x807fffff, 0x7f7fffff,
                                 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001,
                                 0x7fffffff, 0x3dcccccd, 0x4b800001};
  std::vector<std::uint64_t> f64{0,
                                 0x8000000000000000,
                                 1,
                                 0x800fffffffffffff,
                                 0x7fefffffffffffff,
                                 0x7ff0000000000000,
                                 0xfff0000000000000,
                                 0x7ff8000000000000,
                                 0xfff8000000000000,
                                 0x7ff0000000000001,
                                 0x7fffffffffffffff,
                                 0x3fb999999999999a,
                                 0x4340000000000001};
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) {
    f32.push_back(static_cast<std::uint32_t>(random()));
    f64.push_back(std::uint64_t{random()} << 32 | random());
  }
  const auto live = static_cast<std::uint32_t>(f32.size());
  expect_round_trip(image_of_columns(record({leaf(FieldKind::f32, "a"), leaf(FieldKind::f64, "b")}),
                                     {column_of(f32), column_of(f64)}, live));
}

TEST(ExactRoundTrip, IntegersOfSixtyFourBits) {
  const std::vector<std::uint64_t> values{0,
                                          (std::uint64_t{1} << 53) - 1,
                                          std::uint64_t{1} << 53,
                                          (std::uint64_t{1} << 53) + 1,
                                          0x7fffffffffffffff,
                                          0x8000000000000000,
                                          0x8000000000000001,
                                          0xffffffffffffffff};
  const MemoryImage image =
      image_of_columns(record({leaf(FieldKind::i64, "a"), leaf(FieldKind::u64, "b")}),
                       {column_of(values), column_of(values)}, 8);
  expect_round_trip(image);
  const auto lines = dumped_lines(image);
  ASSERT_TRUE(lines);
  EXPECT_NE((*lines)[7].find(R"({"a":"9223372036854775807","b":"9223372036854775807"})"),
            std::string::npos)
      << "what readers of JSON would round is a text: " << (*lines)[7];
  EXPECT_NE((*lines)[5].find(R"({"a":9007199254740992,"b":9007199254740992})"), std::string::npos)
      << "all others are numbers: " << (*lines)[5];
}

TEST(ExactRoundTrip, TextsOfAnyBytes) {
  std::vector<std::string> texts;
  for (int i = 0; i < 256; ++i) texts.emplace_back(3, static_cast<char>(i));
  for (const char* text : {"", "\"\\/\b\f\n\r\t", "\xf0\x9f\x8e\xae", "\xef\xbf\xbf",
                           "\xe2\x80\xae", "\xed\xa0\x80", "{\"hex\":\"00\"}", "null"}) {
    texts.emplace_back(text);
  }
  Bytes lengths;
  Bytes bytes;
  for (const std::string& text : texts) {
    ByteWriter(lengths).varint(text.size());
    ByteWriter(bytes).raw(bytes_of(text));
  }
  const auto live = static_cast<std::uint32_t>(texts.size());
  expect_round_trip(
      image_of_columns(record({leaf(FieldKind::string, "text"), leaf(FieldKind::opaque, "blob")}),
                       {lengths, bytes, lengths, bytes}, live));
}

TEST(ExactRoundTrip, HandlesAreNamedWhereTheTableIsKnownElseTheirBits) {
  Field named = leaf(FieldKind::handle, "named");
  named.table = "things";
  Field lost = leaf(FieldKind::handle, "lost");
  lost.table = "no such table";
  Field small = leaf(FieldKind::handle, "small");
  small.layout = {16, 16, 0};
  const std::vector<std::uint64_t> bits{0, 5 | std::uint64_t{7} << 32, std::uint64_t{1} << 63};
  const MemoryImage image = image_of_columns(
      record({named, lost, small}),
      {column_of(bits), column_of(bits), column_of<std::uint32_t>({0, 1, 0xffffffff})}, 3);
  expect_round_trip(image);
  const auto lines = dumped_lines(image);
  ASSERT_TRUE(lines);
  EXPECT_NE((*lines)[3].find(R"({"named":null,"lost":null,"small":null})"), std::string::npos);
  EXPECT_NE((*lines)[4].find(
                R"({"named":"things:5@7","lost":"0x0000000700000005","small":"0x00000001"})"),
            std::string::npos)
      << (*lines)[4];
  EXPECT_NE((*lines)[5].find(R"("named":"0x8000000000000000")"), std::string::npos) << (*lines)[5];
}

TEST(ExactRoundTrip, NothingSomethingAndNothingWithinSomething) {
  Field target = leaf(FieldKind::handle);
  Field nested = node(FieldKind::optional, "nested", {node(FieldKind::optional, {}, {target})});
  // none, some(none), some(some(null)), some(some(1)).
  expect_round_trip(image_of_columns(
      record({nested}), {{std::byte{0b1110}}, {std::byte{0b110}}, column_of<std::uint64_t>({0, 1})},
      4));
}

TEST(ExactRoundTrip, GoldenFilesByteForByte) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(in_sources("fixtures/v0.10"))) {
    if (entry.path().extension() != ".hdb") continue;
    SCOPED_TRACE(entry.path());
    auto source = FileSource::open(entry.path().string());
    ASSERT_TRUE(source);
    auto reader = Reader::open(std::move(*source));
    ASSERT_TRUE(reader);
    const std::shared_ptr<const Reader> file = *std::move(reader);
    const auto image = image_of(file);
    expect_round_trip(*image);
    const auto lines =
        dumped_lines(*image, inspect::DumpedFile{file->info().state_hash, file->info().file_id});
    ASSERT_TRUE(lines);
    const auto back = imported(*lines);
    ASSERT_TRUE(back);
    MemorySink sink;
    const auto report = write_image(**back, sink);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->state_hash, file->info().state_hash);
    ++files;
  }
  EXPECT_GE(files, 9U);
}

TEST(ExactRoundTrip, BlobsNamesAndUnfinishedSorts) {
  auto reader =
      Reader::open(std::move(FileSource::open(in_sources("fixtures/v0/all_kinds.hdb")).value()));
  ASSERT_TRUE(reader);
  std::set<std::string> seen;
  for (const TableDescriptor& table : (*reader)->tables()) {
    if (table.blobs) seen.insert("blobs");
    if (table.policy.names != RecordNames::none) seen.insert("names");
    if (!table.extensions.empty()) seen.insert("sort");
    if (table.flush_cursor != 0) seen.insert("flush");
  }
  // Of these GoldenFilesByteForByte shows that they come back.
  EXPECT_TRUE(seen.contains("blobs") && seen.contains("names") && seen.contains("sort"));
}

TEST(ExactRoundTrip, AnEditedValueIsImported) {
  const MemoryImage image = image_of_columns(record({leaf(FieldKind::i32, "hp")}),
                                             {column_of<std::uint32_t>({100, 7})}, 2);
  auto lines = dumped_lines(image);
  ASSERT_TRUE(lines);
  std::string& line = (*lines)[3];
  const std::size_t at = line.find("\"hp\":100");
  ASSERT_NE(at, std::string::npos) << line;
  line.replace(at, 8, "\"hp\" : -5 ");
  const auto back = imported(*lines);
  ASSERT_TRUE(back) << back.error().message();
  RowGroup group;
  ASSERT_TRUE((*back)->read_group(0, 0, false, group));
  EXPECT_EQ(group.columns[0], column_of<std::uint32_t>({0xfffffffb, 7}));
}

}  // namespace
}  // namespace hdb::test::exact_round_trip_test
