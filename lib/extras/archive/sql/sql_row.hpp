// The rows of objects: chunks in hdb_chunk, manifests in hdb_save.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "archive/object.hpp"
#include "archive/sql/sql_connection.hpp"

namespace hdb::archive {

/// The key of a row.
struct SqlRowKey {
  bool is_save = false;
  ObjectId id = {};  ///< Of a chunk.
  std::string world;
  std::int64_t sequence = 0;

  /// The parameters of a statement; they refer to this object.
  [[nodiscard]] SqlValues values() const {
    return is_save ? SqlValues{std::string_view(world), sequence} : SqlValues{std::span(id)};
  }
};

/// Errors: bad_options for a key that no row can have.
[[nodiscard]] Result<SqlRowKey> row_key_of(std::string_view key);

/// Inserts a row into hdb_save, with the title and the date of the save in columns of their own.
/// Returns whether no row had the key.
[[nodiscard]] SqlResultOf<bool> put_save(SqlConnection& connection, const SqlRowKey& key,
                                         std::span<const std::byte> manifest);

/// Which of those columns is not that of the manifest: "title", "saved_at", or empty: none is, or
/// the manifest cannot be read.
[[nodiscard]] std::string_view wrong_column(std::string_view title, std::string_view saved_at,
                                            std::span<const std::byte> manifest);

}  // namespace hdb::archive
