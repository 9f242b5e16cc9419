// Snapshot: a captured state of a database. Games save it, restore it, compare it and hash it, on
// any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/file_info.hpp"
#include "hdb/hash.hpp"
#include "hdb/io.hpp"

namespace hdb {

class ImageSource;
struct TableDescriptor;
struct SnapshotData;
namespace detail {
struct DataOf;
}

/// state_hash() throws this if the hash cannot be computed; try_state_hash() returns the error.
class StateHashFailure final : public std::runtime_error {
 public:
  HDB_API explicit StateHashFailure(Error error);
  /// Why the hash cannot be computed.
  [[nodiscard]] const Error& error() const noexcept { return *error_; }

 private:
  std::shared_ptr<const Error> error_;  // copying an exception must not throw
};

/// A captured state of a database. Immutable; copies share the state; it may outlive its database.
/// Destroying the last copy frees what only this snapshot needs of the undo log; copies of records
/// are destroyed on that thread.
///
/// Threads: any thread may call any member, also while the game changes the database.
///
/// Example:
/// @code
/// hdb::Database db;
/// auto& monsters = db.create_table<Monster>("monsters");
/// monsters.insert({.name = "imp"});
/// const hdb::Snapshot one = db.capture();
/// monsters.insert({.name = "orc"});
/// const hdb::Snapshot two = db.capture();
/// assert(one.live_count() == 1 && two.live_count() == 2);
/// assert(one.state_hash() != two.state_hash());
/// std::thread([two] { assert(hdb::save(two, "slot3.hdb")); }).join();
/// @endcode
class HDB_API Snapshot {
 public:
  /// An empty snapshot: of no database, without tables. Restoring and saving it are errors.
  Snapshot() = default;
  /// For hdb itself: Database::capture makes snapshots.
  explicit Snapshot(std::shared_ptr<const SnapshotData> data) : data_(std::move(data)) {}

  /// Whether the snapshot is not empty.
  [[nodiscard]] explicit operator bool() const noexcept { return data_ != nullptr; }

  /// The hash of all tables of Scope::full (FORMAT.md, "State hash"). Equal states have equal
  /// hashes, whatever the codecs, threads or machines.
  /// Errors: schema_drift if a record leaves its schema; names table, slot, generation and field.
  /// Complexity: O(changed pages) if another snapshot of the same database was hashed before. The
  /// result is cached.
  [[nodiscard]] Result<Hash128> try_state_hash() const;
  /// As try_state_hash; throws StateHashFailure if a record leaves its schema.
  [[nodiscard]] Hash128 state_hash() const;

  /// The number of live records in all captured tables.
  [[nodiscard]] std::uint64_t live_count() const;
  /// The descriptors of the captured tables, in ascending order of names. Tables that a load kept
  /// (LoadOptions::keep_unknown) are not among them, but in image().
  [[nodiscard]] const std::vector<TableDescriptor>& tables() const;

  /// Memory of the pages whose content in this snapshot and in `other` differs, in bytes. Memory
  /// that records own outside of pages (strings, containers) is not counted. Errors:
  /// out_of_memory(). Complexity: O(pages).
  [[nodiscard]] std::uint64_t bytes_not_in(const Snapshot& other) const;

  /// The tables that files hold, as an image for write_image. The image keeps the snapshot's state.
  [[nodiscard]] std::unique_ptr<ImageSource> image(Metadata metadata, Bytes thumbnail = {}) const;

 private:
  friend struct detail::DataOf;

  std::shared_ptr<const SnapshotData> data_;
};

}  // namespace hdb
