// What a table is told at its creation and what a file keeps of it: handle layout, storage, free list, generations.
#pragma once

#include <cstdint>

namespace hdb {

/// Bit widths of a handle: index lowest, then generation, then type id; bits above them are unused and zero.
struct HandleLayout {
  std::uint8_t index_bits = 32;
  std::uint8_t generation_bits = 31;
  std::uint8_t type_bits = 0;

  /// A slot's tag is a generation of 31 bits and one bit for *vacant*: see `slot_tag`.
  static constexpr unsigned kMaxGenerationBits = 31;
  /// Type ids are 16-bit numbers.
  static constexpr unsigned kMaxTypeBits = 16;

  [[nodiscard]] constexpr unsigned total_bits() const noexcept {
    return unsigned{index_bits} + generation_bits + type_bits;
  }
  /// Bytes of the smallest integer of 2, 4 or 8 bytes that holds the handle.
  [[nodiscard]] constexpr unsigned byte_size() const noexcept {
    if (total_bits() <= 16) return 2;
    return total_bits() <= 32 ? 4 : 8;
  }
  /// At least 1 index bit, 1 to 31 generation bits, 0 to 16 type id bits, at most 64 bits in all.
  [[nodiscard]] constexpr bool is_valid() const noexcept {
    return index_bits >= 1 && generation_bits >= 1 && generation_bits <= kMaxGenerationBits &&
           type_bits <= kMaxTypeBits && total_bits() <= 64;
  }
  /// The last generation that is issued: all bits set; with 31 bits one less, which a retired slot's tag takes.
  [[nodiscard]] constexpr std::uint32_t max_generation() const noexcept {
    return static_cast<std::uint32_t>((std::uint64_t{1} << generation_bits) - 1) -
           (generation_bits == kMaxGenerationBits ? 1u : 0u);
  }
  /// How many slots a table may have: as many as an index names, and at most 2^32 - 1.
  [[nodiscard]] constexpr std::uint64_t max_slots() const noexcept {
    return index_bits >= 32 ? 0xffffffffULL : std::uint64_t{1} << index_bits;
  }
  friend constexpr bool operator==(const HandleLayout&, const HandleLayout&) = default;
};

/// What a slot is, in memory and in files.
enum class SlotState : std::uint8_t { free = 0, live = 1, retired = 2 };

/// How records are stored.
enum class Storage : std::uint8_t {
  dense = 0,   ///< Packed, swap-and-pop; its order is state; fastest to iterate.
  stable = 1,  ///< A record stays at its slot; a lookup needs one hop less.
};

/// Which free slot is used next.
enum class FreeList : std::uint8_t {
  lifo = 0,  ///< The one freed last.
  fifo = 1,  ///< The one freed first.
};

/// Where generations come from.
enum class Generations : std::uint8_t {
  per_slot = 0,       ///< Each slot counts its own tenants.
  table_counter = 1,  ///< One counter for the table (Bilas).
};

/// What happens after the last generation.
enum class Overflow : std::uint8_t {
  retire = 0,  ///< The slot is never used again (per slot), or the table is full (counter).
  wrap = 1,    ///< Generation 1 follows the last one; a very old handle may come alive again.
};

/// Whether the records of a table have names, and when two of them are the same. Names are any bytes; the empty one is
/// no name.
enum class Names : std::uint8_t {
  none = 0,
  exact = 1,        ///< Equal bytes.
  ignore_case = 2,  ///< Equal but for the case of ASCII letters.
};

/// When the buffer of a blob table is packed.
enum class Compaction : std::uint8_t {
  at_release = 0,  ///< At once, by every erase and every shrinking.
  on_demand = 1,   ///< By compact(), or when a block would not fit otherwise.
};

/// The buffer of a blob table; state, compared and stored.
struct BlobPolicy {
  std::uint64_t capacity_bytes = 0;
  std::uint32_t alignment = 16;  ///< Of each block: a power of two, 1 to 4096.
  Compaction compaction = Compaction::at_release;

  friend constexpr bool operator==(const BlobPolicy&, const BlobPolicy&) = default;
};

/// How far a table belongs to the state of its database: for particles, caches, user interface.
enum class Scope : std::uint8_t {
  full = 0,      ///< Captured, saved and hashed.
  unhashed = 1,  ///< Captured and saved, but no part of the state hash.
  unsaved = 2,   ///< Captured and restored, but in no file and no state hash; a load passes it by.
  uncaptured = 3,  ///< Of no capture, file or hash: capture, restore, save and load pass it by.
};

/// The policies of a table; state, compared and stored.
struct TablePolicy {
  HandleLayout layout = {};
  Storage storage = Storage::dense;
  FreeList free_list = FreeList::lifo;
  Generations generations = Generations::per_slot;
  Overflow overflow = Overflow::retire;
  Names names = Names::none;

  friend constexpr bool operator==(const TablePolicy&, const TablePolicy&) = default;
};

}  // namespace hdb
