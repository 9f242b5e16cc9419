// Which stored fields are kept, and what becomes of them when the program changes what is around
// them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cereal/types/set.hpp>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "hdb/cereal_boxes.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/migration.hpp"
#include "hdb/resource_table.hpp"
#include "kept/kept_world.hpp"

namespace hdb::test::kept_test {

/// A record of one field, of any type, in both ages.
template <class T>
struct Box {
  T value = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(value));
  }
};

template <bool New>
struct Point : OnlyIf<New, NewStats> {
  std::int32_t x = 0;
  friend bool operator<(const Point& a, const Point& b) { return a.x < b.x; }
  template <class A>
  void serialize(A& a) {
    if constexpr (New) a(cereal::make_nvp("luck", this->luck));
    a(CEREAL_NVP(x));
  }
};
Point<true> point(std::int32_t x, float luck) {
  Point<true> made;
  made.x = x;
  made.luck = luck;
  return made;
}

/// Of version 2, which has `mana`.
struct NewMage {
  std::int32_t hp = 0;
  std::int32_t mana = 0;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(hp), CEREAL_NVP(mana));
  }
};
/// Of version 1.
struct OldMage {
  std::int32_t hp = 0;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(hp));
  }
};
/// Of version 1, with a field that version 2 does not have any more.
struct OldestMage {
  std::int32_t hp = 0;
  std::int32_t rage = 3;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(hp), CEREAL_NVP(rage));
  }
};
struct OldPoint {
  float x = 3;
  std::int32_t health = 10;
  std::int32_t extra = 7;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(health), CEREAL_NVP(extra));
  }
};
struct RenamedPoint {
  float x = 0;
  std::int32_t hp = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(hp));
  }
};
struct Texture {
  std::int32_t size = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(size));
  }
};
template <bool New>
struct Wall : OnlyIf<New, Box<Strong<Texture>>> {
  std::int32_t height = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(height));
    if constexpr (New) a(cereal::make_nvp("texture", this->value));
  }
};

}  // namespace hdb::test::kept_test

CEREAL_CLASS_VERSION(hdb::test::kept_test::NewMage, 2)
CEREAL_CLASS_VERSION(hdb::test::kept_test::OldMage, 1)
CEREAL_CLASS_VERSION(hdb::test::kept_test::OldestMage, 1)

template <>
struct hdb::Renames<hdb::test::kept_test::RenamedPoint> {
  static constexpr std::array list{hdb::Rename{"health", "hp"}};
};

namespace hdb::test::kept_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The value of one record after a visit to an older build, which edits it.
template <class Now, class Old, class Edit>
Now after_visit(const Now& value, const Edit& edit, std::string* summary = nullptr) {
  Database now;
  const auto handle = now.create_table<Box<Now>>("boxes").insert({value});
  Database old;
  auto& boxes = old.create_table<Box<Old>>("boxes");
  const auto report = load(old, saved(now.capture()), kKeep);
  EXPECT_TRUE(report) << report.error().message();
  if (summary != nullptr) *summary = report->summary();
  edit(boxes.edit(Handle<Box<Old>>::from_bits(handle.bits()))->value);
  const auto back = load(now, saved(old.capture()));
  EXPECT_TRUE(back) << back.error().message();
  return now.find_table<Box<Now>>("boxes")->at(handle).value;
}

using NewList = std::vector<Point<true>>;
using OldList = std::vector<Point<false>>;

std::vector<float> lucks(const NewList& list) {
  std::vector<float> found;
  for (const auto& each : list) found.push_back(each.luck);
  return found;
}
template <class Edit>
std::vector<float> lucks_after(const NewList& list, const Edit& edit) {
  return lucks(after_visit<NewList, OldList>(list, edit));
}

