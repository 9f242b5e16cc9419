// A record that leaves its schema while it is saved: every way to a state hash reports it, and the
// game goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hdb/hdb.hpp"
#include "hdb/history.hpp"
#include "hdb/inspect.hpp"
#include "hdb/inspect/snapshot_diff.hpp"
#include "hdb/sync_test.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::state_hash_errors_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Saves another field than it described when `drifts`.
struct Drifter {
  std::int32_t calm = 0;
  std::vector<std::int32_t> list = {};
  static inline bool drifts = false;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(list));
    if (drifts) {
      a(cereal::make_nvp("calm", list));
    } else {
      a(CEREAL_NVP(calm));
    }
  }
};

struct Drifting {
  Drifting() { Drifter::drifts = true; }
  ~Drifting() { Drifter::drifts = false; }
};

class StateHashErrors : public testing::Test {
 protected:
  StateHashErrors() {
    table_.erase(table_.insert({}));
    table_.insert({});  // slot 0, generation 2
  }
  static auto names_the_field() {
    return AllOf(HasSubstr("table 'drifters'"), HasSubstr("slot 0"), HasSubstr("generation 2"),
                 HasSubstr("'calm'"));
  }

  Database db_;
  Table<Drifter>& table_ = db_.create_table<Drifter>("drifters");
};

TEST_F(StateHashErrors, AreReturned) {
  History history(db_, {.frames = 4});
  ASSERT_TRUE(history.record(1));
  const Snapshot snapshot = db_.capture();
  {
    const Drifting drifting;
    for (const Result<Hash128>& hash :
         {db_.try_state_hash(), snapshot.try_state_hash(), history.state_hash(1)}) {
      ASSERT_FALSE(hash);
      EXPECT_EQ(hash.error().code, ErrorCode::schema_drift);
      EXPECT_THAT(hash.error().message(), names_the_field());
    }
    MemorySink sink;
    const auto saved = save(snapshot, sink);
    ASSERT_FALSE(saved);
    EXPECT_THAT(saved.error().message(), names_the_field());
  }
  EXPECT_TRUE(db_.try_state_hash());
  EXPECT_EQ(db_.try_state_hash(), snapshot.state_hash());
}

TEST_F(StateHashErrors, AreThrownWhereNoResultIsAskedFor) {
  const Drifting drifting;
  try {
    static_cast<void>(db_.state_hash());
    FAIL() << "nothing was thrown";
  } catch (const StateHashFailure& failure) {
    EXPECT_EQ(failure.error().code, ErrorCode::schema_drift);
    EXPECT_THAT(failure.what(), names_the_field());
  }
  EXPECT_THROW(static_cast<void>(db_.capture().state_hash()), StateHashFailure);
}

TEST_F(StateHashErrors, EndASyncTestAndADiff) {
  const Snapshot before = db_.capture();
  table_.edit(table_.begin().handle())->calm = 7;
  const Snapshot after = db_.capture();
  const Drifting drifting;
  const auto compared = diff(before, after);
  ASSERT_FALSE(compared);
  EXPECT_EQ(compared.error().code, ErrorCode::schema_drift);
  EXPECT_THAT(compared.error().message(), AllOf(HasSubstr("drifters:0@2"), HasSubstr("'calm'")));
  const auto tested = sync_test(
      db_, [](std::uint64_t) {}, 2);
  ASSERT_FALSE(tested);
  EXPECT_THAT(tested.error().message(), names_the_field());
}

}  // namespace
}  // namespace hdb::test::state_hash_errors_test
