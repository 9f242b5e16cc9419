// Reads from all files; writes to the last one that is sound.
#include "archive/sqlite/file_archive.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "archive/manifest.hpp"
#include "archive/sql/sql_backend.hpp"
#include "archive/sqlite/file_lock.hpp"
#include "archive/utf8_path.hpp"
#include "files/save_target.hpp"

namespace hdb {
namespace archive {
namespace {

constexpr std::size_t kMostFiles = 99;

// What SQLite says of a file whose first pages are damaged.
bool is_damage(ErrorCode code) {
  return code == ErrorCode::bad_archive || code == ErrorCode::not_an_archive ||
         code == ErrorCode::bad_options || code == ErrorCode::newer_version;
}

class SqliteDatabase final : public SqlDatabase {
 public:
  SqliteDatabase(SqlitePlace place, bool create) : place_(std::move(place)), create_(create) {}
  SqlResultOf<std::unique_ptr<SqlConnection>> open(
      SqlConnection::Clock::time_point deadline) override {
    return SqliteConnection::open(place_, create_, deadline);
  }
  const std::string& place() const noexcept override { return place_.path; }
  bool make_room() override { return remove_reserve(place_); }

 private:
  const SqlitePlace place_;
  const bool create_;
};

bool is_manifest_of(const ObjectKey& key, std::span<const std::byte> bytes) {
  const auto manifest = decode_manifest(bytes);
  return manifest && save_key(manifest->world, manifest->sequence) == key;
}

}  // namespace

struct FileArchive::File {
  explicit File(SqlitePlace where) : place(std::move(where)) {}

  [[nodiscard]] bool is_damaged() {
    const std::lock_guard lock(mutex);
    return damage.has_value();
  }
  void mark(Error error) {
    const std::lock_guard lock(mutex);
    if (!damage) damage = std::move(error);
  }
  // Searches the pages for objects that are not found yet.
  void search(std::span<const ObjectKey> keys, Found& found) {
    const std::lock_guard lock(mutex);
    const bool was_sound = !damage;
    if (scan == nullptr) scan = PageScan::make(place.folder + "/" + place.name);
    if (scan == nullptr) return;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (found[i]) continue;
      if (const auto id = id_of(keys[i])) {
        found[i] = scan->chunk(*id);
      } else if (const auto save = scan->saves().find(keys[i]); save != scan->saves().end()) {
        found[i] = save->second;
      }
      if (found[i] && !damage) {
        damage = {ErrorCode::bad_archive,
                  "an index of the archive is damaged",
                  kNoOffset,
                  {},
                  place.path};
      }
    }
    // A sound file changes.
    if (was_sound && !damage) scan.reset();
  }
  // The saves of a damaged file: those on its pages, and if the index has more names, those that
  // are lost with a page. As many names as pages have: a name is damaged.
  void list_saves(std::map<ObjectKey, ListedObject>& listed) {
    const std::lock_guard lock(mutex);
    if (scan == nullptr) scan = PageScan::make(place.folder + "/" + place.name);
    const std::size_t found = scan != nullptr ? scan->saves().size() : 0;
    const auto names = sql != nullptr ? sql->list(kSaveKeys) : Result<std::vector<ListedObject>>();
    if (names && names->size() > found) {
      for (const ListedObject& object : *names) listed[object.key] = object;
    }
    if (found == 0) return;
    for (const auto& [key, bytes] : scan->saves()) listed[key] = {key, 0};
  }

  // Whether list_saves has the name of each save that is in the file (FA4).
  [[nodiscard]] bool has_all_names() {
    const std::lock_guard lock(mutex);
    if (!damage || (sql != nullptr && sql->list(kSaveKeys))) return true;
    const auto rows = scan != nullptr ? scan->count_saves() : std::nullopt;
    return rows && *rows <= scan->saves().size();
  }