TEST(KeptFields, AnElementIsFoundAgainByWhatTheProgramKnowsOfIt) {
  const NewList list{point(1, 0.1f), point(2, 0.2f), point(3, 0.3f)};
  EXPECT_THAT(lucks_after(list, [](OldList&) {}), ElementsAre(0.1f, 0.2f, 0.3f));
  EXPECT_THAT(lucks_after(list, [](OldList& a) { a.erase(a.begin()); }), ElementsAre(0.2f, 0.3f));
  EXPECT_THAT(lucks_after(list, [](OldList& a) { std::swap(a[0], a[2]); }),
              ElementsAre(0.3f, 0.2f, 0.1f));
  EXPECT_THAT(lucks_after(list, [](OldList& a) { a.insert(a.begin() + 1, Point<false>{}); }),
              ElementsAre(0.1f, 0, 0.2f, 0.3f));
  // Changed in its place: the list has its length.
  EXPECT_THAT(lucks_after(list, [](OldList& a) { a[1].x = 20; }), ElementsAre(0.1f, 0.2f, 0.3f));
  // Nobody knows what became of an element that changed in a list of another length.
  EXPECT_THAT(lucks_after(list,
                          [](OldList& a) {
                            a.erase(a.begin());
                            a[0].x = 20;
                          }),
              ElementsAre(0, 0.3f));
  EXPECT_THAT(lucks_after(list, [](OldList& a) { a.clear(); }), ElementsAre());
}

TEST(KeptFields, EqualElementsKeepTheirOrder) {
  const NewList list{point(1, 0.1f), point(1, 0.2f), point(1, 0.3f), point(2, 0.4f)};
  EXPECT_THAT(lucks_after(list, [](OldList& a) { a.pop_back(); }), ElementsAre(0.1f, 0.2f, 0.3f));
  EXPECT_THAT(lucks_after(list, [](OldList& a) { a.insert(a.begin(), a.back()); }),
              ElementsAre(0, 0.1f, 0.2f, 0.3f, 0.4f));
}

TEST(KeptFields, SetsAndMapsAndNestedContainers) {
  using NewSet = std::set<Point<true>>;
  using OldSet = std::set<Point<false>>;
  const NewSet set{point(1, 0.1f), point(2, 0.2f)};
  const NewSet seen = after_visit<NewSet, OldSet>(set, [](OldSet& a) { a.erase(a.begin()); });
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen.begin()->luck, 0.2f);

  using NewMap = std::map<std::int32_t, NewList>;
  using OldMap = std::map<std::int32_t, OldList>;
  const NewMap map{{1, {point(1, 0.1f)}}, {2, {point(1, 0.2f), point(2, 0.3f)}}};
  const NewMap found = after_visit<NewMap, OldMap>(map, [](OldMap& a) {
    a.erase(1);
    a[0];
    a[2].erase(a[2].begin());
    a[3].resize(2);
  });
  ASSERT_EQ(found.size(), 3u);
  EXPECT_THAT(lucks(found.at(2)), ElementsAre(0.3f));
  EXPECT_THAT(lucks(found.at(3)), ElementsAre(0, 0));
}

TEST(KeptFields, OptionalsAndVariantsKeepThemWhileTheyHoldTheSame) {
  using NewOptional = std::optional<Point<true>>;
  using OldOptional = std::optional<Point<false>>;
  const NewOptional some = point(1, 0.5f);
  const auto edited = [&](const NewOptional& value, const auto& edit) {
    return after_visit<NewOptional, OldOptional>(value, edit);
  };
  EXPECT_EQ(edited(some, [](OldOptional& a) { a->x = 3; })->luck, 0.5f);
  EXPECT_FALSE(edited(some, [](OldOptional& a) { a.reset(); }));
  EXPECT_EQ(edited({}, [](OldOptional& a) { a.emplace(); })->luck, 0);

  using NewVariant = std::variant<std::int32_t, Point<true>, NewList>;
  using OldVariant = std::variant<std::int32_t, Point<false>, OldList>;
  const auto lists = [&](const auto& edit) {
    return after_visit<NewVariant, OldVariant>(NewList{point(1, 0.5f)}, edit);
  };
  EXPECT_THAT(lucks(std::get<2>(lists([](OldVariant&) {}))), ElementsAre(0.5f));
  EXPECT_EQ(std::get<1>(lists([](OldVariant& a) { a = Point<false>{}; })).luck, 0);
  EXPECT_EQ(std::get<0>(lists([](OldVariant& a) { a = 4; })), 4);
}

