// Locking a target: the registry of this process, then the lock file.
#include "files/save_lock.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

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

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Other processes give no notice when they unlock: look again after this long, and longer each
// time.
constexpr milliseconds kFirstPause{1};
constexpr milliseconds kLongestPause{16};
// So that adding it to the time of day cannot overflow.
constexpr milliseconds kLongestTimeout = std::chrono::hours(24 * 365);
constexpr std::size_t kLongestNameInFull = 100;
constexpr std::uint32_t kOwnerMode = 0600;
constexpr std::uint32_t kOtherWriters = 0022;

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

bool lacks_flock(int number) {
  return number == EOPNOTSUPP || number == ENOSYS || number == EINVAL;
}

tl::unexpected<Error> busy(const std::string& path, std::string what, milliseconds timeout) {
  if (timeout.count() > 0) what += " (waited " + std::to_string(timeout.count()) + " ms)";
  return fail_at_path(ErrorCode::save_busy, std::move(what), path);
}

}  // namespace

std::string lock_file_name(const std::string& target_name) {
  if (target_name.size() > kLongestNameInFull) return TemporaryNames(target_name).with("lock");
  return "." + target_name + ".hdb.lock";
}

Result<SaveLock> SaveLock::acquire(FileSystem& files, OwnedDescriptor directory,
                                   const std::string& name, milliseconds timeout,
                                   const std::string& path) {
  timeout = std::clamp(timeout, milliseconds(0), kLongestTimeout);
  const auto deadline = Clock::now() + timeout;
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
    if (!all.released.wait_until(guard, deadline, is_free)) {
      return busy(path, "another save of this file in this program is still running", timeout);
    }
    all.targets.push_back(target.get());
    lock.target_ = std::move(target);
    lock.directory_ = std::move(directory);
  }
  milliseconds pause = kFirstPause;
  for (int changes = 0;;) {
    const auto got = lock.attempt(path);
    if (!got) return fail(got.error());
    if (*got == Attempt::locked) return lock;
    if (*got == Attempt::changed && ++changes <= kMaxRetries) continue;
    const auto now = Clock::now();
    if (now >= deadline) {
      return busy(path,
                  *got == Attempt::held_by_another_user
                      ? "another user is saving this file, or left the lock file '" +
                            lock.file_name_ + "'; if no save is running, remove the lock file"
                      : "another program is still saving this file",
                  timeout);
    }
    std::this_thread::sleep_for(std::min<Clock::duration>(pause, deadline - now));
    pause = std::min(2 * pause, kLongestPause);
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
    if (opened.error().number == EACCES && !is_new) return Attempt::held_by_another_user;
    return fail(os_failure(opened.error(), "creating the lock file '" + file_name_ + "'", path));
  }
  OwnedDescriptor file(files, *opened);
  if (is_new) allow_other_writers(file.get());
  const auto status = retry_interrupted([&] { return files.status(file.get()); });
  if (!status) return fail(os_failure(status.error(), "reading the status of the lock file", path));
  if (status->kind != FileKind::regular) {
    return fail_at_path(ErrorCode::not_regular,
                        "the lock file '" + file_name_ + "' is not a regular file; remove it",
                        path);
  }
  const auto locked = retry_interrupted([&] { return files.try_lock(file.get()); });
  if (!locked && lacks_flock(locked.error().number)) {
    // Nobody can hold it, so it is of no use to anybody.
    static_cast<void>(
        retry_interrupted([&] { return files.unlink(directory_.get(), file_name_); }));
    return Attempt::locked;
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

// Who may write into the folder may save the target, so may lock it too; who may only read may not.
void SaveLock::allow_other_writers(Descriptor file) noexcept {
  const std::uint32_t others = target_->folder.mode & kOtherWriters;
  if (others != 0) static_cast<void>(target_->files->set_mode(file, kOwnerMode | others));
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
  }
  return *this;
}

void SaveLock::release() noexcept {
  if (target_ == nullptr) return;
  if (excludes_processes()) {
    FileSystem& files = *target_->files;
    static_cast<void>(
        retry_interrupted([&] { return files.unlink(directory_.get(), file_name_); }));  // L2
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
