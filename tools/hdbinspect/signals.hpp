// Ctrl-C and its like: the work stops at the next read or write, what was begun is taken back, then
// the signal ends the program.
#pragma once

#include <atomic>

namespace hdb::inspect {

/// From now on SIGINT, SIGTERM and SIGHUP only set `interrupted()`. What has not stopped a second
/// later, or at the same signal again, is ended by force. Signals that the caller ignores (nohup)
/// stay ignored. A closed pipe and a file-size limit become error codes of write().
void install_signal_handlers();

/// The signal that came, or 0. Long loops that neither read through open_source nor write through
/// Output ask for it.
[[nodiscard]] int interrupted() noexcept;

/// Set with it: for WriteOptions::cancel.
[[nodiscard]] const std::atomic<bool>& interruption() noexcept;

/// Called when the program is ended by force: only what a signal handler may do.
void before_forced_end(void (*clean_up)() noexcept) noexcept;

/// Ends the program by the signal that came, so that its parent process sees the reason.
[[noreturn]] void end_by_signal();

}  // namespace hdb::inspect
