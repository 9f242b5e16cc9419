// What hdbinspect asks of the operating system: standard streams, the terminal, temporary files.
// One source for POSIX, one for Windows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/file_system.hpp"

namespace hdb::inspect {

inline constexpr int kStandardInput = 0;
inline constexpr int kStandardOutput = 1;
inline constexpr int kStandardError = 2;

/// The words of the command line as UTF-8; standard streams that pass bytes on unchanged; a
/// terminal that shows UTF-8. Empty if the standard streams cannot be used.
[[nodiscard]] std::vector<std::string> prepare_process(int argc, char** argv);

[[nodiscard]] bool is_terminal(int stream) noexcept;
/// Whether it is a terminal that understands escape sequences.
[[nodiscard]] bool is_capable_terminal(int stream) noexcept;
/// The columns of the terminal; `otherwise` if it is not a terminal or the size is unknown.
[[nodiscard]] std::size_t terminal_columns(int stream, std::size_t otherwise) noexcept;

/// The rows of the terminal, else $LINES, else 24.
[[nodiscard]] std::size_t terminal_rows(int stream) noexcept;

/// Runs a command of the shell: from now on standard output goes to its input, and so does standard
/// error if it is a terminal. If the shell does not find the command, `cat` takes its place.
/// False: not possible here.
[[nodiscard]] bool start_pager(const std::string& command);
/// Ends the input of the pager, gives the streams back and waits until the user leaves it. Only
/// what a handler of signals may do.
void end_pager() noexcept;

/// As read(2) and write(2): the number of bytes, or -1 with errno set.
[[nodiscard]] std::ptrdiff_t read_stream(int stream, std::span<std::byte> out) noexcept;
[[nodiscard]] std::ptrdiff_t write_stream(int stream, std::string_view text) noexcept;

/// Creates a temporary file that nobody else can open or change, and that is gone once it is
/// closed. -1, with errno set, if it cannot be created. In $TMPDIR, else where the system has such
/// files.
[[nodiscard]] int open_temporary();
/// Read and write some bytes at an offset, as pread(2) and pwrite(2).
[[nodiscard]] std::ptrdiff_t read_temporary(int file, std::uint64_t offset,
                                            std::span<std::byte> out) noexcept;
[[nodiscard]] std::ptrdiff_t write_temporary(int file, std::uint64_t offset,
                                             std::span<const std::byte> bytes) noexcept;
void close_temporary(int file) noexcept;

/// Removes a file in a folder that system_files() opened. Only what a handler of signals may do.
void remove_by_force(Descriptor folder, const char* name) noexcept;

/// What a program printed, on both streams, and its exit status; another one than 0 if it cannot be
/// run.
struct ProgramRun {
  int status = -1;
  std::string output;
};
/// Runs a program with these words, each of which it gets as it is.
[[nodiscard]] ProgramRun run_program(const std::vector<std::string>& words);

/// Makes a folder for temporary files that only this user can read; it stays. Empty if it cannot be
/// made.
[[nodiscard]] std::string make_private_folder();
/// Asks the system to show a file in a web browser, and does not wait for it. False if there is
/// none: on POSIX, without $BROWSER, a display, or a program that knows the browser.
[[nodiscard]] bool open_in_browser(const std::string& path);

/// From now on the process gets at most this much memory, where the system can limit it.
void limit_process_memory(std::uint64_t bytes) noexcept;

}  // namespace hdb::inspect
