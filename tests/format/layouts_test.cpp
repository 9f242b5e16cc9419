// Handle layouts in files: any valid one is written and read back, every other one is refused; what
// a stored handle names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include "format/forge.hpp"
#include "format/sample.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb::test::layouts_test {
namespace {

using format::BlockType;
using testing::HasSubstr;

HandleLayout random_layout(std::mt19937_64& random) {
  HandleLayout layout;
  do {
    layout.index_bits = static_cast<std::uint8_t>(8 + random() % 55);
    layout.generation_bits = static_cast<std::uint8_t>(1 + random() % 31);
    layout.type_bits = static_cast<std::uint8_t>(random() % 17);
  } while (!layout.is_valid());
  return layout;
}

Field handle_field(const HandleLayout& layout, std::string table) {
  Field field = leaf(FieldKind::handle, "target");
  field.layout = layout;
  field.table = std::move(table);
  return field;
}

TEST(Layouts, TablesAndFieldsOfRandomLayoutsAreReadBack) {
  std::mt19937_64 random(4);
  std::size_t widths[9] = {};
  for (unsigned round = 0; round < 60; ++round) {
    MemoryImage image;
    for (std::uint32_t i = 0; i < 3; ++i) {
      const HandleLayout layout = random_layout(random);
      ++widths[layout.byte_size()];
      const std::string name = "t" + std::to_string(i);
      image.schema_list.push_back(record({handle_field(layout, name)}));
      SampleOptions options{.name = name, .schema = i};
      options.policy.layout = layout;
      options.policy.storage = random() % 2 == 0 ? Storage::dense : Storage::stable;
      options.policy.overflow = random() % 2 == 0 ? Overflow::retire : Overflow::wrap;
      options.seed = 10 * round + i;
      SampleTable table = random_table(image.schema_list[i], options);
      if (layout.type_bits >= 2) table.descriptor.type_id = static_cast<std::uint16_t>(1 + i);
      image.add(std::move(table));
    }
    const Bytes bytes = written(image);
    const Status status = read_everything(bytes);
    ASSERT_TRUE(status) << status.error().message();
    auto reader = open_bytes(bytes);
    ASSERT_TRUE(reader) << reader.error().message();
    expect_equal(image, *image_of(std::move(*reader)));
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  EXPECT_GT(widths[2], 0U);
  EXPECT_GT(widths[4], 0U);
  EXPECT_GT(widths[8], 0U);
}

// A file whose only table has the layout <20,12>, and whose records hold a handle of the layout
// <21,11>.
class HostileLayout : public testing::Test {
 protected:
  HostileLayout() : sound_(written(image())) {}

  static MemoryImage image() {
    MemoryImage image;
    image.schema_list = {record({handle_field({21, 11, 0}, "u")})};
    SampleOptions options{.name = "u"};
    options.policy.layout = {20, 12, 0};
    image.add(random_table(image.schema_list[0], options));
    return image;
  }

  // Puts `layout` in the place of the three bytes `before`, in both catalogs.
  Status read_with(const HandleLayout& before, const HandleLayout& layout) {
    const auto bytes = [](const HandleLayout& of) {
      return std::array{std::byte{of.index_bits}, std::byte{of.generation_bits},
                        std::byte{of.type_bits}};
    };
    ForgedFile file = sound_;
    for (ForgedBlock& block : file.blocks) {
      if (block.head.info.type != format::type_number(BlockType::catalog)) continue;
      const auto from = bytes(before);
      const auto to = bytes(layout);
      const auto at =
          std::search(block.payload.begin(), block.payload.end(), from.begin(), from.end());
      EXPECT_NE(at, block.payload.end());
      std::copy(to.begin(), to.end(), at);
    }
    return read_everything(file.sealed());
  }

  ForgedFile sound_;
};

constexpr HandleLayout kNoLayouts[] = {{0, 12, 0},   {20, 0, 0},   {0, 0, 0},    {20, 32, 0},
                                       {20, 12, 17}, {34, 31, 0},  {63, 1, 1},   {64, 0, 0},
                                       {64, 1, 0},   {33, 16, 16}, {255, 1, 0},  {1, 255, 0},
                                       {1, 1, 255},  {255, 2, 0},  {200, 31, 25}};

TEST_F(HostileLayout, OfATableIsRefused) {
  ASSERT_TRUE(read_with({20, 12, 0}, {20, 12, 0}));
  for (const HandleLayout& layout : kNoLayouts) {
    const Status status = read_with({20, 12, 0}, layout);
    ASSERT_FALSE(status) << layout_text(layout);
    EXPECT_EQ(code_name(status.error().code), code_name(ErrorCode::bad_table));
    EXPECT_THAT(status.error().message(), HasSubstr(layout_text(layout)));
  }
}

TEST_F(HostileLayout, OfAFieldIsRefused) {
  ASSERT_TRUE(read_with({21, 11, 0}, {21, 11, 0}));
  for (const HandleLayout& layout : kNoLayouts) {
    const Status status = read_with({21, 11, 0}, layout);
    ASSERT_FALSE(status) << layout_text(layout);
    EXPECT_EQ(code_name(status.error().code), code_name(ErrorCode::bad_schema));
    EXPECT_THAT(status.error().message(), HasSubstr(layout_text(layout)));
  }
  EXPECT_FALSE(read_with({21, 11, 0}, {10, 6, 0})) << "its columns are narrower";
}

TEST(Layouts, TextOfALayoutIsReadBackAndNothingElseIs) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 1000; ++i) {
    const HandleLayout layout = random_layout(random);
    EXPECT_EQ(layout_of_text(layout_text(layout)), layout);
  }
  for (const HandleLayout& layout : kNoLayouts) EXPECT_FALSE(layout_of_text(layout_text(layout)));
  for (const char* const text :
       {"", "<", "<20", "<20,", "<20,12", "20,12", "<20,12,>", "<20,12,0>", "<20,12>x", " <20,12>",
        "<020,12>", "<276,12>", "<20,12,3,4>", "<-1,12>", "<20 ,12>"}) {
    EXPECT_FALSE(layout_of_text(text)) << text;
  }
}