  const SqlitePlace place;
  std::unique_ptr<ArchiveBackend> sql;  // null: SQLite cannot open the file
  std::mutex mutex;
  std::optional<Error> damage;     // guarded by mutex
  std::unique_ptr<PageScan> scan;  // guarded by mutex
};

// --- opening

Result<std::unique_ptr<ArchiveBackend>> FileArchive::open(const SqlitePlace& place,
                                                          const ArchiveOptions& options) {
  std::unique_ptr<FileArchive> archive(new FileArchive(place, options));
  if (Status opened = archive->open_file(options.create); !opened)
    return fail(std::move(opened.error()));
  return std::unique_ptr<ArchiveBackend>(std::move(archive));
}

Status FileArchive::open_file(bool create) {
  SqlitePlace place = place_;
  if (!files_.empty()) {
    const std::string suffix = "-" + std::to_string(files_.size() + 1);
    place.path += suffix;
    place.name += suffix;
  }
  auto file = std::make_shared<File>(std::move(place));
  std::vector<std::unique_ptr<SqlPool>> pools;
  pools.push_back(std::make_unique<SqlPool>(std::make_unique<SqliteDatabase>(file->place, create),
                                            options_.patience));
  const Hash128 new_id = options_.archive_id == Hash128() ? random_id() : options_.archive_id;
  auto opened = open_sql_archive(std::move(pools), create, files_.empty() ? new_id : id_);
  Hash128 id;
  if (opened) {
    file->sql = *std::move(opened);
    id = file->sql->archive_id();
    file->damage = SqliteConnection::fault_of(file->place, id);
  } else if (is_damage(opened.error().code) && !SqliteConnection::is_newer(file->place)) {
    file->damage = std::move(opened.error());
  } else {
    return fail(std::move(opened.error()));
  }
  if (file->damage) {
    file->scan = PageScan::make(file->place.folder + "/" + file->place.name);
    if (file->scan == nullptr || !file->scan->archive_id()) {
      if (file->damage->code == ErrorCode::bad_archive)
        file->damage->what += "; no page says which archive it is: nothing can be read";
      return fail(*std::move(file->damage));
    }
    id = *file->scan->archive_id();
  } else if (create) {
    make_reserve(file->place);
  }
  if (files_.empty()) id_ = id;
  if (id != id_) {
    return fail(Error{ErrorCode::foreign_archive,
                      "the file belongs to another archive than " + place_.path,
                      kNoOffset,
                      {},
                      file->place.path});
  }
  files_.push_back(std::move(file));
  return {};
}

Result<std::vector<std::shared_ptr<FileArchive::File>>> FileArchive::files() {
  const std::lock_guard lock(mutex_);
  std::error_code ignored;
  while (std::filesystem::exists(detail::path_of_utf8(place_.folder + "/" + place_.name + "-" +
                                                      std::to_string(files_.size() + 1)),
                                 ignored)) {
    if (Status opened = open_file(false); !opened) return fail(std::move(opened.error()));
  }
  return files_;
}

// --- objects

// Objects that were encoded for a file that turns out to be damaged may be differences from others
// in it, so they do not go to the next file: the put begins again.
Result<std::vector<bool>> FileArchive::put_if_absent(std::span<const ArchiveObject> objects) {
  const auto all = files();
  if (!all) return fail(all.error());
  std::shared_ptr<File> last = all->back();
  if (last->is_damaged()) {
    const std::lock_guard lock(mutex_);
    if (files_.size() >= kMostFiles) return fail(damage_of(*last, "nothing can be put"));
    if (files_.back() == last) {
      if (Status made = open_file(true); !made) return fail(std::move(made.error()));
    }
    last = files_.back();
  }
  if (!objects.empty() && objects.back().key.starts_with(kSaveKeys) && last != all->front()) {
    const auto exists = exists_many({&objects.back().key, 1});
    if (!exists) return fail(exists.error());
    if (exists->front()) return std::vector<bool>(objects.size(), false);
  }
  auto stored = last->sql->put_if_absent(objects);
  if (!stored && is_damage(stored.error().code)) last->mark(stored.error());
  return stored;
}

Status FileArchive::get_from(File& file, std::span<const ObjectKey> keys, Found& found) {
  std::vector<ObjectKey> wanted;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (found[i]) continue;
    wanted.push_back(keys[i]);
    places.push_back(i);
  }
  if (wanted.empty()) return {};
  Found read(wanted.size());
  if (file.sql != nullptr) {
    auto all = file.sql->get(wanted);
    if (all) {
      read = *std::move(all);
    } else if (!is_damage(all.error().code)) {
      return fail(std::move(all.error()));
    } else {
      file.mark(std::move(all.error()));
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        if (auto one = file.sql->get({&wanted[k], 1})) read[k] = std::move(one->front());
      }
    }
  }
  // An index may lead to the manifest of another save.
  Found wrong(wanted.size());
  bool has_wrong = false;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (!read[k] || !wanted[k].starts_with(kSaveKeys) || is_manifest_of(wanted[k], *read[k]))
      continue;
    wrong[k].swap(read[k]);
    has_wrong = true;
  }
  if (has_wrong || file.is_damaged()) file.search(wanted, read);
  for (std::size_t k = 0; k < wanted.size(); ++k)
    found[places[k]] = read[k] ? std::move(read[k]) : std::move(wrong[k]);
  return {};
}

