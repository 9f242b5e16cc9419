// Advisory locks of files that stay in the folder: the end of a process releases them.
#include "archive/folder_lock.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace hdb::archive {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Other holders give no notice when they unlock: look again after this long, and longer each time.
constexpr milliseconds kFirstPause{1};
constexpr milliseconds kLongestPause{16};
constexpr milliseconds kLongestTimeout = std::chrono::hours(24 * 365);
constexpr std::uint32_t kOwnerMode = 0600;
constexpr std::uint32_t kOtherWriters = 0022;

class FolderHold final : public ArchiveHold {
 public:
  OwnedDescriptor gate;  // of a collector
  OwnedDescriptor lock;
};

struct Place {
  FileSystem& files;
  Descriptor folder;
  const std::string& path;
};

Result<OwnedDescriptor> open_lock(const Place& place, const char* name) {
  for (int i = 0; i < kMaxRetries; ++i) {
    auto opened =
        retry_interrupted([&] { return place.files.open_lock_file(place.folder, name, false); });
    if (!opened && opened.error().number == ENOENT) {
      opened =
          retry_interrupted([&] { return place.files.open_lock_file(place.folder, name, true); });
      if (opened) {  // who may write into the folder may lock
        const auto folder = retry_interrupted([&] { return place.files.status(place.folder); });
        const std::uint32_t others = folder ? folder->mode & kOtherWriters : 0;
        if (others != 0) static_cast<void>(place.files.set_mode(*opened, kOwnerMode | others));
      }
    }
    if (opened) return OwnedDescriptor(place.files, *opened);
    if (opened.error().number != EEXIST)
      return fail(os_failure(opened.error(), std::string("opening the lock file '") + name + "'",
                             place.path));
  }
  return fail_at_path(ErrorCode::io_failed, "the lock file comes and goes", place.path);
}

bool lacks_locks(int number) {
  return number == EOPNOTSUPP || number == ENOSYS || number == EINVAL || number == ENOLCK;
}

// Returns whether the file system has locks at all.
Result<bool> wait_for(const Place& place, Descriptor file, bool shared, Clock::time_point deadline,
                      milliseconds timeout, const char* holder) {
  milliseconds pause = kFirstPause;
  for (;;) {
    const auto locked = retry_interrupted(
        [&] { return shared ? place.files.try_lock_shared(file) : place.files.try_lock(file); });
    if (locked) return true;
    if (lacks_locks(locked.error().number)) return false;
    if (locked.error().number != EWOULDBLOCK)
      return fail(os_failure(locked.error(), "locking the archive", place.path));
    const auto now = Clock::now();
    if (now >= deadline) {
      return fail_at_path(
          ErrorCode::save_busy,
          std::string(holder) + " (waited " + std::to_string(timeout.count()) + " ms)", place.path);
    }
    std::this_thread::sleep_for(std::min<Clock::duration>(pause, deadline - now));
    pause = std::min(2 * pause, kLongestPause);
  }
}

}  // namespace

Result<std::unique_ptr<ArchiveHold>> lock_folder(FileSystem& files, Descriptor folder,
                                                 HoldKind kind, milliseconds timeout,
                                                 const std::string& path) {
  timeout = std::clamp(timeout, milliseconds(0), kLongestTimeout);
  const auto deadline = Clock::now() + timeout;
  const bool shared = kind == HoldKind::write;
  const Place place{files, folder, path};
  auto hold = std::make_unique<FolderHold>();
  auto gate = open_lock(place, kGateName);
  if (!gate) return fail(std::move(gate.error()));
  auto lock = open_lock(place, kLockName);
  if (!lock) return fail(std::move(lock.error()));
  const char* const holder = "a collection of garbage of this archive is still running";
  auto has_locks = wait_for(place, gate->get(), shared, deadline, timeout, holder);
  if (has_locks && *has_locks) {
    has_locks = wait_for(place, lock->get(), shared, deadline, timeout,
                         shared ? holder : "puts into this archive are still running");
  }
  if (!has_locks) return fail(std::move(has_locks.error()));
  if (!*has_locks && !shared) {
    return fail_at_path(ErrorCode::archive_not_supported,
                        "the file system has no locks, so nothing keeps writers apart from a "
                        "collection of garbage",
                        path);
  }
  hold->lock = std::move(*lock);
  if (!shared) hold->gate = std::move(*gate);
  return std::unique_ptr<ArchiveHold>(std::move(hold));
}

}  // namespace hdb::archive
