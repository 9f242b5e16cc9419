// The operating system by POSIX calls.
#include "system/system.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system/paths.hpp"
#include "text.hpp"

// Sanitizers map terabytes of shadow memory, which the kernel would count.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HDB_INSPECT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HDB_INSPECT_SANITIZED 1
#endif
#endif

namespace hdb::inspect {
namespace {

// The pager, and where the streams went before it (-1: there still). A handler of signals reads
// them.
std::atomic<pid_t> pager{0};
std::atomic<int> streams_before[] = {-1, -1, -1};

void lead_stream(int stream, int to) noexcept {
  streams_before[stream] = ::fcntl(stream, F_DUPFD_CLOEXEC, 3);
  static_cast<void>(::dup2(to, stream));
}

}  // namespace

std::filesystem::path utf8_path(std::string_view text) { return text; }
std::string utf8_text(const std::filesystem::path& path) { return path.native(); }

std::vector<std::string> prepare_process(int argc, char** argv) {
  // A closed standard descriptor must not become that of a save file: what takes its place can
  // neither be read (0) nor be written (1, 2).
  for (int fd = 0; fd < 3; ++fd) {
    if (::fcntl(fd, F_GETFD) == -1 && ::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) == -1) {
      return {};
    }
  }
  return {argv, argv + argc};
}

bool is_terminal(int stream) noexcept { return ::isatty(stream) == 1; }

bool is_capable_terminal(int stream) noexcept {
  const char* const term = std::getenv("TERM");
  return term != nullptr && std::string_view(term) != "dumb" && is_terminal(stream);
}

std::size_t terminal_columns(int stream, std::size_t otherwise) noexcept {
  winsize size{};
  if (::ioctl(stream, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return otherwise;
  return size.ws_col;
}

std::size_t terminal_rows(int stream) noexcept {
  winsize size{};
  if (::ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_row != 0) return size.ws_row;
  const char* const lines = std::getenv("LINES");
  const long rows = lines == nullptr ? 0 : std::strtol(lines, nullptr, 10);
  return rows > 0 ? static_cast<std::size_t>(rows) : 24;
}

bool start_pager(const std::string& command) {
  // Ctrl-C is for the pager: the shell waits for it.
  const std::string script =
      "trap : INT\n: \"${LESS=FRX}\"\nexport LESS\n" + command + "\n[ $? != 127 ] || exec cat";
  int ends[2];
  if (::pipe(ends) != 0) return false;
  static_cast<void>(::fcntl(ends[1], F_SETFD, FD_CLOEXEC));
  const pid_t child = ::fork();
  if (child == 0) {
    static_cast<void>(::dup2(ends[0], kStandardInput));
    ::close(ends[0]);
    std::signal(SIGPIPE, SIG_DFL);
    rlimit limit{};  // --max-memory is not for the pager
    if (::getrlimit(RLIMIT_DATA, &limit) == 0) {
      limit.rlim_cur = limit.rlim_max;
      static_cast<void>(::setrlimit(RLIMIT_DATA, &limit));
    }
    ::execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
    ::_exit(127);
  }
  if (child > 0) {
    pager = child;
    if (is_terminal(kStandardError)) lead_stream(kStandardError, ends[1]);
    lead_stream(kStandardOutput, ends[1]);
  }
  ::close(ends[0]);
  ::close(ends[1]);
  return child > 0;
}

void end_pager() noexcept {
  if (pager == 0) return;
  for (const int stream : {kStandardOutput, kStandardError}) {
    const int before = streams_before[stream].exchange(-1);
    if (before < 0) continue;
    static_cast<void>(::dup2(before, stream));
    ::close(before);
  }
  // The work is done: Ctrl-C is for the pager alone.
  const auto handler = std::signal(SIGINT, SIG_IGN);
  while (::waitpid(pager, nullptr, 0) < 0 && errno == EINTR) {
  }
  std::signal(SIGINT, handler);
  pager = 0;
}

std::ptrdiff_t read_stream(int stream, std::span<std::byte> out) noexcept {
  return ::read(stream, out.data(), out.size());
}

std::ptrdiff_t write_stream(int stream, std::string_view text) noexcept {
  return ::write(stream, text.data(), text.size());
}

// O_TMPFILE where there is such a thing, else a file unlinked at once.
int open_temporary() {
  const char* const chosen = std::getenv("TMPDIR");
  const char* const folder = chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
#ifdef O_TMPFILE
  const int fd = ::open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
  if (fd >= 0) return fd;
#endif
  std::string name = std::string(folder) + "/hdbinspect-XXXXXX";
  const int named = ::mkstemp(name.data());
  if (named < 0) return named;
  ::unlink(name.c_str());
  static_cast<void>(::fcntl(named, F_SETFD, FD_CLOEXEC));
  return named;
}

std::ptrdiff_t read_temporary(int file, std::uint64_t offset, std::span<std::byte> out) noexcept {
  return ::pread(file, out.data(), out.size(), static_cast<off_t>(offset));
}

std::ptrdiff_t write_temporary(int file, std::uint64_t offset,
                               std::span<const std::byte> bytes) noexcept {
  return ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
}

void close_temporary(int file) noexcept { ::close(file); }

// Descriptors of system_files() are those of the system.
void remove_by_force(Descriptor folder, const char* name) noexcept {
  static_cast<void>(::unlinkat(folder, name, 0));
}

ProgramRun run_program(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += "' ";
  }
  ProgramRun run;
  std::FILE* const pipe = ::popen((line + "2>&1").c_str(), "r");
  if (pipe == nullptr) return run;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) run.output += static_cast<char>(c);
  run.status = ::pclose(pipe);
  return run;
}