TEST(KeptFields, TheEndOfALongerArrayIsKept) {
  using NewArray = std::array<std::array<std::string, 3>, 2>;
  using OldArray = std::array<std::array<std::string, 1>, 2>;
  const NewArray array{{{"a", "b", "c"}, {"d", "e", "f"}}};
  std::string summary;
  const NewArray seen = after_visit<NewArray, OldArray>(
      array, [](OldArray& a) { a[1][0] = "x"; }, &summary);
  EXPECT_EQ(seen, (NewArray{{{"a", "b", "c"}, {"x", "e", "f"}}}));
  EXPECT_THAT(summary, HasSubstr("value[][] kept (x4)"));
}

TEST(KeptFields, WhatCannotBeKeptIsReportedAsDropped) {
  // A list that was one value; a map whose keys are converted; an array whose elements are.
  using NewPoint = Point<true>;
  Database now;
  now.create_table<Box<NewPoint>>("boxes").insert({point(1, 2)});
  Database old;
  old.create_table<Box<OldList>>("boxes");
  const auto report = load(old, saved(now.capture()), kKeep);
  ASSERT_TRUE(report);
  EXPECT_THAT(report->summary(), HasSubstr("value.luck dropped (x1)"));
  std::string summary;
  after_visit<std::map<std::int16_t, NewPoint>, std::map<std::int32_t, Point<false>>>(
      {{1, point(1, 2)}}, [](auto&) {}, &summary);
  EXPECT_THAT(summary, HasSubstr("luck dropped (x1)"));
  after_visit<std::array<std::int16_t, 3>, std::array<std::int32_t, 2>>(
      {1, 2, 3}, [](auto&) {}, &summary);
  EXPECT_THAT(summary, HasSubstr("value[] dropped (x1)"));
}

// --- versions, renames, moves

TEST(KeptFields, ANewerClassVersionIsWrittenBackSoThatNoMigrationRunsTwice) {
  Database now;
  const auto mage = now.create_table<NewMage>("mages").insert({10, 20});
  int runs = 0;
  now.declare_migration({.table = "mages", .from = 1}, [&](DynamicValue& value, auto&) {
    ++runs;
    value.set("hp", 2 * value.at("hp").as<int>());
  });
  Database old;
  auto& mages = old.create_table<OldMage>("mages");
  ASSERT_TRUE(load(old, saved(now.capture()), kKeep));
  mages.insert({5});
  ASSERT_TRUE(load(now, saved(old.capture())));
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(now.find_table<NewMage>("mages")->at(mage).mana, 20);
  EXPECT_EQ(now.find_table<NewMage>("mages")->size(), 2u);

  ASSERT_TRUE(load(old, saved(now.capture())));  // without the flag: version 1
  ASSERT_TRUE(load(now, saved(old.capture())));
  EXPECT_EQ(runs, 2);
}

TEST(KeptFields, AnOlderFileHasNothingToKeepForItsMigrations) {
  Database from;
  from.create_table<Box<OldestMage>>("boxes").insert({{7}});
  from.create_table<OldestMage>("mages").insert({7});
  Database now;
  now.create_table<Box<NewMage>>("boxes");
  now.create_table<NewMage>("mages");
  now.declare_migration({.table = "mages", .from = 1},
                        [](DynamicValue& value, auto&) { value.set("mana", 1); });
  ASSERT_TRUE(load(now, saved(from.capture()), kKeep));
  Database plain;
  plain.create_table<Box<NewMage>>("boxes").insert({{7, 0}});
  plain.create_table<NewMage>("mages").insert({7, 1});
  EXPECT_EQ(now.state_hash(), plain.state_hash());
}

