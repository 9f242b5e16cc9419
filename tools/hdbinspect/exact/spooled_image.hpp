// An image that is put together group by group and kept in a temporary file until it is written.
#pragma once

#include <memory>
#include <vector>

#include "hdb/inspect/image.hpp"
#include "spool.hpp"

namespace hdb::inspect {

/// Add what comes in any order that keeps the groups of a table in theirs; then it is an
/// ImageSource.
///
/// Memory: schemas, tables, free lists; a few words a row group.
class SpooledImage final : public ImageSource {
 public:
  /// Errors: those of Spool::create.
  [[nodiscard]] static Result<std::unique_ptr<SpooledImage>> create();

  Metadata meta;
  Bytes thumb;
  std::vector<Field> schema_list;
  std::vector<AncillaryBlock> blocks;
  DatabaseDescriptor of_database;

  /// Requires: tables come before their groups, their names rise.
  void add_table(TableDescriptor table);
  /// Adds the next group of a table. Errors: those of Spool::write.
  [[nodiscard]] Status add_group(std::size_t table, const RowGroup& group);
  void add_free(std::size_t table, std::span<const std::uint32_t> slots);
  [[nodiscard]] const std::vector<std::uint32_t>& free_list(std::size_t table) const {
    return contents_[table].free_list;
  }

  const Metadata& metadata() const override { return meta; }
  const Bytes& thumbnail() const override { return thumb; }
  const std::vector<Field>& schemas() const override { return schema_list; }
  const std::vector<TableDescriptor>& tables() const override { return tables_; }
  DatabaseDescriptor database() const override { return of_database; }
  Status read_group(std::size_t table, std::uint64_t group, bool with_hash,
                    RowGroup& out) const override;
  Status read_free_list(std::size_t table, std::uint64_t first,
                        std::span<std::uint32_t> out) const override;
  Result<std::vector<AncillaryBlock>> ancillary_blocks() const override { return blocks; }

 private:
  // Where a group lies: states, generations, positions, columns, one after another.
  struct SpooledGroup {
    std::uint64_t offset = 0;
    std::uint32_t slots = 0;
    std::uint32_t positions = 0;
    std::vector<std::uint64_t> column_bytes;
  };
  struct Content {
    std::vector<SpooledGroup> groups;
    std::vector<std::uint32_t> free_list;
  };

  explicit SpooledImage(std::unique_ptr<Spool> spool) : spool_(std::move(spool)) {}
  [[nodiscard]] Status read_part(std::uint64_t& offset, std::span<std::byte> out) const;
  [[nodiscard]] Status read_slot_columns(const SpooledGroup& place, std::uint64_t& offset,
                                         RowGroup& out) const;

  std::unique_ptr<Spool> spool_;
  std::vector<TableDescriptor> tables_;
  std::vector<Content> contents_;
};

}  // namespace hdb::inspect
