// A blob table without its metadata type: a stable table of blocks, and the buffer in which they
// lie, kept in step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/base/to_size.hpp"
#include "hdb/detail/core/blobs/blob_buffer.hpp"
#include "hdb/detail/core/tables/table_core.hpp"
#include "hdb/error.hpp"
#include "hdb/table_options.hpp"

namespace hdb::detail {

/// No block, in links between blocks.
inline constexpr std::uint32_t kNoBlock = 0xffff'ffff;

/// Where a block lies in the buffer.
struct BlockPlace {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint32_t previous = kNoBlock;  ///< Slots of the neighbours in buffer order.
  std::uint32_t next = kNoBlock;
};

/// One element of the table below a blob table: a pointer to it is a pointer to the metadata.
template <class Meta>
struct BlobBlock {
  Meta meta{};
  BlockPlace place = {};
};

class BlobCursor;

/// Slots, metadata, order and bytes of one blob table; BlobTable<Meta> is a thin typed wrapper over
/// it.
//
//   V4  Following `next` from first() visits every live slot once, in rising order of offsets;
//       `previous` goes back.
//   V5  A block takes its size rounded up to the alignment, at least one alignment; blocks do not
//       overlap, the last one ends at the buffer's end. Under at_release there is no hole between
//       them.
//   V6  Every used byte that is no block's is zero.
//   V7  Every structural call either does all of its work or, when memory runs out, none.
class HDB_API BlobCore final : public TableContent {
 public:
  /// `tail` is the offset of BlobBlock::place in an element.
  BlobCore(const std::shared_ptr<UndoLog>& log, const HandleLayout& layout,
           const BlobOptions& options, const RecordOps& ops, std::size_t tail);
  ~BlobCore() override;

  [[nodiscard]] TableCore& core() noexcept override { return table_; }
  [[nodiscard]] const BlobOptions* blob_options() const noexcept override { return &options_; }

  [[nodiscard]] const BlobOptions& options() const noexcept { return options_; }
  void set_type_id(std::uint16_t type_id) noexcept override {
    options_.type_id = type_id;
    table_.set_type_id(type_id);
  }
  /// The table of the elements.
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
    return {buffer_.data() + offset(slot), to_size(size(slot))};
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
  void erase_slot(std::uint32_t slot) override;
  [[nodiscard]] Status resize(std::uint32_t slot, std::uint64_t size);
  void compact();
  void clear();
  void reset() override;

  /// The pages of the table, and one page for each chunk in use.
  [[nodiscard]] std::size_t logged_bytes() const noexcept override;

  [[nodiscard]] const std::shared_ptr<UndoLog>& log() const noexcept override {
    return table_.log();
  }
  using TableContent::freeze;
  [[nodiscard]] FrozenTable freeze(const std::shared_ptr<const Moment>& moment) override;
  /// The buffer keeps its address.
  void commit_thaw(const FrozenTable& frozen) noexcept override;
  void prepare_thaw(const FrozenTable& frozen) override;
  /// The buffer of `other` becomes this one's, so its address changes.
  void adopt(TableContent& other) noexcept override;
  void prepare_adopt() override { table_.prepare_adopt(); }
  [[nodiscard]] std::unique_ptr<TableContent> make_empty() const override;

  void begin_fill(const SlotCounters& counters, std::uint64_t holes = 0) override;
  [[nodiscard]] Status fill_block(std::uint32_t slot, std::uint64_t offset,
                                  std::span<const std::byte> bytes) override;
  /// Rebuilds the order of the blocks.
  [[nodiscard]] Status finish_fill() override;

  /// V1 to V6, and those of the table, in O(slots + capacity). Null when all hold, else what does
  /// not.
  [[nodiscard]] const char* check_invariants() const override;
  void check_unwritten() const noexcept override {
    table_.check_unwritten();
    buffer_.check_unwritten();
  }

 private:
  friend class BlobCursor;
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
  struct Filling;  // what is known of the blocks while they are filled

  [[nodiscard]] const BlockPlace& tail(std::uint32_t slot) const noexcept {
    return *reinterpret_cast<const BlockPlace*>(table_.record_at(slot) + tail_);
  }
  [[nodiscard]] BlockPlace& edit_tail(std::uint32_t slot) {
    return *reinterpret_cast<BlockPlace*>(table_.edit_at(slot) + tail_);
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
  void unlink(const BlockPlace& gone) noexcept;
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
  std::unique_ptr<Filling> filling_;
};

/// A way through the blocks in buffer order that goes on while blocks come and go: erased ones are
/// passed over, new ones come last.
class BlobCursor {
 public:
  // Not inline: g++ 12 warns of the address of a local cursor that the table keeps until it ends.
  HDB_API explicit BlobCursor(BlobCore& core) noexcept;
  HDB_API ~BlobCursor();
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

}  // namespace hdb::detail
