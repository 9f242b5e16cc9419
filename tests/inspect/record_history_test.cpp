// RecordFollower and RecordSearch against a model that knows every value of every save.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hdb/inspect/record_history.hpp"
#include "support/scale.hpp"
#include "support/using_detail.hpp"
#include "support/world.hpp"

namespace hdb::test::record_history_test {
namespace {

constexpr int kSaves = 60;
constexpr std::uint64_t kSlots = 200;  // of which tiles have four row groups

// Wide, so that 64 slots make a row group.
struct Wide {
  std::int32_t hp = 0;
  std::int32_t mana = 0;
  std::uint32_t cells[4000] = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(hp), CEREAL_NVP(mana), CEREAL_NVP(cells));
  }
};

// The records of a table in one save: by slot the generation, and the followed value.
struct ModelRecord {
  std::uint32_t generation = 0;
  std::string value;
};
using ModelTable = std::map<std::uint64_t, ModelRecord>;

std::shared_ptr<const Reader> opened(const Bytes& file) {
  auto reader = Reader::open(std::make_unique<MemorySource>(file));
  EXPECT_TRUE(reader) << (reader ? "" : reader.error().message());
  return reader ? std::shared_ptr<const Reader>(*std::move(reader)) : nullptr;
}

// A game that is saved again and again, in files of several kinds.
class Series {
 public:
  explicit Series(std::uint64_t seed) : random_(seed) {
    for (std::uint64_t i = 0; i < kSlots / 2; ++i) add();
    for (int save = 0; save < kSaves; ++save) {
      play();
      SaveOptions options;
      options.write.packs = random_.one_in(2);
      options.write.codec = random_.one_in(3) ? Codec::none : Codec::zstd;
      files.push_back(saved(db_.capture(), options));
      wide.push_back(model_of(wides_, [](const Wide& w) { return std::to_string(w.hp); }));
      heroes.push_back(model_of(heroes_, [](const Hero& h) { return '"' + h.name + '"'; }));
    }
  }

  std::vector<Bytes> files;
  std::vector<ModelTable> wide;    // of each save: hp
  std::vector<ModelTable> heroes;  // of each save: name

 private:
  template <class T, class Text>
  static ModelTable model_of(const Table<T>& table, const Text& text) {
    ModelTable model;
    for (const auto& [handle, record] : table.entries())
      model[handle.index()] = {static_cast<std::uint32_t>(handle.generation()), text(record)};
    return model;
  }

  void add() {
    wide_handles_.push_back(wides_.insert({.hp = static_cast<std::int32_t>(random_.below(50))}));
    hero_handles_.push_back(heroes_.insert({.name = "hero", .items = {1, 2}}));
  }

  // A few changes in one place, so that most row groups stay as they are.
  void play() {
    if (random_.one_in(5)) return;
    const std::uint64_t first = random_.below(wide_handles_.size());
    for (std::uint64_t i = first; i < first + 8 && i < wide_handles_.size(); ++i) {
      Wide* const wide_record = wides_.edit(wide_handles_[i]);
      Hero* const hero = heroes_.edit(hero_handles_[i]);
      switch (random_.below(6)) {
        case 0:
          if (wide_record != nullptr) wide_record->hp += 1 + static_cast<int>(random_.below(5));
          if (hero != nullptr) hero->name = "hero " + std::to_string(random_.below(20));
          break;
        case 1:
          if (wide_record != nullptr) ++wide_record->mana;  // nobody follows it
          if (hero != nullptr) hero->items.push_back(3);
          break;
        case 2:
          wides_.erase(wide_handles_[i]);
          heroes_.erase(hero_handles_[i]);
          break;
        case 3: add(); break;
        default: break;
      }
    }
  }

  Random random_;
  Database db_;
  Table<Wide>& wides_ = db_.create_table<Wide>("wides");
  Table<Hero>& heroes_ =
      db_.create_table<Hero>("heroes", {.storage = Storage::stable, .free_list = FreeList::fifo});
  std::vector<Handle<Wide>> wide_handles_;
  std::vector<Handle<Hero>> hero_handles_;
};

