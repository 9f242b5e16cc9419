// The order of `dump --sort`: by the values of fields, rising or falling.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dump/row_reader.hpp"
#include "hdb/inspect/filter.hpp"

namespace hdb::inspect {

class RowOrder {
 public:
  /// A value as it is compared. NaN comes behind all numbers, what a record does not have behind
  /// all others, in either direction.
  struct Part {
    enum class Rank : std::uint8_t { value, nan, missing };
    Rank rank = Rank::missing;
    std::uint64_t number = 0;  // rises with the value
    std::string text = {};
  };
  using Key = std::vector<Part>;

  /// `fields`: paths of filters with commas between, each with a `-` before it for falling order.
  /// Errors: those of RecordValue::bind; type_mismatch also for a field that has no order.
  [[nodiscard]] static Result<RowOrder> bind(const std::string& fields, const Reader& reader,
                                             std::size_t table);
  /// What must be read for `key_of`, as for RowDecoder.
  [[nodiscard]] const std::vector<std::uint32_t>& columns() const noexcept { return columns_; }
  [[nodiscard]] Key key_of(const RowReader& rows) const;
  /// Below 0: the record with the key `a` comes first.
  [[nodiscard]] int compare(const Key& a, const Key& b) const;

 private:
  struct Term {
    RecordValue value;
    bool falls = false;
  };
  std::vector<Term> terms_;
  std::vector<std::uint32_t> columns_;
};

}  // namespace hdb::inspect
