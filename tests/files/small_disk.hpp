// Full disks: a model of a small disk, which runs everywhere, and a small file system in memory,
// where the system permits mounting.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "files/child_process.hpp"
#include "files/folder.hpp"
#include "files/wrapped_file_system.hpp"

namespace hdb::test {

/// A disk with a folder alone on it.
struct Disk {
  FileSystem* files = nullptr;  ///< Null: the operating system's.
  std::function<std::size_t()> free_bytes;

  /// Leaves `room` bytes free below `folder`.
  void fill(const Folder& folder, std::size_t room) const {
    const std::string ballast = folder / "ballast";
    std::filesystem::remove(ballast);
    const std::size_t all = free_bytes();
    put(ballast, std::string(all - std::min(all, room), 'x'));
  }
};

/// Writes to files below a folder fail as if the disk held no more than some blocks of content.
class SmallDisk : public WrappedFileSystem {
 public:
  static constexpr std::size_t kBlock = 4096;

  SmallDisk(std::string folder, std::size_t size_bytes)
      : folder_(std::move(folder)), size_bytes_(size_bytes) {}

  [[nodiscard]] std::size_t free_bytes() const {
    std::size_t used = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      struct stat found {};
      if (::lstat(entry.path().c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
      const auto size = static_cast<std::size_t>(found.st_size);
      used += (size + kBlock - 1) / kBlock * kBlock / found.st_nlink;  // all its names are here
    }
    return size_bytes_ - std::min(size_bytes_, used);
  }

  OsResult<std::size_t> write(Descriptor file, std::span<const std::byte> bytes) override {
    const auto found = status(file);
    if (!found) return tl::unexpected(found.error());
    const std::size_t in_last_block = (kBlock - found->size_bytes % kBlock) % kBlock;
    const std::size_t room = free_bytes() + in_last_block;
    if (room == 0 && !bytes.empty()) return tl::unexpected(OsError{ENOSPC});
    return WrappedFileSystem::write(file, bytes.first(std::min(bytes.size(), room)));
  }
  OsStatus reserve_space(Descriptor file, std::uint64_t size_bytes) override {
    if (size_bytes > free_bytes()) return tl::unexpected(OsError{ENOSPC});
    return WrappedFileSystem::reserve_space(file, size_bytes);
  }

 private:
  std::string folder_;
  std::size_t size_bytes_;
};

/// Runs `body` with a model of a disk of that size.
inline void with_small_disk(std::size_t size_bytes,
                            const std::function<void(const Folder&, const Disk&)>& body) {
  const Folder folder(fast_parent());
  SmallDisk disk(folder.path(), size_bytes);
  body(folder, {&disk, [&] { return disk.free_bytes(); }});
}

/// The same with a file system of that size; skips the test where mounting is not permitted.
inline void with_mounted_disk(std::size_t size_bytes,
                              const std::function<void(const Folder&, const Disk&)>& body) {
  const Folder folder;
  in_child([&] {
    if (!own_mounts(folder.path()) || !mount_tmpfs(folder.path(), size_bytes))
      GTEST_SKIP() << "mounting is not permitted here; another test runs on a model of a disk";
    body(folder, {nullptr, [&] { return free_bytes(folder.path()); }});
  });
}

}  // namespace hdb::test
