// Files whose tables have additions that this version does not know: state must not get lost
// unnoticed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hdb/hdb.hpp"
#include "hdb/import.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Torch {
  int light = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(light));
  }
};

// The next version of Torch, whose order is another one.
struct Lamp {
  int light = 0;
  template <class A>
  void serialize(A& a, std::uint32_t version) {
    a(CEREAL_NVP(light));
    if (A::is_loading::value && version == 0) light = 1000 - light;
  }
};

void add_torches(Database& db) {
  auto& torches = db.create_table<Torch>("torches");
  for (int i = 0; i < 300; ++i) torches.insert({(i * 37) % 101});
}

bool is_darker(const Torch& a, const Torch& b) { return a.light < b.light; }

}  // namespace
}  // namespace hdb::test

CEREAL_CLASS_VERSION(hdb::test::Lamp, 1)

namespace hdb::test {
namespace {

// The content of a file, with other extensions of its first table.
class ExtendedImage : public ImageSource {
 public:
  ExtendedImage(const Bytes& bytes, std::vector<Extension> extensions)
      : image_(image_of(Reader::open(std::make_unique<MemorySource>(bytes)).value())),
        tables_(image_->tables()),
        schemas_(image_->schemas()) {
    tables_[0].extensions = std::move(extensions);
  }
  /// The same for the schema of a field, or of the record.
  ExtendedImage(const Bytes& bytes, std::vector<Extension> extensions, bool of_record)
      : ExtendedImage(bytes, {}) {
    Field& record = schemas_[tables_[0].schema];
    (of_record ? record : record.children.front()).extensions = std::move(extensions);
  }
  /// The same for the database.
  ExtendedImage(const Bytes& bytes, std::vector<Extension> extensions, const char*)
      : ExtendedImage(bytes, {}) {
    of_database_ = std::move(extensions);
  }
  const Metadata& metadata() const override { return image_->metadata(); }
  const Bytes& thumbnail() const override { return image_->thumbnail(); }
  const std::vector<Field>& schemas() const override { return schemas_; }
  const std::vector<TableDescriptor>& tables() const override { return tables_; }
  DatabaseDescriptor database() const override { return {0, of_database_}; }
  Status read_group(std::size_t table, std::uint64_t group, bool with_hash,
                    RowGroup& out) const override {
    return image_->read_group(table, group, with_hash, out);
  }
  Status read_free_list(std::size_t table, std::uint64_t first,
                        std::span<std::uint32_t> out) const override {
    return image_->read_free_list(table, first, out);
  }