std::string text_of(RecordEvent event, std::uint32_t generation, const std::string& old_value,
                    const std::string& new_value) {
  return std::to_string(static_cast<int>(event)) + " @" + std::to_string(generation) + ' ' +
         old_value + " -> " + new_value;
}

// What a follower must report of save after save, by the definitions of the events alone.
std::vector<std::string> expected(const std::vector<ModelTable>& saves, std::uint64_t slot,
                                  std::uint32_t generation) {
  std::vector<std::string> steps;
  std::optional<ModelRecord> before;  // the record that is followed
  std::uint32_t lost = 0;             // that was erased, and its slot is not in use again
  bool first = true;
  for (const ModelTable& save : saves) {
    const auto found = save.find(slot);
    const std::uint32_t tenant = found == save.end() ? 0 : found->second.generation;
    std::optional<ModelRecord> now;
    if (tenant != 0 && (generation == 0 || tenant == generation)) now = found->second;
    RecordEvent event = RecordEvent::none;
    std::string old_value;
    std::string new_value;
    if (now && !before) {
      event = first ? RecordEvent::found : RecordEvent::born;
      new_value = now->value;
    } else if (now && now->generation != before->generation) {
      event = RecordEvent::reused;
      new_value = now->value;
    } else if (now && now->value != before->value) {
      event = RecordEvent::changed;
      old_value = before->value;
      new_value = now->value;
    } else if (before && !now) {
      event = tenant == 0 ? RecordEvent::erased : RecordEvent::reused;
      lost = tenant == 0 ? generation : 0;
    } else if (!before && lost != 0 && tenant != 0) {
      event = RecordEvent::reused;
      lost = 0;
    }
    steps.push_back(text_of(event, tenant, old_value, new_value));
    before = now;
    first = false;
  }
  return steps;
}

std::vector<std::string> followed(const std::vector<Bytes>& files, FollowedRecord record,
                                  const FollowOptions& options = {}) {
  RecordFollower follower(std::move(record), options);
  std::vector<std::string> steps;
  for (const Bytes& file : files) {
    const auto step = follower.next(opened(file));
    if (!step) {
      steps.push_back(step.error().message());
      continue;
    }
    const FieldChange field = step->fields.empty() ? FieldChange{} : step->fields.front();
    EXPECT_LE(step->fields.size(), 1U);
    steps.push_back(text_of(step->event, step->generation, field.old_value.value_or(""),
                            field.new_value.value_or("")));
  }
  return steps;
}

TEST(RecordFollower, ReportsWhatAComparisonOfAllValuesReports) {  // RF1
  std::uint64_t cases = 0;
  for (const std::uint64_t seed : {3U, 4U}) {
    const Series series(seed);
    for (std::uint64_t slot = 0; slot < kSlots; slot += 11 * scaled_stride()) {
      for (const std::uint32_t generation : {0U, 1U, 2U}) {
        ASSERT_EQ(followed(series.files, {"wides", slot, generation, "hp"}),
                  expected(series.wide, slot, generation))
            << "seed " << seed << ", wides:" << slot << '@' << generation;
        ASSERT_EQ(followed(series.files, {"heroes", slot, generation, "name"}),
                  expected(series.heroes, slot, generation))
            << "seed " << seed << ", heroes:" << slot << '@' << generation;
        cases += 2;
      }
    }
  }
  std::printf("RF1: cases=%llu failures=0\n", static_cast<unsigned long long>(cases));
}

TEST(RecordFollower, ReadingEverythingMakesNoDifference) {
  const Series series(6);
  for (std::uint64_t slot = 0; slot < kSlots; slot += 20) {
    EXPECT_EQ(followed(series.files, {"wides", slot, 0, "hp"}, {.read_all = true}),
              expected(series.wide, slot, 0));
  }
}

