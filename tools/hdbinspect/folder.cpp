// Lists folders, and compares names with numbers in them.
#include "folder.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "input.hpp"
#include "system/paths.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

namespace fs = std::filesystem;

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// The end of the digits that begin at `at`, and where they begin without leading zeros.
std::pair<std::size_t, std::size_t> number_at(const std::string& text, std::size_t at) {
  std::size_t begin = at;
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  while (begin + 1 < end && text[begin] == '0') ++begin;
  return {begin, end};
}

}  // namespace

bool is_before(const std::string& a, const std::string& b) {
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < a.size() && k < b.size()) {
    if (is_digit(a[i]) && is_digit(b[k])) {
      const auto [a_begin, a_end] = number_at(a, i);
      const auto [b_begin, b_end] = number_at(b, k);
      if (a_end - a_begin != b_end - b_begin) return a_end - a_begin < b_end - b_begin;
      const int order = a.compare(a_begin, a_end - a_begin, b, b_begin, b_end - b_begin);
      if (order != 0) return order < 0;
      i = a_end;
      k = b_end;
      continue;
    }
    if (a[i] != b[k]) return a[i] < b[k];
    ++i;
    ++k;
  }
  // What is left decides; names that differ only in leading zeros still have an order.
  const std::size_t left_of_a = a.size() - i;
  const std::size_t left_of_b = b.size() - k;
  return left_of_a != left_of_b ? left_of_a < left_of_b : a < b;
}

bool is_save_name(const std::string& name) {
  return (name + '.').rfind(".hdb.") != std::string::npos;
}

Result<std::vector<std::string>> names_in(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator at(utf8_path(folder), error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    std::string name = utf8_text(at->path().filename());
    if (name.starts_with('.')) continue;
    if (is_save_name(name) || at->is_regular_file(ignored)) names.push_back(std::move(name));
  }
  if (error) {
    const bool missing = error == std::errc::no_such_file_or_directory;
    return fail(file_error(folder, missing ? ErrorCode::not_found : ErrorCode::io_failed,
                           error.message(), "listing the folder"));
  }
  std::sort(names.begin(), names.end(), is_before);
  return names;
}

std::string path_in(const std::string& folder, const std::string& name) {
  return folder + (folder.ends_with('/') ? "" : "/") + name;
}

Error no_save_in(const std::string& folder, std::size_t files) {
  return file_error(folder, ErrorCode::not_found,
                    files == 0 ? "the folder has no files"
                               : fmt::format("the folder has no hdb save, only {}",
                                             count_text(files, "other file")));
}

}  // namespace hdb::inspect
