// Moving the records of a dense table among its places: handles and positions follow.
#include "core/tables/place_mover.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "hdb/assert.hpp"

namespace hdb::detail {
namespace {

// Memory for one record on its way.
class SpareRecord {
 public:
  explicit SpareRecord(std::size_t size_bytes) {
    if (size_bytes <= sizeof small_) return;
    large_.reset(static_cast<std::byte*>(
        ::operator new (size_bytes, std::align_val_t{kAlignment}, std::nothrow)));
    if (large_ == nullptr) out_of_memory();
  }
  [[nodiscard]] std::byte* get() noexcept { return large_ == nullptr ? small_ : large_.get(); }

 private:
  static constexpr std::size_t kAlignment = 64;
  struct Delete {
    void operator()(std::byte* memory) const noexcept {
      ::operator delete (memory, std::align_val_t{kAlignment});
    }
  };
  alignas(kAlignment) std::byte small_[256];
  std::unique_ptr<std::byte, Delete> large_;
};

}  // namespace

void PlaceMover::prepare_place(std::uint32_t place) {
  records_.make_private(place);
  slot_of_.make_private(place);
  slots_.prepare_move(slot_of_.as<std::uint32_t>(place));
}

void PlaceMover::set_slot_at(std::uint32_t place, std::uint32_t slot) noexcept {
  slot_of_.owned_as<std::uint32_t>(place) = slot;
  slots_.set_position(slot, place);
}

std::uint32_t PlaceMover::permute(std::uint32_t first, std::span<std::uint32_t> places) {
  std::uint32_t moved = 0;
  const auto count = static_cast<std::uint32_t>(places.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    if (places[i] == first + i) continue;
    prepare_place(first + i);
    ++moved;
  }
  if (moved == 0) return 0;
  SpareRecord spare(records_.geometry().ops.size_bytes);
  // Everything that can fail is done. One cycle after the other; a place that is filled stands for
  // itself.
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t to = first + i;
    if (places[i] == to) continue;
    const std::uint32_t start = to;
    const std::uint32_t slot = slot_of_.as<std::uint32_t>(start);
    records_.geometry().ops.move(spare.get(), records_.owned_at(start));
    for (;;) {
      const std::uint32_t from = std::exchange(places[to - first], to);
      if (from == start) break;
      records_.geometry().ops.move(records_.owned_at(to), records_.owned_at(from));
      set_slot_at(to, slot_of_.as<std::uint32_t>(from));
      to = from;
    }
    records_.geometry().ops.move(records_.owned_at(to), spare.get());
    set_slot_at(to, slot);
  }
  return moved;
}

}  // namespace hdb::detail
