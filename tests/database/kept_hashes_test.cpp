// The state hash from hashes kept with unchanged pages is the one computed from everything.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "hdb/hdb.hpp"
#include "hdb/inspect/schema.hpp"
#include "support/world.hpp"

namespace hdb::test::kept_hashes_test {
namespace {

struct Unit {
  std::uint32_t a = 0;
  std::uint16_t b = 0;  // leaves a gap, so that rows do not lie in the record as they are hashed
  std::uint64_t c = 0;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(a), CEREAL_NVP(b), CEREAL_NVP(c));
  }
};
struct Tight {
  std::uint64_t a = 0;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(a));
  }
};

class KeptHashes : public testing::TestWithParam<std::tuple<Storage, FreeList>> {};

template <class Record>
void change(Table<Record>& table, std::vector<Handle<Record>>& handles, std::mt19937& random) {
  const auto some = random() % 3000;
  switch (random() % 4) {
    case 0:
      for (std::size_t i = 0; i < some; ++i)
        handles.push_back(table.insert(Record{static_cast<std::uint32_t>(random())}));
      return;
    case 1:
    case 2:
      for (std::size_t i = 0; i < some && !handles.empty(); ++i) {
        std::swap(handles[random() % handles.size()], handles.back());
        table.erase(handles.back());
        handles.pop_back();
      }
      return;
    default:
      for (std::size_t i = 0; i < some / 100 && !handles.empty(); ++i)
        table.edit(handles[random() % handles.size()])->a = static_cast<std::uint32_t>(random());
  }
}

TEST_P(KeptHashes, AreThoseOfTheWholeState) {
  const auto [storage, free_list] = GetParam();
  Database db;
  const TableOptions options{.storage = storage, .free_list = free_list};
  auto& units = db.create_table<Unit>("units", options);
  auto& tights = db.create_table<Tight>("tights", options);
  std::mt19937 random(3);
  struct Moment {
    Snapshot snapshot;
    std::vector<Handle<Unit>> units;
    std::vector<Handle<Tight>> tights;
  } now;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    now.units.push_back(units.insert(Unit{i, 1, 2}));
    now.tights.push_back(tights.insert(Tight{i}));
  }
  std::vector<Moment> moments;
  for (int step = 0; step < 60; ++step) {
    if (random() % 5 == 0 && !moments.empty()) {
      now = moments[random() % moments.size()];
      ASSERT_TRUE(db.restore(now.snapshot));
    }
    change(units, now.units, random);
    change(tights, now.tights, random);
    now.snapshot = db.capture();
    // The writer knows no state hash yet: it computes one from columns and lists.
    MemorySink sink;
    SaveOptions how;
    how.write.codec = Codec::none;
    const auto report = save(now.snapshot, sink, how);
    ASSERT_TRUE(report) << report.error().message();
    ASSERT_EQ(now.snapshot.state_hash(), report->state_hash) << "step " << step;
    if (random() % 3 == 0) moments.push_back(now);
  }
  EXPECT_GT(db.capture().tables()[0].free_count, 2u * 4096);
}

INSTANTIATE_TEST_SUITE_P(Tables, KeptHashes,
                         testing::Combine(testing::Values(Storage::dense, Storage::stable),
                                          testing::Values(FreeList::lifo, FreeList::fifo)));

}  // namespace
}  // namespace hdb::test::kept_hashes_test
