// Choosing, listing, loading and removing the files of a save directory.
#include "hdb/database/save_directory.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <tuple>

#include "backups.hpp"
#include "hdb/database/database.hpp"
#include "hdb/database/file_source.hpp"
#include "os_calls.hpp"
#include "save_lock.hpp"
#include "save_names.hpp"

namespace hdb {
namespace {

constexpr unsigned kMostFiles = 1000;
constexpr std::uint64_t kNewest = std::numeric_limits<std::uint64_t>::max();

std::string file_of(const SaveEntry& entry) {
  const std::string file =
      entry.kind == SaveKind::named
          ? named_file(entry.name)
          : ring_file(entry.kind, static_cast<unsigned>(std::stoul(entry.name)));
  return entry.backup == 0 ? file : backup_name(file, entry.backup);
}

// Of two files the one to show or load first comes first.
auto rank(const SaveEntry& entry) {
  const Metadata none;
  const Metadata& metadata = entry.info ? entry.info->metadata : none;
  return std::tuple(!entry.info, kNewest - metadata.sequence, ~metadata.date_unix_ms, entry.kind,
                    std::string_view(entry.name), entry.backup);
}

bool is_same_save(const SaveEntry& a, const SaveEntry& b) {
  return a.kind == b.kind && a.name == b.name;
}

// Whether an older save is worth loading: this one is damaged, no other program could read it.
bool is_damage(const Error& error) {
  const ErrorCategory category = category_of(error.code);
  return category == ErrorCategory::corrupt || category == ErrorCategory::io;
}

Result<OwnedDescriptor> open_folder(FileSystem& files, const std::string& folder) {
  const auto opened =
      retry_interrupted([&] { return files.open_directory(kCurrentDirectory, folder); });
  if (!opened) return fail(os_failure(opened.error(), "opening the folder of saves", folder));
  return OwnedDescriptor(files, *opened);
}

Status make_folder(FileSystem& files, const std::string& folder) {
  const auto made = retry_interrupted([&] { return files.make_directory(folder); });
  if (made || made.error().number == EEXIST) return {};
  return fail(os_failure(made.error(), "making the folder of saves", folder));
}

}  // namespace

Result<SaveDirectory> SaveDirectory::open(const std::string& folder,
                                          const SaveDirectoryOptions& options) {
  const auto in_range = [](unsigned count) { return count >= 1 && count <= kMostFiles; };
  if (!in_range(options.quicksaves) || !in_range(options.autosaves) || options.keep > kMostFiles) {
    return fail(ErrorCode::bad_options,
                "a ring has 1 to 1000 files, and a save at most 1000 backups",
                "SaveDirectory::open");
  }
  if (folder.empty() || folder.find('\0') != folder.npos) {
    return fail_at_path(ErrorCode::bad_path, "the path is empty or holds a zero byte", folder);
  }
  SaveDirectory directory(folder, options);
  if (auto made = make_folder(directory.files(), folder); !made)
    return fail(std::move(made.error()));
  if (auto opened = open_folder(directory.files(), folder); !opened) {
    return fail(std::move(opened.error()));
  }
  return directory;
}

FileSystem& SaveDirectory::files() const noexcept {
  return options_.file_system != nullptr ? *options_.file_system : system_files();
}

Result<std::string> SaveDirectory::path_of(std::string_view name) const {
  if (auto checked = check_save_name(name); !checked) return fail(std::move(checked.error()));
  return folder_ + "/" + named_file(name);
}

// --- listing

SaveEntry SaveDirectory::read_entry(SaveEntry entry, const std::string& file) const {
  entry.path = folder_ + "/" + file;
  auto info = read_info(entry.path, options_.limits, &files());
  if (info) {
    entry.info = *std::move(info);
  } else {
    entry.problem = std::move(info.error());
  }
  return entry;
}

Result<std::vector<SaveEntry>> SaveDirectory::list_all() const {
  auto folder = open_folder(files(), folder_);
  if (!folder) return fail(std::move(folder.error()));
  const auto names = retry_interrupted([&] { return files().list(folder->get()); });
  if (!names) return fail(os_failure(names.error(), "listing the folder of saves", folder_));
  std::vector<SaveEntry> entries;
  for (const std::string& file : *names) {
    auto parsed = parse_save_file(file);
    if (!parsed) continue;
    SaveEntry entry;
    entry.kind = parsed->kind;
    entry.name = std::move(parsed->name);
    entry.backup = parsed->backup;
    entries.push_back(read_entry(std::move(entry), file));
  }
  std::sort(entries.begin(), entries.end(),
            [](const SaveEntry& a, const SaveEntry& b) { return rank(a) < rank(b); });
  return entries;
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
  return hdb::read_thumbnail(entry.path, options_.limits, &files());
}

// All files, where the name is one that a save can have.
Result<std::vector<SaveEntry>> SaveDirectory::list_for(const SaveName& name) const {
  if (name.kind == SaveKind::named) {
    if (auto checked = check_save_name(name.text); !checked)
      return fail(std::move(checked.error()));
  }
  return list_all();
}

// --- saving

std::string SaveDirectory::choose_of_ring(SaveKind kind,
                                          const std::vector<SaveEntry>& entries) const {
  const unsigned count = kind == SaveKind::quick ? options_.quicksaves : options_.autosaves;
  std::string chosen;
  std::uint64_t lowest = kNewest;
  for (unsigned number = 1; number <= count; ++number) {
    const std::string file = ring_file(kind, number);
    std::uint64_t age = 0;  // missing or damaged
    for (const SaveEntry& entry : entries) {
      if (file_of(entry) != file) continue;
      if (entry.info)
        age = entry.info->metadata.sequence;
      else if (!is_damage(entry.problem))
        age = kNewest - 1;  // of a newer program: the last to go
    }
    for (const Given& given : given_) {
      if (given.file == file) age = std::max(age, given.sequence);
    }
    if (chosen.empty() || age < lowest) std::tie(chosen, lowest) = std::tuple(file, age);
  }
  return chosen;
}

Result<std::string> SaveDirectory::choose(const SaveName& name, SaveOptions& options) {
  const bool is_named = name.kind == SaveKind::named;
  auto entries = list_for(name);
  if (!entries) return fail(std::move(entries.error()));
  std::string file = is_named ? named_file(name.text) : choose_of_ring(name.kind, *entries);
  std::uint64_t& sequence = options.metadata.sequence;
  if (sequence == 0) {
    for (const SaveEntry& entry : *entries) {
      if (entry.info) sequence = std::max(sequence, entry.info->metadata.sequence);
    }
    for (const Given& given : given_) sequence = std::max(sequence, given.sequence);
    if (sequence < kNewest) ++sequence;
  }
  std::erase_if(given_, [&](const Given& given) { return given.file == file; });
  given_.push_back({file, sequence});
  options.keep = is_named ? options_.keep : 0;
  options.limits = options_.limits;
  options.file_system = options_.file_system;
  return folder_ + "/" + file;
}

Result<SaveReport> SaveDirectory::save(const Snapshot& snapshot, const SaveName& name,
                                       const SaveOptions& options) {
  SaveOptions own = options;
  auto path = choose(name, own);
  if (!path) return fail(std::move(path.error()));
  auto saved = hdb::save(snapshot, *path, own);
  if (!saved) given_.pop_back();  // the file's turn comes again
  return saved;
}

Result<Saving> SaveDirectory::save_async(Snapshot snapshot, const SaveName& name,
                                         SaveOptions options) {
  auto path = choose(name, options);
  if (!path) return fail(std::move(path.error()));
  return hdb::save_async(std::move(snapshot), *std::move(path), std::move(options));
}

// --- loading

Result<LoadedSave> SaveDirectory::load_first(Database& database,
                                             const std::vector<SaveEntry>& entries,
                                             const LoadOptions& options) const {
  LoadOptions own = options;
  own.file_system = options_.file_system;
  LoadedSave loaded;
  for (const SaveEntry& entry : entries) {
    auto report = database.load(entry.path, own);
    if (report) {
      loaded.report = *std::move(report);
      loaded.entry = entry;
      return loaded;
    }
    if (!is_damage(report.error())) return fail(std::move(report.error()));
    loaded.passed_over.push_back(entry);
    loaded.passed_over.back().problem = std::move(report.error());
  }
  if (loaded.passed_over.empty()) {
    return fail_at_path(ErrorCode::not_found, "no such save", folder_);
  }
  Error first = loaded.passed_over.front().problem;
  const std::size_t others = loaded.passed_over.size() - 1;
  if (others == 0) return fail(std::move(first));
  return fail(std::move(first).in("and so are the " + std::to_string(others) +
                                  " other files that could stand for it"));
}

Result<LoadedSave> SaveDirectory::load_newest(Database& database,
                                              const LoadOptions& options) const {
  auto entries = list_all();
  if (!entries) return fail(std::move(entries.error()));
  return load_first(database, *entries, options);
}

Result<LoadedSave> SaveDirectory::load(Database& database, const SaveName& name,
                                       const LoadOptions& options) const {
  const bool is_named = name.kind == SaveKind::named;
  auto entries = list_for(name);
  if (!entries) return fail(std::move(entries.error()));
  std::erase_if(*entries, [&](const SaveEntry& entry) {
    return entry.kind != name.kind || (is_named && entry.name != name.text);
  });
  if (is_named) {
    // The save itself is what was asked for, whatever the numbers say.
    std::stable_sort(entries->begin(), entries->end(),
                     [](const SaveEntry& a, const SaveEntry& b) { return a.backup < b.backup; });
  }
  return load_first(database, *entries, options);
}

// --- removing

Result<bool> SaveDirectory::remove_file(const std::string& file) {
  const std::string path = folder_ + "/" + file;
  auto folder = open_folder(files(), folder_);
  if (!folder) return fail(std::move(folder.error()));
  auto lock = SaveLock::acquire(files(), *std::move(folder), file, 0, path);
  if (!lock) return fail(std::move(lock.error()));
  const auto names = retry_interrupted([&] { return files().list(lock->directory()); });
  if (!names) return fail(os_failure(names.error(), "listing the folder of saves", path));
  std::vector<std::string> own;
  for (const std::string& name : *names) {
    if (name != file && !name.starts_with(file + ".")) continue;
    if (!parse_save_file(name)) continue;
    const auto status =
        retry_interrupted([&] { return files().status_at(lock->directory(), name); });
    if (!status) return fail(os_failure(status.error(), "looking at the save", path));
    if (status->kind != FileKind::regular && status->kind != FileKind::symlink) {
      return fail_at_path(ErrorCode::not_regular, "'" + name + "' is no file", path);
    }
    own.push_back(name);
  }
  // The oldest backup first, the save itself last.
  std::sort(own.begin(), own.end(), [](const std::string& a, const std::string& b) {
    return parse_save_file(a)->backup > parse_save_file(b)->backup;
  });
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
  std::erase_if(given_, [&](const Given& given) { return given.file == file; });
  return true;
}

Result<bool> SaveDirectory::remove(const SaveName& name) {
  if (name.kind == SaveKind::named) {
    if (auto checked = check_save_name(name.text); !checked)
      return fail(std::move(checked.error()));
    return remove_file(named_file(name.text));
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
  const auto parsed = parse_save_file(save.path.substr(save.path.rfind('/') + 1));
  if (!parsed || parsed->kind != save.kind || parsed->name != save.name) {
    return fail_at_path(ErrorCode::not_found, "this is no save of the folder", folder_);
  }
  return remove_file(file_of(save));
}

}  // namespace hdb
