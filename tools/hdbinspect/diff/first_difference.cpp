// Pairs saves by name and searches them by their state hashes.
#include "diff/first_difference.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "hdb/save.hpp"
#include "input.hpp"

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

Result<bool> is_equal(const SavePairs& pairs, std::size_t pair) {
  const auto a = read_info(pairs.path_a(pair));
  if (!a) return fail(a.error());
  const auto b = read_info(pairs.path_b(pair));
  if (!b) return fail(b.error());
  return a->state_hash == b->state_hash;
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

Result<FirstDifference> find_first_difference(const SavePairs& pairs, bool all) {
  FirstDifference found;
  const auto look = [&](std::size_t pair) {
    ++found.looked_at;
    return is_equal(pairs, pair);
  };
  std::size_t begin = 0;  // all before are equal
  std::size_t end = pairs.names.size();
  if (all) {
    for (; begin < end; ++begin) {
      const auto equal = look(begin);
      if (!equal) return fail(equal.error());
      if (!*equal) break;
    }
    found.pair = begin;
    return found;
  }
  // The last pair first: if it is equal, all pairs are.
  const auto last_equal = look(end - 1);
  if (!last_equal) return fail(last_equal.error());
  found.pair = end;
  if (*last_equal) return found;
  --end;  // this one differs
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    const auto equal = look(middle);
    if (!equal) return fail(equal.error());
    if (*equal) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  found.pair = end;
  return found;
}

}  // namespace hdb::inspect