// Section 4.3: which table a stored handle belongs to.
TEST(Layouts, AHandleBelongsToTheTableOfItsLayoutNameAndTypeId) {
  std::vector<TableDescriptor> tables(3);
  tables[0].name = "a";
  tables[0].policy.layout = {40, 20, 0};
  tables[1].name = "b";
  tables[1].policy.layout = {33, 15, 16};
  tables[1].type_id = 65535;
  tables[2].name = "c";
  tables[2].policy.layout = {10, 4, 2};
  tables[2].type_id = 3;
  const HandleNamer namer(tables);
  const Field a = handle_field({40, 20, 0}, "a");
  const std::uint64_t handle = 5 | std::uint64_t{7} << 40;
  EXPECT_EQ(namer.name(a, handle), "a:5@7");
  EXPECT_EQ(namer.name(a, 0), "null");
  EXPECT_EQ(namer.name(a, handle | std::uint64_t{1} << 60), "0x1000070000000005");
  EXPECT_EQ(namer.name(a, handle | std::uint64_t{1} << 32), "0x0000070100000005");
  EXPECT_EQ(namer.name(handle_field({40, 23, 0}, "a"), handle), "0x0000070000000005");
  EXPECT_EQ(namer.name(handle_field({40, 20, 0}, ""), handle), "0x0000070000000005");
  EXPECT_EQ(namer.name(handle_field({40, 20, 0}, "b"), handle), "0x0000070000000005");

  const Field any = handle_field({33, 15, 16}, "");
  const std::uint64_t typed = 5 | std::uint64_t{7} << 33 | std::uint64_t{65535} << 48;
  EXPECT_EQ(namer.name(any, typed), "b:5@7");
  EXPECT_EQ(namer.name(handle_field({33, 15, 16}, "b"), typed), "b:5@7");
  EXPECT_EQ(namer.name(handle_field({33, 15, 16}, "c"), typed), "0xffff000e00000005");
  EXPECT_EQ(namer.name(any, typed & ~(std::uint64_t{1} << 63)), "0x7fff000e00000005");
  EXPECT_EQ(namer.name(any, typed | std::uint64_t{1} << 32), "0xffff000f00000005");

  const Field small = handle_field({10, 4, 2}, "");
  EXPECT_EQ(namer.name(small, 0xc405), "c:5@1");
  EXPECT_EQ(namer.name(small, 0x8405), "0x8405");
  EXPECT_EQ(namer.name(small, 0x0405), "0x0405") << "type id 0 is none";
}

}  // namespace
}  // namespace hdb::test::layouts_test
