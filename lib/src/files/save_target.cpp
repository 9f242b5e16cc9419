// Resolves the target of a save.
#include "files/save_target.hpp"

namespace hdb {
namespace {

constexpr std::uint32_t kAnyWriteBit = 0222;

#if defined(_WIN32)
constexpr const char* kSeparators = "/\\";
constexpr bool kHasDrives = true;
#else
constexpr const char* kSeparators = "/";
constexpr bool kHasDrives = false;
#endif

Status check_name(const std::string& name, const std::string& path) {
  if (path.find('\0') != std::string::npos) {
    return fail_at_path(ErrorCode::bad_path, "the path contains a zero byte", path);
  }
  if (path.empty()) return fail_at_path(ErrorCode::bad_path, "the path is empty", path);
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

bool is_absolute(const std::string& path) noexcept {
  const std::size_t slash = path.find_first_of(kSeparators);
  return slash == 0 || (kHasDrives && slash == 2 && path[1] == ':');
}

SplitPath split_path(const std::string& path) {
  const std::size_t slash = path.find_last_of(kSeparators);
  if (slash == std::string::npos) return {".", path};
  // The slash of the root stays: "/", "C:/".
  const bool is_root = slash == 0 || (kHasDrives && path[slash - 1] == ':');
  return {path.substr(0, is_root ? slash + 1 : slash), path.substr(slash + 1)};
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
    case FileKind::symlink:
      return fail_at_path(ErrorCode::not_regular,
                          "'" + name + "' is a symbolic link reached through another symbolic link",
                          path);
    case FileKind::other:
      return fail_at_path(ErrorCode::not_regular, "'" + name + "' is a FIFO, socket or device",
                          path);
  }
  if ((status->mode & kAnyWriteBit) == 0) {
    return fail_at_path(ErrorCode::permission_denied, "'" + name + "' is write-protected", path);
  }
  return *status;
}

Result<SaveTarget> open_save_target(FileSystem& files, const std::string& path) {
  SplitPath parts = split_path(path);
  if (auto named = check_name(parts.name, path); !named) return fail(std::move(named.error()));
  auto directory = open_folder(files, kCurrentDirectory, parts.folder, path);
  if (!directory) return fail(std::move(directory.error()));

  const auto status =
      retry_interrupted([&] { return files.status_at(directory->get(), parts.name); });
  if (status && status->kind == FileKind::symlink) {
    const auto link =
        retry_interrupted([&] { return files.read_link(directory->get(), parts.name); });
    if (!link) return fail(os_failure(link.error(), "reading the symbolic link", path));
    parts = split_path(*link);
    if (auto named = check_name(parts.name, *link); !named) return fail(std::move(named.error()));
    directory = open_folder(files, directory->get(), parts.folder, path);
    if (!directory) return fail(std::move(directory.error()));
  }
  auto existing = regular_or_absent(files, directory->get(), parts.name, path);
  if (!existing) return fail(std::move(existing.error()));
  return SaveTarget{std::move(*directory), std::move(parts.name), *existing};
}

}  // namespace hdb
