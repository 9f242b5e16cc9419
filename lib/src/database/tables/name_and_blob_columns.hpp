// What rows hold beside the record: the columns of row_prefix (names, blobs), before those of the
// record; and the fields that a load kept, among those of the record.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/using_detail.hpp"
#include "database/tables/snapshot_data.hpp"
#include "hdb/detail/core/tables/table_core.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb {

/// How many columns row_prefix gives.
[[nodiscard]] std::size_t extra_column_count(const TableDescriptor& table) noexcept;

/// Fills the extra columns, the first ones of `columns`, of the records at some live slots.
void encode_extras(const SnapshotTable& table, std::span<const std::uint32_t> slots,
                   std::vector<Bytes>& columns);
/// Fills the columns of the records of `gathered` alone: those of the record type's schema.
[[nodiscard]] Status encode_records(const SnapshotTable& table, GatheredRecords& gathered,
                                    std::vector<Bytes>& columns);
/// Fills all columns of the rows of `gathered`, and adds their row hashes to `*hash_sum` unless it
/// is null.
[[nodiscard]] Status encode_rows(const SnapshotTable& table, GatheredRecords& gathered,
                                 std::vector<Bytes>& columns, Hash128* hash_sum);
/// The sum of the row hashes alone.
[[nodiscard]] Result<Hash128> hash_rows(const SnapshotTable& table, GatheredRecords& gathered);

/// Gives each live slot what its extra columns hold, but no name in a table without names; the
/// columns have passed the grammar.
/// Errors: bad_lengths, bad_blobs.
[[nodiscard]] Status decode_extras(const TableDescriptor& table, std::span<const Bytes> columns,
                                   std::span<const std::uint32_t> live_slots,
                                   TableContent& content);

/// Calls `visit` with the name of each live slot, in their order; a name may be empty.
/// Requires: a table with names; the columns have passed the grammar.
/// Errors: bad_lengths; those of `visit`, which end the loop.
[[nodiscard]] Status for_each_name(
    std::span<const Bytes> columns, std::span<const std::uint32_t> live_slots,
    const std::function<Status(std::size_t row, std::string_view name)>& visit);

}  // namespace hdb
