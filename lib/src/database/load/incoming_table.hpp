// One table on its way from a file, beside the running one.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/sees_detail.hpp"
#include "database/load/handle_translation.hpp"
#include "database/load/slot_change.hpp"
#include "database/load/table_migration.hpp"
#include "database/tables/snapshot_data.hpp"
#include "hdb/database.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "record/decoder.hpp"

namespace hdb {

[[nodiscard]] inline std::string quoted(std::string_view name) {
  return "table '" + std::string(name) + "'";
}

/// Checks that a row group has a value for each slot in each slot column. Errors: bad_slots.
[[nodiscard]] Status check_slot_columns(const TableDescriptor& table, std::uint64_t group,
                                        const RowGroup& rows);

struct IncomingTable {
  TableEntry* entry = nullptr;
  std::size_t stored = 0;     // index in the file
  std::uint16_t type_id = 0;  // the table's after the load
  Field schema;               // of the row groups, once their handles are translated
  std::unique_ptr<SlotChange> slot_change;
  std::unique_ptr<HandleTranslation> handles;  // null: no field may need it
  std::vector<std::uint8_t> was_free;          // for each slot; empty if the policies are equal
  std::vector<std::uint64_t> first_positions;  // of each group, if a stable table becomes dense
  std::atomic<std::uint64_t> dropped_names{0};
  std::unique_ptr<RecordDecoder> decoder;
  std::unique_ptr<TableMigration> migration;  // null: records are loaded as they are stored
  std::shared_ptr<KeptRows> kept;             // null: nothing is kept of the records
  std::unique_ptr<TableBody> content;
  std::vector<std::atomic<std::uint64_t>> taken_positions;  // dense: one bit a position
  std::atomic<std::uint64_t> live{0};
  std::atomic<std::uint64_t> retired{0};
  std::atomic<std::uint64_t> free{0};
  std::mutex dropped_mutex;
  std::vector<std::uint32_t> dropped_slots;  // of records with unknown values, in no order
  std::mutex hash_mutex;
  TableHashes hashes;
  /// Changes the columns of a row group before records are made of them; may be empty. Requires: no
  /// record hashes. Several threads may call it, each with other groups.
  std::function<EqualKeys(std::uint64_t group, RowGroup& rows)> rewrite;

  // Reads and checks one row group; several threads may, each with other groups and a buffer of its
  // own.
  Status read_group(const Reader& reader, std::uint64_t group, RowGroup& buffer,
                    MemoryBudget& budget, bool hash_records);
  // Migrates the records of a group, which read_group left empty: migration->creates().
  Status migrate_group(const Reader& reader, std::uint64_t group, RowGroup& buffer,
                       MemoryBudget& budget, RecordCreator& creator) const;
  // Before all groups, if a stable table becomes dense: where the records of each group come.
  Status plan_positions(const Reader& reader);
  // After all groups: the counts, and the free list.
  Status finish(const Reader& reader, bool hash_list);

 private:
  // What a program of other policies than the file's changes.
  [[nodiscard]] bool becomes_dense(const TableDescriptor& table) const noexcept {
    return entry->core().policy().storage == Storage::dense &&
           table.policy.storage == Storage::stable;
  }
  Result<EqualKeys> translate(RowGroup& rows) const;
  Status count_dropped_names(const TableDescriptor& table, std::span<const Bytes> columns,
                             std::span<const std::uint32_t> live_slots);
  Status take_position(const TableDescriptor& table, std::uint32_t slot, std::uint32_t place,
                       const std::string& where);
  Status fill_slots(const TableDescriptor& table, const RowGroup& buffer, const std::string& where,
                    std::vector<void*>& records, std::vector<std::uint32_t>& live_slots);
  Status decode(std::span<const Bytes> columns, std::span<void* const> records,
                std::span<const std::uint32_t> live_slots, const RowGroup& buffer,
                MemoryBudget& budget, const TableDescriptor& table, EqualKeys equal_keys);
  Status fill_free_list(const TableDescriptor& table, std::vector<std::uint32_t> list,
                        bool hash_list);
  Status fill_holes(const TableDescriptor& table, const std::vector<std::uint32_t>& holes);
};

}  // namespace hdb
