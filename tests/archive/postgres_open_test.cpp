// Opening an archive in PostgreSQL whose tables are not what they should be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "archive/postgres_server.hpp"
#include "hdb/archive_backend.hpp"

namespace hdb::test::postgres_open_test {
namespace {

using testing::HasSubstr;

std::string error_of(const std::string& url, ErrorCode code, bool create) {
  const auto opened = open_archive_url(url, {.create = create});
  EXPECT_FALSE(opened);
  if (opened) return {};
  EXPECT_EQ(code_name(opened.error().code), code_name(code)) << opened.error().message();
  return opened.error().message();
}

TEST(PostgresOpen, ALostArchiveRowIsReportedAndNotReplaced) {
  PostgresServer server;
  ASSERT_TRUE(server.init() && server.start());
  const Bytes content(10, std::byte{7});
  const std::array<ArchiveObject, 1> object{{{std::string(kChunkKeys) + "1", content}}};
  ASSERT_TRUE((*open_archive_url(server.url(), {.create = true}))->put_if_absent(object));
  for (const char* const loss : {"DELETE FROM hdb_archive", "DROP TABLE hdb_archive"}) {
    ASSERT_TRUE(server.sql(loss));
    for (const bool create : {false, true}) {
      EXPECT_THAT(error_of(server.url(), ErrorCode::bad_archive, create),
                  testing::AllOf(HasSubstr("hdb_archive is lost"), HasSubstr("from a backup")))
          << loss;
    }
  }
  ASSERT_TRUE(server.sql("DELETE FROM hdb_object"));
  EXPECT_TRUE(open_archive_url(server.url(), {.create = true})) << "nothing is lost";
}

TEST(PostgresOpen, ASchemaThatDoesNotExistIsNotAFaultOfTheDisk) {
  PostgresServer server;
  ASSERT_TRUE(server.init() && server.start());
  const std::string url = server.url() + "&options=-csearch_path%3Dno_such_schema";
  EXPECT_THAT(error_of(url, ErrorCode::archive_refused, true), HasSubstr("schema"));
}

}  // namespace
}  // namespace hdb::test::postgres_open_test
