// The description of a table in a file: layout, policies, counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hdb/detail/base/bytes.hpp"
#include "hdb/field.hpp"
#include "hdb/policy.hpp"

namespace hdb {

/// What the file says of one table (FORMAT.md, "Table descriptor").
struct TableDescriptor {
  std::string name;           ///< 1 to 255 bytes of UTF-8, unique in the file.
  std::uint16_t type_id = 0;  ///< 0: none.
  std::uint32_t schema = 0;   ///< Index into the file's schemas.
  TablePolicy policy;         ///< Storage, layout, free list, generations.
  bool singleton = false;     ///< A one-record table.
  Scope scope = Scope::full;  ///< In a file: full or unhashed.
  std::uint8_t group_shift =
      14;  ///< A row group is 2^group_shift slots; computed from the schema alone.
  std::uint64_t slot_count = 0;
  std::uint64_t live_count = 0;
  std::uint64_t retired_count = 0;
  std::uint64_t free_count = 0;  ///< slot_count = live + retired + free.
  std::uint32_t counter =
      0;  ///< Table counter: last generation issued. Per slot: base of new slots.
  std::uint32_t highest_generation = 0;  ///< The highest generation ever issued.
  std::optional<BlobPolicy> blobs;       ///< A blob table's buffer.
  std::uint32_t flush_cursor = 0;        ///< The slot at which the next flush goes on.
  std::vector<std::uint64_t>
      sort_work;  ///< Where an unfinished sort stands; empty: nothing is known.

  friend bool operator==(const TableDescriptor&, const TableDescriptor&) = default;

  /// Whether the state hash has the table in it.
  [[nodiscard]] bool is_hashed() const noexcept { return scope == Scope::full; }
  /// Number of row groups.
  [[nodiscard]] std::uint64_t group_count() const noexcept {
    return (slot_count + (std::uint64_t{1} << group_shift) - 1) >> group_shift;
  }
  /// First slot of group `group`.
  [[nodiscard]] std::uint64_t group_begin(std::uint64_t group) const noexcept {
    return group << group_shift;
  }
  /// One past the last slot of group `group`.
  [[nodiscard]] std::uint64_t group_end(std::uint64_t group) const noexcept {
    const std::uint64_t end = (group + 1) << group_shift;
    return end < slot_count ? end : slot_count;
  }
};

/// The group shift of a schema: the largest power of two of slots whose fixed-width data is at most 1 MiB, between
/// 2^kMinGroupShift and 2^kMaxGroupShift.
[[nodiscard]] std::uint8_t group_shift_for(const Field& root) noexcept;

/// The fields that rows of such a table hold before those of the record: "@name", "@offset", "@bytes".
[[nodiscard]] std::vector<Field> row_prefix(const TableDescriptor& table);
/// What contradicts the rule that a table's schema begins with its row_prefix, and no other name with '@'; empty: none.
[[nodiscard]] std::string find_prefix_fault(const TableDescriptor& table, const Field& root);

/// Appends the canonical bytes of a descriptor.
void write_table_descriptor(const TableDescriptor& table, ByteWriter& out);
/// The part of them that the state hash takes as it is: names, blobs, flush cursor, sort work.
void write_table_extras(const TableDescriptor& table, ByteWriter& out);
/// Reads and checks one descriptor; the reader's failure is set when a rule is broken.
[[nodiscard]] TableDescriptor read_table_descriptor(ByteReader& in);

}  // namespace hdb
