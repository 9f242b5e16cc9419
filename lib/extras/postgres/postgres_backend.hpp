// What opens an archive in PostgreSQL, and what stores its objects.
#pragma once

#include <memory>
#include <vector>

#include "hdb/archive_backend.hpp"
#include "hdb/hash.hpp"
#include "postgres/server_pool.hpp"

namespace hdb::archive {

/// The number of the advisory locks, "hdb arc".
inline constexpr const char* kLockKey = "7521962899108454";  // of advisory locks: "hdb arc"

/// The backend over servers that have the tables of this archive, in the order of their numbers.
[[nodiscard]] std::unique_ptr<ArchiveBackend> make_postgres_backend(
    std::vector<std::unique_ptr<ServerPool>> servers, const Hash128& archive_id);

}  // namespace hdb::archive
