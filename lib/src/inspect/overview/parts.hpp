// The parts of an overview: what is counted while the row groups of a table pass by.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hdb/inspect/overview.hpp"

namespace hdb::overviews {

/// The smallest power of two of things in a bin such that `count` of them fill at most `max_bins`.
[[nodiscard]] std::uint64_t bin_width(std::uint64_t count, std::size_t max_bins) noexcept;

/// Counts an order as it goes by, entry by entry.
class OrderCounter {
 public:
  OrderCounter(std::uint64_t entries, std::size_t max_bins);
  void add(std::uint64_t number);
  [[nodiscard]] OrderProfile take();

 private:
  std::uint64_t width_;
  OrderProfile profile_;
  std::uint64_t last_ = 0;
  std::uint64_t run_ = 0;  // length of the present run
  int direction_ = 0;      // of the present run: +1, -1, or 0 while it has one entry
  double steps_ = 0;
};

/// Bins of generations from `lowest` to `highest`: one each where they are few, else as wide as the
/// generations of one table counter are spread, or doubling where slots count for themselves.
[[nodiscard]] std::vector<GenerationBin> generation_bins(Generations generations,
                                                         std::uint32_t lowest,
                                                         std::uint32_t highest,
                                                         std::size_t max_bins);

/// Damage that was met.
class Faults {
 public:
  Faults(FileOverview& out, std::size_t max) : out_(out), max_(max) {}
  /// Keeps damage; what is none is passed on as a failure.
  [[nodiscard]] Status add(Error error);

 private:
  FileOverview& out_;
  std::size_t max_;
};

/// Fills slots, generations, dense_order and free_list.
[[nodiscard]] Status look_over_slots(const Reader& reader, const OverviewOptions& options,
                                     Faults& faults, TableOverview& out);
/// Fills bytes, raw_bytes and stored_bytes.
[[nodiscard]] Status look_over_bytes(const Reader& reader, Faults& faults, TableOverview& out);
/// What belongs to no table. `tables`: the sum of their stored bytes.
[[nodiscard]] std::vector<FieldBytes> bytes_of_no_table(const Reader& reader, std::uint64_t tables);

}  // namespace hdb::overviews
