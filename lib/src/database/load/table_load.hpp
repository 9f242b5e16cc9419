// One table on its way from a file, beside the running one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/using_detail.hpp"
#include "database/load/table_migration.hpp"
#include "database/tables/quoted.hpp"
#include "database/tables/snapshot_data.hpp"
#include "evolve/evolved_image.hpp"
#include "hdb/database.hpp"
#include "hdb/inspect/checks.hpp"
#include "record/decoder.hpp"

namespace hdb {

struct TableLoad {
  TableEntry* entry = nullptr;
  std::size_t stored = 0;     // index in the image
  std::uint16_t type_id = 0;  // the table's after the load
  std::unique_ptr<RecordDecoder> decoder;
  std::unique_ptr<TableMigration> migration;  // null: records are loaded as they are stored
  std::shared_ptr<KeptRows> kept;             // null: nothing is kept of the records
  bool keeps_all = false;                     // with what is kept, records are as in the file
  std::unique_ptr<TableContent> content;
  std::optional<SlotChecker> checker;  // of slots, positions and free list; not of names and blobs
  std::mutex dropped_mutex;
  std::vector<std::uint32_t> dropped_slots;  // of records with unknown values, in no order
  std::optional<std::vector<std::uint32_t>> free_list;  // once it is read

  // Makes room for a table of the image.
  void begin(const TableDescriptor& table);
  // Reads and checks one row group; several threads may, each with other groups and a buffer of its
  // own. With the only group of a table it reads the free list: a pack that holds both is opened
  // once.
  Status read_group(const evolve::LoadImage& image, std::uint64_t group, RowGroup& buffer,
                    MemoryBudget& budget);
  // Migrates the records of a group, which read_group left empty: migration->creates().
  Status migrate_group(const evolve::LoadImage& image, std::uint64_t group, RowGroup& buffer,
                       MemoryBudget& budget, RecordCreator& creator) const;
  // After all groups: the counts, and the free list. `stored_names`: the names of the file.
  Status finish(const ImageSource& image, RecordNames stored_names);

 private:
  Status read_free_list(const ImageSource& image);
  [[nodiscard]] EqualKeys equal_keys(const evolve::LoadImage& image, std::uint64_t group) const {
    return image.has_cleared_handles(stored, group) ? EqualKeys::merge : EqualKeys::refuse;
  }
  void fill_slots(const RowGroup& buffer, std::vector<void*>& records,
                  std::vector<std::uint32_t>& live_slots);
  Status decode(std::span<const Bytes> columns, std::span<void* const> records,
                std::span<const std::uint32_t> live_slots, const RowGroup& buffer,
                MemoryBudget& budget, const TableDescriptor& table, EqualKeys equal_keys);
  Status keep(std::uint64_t group, const RowGroup& buffer, std::span<const Bytes> columns,
              std::span<void* const> records, std::span<const std::uint32_t> live_slots,
              MemoryBudget& budget) const;
};

}  // namespace hdb
