// Runs a part of a test in a child process, which may drop its rights or mount things without a
// trace.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "hdb/atomic_file.hpp"
#include "hdb/bytes.hpp"

namespace hdb::test {

/// Runs `body` in a child. Its failed expectations are printed there and fail the test here; if it
/// skips the test there, the test is skipped here.
inline void in_child(const std::function<void()>& body) {
  constexpr int kSkipped = 77;
  std::fflush(nullptr);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    body();
    std::fflush(nullptr);
    ::_exit(testing::Test::HasFailure() ? 1 : testing::Test::IsSkipped() ? kSkipped : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kSkipped) GTEST_SKIP() << "as said above";
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "in the child process";
}

/// Whether mounts inside of `folder` stay within the mounts of this process.
inline bool is_private_mount(const std::string& folder) {
  std::ifstream mounts("/proc/self/mountinfo");
  std::string line;
  std::size_t longest = 0;
  bool is_private = false;
  while (std::getline(mounts, line)) {
    std::istringstream words(line);
    std::string skipped;
    std::string place;
    words >> skipped >> skipped >> skipped >> skipped >> place;
    if (place != "/") place += '/';
    if (!folder.starts_with(place) || place.size() < longest) continue;
    longest = place.size();
    is_private = line.find(" shared:") == std::string::npos;
  }
  return is_private;
}

/// Gives the calling process mounts of its own, for `folder`; false where the system does not
/// permit that.
inline bool own_mounts(const std::string& folder) {
  if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  // After chroot, "/" may be no mount.
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 ||
         is_private_mount(folder);
}

/// Mounts an empty file system of `size_bytes` in memory.
inline bool mount_tmpfs(const std::string& folder, std::size_t size_bytes) {
  const std::string options = "size=" + std::to_string(size_bytes);
  return ::mount("tmpfs", folder.c_str(), "tmpfs", 0, options.c_str()) == 0;
}

/// The room that is left on the disk of `path`.
inline std::size_t free_bytes(const std::string& path) {
  struct statvfs status {};
  return ::statvfs(path.c_str(), &status) == 0 ? status.f_bsize * status.f_bavail : 0;
}

/// Gives up root, so that modes apply.
inline bool drop_root() {
  constexpr unsigned kNobody = 65534;
  if (::geteuid() != 0) return true;
  return ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0;
}

/// What a process leaves that is killed while it saves to `path`.
inline void crash_in_save(const std::string& path) {
  in_child([&] {
    auto file = AtomicFile::create(path);
    EXPECT_TRUE(file && (*file)->write(bytes_of("half")));
    std::fflush(nullptr);
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  });
}

}  // namespace hdb::test
