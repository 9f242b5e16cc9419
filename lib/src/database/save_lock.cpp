// The registry of folders in which this process saves.
#include "save_lock.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace hdb {

struct SaveLock::Folder {
  FileSystem* files = nullptr;
  FileStatus status;
  OwnedDescriptor descriptor;
  bool excludes_processes = true;
  std::vector<std::string> names;  // targets being saved
};

namespace {

using Clock = std::chrono::steady_clock;

// Other processes give no notice when they unlock: look again this often.
constexpr auto kPollInterval = std::chrono::milliseconds(5);

struct Registry {
  std::mutex mutex;
  std::condition_variable released;
  std::vector<std::shared_ptr<SaveLock::Folder>> folders;
};

// Never destroyed: a save may still run on a thread while the program ends.
Registry& registry() {
  static Registry& instance = *new Registry;
  return instance;
}

bool lacks_flock(int number) {
  return number == EOPNOTSUPP || number == ENOSYS || number == EINVAL;
}

tl::unexpected<Error> busy(const std::string& path, bool elsewhere, unsigned timeout_ms) {
  std::string what = elsewhere ? "another process is saving into this folder"
                               : "another save of this file is running";
  if (timeout_ms != 0) what += ", and was for " + std::to_string(timeout_ms) + " ms";
  return fail_at_path(ErrorCode::save_busy, std::move(what), path);
}

}  // namespace

Result<SaveLock> SaveLock::acquire(FileSystem& files, OwnedDescriptor directory,
                                   const std::string& name, unsigned timeout_ms,
                                   const std::string& path) {
  const auto status = files.status(directory.get());
  if (!status) return fail(os_failure(status.error(), "asking for the folder", path));
  const auto deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  SaveLock lock;
  lock.name_ = name;
  Registry& all = registry();
  std::unique_lock guard(all.mutex);
  for (;;) {
    const auto known = std::find_if(all.folders.begin(), all.folders.end(), [&](const auto& entry) {
      return entry->files == &files && entry->status.same_file(*status);
    });
    const bool elsewhere = known == all.folders.end();
    if (elsewhere) {
      const auto locked = retry_interrupted([&] { return files.try_lock(directory.get()); });
      const bool unsupported = !locked && lacks_flock(locked.error().number);
      if (locked || unsupported) {
        auto folder = std::make_shared<Folder>();
        folder->files = &files;
        folder->status = *status;
        folder->excludes_processes = !unsupported;
        folder->names.push_back(name);
        all.folders.push_back(folder);
        folder->descriptor = std::move(directory);
        lock.folder_ = std::move(folder);
        return lock;
      }
      if (locked.error().number != EWOULDBLOCK) {
        return fail(os_failure(locked.error(), "locking the folder", path));
      }
    } else if (auto& names = (*known)->names;
               std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
      lock.folder_ = *known;
      return lock;
    }
    const auto now = Clock::now();
    if (now >= deadline) return busy(path, elsewhere, timeout_ms);
    all.released.wait_until(guard, std::min(deadline, now + kPollInterval));
  }
}

SaveLock& SaveLock::operator=(SaveLock&& other) noexcept {
  if (this != &other) {
    release();
    folder_ = std::move(other.folder_);
    name_ = std::move(other.name_);
  }
  return *this;
}

void SaveLock::release() noexcept {
  if (folder_ == nullptr) return;
  Registry& all = registry();
  {
    const std::lock_guard guard(all.mutex);
    auto& names = folder_->names;
    names.erase(std::find(names.begin(), names.end(), name_));
    if (names.empty()) {
      static_cast<void>(folder_->descriptor.close());  // gives the flock back
      all.folders.erase(std::find(all.folders.begin(), all.folders.end(), folder_));
    }
    folder_.reset();
  }
  all.released.notify_all();
}

Descriptor SaveLock::directory() const noexcept { return folder_->descriptor.get(); }

bool SaveLock::excludes_processes() const noexcept { return folder_->excludes_processes; }

}  // namespace hdb
