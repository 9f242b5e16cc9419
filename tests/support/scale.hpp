// How many cases the long tests try: HDB_TEST_SCALE multiplies them. By default 1; tools/test.sh
// takes less, runs by hand may take more.
#pragma once

#include <cstddef>

namespace hdb::test {

/// `cases` times HDB_TEST_SCALE, at least 1.
[[nodiscard]] std::size_t scaled(std::size_t cases);

/// Tries each n-th of cases that are numbered: 1 for a scale of 1 or more.
[[nodiscard]] std::size_t scaled_stride();

}  // namespace hdb::test
