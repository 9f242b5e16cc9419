// PageSource: where the memory of tables and snapshots comes from. Games implement it to use the
// allocator of their engine (DatabaseOptions::page_source).
#pragma once

#include <cstddef>

namespace hdb {

/// Allocates the memory of one database: its arrays, each in one piece, and copies of pages. The
/// memory that records allocate themselves (strings, containers) and the text of names of more than
/// 15 bytes come from operator new instead. Without reserved address space, an array that grows
/// moves into a larger piece, which invalidates pointers to records; Table::reserve prevents that.
///
/// Threads: calls come from any thread that changes a table or drops a snapshot, one at a time.
/// Requires: the source outlives the database and all its snapshots; the shared_ptr in
/// DatabaseOptions ensures that.
///
/// Example:
/// @code
/// struct Counted final : hdb::PageSource {
///   std::size_t bytes = 0;
///   void* allocate(std::size_t size) noexcept override {
///     bytes += size;
///     return std::aligned_alloc(hdb::kPageAlignment, size);
///   }
///   void deallocate(void* memory, std::size_t) noexcept override { std::free(memory); }
/// };
/// const auto source = std::make_shared<Counted>();
/// hdb::Database db({.page_source = source});
/// db.create_table<Monster>("monsters").insert({});
/// assert(source->bytes > 0);
/// @endcode
class PageSource {
 public:
  virtual ~PageSource() = default;
  /// Returns memory of `size_bytes` bytes, aligned to kPageAlignment; null if there is none. After
  /// null, the call that needed the memory throws std::bad_alloc and changes nothing; a call on
  /// many records (insert_batch, erase_batch, edit_each) keeps what it did to the records before.
  [[nodiscard]] virtual void* allocate(std::size_t size_bytes) noexcept = 0;
  /// Takes back memory that allocate returned for the same `size_bytes`.
  virtual void deallocate(void* memory, std::size_t size_bytes) noexcept = 0;
};

/// The alignment of pages in bytes.
inline constexpr std::size_t kPageAlignment = 64;

}  // namespace hdb
