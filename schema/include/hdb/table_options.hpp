// The options of a table: handle layout, storage, free list, generations, names, scope. Games give
// them to Database::create_table; tools find the stored part in each file (TablePolicy).
#pragma once

#include <cstddef>
#include <cstdint>

#include "hdb/detail/base/api.hpp"

namespace hdb {

/// The bit widths of a handle as data; Layout is the same as a type. The index is in the lowest
/// bits, then the generation, then the type id. The remaining bits are zero.
struct HandleLayout {
  std::uint8_t index_bits = 32;
  std::uint8_t generation_bits = 31;
  std::uint8_t type_bits = 0;

  /// The most generation bits. In memory, a slot keeps its generation and one state bit in 32 bits.
  static constexpr unsigned kMaxGenerationBits = 31;
  /// The most type id bits. Type ids are 16-bit numbers.
  static constexpr unsigned kMaxTypeBits = 16;

  /// The number of bits in use.
  [[nodiscard]] constexpr unsigned total_bits() const noexcept {
    return unsigned{index_bits} + generation_bits + type_bits;
  }
  /// The size of a handle in bytes: 2, 4 or 8, the smallest that holds all bits.
  [[nodiscard]] constexpr unsigned byte_size() const noexcept {
    if (total_bits() <= 16) return 2;
    return total_bits() <= 32 ? 4 : 8;
  }
  /// Whether the widths are allowed: at least 1 index bit, 1 to 31 generation bits, 0 to 16 type id
  /// bits, at most 64 bits together.
  [[nodiscard]] constexpr bool is_valid() const noexcept {
    return index_bits >= 1 && generation_bits >= 1 && generation_bits <= kMaxGenerationBits &&
           type_bits <= kMaxTypeBits && total_bits() <= 64;
  }
  /// The last generation that a table issues: all bits set, or one less if there are 31 bits (the
  /// highest 31-bit number marks retired slots). Requires: is_valid().
  [[nodiscard]] constexpr std::uint32_t max_generation() const noexcept {
    return static_cast<std::uint32_t>((std::uint64_t{1} << generation_bits) - 1) -
           (generation_bits == kMaxGenerationBits ? 1u : 0u);
  }
  /// The most slots of a table: 2^index_bits, and never more than 2^32 - 1.
  [[nodiscard]] constexpr std::uint64_t max_slots() const noexcept {
    return index_bits >= 32 ? 0xffffffffULL : std::uint64_t{1} << index_bits;
  }
  friend constexpr bool operator==(const HandleLayout&, const HandleLayout&) = default;
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

/// The state of a slot, in memory and in files.
enum class SlotState : std::uint8_t {
  free = 0,      ///< In the free list: a record was there.
  live = 1,      ///< Holds a record.
  retired = 2,   ///< Never used again.
  unissued = 3,  ///< No record was ever there: inserts under chosen handles passed over it.
};

/// How a table stores its records.
enum class Storage : std::uint8_t {
  /// Packed, fastest to iterate. An erase moves the last record into the gap. The order is state.
  dense = 0,
  /// A record stays at its slot. A lookup needs one memory access less.
  stable = 1,
};

/// Which free slot the next insert uses. If no slot is free, it uses the lowest unissued slot; if
/// there is none, the table adds a slot.
enum class FreeList : std::uint8_t {
  lifo = 0,  ///< The slot freed last.
  fifo = 1,  ///< The slot freed first: spreads reuse, so that generations last longer.
  /// The lowest slot: live records stay together at the begin of the table. The order depends only
  /// on which slots are free, so files need no free list. Costs a few nanoseconds more.
  lowest = 2,
};

/// Where the generation of a new handle comes from.
enum class Generations : std::uint8_t {
  per_slot = 0,       ///< Each slot counts its own records.
  table_counter = 1,  ///< The table counts all its inserts. Source: Bilas.
};

/// What happens after the last generation (HandleLayout::max_generation).
enum class Overflow : std::uint8_t {
  /// Generations::per_slot: the slot retires. Generations::table_counter: the table is full.
  retire = 0,
  /// Generation 1 follows the last one. A very old handle can then resolve to a new record.
  wrap = 1,
};

/// Whether records of a table can have names, and which names are the same. A name is any bytes; an
/// empty name means no name.
enum class RecordNames : std::uint8_t {
  none = 0,         ///< Records have no names.
  exact = 1,        ///< Names are the same if their bytes are equal.
  ignore_case = 2,  ///< As exact, but A to Z equal a to z.
};

/// What an erase does to the order of a dense component table.
enum class Removal : std::uint8_t {
  /// The last component moves into the gap.
  swap = 0,
  /// No other component moves: the position becomes a hole, which the next insert uses. The hole
  /// made last is used first. Pointers to the other components stay valid.
  in_place = 1,
};

/// When a blob table closes the holes in its buffer.
enum class Compaction : std::uint8_t {
  at_release = 0,  ///< In every erase, and in every resize to a smaller size.
  on_demand = 1,   ///< In compact(), and when a block would not fit otherwise.
};

/// The stored options of a blob table's buffer. Part of the state: compared and saved.
struct BlobPolicy {
  std::uint64_t capacity_bytes = 0;  ///< The size of the buffer.
  std::uint32_t alignment = 16;  ///< Alignment of each block in bytes: a power of two, 1 to 4096.
  Compaction compaction = Compaction::at_release;

