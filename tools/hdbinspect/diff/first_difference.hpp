// Two folders of saves, one a frame: which pair is the first that differs.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "folder.hpp"
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

  [[nodiscard]] std::array<std::string, 2> paths(std::size_t pair) const {
    return {path_in(folder_a, names[pair]), path_in(folder_b, names[pair])};
  }
};

/// Errors: not_found if no save is in both; I/O, also for a path that is not a folder.
[[nodiscard]] Result<SavePairs> pair_saves(const std::string& folder_a,
                                           const std::string& folder_b);

/// What the search for the first difference found.
struct FirstDifference {
  std::size_t pair = 0;      ///< The number of pairs when none differs.
  std::size_t compared = 0;  ///< Of the pairs up to it; those before have equal state hashes.

  /// What was looked at, when none differs: "8 pairs: 6 with equal state hashes, 2 compared".
  [[nodiscard]] std::string text() const;
};

/// Whether the state hashes of a pair are equal. Reads header and footer of both files.
[[nodiscard]] Result<bool> has_equal_hashes(const SavePairs& pairs, std::size_t pair);

}  // namespace hdb::inspect
