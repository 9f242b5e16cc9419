// Saving a snapshot: to a file (atomically and durably), to a sink, now or in the background.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "hdb/atomic_file.hpp"
#include "hdb/executor.hpp"
#include "hdb/file_info.hpp"
#include "hdb/io.hpp"
#include "hdb/snapshot.hpp"
#include "hdb/write_options.hpp"

namespace hdb {

struct SaveOptions {
  Metadata metadata = {};  ///< What menus show; its `sequence` should rise from save to save.
  Bytes thumbnail = {};    ///< An image file, shown by menus; empty: none.
  Codec codec = Codec::zstd;
  int level = 1;         ///< zstd level, 1 to 19.
  unsigned threads = 1;  ///< Encoding threads, at least 1; the bytes do not depend on it.
  unsigned keep = 0;     ///< Backups of former saves to keep: name.1 (newest), name.2, ...
  ReadBack read_back =
      ReadBack::small_files;  ///< Whether the written file is read back before it counts.
  /// How long to wait for another save of the same file, by any program, up to a year; zero or
  /// less: `save_busy` at once.
  std::chrono::milliseconds lock_timeout = kDefaultLockTimeout;
  FileSystem* file_system = nullptr;  ///< null: the operating system's.
  Executor executor = {};             ///< Runs the encoding tasks; empty: threads of our own.
  /// save_async: runs the save in the background; empty: a thread of our own. A task that is
  /// dropped instead ends the save with `not_run`.
  std::function<void(std::function<void()> save)> background = {};
  std::function<void(const Progress&)> on_progress = {};
  const std::atomic<bool>* cancel = nullptr;
  ReadLimits limits = {};  ///< What would not load with these is refused.
  /// What former saves wrote: only what changed since is encoded. The bytes do not depend on it. An
  /// Autosaver has its own.
  ChunkCache* cache = nullptr;
};

struct SaveReport {
  SaveOutcome outcome = SaveOutcome::not_a_file;
  Error problem;         ///< `replaced_not_durable`: why.
  Error backup_problem;  ///< See CommitReport::backup_problem.
  std::string path;      ///< The file written; empty for sinks.
  std::uint64_t bytes = 0;
  std::uint64_t raw_bytes = 0;     ///< Before filters and compression.
  std::uint64_t reused_bytes = 0;  ///< Of `bytes`, how many SaveOptions::cache gave.
  Hash128 state_hash;
  double encode_ms = 0;  ///< Encoding, compressing and writing.
  double commit_ms = 0;  ///< Syncing and renaming.
};

/// Saves `snapshot` to `path`; the old file stays whole until the new one is complete and durable.
/// Any thread.
/// Errors: I/O, limits, busy, cancelled, records that leave their schema; then the old file is
/// untouched and no temporary file is left.
[[nodiscard]] Result<SaveReport> save(const Snapshot& snapshot, const std::string& path,
                                      const SaveOptions& options = {});
/// Saves into a sink of the caller (memory, a console's save call). The outcome is `not_a_file`.
[[nodiscard]] Result<SaveReport> save(const Snapshot& snapshot, ByteSink& sink,
                                      const SaveOptions& options = {});

class SaveJob;

/// A save in the background, as anyone sees it who holds a copy. Dropping it neither waits nor
/// stops the save. Any thread.
class SaveTicket {
 public:
  /// Of no save; only to be assigned to.
  SaveTicket() = default;
  explicit SaveTicket(std::shared_ptr<SaveJob> job) : job_(std::move(job)) {}
  [[nodiscard]] explicit operator bool() const noexcept { return job_ != nullptr; }

  /// Whether the result is there.
  [[nodiscard]] bool done() const noexcept;
  [[nodiscard]] Progress progress() const;
  /// Asks the save to stop; it then ends with `cancelled`, leaving no partial file. One that has
  /// not begun ends at once; one that is already being committed still succeeds.
  void cancel() noexcept;
  /// Waits for the end; the result may be asked for again, and is good as long as a ticket of the
  /// save.
  [[nodiscard]] const Result<SaveReport>& result() const;

 private:
  std::shared_ptr<SaveJob> job_;
};

/// A save going on in the background. Destroying it waits for the end.
class Saving {
 public:
  Saving() = default;
  Saving(std::shared_ptr<SaveJob> job, std::thread worker)
      : ticket_(std::move(job)), worker_(std::move(worker)) {}
  Saving(Saving&&) noexcept = default;
  Saving& operator=(Saving&& other) noexcept;
  ~Saving();

  /// Whether the result is there.
  [[nodiscard]] bool done() const noexcept { return ticket_.done(); }
  [[nodiscard]] Progress progress() const { return ticket_.progress(); }
  /// See SaveTicket::cancel.
  void cancel() noexcept { ticket_.cancel(); }
  /// Waits for the end; the result may be asked for again.
  [[nodiscard]] const Result<SaveReport>& result() { return ticket_.result(); }

 private:
  void join() noexcept;
  SaveTicket ticket_;
  std::thread worker_;
};

/// Starts a save in the background; the snapshot is kept until it ends. Whatever it ends with, also
/// an exception of the program's own code, is its result.
[[nodiscard]] Saving save_async(Snapshot snapshot, std::string path, SaveOptions options = {});

/// What a menu shows of a save: header, metadata and footer; notices a truncated file.
/// Complexity: a few KiB are read whatever the file's size.
[[nodiscard]] Result<FileInfo> read_info(const std::string& path, const ReadLimits& limits = {},
                                         FileSystem* file_system = nullptr);
/// The image that a menu shows beside a save; empty when the file has none.
[[nodiscard]] Result<Bytes> read_thumbnail(const std::string& path, const ReadLimits& limits = {},
                                           FileSystem* file_system = nullptr);

}  // namespace hdb
