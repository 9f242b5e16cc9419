// Issued: the generations that handles of one kind have used, whatever became of the timelines that issued them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hdb/core/slots.hpp"

namespace hdb {

/// What tables whose handles cannot be told apart have issued. Not part of any state: kept beside the tables, so that a
/// table can start above it (Slots::rise_above).
class Issued {
 public:
  /// Adds all that a table of these slots has issued. Tables whose generations wrap are not noted: no generation is above
  /// all of theirs.
  void note(const Slots& slots) noexcept {
    if (slots.policy().overflow == Overflow::wrap) return;
    floor_ = std::max(floor_, slots.counters().highest_generation);
  }
  void merge(const Issued& other) noexcept { floor_ = std::max(floor_, other.floor_); }

  /// Nothing was issued.
  [[nodiscard]] bool empty() const noexcept { return floor_ == 0; }
  /// No generation above this one was issued.
  [[nodiscard]] std::uint32_t highest() const noexcept { return floor_; }

 private:
  std::uint32_t floor_ = 0;
};

}  // namespace hdb
