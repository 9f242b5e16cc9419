// Archive: keeps every save of one or many worlds, and shares what they have in common. For games
// and servers that return to any earlier save, and for tools that search them.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/archive_backend.hpp"
#include "hdb/autosaver.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/file_info.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/io.hpp"
#include "hdb/save.hpp"
#include "hdb/snapshot.hpp"

namespace hdb {

/// Names one save of an archive.
struct ArchiveVersion {
  std::string world;  ///< 1 to 128 of the characters a-z A-Z 0-9 . _ - and not a dot first.
  std::uint64_t sequence = 0;

  /// `WORLD/SEQUENCE`.
  [[nodiscard]] HDB_ARCHIVE_API std::string text() const;
  friend bool operator==(const ArchiveVersion&, const ArchiveVersion&) = default;
  /// By world, then by sequence.
  friend std::strong_ordering operator<=>(const ArchiveVersion& a, const ArchiveVersion& b) {
    if (const int worlds = a.world.compare(b.world); worlds != 0) return worlds <=> 0;
    return a.sequence <=> b.sequence;
  }
};

/// One save, as Archive::list shows it.
struct ArchivedSave {
  ArchiveVersion version;
  Metadata metadata;
  Hash128 state_hash;
  std::uint64_t file_bytes = 0;   ///< As a file with codec none.
  std::uint64_t new_objects = 0;  ///< Objects that no save before had.
  std::uint64_t new_bytes = 0;    ///< Bytes of the new objects.
};

/// The options of Archive::put.
struct ArchivePutOptions {
  std::string world = "world";
  /// The number of the save; 0: that of the metadata, or if that is 0, one more than the last save
  /// of the world that this object put or found.
  std::uint64_t sequence = 0;
  /// Called with the computed state hash before anything is committed; its error ends the put. For
  /// the image of a file: check_state_hash.
  std::function<Status(const Hash128& state_hash)> approve = {};
  /// Level, threads, progress, cancel and limits. `codec`, `filters`, `file_id` and `cache` have no
  /// meaning here.
  WriteOptions write = {};
};

/// What Archive::put did.
struct ArchivePut {
  ArchiveVersion version;
  /// The archive already had this save: same number, state, metadata, thumbnail and tables, also
  /// those that the state hash leaves out.
  bool already_stored = false;
  Hash128 state_hash;
  Error metadata_problem;         ///< See SaveReport::metadata_problem.
  std::uint64_t raw_bytes = 0;    ///< The columns of the save.
  std::uint64_t new_objects = 0;  ///< Stored by this call, and their bytes.
  std::uint64_t new_bytes = 0;
  std::uint64_t reused_groups = 0;  ///< Row groups that were not looked at, for nothing changed.
};

/// What Archive::collect_garbage found, or removed.
struct ArchiveGarbage {
  std::uint64_t saves = 0;    ///< Saves that remain.
  std::uint64_t objects = 0;  ///< Chunks that no save needs, and their bytes.
  std::uint64_t bytes = 0;
  std::uint64_t kept_objects = 0;
  std::uint64_t kept_bytes = 0;
};

/// A fault that Archive::verify, list, copy_to or repair found.
struct ArchiveFault {
  Error error;                        ///< The damage, with file and object.
  std::vector<ArchiveVersion> saves;  ///< Saves that need the object.
};

/// What Archive::verify read.
struct ArchiveCheck {
  std::uint64_t saves = 0;
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
  std::vector<ArchiveFault> faults;
};

/// What Archive::copy_to or repair copied.
struct ArchiveCopy {
  std::uint64_t saves = 0;
  std::uint64_t already_stored = 0;  ///< Saves that the target had; see ArchivePut::already_stored.
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;         ///< Bytes of the objects.
  std::vector<ArchiveFault> lost;  ///< Saves that cannot be read, or whose number is taken.
  /// Damage of the list of saves: an unknown number of saves may be lost, too.
  std::vector<Error> unlisted;
};

/// What one field of a table takes in an archive.
struct ArchiveShare {
  std::string table;  ///< Empty: what belongs to no table.
  /// The path of the field; else in parentheses what it is: "(slots)", "(dense positions)",
  /// "(free list)", "(nodes)", "(lists of blocks)", "(manifests)", "(packs)", "(catalogs)", ...
  std::string field;
  std::uint64_t references = 0;  ///< Objects of all saves, counted each time, and their raw bytes.
  std::uint64_t raw_bytes = 0;
  std::uint64_t objects = 0;  ///< Objects that are stored, and their bytes.
  std::uint64_t stored_bytes = 0;
};

/// What an archive shares, and what makes it big.
struct ArchiveSharing {
  std::uint64_t saves = 0;
  std::uint64_t raw_bytes = 0;       ///< Bytes of all saves as files with codec none.
  std::uint64_t stored_bytes = 0;    ///< Bytes of all objects below.
  std::vector<ArchiveShare> shares;  ///< The largest first.
};

/// An archive of saves. A save is put under a world and a number and never changes. Chunks of
/// columns are stored once, by the BLAKE2b-256 of their bytes; one that changed is stored as the
/// difference from the save before where that is smaller. Any save opens as a Reader, loads into a
/// database, and comes back as a file, with the same state hash.
///
/// Threads: several threads may call any member at once; puts of one world run one after another.
/// Several programs may use one archive at once.
///
/// Example:
/// @code
/// hdb::Database db;
/// auto& monsters = db.create_table<Monster>("monsters");
/// const auto imp = monsters.insert({.name = "imp", .hp = 60});
/// auto archive = hdb::Archive::open("history.hdba", {.create = true});
/// if (!archive) return;  // archive.error().message() says why
/// const auto first = (*archive)->put(db.capture(), {.world = "gate"});
/// monsters.edit(imp)->hp = 10;
/// if (!first || !(*archive)->put(db.capture(), {.world = "gate"})) return;
/// auto source = (*archive)->source(first->version);  // the way back
/// assert(source && db.load(std::move(*source)) && monsters.find(imp)->hp == 60);
/// assert((*archive)->list("gate")->size() == 2);
/// @endcode
//
//   AR1  The manifest is stored after everything that it leads to: a crash leaves garbage, never
//        half a save.
//   AR2  Of two writers of one world and number one wins; the other gets version_exists, which says
//        who won, or success if both put the same save.
//   AR3  Whatever is read was compared with a hash that its referrer has.
//   AR4  Between an object and a whole one lie at most kMaxSteps differences.
//   AR5  A collection removes no object that a save needs, also one of a put that runs beside it.
class HDB_ARCHIVE_API Archive {
 public:
  /// Opens an archive in a file `NAME.hdba`, or by a URL; with ArchiveOptions::create also a new
  /// one. Errors: bad_path for another name of a new file; those of open_archive_file and
  /// open_archive_url.
  [[nodiscard]] static Result<std::unique_ptr<Archive>> open(const std::string& place,
                                                             const ArchiveOptions& options = {});
  /// An archive in any store. Requires: `backend` is not null.
  [[nodiscard]] static std::unique_ptr<Archive> over(std::unique_ptr<ArchiveBackend> backend,
                                                     const ArchiveOptions& options = {});
  /// Whether a world may have this name (ArchiveVersion::world). Errors: bad_world_name.
  [[nodiscard]] static Status check_world(std::string_view world);
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  /// Puts a save. Durable when it returns.
  /// Errors: version_exists; bad_world_name; save_busy; those of write_image and of the store.
  /// After an error the archive has no part of the save that anybody sees.
  /// Complexity: linear in the row groups that changed since the last put of the world by this
  /// object; for sources without group identities, in the records.
  [[nodiscard]] Result<ArchivePut> put(const ImageSource& image,
                                       const ArchivePutOptions& options = {});
  /// Puts a capture with this metadata. Without a number, a capture that is older than the last one
  /// of its database that this object put ends with `superseded`: its number would make it the last
  /// save of the world. Errors: also those of hdb::save.
  [[nodiscard]] Result<ArchivePut> put(const Snapshot& snapshot,
                                       const ArchivePutOptions& options = {},
                                       const Metadata& metadata = {}, const Bytes& thumbnail = {});

