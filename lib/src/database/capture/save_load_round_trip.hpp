// Replaces the records of a database by what a load would make of them, for sync_test.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/using_detail.hpp"
#include "database/tables/snapshot_data.hpp"
#include "hdb/bytes.hpp"
#include "hdb/error.hpp"
#include "hdb/snapshot.hpp"
#include "record/decoder.hpp"

namespace hdb {

/// Encodes records as a save does, decodes them as a load does, and puts the results in their
/// place. A record is *settled* if the result has the same bytes; then it is not encoded again
/// until its bytes change. Records that are not trivially copyable are never settled.
class SaveLoadRoundTrip {
 public:
  /// Passes the records of all saved tables. Slots, names and tables of blobs stay as they are.
  ///
  /// Requires: the database is in the state `now`. States of one database only.
  /// Errors: as saving and loading a record; then some records are replaced.
  /// Complexity: linear in the records that are not settled, and in the records of the pages that
  /// changed since the state of the last call.
  Status run(const Snapshot& now);

 private:
  struct Table {
    std::shared_ptr<TableEntry> entry;
    std::unique_ptr<RecordDecoder> decoder;
    std::size_t column_count = 0;
    std::vector<std::uint32_t> unsettled;  // slots, rising
  };
  [[nodiscard]] Result<Table*> find(const SnapshotTable& now);
  Status run(const SnapshotTable& now);
  Status run(const SnapshotTable& now, std::span<const std::uint32_t> slots, Table& table);

  Snapshot before_;
  std::map<const TableEntry*, Table> tables_;
};

}  // namespace hdb
