// Ends a fuzzed program with a line that says which promise broke.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace hdb::fuzz {

/// Aborts, naming `promise` and the particulars, unless it holds: the fuzzer keeps the input.
inline void require(bool holds, const char* promise, const char* particulars = "") {
  if (holds) return;
  std::fprintf(stderr, "hdb fuzz: broken: %s %s\n", promise, particulars);
  std::abort();
}

}  // namespace hdb::fuzz
