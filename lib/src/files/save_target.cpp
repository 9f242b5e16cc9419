// Resolves the target of a save.
#include "files/save_target.hpp"

namespace hdb {
namespace {

constexpr std::uint32_t kAnyWriteBit = 0222;
constexpr int kMostLinks = 40;  // as Linux follows

#if defined(_WIN32)
constexpr const char* kSeparators = "/\\";
constexpr bool kHasDrives = true;
#else
constexpr const char* kSeparators = "/";
constexpr bool kHasDrives = false;
#endif

Status check_name(const std::string& name, const std::string& path) {
  if (Status checked = check_path(path); !checked) return checked;
  if (name.empty() || name == "." || name == "..") {
    return fail_at_path(ErrorCode::not_regular, "the path is a folder", path);
  }
  return {};
}

Result<OwnedDescriptor> open_folder(FileSystem& files, Descriptor base, const std::string& folder,
                                    const std::string& path) {
  const auto opened = retry_interrupted([&] { return files.open_directory(base, folder); });
  if (!opened) {
    return fail(os_failure(opened.error(), "opening the folder '" + folder + "'", path));
  }
  return OwnedDescriptor(files, *opened);
}

}  // namespace

SplitPath split_path(const std::string& path) {
  const std::size_t slash = path.find_last_of(kSeparators);
  if (slash == std::string::npos) return {".", path};
  // The slash of the root stays: "/", "C:/".
  const bool is_root = slash == 0 || (kHasDrives && path[slash - 1] == ':');
  return {path.substr(0, is_root ? slash + 1 : slash), path.substr(slash + 1)};
}

bool is_absolute(const std::string& path) noexcept {
  const std::size_t slash = path.find_first_of(kSeparators);
  return slash == 0 || (kHasDrives && slash == 2 && path[1] == ':');
}

Result<std::optional<FileStatus>> regular_or_absent(FileSystem& files, Descriptor directory,
                                                    const std::string& name,
                                                    const std::string& path) {
  const auto status = retry_interrupted([&] { return files.status_at(directory, name); });
  if (!status && status.error().number == ENOENT) return std::nullopt;
  if (!status) return fail(os_failure(status.error(), "looking for the old file", path));
  switch (status->kind) {
    case FileKind::regular: break;
    case FileKind::directory:
      return fail_at_path(ErrorCode::not_regular, "'" + name + "' is a folder", path);
    case FileKind::symlink:  // since follow_links
    case FileKind::other:
      return fail_at_path(ErrorCode::not_regular,
                          "'" + name + "' is a FIFO, socket, device or new link", path);
  }
  if ((status->mode & kAnyWriteBit) == 0) {
    return fail_at_path(ErrorCode::permission_denied, "'" + name + "' is write-protected", path);
  }
  return *status;
}

Result<TargetPath> follow_links(FileSystem& files, const std::string& path) {
  SplitPath parts = split_path(path);
  if (auto named = check_name(parts.name, path); !named) return fail(std::move(named.error()));
  auto directory = open_folder(files, kCurrentDirectory, parts.folder, path);
  if (!directory) return fail(std::move(directory.error()));
  for (int links = 0;; ++links) {
    const auto status =
        retry_interrupted([&] { return files.status_at(directory->get(), parts.name); });
    if (!status || status->kind != FileKind::symlink)
      return TargetPath{std::move(*directory), std::move(parts.folder), std::move(parts.name), {}};
    if (links == kMostLinks) {
      return fail_at_path(ErrorCode::bad_path, "the path leads through too many symbolic links",
                          path);
    }
    const auto link =
        retry_interrupted([&] { return files.read_link(directory->get(), parts.name); });
    if (!link) return fail(os_failure(link.error(), "reading the symbolic link", path));
    SplitPath next = split_path(*link);
    if (auto named = check_name(next.name, *link); !named) return fail(std::move(named.error()));
    directory = open_folder(files, directory->get(), next.folder, path);
    if (!directory) return fail(std::move(directory.error()));
    if (next.folder == ".") {
      next.folder = parts.folder;
    } else if (!is_absolute(*link)) {
      next.folder = parts.folder + "/" + next.folder;
    }
    parts = std::move(next);
  }
}

Result<TargetPath> open_save_target(FileSystem& files, const std::string& path) {
  auto target = follow_links(files, path);
  if (!target) return target;
  auto existing = regular_or_absent(files, target->directory.get(), target->name, path);
  if (!existing) return fail(std::move(existing.error()));
  target->existing = *existing;
  return target;
}

Result<bool> make_folder(FileSystem& files, const std::string& folder) {
  const auto opened =
      retry_interrupted([&] { return files.open_directory(kCurrentDirectory, folder); });
  if (opened) static_cast<void>(files.close(*opened));
  if (opened || opened.error().number != ENOENT) return false;
  const auto made = retry_interrupted([&] { return files.make_directory(folder); });
  if (made) return true;
  if (made.error().number == EEXIST) return false;
  return fail(os_failure(made.error(), "creating the folder", folder));
}

Status sync_name_of_folder(FileSystem& files, const std::string& folder, bool was_made) {
  const auto failed = [&](OsError error, const char* call) {
    constexpr const char* kWhat =
        "the save is written, but a power cut may lose the folder of saves: ";
    return fail(os_failure(error, kWhat + std::string(call), folder));
  };
  auto opened = open_folder(files, kCurrentDirectory, folder, folder);
  if (!opened) return fail(std::move(opened.error()));
  const auto above = retry_interrupted([&] { return files.open_directory(opened->get(), ".."); });
  // A folder that the system gave to the game, such as an app's own, lies in one that the game may
  // not read: nobody but its maker can sync its name.
  const auto is_refused = [&](OsError error) {
    return !was_made && (error.number == EACCES || error.number == EPERM);
  };
  if (!above) {
    if (is_refused(above.error())) return {};
    return failed(above.error(), "opening its parent folder");
  }
  const OwnedDescriptor parent(files, *above);
  const auto synced = files.sync_directory(parent.get());
  if (synced) return {};
  // The same error from a parent that may be read is a failed fsync.
  if (is_refused(synced.error()) && !files.list(parent.get())) return {};
  return failed(synced.error(), "fsync of its parent folder");
}

}  // namespace hdb
