// Plain records: fields at fixed offsets, copied to and from columns without calling the user's
// code.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hdb/detail/base/owned.hpp"
#include "hdb/detail/evolve/plan.hpp"
#include "hdb/detail/record/describe_archive.hpp"
#include "hdb/detail/record/using_evolve.hpp"
#include "record/codec.hpp"
#include "record/copy_runs.hpp"

namespace hdb::detail::record {

/// One column of a plain record: its values in the record, in order.
struct PlainColumn {
  std::vector<PlainRun> runs;
  std::size_t row_bytes = 0;
  bool is_boolean = false;
};

/// The bytes of a column.
using ColumnBytes = std::span<const std::byte>;

/// Where the fields of a plain record lie.
///
///   PR1 The runs of all columns are disjoint and inside the record; nothing else of it is ever
///       read or written.
///   PR2 The runs of `row`, in order, are the canonical row bytes.
struct PlainLayout {
  std::size_t record_bytes = 0;
  std::vector<PlainColumn> columns;
  std::vector<Tile> tiles;             ///< Columns that are gathered four or two at a time...
  std::vector<std::uint32_t> untiled;  ///< ... and all others.
  std::vector<PlainRun> row;
  std::size_t row_bytes = 0;

  /// `places` are those of all fields, or of the placed ones among `fields`: then columns of others
  /// get no runs, and not `row` but those of `fields` are filled. Fails (false) when places
  /// overlap.
  [[nodiscard]] bool build(const Plan& plan, const std::vector<LeafPlace>& places,
                           std::size_t record_bytes, std::span<PlacedField> fields = {});
  /// The layout of the same records for the columns of an old file, which may lack some, have
  /// others or another order. `own_columns` says which column of this layout each column of the
  /// file is; columns of Match::kNoColumn get no runs. The layout has no `row`.
  [[nodiscard]] PlainLayout for_columns(const std::vector<std::uint32_t>& own_columns) const;
};

/// Fills the columns of a layout, one block of records after the other; other columns are left
/// alone.
class ColumnFill {
 public:
  /// For this many records in all. `layout` and `columns` must outlive it.
  ColumnFill(const PlainLayout& layout, std::size_t rows, std::vector<Bytes>& columns);
  void add(const Block& block);
  /// Adds one record, which may change then. The columns are whole after finish().
  void add_record(const void* record);
  void finish() {
    if (copied_ != 0) add_copies();
  }

 private:
  void add_copies();

  const PlainLayout& layout_;
  Owned<std::byte[]> copies_;  // of records, a block at most
  std::size_t copied_ = 0;
  Owned<std::byte[]> unused_;   // lanes of tiles that have no column go there
  std::vector<std::byte*> to_;  // where each column goes on
};

/// Fills `columns` with those of the batch, and adds the row hashes to `*hash_sum`; either may be
/// null. Reads each record once.
void encode_plain(const PlainLayout& layout, const RecordBatch& batch, std::vector<Bytes>* columns,
                  Hash128* hash_sum);
/// Appends the values of a column of 4 or 8 bytes each, as numbers.
void gather_bits(const PlainColumn& column, unsigned width, std::span<const void* const> records,
                 std::vector<std::uint64_t>& bits);
/// Fills the records from columns; columns without runs are left out.
/// Errors: bad_lengths, bad_value; then some records may be filled.
[[nodiscard]] Status scatter(const PlainLayout& layout, const Plan& plan,
                             std::span<const ColumnBytes> columns, std::span<void* const> records);

}  // namespace hdb::detail::record
