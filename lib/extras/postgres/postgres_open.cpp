// Opens and makes archives in PostgreSQL databases.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/using_detail.hpp"
#include "format/write/random_id.hpp"
#include "postgres/postgres_backend.hpp"

namespace hdb {
namespace archive {
namespace {

constexpr int kPostgresVersion = 1;

// What the row of hdb_archive says.
struct ShardInfo {
  Hash128 archive_id;
  std::size_t shard = 0;
  std::size_t shards = 0;
};

PgResultOf<bool> is_true(PgConnection& connection, const std::string& condition) {
  auto rows = connection.run("SELECT " + condition);
  if (!rows) return tl::unexpected(std::move(rows.error()));
  return std::string_view(PQgetvalue(rows->get(), 0, 0)) == "t";
}

PgResultOf<bool> has_table(PgConnection& connection, const std::string& name) {
  return is_true(connection, "to_regclass('" + name + "') IS NOT NULL");
}

// An error if there are objects: a new row would have another id, which the saves would refuse.
PgResultOf<std::optional<ShardInfo>> check_lost(PgConnection& connection, std::string_view lost) {
  auto objects = has_table(connection, "hdb_object");
  if (objects && *objects) objects = is_true(connection, "EXISTS (SELECT 1 FROM hdb_object)");
  if (!objects) return tl::unexpected(std::move(objects.error()));
  if (!*objects) return std::optional<ShardInfo>();
  return tl::unexpected(PgFailure{
      {ErrorCode::bad_archive, "the table hdb_object has saves, but " + std::string(lost) +
                                   " is lost, which has the id of their archive; restore the table "
                                   "hdb_archive from a backup of the database"}});
}

// The row of a server; nothing if it has no archive.
PgResultOf<std::optional<ShardInfo>> read_shard(PgConnection& connection) {
  const auto exists = has_table(connection, "hdb_archive");
  if (!exists) return tl::unexpected(exists.error());
  if (!*exists) return check_lost(connection, "the table hdb_archive");
  auto rows = connection.run(
      "SELECT version, encode(archive_id, 'hex'), shard, shards, epoch FROM hdb_archive");
  if (!rows) {
    PgFailure failed = std::move(rows.error());
    if (failed.state == "42703") {
      failed.error.code = ErrorCode::not_an_archive;
      failed.error.what = "the table hdb_archive is not that of an archive";
    }
    return tl::unexpected(std::move(failed));
  }
  const PGresult* const row = rows->get();
  if (PQntuples(row) == 0) return check_lost(connection, "the row of hdb_archive");
  const std::string version = PQgetvalue(row, 0, 0);
  if (version != std::to_string(kPostgresVersion)) {
    return tl::unexpected(
        PgFailure{{ErrorCode::newer_version, "the tables of the archive have version " + version +
                                                 "; this version of hdb reads " +
                                                 std::to_string(kPostgresVersion)}});
  }
  ShardInfo info;
  const std::string_view id = PQgetvalue(row, 0, 1);
  const auto half = [&](std::size_t at) {
    return std::strtoull(std::string(id.substr(std::min(at, id.size()), 16)).c_str(), nullptr, 16);
  };
  info.archive_id = {half(16), half(0)};
  info.shard = std::strtoull(PQgetvalue(row, 0, 2), nullptr, 10);
  info.shards = std::strtoull(PQgetvalue(row, 0, 3), nullptr, 10);
  return std::optional<ShardInfo>(info);
}

PgResultOf<void> create_shard(PgConnection& connection, const ShardInfo& info) {
  const std::string lock = "SELECT pg_advisory_xact_lock(" + std::string(kLockKey) + " + 1)";
  const std::string row = "INSERT INTO hdb_archive SELECT " + std::to_string(kPostgresVersion) +
                          ", decode('" + info.archive_id.hex() + "', 'hex'), " +
                          std::to_string(info.shard) + ", " + std::to_string(info.shards) +
                          ", 0 WHERE NOT EXISTS (SELECT 1 FROM hdb_archive)";
  for (const std::string& sql :
       {std::string("BEGIN"), lock,
        std::string(
            "CREATE TABLE IF NOT EXISTS hdb_archive (version int NOT NULL, archive_id bytea "
            "NOT NULL, shard int NOT NULL, shards int NOT NULL, epoch bigint NOT NULL)"),
        std::string("CREATE TABLE IF NOT EXISTS hdb_object (key bytea PRIMARY KEY, bytes bytea NOT "
                    "NULL)"),
        row}) {
    auto done = connection.run(sql);
    if (!done) return tl::unexpected(std::move(done.error()));
  }
  if (auto done = connection.commit(); !done) return done;
  // Objects are compressed already. Servers that do not know this do without.
  static_cast<void>(
      connection.run("ALTER TABLE hdb_object ALTER COLUMN bytes SET STORAGE EXTERNAL"));
  return {};
}

std::vector<std::string> urls_in(std::string_view text) {
  std::vector<std::string> urls;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end != 0) urls.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return urls;
}

}  // namespace
}  // namespace archive

Result<std::unique_ptr<ArchiveBackend>> open_archive_url(const std::string& urls,
                                                         const ArchiveUrlOptions& options) {
  using namespace archive;
  std::vector<std::unique_ptr<ServerPool>> servers;
  for (const std::string& url : urls_in(urls)) {
    auto server = parse_server(url);
    if (!server) return fail(std::move(server.error()));
    servers.push_back(std::make_unique<ServerPool>(*std::move(server), options.patience));
  }
  if (servers.empty()) return fail(ErrorCode::bad_options, "the URL is empty");
  Hash128 id = random_id();
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const std::string& place = servers[i]->server().place;
    auto found = servers[i]->once([&](PgConnection& connection, unsigned) -> PgResultOf<ShardInfo> {
      auto info = read_shard(connection);
      if (!info) return tl::unexpected(std::move(info.error()));
      if (!*info && options.create) {
        if (auto made = create_shard(connection, {id, i, servers.size()}); !made)
          return tl::unexpected(std::move(made.error()));
        info = read_shard(connection);
        if (!info) return tl::unexpected(std::move(info.error()));
      }
      if (*info) return **info;
      return tl::unexpected(PgFailure{
          {ErrorCode::not_an_archive, "the database has no archive: no table hdb_archive"}});
    });
    if (!found) {
      Error error = std::move(found.error().error);
      if (error.file.empty()) error.file = place;
      return fail(std::move(error));
    }
    if (i == 0) id = found->archive_id;
    if (found->archive_id != id) {
      return fail(
          Error{ErrorCode::foreign_archive,
                "the database belongs to another archive than " + servers[0]->server().place,
                kNoOffset,
                {},
                place});
    }
    if (found->shard != i || found->shards != servers.size()) {
      return fail(Error{ErrorCode::bad_options,
                        "the database is number " + std::to_string(found->shard + 1) + " of " +
                            std::to_string(found->shards) +
                            " of its archive; give the URLs of all, in this order",
                        kNoOffset,
                        {},
                        place});
    }
  }
  return make_postgres_backend(std::move(servers), id);
}

}  // namespace hdb
