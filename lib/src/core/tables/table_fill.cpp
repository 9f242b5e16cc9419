// An untyped table, made from stored state.
#include "core/names/name_index.hpp"
#include "hdb/detail/core/tables/table_core.hpp"

namespace hdb::detail {

void TableCore::begin_fill(const SlotCounters& counters, std::uint64_t holes) {
  slots_.begin_fill(counters, holes);
  const auto places =
      static_cast<std::size_t>(dense_ ? counters.live_count + holes : counters.slot_count);
  records_.grow_to(places);
  if (dense_) slot_of_.grow_to(places);
  if (names_) names_->begin_fill(static_cast<std::size_t>(counters.slot_count));
}

void TableCore::fill_free_list(std::span<const std::uint32_t> in_order_of_use) noexcept {
  slots_.fill_free_list(in_order_of_use);
  if (!policy().is_component) return;
  for (const std::uint32_t hole : in_order_of_use) slot_of_.owned_as<std::uint32_t>(hole) = kHole;
}

std::optional<TableCore::Twins> TableCore::index_names() {
  if (!names_) return std::nullopt;
  for (std::uint32_t slot = 0; slot < counters().slot_count; ++slot) {
    if (!slot_tag::is_live(slots_.tag(slot))) continue;
    if (const auto twin = names_->index_filled(slot)) return Twins{*twin, slot};
  }
  return std::nullopt;
}

void TableCore::fill_records(std::span<const std::uint32_t> places, std::vector<void*>& records) {
  records.reserve(records.size() + places.size());
  for (const std::uint32_t place : places) {
    std::byte* const record = records_.owned_at(place);
    ops().construct_default(record);
    // Of dense tables, any thread may fill any place; else those of 64 neighbours are of one group.
    dense_ ? records_.mark_constructed_shared(place) : records_.mark_constructed(place);
    records.push_back(record);
  }
}

void TableCore::fill_slots(std::uint32_t first, std::span<const std::uint8_t> states,
                           std::span<const std::uint32_t> generations,
                           std::span<const std::uint32_t> positions,
                           std::span<const std::uint32_t> live) noexcept {
  slots_.fill_slots(first, states, generations, positions);
  for (std::size_t i = 0; dense_ && i < live.size(); ++i)
    slot_of_.owned_as<std::uint32_t>(positions[i]) = live[i];
}

}  // namespace hdb::detail
