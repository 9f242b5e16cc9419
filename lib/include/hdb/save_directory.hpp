// SaveDirectory: the folder of a game's saves: named saves with backups, a ring of quicksaves, a
// ring of autosaves. For the save and load menus of games.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hdb/autosaver.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/fwd.hpp"
#include "hdb/load.hpp"
#include "hdb/save.hpp"

namespace hdb {

class SaveFolder;

/// The kinds of saves in a SaveDirectory. A ring is a fixed number of files; each new save replaces
/// the oldest.
enum class SaveKind : std::uint8_t {
  named,     ///< Named by the player; has backups.
  quick,     ///< A file of the ring of quicksaves; has no backups.
  autosave,  ///< A file of the ring of autosaves; has no backups.
  /// A save or backup that another program copied or renamed, as cloud clients do when two machines
  /// saved: `slot-gate (1).hdb`. Listed and loaded as other saves; no save replaces it.
  renamed,
};

/// Names a save of a directory: a text of the player, or one of the rings.
struct SaveName {
  SaveKind kind = SaveKind::named;
  /// The name of a named save: 1 to 60 bytes of UTF-8 without ASCII control characters.
  std::string text = {};

  SaveName(std::string_view name) : text(name) {}
  SaveName(const char* name) : text(name) {}
  SaveName(const std::string& name) : text(name) {}
  /// The ring of quicksaves.
  [[nodiscard]] static SaveName quick() { return SaveName(SaveKind::quick); }
  /// The ring of autosaves.
  [[nodiscard]] static SaveName autosave() { return SaveName(SaveKind::autosave); }

 private:
  explicit SaveName(SaveKind ring) : kind(ring) {}
};

/// The options of a SaveDirectory. They replace `keep`, `limits` and `file_system` in SaveOptions,
/// and `file_system` of LoadOptions.
struct SaveDirectoryOptions {
  unsigned quicksaves = 3;            ///< Files in the ring of quicksaves, 1 to 1000.
  unsigned autosaves = 3;             ///< Files in the ring of autosaves, 1 to 1000.
  unsigned keep = 1;                  ///< Backups of each named save, 0 to 1000.
  ReadLimits limits = {};             ///< For listing, saving and reading thumbnails.
  FileSystem* file_system = nullptr;  ///< null: the operating system's.
};

/// One file of a directory, as a menu shows it.
struct SaveEntry {
  SaveKind kind = SaveKind::named;
  /// The name of a named save; the number of a file of a ring, from "1"; of a renamed file, the
  /// file's name.
  std::string name;
  unsigned backup = 0;  ///< 0: the save itself; else the number of the backup, 1 the newest.
  std::string path;
  std::optional<FileInfo> info;  ///< The result of read_info; empty if it failed.
  Error problem;                 ///< The error of read_info or of the load, if it failed.
};

/// The save that was loaded, and the files that could not be loaded and may be newer.
struct LoadedSave {
  LoadReport report;
  SaveEntry entry;  ///< The file that was loaded.
  /// The files that are newer, or that may be newer because their sequence number cannot be read;
  /// each with its problem. If it is not empty, the player may have lost progress: say so.
  std::vector<SaveEntry> skipped;
};

/// A folder of saves. Never lists, changes or removes other files in the folder.
///
/// File names: `slot-NAME.hdb`, `quick-N.hdb` and `auto-N.hdb`; backups end in `.1`, `.2`, ... In
/// NAME, `~` and a letter stand for each quotation mark and each of `* / : < > ? \ | ~`. If NAME
/// has upper-case letters, letters beyond ASCII, `(` or `[`, `~` twice and 8 characters of a hash
/// follow. So every name is valid on every file system, no file name has more than 143 bytes, and
/// different names have different files even if the file system ignores case or a cloud client
/// renames files (SaveKind::renamed). Files that earlier versions of hdb named otherwise keep their
/// names. The newest save is the one with the highest Metadata::sequence, because clocks can be
/// wrong. If the caller leaves the sequence at 0, the directory sets the next number; where it may
/// not be listed, at least the microseconds since 1970. If a file already has the last number,
/// 2^64 - 1, all later saves get it too, and of them the file that was written last is the newest.
/// A file whose number cannot be read is listed before the first file that was not written later,
/// but after newer files of the same save.
///
/// Threads: one thread at a time. Background saves of the directory, and autosaves to its targets,
/// run beside it. One program saves to a folder, by one SaveDirectory: two would choose files of a
/// ring without knowledge of each other's saves.
///
/// Example:
/// @code
/// hdb::Database db;
/// db.create_table<Monster>("monsters").insert({.name = "imp"});
/// auto saves = hdb::SaveDirectory::open("saves");
/// if (!saves) return;
/// if (!saves->save(db.capture(), "The Gate")) return;
/// if (!saves->save(db.capture(), hdb::SaveName::quick())) return;
/// const auto menu = saves->list();  // newest first
/// assert(menu && menu->size() == 2 && menu->back().name == "The Gate");
/// const auto loaded = saves->load_newest(db);
/// assert(loaded && loaded->entry.kind == hdb::SaveKind::quick);
/// @endcode
class HDB_API SaveDirectory {
 public:
  /// Opens `folder`, and creates it if it does not exist; its parent must exist. A relative path
  /// means the current directory of this call. A save creates the folder again if it is gone.
  /// Removes what crashed saves left a day ago. The first save also syncs the folder's own name: if
  /// that fails, the outcome is `replaced_not_durable` and the
  /// next save tries again.
  /// Errors: bad_options; bad_path (the path is empty or not a folder); file_not_found (the parent
  /// does not exist); permission_denied; io_failed.
  [[nodiscard]] static Result<SaveDirectory> open(const std::string& folder,
                                                  const SaveDirectoryOptions& options = {});

