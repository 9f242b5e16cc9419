// The backend of archives in SQL databases: opening, and the objects.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "archive/sql/sql_pool.hpp"
#include "format/write/random_id.hpp"
#include "hdb/archive_backend.hpp"
#include "hdb/hash.hpp"

namespace hdb::archive {

/// Opens the archive in these databases, in the order of their numbers; with `create`, makes its
/// tables, with this id. Errors: as open_archive_url.
[[nodiscard]] Result<std::unique_ptr<ArchiveBackend>> open_sql_archive(
    std::vector<std::unique_ptr<SqlPool>> databases, bool create, Hash128 id = random_id());

/// The version of the tables.
inline constexpr std::int64_t kSqlVersion = 2;

/// The id in these 16 bytes of hdb_archive.
[[nodiscard]] Hash128 id_of_bytes(std::span<const std::byte> bytes);

/// The backend over databases that have the tables of this archive, in the order of their numbers.
[[nodiscard]] std::unique_ptr<ArchiveBackend> make_sql_backend(
    std::vector<std::unique_ptr<SqlPool>> databases, const Hash128& archive_id);

}  // namespace hdb::archive
