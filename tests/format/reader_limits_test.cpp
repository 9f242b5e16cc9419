// What a reader refuses of its caller, and limits of files with packs.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "format/sample.hpp"
#include "format/small_file.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb::test {
namespace {

TEST(ReaderLimits, ConcernPacksAndTablesOfOneSchema) {
  MemoryImage image;
  image.schema_list = {plain_schema()};
  for (const char* const name : {"a", "b", "c"})
    image.add(random_table(image.schema_list[0], {.name = name, .slots = 40}));
  const Bytes bytes = written(image);
  const auto refused = [&](auto change) {
    ReadOptions options;
    change(options.limits);
    const Status status = read_everything(bytes, options);
    return !status && category_of(status.error().code) == ErrorCategory::limit;
  };
  EXPECT_FALSE(refused([](ReadLimits&) {}));
  EXPECT_TRUE(refused([](ReadLimits& l) { l.max_tables = 2; }));
  EXPECT_FALSE(refused([](ReadLimits& l) { l.max_tables = 3; }));
  EXPECT_TRUE(refused([](ReadLimits& l) { l.max_column_bytes = 100; }));
  EXPECT_TRUE(refused([](ReadLimits& l) { l.max_memory_bytes = 500; }));
}

TEST(ReaderArguments, ThatNameNothingAreRefused) {
  auto opened = open_bytes(written(small_image()));
  ASSERT_TRUE(opened);
  const std::shared_ptr<const Reader> reader = *std::move(opened);
  const std::size_t tables = reader->tables().size();
  const std::uint64_t groups = reader->tables()[0].group_count();
  RowGroup group;
  const auto code = [](const auto& result) {
    return result ? "none" : std::string(code_name(result.error().code));
  };
  EXPECT_EQ(code(reader->read_group(tables, 0, group)), "not_found");
  EXPECT_EQ(code(reader->read_group(0, groups, group)), "not_found");
  EXPECT_EQ(code(reader->check_group(0, groups, group)), "not_found");
  EXPECT_EQ(code(reader->chunks(tables, 0)), "not_found");
  EXPECT_EQ(code(reader->read_free_list(tables)), "not_found");
  const auto image = image_of(reader);
  std::vector<std::uint32_t> out(reader->tables()[0].listed_count() + 1);
  EXPECT_EQ(code(image->read_free_list(0, 0, out)), "not_found");
}

}  // namespace
}  // namespace hdb::test
