// Fills records from stored columns.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hdb/detail/record/codec.hpp"
#include "record/discovery.hpp"

namespace hdb::detail {

/// Fills records from columns; made for one stored schema. Const calls may come from several
/// threads.
class RecordDecoder {
 public:
  RecordDecoder(const record::SerializeFunctions& functions, record::Plan stored,
                record::Match match, bool is_exact,
                std::shared_ptr<const record::Discovery> discovery)
      : functions_(functions),
        stored_(std::move(stored)),
        match_(std::move(match)),
        is_exact_(is_exact),
        discovery_(std::move(discovery)) {}

  /// Reads all rows of the columns (columns_of(stored schema), already checked against the grammar
  /// by the reader, but not trusted) into default-constructed records.
  /// Errors: a value that does not fit, the budget, an exception of the record's own code.
  [[nodiscard]] Status decode(std::span<const Bytes> columns, std::span<void* const> records,
                              MemoryBudget& budget) const;
  /// Paths of the type's fields that the file lacks (they keep their defaults).
  [[nodiscard]] const std::vector<std::string>& missing_fields() const {
    return match_.missing_fields;
  }
  /// Paths of stored fields that the type lacks (they are skipped).
  [[nodiscard]] const std::vector<std::string>& unknown_fields() const {
    return match_.unknown_fields;
  }
  /// Whether stored and own schema are equal.
  [[nodiscard]] bool exact() const { return is_exact_; }

 private:
  const record::SerializeFunctions& functions_;
  record::Plan stored_;
  record::Match match_;
  bool is_exact_;
  std::shared_ptr<const record::Discovery> discovery_;
};

}  // namespace hdb::detail
