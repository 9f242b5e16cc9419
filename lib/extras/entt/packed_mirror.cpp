// A table that follows a packed array of identifiers, page by page.
#include "hdb/detail/entt/packed_mirror.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/tables/frozen_table.hpp"
#include "hdb/assert.hpp"
#include "hdb/detail/core/tables/table_core.hpp"

namespace hdb::detail {
namespace {

constexpr const char* kNotLive =
    ", which is not live; destroy entities through the registry, which takes their components "
    "along";

// Identifiers that are compared at once.
constexpr std::size_t kBlock = 1024;

std::string id_text(const PackedId& id) {
  return "entity " + std::to_string(id.index) + ", version " + std::to_string(id.version);
}

// The last generation of a free slot; the next one is `version` + 1.
std::uint32_t last_generation(std::uint64_t version, const HandleLayout& layout) noexcept {
  return version == 0 ? layout.max_generation() : static_cast<std::uint32_t>(version);
}

template <class Range, class Visit>
void for_each_changed(const std::vector<Range>& ranges, const PackedIds& ids, const PackedIds& last,
                      Visit&& visit) {
  for (const Range& range : ranges) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (ids.bits(i) != last.bits(i)) visit(i);
    }
  }
}

}  // namespace

std::size_t PackedMirror::per_page() const noexcept { return parts_.records.per_page(); }

std::vector<PackedMirror::Range> PackedMirror::changed_ranges(const PackedIds& ids) const {
  std::vector<Range> ranges;
  const std::size_t width = ids.format.width_bytes;
  const auto* const now = static_cast<const std::byte*>(ids.data);
  const std::size_t both = std::min(ids.size, last_.size);
  for (std::size_t begin = 0; begin < both; begin += kBlock) {
    const std::size_t end = std::min(both, begin + kBlock);
    if (std::memcmp(now + begin * width, last_.bytes.data() + begin * width,
                    (end - begin) * width) != 0) {
      ranges.push_back({begin, end});
    }
  }
  return ranges;
}

void PackedMirror::remember(const PackedIds& ids) {
  last_.format = ids.format;
  last_.bytes.resize(ids.size_bytes());
  if (ids.size != 0) std::memcpy(last_.bytes.data(), ids.data, ids.size_bytes());
  last_.size = ids.size;
}

void PackedMirror::forget() noexcept {
  last_.size = 0;
  last_.index_end = 0;
  last_.live_count = 0;
  last_.first_hole = 0;
}

void PackedMirror::follow(PackedArray&& array) noexcept { last_ = std::move(array); }

void PackedMirror::set_entry(std::uint32_t slot, std::uint32_t tag, std::uint32_t position) {
  FlatArray& entries = parts_.slots.entries;
  const auto& now = entries.as<SlotEntry>(slot);
  if (now.tag == tag && now.position == position) return;
  entries.make_private(slot);
  entries.owned_as<SlotEntry>(slot) = {tag, position};
}

// Also the slot that is there already: a page of records hashes the generations of its slots, and
// is known to be the same by the stamps of the records and of this.
void PackedMirror::set_slot_of(std::size_t position, std::uint32_t slot) {
  parts_.slot_of.make_private(position);
  parts_.slot_of.owned_as<std::uint32_t>(position) = slot;
}

void PackedMirror::set_listed(std::size_t index, std::uint32_t value) {
  FlatArray& list = parts_.slots.free_list;
  if (list.as<std::uint32_t>(index) == value) return;
  list.make_private(index);
  list.owned_as<std::uint32_t>(index) = value;
}

void PackedMirror::drop_record(std::size_t position) {
  FlatArray& records = parts_.records;
  if (records.is_trivial() || position >= records.capacity() || !records.is_constructed(position)) {
    return;
  }
  records.make_private(position);
  core_.ops().destroy(records.owned_at(position));
  records.mark_destroyed(position);
}

// --- entities

