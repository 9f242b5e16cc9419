// What a Snapshot shares: the frozen tables, their codecs, and the descriptions that a file would
// carry.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/using_detail.hpp"
#include "core/blobs/frozen_blobs.hpp"
#include "core/tables/frozen_table.hpp"
#include "database/kept/kept_file.hpp"
#include "database/kept/kept_rows.hpp"
#include "database/tables/captured_tables.hpp"
#include "database/tables/issued_handles.hpp"
#include "hdb/changes.hpp"
#include "hdb/database.hpp"
#include "hdb/detail/core/blobs/blob_core.hpp"
#include "hdb/detail/core/tables/table_core.hpp"
#include "hdb/snapshot.hpp"
#include "record/codec.hpp"

namespace hdb {

/// The schema of one table, with row_prefix and kept fields, and what follows from it.
struct detail::BoundSchema {
  Field root;
  Hash128 fingerprint;
  std::size_t column_count = 0;
  std::uint8_t group_shift = 0;
  std::vector<std::pair<HandleKey, std::string>> tables;  ///< That its handle fields name.
  std::shared_ptr<const KeptRows> kept;
  std::shared_ptr<const Field> own;  ///< The schema without kept fields; null if it has none.
};

/// The schemas of all tables that are captured, with handle fields bound to tables; made anew when
/// a table is added.
struct Database::Schemas {
  /// Distinct schemas, in the order of the tables that use them first: those of saved tables before
  /// all others.
  std::vector<Field> fields;
  std::size_t saved_fields = 0;            ///< How many of them saved tables use.
  std::vector<std::size_t> column_counts;  ///< Of each.
  std::vector<TableDescriptor>
      descriptors;  ///< Of each table in rising order of names; counts unset.
};

/// The descriptor of a table of the program; counts and schema unset.
[[nodiscard]] TableDescriptor descriptor_of(const TableEntry& entry);

struct SnapshotTable {
  FrozenTable frozen;
  std::shared_ptr<TableEntry> entry;  ///< The table that was captured; it may be dropped since.
  const TableDescriptor* descriptor = nullptr;
  std::uint16_t type_id = 0;  ///< In the handles of its records; of a component table, the owner's.
  const Field* schema = nullptr;  ///< With row_prefix and kept fields.
  std::shared_ptr<const RecordCodec> codec;
  std::shared_ptr<const KeptRows> kept;       ///< Null: all fields are the program's.
  std::shared_ptr<const ErasedSlots> erased;  ///< See TableEntry.
  std::shared_ptr<const Field> own_schema;    ///< Without kept fields; null if there are none.

  /// The schema without kept fields.
  [[nodiscard]] const Field& program_schema() const noexcept {
    return own_schema != nullptr ? *own_schema : *schema;
  }
};

struct SnapshotData {
  std::uint64_t moment = 0;  ///< Greater than that of every earlier capture of this process.
  std::shared_ptr<PagePool> pool;
  std::shared_ptr<const Moment> captured;
  std::shared_ptr<const CapturedTables> states;  ///< Null in a snapshot of no database.
  std::uint16_t highest_type_id = 0;
  DroppedTables dropped;
  std::shared_ptr<const KeptFile> kept;  ///< Tables that are not the program's; or null.

  /// In rising order of names. The first call, on any thread, makes them and the descriptors.
  [[nodiscard]] const std::vector<SnapshotTable>& tables() const {
    if (states != nullptr) std::call_once(made_, [this] { make_tables(); });
    return tables_;
  }
  [[nodiscard]] const std::vector<TableDescriptor>& descriptors() const {
    static_cast<void>(tables());
    return descriptors_;
  }
  [[nodiscard]] const Database::Schemas& schemas() const noexcept {
    return *states->roll().schemas;
  }
  /// The database beside its tables.
  [[nodiscard]] DatabaseDescriptor database() const {
    DatabaseDescriptor described{highest_type_id};
    dropped.add_to(described);
    return described;
  }
  /// The index of the table of this name. Complexity: logarithmic.
  [[nodiscard]] HDB_API std::optional<std::size_t> find(std::string_view name) const noexcept;