TEST(RecordFollower, AfterADamagedSaveComparesWithTheLastOneThatItCouldRead) {  // RF2
  const Series series(7);
  std::size_t refused = 0;
  for (std::uint64_t slot = 0; slot < kSlots; slot += 10) {
    std::vector<Bytes> files = series.files;
    std::vector<ModelTable> model = series.wide;
    std::vector<std::string> found;
    RecordFollower follower({"wides", slot, 0, "hp"});
    std::vector<ModelTable> readable;
    for (std::size_t i = 0; i < files.size(); ++i) {
      const auto sound = opened(files[i]);
      if (i % 3 == 1) {
        // Opens, for only row groups are damaged.
        for (const BlockInfo& block : sound->blocks()) {
          if (sound->tables_in(static_cast<std::size_t>(&block - sound->blocks().data())).empty())
            continue;
          const auto begin = static_cast<std::ptrdiff_t>(block.offset);
          std::fill(files[i].begin() + begin,
                    files[i].begin() + begin + static_cast<std::ptrdiff_t>(block.total_bytes),
                    std::byte{0x5a});
        }
      }
      const auto step = follower.next(opened(files[i]));
      if (!step) {
        ++refused;
        continue;  // if the directory alone shows that nothing changed, damage does not matter
      }
      readable.push_back(model[i]);
      const FieldChange field = step->fields.empty() ? FieldChange{} : step->fields.front();
      found.push_back(text_of(step->event, step->generation, field.old_value.value_or(""),
                              field.new_value.value_or("")));
    }
    EXPECT_EQ(found, expected(readable, slot, 0)) << "slot " << slot;
  }
  EXPECT_GT(refused, 50U);
}

TEST(RecordFollower, ReadsNothingWhereTheDirectoryShowsThatNothingChanged) {
  Database db;
  auto& wides = db.create_table<Wide>("wides");
  std::vector<Handle<Wide>> handles;
  for (int i = 0; i < 200; ++i) handles.push_back(wides.insert({.hp = i}));
  const SaveOptions alone{.write = {.packs = false}};
  RecordFollower follower({"wides", 3, 1, "hp"});
  const auto read_by_next = [&](RecordEvent event) {
    const auto reader = opened(saved(db.capture(), alone));
    const std::uint64_t before = reader->bytes_read();
    const auto step = follower.next(reader);
    EXPECT_TRUE(step && step->event == event);
    return reader->bytes_read() - before;
  };
  const std::uint64_t at_first = read_by_next(RecordEvent::found);
  EXPECT_NE(at_first, 0U);
  EXPECT_EQ(read_by_next(RecordEvent::none), 0U) << "equal saves";
  wides.edit(handles[150])->hp = -1;
  EXPECT_EQ(read_by_next(RecordEvent::none), 0U) << "a change in another row group";
  wides.edit(handles[4])->mana = 7;
  const std::uint64_t index_alone = read_by_next(RecordEvent::none);
  EXPECT_NE(index_alone, 0U);
  EXPECT_LE(index_alone, 4096U) << "another column";
  wides.edit(handles[4])->hp = 7;
  EXPECT_GT(read_by_next(RecordEvent::none), index_alone) << "a neighbour in the same column";
  wides.edit(handles[3])->hp = 7;
  EXPECT_GT(read_by_next(RecordEvent::changed), index_alone);
}

// The first version of a record type, and a later one.
struct Old {
  std::int32_t hp = 5;
  std::int32_t mood = 1;
  std::string gone = "x";
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(hp), CEREAL_NVP(mood), CEREAL_NVP(gone));
  }
};
struct New {
  std::int64_t hp = 5;
  std::string mood = "calm";
  float added = 2;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(hp), CEREAL_NVP(mood), CEREAL_NVP(added));
  }
};

