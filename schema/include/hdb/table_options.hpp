// How a table is made, and which of it is state that a file keeps: layout, storage, policies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace hdb {

/// Bit widths of a handle: index lowest, then generation, then type id; bits above them are unused
/// and zero.
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
  /// The last generation that is issued: all bits set; with 31 bits one less, which a retired
  /// slot's tag takes.
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

/// The parts of a handle's bits.
struct HandleParts {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  std::uint32_t type_id = 0;  ///< 0 in layouts without one.
  friend constexpr bool operator==(const HandleParts&, const HandleParts&) = default;
};

/// The bits of a handle. Requires: the parts fit the layout; `type_id` is ignored in layouts
/// without one.
[[nodiscard]] constexpr std::uint64_t pack_handle(const HandleLayout& layout, std::uint32_t index,
                                                  std::uint32_t generation,
                                                  std::uint32_t type_id) noexcept {
  const std::uint64_t bits = index | std::uint64_t{generation} << layout.index_bits;
  if (layout.type_bits == 0) return bits;  // the shift may be 64
  return bits | std::uint64_t{type_id} << (layout.index_bits + layout.generation_bits);
}

/// The parts of a handle; none where no table could have issued it for its index or its unused
/// bits: an index of 2^32 or more, or a bit above the layout's.
[[nodiscard]] constexpr std::optional<HandleParts> split_handle(const HandleLayout& layout,
                                                                std::uint64_t bits) noexcept {
  const unsigned used = layout.total_bits();
  if (used < 64 && bits >> used != 0) return std::nullopt;
  const auto part = [bits](unsigned shift, unsigned width) {
    return bits >> shift & ((std::uint64_t{1} << width) - 1);
  };
  const std::uint64_t index = part(0, layout.index_bits);
  if (index >> 32 != 0) return std::nullopt;
  HandleParts parts;
  parts.index = static_cast<std::uint32_t>(index);
  parts.generation = static_cast<std::uint32_t>(part(layout.index_bits, layout.generation_bits));
  if (layout.type_bits != 0) {
    parts.type_id = static_cast<std::uint32_t>(
        part(layout.index_bits + layout.generation_bits, layout.type_bits));
  }
  return parts;
}

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

/// Whether the records of a table have names, and when two of them are the same. Names are any
/// bytes; the empty one is no name.
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

/// How many slots a table has, in which states, and what it has issued. Files store it.
struct SlotCounters {
  std::uint64_t slot_count = 0;  ///< live + retired + free.
  std::uint64_t live_count = 0;
  std::uint64_t retired_count = 0;
  std::uint64_t free_count = 0;
  /// Generations of a table counter: the last one issued. Generations per slot: the next handle of
  /// any slot gets a higher generation than this.
  std::uint32_t counter = 0;
  /// The highest generation ever issued; after a fork, by any timeline.
  std::uint32_t highest_generation = 0;

  friend bool operator==(const SlotCounters&, const SlotCounters&) = default;
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

/// Bytes of a page unless a table asks for less.
inline constexpr std::size_t kDefaultPageBytes = 65536;

/// No limit to the number of records.
inline constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

/// How a table is made. All but `page_bytes`, `scope` and `max_records` are state: compared at
/// restore, stored in files.
struct TableOptions {
  Storage storage = Storage::dense;
  FreeList free_list = FreeList::lifo;
  Generations generations = Generations::per_slot;
  Overflow overflow = Overflow::retire;
  std::uint16_t type_id = 0;  ///< For handles that carry one: 1 to 32767. Elsewhere 0.
  /// Copy-on-write granularity, 64 to 65536; smaller for records with containers.
  std::size_t page_bytes = kDefaultPageBytes;
  Names names = Names::none;  ///< Whether records can be found by a name.
  Scope scope = Scope::full;  ///< How far a database captures, saves and hashes the table.
  /// Records at most, besides the limit of the handle layout: insert and emplace return null then,
  /// revive false. Not stored in files; load refuses a file with more records than the program's
  /// table may hold (table_full).
  std::uint64_t max_records = kNoLimit;
};

/// How a blob table is made. All but `page_bytes`, `scope` and `max_records` are state.
struct BlobOptions {
  std::uint64_t capacity_bytes = 0;  ///< Of the buffer: a multiple of the alignment, at most 2^40.
  std::uint32_t alignment = 16;  ///< Of the buffer and of each block: a power of two, 1 to 4096.
  Compaction compaction = Compaction::at_release;
  FreeList free_list = FreeList::lifo;
  Generations generations = Generations::per_slot;
  Overflow overflow = Overflow::retire;
  std::uint16_t type_id = 0;                   ///< As in TableOptions.
  std::size_t page_bytes = kDefaultPageBytes;  ///< As in TableOptions, for slots and metadata.
  Names names = Names::none;                   ///< Whether blocks can be found by a name.
  Scope scope = Scope::full;                   ///< As in TableOptions.
  /// Blocks at most, as in TableOptions: insert and revive then fail with table_full.
  std::uint64_t max_records = kNoLimit;

  [[nodiscard]] BlobPolicy policy() const noexcept {
    return {capacity_bytes, alignment, compaction};
  }
  /// Null when capacity and alignment can be had, else what is wrong with them.
  [[nodiscard]] const char* problem() const noexcept;
};

/// How much find, edit and at look at a handle; a choice of the table's type.
///
///   checked    a stale, null or foreign handle gives null: one comparison and a load of its slot's
///              generation
///   asserted   as unchecked, but asserted where assertions are on (HDB_ENABLE_ASSERTS): debug
///              builds, or when forced on
///   unchecked  the caller knows that the handle is live: the record's address and nothing else (a
///              dense table still loads the position); any other handle is undefined behaviour
///
/// `contains`, `erase` and everything else check always.
///
/// Source: Bilas (how much to validate is a template choice); "Engine Resources Management"
/// (asserted magic numbers).
enum class Access : std::uint8_t { checked, asserted, unchecked };

}  // namespace hdb
