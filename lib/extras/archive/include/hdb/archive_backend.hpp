// ArchiveBackend: where an archive keeps its objects, behind five functions and a lock. Servers
// implement it for stores of their own; open_archive_file is the backend of files.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/bytes.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/hash.hpp"

namespace hdb {

/// The name of an object. There are two kinds:
///   - `chunk/` and 64 lower-case hexadecimal digits: the name follows from the content, so whoever
///     writes it, the object means the same;
///   - `save/WORLD/SEQUENCE`: a manifest. WORLD is 1 to 128 of the characters a-z A-Z 0-9 . _ -
///     and does not begin with a dot; SEQUENCE has 20 decimal digits, so that names sort by
///     number.
using ObjectKey = std::string;

/// What the keys of chunks and of manifests begin with.
inline constexpr std::string_view kChunkKeys = "chunk/";
inline constexpr std::string_view kSaveKeys = "save/";

/// An object to be stored.
struct ArchiveObject {
  ObjectKey key;
  std::span<const std::byte> bytes;  ///< Fewer than 1 MiB, unless one value of the save has more.
};

/// What `list` says about an object.
struct ListedObject {
  ObjectKey key;
  std::uint64_t bytes = 0;  ///< Its size in the store.
};

/// What a hold is for.
enum class HoldKind : std::uint8_t {
  write,    ///< Many at once: nothing is collected meanwhile.
  collect,  ///< Alone: no put runs meanwhile.
};

/// A lock of the whole archive; the destructor releases it.
class ArchiveHold {
 public:
  virtual ~ArchiveHold() = default;
};

/// Objects by key. An object is stored as a whole or not at all, and never changes.
///
/// Threads: several threads may call any member at once.
/// Errors: those of the store, with a text that names it; never a password.
///
/// Example:
/// @code
/// auto store = hdb::open_archive_file("saves.hdba", {.create = true});
/// if (!store) return;  // store.error().message() says why
/// const std::vector<hdb::ArchiveObject> objects = {
///     {"save/gate/00000000000000000007", hdb::bytes_of("a manifest")}};
/// const auto first = (*store)->put_if_absent(objects);
/// const auto again = (*store)->put_if_absent(objects);
/// assert(first && first->front());     // stored
/// assert(again && !again->front());    // was there before
/// assert((*store)->list("save/gate/")->size() == 1);
/// @endcode
//
//   AB1  put_if_absent is durable when it returns, and in order: whoever sees an object, also after
//        a crash, sees those before it in the list.
//   AB2  Of two put_if_absent with one key of a manifest, at most one stores it.
//   AB3  While a hold `write` exists, no hold `collect` does; so what exists_many found stays until
//        the hold ends.
class ArchiveBackend {
 public:
  virtual ~ArchiveBackend() = default;

  /// Stores the objects whose keys are not there yet, in order. At most one is a manifest; it is
  /// the last. Returns for each whether this call stored it. If the connection breaks, the caller
  /// cannot know whether the manifest was stored: it looks with `get`. After bad_archive, another
  /// put may succeed, if exists_many is asked again: it may go to another place.
  [[nodiscard]] virtual Result<std::vector<bool>> put_if_absent(
      std::span<const ArchiveObject> objects) = 0;
  /// The objects with these keys, in their order; nothing for a key that is not there.
  [[nodiscard]] virtual Result<std::vector<std::optional<Bytes>>> get(
      std::span<const ObjectKey> keys) = 0;
  /// Whether the objects are there, in the order of the keys. Does not read them. Also false for
  /// objects that new ones should not refer to, because their part of the store is damaged.
  [[nodiscard]] virtual Result<std::vector<bool>> exists_many(std::span<const ObjectKey> keys) = 0;
  /// All objects whose keys begin with `prefix`, in ascending order of keys.
  [[nodiscard]] virtual Result<std::vector<ListedObject>> list(std::string_view prefix) = 0;
  /// Damage, found by `list`, for which saves may be missing in its result.
  [[nodiscard]] virtual Result<std::vector<Error>> list_faults() { return std::vector<Error>{}; }
  /// Removes objects; keys that are not there are ignored. Chunks are removed only under a hold
  /// `collect`. Durable when it returns, and in order as put_if_absent.
  [[nodiscard]] virtual Status remove(std::span<const ObjectKey> keys) = 0;

  /// Waits for the lock. A thread that has one must not ask for another: a collection may wait
  /// between them. Errors: save_busy after `timeout`.
  [[nodiscard]] virtual Result<std::unique_ptr<ArchiveHold>> hold(
      HoldKind kind, std::chrono::milliseconds timeout) = 0;

  /// 16 random bytes that were chosen when the archive was made; each manifest has them, so that
  /// one of another archive is noticed.
  [[nodiscard]] virtual const Hash128& archive_id() const noexcept = 0;
  /// How messages call the archive: its path, or its URL without the password.
  [[nodiscard]] virtual const std::string& place() const noexcept = 0;

  /// Checks the structure of the store, and returns its faults. A store that checks itself has
  /// nothing to do. Changes nothing.
  [[nodiscard]] virtual Result<std::vector<Error>> check_store() { return std::vector<Error>{}; }
};

/// The options of Archive::open; a backend alone takes `create`, `archive_id` and `patience`.
struct ArchiveOptions {
  bool create = false;      ///< Make the archive if there is none.
  Hash128 archive_id = {};  ///< Id of a new archive file; zero: a random one.
  /// How long a call waits for another program that writes to the file, or goes on after the server
  /// vanished, until it answers again.
  std::chrono::milliseconds patience = std::chrono::seconds(30);
  std::uint64_t cache_bytes = std::uint64_t{16} << 20;  ///< Memory for parts that saves share.
  /// How long a put waits for a collection of garbage, and a collection for puts.
  std::chrono::milliseconds lock_timeout = std::chrono::seconds(60);
};

/// Opens an archive in a file, `NAME.hdba`: an SQLite database with the tables of archives in
/// PostgreSQL. The file must be on a local file system. Beside it are `-wal` and `-shm` while
/// programs have it open, and its locks `-lock` and `-gate`.
/// Errors: not_an_archive for any other file; file_not_found; permission_denied; save_busy;
/// archive_not_supported in a build without SQLite; I/O.
[[nodiscard]] HDB_ARCHIVE_API Result<std::unique_ptr<ArchiveBackend>> open_archive_file(
    const std::string& path, const ArchiveOptions& options = {});

/// Opens an archive in a PostgreSQL database, version 15 or newer, by a URL that begins with
/// `postgresql:` (lib/extras/postgres/postgresql.md). Several URLs with blanks between them share
/// the chunks; several hosts in one URL, with commas, are a primary and those that may take over.
/// Errors: archive_not_supported in a build without libpq; archive_unreachable; archive_refused;
/// not_an_archive; newer_version; foreign_archive; bad_options. No text has the password.
[[nodiscard]] HDB_ARCHIVE_API Result<std::unique_ptr<ArchiveBackend>> open_archive_url(
    const std::string& urls, const ArchiveOptions& options = {});

}  // namespace hdb