TEST(RecordFollower, FieldsThatAVersionAddsRemovesOrRetypesAreReported) {
  Database old_game;
  old_game.create_table<Old>("things").emplace();
  Database new_game;
  new_game.create_table<New>("things").emplace();
  RecordFollower follower({"things", 0, 1, ""});
  ASSERT_EQ(follower.next(opened(saved(old_game.capture())))->event, RecordEvent::found);
  const auto step = follower.next(opened(saved(new_game.capture())));
  ASSERT_TRUE(step && step->event == RecordEvent::changed);
  std::map<std::string, FieldChange> fields;
  for (const FieldChange& field : step->fields) fields[field.path] = field;
  ASSERT_EQ(fields.size(), 3U) << "a number that only got wider did not change";
  EXPECT_EQ(fields["mood"].note, "i32 became string");
  EXPECT_EQ(fields["mood"].new_value, "\"calm\"");
  EXPECT_EQ(fields["gone"].note, "the field was removed");
  EXPECT_EQ(fields["added"].note, "the field was added");
  RecordFollower of_field({"things", 0, 1, "added"});
  EXPECT_EQ(of_field.next(opened(saved(old_game.capture())))->event, RecordEvent::no_field);
  EXPECT_EQ(of_field.next(opened(saved(new_game.capture())))->event, RecordEvent::found);
}

// What the saves say of slot 0 of a table that is dropped and made again.
std::vector<RecordStep> steps_of(std::uint32_t generation, const std::vector<Bytes>& saves) {
  RecordFollower follower({"things", 0, generation, ""});
  std::vector<RecordStep> steps;
  for (const Bytes& save : saves) {
    const auto step = follower.next(opened(save));
    EXPECT_TRUE(step);
    steps.push_back(*step);
    const bool exists = steps.back().event == RecordEvent::found ||
                        steps.back().event == RecordEvent::born ||
                        steps.back().event == RecordEvent::none;
    EXPECT_EQ(follower.exists(), exists);
  }
  return steps;
}

TEST(RecordFollower, ARecordWhoseTableIsMissingDoesNotExist) {  // RF1
  Database without;
  without.create_table<Old>("others").emplace();
  Database with;
  auto& things = with.create_table<Old>("things");
  const auto first = things.emplace();
  const Bytes none = saved(without.capture());
  const Bytes one = saved(with.capture());
  things.erase(first);
  things.emplace();
  const Bytes other = saved(with.capture());
  const auto events_of = [](const std::vector<RecordStep>& steps) {
    std::vector<RecordEvent> events;
    for (const RecordStep& step : steps) events.push_back(step.event);
    return events;
  };
  using Events = std::vector<RecordEvent>;
  constexpr auto kNoTable = RecordEvent::no_table;
  constexpr auto kBorn = RecordEvent::born;
  constexpr auto kErased = RecordEvent::erased;
  EXPECT_EQ(events_of(steps_of(1, {none, one, one, none, none, one})),
            Events({kNoTable, kBorn, RecordEvent::none, kErased, kNoTable, kBorn}));
  const auto steps = steps_of(0, {one, none, other});
  EXPECT_EQ(events_of(steps), Events({RecordEvent::found, kErased, kBorn}));
  EXPECT_EQ(steps[1].old_generation, 1U);
  EXPECT_EQ(steps[2].generation, 2U);
  // Of one record, the slot is used again where another record is seen in it.
  RecordFollower follower({"things", 0, 1, ""});
  for (const Bytes& save : {one, none}) ASSERT_TRUE(follower.next(opened(save)));
  const auto reused = follower.next(opened(other));
  ASSERT_TRUE(reused);
  EXPECT_EQ(reused->event, RecordEvent::reused);
  EXPECT_EQ(reused->old_generation, 1U);
  EXPECT_FALSE(follower.exists());
}

TEST(RecordFollower, ASlotThatTheTableDoesNotHaveHoldsNoRecord) {
  Database db;
  auto& units = db.create_table<Unit>("units");
  const auto first = units.emplace();
  const Bytes one = saved(db.capture());
  units.emplace();
  const Bytes two = saved(db.capture());
  units.erase(first);
  RecordFollower follower({"units", 1, 1, "hp"});
  EXPECT_EQ(follower.next(opened(one))->event, RecordEvent::none);
  EXPECT_FALSE(follower.exists());
  EXPECT_EQ(follower.next(opened(two))->event, RecordEvent::born);
  EXPECT_TRUE(follower.exists());
  std::vector<std::string> values;
  follower.for_each_value(
      [&](const std::string& path, const Value& value, const HandleNamer& namer) {
        values.push_back(path + '=' + value_text(value, namer));
      });
  EXPECT_EQ(values, std::vector<std::string>{"hp=100"});
}

