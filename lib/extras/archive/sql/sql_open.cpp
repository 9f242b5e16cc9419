// Opens and makes archives in SQL databases.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "archive/sql/sql_backend.hpp"
#include "format/write/random_id.hpp"

namespace hdb::archive {
namespace {

constexpr std::int64_t kSqlVersion = 1;

// The row of hdb_archive.
struct ShardInfo {
  Hash128 archive_id;
  std::int64_t shard = 0;
  std::int64_t shards = 0;
};

// An id is stored with its most significant byte first.
Bytes bytes_of_id(const Hash128& id) {
  Bytes bytes(16);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>((i < 8 ? id.high : id.low) >> (56 - 8 * (i % 8)));
  return bytes;
}
Hash128 id_of_bytes(const Bytes& bytes) {
  Hash128 id;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::uint64_t& half = i < 8 ? id.high : id.low;
    half = half << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  }
  return id;
}

// An error if there are objects: a new row would have another id, which the saves would refuse.
SqlResultOf<std::optional<ShardInfo>> check_lost(SqlConnection& connection, std::string_view lost) {
  auto objects = connection.has_table("hdb_object");
  if (objects && *objects) {
    const auto rows = connection.run("SELECT 1 FROM hdb_object LIMIT 1");
    if (!rows) return tl::unexpected(rows.error());
    *objects = !rows->rows.empty();
  }
  if (!objects) return tl::unexpected(std::move(objects.error()));
  if (!*objects) return std::optional<ShardInfo>();
  return tl::unexpected(SqlFailure{
      {ErrorCode::bad_archive, "the table hdb_object has saves, but " + std::string(lost) +
                                   " is lost, which has the id of their archive; restore the table "
                                   "hdb_archive from a backup of the database"}});
}

// The row of a database; nothing if it has no archive.
SqlResultOf<std::optional<ShardInfo>> read_shard(SqlConnection& connection) {
  const auto exists = connection.has_table("hdb_archive");
  if (!exists) return tl::unexpected(exists.error());
  if (!*exists) return check_lost(connection, "the table hdb_archive");
  auto row = connection.run("SELECT version, archive_id, shard, shards, epoch FROM hdb_archive");
  if (!row) {
    SqlFailure failed = std::move(row.error());
    if (failed.error.code == ErrorCode::not_an_archive)
      failed.error.what = "the table hdb_archive is not that of an archive";
    return tl::unexpected(std::move(failed));
  }
  if (row->rows.empty()) return check_lost(connection, "the row of hdb_archive");
  if (row->number(0) != kSqlVersion) {
    return tl::unexpected(
        SqlFailure{{ErrorCode::newer_version,
                    "the tables of the archive have version " + std::to_string(row->number(0)) +
                        "; this version of hdb reads " + std::to_string(kSqlVersion)}});
  }
  return std::optional<ShardInfo>(
      {id_of_bytes(row->take_bytes(1)), row->number(2), row->number(3)});
}

SqlResultOf<void> create_shard(SqlConnection& connection, const ShardInfo& info) {
  if (auto begun = connection.begin_create(); !begun) return begun;
  for (const char* const sql :
       {"CREATE TABLE IF NOT EXISTS hdb_archive (version int NOT NULL, archive_id bytea NOT NULL, "
        "shard int NOT NULL, shards int NOT NULL, epoch bigint NOT NULL)",
        "CREATE TABLE IF NOT EXISTS hdb_object (key bytea PRIMARY KEY, bytes bytea NOT NULL)"}) {
    auto done = connection.run(sql);
    if (!done) return tl::unexpected(std::move(done.error()));
  }
  const Bytes id = bytes_of_id(info.archive_id);
  auto row =
      connection.run("INSERT INTO hdb_archive SELECT " + std::to_string(kSqlVersion) + ", $1, " +
                         std::to_string(info.shard) + ", " + std::to_string(info.shards) +
                         ", 0 WHERE NOT EXISTS (SELECT 1 FROM hdb_archive)",
                     {id});
  if (!row) return tl::unexpected(std::move(row.error()));
  if (auto done = connection.commit(); !done) return done;
  connection.tune_tables();
  return {};
}

SqlResultOf<ShardInfo> open_shard(SqlConnection& connection, const ShardInfo& wanted, bool create) {
  auto info = read_shard(connection);
  if (info && !*info && create) {
    if (auto made = create_shard(connection, wanted); !made)
      return tl::unexpected(std::move(made.error()));
    info = read_shard(connection);
  }
  if (!info) return tl::unexpected(std::move(info.error()));
  if (*info) return **info;
  return tl::unexpected(
      SqlFailure{{ErrorCode::not_an_archive, "the database has no archive: no table hdb_archive"}});
}

}  // namespace

Result<std::unique_ptr<ArchiveBackend>> open_sql_archive(
    std::vector<std::unique_ptr<SqlPool>> databases, bool create) {
  Hash128 id = random_id();
  const auto count = static_cast<std::int64_t>(databases.size());
  for (std::int64_t i = 0; i < count; ++i) {
    SqlPool& database = *databases[static_cast<std::size_t>(i)];
    const auto at_place = [&](ErrorCode code, std::string what) {
      return fail(Error{code, std::move(what), kNoOffset, {}, database.place()});
    };
    auto found = database.once([&](SqlConnection& connection, unsigned) {
      return open_shard(connection, {id, i, count}, create);
    });
    if (!found) {
      Error error = std::move(found.error().error);
      if (error.file.empty()) error.file = database.place();
      return fail(std::move(error));
    }
    if (i == 0) id = found->archive_id;
    if (found->archive_id != id) {
      return at_place(ErrorCode::foreign_archive,
                      "the database belongs to another archive than " + databases[0]->place());
    }
    if (found->shard != i || found->shards != count) {
      return at_place(ErrorCode::bad_options,
                      "the database is number " + std::to_string(found->shard + 1) + " of " +
                          std::to_string(found->shards) +
                          " of its archive; give the URLs of all, in this order");
    }
  }
  return make_sql_backend(std::move(databases), id);
}

}  // namespace hdb::archive
