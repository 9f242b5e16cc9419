// Advisory locks of files that stay: the end of a process releases them.
//   lock   shared by writers, alone for a collector
//   gate   held while waiting; by a collector all along
#include "archive/sqlite/file_lock.hpp"

#include <utility>

#include "files/lock_wait.hpp"

namespace hdb::archive {
namespace {

using std::chrono::milliseconds;

class FileHold final : public ArchiveHold {
 public:
  OwnedDescriptor gate;  // of a collector
  OwnedDescriptor lock;
};

struct Place {
  FileSystem& files;
  Descriptor folder;
  const std::string& path;
};

Result<OwnedDescriptor> open_lock(const Place& place, const std::string& name) {
  for (int i = 0; i < kMaxRetries; ++i) {
    auto opened =
        retry_interrupted([&] { return place.files.open_lock_file(place.folder, name, false); });
    if (!opened && opened.error().number == ENOENT) {
      opened =
          retry_interrupted([&] { return place.files.open_lock_file(place.folder, name, true); });
      const auto folder = retry_interrupted([&] { return place.files.status(place.folder); });
      if (opened && folder) allow_other_writers(place.files, *opened, folder->mode);
    }
    if (opened) return OwnedDescriptor(place.files, *opened);
    if (opened.error().number != EEXIST)
      return fail(os_failure(opened.error(), "opening the lock file '" + name + "'", place.path));
  }
  return fail_at_path(ErrorCode::io_failed, "the lock file comes and goes", place.path);
}

// Returns whether the file system has locks at all.
Result<bool> wait_for(const Place& place, Descriptor file, bool shared, LockWait& wait,
                      const char* holder) {
  for (;;) {
    const auto locked = retry_interrupted(
        [&] { return shared ? place.files.try_lock_shared(file) : place.files.try_lock(file); });
    if (locked) return true;
    if (lacks_locks(locked.error().number)) return false;
    if (locked.error().number != EWOULDBLOCK)
      return fail(os_failure(locked.error(), "locking the archive", place.path));
    if (!wait.pause())
      return fail_at_path(ErrorCode::save_busy, std::string(holder) + wait.text(), place.path);
  }
}

}  // namespace

Result<std::unique_ptr<ArchiveHold>> lock_archive_file(Descriptor folder, const std::string& name,
                                                       HoldKind kind, milliseconds timeout,
                                                       const std::string& path) {
  LockWait wait(timeout);
  const bool shared = kind == HoldKind::write;
  const Place place{system_files(), folder, path};
  auto hold = std::make_unique<FileHold>();
  auto gate = open_lock(place, name + "-gate");
  if (!gate) return fail(std::move(gate.error()));
  auto lock = open_lock(place, name + "-lock");
  if (!lock) return fail(std::move(lock.error()));
  const char* const holder = "a collection of garbage of this archive is still running";
  auto has_locks = wait_for(place, gate->get(), shared, wait, holder);
  if (has_locks && *has_locks) {
    has_locks = wait_for(place, lock->get(), shared, wait,
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
