// A record's serialize that saves, hashes and loads other databases: on the same thread, in the
// middle of a save or load.
#include <gtest/gtest.h>

#include <functional>

#include "hdb/hdb.hpp"

#include "support/using_detail.hpp"

namespace hdb::test::serialize_calls_test {
namespace {

/// Called by serialize of each Caller, while it is not empty.
thread_local std::function<void()> inner_call;

void call_inner() {
  const auto call = std::exchange(inner_call, nullptr);  // not by the inner records again
  if (call) call();
  inner_call = call;
}

struct Caller {
  std::string text;
  int number = 0;
  bool operator==(const Caller&) const = default;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(text));
    call_inner();
    ar(CEREAL_NVP(number));
  }
};

/// A table of `count` records, named ones when `names` says so.
struct World {
  Database database;
  Table<Caller>* table;
  World(int count, RecordNames names, const std::string& prefix) {
    table = &database.create_table<Caller>("callers", {.names = names});
    for (int i = 0; i < count; ++i) {
      const std::string text = prefix + std::to_string(i);
      names == RecordNames::none ? table->insert({text, i}) : table->insert_named(text, {text, i});
    }
  }
};

Bytes saved(Database& database) {
  MemorySink sink;
  const auto result = save(database.capture(), sink, {.write = {.file_id = Hash128{1, 2}}});
  EXPECT_TRUE(result.has_value()) << result.error().message();
  return sink.take();
}

class SerializeCalls : public testing::TestWithParam<RecordNames> {
 protected:
  ~SerializeCalls() override { inner_call = nullptr; }
  World outer{300, GetParam(), "outer text that is allocated "};
  World inner{2000, GetParam(), "inner "};
};

TEST_P(SerializeCalls, ASaveWithinASaveLeavesBothWhole) {
  const Bytes expected = saved(outer.database);
  const Bytes inner_expected = saved(inner.database);
  int calls = 0;
  inner_call = [&] {
    if (++calls % 50 != 1) return;
    EXPECT_EQ(saved(inner.database), inner_expected);
  };
  EXPECT_EQ(saved(outer.database), expected);
  EXPECT_GT(calls, 250);
}

TEST_P(SerializeCalls, AHashWithinAHashChangesNeither) {
  const auto expected = outer.database.capture().state_hash();
  const auto inner_expected = inner.database.capture().state_hash();
  World again(300, GetParam(), "outer text that is allocated ");
  int calls = 0;
  inner_call = [&] {
    if (++calls % 50 != 1) return;
    World other(2000, GetParam(), "inner ");
    EXPECT_EQ(other.database.capture().state_hash(), inner_expected);
  };
  EXPECT_EQ(again.database.capture().state_hash(), expected);
  EXPECT_GT(calls, 250);
}

TEST_P(SerializeCalls, ALoadWithinALoadLeavesBothWhole) {
  const Bytes file = saved(outer.database);
  const Bytes inner_file = saved(inner.database);
  World target(0, GetParam(), "");
  LoadOptions options;
  options.threads = 1;
  int calls = 0;
  inner_call = [&] {
    if (++calls % 50 != 1) return;
    World other(0, GetParam(), "");
    EXPECT_TRUE(other.database.load(std::make_unique<MemorySource>(inner_file), options));
    EXPECT_EQ(other.table->size(), 2000u);
  };
  const auto loaded = target.database.load(std::make_unique<MemorySource>(file), options);
  inner_call = nullptr;
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message();
  EXPECT_GT(calls, 250);
  EXPECT_EQ(saved(target.database), file);
}

INSTANTIATE_TEST_SUITE_P(Tables, SerializeCalls,
                         testing::Values(RecordNames::none, RecordNames::exact));

}  // namespace
}  // namespace hdb::test::serialize_calls_test
