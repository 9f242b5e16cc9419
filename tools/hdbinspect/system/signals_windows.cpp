// Ctrl-C and the end of the console window: a handler on a thread of its own sets flags.
#include "signals.hpp"

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <csignal>

namespace hdb::inspect {
namespace {

std::atomic<int> signal_number{0};
std::atomic<bool> is_interrupted{false};

using CleanUp = void (*)() noexcept;
std::atomic<CleanUp> clean_up_by_force{nullptr};

constexpr DWORD kGraceMs = 1000;
// What the shell takes for Ctrl-C.
constexpr UINT kEndedByControlC = 0xC000013A;

[[noreturn]] void end_process() noexcept {
  ::TerminateProcess(::GetCurrentProcess(), kEndedByControlC);
  for (;;) ::Sleep(INFINITE);
}

// Compressing a large group takes longer than a user who pressed Ctrl-C wants to wait.
BOOL WINAPI note_event(DWORD event) {
  const bool is_first = !is_interrupted.exchange(true);
  if (is_first) {
    signal_number.store(event == CTRL_C_EVENT ? SIGINT : SIGTERM);
    ::Sleep(kGraceMs);
  }
  if (const CleanUp clean_up = clean_up_by_force.load()) clean_up();
  end_process();
}

}  // namespace

// A closed pipe is an error code of WriteFile in any case.
void install_signal_handlers() { ::SetConsoleCtrlHandler(note_event, TRUE); }

int interrupted() noexcept { return signal_number.load(std::memory_order_relaxed); }

const std::atomic<bool>& interruption() noexcept { return is_interrupted; }

void before_forced_end(void (*clean_up)() noexcept) noexcept { clean_up_by_force = clean_up; }

void end_by_signal() { end_process(); }

}  // namespace hdb::inspect
