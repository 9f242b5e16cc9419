// Remembers the largest single allocation of the test program, to prove that counts are checked
// before memory is taken.
#pragma once

#include <cstddef>

namespace hdb::test {

/// Forgets what was seen so far.
void reset_largest_allocation() noexcept;
[[nodiscard]] std::size_t largest_allocation() noexcept;
/// From now on the n-th allocation of any thread fails: operator new throws std::bad_alloc, malloc
/// of other libraries (where the C library allows it) gives null; 0: none does.
void fail_allocation(std::size_t n) noexcept;
/// Counts as an allocation: whether it is the one to fail. For sources of memory that the tests
/// make.
[[nodiscard]] bool allocation_fails() noexcept;
/// Whether the allocation named by fail_allocation is still to come.
[[nodiscard]] bool allocation_is_to_fail() noexcept;

}  // namespace hdb::test
