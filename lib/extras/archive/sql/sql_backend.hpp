// The backend of archives in SQL databases: opening, and the objects.
#pragma once

#include <memory>
#include <vector>

#include "archive/sql/sql_pool.hpp"
#include "hdb/archive_backend.hpp"
#include "hdb/hash.hpp"

namespace hdb::archive {

/// Opens the archive in these databases, in the order of their numbers; with `create`, makes its
/// tables. Errors: as open_archive_url.
[[nodiscard]] Result<std::unique_ptr<ArchiveBackend>> open_sql_archive(
    std::vector<std::unique_ptr<SqlPool>> databases, bool create);

/// The backend over databases that have the tables of this archive, in the order of their numbers.
[[nodiscard]] std::unique_ptr<ArchiveBackend> make_sql_backend(
    std::vector<std::unique_ptr<SqlPool>> databases, const Hash128& archive_id);

}  // namespace hdb::archive
