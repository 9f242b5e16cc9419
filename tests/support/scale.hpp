// How many cases the long tests try: HDB_TEST_SCALE multiplies them. CI has the default, 1;
// tools/test.sh alone takes less, runs by hand take more.
#pragma once

#include <cstddef>

namespace hdb::test {

/// `cases` times HDB_TEST_SCALE, at least 1.
[[nodiscard]] std::size_t scaled(std::size_t cases);

/// Tries each n-th of cases that are numbered: 1 for a scale of 1 or more.
[[nodiscard]] std::size_t scaled_stride();

}  // namespace hdb::test
