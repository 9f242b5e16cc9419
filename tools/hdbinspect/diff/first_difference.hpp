// Two folders of saves, one a frame: which pair is the first that differs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hdb/error.hpp"

namespace hdb::inspect {

/// The saves of two folders, paired by file name.
struct SavePairs {
  std::string folder_a;
  std::string folder_b;
  std::vector<std::string>
      names;  ///< In both, numbers in them counted as numbers: frame_9 before frame_10.
  std::size_t only_in_a = 0;
  std::size_t only_in_b = 0;

  [[nodiscard]] std::string path_a(std::size_t pair) const { return folder_a + '/' + names[pair]; }
  [[nodiscard]] std::string path_b(std::size_t pair) const { return folder_b + '/' + names[pair]; }
};

/// Errors: not_found if no save is in both; I/O, also for a path that is not a folder.
[[nodiscard]] Result<SavePairs> pair_saves(const std::string& folder_a,
                                           const std::string& folder_b);

/// What the search for the first difference found.
struct FirstDifference {
  std::size_t pair = 0;       ///< The number of pairs when none differs.
  std::size_t looked_at = 0;  ///< Pairs of files opened.
};

/// Finds the first pair whose state hashes differ: by bisection, for states that drift apart do not
/// meet again; or, with `all`, looking at every pair up to it. Reads header and footer of each
/// file.
[[nodiscard]] Result<FirstDifference> find_first_difference(const SavePairs& pairs, bool all);

/// Whether `a` comes before `b` when numbers in them are counted as numbers.
[[nodiscard]] bool is_before(const std::string& a, const std::string& b);

}  // namespace hdb::inspect