Result<std::vector<std::optional<Bytes>>> FileArchive::get(std::span<const ObjectKey> keys) {
  const auto all = files();
  if (!all) return fail(all.error());
  Found found(keys.size());
  for (std::size_t i = all->size(); i-- > 0;) {
    if (Status read = get_from(*(*all)[i], keys, found); !read)
      return fail(std::move(read.error()));
  }
  const auto is_lost = [&] {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!found[i] && keys[i].starts_with(kChunkKeys)) return true;
    }
    return false;
  };
  for (std::size_t i = all->size(); i-- > 0 && is_lost();) {
    if (!(*all)[i]->is_damaged()) (*all)[i]->search(keys, found);
  }
  return found;
}

// A put shares chunks only within the last file: those of a damaged file may be lost.
Result<std::vector<bool>> FileArchive::exists_many(std::span<const ObjectKey> keys) {
  const auto all = files();
  if (!all) return fail(all.error());
  File& last = *all->back();
  std::vector<bool> exist(keys.size(), false);
  if (!last.is_damaged()) {
    auto found = last.sql->exists_many(keys);
    if (found) {
      exist = *std::move(found);
    } else if (is_damage(found.error().code)) {
      last.mark(std::move(found.error()));
    } else {
      return found;
    }
  }
  if (all->size() == 1 && !last.is_damaged()) return exist;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (exist[i] || !keys[i].starts_with(kSaveKeys)) continue;
    const auto found = get({&keys[i], 1});
    if (!found) return fail(found.error());
    exist[i] = found->front().has_value();
  }
  return exist;
}

Result<std::vector<ListedObject>> FileArchive::list(std::string_view prefix) {
  const auto all = files();
  if (!all) return fail(all.error());
  const bool has_chunks = prefix.starts_with(kChunkKeys) || kChunkKeys.starts_with(prefix);
  std::map<ObjectKey, ListedObject> listed;
  for (const auto& file : *all) {
    const bool was_damaged = file->is_damaged();
    if (!was_damaged || (has_chunks && file->sql != nullptr)) {
      auto own = file->sql->list(was_damaged ? kChunkKeys : prefix);
      if (own) {
        for (ListedObject& object : *own) listed.try_emplace(object.key, object);
      } else if (is_damage(own.error().code)) {
        file->mark(std::move(own.error()));
        if (has_chunks) return fail(damage_of(*file, "its objects cannot be listed"));
      } else {
        return fail(std::move(own.error()));
      }
    } else if (has_chunks) {
      return fail(damage_of(*file, "its objects cannot be listed"));
    }
    if (file->is_damaged()) file->list_saves(listed);
  }
  std::vector<ListedObject> objects;
  for (auto& [key, object] : listed) {
    if (key.starts_with(prefix)) objects.push_back(std::move(object));
  }
  return objects;
}

