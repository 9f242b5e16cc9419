// Counts the memory that the program, its libraries included, takes between two moments.
#pragma once

#include <cstdint>

namespace hdb::bench {

/// Begins to count.
void start_counting_memory() noexcept;
/// Ends it; the most bytes that were taken at once since then and not given back. -1: they cannot
/// be counted in this build.
[[nodiscard]] std::int64_t most_memory_counted() noexcept;

}  // namespace hdb::bench