  /// All saves, or those of one world, in ascending order of worlds and numbers. A save whose
  /// manifest cannot be read is left out and appended to `faults`; without `faults`, it ends the
  /// call. A fault without saves: the list itself is damaged, and more saves may be missing.
  /// Errors: bad_archive for a damaged manifest or list, foreign_archive.
  [[nodiscard]] Result<std::vector<ArchivedSave>> list(std::string_view world = {},
                                                       std::vector<ArchiveFault>* faults = nullptr);
  /// The names alone: reads no manifest. If damage hides some, ArchiveBackend::list_faults says so.
  [[nodiscard]] Result<std::vector<ArchiveVersion>> versions(std::string_view world = {});
  /// The last save of a world. If the list is damaged, a later one may be missing: appended to
  /// `faults`; without `faults`, it ends the call. Errors: version_not_found, bad_archive.
  [[nodiscard]] Result<ArchiveVersion> latest(std::string_view world,
                                              std::vector<ArchiveFault>* faults = nullptr);

  /// A save as the source of a file with codec none, for Database::load and Reader::open. Reads the
  /// list of blocks, and of the rest what is asked for. The source may outlive the archive.
  /// Errors: version_not_found, bad_archive, missing_object, foreign_archive.
  [[nodiscard]] Result<std::unique_ptr<ByteSource>> source(const ArchiveVersion& version,
                                                           const ReadLimits& limits = {});
  /// A save, opened. Errors: those of source and Reader::open.
  [[nodiscard]] Result<std::unique_ptr<Reader>> read(const ArchiveVersion& version,
                                                     const ReadOptions& options = {});
  /// Writes a save to a file, atomically. Errors: those of read, write_image and AtomicFile.
  [[nodiscard]] Result<SaveReport> get(const ArchiveVersion& version, const std::string& path,
                                       const SaveOptions& options = {});

