// Saving to, loading from and removing the files of a save directory.
#include "hdb/save_directory.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "base/using_detail.hpp"
#include "database/save/save_folder.hpp"
#include "database/save/save_names.hpp"
#include "files/backups.hpp"
#include "files/os_calls.hpp"
#include "files/save_lock.hpp"
#include "files/temporary.hpp"
#include "hdb/database.hpp"
#include "hdb/file_system.hpp"

namespace hdb {
namespace {

constexpr unsigned kMostFiles = 1000;

std::string text_of(const SaveName& name) {
  if (name.kind == SaveKind::quick) return "quicksaves";
  if (name.kind == SaveKind::autosave) return "autosaves";
  return "save '" + name.text + "'";
}

Result<SaveReport> save_to(SaveFolder& folder, const Snapshot& snapshot, const SaveName& name,
                           const SaveOptions& options) {
  SaveOptions own = options;
  const auto taken = folder.take(snapshot, name, own);
  if (!taken) return fail(taken.error());
  return (*taken)->save(snapshot, own);
}

}  // namespace

Result<SaveDirectory> SaveDirectory::open(const std::string& folder,
                                          const SaveDirectoryOptions& options) {
  const auto in_range = [](unsigned count) { return count >= 1 && count <= kMostFiles; };
  if (!in_range(options.quicksaves) || !in_range(options.autosaves) || options.keep > kMostFiles) {
    return fail(ErrorCode::bad_options,
                "a ring must have 1 to 1000 files, and a save at most 1000 backups",
                "SaveDirectory::open");
  }
  if (Status checked = check_path(folder); !checked) return fail(std::move(checked.error()));
  FileSystem& files = options.file_system != nullptr ? *options.file_system : system_files();
  SaveDirectory directory(std::make_shared<SaveFolder>(bound_path(files, folder), options));
  if (Status made = directory.shared_->make(); !made) return fail(std::move(made.error()));
  auto opened = open_folder(files, directory.folder());
  if (!opened) return fail(std::move(opened.error()));
  remove_stale_temporaries(files, opened->get());
  return directory;
}

const std::string& SaveDirectory::folder() const noexcept { return shared_->path(); }
FileSystem& SaveDirectory::files() const noexcept { return shared_->files(); }
const SaveDirectoryOptions& SaveDirectory::options() const noexcept { return shared_->options(); }

Result<std::string> SaveDirectory::path_of(std::string_view name) const {
  if (auto checked = check_save_name(name); !checked) return fail(std::move(checked.error()));
  return folder() + "/" + shared_->file_of_name(name);
}

// --- listing

Result<std::vector<SaveEntry>> SaveDirectory::list_all() const {
  auto list = shared_->list_all();
  if (!list) return fail(std::move(list.error()));
  return std::move(list->entries);
}

Result<std::vector<SaveEntry>> SaveDirectory::list() const {
  auto all = list_all();
  if (!all) return all;
  std::vector<SaveEntry> shown;
  for (const SaveEntry& entry : *all) {
    // A backup stands for its save where that is gone: the youngest of them.
    const auto stands_before = [&](const SaveEntry& other) {
      return is_same_save(entry, other) && other.backup < entry.backup;
    };
    if (std::none_of(all->begin(), all->end(), stands_before)) shown.push_back(entry);
  }
  return shown;
}

Result<Bytes> SaveDirectory::read_thumbnail(const SaveEntry& entry) const {
  return hdb::read_thumbnail(entry.path, options().limits, &files());
}

// --- saving

Result<SaveReport> SaveDirectory::save(const Snapshot& snapshot, const SaveName& name,
                                       const SaveOptions& options) {
  return save_to(*shared_, snapshot, name, options);
}

SaveTarget SaveDirectory::target(const SaveName& name) const {
  return {folder() + ": " + text_of(name),
          [shared = shared_, name](const Snapshot& what, const SaveOptions& how) {
            return save_to(*shared, what, name, how);
          }};
}

// --- loading

Result<LoadedSave> SaveDirectory::load_first(Database& database,
                                             const std::vector<SaveEntry>& entries,
                                             const LoadOptions& options, bool by_number) const {
  const auto without_number = [&](const SaveEntry& entry) { return by_number && !entry.info; };
  for (const SaveEntry& entry : entries) {
    if (!without_number(entry) || !may_be_read_later(entry.problem.code)) continue;
    Error error = entry.problem;
    error.what += "; it may be the newest save, so no older one was loaded";
    return fail(std::move(error));
  }
  LoadOptions own = options;
  own.file_system = this->options().file_system;
  LoadedSave loaded;
  for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
    auto report = database.load(entry->path, own);
    if (report) {
      loaded.report = *std::move(report);
      loaded.entry = *entry;
      std::copy_if(entry + 1, entries.end(), std::back_inserter(loaded.skipped), without_number);
      return loaded;
    }
    if (!is_damage(report.error().code)) return fail(std::move(report.error()));
    if (entry->info) shared_->note_damaged(entry->info->file_id);
    loaded.skipped.push_back(*entry);
    loaded.skipped.back().problem = std::move(report.error());
  }
  Error first = loaded.skipped.front().problem;
  const std::size_t others = loaded.skipped.size() - 1;
  if (others == 0) return fail(std::move(first));
  if (first.what.empty()) first.what = code_text(first.code);
  first.what +=
      "; the " + std::to_string(others) + " other files of this save cannot be loaded either";
  return fail(std::move(first));
}