TEST(RecordSearch, FindsWhatALookAtEveryRecordFinds) {  // RS1
  std::uint64_t cases = 0;
  for (const std::uint64_t seed : {13U, 14U}) {
    const Series series(seed);
    for (const char* const text : {"hp > 40", "hp < 10 and @slot > 30", "@gen > 1"}) {
      const auto expression = FilterExpression::parse(text);
      ASSERT_TRUE(expression);
      RecordSearch search;
      for (std::size_t i = 0; i < series.files.size(); ++i) {
        const auto reader = opened(series.files[i]);
        const auto& tables = reader->tables();
        ASSERT_EQ(tables[1].name, "wides");
        const auto filter =
            RecordFilter::bind(*expression, reader->schemas()[tables[1].schema], tables);
        ASSERT_TRUE(filter);
        std::vector<std::string> found;
        ASSERT_TRUE(search.find(*reader, 1, *filter, [&](const RecordMatch& match) {
          found.push_back(std::to_string(match.slot) + '@' + std::to_string(match.generation) +
                          (match.fields.empty() ? "" : ' ' + match.fields[0].second));
          return true;
        }));
        std::vector<std::string> wanted;
        for (const auto& [slot, record] : series.wide[i]) {
          const int hp = std::stoi(record.value);
          const std::string kind = text;
          const bool matches = kind == "hp > 40"    ? hp > 40
                               : kind == "@gen > 1" ? record.generation > 1
                                                    : hp < 10 && slot > 30;
          if (matches)
            wanted.push_back(std::to_string(slot) + '@' + std::to_string(record.generation) +
                             (kind == "@gen > 1" ? "" : ' ' + record.value));
        }
        ASSERT_EQ(found, wanted) << "seed " << seed << ", save " << i << ", " << text;
        ++cases;
      }
    }
  }
  std::printf("RS1: cases=%llu failures=0\n", static_cast<unsigned long long>(cases));
}

TEST(RecordSearch, ReadsOnlyRowGroupsThatChanged) {
  Database db;
  auto& wides = db.create_table<Wide>("wides");
  std::vector<Handle<Wide>> handles;
  for (int i = 0; i < 200; ++i) handles.push_back(wides.insert({.hp = i}));
  const auto expression = FilterExpression::parse("hp < 3");
  RecordSearch search;
  const auto read_by_find = [&](std::size_t matches) {
    const auto reader = opened(saved(db.capture(), {.write = {.packs = false}}));
    const std::uint64_t before = reader->bytes_read();
    const auto filter = RecordFilter::bind(*expression, reader->schemas()[0], reader->tables());
    std::size_t found = 0;
    EXPECT_TRUE(search.find(*reader, 0, *filter, [&](const RecordMatch&) {
      ++found;
      return true;
    }));
    EXPECT_EQ(found, matches);
    return reader->bytes_read() - before;
  };
  const std::uint64_t all = read_by_find(3);
  EXPECT_EQ(read_by_find(3), 0U);
  wides.edit(handles[150])->hp = 0;
  const std::uint64_t one_group = read_by_find(4);
  EXPECT_GT(one_group, 0U);
  EXPECT_LT(one_group, all / 2);
  // Whoever stops early has not seen the rest, which is looked at next time.
  wides.edit(handles[1])->hp = 9;
  const auto reader = opened(saved(db.capture(), {.write = {.packs = false}}));
  const auto filter = RecordFilter::bind(*expression, reader->schemas()[0], reader->tables());
  ASSERT_TRUE(search.find(*reader, 0, *filter, [](const RecordMatch&) { return false; }));
  EXPECT_GT(read_by_find(3), 0U);
}

}  // namespace
}  // namespace hdb::test::record_history_test
