// BlobTable<Meta>: blocks of bytes of different sizes packed in one buffer, with a metadata record
// and a handle for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "hdb/assert.hpp"
#include "hdb/detail/core/blobs/blob_core.hpp"
#include "hdb/detail/core/tables/core_of.hpp"
#include "hdb/detail/core/tables/table_iteration.hpp"
#include "hdb/handle.hpp"

namespace hdb {

/// Blocks of bytes, of different sizes, in one buffer of fixed capacity that never moves: the
/// mirror of a vertex buffer, say. One thread mutates a blob table; several may read it while none
/// does.
///
/// The order of the blocks in the buffer is that of their insertion. Erasing and resizing move the
/// bytes of other blocks: what one keeps is handles.
///
/// Invalidates (stated once for all members): spans of bytes and pointers to metadata are good
/// until the next non-const call on the table or its database; mutable ones until the next insert,
/// erase, resize, compact, clear, capture or restore. The address of the buffer is good until the
/// table is loaded from a file.
///
/// Requires (stated once for all members): as Table, of the moves and the destructor of the
/// metadata.
///
/// Complexity (of all that writes bytes): plus 64 KiB copied for each chunk of the buffer that is
/// written to for the first time after a capture, while a capture that holds it lives.
template <class Meta, class L = DefaultLayout, class Tag = Meta>
class BlobTable {
 public:
  using HandleType = Handle<Tag, L>;
  using MetaType = Meta;
  using BlockType = detail::BlobBlock<Meta>;

  /// Allocates the whole buffer. Requires: options.problem() == nullptr.
  explicit BlobTable(const BlobOptions& options,
                     std::shared_ptr<detail::PagePool> pool = std::make_shared<detail::PagePool>())
      : core_(std::move(pool), L::value, options, detail::record_ops<BlockType>(), kTail) {
    HDB_REQUIRE(L::type_bits == 0 || (options.type_id >= 1 && options.type_id >> L::type_bits == 0),
                "handles with a type id need a type id of 1 or more that fits their layout");
  }

  // --- single blocks