Result<std::vector<Error>> FileArchive::list_faults() {
  const auto all = files();
  if (!all) return fail(all.error());
  std::vector<Error> faults;
  for (const auto& file : *all) {
    if (file->has_all_names()) continue;
    faults.push_back({ErrorCode::bad_archive,
                      "the list of saves cannot be read to its end: an unknown number of saves may "
                      "be lost; look for them in a backup of the archive",
                      kNoOffset,
                      {},
                      file->place.path});
  }
  return faults;
}

Status FileArchive::remove(std::span<const ObjectKey> keys) {
  const auto all = files();
  if (!all) return fail(all.error());
  for (const auto& file : *all) {
    if (!file->is_damaged()) {
      Status removed = file->sql->remove(keys);
      if (removed) continue;
      if (!is_damage(removed.error().code)) return removed;
      file->mark(std::move(removed.error()));
    }
    Found found(keys.size());
    if (Status read = get_from(*file, keys, found); !read) return read;
    for (const auto& each : found) {
      if (each) return fail(damage_of(*file, "a save cannot be removed"));
    }
  }
  return {};
}

// --- locks and checks

// The lock of the archive, and the holds of its files, which make them smaller at the end.
class FileArchive::Hold final : public ArchiveHold {
 public:
  std::unique_ptr<ArchiveHold> lock;
  std::vector<std::unique_ptr<ArchiveHold>> files;
};

Result<std::unique_ptr<ArchiveHold>> FileArchive::hold(HoldKind kind,
                                                       std::chrono::milliseconds timeout) {
  FileSystem& system = system_files();
  const auto opened =
      retry_interrupted([&] { return system.open_directory(kCurrentDirectory, place_.folder); });
  if (!opened) return fail(os_failure(opened.error(), "opening the folder", place_.path));
  const OwnedDescriptor folder(system, *opened);
  auto hold = std::make_unique<Hold>();
  auto locked = lock_archive_file(folder.get(), place_.name, kind, timeout, place_.path);
  if (!locked) return fail(std::move(locked.error()));
  hold->lock = *std::move(locked);
  if (kind == HoldKind::write) return std::unique_ptr<ArchiveHold>(std::move(hold));
  const auto checked = check_store();  // FA3
  const auto all = files();
  if (!checked || !all) return fail(checked ? all.error() : checked.error());
  for (const auto& file : *all) {
    if (file->is_damaged()) return fail(damage_of(*file, "nothing is collected"));
    auto held = file->sql->hold(kind, timeout);
    if (!held) return fail(std::move(held.error()));
    hold->files.push_back(*std::move(held));
  }
  return std::unique_ptr<ArchiveHold>(std::move(hold));
}

Error FileArchive::damage_of(File& file, const std::string& consequence) {
  const std::lock_guard lock(file.mutex);
  Error error = file.damage.value();
  error.code = ErrorCode::bad_archive;
  error.what += "; so " + consequence;
  return error;
}

Result<std::vector<Error>> FileArchive::check_store() {
  const auto all = files();
  if (!all) return fail(all.error());
  std::vector<Error> faults;
  for (const auto& file : *all) {
    if (file->sql != nullptr) {
      auto own = file->sql->check_store();
      if (!own && !is_damage(own.error().code)) return fail(std::move(own.error()));
      if (!own) file->mark(std::move(own.error()));
      if (own && !own->empty()) {
        file->mark(own->front());
        faults.insert(faults.end(), own->begin(), own->end());
        continue;
      }
    }
    if (file->is_damaged()) faults.push_back(*file->damage);
  }
  return faults;
}

}  // namespace archive

Result<std::unique_ptr<ArchiveBackend>> open_archive_file(const std::string& path,
                                                          const ArchiveOptions& options) {
  using namespace archive;
  if (Status checked = check_path(path); !checked) return fail(std::move(checked.error()));
  const auto absolute = system_files().absolute_path(path);
  if (!absolute) return fail(os_failure(absolute.error(), "finding the folder", path));
  SplitPath split = split_path(*absolute);
  return FileArchive::open({path, std::move(split.folder), std::move(split.name)}, options);
}

}  // namespace hdb
