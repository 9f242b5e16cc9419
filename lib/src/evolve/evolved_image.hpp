// EvolvedImage: an old image with the policies and handle layouts of a program.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "evolve/image_filter.hpp"
#include "evolve/layout_conversion.hpp"
#include "evolve/policy_conversion.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/load_change.hpp"

namespace hdb::detail::evolve {

/// An image whose tables have the policies and handle layouts of a program, made from one where
/// they may have others. Tables that differ in nothing pass through as they are.
///
/// Tables of which handles or names change have a schema of their own, TableDescriptor::schema.
/// Names that the program's table cannot hold are dropped.
//
// Threads: the members of ImageSource may be called by several threads, once all tables are evolved
// and resolved.
class HDB_INSPECT_API EvolvedImage final : public LoadImage {
 public:
  /// Requires: `old` outlives the image.
  explicit EvolvedImage(const ImageSource& old);

  /// Gives a table the program's policies, and its handle fields the layouts that `layout_of` says.
  /// Invalidates schemas().
  /// Requires: match_tables has no objection. Errors: the errors of PolicyConversion::read.
  [[nodiscard]] Status evolve(std::size_t table, const TablePolicy& own, const LayoutOf& layout_of);
  /// Says what the tables of the old image are now, once all are evolved.
  void resolve(const std::vector<MovedTable>& moved);
  /// What became of the names and handles of a table so far.
  [[nodiscard]] std::vector<LoadChange> changes(std::size_t table) const;

  [[nodiscard]] const std::vector<Field>& schemas() const override {
    return schemas_.empty() ? below_.schemas() : schemas_;
  }
  [[nodiscard]] const std::vector<TableDescriptor>& tables() const override { return tables_; }
  [[nodiscard]] Status read_group(std::size_t table, std::uint64_t group, bool with_hash,
                                  RowGroup& out) const override;
  [[nodiscard]] Status read_free_list(std::size_t table, std::uint64_t first,
                                      std::span<std::uint32_t> out) const override;
  [[nodiscard]] bool has_cleared_handles(std::size_t table, std::uint64_t group) const override;

 private:
  struct Change {
    std::optional<PolicyConversion> slots;
    std::optional<LayoutConversion> handles;
    bool drops_names = false;
    mutable std::atomic<std::uint64_t> dropped_names{0};
    mutable std::vector<std::uint8_t> has_cleared;  // of each group that has been read

    [[nodiscard]] bool is_none() const noexcept { return !slots && !handles && !drops_names; }
  };

  static Status apply(const Change& change, std::uint64_t group, RowGroup& rows);

  std::vector<Field> schemas_;  // the old image's and then the changed ones; empty: none changed
  std::vector<TableDescriptor> tables_;
  std::vector<Change> changes_;
};

}  // namespace hdb::detail::evolve
