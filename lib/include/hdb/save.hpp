// Saving a snapshot: to a file, atomically and durably, or to a sink; now or in the background.
// Also what menus read of a save.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "hdb/detail/base/api.hpp"
#include "hdb/file_info.hpp"
#include "hdb/file_options.hpp"
#include "hdb/io.hpp"
#include "hdb/snapshot.hpp"
#include "hdb/write_options.hpp"

namespace hdb {

/// The options of save and save_async.
struct SaveOptions {
  /// What menus show; its `sequence` should rise from save to save. Texts should be UTF-8
  /// (SaveReport::metadata_problem).
  Metadata metadata = {};
  Bytes thumbnail = {};  ///< An image file, shown by menus; empty: none.
  /// Compression, threads, progress, cancellation and the cache that lets a save encode only what
  /// changed (an Autosaver has its own).
  WriteOptions write = {};
  /// Backups, the wait for another save of the same file, reading back, and the file system.
  /// Saves to a sink ignore these.
  AtomicFileOptions file = {};
  /// The id of the file that this save may replace: FileInfo::file_id of the file that was loaded
  /// (LoadReport::info), or SaveReport::file_id of the last save. If another file is there, because
  /// another program or another machine saved, the save ends with `superseded` and changes nothing.
  /// A zero id: no file may be there. Saves to a sink ignore it.
  std::optional<Hash128> expected = {};
  /// save_async: runs the save in the background; empty: a thread of hdb. If the program drops the
  /// task, the save ends with `not_run`.
  std::function<void(std::function<void()> save)> background = {};
};

/// What a successful save did.
struct SaveReport {
  SaveOutcome outcome = SaveOutcome::not_a_file;
  Error problem;            ///< `replaced_not_durable`: why.
  Error backup_problem;     ///< See CommitReport::backup_problem.
  Error ownership_problem;  ///< See CommitReport::ownership_problem.
  Error done_without;       ///< See CommitReport::done_without.
  /// Which text of the metadata was not UTF-8, if any: U+FFFD took the place of its bad bytes.
  Error metadata_problem;
  std::string path;  ///< The file written; empty for sinks.
  std::uint64_t bytes = 0;
  std::uint64_t raw_bytes = 0;     ///< Before filters and compression.
  std::uint64_t reused_bytes = 0;  ///< The part of `bytes` that WriteOptions::cache supplied.
  Hash128 state_hash;
  Hash128 file_id;       ///< The id of the file, for SaveOptions::expected of the next save.
  double encode_ms = 0;  ///< Encoding, compressing and writing.
  double commit_ms = 0;  ///< Syncing and renaming.
};

/// Saves `snapshot` to `path`. The old file stays intact until the new file is complete. If the
/// folder of the file does not exist, it is made; its parent must exist. Any thread may call this.
///
/// A save never replaces a file in which this process saved a newer capture, of any database: it
/// ends with `superseded`. So of saves that run at the same time the newest capture stays, whatever
/// ends last; to go back to an older state, restore it and capture it again.
///
/// Errors: I/O, limits, save_busy, cancelled, superseded; schema_drift if a record leaves its
/// schema; bad_options if the snapshot is empty. After an error the old file is unchanged and no
/// temporary file is left.
/// Complexity: linear in the records; with a cache, in the row groups that changed.
///
/// Example:
/// @code
/// hdb::Database db;
/// auto& monsters = db.create_table<Monster>("monsters");
/// const auto imp = monsters.insert({.name = "imp"});
/// hdb::SaveOptions options;
/// options.metadata.title = "The Gate";
/// hdb::Saving saving = hdb::save_async(db.capture(), "slot3.hdb", options);
/// monsters.edit(imp)->hp -= 1;                        // the game goes on
/// const auto& result = saving.result();               // waits
/// if (!result) return;  // result.error().message() says why; the old file is intact
/// assert(result->outcome == hdb::SaveOutcome::durable);
/// assert(hdb::read_info("slot3.hdb")->metadata.title == "The Gate");
/// @endcode
[[nodiscard]] HDB_API Result<SaveReport> save(const Snapshot& snapshot, const std::string& path,
                                              const SaveOptions& options);
[[nodiscard]] HDB_API Result<SaveReport> save(const Snapshot& snapshot, const std::string& path);
/// Saves to any sink, for example memory or a console's save API. The outcome is `not_a_file`.
[[nodiscard]] HDB_API Result<SaveReport> save(const Snapshot& snapshot, ByteSink& sink,
                                              const SaveOptions& options);
[[nodiscard]] HDB_API Result<SaveReport> save(const Snapshot& snapshot, ByteSink& sink);

/// Where a save in the background goes: a file, or a function of the program that writes the save.
/// Targets with equal names are the same target.
class SaveTarget {
 public:
  using Write =
      std::function<Result<SaveReport>(const Snapshot& snapshot, const SaveOptions& options)>;

  /// The file `path`, whose absolute path is the name of the target, saved as by hdb::save. A
  /// relative path means the current directory of this call; on a file system of the program
  /// (SaveOptions::file), that of the save.
  HDB_API SaveTarget(std::string path);
  SaveTarget(const char* path) : SaveTarget(std::string(path)) {}
  /// A target that calls `write(snapshot, options)` on the saving thread. `write` passes `options`
  /// on to hdb::save and returns its result.
  SaveTarget(std::string name, Write write) : name_(std::move(name)), write_(std::move(write)) {}

  /// The name of the target.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// The function that writes a save.
  [[nodiscard]] const Write& write() const noexcept { return write_; }

 private:
  std::string name_;
  Write write_;
};

class SaveJob;

/// Observes a save in the background. Copies observe the same save, and any thread may use them.
/// The destructor of the last copy waits for the end of a save by save_async; an Autosaver waits
/// for its saves itself.
class HDB_API Saving {
 public:
  /// An empty one, to be assigned to. Other calls of an empty one end the program with a message.
  Saving() = default;
  /// For hdb itself.
  explicit Saving(std::shared_ptr<SaveJob> job) : job_(std::move(job)) {}
  [[nodiscard]] explicit operator bool() const noexcept { return job_ != nullptr; }

  /// Whether the save has ended.
  [[nodiscard]] bool done() const noexcept;
  /// How far the save is.
  [[nodiscard]] Progress progress() const;
  /// Asks the save to stop. The save then ends with `cancelled` and leaves no partial file. A save
  /// that has not begun ends at once; a save that is already being committed still succeeds.
  void cancel() noexcept;
  /// Waits for the end of the save. May be called again; the reference is valid while a copy
  /// exists.
  [[nodiscard]] const Result<SaveReport>& result() const;

 private:
  [[nodiscard]] SaveJob& job() const noexcept;

  std::shared_ptr<SaveJob> job_;
};

/// Starts a save in the background: an Autosaver of one save. It keeps the snapshot until it ends.
/// Every ending, exceptions of the program's own code included, is reported as the result.
[[nodiscard]] HDB_API Saving save_async(Snapshot snapshot, const SaveTarget& target,
                                        SaveOptions options = {});

/// Reads what a menu shows of a save: header, metadata and footer. Notices a truncated file.
/// Complexity: reads a few KiB, whatever the size of the file.
[[nodiscard]] HDB_API Result<FileInfo> read_info(const std::string& path,
                                                 const ReadLimits& limits = {},
                                                 FileSystem* file_system = nullptr);
/// Reads the thumbnail of a save; empty if the file has none.
[[nodiscard]] HDB_API Result<Bytes> read_thumbnail(const std::string& path,
                                                   const ReadLimits& limits = {},
                                                   FileSystem* file_system = nullptr);

}  // namespace hdb
