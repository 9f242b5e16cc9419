// BlobTable<Meta>: blocks of bytes of different sizes in one buffer, each with a handle and a
// metadata record. For data that another system reads as one range of memory, such as vertices.
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
#include "hdb/detail/base/to_size.hpp"
#include "hdb/detail/core/blobs/blob_core.hpp"
#include "hdb/detail/core/tables/core_of.hpp"
#include "hdb/detail/core/tables/table_iteration.hpp"
#include "hdb/fwd.hpp"
#include "hdb/handle.hpp"

namespace hdb {

/// Blocks of bytes of different sizes in one buffer of fixed capacity. Each block has a handle, a
/// metadata record of type `Meta`, and optionally a name.
///
/// Blocks are in the buffer in the order of insertion. Erasing and resizing move other blocks: keep
/// handles, not addresses. One thread changes a blob table; several may read it at the same time
/// while no thread changes it.
///
/// Invalidates, for all members: const spans and const pointers to metadata are valid until the
/// next non-const call on the table or its database; mutable ones until the next insert, erase,
/// resize, compact, clear, capture or restore. The address of the buffer changes only when the
/// table is loaded from a file.
///
/// Requires, for all members: moves and the destructor of `Meta` do not call the table, as for
/// Table.
///
/// Complexity, for all members that write bytes: the first write to a 64 KiB chunk of the buffer
/// after a capture also copies that chunk, if the snapshot still exists.
///
/// Example:
/// @code
/// hdb::Database db;
/// auto& meshes = db.create_blob_table<Monster>("meshes", {.capacity_bytes = 1 << 20});
/// const std::vector<std::byte> vertices(1000);
/// const auto cube = meshes.insert({.name = "cube"}, vertices);
/// if (!cube) return;  // blob_full: cube.error().message() says how many bytes are free
/// assert(meshes.find(*cube).size() == 1000 && meshes.meta(*cube)->name == "cube");
/// assert(meshes.offset(*cube) == 0 && meshes.allocated_bytes() == 1008);  // aligned to 16
/// assert(meshes.resize(*cube, 48));
/// assert(meshes.bytes().size() == 48);
/// @endcode
template <class Meta, class L, class Tag>
class BlobTable {
 public:
  using HandleType = Handle<Tag, L>;
  using MetaType = Meta;
  using BlockType = detail::BlobBlock<Meta>;

  /// Allocates the whole buffer. Requires: options.problem() == nullptr; every build ends the
  /// program with a message if not.
  explicit BlobTable(const BlobOptions& options,
                     const std::shared_ptr<detail::UndoLog>& log = detail::make_undo_log())
      : core_(log, L::value, options, detail::record_ops<BlockType>(), kTail) {
    HDB_REQUIRE(L::type_bits == 0 || (options.type_id >= 1 && options.type_id >> L::type_bits == 0),
                "handles with a type id need a type id of 1 or more that fits their layout");
  }

  // --- single blocks

