// Pauses between attempts to lock, and the mode of lock files.
#include "files/lock_wait.hpp"

#include <algorithm>
#include <cerrno>
#include <thread>

namespace hdb {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{1};
constexpr milliseconds kLongestPause{16};
// So that adding it to the time of day cannot overflow.
constexpr milliseconds kLongestTimeout = std::chrono::hours(24 * 365);
constexpr std::uint32_t kOwnerMode = 0600;
constexpr std::uint32_t kOtherWriters = 0022;

}  // namespace

LockWait::LockWait(milliseconds timeout)
    : timeout_(std::clamp(timeout, milliseconds(0), kLongestTimeout)),
      deadline_(Clock::now() + timeout_),
      next_(kFirstPause) {}

bool LockWait::pause() {
  const auto now = Clock::now();
  if (now >= deadline_) return false;
  std::this_thread::sleep_for(std::min<Clock::duration>(next_, deadline_ - now));
  next_ = std::min(2 * next_, kLongestPause);
  return true;
}

std::string LockWait::text() const {
  if (timeout_.count() == 0) return {};
  return " (waited " + std::to_string(timeout_.count()) + " ms)";
}

bool lacks_locks(int number) noexcept {
  return number == EOPNOTSUPP || number == ENOSYS || number == EINVAL || number == ENOLCK ||
         number == EBADF;  // as NFS has it
}

void allow_other_writers(FileSystem& files, Descriptor file, std::uint32_t folder_mode) noexcept {
  const std::uint32_t others = folder_mode & kOtherWriters;
  if (others != 0) static_cast<void>(files.set_mode(file, kOwnerMode | others));
}

}  // namespace hdb
