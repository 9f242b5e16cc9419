// CreateProcess with a pipe for the output.
#include "process.hpp"

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <shellapi.h>

#include <algorithm>
#include <system_error>

namespace demo {
namespace {

std::wstring wide(const std::string& text) {
  const int size = static_cast<int>(text.size());
  const int units = ::MultiByteToWideChar(CP_UTF8, 0, text.data(), size, nullptr, 0);
  std::wstring made(static_cast<std::size_t>(std::max(units, 0)), L'\0');
  ::MultiByteToWideChar(CP_UTF8, 0, text.data(), size, made.data(), units);
  return made;
}

std::string utf8(const std::wstring& text) {
  const int size = static_cast<int>(text.size());
  const int bytes =
      ::WideCharToMultiByte(CP_UTF8, 0, text.data(), size, nullptr, 0, nullptr, nullptr);
  std::string made(static_cast<std::size_t>(std::max(bytes, 0)), '\0');
  ::WideCharToMultiByte(CP_UTF8, 0, text.data(), size, made.data(), bytes, nullptr, nullptr);
  return made;
}

// In quotes, as CommandLineToArgvW reads it: backslashes count only before a quote.
std::wstring quoted(const std::string& word) {
  std::wstring made = L"\"";
  std::size_t backslashes = 0;
  for (const wchar_t unit : wide(word)) {
    if (unit == L'"') made.append(backslashes + 1, L'\\');
    backslashes = unit == L'\\' ? backslashes + 1 : 0;
    made += unit;
  }
  made.append(backslashes, L'\\');
  return made + L'"';
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command) {
  ProcessResult result;
  if (command.empty()) return result;
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  HANDLE from = nullptr;
  HANDLE to = nullptr;
  if (::CreatePipe(&from, &to, &inherited, 0) == 0) return result;
  ::SetHandleInformation(from, HANDLE_FLAG_INHERIT, 0);
  std::wstring line;
  for (const std::string& word : command) line += (line.empty() ? L"" : L" ") + quoted(word);
  STARTUPINFOW start{};
  start.cb = sizeof start;
  start.dwFlags = STARTF_USESTDHANDLES;
  start.hStdInput = ::GetStdHandle(STD_INPUT_HANDLE);
  start.hStdOutput = to;
  start.hStdError = to;
  PROCESS_INFORMATION child{};
  const BOOL is_started = ::CreateProcessW(wide(command[0]).c_str(), line.data(), nullptr, nullptr,
                                           TRUE, 0, nullptr, nullptr, &start, &child);
  const auto error = static_cast<int>(::GetLastError());
  ::CloseHandle(to);
  if (is_started == 0) {
    ::CloseHandle(from);
    result.output = command[0] + ": " + std::system_category().message(error);
    return result;
  }
  char buffer[4096];
  DWORD count = 0;
  while (::ReadFile(from, buffer, sizeof buffer, &count, nullptr) != 0 && count != 0) {
    result.output.append(buffer, count);
  }
  ::CloseHandle(from);
  ::WaitForSingleObject(child.hProcess, INFINITE);
  DWORD status = 0;
  if (::GetExitCodeProcess(child.hProcess, &status) != 0) {
    result.exit_status = static_cast<int>(status);
  }
  ::CloseHandle(child.hThread);
  ::CloseHandle(child.hProcess);
  return result;
}

std::string own_path() {
  std::wstring path(32768, L'\0');
  path.resize(::GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size())));
  return utf8(path);
}

std::vector<std::string> command_line(int, char**) {
  ::SetConsoleOutputCP(CP_UTF8);
  std::vector<std::string> words;
  int count = 0;
  wchar_t** const found = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  for (int i = 0; i < count; ++i) words.push_back(utf8(found[i]));
  ::LocalFree(found);
  return words;
}

}  // namespace demo