std::string make_private_folder() {
  const char* const place = std::getenv("TMPDIR");
  std::string folder = place != nullptr && *place != '\0' ? place : "/tmp";
  folder += "/hdbinspect-XXXXXX";
  return ::mkdtemp(folder.data()) == nullptr ? std::string() : folder;
}

// Starts a program that goes on by itself. False if it cannot be started.
static bool start_program(std::vector<std::string> line) {
  std::vector<char*> words;
  for (std::string& word : line) words.push_back(word.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t streams;
  posix_spawnattr_t session;
  ::posix_spawn_file_actions_init(&streams);
  ::posix_spawnattr_init(&session);
  ::posix_spawnattr_setflags(&session, POSIX_SPAWN_SETPGROUP);  // Ctrl-C is not for it
  for (const int stream : {0, 1, 2})
    ::posix_spawn_file_actions_addopen(&streams, stream, "/dev/null", O_RDWR, 0);
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, words.front(), &streams, &session, words.data(), ::environ);
  ::posix_spawnattr_destroy(&session);
  ::posix_spawn_file_actions_destroy(&streams);
  return failed == 0;
}

bool open_in_browser(const std::string& path) {
  const auto value_of = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  std::string browsers = value_of("BROWSER");
  if (browsers.empty()) {
#ifdef __APPLE__
    browsers = "open";
#else
    if (value_of("DISPLAY").empty() && value_of("WAYLAND_DISPLAY").empty()) return false;
    browsers = "xdg-open";
#endif
  }
  // By custom a list, the first that starts is taken, each with its options, where %s is the page.
  for (const std::string& browser : split(browsers, ':')) {
    std::vector<std::string> words = split(browser, ' ');
    const auto place = std::find(words.begin(), words.end(), "%s");
    if (place == words.end()) {
      words.push_back(path);
    } else {
      *place = path;
    }
    if (words.size() > 1 && start_program(std::move(words))) return true;
  }
  return false;
}

void limit_process_memory(std::uint64_t bytes) noexcept {
#ifndef HDB_INSPECT_SANITIZED
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = static_cast<rlim_t>(std::min<std::uint64_t>(limit.rlim_cur, bytes));
  // Where it cannot be set, the read limits still hold.
  static_cast<void>(::setrlimit(RLIMIT_DATA, &limit));
#else
  static_cast<void>(bytes);
#endif
}

}  // namespace hdb::inspect