TEST(KeptFields, OfCreatedRecordsNothingIsKept) {
  Database old;
  old.create_table<OldMage>("mages").insert({5});
  old.create_table<Point<true>>("points").insert(point(1, 0.5F));
  Database now;
  now.create_table<NewMage>("mages");
  now.create_table<Point<false>>("points");
  now.declare_migration({.table = "mages", .from = 1, .creates = {"points"}},
                        [](DynamicValue&, MigrationContext& context) {
                          DynamicValue made;
                          made.set("x", 2);
                          made.set("luck", 0.25F);
                          context.create("points", made);
                        });
  const auto loaded = load(now, saved(old.capture()), kKeep);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_THAT(loaded->summary(), HasSubstr("luck kept (x1)"));
  EXPECT_THAT(loaded->summary(), HasSubstr("luck dropped (x1)"));
  Database back;
  auto& points = back.create_table<Point<true>>("points");
  ASSERT_TRUE(load(back, saved(now.capture())));
  EXPECT_EQ(points.begin()->luck, 0.5F);
  EXPECT_EQ(std::next(points.begin())->luck, 0);
}

TEST(KeptFields, RenamedFieldsAreNotUnknown) {
  Database from;
  from.create_table<OldPoint>("points").insert({});
  Database db;
  auto& points = db.create_table<RenamedPoint>("points");
  const auto report = load(db, saved(from.capture()), kKeep);
  ASSERT_TRUE(report);
  EXPECT_THAT(report->summary(), HasSubstr("extra kept (x1)"));
  EXPECT_EQ(points.begin()->x, 3);
  EXPECT_EQ(points.begin()->hp, 10);
  const auto image = db.capture().image({});
  std::vector<std::string> names;
  for (const Field& field : image->schemas()[0].children) names.push_back(field.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("x", "hp", "extra"));
}

// --- descriptions

TEST(KeptFields, KeptEnumsKeepTheNamesOfTheirValues) {
  Database now;
  now.create_table<Unit<true>>("units").insert({});
  Database old;
  old.create_table<Unit<false>>("units");
  ASSERT_TRUE(load(old, saved(now.capture()), kKeep));
  const auto image = old.capture().image({});
  const auto& fields = image->schemas()[0].children;
  const auto mood = std::find_if(fields.begin(), fields.end(),
                                 [](const Field& field) { return field.name == "mood"; });
  ASSERT_NE(mood, fields.end());
  EXPECT_EQ(enumerators_text(*mood), "calm 0, angry 1");
}

TEST(KeptFields, KeptHandlesNameTheTablesOfTheProgram) {
  Database now;
  auto& quests = now.create_table<Quest>("tasks");
  auto& units = now.create_table<Unit<true>>("units");
  now.create_table<Box<Handle<Quest>>>("boxes").insert({quests.insert({})});
  units.edit(units.insert({}))->quest = quests.handle_at(0);
  Database old;
  old.create_table<Unit<false>>("units");
  old.create_table<Quest>("quests");
  old.declare_table_rename({.old_name = "tasks", .new_name = "quests"});
  ASSERT_TRUE(load(old, saved(now.capture()), kKeep));
  const auto image = old.capture().image({});
  ASSERT_EQ(image->tables().size(), 3u);
  EXPECT_EQ(image->schemas()[image->tables()[0].schema].children[0].table, "quests");
  const Field& unit = image->schemas()[image->tables()[2].schema];
  for (const Field& field : unit.children) {
    if (field.name == "quest") {
      EXPECT_EQ(field.table, "quests");
    }
  }
}

