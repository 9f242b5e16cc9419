// Where the memory of tables comes from: replace it to use an engine's own allocator.
#pragma once

#include <cstddef>

namespace hdb {

/// Gives and takes the memory of pages; replace it to use an engine's own allocator. Calls come
/// from any thread that mutates a table or drops a snapshot, one at a time. Not from here: what
/// records allocate themselves, and the text of names of more than 15 bytes, which are std::string;
/// both come from operator new.
class PageSource {
 public:
  virtual ~PageSource() = default;
  /// Memory of `size_bytes`, aligned to kPageAlignment; null when there is none.
  [[nodiscard]] virtual void* allocate(std::size_t size_bytes) noexcept = 0;
  virtual void deallocate(void* memory, std::size_t size_bytes) noexcept = 0;
};

inline constexpr std::size_t kPageAlignment = 64;

}  // namespace hdb