Status PackedMirror::take_entities(const PackedIds& ids, std::size_t live_count,
                                   std::uint64_t least_slots) {
  core_.begin_change();
  ++parts_.slots.changes;
  const TableCore::Occupied writes(core_, TableCore::Busy::record);
  written_.clear();
  const std::vector<Range> ranges = changed_ranges(ids);
  const std::size_t before = last_.size;
  const std::size_t live_before = last_.live_count;
  if (ranges.empty() && ids.size == before && live_count == live_before)
    return set_slot_count(std::max(last_.index_end, least_slots));

  const HandleLayout& layout = core_.policy().layout;
  SlotCounters counters;
  std::uint64_t index_end = 0;
  for (std::size_t i = 0; i < ids.size; ++i) {
    const PackedId id = ids[i];
    if (id.index >= ids.format.index_mask() || id.index >= layout.max_slots() ||
        id.version >= layout.max_generation()) {
      return fail(ErrorCode::limit_exceeded, id_text(id) + ": hdb has no such handle");
    }
    index_end = std::max(index_end, id.index + 1);
    const std::uint32_t generation = i < live_count ? static_cast<std::uint32_t>(id.version + 1)
                                                    : last_generation(id.version, layout);
    counters.highest_generation = std::max(counters.highest_generation, generation);
  }
  counters.slot_count = index_end;
  counters.live_count = live_count;
  counters.free_count = ids.size - live_count;

  const PackedIds old = last();
  const auto leave = [&](std::size_t i) {
    const auto slot = static_cast<std::uint32_t>(old[i].index);
    set_entry(slot, slot_tag::kUnissued, 0);
    written_.push_back(slot);
  };
  // Positions whose entity is another one, or is free now and was live, or the other way round.
  const std::size_t both = std::min(before, ids.size);
  const auto turned = std::minmax(std::min(live_before, both), std::min(live_count, both));
  const auto for_each_turned = [&](const auto& visit) {
    for (std::size_t i = turned.first; i < turned.second; ++i) {
      if (ids.bits(i) == old.bits(i)) visit(i);
    }
  };
  for_each_changed(ranges, ids, old, leave);
  for_each_turned(leave);
  for (std::size_t i = ids.size; i < before; ++i) leave(i);

  core_.add_unissued(counters.slot_count);
  parts_.slots.free_list.grow_to(static_cast<std::size_t>(counters.free_count));
  parts_.slot_of.grow_to(live_count);
  parts_.records.grow_to(live_count);
  Status taken;
  const auto enter = [&](std::size_t i) {
    const PackedId id = ids[i];
    const auto slot = static_cast<std::uint32_t>(id.index);
    if (slot_tag::kind(core_.slots().tag(slot)) != SlotState::unissued) {
      if (taken) taken = fail(ErrorCode::invalid_value, id_text(id) + " is in the registry twice");
      return;
    }
    if (i < live_count) {
      set_entry(slot, static_cast<std::uint32_t>(id.version + 1), static_cast<std::uint32_t>(i));
    } else {
      set_entry(slot, last_generation(id.version, layout) | slot_tag::kVacant, 0);
    }
    written_.push_back(slot);
  };
  for_each_changed(ranges, ids, old, enter);
  for_each_turned(enter);
  for (std::size_t i = before; i < ids.size; ++i) enter(i);
  if (!taken) return taken;

  const auto order = [&](std::size_t i) {
    if (i < live_count) set_slot_of(i, static_cast<std::uint32_t>(ids[i].index));
  };
  for_each_changed(ranges, ids, old, order);
  for (std::size_t i = std::min(live_before, both); i < live_count; ++i) order(i);
  for (std::size_t i = live_count; i < ids.size; ++i) {
    set_listed(ids.size - 1 - i, static_cast<std::uint32_t>(ids[i].index));
  }
  parts_.slots.counters = counters;
  parts_.slots.free_head = 0;
  parts_.slots.gap_count = 0;
  remember(ids);
  last_.live_count = live_count;
  last_.index_end = index_end;
  return set_slot_count(std::max(index_end, least_slots));
}

// The slots behind those of all entities are unissued.
Status PackedMirror::set_slot_count(std::uint64_t count) {
  if (count > core_.policy().layout.max_slots() || count > last_.format.index_mask()) {
    return fail(ErrorCode::limit_exceeded, "a pool has " + std::to_string(count) +
                                               " positions, tombstones included; compact() it");
  }
  core_.add_unissued(count);
  parts_.slots.counters.slot_count = count;
  const bool is_full = parts_.slots.counters.unissued_count() == 0;
  parts_.slots.first_unissued = is_full ? 0 : core_.slots().unissued_from(0);
  return {};
}

