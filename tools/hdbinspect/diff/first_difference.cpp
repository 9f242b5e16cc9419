// Pairs saves by name and searches them by their state hashes.
#include "diff/first_difference.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "hdb/save.hpp"
#include "input.hpp"
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

Result<std::vector<std::string>> saves_in(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".hdb") names.push_back(at->path().filename().string());
  }
  if (error) {
    const bool missing = error == std::errc::no_such_file_or_directory;
    return fail(file_error(folder, missing ? ErrorCode::not_found : ErrorCode::io_failed,
                           error.message(), "listing the folder"));
  }
  std::sort(names.begin(), names.end(), is_before);
  return names;
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

Result<SavePairs> pair_saves(const std::string& folder_a, const std::string& folder_b) {
  SavePairs pairs{folder_a, folder_b, {}, 0, 0};
  auto in_a = saves_in(folder_a);
  if (!in_a) return fail(std::move(in_a.error()));
  auto in_b = saves_in(folder_b);
  if (!in_b) return fail(std::move(in_b.error()));
  std::set_intersection(in_a->begin(), in_a->end(), in_b->begin(), in_b->end(),
                        std::back_inserter(pairs.names), is_before);
  pairs.only_in_a = in_a->size() - pairs.names.size();
  pairs.only_in_b = in_b->size() - pairs.names.size();
  if (!pairs.names.empty()) return pairs;
  return fail(file_error(folder_a, ErrorCode::not_found,
                         fmt::format("no save (*.hdb) has the same name in both folders (saves "
                                     "here: {}, in the other folder: {})",
                                     in_a->size(), in_b->size())));
}

std::string FirstDifference::text() const {
  const std::size_t equal = pair - compared;
  std::string text = count_text(pair, "pair");
  if (equal != 0) text += fmt::format(": {} with equal state hashes", equal);
  if (compared != 0) text += fmt::format("{} {} compared", equal == 0 ? ":" : ",", compared);
  return text;
}

Result<bool> has_equal_hashes(const SavePairs& pairs, std::size_t pair) {
  const auto [file_a, file_b] = pairs.paths(pair);
  const auto a = read_info(file_a);
  if (!a) return fail(with_file(a.error(), file_a));
  const auto b = read_info(file_b);
  if (!b) return fail(with_file(b.error(), file_b));
  return a->state_hash == b->state_hash;
}

}  // namespace hdb::inspect