  /// Appends a block of `size` zero bytes.
  /// Errors: blob_too_large when no buffer of this capacity could hold it; blob_full when there is
  /// not enough room, even after compaction; table_full when no handle is left. Nothing changes
  /// then.
  /// Complexity: O(size); under Compaction::on_demand as compact() when the block does not fit
  /// behind the last one.
  Result<HandleType> insert(Meta meta, std::uint64_t size) {
    return insert_block(std::move(meta), size, {});
  }
  /// As above, with a copy of `bytes`, which may be bytes of this table.
  Result<HandleType> insert(Meta meta, std::span<const std::byte> bytes) {
    return insert_block(std::move(meta), bytes.size(), bytes);
  }
  /// As insert, with a name, in tables made with names (BlobOptions::names); an empty one is none.
  /// Errors: duplicate_name, when another block already has the name; and those of insert.
  Result<HandleType> insert_named(std::string_view name, Meta meta,
                                  std::span<const std::byte> bytes) {
    if (names().find(name)) return name_is_used(name);
    return insert_block(std::move(meta), bytes.size(), bytes, name);
  }
  /// The block that has this name; null when there is none. Complexity: constant, linear in the
  /// name.
  [[nodiscard]] HandleType find_named(std::string_view name) const noexcept {
    const auto slot = names().find(name);
    return slot ? handle_of(*slot) : HandleType{};
  }
  /// The block's name; empty when it has none, or the handle is null, stale or foreign.
  [[nodiscard]] std::string_view name(HandleType handle) const noexcept {
    return contains(handle) ? std::string_view(names().name(detail::slot_number(handle)))
                            : std::string_view();
  }
  /// As Table::rename.
  bool rename(HandleType handle, std::string_view name) {
    const auto other = names().find(name);
    if (!contains(handle) || (other && *other != detail::slot_number(handle))) return false;
    core_.core().rename_slot(detail::slot_number(handle), name);
    return true;
  }
  /// The bytes of a block; data() is null when the handle is null, stale or foreign, and only then.
  [[nodiscard]] std::span<const std::byte> find(HandleType handle) const noexcept {
    return contains(handle) ? core_.bytes(detail::slot_number(handle))
                            : std::span<const std::byte>{};
  }
  /// The bytes of a block.
  /// Errors: as Table::at.
  [[nodiscard]] std::span<const std::byte> at(HandleType handle) const {
    if (!contains(handle)) core_.table().no_record(handle.index(), handle.generation());
    return core_.bytes(detail::slot_number(handle));
  }
  /// As find, for writing.
  [[nodiscard]] std::span<std::byte> edit(HandleType handle) {
    return contains(handle) ? core_.edit_bytes(detail::slot_number(handle))
                            : std::span<std::byte>{};
  }
  /// The metadata of a block; null when the handle is null, stale or foreign.
  [[nodiscard]] const Meta* meta(HandleType handle) const noexcept {
    return contains(handle) ? meta_at(detail::slot_number(handle)) : nullptr;
  }
  /// As meta, for writing: un-shares the page of the metadata.
  [[nodiscard]] Meta* edit_meta(HandleType handle) {
    if (!contains(handle)) return nullptr;
    return edit_meta_at(detail::slot_number(handle));
  }
  /// Whether `handle` names a block.
  [[nodiscard]] bool contains(HandleType handle) const noexcept {
    // The comparison of all bits refuses type ids, unused bits and indexes beyond 32 bits.
    return core_.table().slots().matches(detail::slot_number(handle), handle.generation()) &&
           detail::make_handle<Tag, L>(core_.table(), detail::slot_number(handle),
                                       handle.generation()) == handle;
  }
  /// Where a block begins in bytes(). Requires: contains(handle).
  [[nodiscard]] std::uint64_t offset(HandleType handle) const noexcept {
    HDB_REQUIRE(contains(handle), "BlobTable::offset: the handle is null, stale or foreign");
    return core_.offset(detail::slot_number(handle));
  }
  /// Gives a block another size; it keeps its place in the order and its first bytes, new ones are
  /// zero.
  /// Errors: not_found when the handle is null, stale or foreign; blob_too_large, blob_full as
  /// insert. Nothing changes then.
  /// Complexity: constant within the padding and for the last block, plus the bytes that come or
  /// go; else O(bytes and blocks behind it) under Compaction::at_release; under on_demand as
  /// compact() when the block grows beyond the hole behind it.
  Status resize(HandleType handle, std::uint64_t size) {
    if (!contains(handle)) return fail(ErrorCode::not_found, "the handle does not name a block");
    return core_.resize(detail::slot_number(handle), size);
  }
  /// Releases a block; false when the handle is null, stale or foreign.
  /// Complexity: O(its size) under Compaction::on_demand; under at_release O(bytes and blocks
  /// behind it), which move down.
  bool erase(HandleType handle) {
    if (!contains(handle)) return false;
    core_.erase_slot(detail::slot_number(handle));
    return true;
  }
  /// Brings an erased block back under its handle, as Table::revive; it becomes the last of the
  /// buffer, with the name, if one is given.
  /// Errors: not_found where Table::revive is false; those of insert and, with a name,
  /// insert_named. Nothing changes then.
  /// Complexity: as insert, and linear in the blocks that are gone and were erased later.
  Status revive(HandleType handle, Meta meta, std::span<const std::byte> bytes,
                std::string_view name = {}) {
    const detail::Slots& slots = core_.table().slots();
    if (detail::make_handle<Tag, L>(core_.table(), detail::slot_number(handle),
                                    handle.generation()) != handle ||
        !slots.can_revive(detail::slot_number(handle), handle.generation()))
      return fail(ErrorCode::not_found, "the handle does not name a block that can be restored");
    if (!name.empty() && names().find(name)) return name_is_used(name);
    return commit(
               core_.prepare_revive(detail::slot_number(handle), handle.generation(), bytes, name),
               std::move(meta))
        .map([](HandleType) {});
  }

  // --- all blocks

  /// Closes all holes; the order stays. No effect under Compaction::at_release, which leaves none.
  /// Complexity: O(blocks + bytes behind the first hole).
  void compact() { core_.compact(); }
  /// Erases all blocks; their handles are stale afterwards and stay so. Complexity: O(used bytes +
  /// slots).
  void clear() { core_.clear(); }
  /// Makes the table as if new: handles issued before are no longer told from new ones. Complexity:
  /// O(used bytes).
  void reset() { core_.reset(); }

