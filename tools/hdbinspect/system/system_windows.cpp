// The operating system by the calls of Windows.
#include "system/system.hpp"

#include "system/paths.hpp"

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <fcntl.h>
#include <io.h>
#include <shellapi.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <limits>

#ifndef ENABLE_VIRTUAL_TERMINAL_PROCESSING
#define ENABLE_VIRTUAL_TERMINAL_PROCESSING 0x0004
#endif

namespace hdb::inspect {
namespace {

HANDLE handle_of(int file) noexcept { return reinterpret_cast<HANDLE>(::_get_osfhandle(file)); }

std::string utf8(const wchar_t* text) {
  const int size = ::WideCharToMultiByte(CP_UTF8, 0, text, -1, nullptr, 0, nullptr, nullptr);
  std::string made(static_cast<std::size_t>(std::max(size, 1)), '\0');
  ::WideCharToMultiByte(CP_UTF8, 0, text, -1, made.data(), size, nullptr, nullptr);
  made.pop_back();  // the zero at the end
  return made;
}

// Bytes that are not UTF-8 become U+FFFD.
std::wstring wide(std::string_view text) {
  std::wstring made(text.size(), L'\0');  // UTF-16 has no more units than UTF-8
  made.resize(static_cast<std::size_t>(
      ::MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), made.data(),
                            static_cast<int>(made.size()))));
  return made;
}

int errno_of(DWORD error) noexcept {
  switch (error) {
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA:
    case ERROR_PIPE_NOT_CONNECTED: return EPIPE;
    case ERROR_INVALID_HANDLE: return EBADF;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: return ENOSPC;
    case ERROR_ACCESS_DENIED: return EACCES;
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND: return ENOENT;
    default: return EIO;
  }
}

std::ptrdiff_t failed(DWORD error) noexcept {
  errno = errno_of(error);
  return -1;
}

DWORD limited(std::size_t size) noexcept {
  return static_cast<DWORD>(std::min<std::size_t>(size, std::size_t{1} << 24));
}

OVERLAPPED at_offset(std::uint64_t offset) noexcept {
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32);
  return place;
}

// The console shows UTF-8 as long as the program runs; it belongs to the user's shell.
class ConsoleCodePage {
 public:
  ConsoleCodePage() noexcept : before_(::GetConsoleOutputCP()) { ::SetConsoleOutputCP(CP_UTF8); }
  ~ConsoleCodePage() {
    if (before_ != 0) ::SetConsoleOutputCP(before_);
  }
  ConsoleCodePage(const ConsoleCodePage&) = delete;
  ConsoleCodePage& operator=(const ConsoleCodePage&) = delete;

 private:
  UINT before_;
};

// The folder for temporary files, with a backslash at its end.
std::wstring temporary_folder() {
  std::wstring folder(32768, L'\0');
  DWORD size = ::GetEnvironmentVariableW(L"TMPDIR", folder.data(), MAX_PATH);
  if (size == 0 || size >= MAX_PATH) size = ::GetTempPathW(MAX_PATH, folder.data());
  folder.resize(size);
  if (!folder.empty() && folder.back() != L'\\' && folder.back() != L'/') folder += L'\\';
  return folder;
}

}  // namespace

std::filesystem::path utf8_path(std::string_view text) { return wide(text); }
std::string utf8_text(const std::filesystem::path& path) { return utf8(path.c_str()); }

std::vector<std::string> prepare_process(int, char**) {
  static const ConsoleCodePage code_page;
  std::vector<std::string> words;
  int count = 0;
  wchar_t** const wide = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  if (wide == nullptr) return {};
  for (int i = 0; i < count; ++i) words.push_back(utf8(wide[i]));
  ::LocalFree(wide);
  // A program that fails must not open a window and wait for a click.
  ::SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOOPENFILEERRORBOX);
  return words;
}

bool is_terminal(int stream) noexcept {
  DWORD mode = 0;
  return ::GetConsoleMode(handle_of(stream), &mode) != 0;
}

