// How a file replaces another one: backups, locks, reading back, and what became of it. Games set
// it in SaveOptions::file.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/fwd.hpp"

namespace hdb {

/// How safe a successful save is. A save that fails returns an Error instead; the old file is
/// unchanged then.
enum class SaveOutcome : std::uint8_t {
  not_a_file,            ///< The bytes went to a sink of the program; hdb does not know more.
  replaced_not_durable,  ///< The new file is in place, but a power cut may bring the old one back.
  durable,               ///< The new file is in place and survives a power cut.
};

/// The name of the outcome: "durable", "replaced_not_durable" or "not_a_file".
[[nodiscard]] HDB_INSPECT_API std::string_view outcome_name(SaveOutcome outcome) noexcept;

/// Which files are read back from the disk and compared before they replace the old file.
/// `small_files` means files of at most kSmallFileBytes.
enum class ReadBack : std::uint8_t { never, small_files, always };

/// The largest file that ReadBack::small_files reads back: 4 MiB.
inline constexpr std::uint64_t kSmallFileBytes = std::uint64_t{4} << 20;

/// How long a save waits by default for another save of the same file: one second.
inline constexpr std::chrono::milliseconds kDefaultLockTimeout{1000};

/// What a save knows of the file that it replaces.
enum class OldFile : std::uint8_t {
  sound,    ///< Becomes the newest backup.
  damaged,  ///< Becomes the newest backup only if no older backup is lost by that.
};

/// The options of AtomicFile::create, and of a save (SaveOptions::file).
///
/// Example:
/// @code
/// hdb::Database db;
/// db.create_table<Monster>("monsters").insert({.name = "imp"});
/// hdb::SaveOptions options;
/// options.file.keep = 2;  // the two saves before stay, as slot4.hdb.1 and slot4.hdb.2
/// options.file.read_back = hdb::ReadBack::always;
/// const auto saved = hdb::save(db.capture(), "slot4.hdb", options);
/// if (!saved) return;  // saved.error().message() says why; the old file is unchanged
/// assert(saved->outcome != hdb::SaveOutcome::not_a_file);
/// @endcode
struct AtomicFileOptions {
  /// The number of backups: name.1 (the newest), name.2, ... If the file system has no room for
  /// such names, `name` is shortened in them (backup_paths).
  unsigned keep = 0;
  /// How long to wait for another save of the file, at most a year. Zero or less: fails with
  /// `save_busy` at once.
  std::chrono::milliseconds lock_timeout = kDefaultLockTimeout;
  ReadBack read_back = ReadBack::small_files;
  /// Called with the new file after it was read back. If it returns an error, the commit fails with
  /// `verify_failed`.
  std::function<Status(ByteSource&)> validate = {};
  /// Called just before the new file replaces the old one, while the target is locked, with the old
  /// file; null if there is none. If the old file cannot be opened, reading it fails. If the
  /// function returns an error, the commit fails with it. Without the function, the old file is
  /// sound.
  std::function<Result<OldFile>(ByteSource* old)> before_replace = {};
  /// The size of the write buffer in bytes.
  std::size_t buffer_bytes = std::size_t{64} << 10;
  FileSystem* file_system = nullptr;  ///< null: the operating system's.
};

/// What a successful commit did.
struct CommitReport {
  SaveOutcome outcome = SaveOutcome::durable;  ///< Never `not_a_file`.
  Error problem;                               ///< Why the outcome is `replaced_not_durable`.
  /// Why not all backups could be renamed, if so. No backup is lost, and the next save of the file
  /// completes the work.
  Error backup_problem;
  /// What the new file does not have of the old one, if so: its owner, group, mode, access control
  /// list or another extended attribute, and why. The save is as safe as its outcome says.
  Error ownership_problem;
  /// What the save did without because the file system does not have it, if so: locks (another
  /// program could have saved the file at the same time) or links (the backup is a copy).
  Error done_without;
  std::uint64_t bytes = 0;  ///< The size of the new file.
  bool read_back = false;   ///< Whether the bytes were read back and compared.
};

}  // namespace hdb
