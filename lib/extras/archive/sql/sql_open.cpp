// Opens and makes archives in SQL databases.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "archive/sql/sql_backend.hpp"
#include "archive/sql/sql_row.hpp"

namespace hdb::archive {
namespace {

// The table of version 1.
constexpr const char* kOldTable = "hdb_object";

// The row of hdb_archive.
struct ShardInfo {
  Hash128 archive_id;
  std::int64_t shard = 0;
  std::int64_t shards = 0;
  std::int64_t version = kSqlVersion;
};

// An id is stored with its most significant byte first.
Bytes bytes_of_id(const Hash128& id) {
  Bytes bytes(16);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>((i < 8 ? id.high : id.low) >> (56 - 8 * (i % 8)));
  return bytes;
}

// An error if there are objects: a new row would have another id, which the saves would refuse.
SqlResultOf<std::optional<ShardInfo>> check_lost(SqlConnection& connection, std::string_view lost) {
  for (const std::string table : {"hdb_save", "hdb_chunk", kOldTable}) {
    const auto exists = connection.has_table(table);
    if (!exists) return tl::unexpected(exists.error());
    if (!*exists) continue;
    const auto rows = connection.run("SELECT 1 FROM " + table + " LIMIT 1");
    if (!rows) return tl::unexpected(rows.error());
    if (rows->rows.empty()) continue;
    return tl::unexpected(SqlFailure{
        {ErrorCode::bad_archive, "the table " + table + " has saves, but " + std::string(lost) +
                                     " is lost, which has the id of their archive; restore the "
                                     "table hdb_archive from a backup of the database"}});
  }
  return std::optional<ShardInfo>();
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
  if (row->number(0) < 1 || row->number(0) > kSqlVersion) {
    return tl::unexpected(
        SqlFailure{{ErrorCode::newer_version,
                    "the tables of the archive have version " + std::to_string(row->number(0)) +
                        "; this version of hdb reads " + std::to_string(kSqlVersion)}});
  }
  return std::optional<ShardInfo>(
      {id_of_bytes(row->take_bytes(1)), row->number(2), row->number(3), row->number(0)});
}

SqlResultOf<void> make_tables(SqlConnection& connection) {
  const std::string bytes = connection.dialect().bytes_type;
  const std::string text = connection.dialect().text_type;
  for (const std::string& sql :
       {"CREATE TABLE IF NOT EXISTS hdb_archive (version int NOT NULL, archive_id " + bytes +
            " NOT NULL, shard int NOT NULL, shards int NOT NULL, epoch bigint NOT NULL)",
        "CREATE TABLE IF NOT EXISTS hdb_save (world " + text +
            " NOT NULL, sequence bigint NOT NULL, title " + text + " NOT NULL, saved_at " + text +
            " NOT NULL, manifest " + bytes + " NOT NULL, PRIMARY KEY (world, sequence))",
        "CREATE TABLE IF NOT EXISTS hdb_chunk (id " + bytes + " NOT NULL PRIMARY KEY, bytes " +
            bytes + " NOT NULL)"}) {
    auto done = connection.run(sql);
    if (!done) return tl::unexpected(std::move(done.error()));
  }
  return {};
}

// Version 1 had one table for chunks and manifests, with texts as keys, and only in PostgreSQL.
SqlResultOf<void> convert_shard(SqlConnection& connection) {
  if (auto begun = connection.begin_create(); !begun) return begun;
  const auto now = read_shard(connection);
  if (!now) return tl::unexpected(now.error());
  if (!*now || (*now)->version == kSqlVersion) return connection.commit();  // another one did it
  if (auto made = make_tables(connection); !made) return made;
  const std::string old = kOldTable;
  auto chunks = connection.run(
      "INSERT INTO hdb_chunk (id, bytes) SELECT decode(substr(encode(key, 'escape'), 7), 'hex'), "
      "bytes FROM " +
      old + " WHERE encode(key, 'escape') LIKE 'chunk/%'");
  if (!chunks) return tl::unexpected(std::move(chunks.error()));
  auto saves = connection.run("SELECT key, bytes FROM " + old +
                              " WHERE encode(key, 'escape') LIKE 'save/%'");
  if (!saves) return tl::unexpected(std::move(saves.error()));
  for (std::size_t i = 0; i < saves->rows.size(); ++i) {
    const auto key = row_key_of(saves->text(0, i));
    if (!key) return tl::unexpected(SqlFailure{key.error()});
    if (auto put = put_save(connection, *key, saves->take_bytes(1, i)); !put)
      return tl::unexpected(std::move(put.error()));
  }
  for (const std::string& sql :
       {"DROP TABLE " + old, "UPDATE hdb_archive SET version = " + std::to_string(kSqlVersion)}) {
    if (auto done = connection.run(sql); !done) return tl::unexpected(std::move(done.error()));
  }
  if (auto done = connection.commit(); !done) return done;
  connection.tune_tables();
  return {};
}

SqlResultOf<void> create_shard(SqlConnection& connection, const ShardInfo& info) {
  if (auto begun = connection.begin_create(); !begun) return begun;
  if (auto made = make_tables(connection); !made) return made;
  const Bytes id = bytes_of_id(info.archive_id);
  auto row =
      connection.run("INSERT INTO hdb_archive SELECT " + std::to_string(kSqlVersion) + ", $1, " +
                         std::to_string(info.shard) + ", " + std::to_string(info.shards) +
                         ", 0 WHERE NOT EXISTS (SELECT 1 FROM hdb_archive)",
                     {std::span<const std::byte>(id)});
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
  if (info && *info && (*info)->version != kSqlVersion) {
    if (auto converted = convert_shard(connection); !converted)
      return tl::unexpected(std::move(converted.error()));
  }
  if (!info) return tl::unexpected(std::move(info.error()));
  if (*info) return **info;
  return tl::unexpected(
      SqlFailure{{ErrorCode::not_an_archive, "the database has no archive: no table hdb_archive"}});
}

}  // namespace

Hash128 id_of_bytes(std::span<const std::byte> bytes) {
  Hash128 id;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::uint64_t& half = i < 8 ? id.high : id.low;
    half = half << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  }
  return id;
}

Result<std::unique_ptr<ArchiveBackend>> open_sql_archive(
    std::vector<std::unique_ptr<SqlPool>> databases, bool create, Hash128 id) {
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