Result<LoadedSave> SaveDirectory::load_newest(Database& database,
                                              const LoadOptions& options) const {
  auto entries = list_all();
  if (!entries) return fail(std::move(entries.error()));
  if (entries->empty())
    return fail_at_path(ErrorCode::not_found, "the folder has no save", folder());
  return load_first(database, *entries, options, true);
}

Result<LoadedSave> SaveDirectory::load(Database& database, const SaveName& name,
                                       const LoadOptions& options) const {
  const bool is_named = name.kind == SaveKind::named;
  auto list = shared_->list_for(name);
  if (!list) return fail(std::move(list.error()));
  std::vector<SaveEntry>& entries = list->entries;
  std::erase_if(entries, [&](const SaveEntry& entry) {
    return entry.kind != name.kind || (is_named && entry.name != name.text);
  });
  if (entries.empty())
    return fail_at_path(ErrorCode::not_found, "the folder has no " + text_of(name), folder());
  if (is_named) {
    // The save itself is what was asked for, whatever the numbers say.
    std::stable_sort(entries.begin(), entries.end(),
                     [](const SaveEntry& a, const SaveEntry& b) { return a.backup < b.backup; });
  }
  return load_first(database, entries, options, !is_named);
}

// --- removing

Result<bool> SaveDirectory::remove_file(const std::string& file) {
  const std::string path = folder() + "/" + file;
  auto opened = open_folder(files(), folder());
  if (!opened) return fail(std::move(opened.error()));
  auto lock =
      SaveLock::acquire(files(), *std::move(opened), file, std::chrono::milliseconds(0), path);
  if (!lock) return fail(std::move(lock.error()));
  if (lock->excludes_processes()) remove_stale_temporaries(files(), lock->directory(), &file);
  const auto names = retry_interrupted([&] { return files().list(lock->directory()); });
  if (!names) return fail(os_failure(names.error(), "listing the folder of saves", path));
  std::vector<std::string> own;
  for (const std::string& name : *names) {
    const auto parsed = parse_save_file(name);
    if (name != file && !(parsed && name == backup_name(file, parsed->backup))) continue;
    const auto status =
        retry_interrupted([&] { return files().status_at(lock->directory(), name); });
    if (!status) return fail(os_failure(status.error(), "reading the status of the save", path));
    if (status->kind != FileKind::regular && status->kind != FileKind::symlink) {
      return fail_at_path(ErrorCode::not_regular, "'" + name + "' is not a file", path);
    }
    own.push_back(name);
  }
  // The oldest backup first, the save itself last.
  const auto backup_of = [&](const std::string& name) {
    return name == file ? 0 : parse_save_file(name)->backup;
  };
  std::sort(own.begin(), own.end(), [&](const std::string& a, const std::string& b) {
    return backup_of(a) > backup_of(b);
  });
  // What a crash left of it must not become a backup of a later save of the name.
  const auto cleared = remove_waiting_backup(files(), lock->directory(), file);
  if (!cleared) return fail(os_failure(cleared.error(), "removing an unfinished backup", path));
  for (const std::string& name : own) {
    const auto gone = retry_interrupted([&] { return files().unlink(lock->directory(), name); });
    if (!gone && gone.error().number != ENOENT) {
      return fail(os_failure(gone.error(), "removing '" + name + "'", path));
    }
  }
  if (own.empty()) return false;
  if (const auto synced = files().sync_directory(lock->directory()); !synced) {
    return fail(os_failure(synced.error(), "making the removal durable", path));
  }
  shared_->forget(file);
  return true;
}

Result<bool> SaveDirectory::remove(const SaveName& name) {
  if (Status checked = SaveFolder::check(name); !checked) return fail(std::move(checked.error()));
  if (name.kind == SaveKind::named) {
    const std::string file = named_file(name.text);
    const std::string former = former_named_file(name.text);
    auto removed = remove_file(former);
    if (!removed || former == file) return removed;
    auto other = remove_file(file);
    if (other) *other = *other || *removed;
    return other;
  }
  auto entries = list_all();
  if (!entries) return fail(std::move(entries.error()));
  bool any = false;
  for (SaveEntry entry : *entries) {
    if (entry.kind != name.kind) continue;
    entry.backup = 0;
    auto removed = remove_file(file_of(entry));
    if (!removed) return removed;
    any = any || *removed;
  }
  return any;
}

Result<bool> SaveDirectory::remove(const SaveEntry& entry) {
  SaveEntry save = entry;
  save.backup = 0;
  if (save.kind == SaveKind::named) return remove(SaveName(save.name));
  const std::string file = save.path.substr(save.path.rfind('/') + 1);
  const auto parsed = parse_save_file(file);
  const bool is_listed = save.kind == SaveKind::renamed
                             ? file == save.name && is_renamed_copy(file)
                             : parsed && parsed->kind == save.kind && parsed->name == save.name;
  if (!is_listed) {
    return fail_at_path(ErrorCode::not_found, "the file is not a save of this folder", folder());
  }
  return remove_file(file_of(save));
}

}  // namespace hdb
