// Locking a target: the registry of this process, then the lock file.
#include "files/save_lock.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "files/lock_wait.hpp"
#include "files/temporary.hpp"

namespace hdb {

struct SaveLock::Target {
  FileSystem* files = nullptr;
  FileStatus folder;
  std::string name;

  [[nodiscard]] bool same_as(const Target& other) const noexcept {
    return files == other.files && folder.same_file(other.folder) && name == other.name;
  }
};

namespace {

using std::chrono::milliseconds;

constexpr std::size_t kLongestNameInFull = 100;
constexpr std::chrono::hours kLongestSave{1};

struct Registry {
  std::mutex mutex;
  std::condition_variable released;
  std::vector<const SaveLock::Target*> targets;  // being saved
};

// Never destroyed: a save may still run on a thread while the program ends.
Registry& registry() {
  static Registry& instance = *new Registry;
  return instance;
}

tl::unexpected<Error> busy(const std::string& path, std::string what, const LockWait& wait) {
  return fail_at_path(ErrorCode::save_busy, std::move(what) + wait.text(), path);
}

}  // namespace

std::string lock_file_name(const std::string& target_name) {
  if (target_name.size() > kLongestNameInFull) return TemporaryNames(target_name).with("lock");
  return "." + target_name + ".hdb.lock";
}

Result<SaveLock> SaveLock::acquire(FileSystem& files, OwnedDescriptor directory,
                                   const std::string& name, milliseconds timeout,
                                   const std::string& path) {
  LockWait wait(timeout);
  const auto folder = retry_interrupted([&] { return files.status(directory.get()); });
  if (!folder) return fail(os_failure(folder.error(), "reading the status of the folder", path));
  SaveLock lock;
  lock.file_name_ = lock_file_name(name);
  auto target = std::make_unique<Target>(Target{&files, *folder, name});
  {
    Registry& all = registry();
    std::unique_lock guard(all.mutex);
    const auto is_free = [&] {
      return std::none_of(all.targets.begin(), all.targets.end(),
                          [&](const Target* other) { return other->same_as(*target); });
    };
    if (!all.released.wait_until(guard, wait.deadline(), is_free)) {
      return busy(path, "another save of this file in this program is still running", wait);
    }
    all.targets.push_back(target.get());
    lock.target_ = std::move(target);
    lock.directory_ = std::move(directory);
  }
  for (int changes = 0;;) {
    const auto got = lock.attempt(path);
    if (!got) return fail(got.error());
    if (*got == Attempt::locked) return lock;
    if (*got == Attempt::changed && ++changes <= kMaxRetries) continue;
    if (wait.pause()) continue;
    return busy(path,
                *got == Attempt::held_by_another_user
                    ? "another user is saving this file, or left the lock file '" +
                          lock.file_name_ + "'; if no save is running, remove the lock file"
                    : "another program is still saving this file",
                wait);
  }
}

Result<SaveLock::Attempt> SaveLock::attempt(const std::string& path) {
  FileSystem& files = *target_->files;
  const auto open = [&](bool create) {
    return retry_interrupted(
        [&] { return files.open_lock_file(directory_.get(), file_name_, create); });
  };
  auto opened = open(false);
  const bool is_new = !opened && opened.error().number == ENOENT;
  if (is_new) opened = open(true);
  if (!opened) {
    if (opened.error().number == EEXIST) return Attempt::changed;
    if (opened.error().number == EACCES && !is_new) return pass_by_another_user(opened.error());
    return fail(os_failure(opened.error(), "creating the lock file '" + file_name_ + "'", path));
  }
  OwnedDescriptor file(files, *opened);
  if (is_new) allow_other_writers(files, file.get(), target_->folder.mode);
  const auto status = retry_interrupted([&] { return files.status(file.get()); });
  if (!status) return fail(os_failure(status.error(), "reading the status of the lock file", path));
  if (status->kind != FileKind::regular) {
    return fail_at_path(ErrorCode::not_regular,
                        "the lock file '" + file_name_ + "' is not a regular file; remove it",
                        path);
  }
  const auto locked = retry_interrupted([&] { return files.try_lock(file.get()); });
  if (!locked && lacks_locks(locked.error().number)) {
    static_cast<void>(unlink_file());  // nobody can hold it
    return go_without(locked.error());
  }
  if (!locked && locked.error().number == EWOULDBLOCK) return Attempt::held;
  if (!locked) return fail(os_failure(locked.error(), "locking '" + file_name_ + "'", path));
  const auto now = retry_interrupted([&] { return files.status_at(directory_.get(), file_name_); });
  if (!now && now.error().number != ENOENT) {
    return fail(os_failure(now.error(), "reading the status of the lock file", path));
  }
  if (!now || !now->same_file(*status)) return Attempt::changed;  // L1
  file_ = std::move(file);
  return Attempt::locked;
}

SaveLock::Attempt SaveLock::go_without(OsError why) {
  problem_ = why;
  return Attempt::locked;
}

// Whether its owner is still saving cannot be found out.
SaveLock::Attempt SaveLock::pass_by_another_user(OsError why) {
  const auto status =
      retry_interrupted([&] { return target_->files->status_at(directory_.get(), file_name_); });
  if (!status || !is_older_than(*status, kLongestSave)) return Attempt::held_by_another_user;
  return unlink_file() ? Attempt::changed : go_without(why);
}

OsStatus SaveLock::unlink_file() noexcept {
  return retry_interrupted([&] { return target_->files->unlink(directory_.get(), file_name_); });
}

SaveLock::SaveLock() noexcept = default;
SaveLock::SaveLock(SaveLock&& other) noexcept = default;
SaveLock::~SaveLock() { release(); }

SaveLock& SaveLock::operator=(SaveLock&& other) noexcept {
  if (this != &other) {
    release();
    target_ = std::move(other.target_);
    directory_ = std::move(other.directory_);
    file_ = std::move(other.file_);
    file_name_ = std::move(other.file_name_);
    problem_ = other.problem_;
  }
  return *this;
}

void SaveLock::release() noexcept {
  if (target_ == nullptr) return;
  if (excludes_processes()) {
    static_cast<void>(unlink_file());  // L2
    static_cast<void>(file_.close());
  }
  static_cast<void>(directory_.close());
  Registry& all = registry();
  {
    const std::lock_guard guard(all.mutex);
    all.targets.erase(std::find(all.targets.begin(), all.targets.end(), target_.get()));
  }
  target_.reset();
  all.released.notify_all();
}

}  // namespace hdb
