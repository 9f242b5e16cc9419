// Slot numbers at their positions, window by window.
#include "hdb/inspect/checks.hpp"

#include <algorithm>
#include <string>

#include "hdb/bytes.hpp"

namespace hdb {
namespace {

std::uint64_t positions_of(const TableDescriptor& table) noexcept {
  return table.policy.storage == Storage::dense ? table.live_count : 0;
}

void add_slots(std::span<const std::uint32_t> slots, Hasher128& hasher) {
  constexpr std::size_t kPiece = 16384;
  Bytes piece;
  for (; !slots.empty(); slots = slots.subspan(std::min(kPiece, slots.size()))) {
    const std::size_t count = std::min(kPiece, slots.size());
    piece.resize(count * 4);
    for (std::size_t i = 0; i < count; ++i) store_le(piece.data() + i * 4, slots[i]);
    hasher.update(piece);
  }
}

}  // namespace

Hash128 hash_slots(std::span<const std::uint32_t> slots) {
  Hasher128 hasher;
  add_slots(slots, hasher);
  return hasher.digest();
}

DenseOrder::DenseOrder(const TableDescriptor& table, std::uint64_t window)
    : table_(table),
      window_(std::max<std::uint64_t>(window, 1)),
      slots_(static_cast<std::size_t>(std::min(window_, positions_of(table)))) {}

Status DenseOrder::add(const RowGroup& group) {
  if (table_.policy.storage != Storage::dense) return {};
  std::size_t rank = 0;
  for (std::size_t i = 0; i < group.states.size(); ++i) {
    if (group.states[i] != static_cast<std::uint8_t>(SlotState::live)) continue;
    const std::uint64_t slot = group.first_slot + i;
    if (rank == group.positions.size()) {
      return fail(ErrorCode::bad_dense_order,
                  "slot " + std::to_string(slot) + " has no dense position");
    }
    const std::uint32_t position = group.positions[rank++];
    if (position >= table_.live_count) {
      return fail(ErrorCode::bad_dense_order,
                  "dense position " + std::to_string(position) + " is too large");
    }
    if (position >= first_ && position - first_ < slots_.size())
      slots_[static_cast<std::size_t>(position - first_)] = static_cast<std::uint32_t>(slot);
  }
  return {};
}

Result<Hash128> DenseOrder::finish(const ReadSlots& read) {
  if (table_.policy.storage != Storage::dense) return Hash128{};
  Hasher128 hasher;
  add_slots(slots_, hasher);
  RowGroup group;
  const std::uint64_t positions = positions_of(table_);
  for (first_ = slots_.size(); first_ < positions; first_ += slots_.size()) {
    slots_.resize(static_cast<std::size_t>(std::min(window_, positions - first_)));
    for (std::uint64_t i = 0; i < table_.group_count(); ++i) {
      if (Status status = read(i, group); !status) return fail(std::move(status.error()));
      if (Status status = add(group); !status) return fail(std::move(status.error()));
    }
    add_slots(slots_, hasher);
  }
  return hasher.digest();
}

Result<Hash128> hash_dense_order(const TableDescriptor& table, const ReadSlots& read) {
  DenseOrder order(table);
  if (table.policy.storage != Storage::dense) return Hash128{};
  RowGroup group;
  for (std::uint64_t i = 0; i < table.group_count(); ++i) {
    if (Status status = read(i, group); !status) return fail(std::move(status.error()));
    if (Status status = order.add(group); !status) return fail(std::move(status.error()));
  }
  return order.finish(read);
}

}  // namespace hdb
