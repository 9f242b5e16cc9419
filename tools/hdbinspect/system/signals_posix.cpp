// Handlers that only set flags.
#include "signals.hpp"

#include <csignal>
#include <cstdlib>

#include <unistd.h>

#include "system/system.hpp"

namespace hdb::inspect {
namespace {

// Both lock-free: a handler may set them.
std::atomic<int> signal_number{0};
std::atomic<bool> is_interrupted{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

using CleanUp = void (*)() noexcept;
std::atomic<CleanUp> clean_up_by_force{nullptr};
static_assert(std::atomic<CleanUp>::is_always_lock_free);

constexpr unsigned kGraceSeconds = 1;

// Compressing a large group takes longer than a user who pressed Ctrl-C wants to wait.
extern "C" void end_by_force(int number) {
  if (const CleanUp clean_up = clean_up_by_force.load()) clean_up();
  end_pager();  // it keeps the terminal until the user leaves it
  const int wanted = signal_number.load(std::memory_order_relaxed);
  std::signal(wanted != 0 ? wanted : number, SIG_DFL);
  ::raise(wanted != 0 ? wanted : number);
}

extern "C" void note_signal(int number) {
  if (is_interrupted.exchange(true, std::memory_order_relaxed)) return end_by_force(number);
  signal_number.store(number, std::memory_order_relaxed);
  ::alarm(kGraceSeconds);
}

}  // namespace

void install_signal_handlers() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old {};
    if (::sigaction(number, nullptr, &old) != 0 || old.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = note_signal;
    ::sigemptyset(&action.sa_mask);
    // No SA_RESTART: a read that waits for a pipe has to see it.
    action.sa_flags = 0;
    ::sigaction(number, &action, nullptr);
  }
  std::signal(SIGALRM, end_by_force);
}

int interrupted() noexcept { return signal_number.load(std::memory_order_relaxed); }

const std::atomic<bool>& interruption() noexcept { return is_interrupted; }

void before_forced_end(void (*clean_up)() noexcept) noexcept { clean_up_by_force = clean_up; }

void end_by_signal() {
  const int number = interrupted();
  std::signal(number, SIG_DFL);
  ::raise(number);
  std::_Exit(128 + number);  // the parent process blocked the signal
}

}  // namespace hdb::inspect
