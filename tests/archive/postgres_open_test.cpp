// Opening an archive in PostgreSQL whose tables are not what they should be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "archive/game_world.hpp"
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
  const std::array<ArchiveObject, 1> object{
      {{std::string(kChunkKeys) + std::string(64, '1'), content}}};
  ASSERT_TRUE((*open_archive_url(server.url(), {.create = true}))->put_if_absent(object));
  for (const char* const loss : {"DELETE FROM hdb_archive", "DROP TABLE hdb_archive"}) {
    ASSERT_TRUE(server.sql(loss));
    for (const bool create : {false, true}) {
      EXPECT_THAT(error_of(server.url(), ErrorCode::bad_archive, create),
                  testing::AllOf(HasSubstr("hdb_archive is lost"), HasSubstr("from a backup")))
          << loss;
    }
  }
  ASSERT_TRUE(server.sql("DELETE FROM hdb_chunk"));
  EXPECT_TRUE(open_archive_url(server.url(), {.create = true})) << "nothing is lost";
}

TEST(PostgresOpen, TheTableOfAnOlderVersionIsConverted) {
  PostgresServer server;
  ASSERT_TRUE(server.init() && server.start());
  GameWorld world(500, 3);
  std::vector<Hash128> hashes;
  {
    const auto archive = new_archive(server.url(), {.lock_timeout = kPatience});
    for (const char* const title : {"first", "second"}) {
      world.step();
      const auto put = archive->put(world.db.capture(), {.world = "gate"}, titled(title));
      ASSERT_TRUE(succeeded(put));
      hashes.push_back(put->state_hash);
    }
  }
  ASSERT_TRUE(server.sql(
      "CREATE TABLE hdb_object AS SELECT convert_to('chunk/' || encode(id, 'hex'), 'UTF8') AS key, "
      "bytes FROM hdb_chunk UNION ALL SELECT convert_to('save/' || world || '/' || "
      "lpad(sequence::text, 20, '0'), 'UTF8'), manifest FROM hdb_save; "
      "DROP TABLE hdb_chunk, hdb_save; UPDATE hdb_archive SET version = 1"));
  const auto archive = Archive::open(server.url());
  ASSERT_TRUE(succeeded(archive));
  const auto saves = (*archive)->list("gate");
  ASSERT_TRUE(succeeded(saves));
  ASSERT_EQ(saves->size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ((*saves)[i].state_hash, hashes[i]);
  EXPECT_TRUE((*archive)->verify()->faults.empty());
  EXPECT_TRUE(server.sql(
      "DO $do$ BEGIN IF (SELECT string_agg(title, ' ' ORDER BY sequence) FROM hdb_save) <> "
      "'first second' OR to_regclass('hdb_object') IS NOT NULL THEN RAISE 'not converted'; "
      "END IF; END $do$"));
  EXPECT_TRUE(Archive::open(server.url()));
}

TEST(PostgresOpen, ASchemaThatDoesNotExistIsNotAFaultOfTheDisk) {
  PostgresServer server;
  ASSERT_TRUE(server.init() && server.start());
  const std::string url = server.url() + "&options=-csearch_path%3Dno_such_schema";
  EXPECT_THAT(error_of(url, ErrorCode::archive_refused, true), HasSubstr("schema"));
}

}  // namespace
}  // namespace hdb::test::postgres_open_test