  mutable std::mutex kept_mutex;
  mutable std::shared_ptr<const KeptFile> kept_state;  // of the function; guarded by kept_mutex
  mutable std::mutex hash_mutex;
  mutable std::optional<Hash128> state_hash;  // guarded by hash_mutex

 private:
  HDB_API void make_tables() const;

  mutable std::once_flag made_;
  mutable std::vector<TableDescriptor> descriptors_;
  mutable std::vector<SnapshotTable> tables_;  // as descriptors_
};

/// What a snapshot shares; null for an empty one.
struct detail::DataOf {
  [[nodiscard]] static const std::shared_ptr<const SnapshotData>& of(
      const Snapshot& snapshot) noexcept {
    return snapshot.data_;
  }
};
[[nodiscard]] inline const std::shared_ptr<const SnapshotData>& data_of(
    const Snapshot& snapshot) noexcept {
  return DataOf::of(snapshot);
}

/// Records at some slots of a frozen table, ready for a codec. Plain ones are copied; the others
/// are read in place, one page at a time, while the codec goes through them.
class GatheredRecords final : public RecordReader {
 public:
  /// Begins with no record and room for `most`; `table` must stay until the next begin.
  void begin(const SnapshotTable& table, std::size_t most);
  /// Adds the record of a live slot. Requires: its tag and place, and room.
  void add(std::uint32_t slot, std::uint32_t tag, std::uint32_t place) noexcept {
    slots_[count_] = slot;
    generations_[count_] = tag;
    places_[count_++] = place;
  }
  void add(std::uint32_t slot);
  /// Adds neighbouring live slots, the only ones. Without positions each record lies at its slot.
  void add_all(std::uint64_t first_slot, std::span<const std::uint32_t> generations,
               std::span<const std::uint32_t> positions) noexcept;
  [[nodiscard]] std::span<const std::uint32_t> slots() const noexcept {
    return std::span(slots_).first(count_);
  }
  /// What was added. Call release when it is encoded: the table's owner may be waiting.
  [[nodiscard]] RecordBatch batch();
  void release() noexcept { pin_.reset(); }
  /// Makes the hashes of the rows independent of dense positions, until the next begin.
  void leave_out_positions() noexcept { with_positions_ = false; }

 private:
  [[nodiscard]] const void* read(std::size_t row) override { return pin_->at(places_[row]); }
  void copy(std::size_t first, std::size_t count, std::byte* to) override;
  [[nodiscard]] std::size_t stride_bytes() const noexcept override {
    return frozen_->records.stride();
  }

  const FrozenTable* frozen_ = nullptr;
  std::unique_ptr<PagePin> pin_;
  bool copies_ = false;
  bool with_positions_ = false;
  std::size_t count_ = 0;
  std::vector<std::uint32_t> slots_;  // these three have room for more than was added
  std::vector<std::uint32_t> generations_;
  std::vector<std::uint32_t> places_;
};

/// As changes_between of two snapshots, for tables of any origin; both lists in rising order of
/// names.
[[nodiscard]] Changes changes_between(std::span<const SnapshotTable* const> earlier,
                                      std::span<const SnapshotTable* const> later);
/// The tables of a snapshot, as that function takes them.
[[nodiscard]] std::vector<const SnapshotTable*> tables_of(const Snapshot& snapshot);

/// Sum of the row hashes of all slots, from the sums kept with unchanged pages where there are any.
[[nodiscard]] Result<Hash128> table_record_hash(const SnapshotTable& table);
/// The hash of the free list (FreeListHash), from the hashes kept of unchanged pages where there
/// are any.
[[nodiscard]] Hash128 free_list_hash(const FrozenTable& table);

}  // namespace hdb
