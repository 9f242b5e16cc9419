// PackedMirror: makes a dense table equal to a packed array of another library's registry, writing
// only the pages that differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/core/tables/table_core.hpp"
#include "hdb/detail/entt/packed_ids.hpp"
#include "hdb/error.hpp"

namespace hdb::detail {

/// Keeps one table equal to one packed array: that of the entities, or that of a pool of
/// components. Nobody else may change the table.
///
/// The state of the table is a function of the array alone: dense order = packed order, free list =
/// the free entities in the order of use, holes = the tombstones in the order of use.
///
/// After an error or an exception the content of the table is undefined; then forget() must come
/// before the next take.
class HDB_ENTT_API PackedMirror {
 public:
  explicit PackedMirror(TableCore& core) : core_(core), parts_(core.parts()) {}

  [[nodiscard]] TableCore& core() const noexcept { return core_; }

  /// Takes the entities: first those that are live, then the free ones in the order of use. The
  /// table gets at least `least_slots` slots: files hold no more components and holes than slots.
  /// Requires: FreeList::lifo, Generations::per_slot, Overflow::wrap, no components of other slots.
  /// Errors: limit_exceeded for an index or version that handles cannot have; invalid_value if an
  /// index occurs twice.
  /// Complexity: a comparison of memory if nothing changed; else linear in the entities.
  [[nodiscard]] Status take_entities(const PackedIds& ids, std::size_t live_count,
                                     std::uint64_t least_slots);
  /// The slots that the last take_entities wrote.
  [[nodiscard]] std::span<const std::uint32_t> written_slots() const noexcept { return written_; }

  /// Takes the order of a pool; `first_hole` is all index bits if there is no hole. The records
  /// follow with take_records.
  /// Errors: invalid_value if a component belongs to no live entity, if an entity has two, or if
  /// the chain of holes does not lead through all of them.
  /// Complexity: as take_entities, of the pool.
  [[nodiscard]] Status take_order(const PackedIds& ids, std::uint64_t first_hole);
  /// Errors: invalid_value if one of these slots has a component but is not live in the owner.
  [[nodiscard]] Status check_owned(std::span<const std::uint32_t> slots) const;
  /// Whether records at [first, first + count) are missing. Never, if they are trivial.
  [[nodiscard]] bool lacks_records(std::size_t first, std::size_t count) const noexcept;
  /// Copies the records at positions [first, first + count), which are in one page, from an array.
  /// Trivial records are written only if a byte differs.
  /// Errors: what a copy constructor throws.
  void take_records(std::size_t first, std::size_t count, const void* from);
  /// The positions of one page of the table.
  [[nodiscard]] std::size_t per_page() const noexcept;

  /// Says that the table was emptied: the next take is a whole one.
  void forget() noexcept;
  /// Says that the table has the content of `array`, which becomes that of the last take.
  void follow(PackedArray&& array) noexcept;

  /// The array that a captured table of entities, or of components, was taken from.
  /// Errors: limit_exceeded if the table has slots or generations that identifiers cannot have.
  [[nodiscard]] static Result<PackedArray> entities_of(const FrozenTable& table,
                                                       const IdFormat& format);
  [[nodiscard]] static Result<PackedArray> order_of(const FrozenTable& table,
                                                    const IdFormat& format);

 private:
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  // The runs of positions in which `ids` differ from the last ones; in other positions they do not.
  [[nodiscard]] std::vector<Range> changed_ranges(const PackedIds& ids) const;
  void remember(const PackedIds& ids);
  [[nodiscard]] Status set_slot_count(std::uint64_t count);
  [[nodiscard]] PackedIds last() const noexcept { return last_.ids(); }
  void set_entry(std::uint32_t slot, std::uint32_t tag, std::uint32_t position);
  void set_slot_of(std::size_t position, std::uint32_t slot);
  void set_listed(std::size_t index, std::uint32_t value);
  void drop_record(std::size_t position);
  [[nodiscard]] Status take_holes(const PackedIds& ids, std::uint64_t first_hole,
                                  std::size_t count);

  TableCore& core_;
  TableCore::Parts parts_;
  PackedArray last_;
  std::vector<std::uint32_t> written_;
};

}  // namespace hdb::detail