bool is_capable_terminal(int stream) noexcept {
  const char* const term = std::getenv("TERM");
  if (term != nullptr && std::string_view(term) == "dumb") return false;
  DWORD mode = 0;
  return ::GetConsoleMode(handle_of(stream), &mode) != 0 &&
         ::SetConsoleMode(handle_of(stream), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

std::size_t terminal_columns(int stream, std::size_t otherwise) noexcept {
  CONSOLE_SCREEN_BUFFER_INFO screen{};
  if (::GetConsoleScreenBufferInfo(handle_of(stream), &screen) == 0) return otherwise;
  const int columns = screen.srWindow.Right - screen.srWindow.Left + 1;
  return columns > 0 ? static_cast<std::size_t>(columns) : otherwise;
}

// `more` does not scroll back, and consoles do: output stays there.
std::size_t terminal_rows(int) noexcept { return std::numeric_limits<std::size_t>::max(); }
bool start_pager(const std::string&) { return false; }
void end_pager() noexcept {}

// Below the C library, which would change the ends of lines.
std::ptrdiff_t read_stream(int stream, std::span<std::byte> out) noexcept {
  DWORD got = 0;
  if (::ReadFile(handle_of(stream), out.data(), limited(out.size()), &got, nullptr) != 0) {
    return static_cast<std::ptrdiff_t>(got);
  }
  const DWORD error = ::GetLastError();
  return error == ERROR_BROKEN_PIPE || error == ERROR_HANDLE_EOF ? 0 : failed(error);
}

std::ptrdiff_t write_stream(int stream, std::string_view text) noexcept {
  DWORD written = 0;
  if (::WriteFile(handle_of(stream), text.data(), limited(text.size()), &written, nullptr) == 0) {
    return failed(::GetLastError());
  }
  return static_cast<std::ptrdiff_t>(written);
}

// No other program can open it, and the system removes it when it is closed.
int open_temporary() {
  const std::wstring folder = temporary_folder();
  for (unsigned attempt = 0; attempt < 100; ++attempt) {
    LARGE_INTEGER time{};
    ::QueryPerformanceCounter(&time);
    const std::wstring name = folder + L"hdbinspect-" + std::to_wstring(::GetCurrentProcessId()) +
                              L"-" + std::to_wstring(time.QuadPart) + L".tmp";
    const HANDLE file =
        ::CreateFileW(name.c_str(), GENERIC_READ | GENERIC_WRITE | DELETE, 0, nullptr, CREATE_NEW,
                      FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
    if (file != INVALID_HANDLE_VALUE) {
      return ::_open_osfhandle(reinterpret_cast<std::intptr_t>(file), _O_BINARY | _O_RDWR);
    }
    if (::GetLastError() != ERROR_FILE_EXISTS) break;
  }
  return static_cast<int>(failed(::GetLastError()));
}

std::ptrdiff_t read_temporary(int file, std::uint64_t offset, std::span<std::byte> out) noexcept {
  OVERLAPPED place = at_offset(offset);
  DWORD got = 0;
  if (::ReadFile(handle_of(file), out.data(), limited(out.size()), &got, &place) == 0) {
    return failed(::GetLastError());
  }
  return static_cast<std::ptrdiff_t>(got);
}

std::ptrdiff_t write_temporary(int file, std::uint64_t offset,
                               std::span<const std::byte> bytes) noexcept {
  OVERLAPPED place = at_offset(offset);
  DWORD written = 0;
  if (::WriteFile(handle_of(file), bytes.data(), limited(bytes.size()), &written, &place) == 0) {
    return failed(::GetLastError());
  }
  return static_cast<std::ptrdiff_t>(written);
}

void close_temporary(int file) noexcept { ::_close(file); }

// Windows calls its handlers on a thread of their own, so they may do anything.
void remove_by_force(Descriptor folder, const char* name) noexcept {
  static_cast<void>(system_files().unlink(folder, name));
}

ProgramRun run_program(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += '"' + word + "\" ";
  ProgramRun run;
  std::FILE* const pipe = ::_wpopen(wide("\"" + line + "2>&1\"").c_str(), L"r");
  if (pipe == nullptr) return run;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) run.output += static_cast<char>(c);
  run.status = ::_pclose(pipe);
  return run;
}

std::string make_private_folder() {
  wchar_t place[MAX_PATH + 1];
  if (::GetTempPathW(MAX_PATH + 1, place) == 0) return {};  // a folder of the user
  for (DWORD number = ::GetTickCount(), tries = 0; tries < 100; ++number, ++tries) {
    const std::wstring folder = place + (L"hdbinspect-" + std::to_wstring(number));
    if (::CreateDirectoryW(folder.c_str(), nullptr) != 0) return utf8(folder.c_str());
  }
  return {};
}

bool open_in_browser(const std::string& path) {
  // Its documentation: more than 32 is success.
  return reinterpret_cast<INT_PTR>(::ShellExecuteW(nullptr, L"open", wide(path).c_str(), nullptr,
                                                   nullptr, SW_SHOWNORMAL)) > 32;
}

// A job with one process, which nobody can leave.
void limit_process_memory(std::uint64_t bytes) noexcept {
  const HANDLE job = ::CreateJobObjectW(nullptr, nullptr);
  if (job == nullptr) return;
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_PROCESS_MEMORY;
  limits.ProcessMemoryLimit = static_cast<SIZE_T>(bytes);
  // Where it cannot be set, the read limits still hold.
  if (::SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits) !=
      0) {
    static_cast<void>(::AssignProcessToJobObject(job, ::GetCurrentProcess()));
  }
}

}  // namespace hdb::inspect
