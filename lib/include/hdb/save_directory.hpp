// SaveDirectory: the folder of a game's saves: named ones, a ring of quicksaves, a ring of
// autosaves, their backups.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hdb/autosaver.hpp"
#include "hdb/load.hpp"
#include "hdb/save.hpp"

namespace hdb {

class Database;
class SaveFolder;

/// What a save of a directory is for.
enum class SaveKind : std::uint8_t {
  named,     ///< The player's own; `keep` backups each.
  quick,     ///< One of a ring: the oldest is replaced.
  autosave,  ///< One of another ring.
};

/// Names a save of a directory: the player's text, or a ring.
struct SaveName {
  SaveKind kind = SaveKind::named;
  std::string text = {};  ///< Of a named save: 1 to 60 bytes of UTF-8 without control characters.

  SaveName(std::string_view name) : text(name) {}
  SaveName(const char* name) : text(name) {}
  SaveName(const std::string& name) : text(name) {}
  [[nodiscard]] static SaveName quick() { return SaveName(SaveKind::quick); }
  [[nodiscard]] static SaveName autosave() { return SaveName(SaveKind::autosave); }

 private:
  explicit SaveName(SaveKind ring) : kind(ring) {}
};

struct SaveDirectoryOptions {
  unsigned quicksaves = 3;  ///< Files of the ring, 1 to 1000.
  unsigned autosaves = 3;   ///< Files of the ring, 1 to 1000.
  unsigned keep = 1;        ///< Backups of each named save, at most 1000.
  ReadLimits limits = {};
  FileSystem* file_system = nullptr;  ///< null: the operating system's.
};

/// One file of a directory, as a menu shows it.
struct SaveEntry {
  SaveKind kind = SaveKind::named;
  std::string name;     ///< The player's text; of rings the number of the file, from 1.
  unsigned backup = 0;  ///< 0: the save itself; else the number of the backup, 1 the youngest.
  std::string path;
  std::optional<FileInfo> info;  ///< Title, play time, date, state hash; empty: it cannot be read.
  Error problem;                 ///< Why it cannot be read, or was passed over.
};

/// What was loaded, and what was passed over for it.
struct LoadedSave {
  LoadReport report;
  SaveEntry entry;
  std::vector<SaveEntry> passed_over;  ///< Younger ones that are damaged, each with its problem.
};

/// The folder of a game's saves. Other files in it are never listed, changed or removed.
///
/// Files are called `slot-<name>.hdb` (letters other than a-z, and all else but digits, '-' and
/// '_', as `~` and two hexadecimal digits a byte: so they are good names on every file system, and
/// no two names fall together where case is ignored), `quick-<n>.hdb`, `auto-<n>.hdb`; backups have
/// `.1`, `.2`, ... behind it. Which save is the newest is told by Metadata::sequence, which the
/// directory gives where the caller gives none (0): clocks may go wrong.
///
/// One thread at a time; saves that it started in the background, or is the target of, go on beside
/// it. A save that fails gives its file of a ring back.
class SaveDirectory {
 public:
  /// Opens the folder; makes it when there is none (its parent must be there). The first save in it
  /// also makes the folder's own name durable; where that fails, the outcome is
  /// `replaced_not_durable` and the next save tries again.
  /// Errors: bad_options; file_not_found (the parent); bad_path (empty, or no folder);
  /// permission_denied; io_failed.
  [[nodiscard]] static Result<SaveDirectory> open(const std::string& folder,
                                                  const SaveDirectoryOptions& options = {});

  /// Saves. Of a ring, the file that is missing, damaged or oldest is replaced.
  /// Errors: bad_name; as hdb::save; then all saves are as they were.
  Result<SaveReport> save(const Snapshot& snapshot, const SaveName& name,
                          const SaveOptions& options = {});
  /// As save, in the background. The name's file is chosen now: a second save does not take the
  /// same one of a ring.
  [[nodiscard]] Result<Saving> save_async(Snapshot snapshot, const SaveName& name,
                                          SaveOptions options = {});

  /// Where an Autosaver's save of this name goes. A ring's file is chosen when the save begins, so
  /// that captures which wait for one ring replace each other and cost it no file. The directory
  /// may be gone by then. Errors (of the save): as save.
  [[nodiscard]] AutosaveTarget target(const SaveName& name) const;

  /// All saves, the newest first, those that cannot be read last; without backups, except where the
  /// save itself is gone.
  /// Complexity: a few KiB are read of each file.
  [[nodiscard]] Result<std::vector<SaveEntry>> list() const;
  /// All files, backups too, in the order of list().
  [[nodiscard]] Result<std::vector<SaveEntry>> list_all() const;
  /// The thumbnail of a listed save; empty when it has none.
  [[nodiscard]] Result<Bytes> read_thumbnail(const SaveEntry& entry) const;

  /// Loads the newest save of any name or ring; where it is damaged, the next newest file, backups
  /// included.
  /// Errors: not_found when there is none; as Database::load: what only the newest game or more
  /// memory could read ends the search, as loading an older save instead would throw progress away.
  Result<LoadedSave> load_newest(Database& database, const LoadOptions& options = {}) const;
  /// Loads a named save, or the newest of a ring; where it is damaged, a backup or an older one of
  /// the ring.
  /// Errors: as load_newest; bad_name.
  Result<LoadedSave> load(Database& database, const SaveName& name,
                          const LoadOptions& options = {}) const;

  /// Removes a named save with its backups, or a whole ring; false when there was none. Nothing
  /// else is touched. The save itself goes last: stopped half-way, it is still there.
  /// Errors: bad_name; save_busy while it is being saved; not_regular; as the system gives them.
  Result<bool> remove(const SaveName& name);
  /// Removes one listed file and its backups, such as one of a ring.
  Result<bool> remove(const SaveEntry& entry);

  [[nodiscard]] const std::string& folder() const noexcept;
  /// The path of a named save, whether or not it is there. Errors: bad_name.
  [[nodiscard]] Result<std::string> path_of(std::string_view name) const;

 private:
  explicit SaveDirectory(std::shared_ptr<SaveFolder> shared) : shared_(std::move(shared)) {}
  [[nodiscard]] FileSystem& files() const noexcept;
  [[nodiscard]] const SaveDirectoryOptions& options() const noexcept;
  Result<LoadedSave> load_first(Database& database, const std::vector<SaveEntry>& entries,
                                const LoadOptions& options) const;
  Result<bool> remove_file(const std::string& file);

  std::shared_ptr<SaveFolder> shared_;
};

}  // namespace hdb