 private:
  std::unique_ptr<ImageSource> image_;
  std::vector<TableDescriptor> tables_;
  std::vector<Field> schemas_;
  std::vector<Extension> of_database_;
};

// A save of torches, with extensions as the other arguments of ExtendedImage say.
template <class... Arguments>
Bytes save_with(std::vector<Extension> extensions, Arguments... arguments) {
  Database db;
  add_torches(db);
  MemorySink plain;
  EXPECT_TRUE(save(db.capture(), plain));
  MemorySink sink;
  EXPECT_TRUE(write_image(ExtendedImage(plain.take(), std::move(extensions), arguments...), sink));
  return sink.take();
}

struct Loaded {
  Result<LoadReport> report;
  bool is_changed = false;
};

Loaded load_into_new(const Bytes& file, TimelineMode mode) {
  Database db;
  db.create_table<Torch>("torches").insert({-1});
  const Hash128 before = db.state_hash();
  auto report = db.load(std::make_unique<MemorySource>(file),
                        {.mode = mode, .verify_state_hash = mode == TimelineMode::exact});
  return {std::move(report), db.state_hash() != before};
}

const Extension kState{99, format::kExtensionHashed, Bytes(3)};
const Extension kHint{98, 0, Bytes(3)};

TEST(LoadExtensions, UnknownStateIsRefusedByAnExactLoad) {
  const Loaded exact = load_into_new(save_with({kState}), TimelineMode::exact);
  ASSERT_FALSE(exact.report);
  EXPECT_FALSE(exact.is_changed);
  EXPECT_EQ(exact.report.error().code, ErrorCode::unknown_feature);
  EXPECT_THAT(exact.report.error().message(),
              testing::AllOf(HasSubstr("extension 99"), HasSubstr("table 'torches'"),
                             HasSubstr("TimelineMode::fork")));
}

TEST(LoadExtensions, UnknownStateIsLeftOutByAForkWhichSaysSo) {
  const Loaded fork = load_into_new(save_with({kHint, kState}), TimelineMode::fork);
  ASSERT_TRUE(fork.report) << fork.report.error().message();
  EXPECT_TRUE(fork.is_changed);
  EXPECT_THAT(fork.report->tables[0].dropped_extensions,
              ElementsAre(DroppedExtension{98, ""}, DroppedExtension{99, ""}));
  EXPECT_THAT(fork.report->summary(), HasSubstr("extension 99 dropped"));
}

TEST(LoadExtensions, UnknownStateOfTheDatabaseIsRefusedToo) {
  const Bytes file = save_with({kHint, kState}, "of the database");
  const Loaded exact = load_into_new(file, TimelineMode::exact);
  ASSERT_FALSE(exact.report);
  EXPECT_FALSE(exact.is_changed);
  EXPECT_EQ(exact.report.error().code, ErrorCode::unknown_feature);
  EXPECT_THAT(exact.report.error().message(), HasSubstr("extension 99"));
  const Loaded fork = load_into_new(file, TimelineMode::fork);
  ASSERT_TRUE(fork.report) << fork.report.error().message();
  EXPECT_THAT(fork.report->dropped_extensions,
              ElementsAre(DroppedExtension{98, ""}, DroppedExtension{99, ""}));
  EXPECT_THAT(fork.report->summary(), HasSubstr("extension 99 of the database dropped"));
  EXPECT_TRUE(fork.report->tables[0].dropped_extensions.empty());
}

TEST(LoadExtensions, WhatIsNoStateIsLeftOutByAnyLoad) {
  const Loaded exact = load_into_new(save_with({kHint}), TimelineMode::exact);
  ASSERT_TRUE(exact.report) << exact.report.error().message();
  EXPECT_THAT(exact.report->tables[0].dropped_extensions, ElementsAre(DroppedExtension{98, ""}));
}

TEST(LoadExtensions, UnknownStateOfAFieldOrOfTheRecordCountsAsTheTables) {
  for (const bool of_record : {false, true}) {
    const Bytes file = save_with({kHint, kState}, of_record);
    const Loaded exact = load_into_new(file, TimelineMode::exact);
    ASSERT_FALSE(exact.report);
    EXPECT_FALSE(exact.is_changed);
    EXPECT_EQ(exact.report.error().code, ErrorCode::unknown_feature);
    EXPECT_THAT(exact.report.error().message(),
                testing::AllOf(HasSubstr("extension 99"), HasSubstr("table 'torches'"),
                               HasSubstr("TimelineMode::fork")));
    const Loaded fork = load_into_new(file, TimelineMode::fork);
    ASSERT_TRUE(fork.report) << fork.report.error().message();
    const std::string field = of_record ? "" : "light";
    EXPECT_THAT(fork.report->tables[0].dropped_extensions,
                ElementsAre(DroppedExtension{98, field}, DroppedExtension{99, field}));
    EXPECT_THAT(fork.report->summary(),
                HasSubstr(of_record ? "extension 99 dropped" : "extension 99 of field 'light'"));
    Database db;
    db.create_table<Torch>("torches");
    const auto imported = db.import_records(std::make_unique<MemorySource>(file));
    ASSERT_TRUE(imported) << imported.error().message();
    EXPECT_THAT(imported->summary(), HasSubstr("extension 99"));
  }
}

TEST(LoadExtensions, WhatIsNoStateOfAFieldIsLeftOutByAnyLoad) {
  const Loaded exact = load_into_new(save_with({kHint}, false), TimelineMode::exact);
  ASSERT_TRUE(exact.report) << exact.report.error().message();
  EXPECT_THAT(exact.report->tables[0].dropped_extensions,
              ElementsAre(DroppedExtension{98, "light"}));
}

TEST(LoadExtensions, ASortWhoseProgressIsUnknownOrImpossibleBeginsAgainAndTheReportSaysSo) {
  for (const std::byte algorithm : {std::byte{1}, std::byte{2}, std::byte{3}}) {
    // In a table of 300 records, more than 300 are never in order.
    const Bytes file = save_with(
        {{format::kExtensionSortWork, format::kExtensionHashed,
          Bytes{algorithm, std::byte{0xad}, std::byte{2}, std::byte{0xad}, std::byte{2}}}});
    for (const TimelineMode mode : {TimelineMode::exact, TimelineMode::fork}) {
      const Loaded loaded = load_into_new(file, mode);  // an exact load checks the state hash
      ASSERT_TRUE(loaded.report) << loaded.report.error().message();
      EXPECT_THAT(loaded.report->tables[0].dropped_extensions,
                  ElementsAre(DroppedExtension{format::kExtensionSortWork, ""}));
      EXPECT_THAT(loaded.report->summary(), HasSubstr("progress of a sort dropped"));
    }
  }
}

TEST(LoadExtensions, AnInterruptedSortGoesOnExactly) {
  Database db;
  add_torches(db);
  auto& torches = *db.find_table<Torch>("torches");
  ASSERT_FALSE(torches.sort_step(is_darker, 100));
  MemorySink sink;
  ASSERT_TRUE(save(db.capture(), sink));
  const Bytes file = sink.take();
  const auto reader = Reader::open(std::make_unique<MemorySource>(file)).value();
  ASSERT_EQ(reader->tables()[0].extensions.size(), 1U);
  EXPECT_EQ(reader->tables()[0].extensions[0].tag, format::kExtensionSortWork);
  Database other;
  other.create_table<Torch>("torches");
  ASSERT_TRUE(other.load(std::make_unique<MemorySource>(file)));
  EXPECT_EQ(other.state_hash(), db.state_hash());
  auto& same = *other.find_table<Torch>("torches");
  for (int step = 0; step < 100; ++step) {
    const bool done = torches.sort_step(is_darker, 100);
    ASSERT_EQ(same.sort_step(is_darker, 100), done);
    ASSERT_EQ(other.state_hash(), db.state_hash());
    if (done) return;
  }
  FAIL() << "the sort does not end";
}

TEST(LoadExtensions, ASortBeginsAgainIfTheLoadChangesTheRecords) {
  Database db;
  add_torches(db);
  auto& torches = *db.find_table<Torch>("torches");
  while (!torches.sort_step(is_darker, 1000)) {
  }
  MemorySink file;
  ASSERT_TRUE(save(db.capture(), file));
  Database later;
  auto& lamps = later.create_table<Lamp>("torches");
  const auto report = later.load(std::make_unique<MemorySource>(file.take()));
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->summary().ends_with("progress of a sort dropped")) << report->summary();
  const auto is_darker_lamp = [](const Lamp& a, const Lamp& b) { return a.light < b.light; };
  EXPECT_FALSE(lamps.sort_step(is_darker_lamp, 0)) << "serialize turned the order round";
  while (!lamps.sort_step(is_darker_lamp, 1000)) {
  }
  EXPECT_TRUE(std::is_sorted(lamps.begin(), lamps.end(), is_darker_lamp));
}

}  // namespace
}  // namespace hdb::test