TEST(KeptFields, WhatKeptStrongHandlesNameIsNotFlushed) {
  Database now;
  auto& textures = now.create_resource_table<Texture>("textures");
  auto& walls = now.create_table<Wall<true>>("walls");
  auto& doors = now.create_table<Box<Strong<Texture>>>("doors");
  {
    const auto stone = textures.insert("stone", {1});
    const auto wood = textures.insert("wood", {2});
    static_cast<void>(textures.insert("loose", {3}));
    Wall<true> wall;
    wall.value = stone.handle();
    walls.insert(wall);
    doors.insert({wood.handle()});
  }
  const Bytes file = saved(now.capture());
  for (const bool cycles : {false, true}) {
    Database old;
    auto& same = old.create_resource_table<Texture>("textures");
    old.create_table<Wall<false>>("walls");
    ASSERT_TRUE(load(old, file, kKeep));
    EXPECT_EQ(same.flush({.cycles = cycles})->destroyed, 1u);
    EXPECT_TRUE(same.find("stone"));
    EXPECT_TRUE(same.find("wood"));
    ASSERT_TRUE(load(old, file));
    EXPECT_EQ(same.flush({.cycles = cycles})->destroyed, 3u);
  }
}

// --- the file beside its tables

// The content of a file with an extension of its second table, and blocks that nobody knows.
class LaterImage : public ImageSource {
 public:
  explicit LaterImage(const Bytes& bytes)
      : image_(image_of(Reader::open(std::make_unique<MemorySource>(bytes)).value())),
        tables_(image_->tables()) {
    tables_[1].extensions = {{99, format::kExtensionHashed, Bytes(3, std::byte{9})}};
  }
  const Metadata& metadata() const override { return image_->metadata(); }
  const Bytes& thumbnail() const override { return image_->thumbnail(); }
  const std::vector<Field>& schemas() const override { return image_->schemas(); }
  const std::vector<TableDescriptor>& tables() const override { return tables_; }
  Status read_group(std::size_t table, std::uint64_t group, bool with_hash,
                    RowGroup& out) const override {
    return image_->read_group(table, group, with_hash, out);
  }
  Status read_free_list(std::size_t table, std::uint64_t first,
                        std::span<std::uint32_t> out) const override {
    return image_->read_free_list(table, first, out);
  }
  Result<std::vector<AncillaryBlock>> ancillary_blocks() const override {
    const std::string name = "quests";
    AncillaryBlock block{77, format::kBlockSafeToCopy, 0, 0, 4, {}, Bytes(4, std::byte{1})};
    AncillaryBlock of_table = block;
    of_table.part = 1;
    const auto text = std::as_bytes(std::span(name));
    of_table.extensions = {{format::kExtensionTableName, format::kExtensionSafeToCopy,
                            Bytes(text.begin(), text.end())}};
    return std::vector{block, of_table};
  }

 private:
  std::unique_ptr<ImageSource> image_;
  std::vector<TableDescriptor> tables_;
};

TEST(KeptFields, ExtensionsOfKeptTablesAndUnknownBlocksAreWrittenBack) {
  Database now;
  now.create_table<Plain<true>>("crates").insert({});
  now.create_table<Quest>("quests").insert({"a quest", {}});
  MemorySink sink;
  ASSERT_TRUE(write_image(LaterImage(saved(now.capture())), sink));
  Database old;
  old.create_table<Plain<false>>("crates");
  const auto report = load(old, sink.bytes(), {.keep_unknown = true, .verify_state_hash = true});
  ASSERT_TRUE(report) << report.error().message();
  const auto reread = [&] {
    return image_of(Reader::open(std::make_unique<MemorySource>(saved(old.capture()))).value());
  };
  const auto image = reread();
  EXPECT_EQ(extensions_text(image->tables()[1].extensions), "extension 99 090909");
  EXPECT_EQ(image->ancillary_blocks()->size(), 2u);
  EXPECT_EQ(
      Reader::open(std::make_unique<MemorySource>(saved(old.capture()))).value()->info().state_hash,
      old.state_hash());
  old.create_table<Quest>("quests");                    // takes the place of the kept one
  EXPECT_EQ(reread()->ancillary_blocks()->size(), 2u);  // its name is there still
  old.drop_table("quests");
  EXPECT_EQ(reread()->ancillary_blocks()->size(), 1u);
}

}  // namespace
}  // namespace hdb::test::kept_test