  /// Appends a block of `size` zero bytes and returns its handle.
  /// Errors: blob_too_large if the block is larger than the whole buffer; blob_full if not enough
  /// bytes are free, holes included; table_full if no handle is left. Nothing changes then.
  /// Complexity: O(size). Under Compaction::on_demand, also that of compact() if the block does not
  /// fit after the last block.
  [[nodiscard]] Result<HandleType> insert(Meta meta, std::uint64_t size) {
    return insert_block(std::move(meta), size, {});
  }
  /// Appends a block with a copy of `bytes`, which may be bytes of this table. Errors and
  /// complexity: as above.
  [[nodiscard]] Result<HandleType> insert(Meta meta, std::span<const std::byte> bytes) {
    return insert_block(std::move(meta), bytes.size(), bytes);
  }
  /// As insert, with a name. An empty name means no name.
  /// Requires: the table was created with names (BlobOptions::names), as for all members that take
  /// or return names. Every build ends the program with a message if not.
  /// Errors: duplicate_name if another block has the name; as insert.
  [[nodiscard]] Result<HandleType> insert_named(std::string_view name, Meta meta,
                                                std::span<const std::byte> bytes) {
    if (core_.table().slot_named(name)) return name_is_used(name);
    return insert_block(std::move(meta), bytes.size(), bytes, name);
  }
  /// The handle of the block with this name; null if there is none. Complexity: linear in the name.
  [[nodiscard]] HandleType find_named(std::string_view name) const noexcept {
    const auto slot = core_.table().slot_named(name);
    return slot ? handle_of(*slot) : HandleType{};
  }
  /// The name of a block; empty if it has no name or the handle is null, stale or foreign.
  [[nodiscard]] std::string_view name(HandleType handle) const noexcept {
    return contains(handle) ? core_.table().name_of(detail::slot_number(handle))
                            : std::string_view();
  }
  /// Gives the block another name, or no name if `name` is empty. Returns false and changes nothing
  /// if the handle is null, stale or foreign or another block has the name.
  bool rename(HandleType handle, std::string_view name) {
    const auto other = core_.table().slot_named(name);
    if (!contains(handle) || (other && *other != detail::slot_number(handle))) return false;
    core_.core().rename_slot(detail::slot_number(handle), name);
    return true;
  }
  /// The bytes of a block. data() is null if the handle is null, stale or foreign, and not null
  /// otherwise, even for a block of 0 bytes. Complexity: constant.
  [[nodiscard]] std::span<const std::byte> find(HandleType handle) const noexcept {
    return contains(handle) ? core_.bytes(detail::slot_number(handle))
                            : std::span<const std::byte>{};
  }
  /// The bytes of a block. Errors: as Table::at, if the handle is null, stale or foreign.
  [[nodiscard]] std::span<const std::byte> at(HandleType handle) const {
    if (!contains(handle)) core_.table().no_record(handle.index(), handle.generation());
    return core_.bytes(detail::slot_number(handle));
  }
  /// As find, for writing. Complexity: constant, plus the copies of chunks named above.
  [[nodiscard]] std::span<std::byte> edit(HandleType handle) {
    return contains(handle) ? core_.edit_bytes(detail::slot_number(handle))
                            : std::span<std::byte>{};
  }
  /// The metadata of a block; null if the handle is null, stale or foreign. Complexity: constant.
  [[nodiscard]] const Meta* meta(HandleType handle) const noexcept {
    return contains(handle) ? meta_at(detail::slot_number(handle)) : nullptr;
  }
  /// As meta, for writing. If a snapshot needs the metadata as it is, it is logged first.
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
  /// The offset of a block in bytes(), in bytes: a multiple of the alignment.
  /// Requires: contains(handle); every build ends the program with a message if not.
  [[nodiscard]] std::uint64_t offset(HandleType handle) const noexcept {
    HDB_REQUIRE(contains(handle), "BlobTable::offset: the handle is null, stale or foreign");
    return core_.offset(detail::slot_number(handle));
  }
  /// Changes the size of a block to `size` bytes. The block keeps its place in the order and its
  /// first bytes; added bytes are zero.
  /// Errors: not_found if the handle is null, stale or foreign; blob_too_large and blob_full as
  /// insert. Nothing changes then.
  /// Complexity: linear in the bytes added or removed if no other block must move. Else, under
  /// Compaction::at_release, linear in the blocks after this one and their bytes; under on_demand,
  /// that of compact().
  [[nodiscard]] Status resize(HandleType handle, std::uint64_t size) {
    if (!contains(handle)) return fail(ErrorCode::not_found, "the handle does not name a block");
    return core_.resize(detail::slot_number(handle), size);
  }
  /// Erases a block; false if the handle is null, stale or foreign.
  /// Complexity: under Compaction::on_demand, linear in its size; under at_release, linear in the
  /// blocks after it and their bytes, which move down.
  bool erase(HandleType handle) {
    if (!contains(handle)) return false;
    core_.erase_slot(detail::slot_number(handle));
    return true;
  }
  /// Undoes an erase, as Table::revive: inserts a block under the handle of an erased one. The
  /// block comes last in the buffer. An empty name means no name.
  /// Errors: not_found if the slot has held another block since, or the handle is null, foreign or
  /// live; as insert and, with a name, as insert_named. Nothing changes then.
  /// Complexity: as insert.
  [[nodiscard]] Status revive(HandleType handle, Meta meta, std::span<const std::byte> bytes,
                              std::string_view name = {}) {
    const detail::Slots& slots = core_.table().slots();
    if (detail::make_handle<Tag, L>(core_.table(), detail::slot_number(handle),
                                    handle.generation()) != handle ||
        !slots.can_revive(detail::slot_number(handle), handle.generation()))
      return fail(ErrorCode::not_found, "the handle does not name a block that can be restored");
    if (!name.empty() && core_.table().slot_named(name)) return name_is_used(name);
    return commit(
               core_.prepare_revive(detail::slot_number(handle), handle.generation(), bytes, name),
               std::move(meta))
        .map([](HandleType) {});
  }