  /// Saves `snapshot` under `name`. In a ring, takes the first file that is missing, else replaces
  /// the oldest damaged one, else the oldest; a file of a newer program, or one that cannot be read
  /// now, only if there is no other. It knows the damage that listing or loading this folder found.
  /// If the save fails, the ring keeps that file.
  /// Errors: bad_name; as hdb::save. All files are unchanged then.
  [[nodiscard]] Result<SaveReport> save(const Snapshot& snapshot, const SaveName& name,
                                        const SaveOptions& options = {});
  /// A target for save_async and Autosaver::save. Chooses the file of a ring when the save begins,
  /// so captures that are superseded in the queue use no file, and saves that run at the same time
  /// use different ones. The target stays valid after the directory object is destroyed. Errors, as
  /// results of the saves: as save.
  [[nodiscard]] SaveTarget target(const SaveName& name) const;

  /// All saves, newest first. Lists a backup only if its save does not exist: the newest backup
  /// then.
  /// Errors: the folder cannot be read. Complexity: reads a few KiB of each file.
  [[nodiscard]] Result<std::vector<SaveEntry>> list() const;
  /// As list, with all backups.
  [[nodiscard]] Result<std::vector<SaveEntry>> list_all() const;
  /// The thumbnail of a listed save; empty if it has none. Errors: as hdb::read_thumbnail.
  [[nodiscard]] Result<Bytes> read_thumbnail(const SaveEntry& entry) const;

  /// Loads the newest file of all names and rings, backups included. If the file is damaged (an
  /// error of the category `corrupt`, or not a file at all), tries the next newest;
  /// LoadedSave::skipped lists it.
  /// Errors: not_found if the folder has no saves; the error of the newest file if all are damaged.
  /// Any other error ends the search, for example a newer format, a limit, or a record that does
  /// not fit the program: loading an older save would lose progress. So does any file that exists
  /// but cannot be opened or read now, because it may be the newest. The database is unchanged
  /// then.
  [[nodiscard]] Result<LoadedSave> load_newest(Database& database,
                                               const LoadOptions& options = {}) const;
  /// Loads a named save, or the newest file of a ring. If the file is damaged, tries the backups of
  /// the save, or the older files of the ring.
  /// Errors: bad_name; as load_newest.
  [[nodiscard]] Result<LoadedSave> load(Database& database, const SaveName& name,
                                        const LoadOptions& options = {}) const;

  /// Removes a named save with its backups, or all files of a ring; false if there was nothing to
  /// remove. The backups are removed before the save, so an interrupted removal leaves the save.
  /// Errors: bad_name; save_busy if the save is being written; not_regular; I/O.
  [[nodiscard]] Result<bool> remove(const SaveName& name);
  /// Removes the save that `entry` lists, with its backups: one file of a ring, a named save, or a
  /// renamed file.
  /// Errors: as above; not_found if `entry` is not of this folder's names.
  [[nodiscard]] Result<bool> remove(const SaveEntry& entry);

  /// The absolute path of the folder given to open.
  [[nodiscard]] const std::string& folder() const noexcept;
  /// The path of a named save, whether or not it exists. Errors: bad_name.
  [[nodiscard]] Result<std::string> path_of(std::string_view name) const;

 private:
  explicit SaveDirectory(std::shared_ptr<SaveFolder> shared) : shared_(std::move(shared)) {}
  [[nodiscard]] FileSystem& files() const noexcept;
  [[nodiscard]] const SaveDirectoryOptions& options() const noexcept;
  [[nodiscard]] Result<LoadedSave> load_first(Database& database,
                                              const std::vector<SaveEntry>& entries,
                                              const LoadOptions& options, bool by_number) const;
  [[nodiscard]] Result<bool> remove_file(const std::string& file);

  std::shared_ptr<SaveFolder> shared_;
};

}  // namespace hdb
