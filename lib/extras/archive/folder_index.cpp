// A file of an archive never changes, except that a collection of garbage replaces files; the
// content of the file "generation" changes with each collection.
#include "archive/folder_index.hpp"

#include <algorithm>
#include <utility>

namespace hdb::archive {
namespace {

constexpr std::size_t kMostOpenFiles = 64;
constexpr char kWorldEnd = '@';

// A removed save keeps its inode as a pack until a collection, so a new one has another.
bool is_of(const PackIndex& index, const FileStatus& status) noexcept {
  return index.file_bytes == status.size_bytes && index.inode == status.inode;
}

bool is_pack(std::string_view name) noexcept {
  return name.ends_with(kPackSuffix) || save_of_file(name).has_value();
}

}  // namespace

std::string file_name_of(const SaveName& save) {
  std::string name = save_key(save.world, save.sequence).substr(kSaveKeys.size());
  name[save.world.size()] = kWorldEnd;
  return name.append(kSaveSuffix);
}

std::optional<SaveName> save_of_file(std::string_view file) {
  if (!file.ends_with(kSaveSuffix)) return std::nullopt;
  file.remove_suffix(kSaveSuffix.size());
  const std::size_t end = file.find(kWorldEnd);
  if (end == std::string_view::npos) return std::nullopt;
  std::string key(kSaveKeys);
  key.append(file.substr(0, end)).append("/").append(file.substr(end + 1));
  return parse_save_key(key);
}

// --- looking at the folder

Result<FolderIndex::Generation> FolderIndex::generation() const {
  Generation now{};
  const auto opened =
      retry_interrupted([&] { return files_.open_for_reading(folder_, kGenerationName); });
  if (!opened && opened.error().number == ENOENT) return now;
  if (!opened) return fail(os_failure(opened.error(), "opening 'generation'", path_));
  const OwnedDescriptor file(files_, *opened);
  const auto got = read_fully(files_, file.get(), 0, now);
  if (!got) return fail(os_failure(got.error(), "reading 'generation'", path_));
  return now;
}

Status FolderIndex::refresh() {
  const std::lock_guard lock(mutex_);
  return refresh_locked();
}

Status FolderIndex::refresh_if_collected() {
  const std::lock_guard lock(mutex_);
  const auto now = generation();
  if (!now) return fail(now.error());
  return *now == generation_ && !packs_.empty() ? Status() : refresh_locked();
}

Status FolderIndex::refresh_locked() {
  // Before the list: what a collection does afterwards changes it again.
  const auto now = generation();
  if (!now) return fail(now.error());
  if (*now != generation_) clear_locked();
  generation_ = *now;
  auto names = retry_interrupted([&] { return files_.list(folder_); });
  if (!names) return fail(os_failure(names.error(), "listing the folder", path_));
  std::sort(names->begin(), names->end());
  const bool has_lost = std::any_of(packs_.begin(), packs_.end(), [&](const auto& pack) {
    return !std::binary_search(names->begin(), names->end(), pack.first);
  });
  if (has_lost) {
    const Files before = std::exchange(packs_, {});
    places_.clear();
    open_.clear();
    for (const auto& [name, index] : before) {
      if (std::binary_search(names->begin(), names->end(), name)) add_locked(name, index);
    }
  }
  for (const std::string& name : *names) {
    if (!is_pack(name) || packs_.contains(name)) continue;
    const auto opened = retry_interrupted([&] { return files_.open_for_reading(folder_, name); });
    if (!opened && opened.error().number == ENOENT) continue;  // it went meanwhile
    if (!opened) return fail(os_failure(opened.error(), "opening", path_of(name)));
    const OwnedDescriptor file(files_, *opened);
    auto index = read_pack_index(files_, file.get(), path_of(name));
    if (!index) return fail(std::move(index.error()));
    add_locked(name, std::make_shared<const PackIndex>(std::move(*index)));
  }
  return {};
}

void FolderIndex::add_locked(const std::string& name, std::shared_ptr<const PackIndex> index) {
  const auto place = packs_.insert_or_assign(name, std::move(index)).first;
  for (const PackedObject& object : place->second->objects)
    places_.try_emplace(object.id, Place{&place->first, object});
}

void FolderIndex::clear_locked() {
  packs_.clear();
  places_.clear();
  open_.clear();
}

void FolderIndex::add(const std::string& name, PackIndex index) {
  const std::lock_guard lock(mutex_);
  if (packs_.contains(name)) clear_locked();  // of a save that another process removed
  add_locked(name, std::make_shared<const PackIndex>(std::move(index)));
}

void FolderIndex::clear() {
  const std::lock_guard lock(mutex_);
  clear_locked();
}

// --- reading

bool FolderIndex::contains(const ObjectId& id) const {
  const std::lock_guard lock(mutex_);
  return places_.contains(id);
}

Result<std::shared_ptr<OpenPack>> FolderIndex::open_locked(const std::string& name,
                                                           const PackIndex& expected) {
  const auto known = std::find_if(open_.begin(), open_.end(),
                                  [&](const auto& each) { return each.first == name; });
  if (known != open_.end()) {
    open_.splice(open_.begin(), open_, known);
    return open_.front().second;
  }
  const auto opened = retry_interrupted([&] { return files_.open_for_reading(folder_, name); });
  if (!opened) {
    if (opened.error().number == ENOENT) return std::shared_ptr<OpenPack>();
    return fail(os_failure(opened.error(), "opening", path_of(name)));
  }
  auto pack = std::make_shared<OpenPack>();
  pack->file = OwnedDescriptor(files_, *opened);
  const auto status = retry_interrupted([&] { return files_.status(*opened); });
  if (!status) return fail(os_failure(status.error(), "reading the status", path_of(name)));
  if (!is_of(expected, *status)) return std::shared_ptr<OpenPack>();  // another file
  open_.emplace_front(name, pack);
  if (open_.size() > kMostOpenFiles) open_.pop_back();
  return pack;
}

Result<std::optional<Bytes>> FolderIndex::read(const ObjectId& id) {
  // A second and a third look, when the object is not known or its file is gone: another process
  // may have stored it or moved it.
  for (int attempt = 0;; ++attempt) {
    std::shared_ptr<OpenPack> pack;
    std::string name;
    PackedObject object;
    {
      const std::lock_guard lock(mutex_);
      const auto place = places_.find(id);
      if (place != places_.end()) {
        name = *place->second.file;
        object = place->second.object;
        auto opened = open_locked(name, *packs_.find(name)->second);
        if (!opened) return fail(std::move(opened.error()));
        pack = std::move(*opened);
        if (pack == nullptr) clear_locked();  // replaced: nothing that is known may be true
      }
      if (pack == nullptr) {
        if (attempt == 2) return std::optional<Bytes>();
        if (attempt == 1) clear_locked();  // a new file may have the name of a known one
        if (Status status = refresh_locked(); !status) return fail(std::move(status.error()));
        continue;
      }
    }
    auto bytes = read_packed(files_, pack->file.get(), object, path_of(name));
    if (!bytes) return fail(std::move(bytes.error()));
    return std::optional<Bytes>(std::move(*bytes));
  }
}

Result<std::optional<Bytes>> FolderIndex::manifest(const SaveName& save) {
  const std::string name = file_name_of(save);
  const std::lock_guard lock(mutex_);
  auto found = packs_.find(name);
  // A save that is known may have been removed, and its name taken again.
  const auto status = retry_interrupted([&] { return files_.status_at(folder_, name); });
  if (!status) {
    if (status.error().number == ENOENT) return std::optional<Bytes>();
    return fail(os_failure(status.error(), "reading the status", path_of(name)));
  }
  if (found == packs_.end() || !is_of(*found->second, *status)) {
    const auto opened = retry_interrupted([&] { return files_.open_for_reading(folder_, name); });
    if (!opened && opened.error().number == ENOENT) return std::optional<Bytes>();
    if (!opened) return fail(os_failure(opened.error(), "opening", path_of(name)));
    const OwnedDescriptor file(files_, *opened);
    auto index = read_pack_index(files_, file.get(), path_of(name));
    if (!index) return fail(std::move(index.error()));
    return std::optional<Bytes>(std::move(index->manifest));
  }
  return std::optional<Bytes>(found->second->manifest);
}

std::vector<ListedObject> FolderIndex::list(std::string_view prefix) const {
  const std::lock_guard lock(mutex_);
  std::vector<ListedObject> listed;
  if (kChunkKeys.starts_with(prefix) || prefix.starts_with(kChunkKeys)) {
    for (const auto& [id, place] : places_) {
      ObjectKey key = key_of(id);
      if (key.starts_with(prefix))
        listed.push_back({std::move(key), place.object.bytes + kPackIndexEntryBytes});
    }
  }
  for (const auto& [name, index] : packs_) {
    const auto save = save_of_file(name);
    if (!save) continue;
    ObjectKey key = save_key(save->world, save->sequence);
    if (key.starts_with(prefix))
      listed.push_back({std::move(key), index->manifest.size() + kPackFrameBytes});
  }
  std::sort(listed.begin(), listed.end(),
            [](const ListedObject& a, const ListedObject& b) { return a.key < b.key; });
  return listed;
}

FolderIndex::Files FolderIndex::all_files() const {
  const std::lock_guard lock(mutex_);
  return packs_;
}

}  // namespace hdb::archive
