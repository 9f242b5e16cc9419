// AtomicFile: a sink whose bytes replace a file all at once and durably, or not at all.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/file_system.hpp"
#include "hdb/io.hpp"

namespace hdb {

/// How safe a successful save is. A save that fails returns an Error and has no outcome: the old
/// file is as it was.
enum class SaveOutcome : std::uint8_t {
  not_a_file,  ///< The bytes went to a sink of the caller, which alone knows whether they are safe.
  replaced_not_durable,  ///< The new file is in place; a power cut now may bring the old one back.
  durable,               ///< The new file is in place and survives a power cut.
};

/// "durable", "replaced_not_durable" or "not_a_file".
[[nodiscard]] std::string_view outcome_name(SaveOutcome outcome) noexcept;

/// Whether what was written is read back from the disk before it replaces the old file.
enum class ReadBack : std::uint8_t { never, small_files, always };

/// The largest file that ReadBack::small_files reads back.
inline constexpr std::uint64_t kSmallFileBytes = std::uint64_t{4} << 20;

/// How long a save waits for another one of the same file.
inline constexpr std::chrono::milliseconds kDefaultLockTimeout{1000};

struct AtomicFileOptions {
  unsigned keep = 0;  ///< Older files kept as `name.1` (the youngest) to `name.<keep>`.
  /// How long to wait for another saver of the file, up to a year; zero or less: `save_busy` at
  /// once.
  std::chrono::milliseconds lock_timeout = kDefaultLockTimeout;
  ReadBack read_back = ReadBack::small_files;
  /// Called with the file when it is read back; an error stops the save with `verify_failed`.
  std::function<Status(ByteSource&)> validate = {};
  std::size_t buffer_bytes = std::size_t{64}
                             << 10;   ///< Smaller writes are gathered up to this size.
  FileSystem* file_system = nullptr;  ///< null: the operating system's.
};

/// What a successful commit did.
struct CommitReport {
  SaveOutcome outcome = SaveOutcome::durable;  ///< Never `not_a_file`.
  Error problem;                               ///< `replaced_not_durable`: why.
  /// The new file is in place, but the backups could not all be moved up: why. None is lost; the
  /// next save of the file goes on.
  Error backup_problem;
  std::uint64_t bytes = 0;  ///< Size of the new file.
  bool read_back = false;   ///< The bytes were read back and compared.
};

/// Writes a temporary file beside the target; `commit` makes it durable and renames it over the
/// target. A final symbolic link is followed once, so the link stays and the file that it names is
/// replaced.
///
//   W1  The target's name leads to the old file or to the new one, whole, at every moment, crashes
//       included.
//   W2  Unless commit succeeded, no temporary is left; one left by a crash goes with the next save
//       of the target.
//   W3  One saver a target, among processes and within this one; savers of other targets are not
//       excluded. Who may only read the folder cannot lock. No lock file is left; one that a crash
//       left goes with the next save of the target.
//   W4  Mode, backups and the folder's other names are as before, or as the options say. No backup
//       moves before the new file is in place, so a failure or crash loses none.
///
/// One thread at a time. The lock is held from `create` to `commit`, `abandon` or the destructor.
class AtomicFile final : public ByteSink {
 public:
  /// Opens the folder, locks the target, removes stale temporaries of this target and creates a new
  /// one.
  /// Errors: save_busy; not_regular for a folder, FIFO or device; permission_denied also when the
  /// target is write-protected; bad_path, read_only, disk_full, file_not_found (no such folder).
  [[nodiscard]] static Result<std::unique_ptr<AtomicFile>> create(
      const std::string& path, const AtomicFileOptions& options = {});
  ~AtomicFile() override;

  /// After a failure the temporary is gone, and every later call returns that failure.
  [[nodiscard]] Status write(std::span<const std::byte> bytes) override;
  /// Reserves a part of `size_bytes` that such a file will hardly stay below, so that a full disk
  /// shows early.
  [[nodiscard]] Status reserve(std::uint64_t size_bytes) override;

  /// Replaces the target. After an error the old file, or its absence, is as it was.
  [[nodiscard]] Result<CommitReport> commit();
  /// Removes the temporary and gives the lock back; nothing after commit.
  void abandon() noexcept;

 private:
  struct State;
  explicit AtomicFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The paths at which a save with `keep` leaves its backups, youngest first, whether or not they
/// exist.
[[nodiscard]] std::vector<std::string> backup_paths(const std::string& path, unsigned keep,
                                                    FileSystem* files = nullptr);

}  // namespace hdb