// --- components

Status PackedMirror::take_order(const PackedIds& ids, std::uint64_t first_hole) {
  core_.begin_change();
  ++parts_.slots.changes;
  const TableCore::Occupied writes(core_, TableCore::Busy::record);
  HDB_REQUIRE(core_.owner() != nullptr, "a pool follows the entities of its table");
  const Slots& owner = core_.owner()->slots();
  const std::vector<Range> ranges = changed_ranges(ids);
  const std::size_t before = last_.size;
  if (ranges.empty() && ids.size == before && (before == 0 || first_hole == last_.first_hole))
    return {};

  const PackedIds old = last();
  std::size_t holes = 0;
  for (std::size_t i = 0; i < ids.size; ++i) holes += ids.is_hole(i) ? 1 : 0;
  const auto leave = [&](std::size_t i) {
    if (!old.is_hole(i))
      set_entry(static_cast<std::uint32_t>(old[i].index), slot_tag::kUnissued, 0);
    drop_record(i);
  };
  for_each_changed(ranges, ids, old, leave);
  for (std::size_t i = ids.size; i < before; ++i) leave(i);

  core_.add_unissued(owner.counters().slot_count);
  parts_.slots.counters.slot_count = owner.counters().slot_count;
  parts_.slot_of.grow_to(ids.size);
  parts_.records.grow_to(ids.size);
  Status taken;
  const auto enter = [&](std::size_t i) {
    if (ids.is_hole(i)) return set_slot_of(i, kHole);
    const PackedId id = ids[i];
    const std::uint64_t generation = id.version + 1;
    const auto slot = static_cast<std::uint32_t>(id.index);
    const bool is_owned = id.index < owner.counters().slot_count &&
                          generation <= core_.policy().layout.max_generation() &&
                          owner.matches(slot, static_cast<std::uint32_t>(generation));
    if (!is_owned || slot_tag::kind(core_.slots().tag(slot)) != SlotState::unissued) {
      if (taken) {
        taken =
            fail(ErrorCode::invalid_value, "a component belongs to " + id_text(id) +
                                               (is_owned ? ", which has another one" : kNotLive));
      }
      return;
    }
    set_entry(slot, static_cast<std::uint32_t>(generation), static_cast<std::uint32_t>(i));
    set_slot_of(i, slot);
  };
  for_each_changed(ranges, ids, old, enter);
  for (std::size_t i = before; i < ids.size; ++i) enter(i);
  if (!taken) return taken;
  if (auto chained = take_holes(ids, first_hole, holes); !chained) return chained;
  parts_.slots.counters.live_count = ids.size - holes;
  parts_.slots.hole_count = holes;
  remember(ids);
  last_.first_hole = first_hole;
  return {};
}

Status PackedMirror::take_holes(const PackedIds& ids, std::uint64_t first_hole, std::size_t count) {
  parts_.slots.free_list.grow_to(count);
  std::uint64_t hole = first_hole;
  for (std::size_t i = 0; i < count; ++i) {
    // A chain that leads to a hole twice ends too late or never.
    if (hole >= ids.size || !ids.is_hole(static_cast<std::size_t>(hole))) {
      return fail(ErrorCode::invalid_value, "the chain of tombstones has " + std::to_string(i) +
                                                " of " + std::to_string(count) + " positions");
    }
    set_listed(count - 1 - i, static_cast<std::uint32_t>(hole));
    hole = ids[static_cast<std::size_t>(hole)].index;
  }
  if (hole == ids.format.index_mask()) return {};
  return fail(ErrorCode::invalid_value,
              "the chain of tombstones has more than its " + std::to_string(count) + " positions");
}

Status PackedMirror::check_owned(std::span<const std::uint32_t> slots) const {
  const Slots& owner = core_.owner()->slots();
  for (const std::uint32_t slot : slots) {
    if (slot >= core_.counters().slot_count) continue;
    const std::uint32_t tag = core_.slots().tag(slot);
    if (!slot_tag::is_live(tag) || owner.matches(slot, tag)) continue;
    return fail(ErrorCode::invalid_value,
                "a component belongs to " + id_text({slot, std::uint64_t{tag} - 1}) + kNotLive);
  }
  return {};
}

