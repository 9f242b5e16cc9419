// A program run through the shell with each word in quotes. On Windows all text here is UTF-8.
#include "process.hpp"

#include <cstdio>
#include <filesystem>

#ifdef _WIN32
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <shellapi.h>
#else
#include <sys/wait.h>
#endif

namespace demo {
namespace {

#ifdef _WIN32
std::string utf8(const std::wstring& text) {
  const std::u8string units = std::filesystem::path(text).u8string();
  return {units.begin(), units.end()};
}
// A path has no quote; a backslash before the closing quote counts only if it is doubled.
std::string quoted(const std::string& word) {
  return '"' + word + (word.ends_with('\\') ? "\\\"" : "\"");
}
// cmd.exe takes away the first and the last quote.
std::FILE* start(const std::string& line) {
  const std::string command = '"' + line + '"';
  return ::_wpopen(std::filesystem::path(std::u8string(command.begin(), command.end())).c_str(),
                   L"r");
}
int end(std::FILE* output) { return ::_pclose(output); }
#else
std::string quoted(const std::string& word) {
  std::string made = "'";
  for (const char c : word) made += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return made + '\'';
}
std::FILE* start(const std::string& line) { return ::popen(line.c_str(), "r"); }
int end(std::FILE* output) {
  const int status = ::pclose(output);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
#endif

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command) {
  ProcessResult result;
  std::string line;
  for (const std::string& word : command) line += quoted(word) + ' ';
  std::FILE* const output = command.empty() ? nullptr : start(line + "2>&1");
  if (output == nullptr) return result;
  char buffer[4096];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, output)) {
    result.output.append(buffer, count);
  }
  result.exit_status = end(output);
  return result;
}

#ifdef _WIN32
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
#else
std::string own_path() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

std::vector<std::string> command_line(int argc, char** argv) { return {argv, argv + argc}; }
#endif

}  // namespace demo
