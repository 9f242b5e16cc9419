// A page source that runs out of memory when a test wants it.
#pragma once

#include <cstddef>
#include <new>

#include "hdb/page_source.hpp"

namespace hdb::test {

/// Gives `left` pieces of memory more, then none; below zero: no limit.
class MeagreSource final : public PageSource {
 public:
  void* allocate(std::size_t size_bytes) noexcept override {
    if (left == 0) return nullptr;
    if (left > 0) --left;
    ++given;
    return ::operator new (size_bytes, std::align_val_t{kPageAlignment}, std::nothrow);
  }
  void deallocate(void* memory, std::size_t) noexcept override {
    --given;
    ::operator delete (memory, std::align_val_t{kPageAlignment});
  }
  long left = -1;
  long given = 0;  ///< Pieces that have not come back.
};

}  // namespace hdb::test