  /// The used part of the buffer: all blocks in order, with zeros in the padding and in holes. Its
  /// address is a multiple of the alignment.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return {core_.buffer().data(), static_cast<std::size_t>(core_.buffer().end())};
  }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return core_.buffer().capacity(); }
  /// Bytes that the blocks take, padding included, holes not: capacity() less this is what can
  /// still be had.
  [[nodiscard]] std::uint64_t allocated_bytes() const noexcept { return core_.allocated_bytes(); }
  /// The number of blocks.
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(core_.table().counters().live_count);
  }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] const BlobOptions& options() const noexcept { return core_.options(); }

  /// Calls `visit(handle, const Meta&, std::span<const std::byte>)` for all blocks in buffer order.
  /// The callback may insert, erase and resize: each block that is live when its turn comes is
  /// visited once, new ones come last. A clear, reset or restore inside ends the visit of the
  /// blocks that were there.
  template <class Visit>
  void for_each(Visit&& visit) {
    detail::BlobCursor cursor(core_);
    for (std::uint32_t slot = cursor.take(); slot != detail::kNoBlock; slot = cursor.take()) {
      visit(handle_of(slot), *meta_at(slot), core_.bytes(slot));
    }
  }
  /// As above with mutable metadata and bytes, `visit(handle, Meta&, std::span<std::byte>)`;
  /// un-shares those of each block that it visits. The callback may insert, erase and resize as
  /// well; the references in hand are then no longer valid.
  template <class Visit>
  void edit_each(Visit&& visit) {
    detail::BlobCursor cursor(core_);
    for (std::uint32_t slot = cursor.take(); slot != detail::kNoBlock; slot = cursor.take()) {
      const std::span<std::byte> bytes = core_.edit_bytes(slot);
      visit(handle_of(slot), *edit_meta_at(slot), bytes);
    }
  }
  /// As for_each, from several threads if need be; nothing may change inside.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::uint32_t slot = core_.first(); slot != detail::kNoBlock; slot = core_.next(slot)) {
      visit(handle_of(slot), *meta_at(slot), core_.bytes(slot));
    }
  }

  /// Checks every invariant in O(slots + capacity); null when all hold, else the id and text of one
  /// that does not.
  [[nodiscard]] const char* check_invariants() const { return core_.check_invariants(); }

 private:
  friend struct detail::CoreOf;
  [[nodiscard]] const detail::NameIndex& names() const noexcept {
    HDB_REQUIRE(core_.table().names() != nullptr, "the blob table was created without names");
    return *core_.table().names();
  }
  [[nodiscard]] static tl::unexpected<Error> name_is_used(std::string_view name) {
    return fail(ErrorCode::duplicate_name,
                "another block already has the name '" + std::string(name) + "'");
  }
  // The offset of BlobBlock::place; offsetof is not defined for every Meta.
  static constexpr std::size_t kTail = (sizeof(Meta) + alignof(detail::BlockPlace) - 1) /
                                       alignof(detail::BlockPlace) * alignof(detail::BlockPlace);
  static_assert(sizeof(BlockType) >= kTail + sizeof(detail::BlockPlace) &&
                    sizeof(BlockType) < kTail + sizeof(detail::BlockPlace) + alignof(BlockType),
                "hdb: the place of a block follows its metadata");

  Result<HandleType> insert_block(Meta&& meta, std::uint64_t size,
                                  std::span<const std::byte> content, std::string_view name = {}) {
    return commit(core_.prepare_insert(size, content, name), std::move(meta));
  }
  Result<HandleType> commit(const Result<void*>& memory, Meta&& meta) {
    if (!memory) return fail(memory.error());
    {
      const detail::TableCore::Occupied move(core_.core(), detail::TableCore::Busy::record);
      ::new (*memory) BlockType{std::move(meta)};
    }
    const detail::Slots::Next issued = core_.commit_insert();
    return detail::make_handle<Tag, L>(core_.table(), issued.slot, issued.generation);
  }
  [[nodiscard]] const Meta* meta_at(std::uint32_t slot) const noexcept {
    return &reinterpret_cast<const BlockType*>(core_.table().record_at(slot))->meta;
  }
  [[nodiscard]] Meta* edit_meta_at(std::uint32_t slot) {
    return &reinterpret_cast<BlockType*>(core_.core().edit_at(slot))->meta;
  }
  [[nodiscard]] HandleType handle_of(std::uint32_t slot) const noexcept {
    return detail::make_handle<Tag, L>(core_.table(), slot, core_.table().slots().tag(slot));
  }

  detail::BlobCore core_;
};

}  // namespace hdb