  /// Removes a save. What only it needs is garbage from now on.
  /// Errors: version_not_found; save_busy while a collection runs.
  [[nodiscard]] Status remove(const ArchiveVersion& version);
  /// Removes several, in this order; those that are not there are ignored. After an error, some of
  /// the first ones may be gone. Errors: as above.
  [[nodiscard]] Status remove(std::span<const ArchiveVersion> versions);
  /// Removes all chunks that no save needs; with `dry_run`, only counts them. Nothing is removed if
  /// a manifest is damaged. Errors: save_busy while puts run; bad_archive; those of the store.
  [[nodiscard]] Result<ArchiveGarbage> collect_garbage(bool dry_run = false);
  /// For each of these saves, the bytes that it needs and no save before it in the list: what a
  /// collection would free if the first ones stayed and all others went. Reads the lists and nodes
  /// of the saves, and what they are the differences from. Errors: version_not_found, bad_archive.
  [[nodiscard]] Result<std::vector<std::uint64_t>> added_bytes(
      std::span<const ArchiveVersion> versions);
  /// Reads everything and compares all hashes. Changes nothing. `on_progress` gets the objects that
  /// are checked, and all; returns false to stop (cancelled).
  [[nodiscard]] Result<ArchiveCheck> verify(
      const std::function<bool(std::uint64_t, std::uint64_t)>& on_progress = {});
  /// Copies all saves that can be read and that `is_wanted`, and what they need, to another archive
  /// in any store, and compares all hashes. Saves that it has are skipped or, if they are others,
  /// stay. After an error or a crash the target has some of them; a second call copies the rest.
  /// Errors: bad_path for this archive; save_busy; those of the stores.
  [[nodiscard]] Result<ArchiveCopy> copy_to(
      Archive& target, const std::function<bool(const ArchiveVersion&)>& is_wanted = {});
  /// Copies all saves that can be read to a new archive file with the same id. After an error or a
  /// crash it has some of them: remove it. Errors: bad_path if the file exists; those of
  /// open_archive_file and of the stores.
  [[nodiscard]] Result<ArchiveCopy> repair(const std::string& path);
  /// What an archive, or one world of it, shares. Reads manifests, lists and nodes, but no chunk.
  [[nodiscard]] Result<ArchiveSharing> sharing(std::string_view world = {});

  /// The store.
  [[nodiscard]] ArchiveBackend& backend() noexcept;

  struct Parts;  ///< For hdb itself.

 private:
  explicit Archive(std::unique_ptr<Parts> parts) noexcept;

  std::unique_ptr<Parts> parts_;
};

/// Whether the place is the URL of an archive, such as `postgresql://host/saves`, and no path.
[[nodiscard]] HDB_ARCHIVE_API bool is_archive_url(std::string_view place) noexcept;

/// A target of an Autosaver that puts each save into an archive. `archive` must outlive the saves.
/// The result's `path` is the version, its `bytes` what the save added. An archive replaces no
/// save, so SaveOptions::expected is refused with bad_options.
[[nodiscard]] HDB_ARCHIVE_API SaveTarget archive_target(Archive& archive, const std::string& world);

}  // namespace hdb