bool PackedMirror::lacks_records(std::size_t first, std::size_t count) const noexcept {
  if (parts_.records.is_trivial()) return false;
  for (std::size_t i = first; i < first + count; ++i) {
    if (core_.is_live_place(i) && !parts_.records.is_constructed(i)) return true;
  }
  return false;
}

void PackedMirror::take_records(std::size_t first, std::size_t count, const void* from) {
  if (count == 0) return;
  core_.begin_change();
  FlatArray& records = parts_.records;
  const std::size_t stride = records.stride();
  if (records.is_trivial()) {
    if (std::memcmp(records.at(first), from, count * stride) == 0) return;
    records.make_private(first, first + count);
    std::memcpy(records.owned_at(first), from, count * stride);
    return;
  }
  const TableCore::Occupied copies(core_, TableCore::Busy::record);
  records.make_private(first, first + count);
  const RecordOps& ops = core_.ops();
  for (std::size_t i = 0; i < count; ++i) {
    drop_record(first + i);
    if (!core_.is_live_place(first + i)) continue;
    ops.copy_construct(records.owned_at(first + i),
                       static_cast<const std::byte*>(from) + i * stride);
    records.mark_constructed(first + i);
  }
}

// --- back again

Result<PackedArray> PackedMirror::entities_of(const FrozenTable& table, const IdFormat& format) {
  const SlotCounters& counters = table.counters();
  const HandleLayout& layout = table.policy().layout;
  PackedArray array;
  array.format = format;
  array.first_hole = format.index_mask();
  array.live_count = static_cast<std::size_t>(counters.live_count);
  array.size = array.live_count + static_cast<std::size_t>(counters.free_count);
  if (counters.slot_count > format.index_mask() || counters.retired_count != 0) {
    return fail(ErrorCode::limit_exceeded,
                "the table has slots that an entity of the program cannot have");
  }
  array.bytes.resize(array.size * format.width_bytes);
  std::vector<SlotEntry> entries(static_cast<std::size_t>(counters.slot_count));
  table.slots.read_entries(0, entries);
  std::vector<std::uint32_t> order(array.size);
  if (array.live_count != 0) table.slot_of.read(0, array.live_count, order.data());
  table.slots.read_free_list(0, std::span(order).subspan(array.live_count));
  for (std::size_t i = 0; i < array.size; ++i) {
    const std::uint32_t tag = entries[order[i]].tag;
    std::uint64_t version = slot_tag::generation(tag, layout);
    if (slot_tag::is_live(tag)) {
      --version;
    } else if (version == layout.max_generation()) {
      version = 0;
    }
    array.set(i, order[i], version);
    array.index_end = std::max<std::uint64_t>(array.index_end, std::uint64_t{order[i]} + 1);
  }
  return array;
}

Result<PackedArray> PackedMirror::order_of(const FrozenTable& table, const IdFormat& format) {
  const auto places = static_cast<std::size_t>(table.end_place());
  PackedArray array;
  array.format = format;
  array.size = places;
  array.first_hole = format.index_mask();
  array.bytes.resize(places * format.width_bytes);
  std::vector<SlotEntry> entries(static_cast<std::size_t>(table.counters().slot_count));
  table.slots.read_entries(0, entries);
  std::vector<std::uint32_t> order(places);
  if (places != 0) table.slot_of.read(0, places, order.data());
  for (std::size_t i = 0; i < places; ++i) {
    if (order[i] == kHole) continue;
    array.set(i, order[i], std::uint64_t{entries[order[i]].tag} - 1);
  }
  std::vector<std::uint32_t> holes(static_cast<std::size_t>(table.slots.hole_count));
  table.slots.read_free_list(0, holes);
  for (auto hole = holes.rbegin(); hole != holes.rend(); ++hole) {
    array.set(*hole, array.first_hole, format.version_mask());
    array.first_hole = *hole;
  }
  return array;
}

}  // namespace hdb::detail
