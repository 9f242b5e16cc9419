// The file system in memory: what programs see, and what is on the disk.
#include "files/model_file_system.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace hdb::test {
namespace {

tl::unexpected<OsError> failed(int number) { return tl::unexpected<OsError>(OsError{number}); }

std::int64_t now_ns() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

void ModelFileSystem::restart(ModelState::Names names, std::vector<ModelState::File> files) {
  open_.clear();
  locked_.clear();
  history.clear();
  for (auto& file : files) file.synced_bytes = file.content.size();
  state = {std::move(files), names, names, {}};
}

FileStatus ModelFileSystem::status_of(std::size_t file) const {
  FileStatus status;
  status.device = 1;
  if (file == kFolder || file == kParent) {
    status.kind = FileKind::directory;
    return status;
  }
  status.kind = FileKind::regular;
  status.mode = state.files[file].mode;
  status.owner = state.files[file].owner;
  status.group = state.files[file].group;
  status.inode = file + 1;
  status.modified_ns = state.files[file].modified_ns;
  status.size_bytes = state.files[file].content.size();
  return status;
}

Descriptor ModelFileSystem::open(std::size_t file) {
  open_[next_descriptor_] = file;
  return next_descriptor_++;
}

void ModelFileSystem::change_names(ModelState::NameChange change) {
  ModelState::apply(change, state.names);
  state.unsynced.push_back(std::move(change));
  remember();
}

OsResult<Descriptor> ModelFileSystem::open_directory(Descriptor, const std::string& path) {
  if (path == "..") return open(kParent);
  if (!state.has_folder) return failed(ENOENT);
  return open(kFolder);
}

OsStatus ModelFileSystem::make_directory(const std::string&) {
  if (state.has_folder) return failed(EEXIST);
  state.has_folder = true;
  state.folder_is_durable = false;
  remember();
  return {};
}

ModelState::Names::const_iterator ModelFileSystem::find(const std::string& name) const {
  if (!lacks.ignores_case) return state.names.find(name);
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  return std::find_if(state.names.begin(), state.names.end(), [&](const auto& entry) {
    return std::equal(name.begin(), name.end(), entry.first.begin(), entry.first.end(), same);
  });
}

OsResult<std::vector<std::string>> ModelFileSystem::list(Descriptor) {
  if (lacks.list != 0) return failed(lacks.list);
  std::vector<std::string> names;
  for (const auto& entry : state.names) names.push_back(entry.first);
  return names;
}

OsStatus ModelFileSystem::sync_directory(Descriptor directory) {
  if (open_.at(directory) == kParent) {
    state.folder_is_durable = state.has_folder;
    remember();
    return {};
  }
  if (lacks.sync_directory != 0) return failed(lacks.sync_directory);
  state.synced_names = state.names;
  state.unsynced.clear();
  remember();
  return {};
}

OsResult<FileStatus> ModelFileSystem::status_at(Descriptor, const std::string& name) {
  if (is_too_long(name)) return failed(ENAMETOOLONG);
  const auto found = find(name);
  if (found == state.names.end()) return failed(ENOENT);
  return status_of(found->second);
}

OsResult<std::string> ModelFileSystem::read_link(Descriptor, const std::string&) {
  return failed(EINVAL);
}

OsStatus ModelFileSystem::link(Descriptor, const std::string& from, const std::string& to) {
  if (lacks.links != 0) return failed(lacks.links);
  if (is_too_long(to)) return failed(ENAMETOOLONG);
  const auto found = find(from);
  if (found == state.names.end()) return failed(ENOENT);
  if (find(to) != state.names.end()) return failed(EEXIST);
  change_names({{}, std::pair(to, found->second)});
  return {};
}

OsStatus ModelFileSystem::rename(Descriptor, const std::string& from, const std::string& to) {
  if (is_too_long(to)) return failed(ENAMETOOLONG);
  const auto found = find(from);
  if (found == state.names.end()) return failed(ENOENT);
  const auto target = find(to);
  if (target != state.names.end() && lacks.rename_over != 0) return failed(lacks.rename_over);
  if (target != state.names.end() && target->second == found->second) return {};  // as POSIX says
  // A name that is replaced keeps its letters.
  const std::string name = target == state.names.end() ? to : target->first;
  change_names({found->first, std::pair(name, found->second)});
  return {};
}

OsStatus ModelFileSystem::unlink(Descriptor, const std::string& name) {
  const auto found = find(name);
  if (found == state.names.end()) return failed(ENOENT);
  change_names({std::string(found->first), {}});
  return {};
}

OsResult<Descriptor> ModelFileSystem::create_exclusive(Descriptor, const std::string& name) {
  if (is_too_long(name)) return failed(ENAMETOOLONG);
  if (find(name) != state.names.end()) return failed(EEXIST);
  state.files.push_back({.modified_ns = now_ns(), .attributes = given_attributes});
  change_names({{}, std::pair(name, state.files.size() - 1)});
  return open(state.files.size() - 1);
}

OsResult<Descriptor> ModelFileSystem::open_lock_file(Descriptor directory, const std::string& name,
                                                     bool create) {
  return create ? create_exclusive(directory, name) : open_for_reading(directory, name);
}

OsStatus ModelFileSystem::try_lock(Descriptor file) {
  if (lacks.locks != 0) return failed(lacks.locks);
  const auto [holder, is_free] = locked_.emplace(open_.at(file), file);
  return is_free || holder->second == file ? OsStatus{} : failed(EWOULDBLOCK);
}

OsResult<Descriptor> ModelFileSystem::open_for_reading(Descriptor, const std::string& path) {
  const auto found = find(path.substr(path.rfind('/') + 1));
  if (found == state.names.end()) return failed(ENOENT);
  return open(found->second);
}

OsResult<std::size_t> ModelFileSystem::write(Descriptor file, std::span<const std::byte> bytes) {
  file_of(file).content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  file_of(file).modified_ns = now_ns();
  remember();
  return bytes.size();
}

OsResult<std::size_t> ModelFileSystem::read_at(Descriptor file, std::uint64_t offset,
                                               std::span<std::byte> out) {
  const std::string& content = file_of(file).content;
  const auto from = std::min<std::uint64_t>(offset, content.size());
  const auto size =
      static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), content.size() - from));
  std::memcpy(out.data(), content.data() + from, size);
  return size;
}

