// Moving the records of a dense table among its places. Private to core.
#pragma once

#include <cstdint>
#include <span>

#include "hdb/detail/core/arrays/flat_array.hpp"
#include "hdb/detail/core/slots/slots.hpp"

namespace hdb::detail {

/// Moves records of one dense table, with its order and the positions of its slots. Each call does
/// all of its work or, when memory runs out, none.
class PlaceMover {
 public:
  PlaceMover(FlatArray& records, FlatArray& slot_of, Slots& slots) noexcept
      : records_(records), slot_of_(slot_of), slots_(slots) {}

  /// Moves the record at places[i] to first + i. `places` is a permutation of
  /// [first, first + size) and is used up. Returns how many records moved.
  std::uint32_t permute(std::uint32_t first, std::span<std::uint32_t> places);

 private:
  void prepare_place(std::uint32_t place);
  void set_slot_at(std::uint32_t place, std::uint32_t slot) noexcept;

  FlatArray& records_;
  FlatArray& slot_of_;
  Slots& slots_;
};

}  // namespace hdb::detail
