// One file's row groups in a comparison: their hashes, and their slots and records in order.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "hdb/hash.hpp"
#include "hdb/inspect/values.hpp"
#include "inspect/diff/table_side.hpp"

namespace hdb::diffing {

/// A column that both schemas have (by path and role).
struct ColumnPair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  bool comparable = true;  ///< Equal raw hashes mean equal values.

  friend bool operator==(const ColumnPair&, const ColumnPair&) = default;
};

[[nodiscard]] std::vector<ColumnPair> common_columns(const Field& a, const Field& b);

/// The raw hashes of a row group's columns, from its block heads.
class ColumnHashes {
 public:
  using Pieces = std::vector<std::pair<std::uint64_t, Hash128>>;  // raw size and hash of each piece

  explicit ColumnHashes(const std::vector<ChunkInfo>& chunks);
  /// Whether states and generations are equal: then rows are of the same records.
  [[nodiscard]] bool same_slots(const ColumnHashes& other) const;
  [[nodiscard]] bool same_positions(const ColumnHashes& other) const;
  [[nodiscard]] const Pieces& of_column(std::uint32_t column) const;

 private:
  [[nodiscard]] const Pieces& system(std::uint32_t column) const;
  std::vector<Pieces> columns_;
};

/// Goes through one table of one file, row group by row group, slot by slot.
class FileSide final : public TableSide {
 public:
  /// `file` is what errors call it. `max_row_values`: as for RowDecoder.
  FileSide(const Reader& reader, std::size_t table, std::string file, std::uint64_t max_row_values);

  [[nodiscard]] const std::vector<TableDescriptor>& tables() const override {
    return reader_.tables();
  }
  [[nodiscard]] const TableDescriptor& table() const override { return reader_.tables()[table_]; }
  [[nodiscard]] const Field& root() const override { return reader_.schemas()[table().schema]; }
  [[nodiscard]] Result<SlotView> take_slot(std::uint64_t slot) override;
  [[nodiscard]] const Value& row() const override { return row_; }
  [[nodiscard]] std::optional<SlotFacts> find_slot(std::size_t table, std::uint64_t slot) override;
  [[nodiscard]] Result<std::vector<std::uint32_t>> free_list() const override;

  /// Columns that every `load` reads besides those that it is asked for.
  void always_read(const std::vector<std::uint32_t>& columns) { always_ = columns; }

  /// Sizes and payload hashes of the blocks of the free list.
  [[nodiscard]] std::vector<std::uint64_t> free_list_hashes() const;

  /// Whether a row group begins with this slot.
  [[nodiscard]] bool group_begins_at(std::uint64_t slot) const {
    return slot < table().slot_count && slot % (std::uint64_t{1} << table().group_shift) == 0;
  }
  /// How many blocks hold the row group of this slot.
  [[nodiscard]] std::uint64_t blocks_at(std::uint64_t slot) const {
    return groups_[index_of(slot)].blocks;
  }
  /// A hash over the payload hashes of those blocks.
  [[nodiscard]] std::uint64_t stored_hash_at(std::uint64_t slot) const {
    return groups_[index_of(slot)].stored_hash;
  }
  [[nodiscard]] Result<ColumnHashes> column_hashes_at(std::uint64_t slot) const;

  /// Reads the row group that begins with `slot`: the columns that `column` picks out of `pairs`.
  [[nodiscard]] Status load(std::uint64_t slot, const std::vector<ColumnPair>& pairs,
                            std::uint32_t ColumnPair::*column);

 private:
  void add_packed(Bytes& hashes);
  struct GroupBlocks {
    std::uint64_t blocks = 0;
    std::uint64_t stored_hash = 0;
  };
  [[nodiscard]] std::size_t index_of(std::uint64_t slot) const {
    return static_cast<std::size_t>(slot >> table().group_shift);
  }

  [[nodiscard]] tl::unexpected<Error> named(Error error) const;

  const Reader& reader_;
  std::size_t table_;
  std::string file_;
  SlotLookup lookup_;
  std::vector<GroupBlocks> groups_;
  std::vector<std::uint32_t> always_;
  std::vector<std::uint32_t> columns_;  // that decoder_ reads
  std::uint64_t max_row_values_;
  RowDecoder decoder_;
  RowGroup group_;
  std::uint64_t group_begin_ = 0;
  std::size_t next_position_ = 0;
  Value row_;
};

}  // namespace hdb::diffing
