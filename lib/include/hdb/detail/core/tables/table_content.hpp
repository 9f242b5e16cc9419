// What the database does with any table, of records or of blobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "hdb/assert.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/table_options.hpp"

namespace hdb::detail {

struct FrozenTable;
class Moment;
class TableCore;
class UndoLog;

/// The content of one table. TableCore implements it for records, BlobCore for blobs; the layers
/// above core need no other difference between the two.
class TableContent {
 public:
  TableContent() = default;
  virtual ~TableContent() = default;
  TableContent(const TableContent&) = delete;
  TableContent& operator=(const TableContent&) = delete;

  /// The slots and records. The structural calls of a blob table go through its content, not
  /// through this; only loading fills slots and records here.
  [[nodiscard]] virtual TableCore& core() noexcept = 0;
  /// Null in tables of records.
  [[nodiscard]] virtual const BlobOptions* blob_options() const noexcept { return nullptr; }

  /// Destroys the record of a live slot and frees the slot.
  virtual void erase_slot(std::uint32_t slot) = 0;
  /// As if newly made: slots, generations and counters are forgotten. Handles issued before may
  /// equal new ones.
  virtual void reset() = 0;
  /// Loading and restoring adopt the type id that the file or snapshot gives to the table.
  virtual void set_type_id(std::uint16_t type_id) noexcept = 0;
  /// What the log takes when all content is written after a capture, in bytes.
  [[nodiscard]] virtual std::size_t logged_bytes() const noexcept = 0;

  /// Of all arrays of the table, and of what belongs to it.
  [[nodiscard]] virtual const std::shared_ptr<UndoLog>& log() const noexcept = 0;
  /// The content at a moment of the log that was opened just now, after TableCore::prepare_freeze;
  /// with null, of the one that is seen then (see seen_at).
  [[nodiscard]] virtual FrozenTable freeze(const std::shared_ptr<const Moment>& moment) = 0;
  [[nodiscard]] HDB_API FrozenTable freeze();
  /// Takes the state of another table of equal options and pool.
  void copy(const FrozenTable& frozen) {
    prepare_thaw(frozen);
    commit_thaw(frozen);
  }
  /// Restores a captured state of this table, or of another one of equal options and pool. All
  /// arrays of the log go back.
  HDB_API void thaw(const FrozenTable& frozen);
  /// All of a restore that can fail, but for the content of arrays that are still in use: the log
  /// brings that back, before commit_thaw. The content is the same afterwards. commit_thaw must
  /// come before any other change of the table.
  virtual void prepare_thaw(const FrozenTable& frozen) = 0;
  virtual void commit_thaw(const FrozenTable& frozen) noexcept = 0;
  /// An empty content of equal options, pool and record type.
  [[nodiscard]] virtual std::unique_ptr<TableContent> make_empty() const = 0;
  /// Takes the content of `other`, a result of make_empty, which may only be destroyed afterwards.
  /// Cannot fail after prepare_adopt.
  virtual void adopt(TableContent& other) noexcept = 0;
  virtual void prepare_adopt() = 0;

  // Building from stored state (load): begin_fill; then the slots, records and names through core()
  // and, in blob tables, fill_block after the record of each live slot; at the end finish_fill.
  // Threads may fill different row groups at once. After an error the content may only be reset or
  // destroyed.
  /// `holes`: those of a component table.
  virtual void begin_fill(const SlotCounters& counters, std::uint64_t holes = 0) = 0;
  /// Blob tables: places the block of a slot and copies its bytes. Errors: bad_blobs when the block
  /// does not fit, is not aligned, or overlaps another one.
  [[nodiscard]] virtual Status fill_block(std::uint32_t, std::uint64_t,
                                          std::span<const std::byte>) {
    fatal("only blob tables have blocks", __FILE__, __LINE__);
  }
  /// Errors: bad_blobs when a live slot has no block, or there is a gap between packed blocks.
  [[nodiscard]] virtual Status finish_fill() { return {}; }

  /// Where assertions are on: ends the program if a record or byte changed since the last capture
  /// without being owned.
  virtual void check_unwritten() const noexcept = 0;
  /// Checks every invariant. Null when all hold, else the text of a broken one.
  /// Complexity: linear in the slots and, in blob tables, in the bytes.
  [[nodiscard]] virtual const char* check_invariants() const = 0;
};

}  // namespace hdb::detail