  friend constexpr bool operator==(const BlobPolicy&, const BlobPolicy&) = default;
};

/// Which parts of hdb include a table: captures, files, the state hash. Particles, caches and user
/// interface need less than the full scope.
enum class Scope : std::uint8_t {
  full = 0,        ///< Captured, saved and hashed.
  unhashed = 1,    ///< Captured and saved, not hashed.
  unsaved = 2,     ///< Captured, neither saved nor hashed. A load leaves the table unchanged.
  uncaptured = 3,  ///< Not captured, saved or hashed. Restore and load leave the table unchanged.
};

/// How many slots a table has, in which states, and what it has issued. Files store it.
struct SlotCounters {
  std::uint64_t slot_count = 0;  ///< live + retired + free + unissued.
  std::uint64_t live_count = 0;
  std::uint64_t retired_count = 0;
  std::uint64_t free_count = 0;
  /// Generations of a table counter: the last one issued. Generations per slot: a lower bound;
  /// every generation that the table issues, for free and for new slots, is above it.
  std::uint32_t counter = 0;
  /// The highest generation ever issued; after a fork, by any timeline.
  std::uint32_t highest_generation = 0;

  [[nodiscard]] std::uint64_t unissued_count() const noexcept {
    return slot_count - live_count - retired_count - free_count;
  }

  friend bool operator==(const SlotCounters&, const SlotCounters&) = default;
};

/// The stored options of a table. Part of the state: compared and saved.
struct TablePolicy {
  HandleLayout layout = {};
  Storage storage = Storage::dense;
  FreeList free_list = FreeList::lifo;
  Generations generations = Generations::per_slot;
  Overflow overflow = Overflow::retire;
  RecordNames names = RecordNames::none;
  /// A component table: it issues no handles, and its slots are those of its owner.
  bool is_component = false;
  Removal removal = Removal::swap;  ///< Component tables.

  friend constexpr bool operator==(const TablePolicy&, const TablePolicy&) = default;
};

/// As `max_records`: no limit besides that of the handle layout.
inline constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

/// The options of a new table. Files store all of them but `max_records` and parts of `scope`. A
/// load of a file whose table has other options keeps all handles valid, or refuses the file
/// (lib/docs/guide/10-changed-tables.md); LoadReport says what changed.
///
/// Example:
/// @code
/// hdb::Database db;
/// // Few handles in 16 bits each, oldest free slot first, at most 100 records, found by name.
/// auto& monsters = db.create_table<Monster, hdb::Layout<10, 6>>(
///     "monsters",
///     {.free_list = hdb::FreeList::fifo, .names = hdb::RecordNames::exact, .max_records = 100});
/// static_assert(sizeof(monsters.next_handle()) == 2);
/// const auto imp = monsters.insert_named("imp", Monster{});
/// assert(monsters.find_named("imp") == imp);
/// // For effects that no save needs:
/// db.create_table<Weapon>("sparks", {.scope = hdb::Scope::uncaptured});
/// @endcode
struct TableOptions {
  Storage storage = Storage::dense;
  FreeList free_list = FreeList::lifo;
  Generations generations = Generations::per_slot;
  Overflow overflow = Overflow::retire;
  /// The type id in the handles, for layouts with type id bits: at least 1 and within these bits
  /// (1 to 32767 for TypedLayout). 0 in a Database: the next unused id. Other layouts: 0.
  std::uint16_t type_id = 0;
  RecordNames names = RecordNames::none;  ///< Whether records can be found by a name.
  Scope scope = Scope::full;  ///< Whether the database captures, saves and hashes the table.
  /// The most records, besides the limit of the handle layout. In a full table, insert and emplace
  /// return null and revive returns false. A load refuses a file with more records (table_full).
  std::uint64_t max_records = kNoLimit;
};

/// The options of a new blob table. Files store the same ones as for TableOptions.
struct BlobOptions {
  /// The size of the buffer: a multiple of the alignment, at most 2^40.
  std::uint64_t capacity_bytes = 0;
  /// The alignment of the buffer and of each block in bytes: a power of two, 1 to 4096.
  std::uint32_t alignment = 16;
  Compaction compaction = Compaction::at_release;
  FreeList free_list = FreeList::lifo;
  Generations generations = Generations::per_slot;
  Overflow overflow = Overflow::retire;
  std::uint16_t type_id = 0;              ///< As in TableOptions.
  RecordNames names = RecordNames::none;  ///< Whether blocks can be found by a name.
  Scope scope = Scope::full;              ///< As in TableOptions.
  /// The most blocks. In a full table, insert and revive return table_full.
  std::uint64_t max_records = kNoLimit;

  /// The stored part.
  [[nodiscard]] BlobPolicy policy() const noexcept {
    return {capacity_bytes, alignment, compaction};
  }
  /// Null if capacity and alignment are allowed; else a text that says what is wrong.
  [[nodiscard]] HDB_API const char* problem() const noexcept;
};

/// The options of a new component table (hdb/component_table.hpp). Files store `storage` and
/// `removal`; a load refuses a file whose table has others.
struct ComponentOptions {
  Storage storage = Storage::dense;
  Removal removal = Removal::swap;  ///< Dense storage only.
  Scope scope = Scope::full;        ///< Not wider than the owner's.
  /// The most components. A full table takes no more; a load refuses a file with more (table_full).
  std::uint64_t max_records = kNoLimit;
};

/// How find, edit and operator[] check a handle; a template argument of Table.
///
/// - checked: a null, stale or foreign handle returns null. Costs one memory access and one
///   comparison.
/// - asserted: as unchecked; but with assertions (HDB_ENABLE_ASSERTS), a null, stale or foreign
///   handle ends the program with a message.
/// - unchecked: the caller guarantees that the handle is live; any other handle is undefined
///   behaviour. The table only computes the address of the record; a dense table reads the position
///   of the record first.
///
/// All other members of Table always check their handles.
///
/// Source: Bilas (how much to validate is a template choice); "Engine Resources Management"
/// (asserted magic numbers).
enum class HandleCheck : std::uint8_t { checked, asserted, unchecked };

}  // namespace hdb
