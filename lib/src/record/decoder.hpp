// Fills records from stored columns.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "evolve/kept_layout.hpp"
#include "hdb/inspect/compat.hpp"
#include "record/codec.hpp"
#include "record/column_copy.hpp"
#include "record/discovery.hpp"
#include "record/load_check.hpp"

namespace hdb::detail {

/// Fills records from columns; made for one stored schema. Const calls may come from several
/// threads.
class RecordDecoder {
 public:
  /// `functions`: null for a type that exists only at run time.
  RecordDecoder(const record::SerializeFunctions* functions,
                std::shared_ptr<const record::Matched> matched, bool is_exact,
                std::shared_ptr<const record::Discovery> discovery);

  /// Reads all rows of the columns (columns_of(stored schema), already checked against the grammar
  /// by the reader, but not trusted) into default-constructed records.
  /// Errors: a value that does not fit, the budget, an exception of the record's own code. Errors
  /// name the row as `namer` does, or by its number.
  [[nodiscard]] Status decode(std::span<const Bytes> columns, std::span<void* const> records,
                              MemoryBudget& budget, const RowNamer& namer = {},
                              EqualKeys equal_keys = EqualKeys::refuse,
                              std::vector<std::size_t>* dropped_rows = nullptr) const;
  /// What `decode` does with values that the program does not have; at first it refuses them. Those
  /// of UnknownValue::drop_record get defaults, and `dropped_rows` receives their rows.
  void set_unknown_value(UnknownValue unknown_value) noexcept { unknown_value_ = unknown_value; }
  /// Unknown values of these stored nodes are kept elsewhere, whatever set_unknown_value said.
  void keep(const std::vector<std::uint32_t>& nodes) {
    if (nodes.empty()) return;
    copy_.reset();
    auto own = std::make_shared<record::Matched>(*matched_);  // others may use it, too
    for (const std::uint32_t node : nodes) own->plan.nodes[node].keeps_unknown = true;
    matched_ = std::move(own);
  }
  /// The handles of the program's field that takes a stored column of handles; none if none does.
  [[nodiscard]] HandleKey handles_of(std::size_t stored_column) const;
  /// How the stored schema differs from the type's, with the numbers of values that were decoded
  /// since the decoder was made.
  [[nodiscard]] std::vector<LoadChange> changes() const;
  /// What is to be kept of the stored records (find_kept). Requires: the decoder was made for
  /// `stored`.
  [[nodiscard]] std::optional<evolve::KeptLayout> kept(const Field& stored) const {
    return evolve::find_kept(discovery_->plan, matched_->plan, stored);
  }
  /// Whether stored and own schema are equal.
  [[nodiscard]] bool exact() const { return is_exact_; }

 private:
  [[nodiscard]] Status decode_each(std::span<const Bytes> columns, std::span<void* const> records,
                                   MemoryBudget& budget,
                                   const record::DecodeOptions& options) const;

  const record::SerializeFunctions* functions_;
  std::shared_ptr<const record::Matched> matched_;
  bool is_exact_;
  UnknownValue unknown_value_ = UnknownValue::refuse;
  std::shared_ptr<const record::Discovery> discovery_;
  std::unique_ptr<const record::ColumnCopy> copy_;  // null: records are read by the type's code
  mutable std::mutex mutex_;
  mutable std::vector<evolve::Tally> tallies_;  // for each node of the stored schema, or none yet
};

}  // namespace hdb::detail
