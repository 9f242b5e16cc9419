// The limits of a reader, and what it refuses of its caller.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "format/sample.hpp"
#include "format/small_file.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb::test {
namespace {

bool is_refused(const Bytes& file, const std::function<void(ReadLimits&)>& change) {
  ReadOptions options;
  change(options.limits);
  const Status status = read_everything(file, options);
  return !status && category_of(status.error().code) == ErrorCategory::limit;
}

TEST(ReaderLimits, EachIsKept) {
  const Bytes file = written(small_image());
  EXPECT_FALSE(is_refused(file, [](ReadLimits&) {}));
  EXPECT_TRUE(is_refused(file, [](ReadLimits& l) { l.max_file_bytes = 100; }));
  EXPECT_TRUE(is_refused(file, [](ReadLimits& l) { l.max_slots_per_table = 149; }));
  EXPECT_TRUE(is_refused(file, [](ReadLimits& l) { l.max_tables = 0; }));
  EXPECT_TRUE(is_refused(file, [](ReadLimits& l) { l.max_schema_fields = 5; }));
  EXPECT_TRUE(is_refused(file, [](ReadLimits& l) { l.max_blocks = 8; }));
  EXPECT_TRUE(is_refused(file, [](ReadLimits& l) { l.max_metadata_bytes = 10; }));
  EXPECT_TRUE(is_refused(file, [](ReadLimits& l) { l.max_thumbnail_bytes = 10; }));
  EXPECT_TRUE(is_refused(file, [](ReadLimits& l) { l.max_directory_bytes = 100; }));
  EXPECT_TRUE(is_refused(file, [](ReadLimits& l) { l.max_column_bytes = 1000; }));
  EXPECT_TRUE(is_refused(file, [](ReadLimits& l) { l.max_memory_bytes = 10000; }));
}

TEST(ReaderLimits, AreThoseOfTheFormatAtTheMost) {
  const ReadLimits usual;
  const ReadLimits most = ReadLimits::highest();
  EXPECT_EQ(most.max_tables, format::kMaxTables);
  EXPECT_EQ(usual.max_tables, format::kMaxTables) << "no game can have more";
  EXPECT_EQ(most.max_schema_fields, format::kMaxSchemaFields);
  EXPECT_EQ(most.max_metadata_bytes, format::kMaxMetadataBytes);
  EXPECT_EQ(most.max_thumbnail_bytes, format::kMaxThumbnailBytes);
  MemoryImage image = small_image();
  image.meta.title.assign(2 << 20, 'x');
  const Bytes file = written(image, {.limits = most});
  EXPECT_TRUE(is_refused(file, [](ReadLimits&) {}));
  EXPECT_FALSE(is_refused(file, [&](ReadLimits& l) { l = most; }));
}

TEST(ReaderLimits, ConcernPacksAndTablesOfOneSchema) {
  MemoryImage image;
  image.schema_list = {plain_schema()};
  for (const char* const name : {"a", "b", "c"})
    image.add(random_table(image.schema_list[0], {.name = name, .slots = 40}));
  const Bytes file = written(image);
  EXPECT_FALSE(is_refused(file, [](ReadLimits&) {}));
  EXPECT_TRUE(is_refused(file, [](ReadLimits& l) { l.max_tables = 2; }));
  EXPECT_FALSE(is_refused(file, [](ReadLimits& l) { l.max_tables = 3; }));
  EXPECT_TRUE(is_refused(file, [](ReadLimits& l) { l.max_column_bytes = 100; }));
  EXPECT_TRUE(is_refused(file, [](ReadLimits& l) { l.max_memory_bytes = 500; }));
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