OsStatus ModelFileSystem::reserve_space(Descriptor, std::uint64_t) {
  return lacks.reservation == 0 ? OsStatus{} : failed(lacks.reservation);
}

OsStatus ModelFileSystem::truncate(Descriptor file, std::uint64_t size_bytes) {
  return size_bytes == file_of(file).content.size() ? OsStatus{} : failed(EINVAL);
}

OsResult<FileStatus> ModelFileSystem::status(Descriptor file) { return status_of(open_.at(file)); }

OsStatus ModelFileSystem::set_mode(Descriptor file, std::uint32_t mode) {
  if (lacks.modes != 0) return failed(lacks.modes);
  file_of(file).mode = mode;
  return {};
}

OsStatus ModelFileSystem::set_owner(Descriptor file, std::uint32_t owner, std::uint32_t group) {
  if (lacks.owners != 0) return failed(lacks.owners);
  ModelState::File& changed = file_of(file);
  const bool may_set_group =
      group == changed.group || std::count(groups.begin(), groups.end(), group);
  if (!may_give_files_away && (owner != changed.owner || !may_set_group)) return failed(EPERM);
  changed.owner = owner;
  changed.group = group;
  return {};
}

OsResult<std::vector<FileAttribute>> ModelFileSystem::attributes(Descriptor file) {
  if (lacks.attributes != 0) return failed(lacks.attributes);
  std::vector<FileAttribute> all;
  for (const auto& [name, value] : file_of(file).attributes) all.push_back({name, value});
  return all;
}

OsStatus ModelFileSystem::set_attribute(Descriptor file, const std::string& name,
                                        const std::string* value) {
  if (value == nullptr) {
    file_of(file).attributes.erase(name);
  } else {
    file_of(file).attributes[name] = *value;
  }
  return {};
}

OsStatus ModelFileSystem::sync_file(Descriptor file) {
  file_of(file).synced_bytes = file_of(file).content.size();
  remember();
  return {};
}

void ModelFileSystem::drop_cache(Descriptor) {}

OsStatus ModelFileSystem::close(Descriptor descriptor) {
  open_.erase(descriptor);
  std::erase_if(locked_, [&](const auto& lock) { return lock.second == descriptor; });
  return {};
}

OsStatus ModelFileSystem::random_bytes(std::span<std::byte> out) {
  for (std::byte& byte : out) {
    random_ = random_ * 6364136223846793005ULL + 1442695040888963407ULL;
    byte = static_cast<std::byte>(random_ >> 56);
  }
  return {};
}

OsResult<std::uint32_t> ModelFileSystem::new_file_mode(Descriptor) { return 0644; }

}  // namespace hdb::test
