// create_table warns of members that `serialize` forgets; the program decides what a warning means.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "hdb/blob_table.hpp"
#include "hdb/hdb.hpp"
#include "support/records.hpp"

namespace hdb::test::forgotten_warnings_test {
namespace {

struct Forgetful {
  std::string name;
  std::int32_t hp = 100;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name));
  }
};

struct Point {
  int x = 0, y = 0;
  template <class A>
  void serialize(A& a) {
    a(x, y);
  }
};
struct Path {  // one field without a name is found whatever else changes
  std::vector<Point> points;
  int length = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(points), length);
  }
};

struct Line {  // the types identify the fields
  Point from;
  Path along;
  int width = 0;
  template <class A>
  void serialize(A& a) {
    a(from, along, width);
  }
};
struct Pair {
  Path one, other;
  template <class A>
  void serialize(A& a) {
    a(one, other);
  }
};

std::vector<std::string> warnings;  // since the last Handler was made

class Handler {
 public:
  explicit Handler(WarningHandler handler) : former_(set_warning_handler(handler)) {
    warnings.clear();
  }
  ~Handler() { set_warning_handler(former_); }
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;

 private:
  WarningHandler former_;
};

void keep(const char* message) { warnings.emplace_back(message); }
void refuse(const char* message) { throw std::runtime_error(message); }
void end_program(const char* message) { fatal(message, __FILE__, __LINE__); }

TEST(Warnings, GoToTheHandlerThatIsInstalled) {
  const Handler handler(keep);
  warn("something");
  EXPECT_EQ(warnings, std::vector<std::string>{"something"});
}

TEST(Warnings, ArePrintedByDefault) {
  testing::internal::CaptureStderr();
  {
    const Handler handler(nullptr);
    warn("something");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "hdb: warning: something\n");
}

TEST(ForgottenWarnings, AreNotGivenOfWholeRecords) {
  const Handler handler(keep);
  Database db;
  db.create_table<Unit>("units");
  db.create_table<Hero>("heroes");
  db.singleton<Clock>("clock");
  EXPECT_THAT(warnings, testing::IsEmpty());
}

#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS

// An inserted, removed or moved field would change what old saves mean.
TEST(UnnamedWarnings, NameTypeFieldAndNumberOfFieldsWithoutNames) {
  const Handler handler(keep);
  Database db;
  db.create_table<Path>("paths");
  EXPECT_THAT(warnings, testing::ElementsAre(testing::MatchesRegex(
                            "creating table 'paths': serialize\\(\\) of '.*Point' \\(field "
                            "'points\\[\\]'\\) visits 2 fields without names, which loads match by "
                            "position.*CEREAL_NVP.*")));
}

TEST(UnnamedWarnings, AreNotGivenOfFieldsThatTheirTypesIdentify) {
  Database db;
  db.create_table<Path>("paths");
  const Handler handler(keep);
  db.create_table<Line>("lines");
  EXPECT_THAT(warnings, testing::Not(testing::Contains(testing::HasSubstr("Line"))));
  db.create_table<Pair>("pairs");
  EXPECT_THAT(warnings, testing::Contains(testing::HasSubstr("Pair")));
}

TEST(ForgottenWarnings, NameTableTypeAndFieldsOncePerType) {
  const Handler handler(keep);
  Database db;
  db.create_table<Forgetful>("first");
  EXPECT_THAT(warnings,
              testing::ElementsAre(testing::MatchesRegex(
                  "creating table 'first': serialize\\(\\) of '.*Forgetful' visits 1 of 2 members "
                  "\\(visited: name\\).* specialise hdb::LeavesOut .*")));
  struct OtherHandles {};
  EXPECT_TRUE((db.try_create_table<Forgetful, DefaultLayout, OtherHandles>("second")));
  EXPECT_EQ(warnings.size(), 1u);
}

TEST(ForgottenWarnings, AreNotErrorsOfTryCreateTable) {
  const Handler handler(keep);
  Database db;
  EXPECT_TRUE(db.try_create_table<Forgetful>("table"));
  EXPECT_EQ(warnings.size(), 1u);
}

TEST(ForgottenWarnings, AreGivenOfSingletonsAndBlobs) {
  const Handler handler(keep);
  Database db;
  db.singleton<Forgetful>("singleton");
  Database other;
  other.create_blob_table<Forgetful>("blobs", {.capacity_bytes = 4096});
  EXPECT_EQ(warnings.size(), 2u);
}

TEST(ForgottenWarnings, CanBeExceptionsThatLeaveNoTable) {
  const Handler handler(refuse);
  Database db;
  EXPECT_THROW(static_cast<void>(db.try_create_table<Forgetful>("table")), std::runtime_error);
  EXPECT_THAT(db.table_names(), testing::IsEmpty());
  const Handler quiet([](const char*) {});
  EXPECT_TRUE(db.try_create_table<Forgetful>("table"));
}

TEST(ForgottenWarningsDeathTest, CanEndTheProgram) {
  const Handler handler(end_program);
  Database db;
  EXPECT_DEATH(db.create_table<Forgetful>("table"), "visits 1 of 2 members");
}

#endif

}  // namespace
}  // namespace hdb::test::forgotten_warnings_test