  // --- all blocks

  /// Closes all holes; blocks keep their order. Under Compaction::at_release there are no holes.
  /// Complexity: linear in the blocks and in the bytes after the first hole.
  void compact() { core_.compact(); }
  /// Erases all blocks; their handles become stale for good. Complexity: linear in the used bytes
  /// and in the slots.
  void clear() { core_.clear(); }
  /// Makes the table as if new. Handles issued earlier can name new blocks. Complexity: linear in
  /// the used bytes.
  void reset() { core_.reset(); }

  /// The used part of the buffer: all blocks in order, with zeros in padding and holes. Its address
  /// is a multiple of the alignment.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return {core_.buffer().data(), detail::to_size(core_.buffer().end())};
  }
  /// The size of the buffer in bytes.
  [[nodiscard]] std::uint64_t capacity() const noexcept { return core_.buffer().capacity(); }
  /// The bytes that all blocks take, with padding and without holes. A block takes its size rounded
  /// up to the alignment, at least one alignment. capacity() - allocated_bytes() bytes are free.
  [[nodiscard]] std::uint64_t allocated_bytes() const noexcept { return core_.allocated_bytes(); }
  /// The number of blocks.
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(core_.table().counters().live_count);
  }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// The options of the table; with the type id that the database chose.
  [[nodiscard]] const BlobOptions& options() const noexcept { return core_.options(); }

  /// Calls `visit(handle, const Meta&, std::span<const std::byte>)` for all blocks in buffer order.
  /// `visit` may insert, erase and resize: a block that is erased before its turn is not visited, a
  /// new block is visited last. After a clear, reset or restore, only blocks inserted since are
  /// visited.
  template <class Visit>
  void for_each(Visit&& visit) {
    detail::BlobCursor cursor(core_);
    for (std::uint32_t slot = cursor.take(); slot != detail::kNoBlock; slot = cursor.take()) {
      visit(handle_of(slot), *meta_at(slot), core_.bytes(slot));
    }
  }
  /// As for_each, with mutable metadata and bytes: `visit(handle, Meta&, std::span<std::byte>)`.
  /// Logs what snapshots need of each visited block. After an insert,
  /// erase or resize in `visit`, its references are not valid any more.
  template <class Visit>
  void edit_each(Visit&& visit) {
    detail::BlobCursor cursor(core_);
    for (std::uint32_t slot = cursor.take(); slot != detail::kNoBlock; slot = cursor.take()) {
      const std::span<std::byte> bytes = core_.edit_bytes(slot);
      visit(handle_of(slot), *edit_meta_at(slot), bytes);
    }
  }
  /// As for_each, for a const table; several threads may call it. `visit` must not change the
  /// table.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::uint32_t slot = core_.first(); slot != detail::kNoBlock; slot = core_.next(slot)) {
      visit(handle_of(slot), *meta_at(slot), core_.bytes(slot));
    }
  }

  /// Checks all invariants in O(slots + capacity). Null if all hold; else the id and text of a
  /// broken one.
  [[nodiscard]] const char* check_invariants() const { return core_.check_invariants(); }

 private:
  friend struct detail::CoreOf;
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

  [[nodiscard]] Result<HandleType> insert_block(Meta&& meta, std::uint64_t size,
                                                std::span<const std::byte> content,
                                                std::string_view name = {}) {
    return commit(core_.prepare_insert(size, content, name), std::move(meta));
  }
  [[nodiscard]] Result<HandleType> commit(const Result<void*>& memory, Meta&& meta) {
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
