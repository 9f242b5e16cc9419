// A blob table without its metadata type: a stable table of blocks, and the buffer in which they
// lie, kept in step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "hdb/detail/core/blobs/blob_buffer.hpp"
#include "hdb/detail/core/tables/table_core.hpp"
#include "hdb/error.hpp"
#include "hdb/table_options.hpp"

namespace hdb {

/// No block, in links between blocks.
inline constexpr std::uint32_t kNoBlock = 0xffff'ffff;

/// One element of the table below a blob table: a pointer to it is a pointer to the metadata.
template <class Meta>
struct BlobBlock {
  Meta meta{};
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint32_t previous = kNoBlock;  ///< Slots of the neighbours in buffer order.
  std::uint32_t next = kNoBlock;
};

/// A blob table at one moment: immutable, readable from any thread.
struct FrozenBlobs {
  FrozenTable table;
  FrozenBuffer buffer;  ///< Its size() is the used end.
  std::uint32_t first = kNoBlock;
  std::uint32_t last = kNoBlock;
  std::uint64_t allocated_bytes = 0;
  std::size_t tail = 0;

  /// Offset, size and successor of a live slot.
  [[nodiscard]] std::uint64_t offset(std::uint64_t slot) const noexcept { return number(slot, 0); }
  [[nodiscard]] std::uint64_t size(std::uint64_t slot) const noexcept { return number(slot, 8); }
  [[nodiscard]] std::uint32_t next(std::uint64_t slot) const noexcept {
    return *reinterpret_cast<const std::uint32_t*>(table.record(slot) + tail + 20);
  }

 private:
  [[nodiscard]] std::uint64_t number(std::uint64_t slot, std::size_t at) const noexcept {
    return *reinterpret_cast<const std::uint64_t*>(table.record(slot) + tail + at);
  }
};

class BlobCursor;

/// Slots, metadata, order and bytes of one blob table; BlobTable<Meta> is a thin typed face over
/// it.
//
//   V4  Following `next` from first() visits every live slot once, in rising order of offsets;
//       `previous` goes back.
//   V5  A block takes its size rounded up to the alignment, at least one alignment; blocks do not
//       overlap, the last one ends at the buffer's end. Under at_release there is no hole between
//       them.
//   V6  Every used byte that is no block's is zero.
//   V7  Every structural call either does all of its work or, when memory runs out, none.
class BlobCore {
 public:
  /// `tail` is the place of `offset` in an element; size, previous and next follow it.
  BlobCore(std::shared_ptr<PagePool> pool, const HandleLayout& layout, const BlobOptions& options,
           const RecordOps& ops, std::size_t tail);
  ~BlobCore();
  BlobCore(const BlobCore&) = delete;
  BlobCore& operator=(const BlobCore&) = delete;

  [[nodiscard]] const BlobOptions& options() const noexcept { return options_; }
  /// See TableCore::set_type_id.
  void set_type_id(std::uint16_t type_id) noexcept {
    options_.type_id = type_id;
    table_.set_type_id(type_id);
  }
  /// The table of the elements. Its structural calls are not to be made directly, but for the
  /// filling of slots.
  [[nodiscard]] TableCore& table() noexcept { return table_; }
  [[nodiscard]] const TableCore& table() const noexcept { return table_; }
  [[nodiscard]] const BlobBuffer& buffer() const noexcept { return buffer_; }

  [[nodiscard]] std::uint32_t first() const noexcept { return first_; }
  [[nodiscard]] std::uint32_t last() const noexcept { return last_; }
  // Of a live slot:
  [[nodiscard]] std::uint64_t offset(std::uint32_t slot) const noexcept {
    return tail(slot).offset;
  }
  [[nodiscard]] std::uint64_t size(std::uint32_t slot) const noexcept { return tail(slot).size; }
  [[nodiscard]] std::uint32_t previous(std::uint32_t slot) const noexcept {
    return tail(slot).previous;
  }
  [[nodiscard]] std::uint32_t next(std::uint32_t slot) const noexcept { return tail(slot).next; }
  [[nodiscard]] std::span<const std::byte> bytes(std::uint32_t slot) const noexcept {
    return {buffer_.data() + offset(slot), static_cast<std::size_t>(size(slot))};
  }
  /// The bytes of a live slot, un-shared.
  [[nodiscard]] std::span<std::byte> edit_bytes(std::uint32_t slot);
  /// Bytes that all blocks take, padding included.
  [[nodiscard]] std::uint64_t allocated_bytes() const noexcept { return allocated_; }
  /// Bytes that a block of this size takes.
  [[nodiscard]] std::uint64_t taken_by(std::uint64_t size) const noexcept;

  /// Memory for the element of a new last block of `size` bytes: zeros, or `content`. The caller
  /// constructs the element there and then calls commit_insert, which cannot fail and sets all but
  /// the metadata.
  /// Requires: no other block has the name, if one is given.
  [[nodiscard]] Result<void*> prepare_insert(std::uint64_t size, std::span<const std::byte> content,
                                             std::string_view name = {});
  /// As prepare_insert, of a block that comes back under the handle of an erased one; commit_insert
  /// then gives that.
  /// Requires: table().slots().can_revive(slot, generation).
  [[nodiscard]] Result<void*> prepare_revive(std::uint32_t slot, std::uint32_t generation,
                                             std::span<const std::byte> content,
                                             std::string_view name);
  Slots::Next commit_insert() noexcept;
  void erase_slot(std::uint32_t slot);
  [[nodiscard]] Status resize(std::uint32_t slot, std::uint64_t size);
  void compact();
  void clear();
  void reset();

  /// Adds the pages held, and one a chunk in use, to `counts`: what a capture may need copies of.
  void count_pages(std::vector<PagePool::PageCount>& counts) const;

  [[nodiscard]] FrozenBlobs freeze();
  /// Brings a captured state back; the buffer stays where it is. Cannot fail after prepare_thaw.
  void thaw(const FrozenBlobs& frozen);
  void prepare_thaw(const FrozenBlobs& frozen);
  /// Takes the state of a freshly filled blob table of equal options and pool, which can only be
  /// destroyed afterwards; its buffer becomes this one's, so the address changes. Cannot fail after
  /// prepare_adopt.
  void adopt(BlobCore& other) noexcept;
  void prepare_adopt() { table_.prepare_adopt(); }
  /// An empty blob table of equal options, pool and metadata.
  [[nodiscard]] std::unique_ptr<BlobCore> make_empty() const;

  // Building from stored state (load): begin_fill; then for each slot table().fill_slot, for each
  // live one before that table().fill_record and fill_block; finish_fill. Threads may fill
  // different slots at once, as in TableCore. After an error the blob table may only be reset or
  // destroyed.
  void begin_fill(const SlotCounters& counters);
  /// Places a block and copies its bytes. Errors: bad_blobs when it does not fit, is not aligned,
  /// or overlaps another.
  [[nodiscard]] Status fill_block(std::uint32_t slot, std::uint64_t offset,
                                  std::span<const std::byte> bytes);
  /// Rebuilds the order. Errors: bad_blobs when a live slot has no block, or a hole lies between
  /// packed ones.
  [[nodiscard]] Status finish_fill();

  /// V1 to V6, and those of the table, in O(slots + capacity). Null when all hold, else what does
  /// not.
  [[nodiscard]] const char* check_invariants() const;

 private:
  friend class BlobCursor;
  struct Tail {
    std::uint64_t offset;
    std::uint64_t size;
    std::uint32_t previous;
    std::uint32_t next;
  };
  // New places without holes: the blocks from `start` on lie from `at` on; `changed` takes `taken`
  // bytes.
  struct Packing {
    std::uint32_t start;
    std::uint64_t at;
    std::uint32_t changed = kNoBlock;
    std::uint64_t taken = 0;
  };
  struct PendingInsert {
    std::uint64_t size = 0;
    std::span<const std::byte> content;
    bool compacts = false;
  };
  struct Filling;

  [[nodiscard]] const Tail& tail(std::uint32_t slot) const noexcept {
    return *reinterpret_cast<const Tail*>(table_.record_at(slot) + tail_);
  }
  [[nodiscard]] Tail& edit_tail(std::uint32_t slot) {
    return *reinterpret_cast<Tail*>(table_.edit_at(slot) + tail_);
  }
  [[nodiscard]] std::uint64_t taken(std::uint32_t slot) const noexcept {
    return taken_by(size(slot));
  }
  [[nodiscard]] std::uint64_t end_of(std::uint32_t slot) const noexcept {
    return slot == kNoBlock ? 0 : offset(slot) + taken(slot);
  }
  [[nodiscard]] Status check_room(std::uint64_t size, std::uint64_t given_back) const;
  void prepare_block(std::uint64_t size, std::span<const std::byte> content);
  void edit_neighbours(std::uint32_t slot);
  void unlink(const Tail& gone) noexcept;
  void prepare_pack(const Packing& packing);
  void pack(const Packing& packing) noexcept;
  void resize_in_place(std::uint32_t slot, std::uint64_t size);
  void resize_and_pack(std::uint32_t slot, std::uint64_t size);
  void forget_blocks() noexcept;
  void set_cursors(std::uint32_t slot) noexcept;

  TableCore table_;
  BlobBuffer buffer_;
  std::uint32_t first_ = kNoBlock;
  std::uint32_t last_ = kNoBlock;
  std::uint64_t allocated_ = 0;
  std::size_t tail_;
  BlobOptions options_;
  BlobCursor* cursors_ = nullptr;
  PendingInsert pending_;
  std::vector<std::byte>
      kept_content_;  // of an insert from the buffer into itself, while that is compacted
  std::shared_ptr<PagePool> pool_;
  std::unique_ptr<Filling> filling_;
};

/// A way through the blocks in buffer order that goes on while blocks come and go: erased ones are
/// passed over, new ones come last.
class BlobCursor {
 public:
  explicit BlobCursor(BlobCore& core) noexcept
      : core_(core), next_(core.first()), outer_(core.cursors_) {
    core.cursors_ = this;
  }
  ~BlobCursor() { core_.cursors_ = outer_; }
  BlobCursor(const BlobCursor&) = delete;
  BlobCursor& operator=(const BlobCursor&) = delete;

  /// The next block, kNoBlock behind the last.
  [[nodiscard]] std::uint32_t take() noexcept {
    const std::uint32_t slot = next_;
    if (slot != kNoBlock) next_ = core_.next(slot);
    return slot;
  }

 private:
  friend class BlobCore;
  BlobCore& core_;
  std::uint32_t next_;
  BlobCursor* outer_;
};

}  // namespace hdb
