// Reachability by a worklist; cycles as the strongly connected parts of what is left.
#include "database/resources/reference_cycles.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "database/resources/reference_columns.hpp"
#include "hdb/detail/core/tables/ref_counts.hpp"
#include "hdb/detail/core/tables/table_iteration.hpp"

namespace hdb::detail {

ReferenceCycles::ReferenceCycles(const Database& database) : database_(database) {
  for (const auto& entry : database.tables_) {
    if (entry->references != nullptr) {
      tables_.push_back({entry.get(), StrongTarget(entry->core(), entry->key), {}});
    }
  }
  for (Resources& resources : tables_) {
    for (const auto& entry : database.tables_) {
      if (entry->owner.get() == resources.entry) resources.components.push_back(entry.get());
    }
  }
}

template <class Visit>
Status ReferenceCycles::for_each_held(Node node, const Visit& visit) {
  const Resources& resources = tables_[node.table];
  const TableCore& core = resources.entry->core();
  if (auto seen = for_each_held(*resources.entry, core.place_of(node.slot), visit); !seen)
    return seen;
  for (const TableEntry* const entry : resources.components) {
    const TableCore& component = entry->core();
    if (!component.slots().matches(node.slot, core.slots().tag(node.slot))) continue;
    if (auto seen = for_each_held(*entry, component.place_of(node.slot), visit); !seen) return seen;
  }
  return {};
}

template <class Visit>
Status ReferenceCycles::for_each_held(const TableEntry& holder, std::uint32_t place,
                                      const Visit& visit) {
  const std::array<const void*, 1> record{holder.core().record_at(place)};
  for (std::uint32_t table = 0; table < tables_.size(); ++table) {
    const StrongTarget& target = tables_[table].target;
    if (!holder.codec->has_strong(target.keys())) continue;
    bits_.clear();
    if (auto gathered = holder.codec->gather_strong(record, target.keys(), bits_); !gathered) {
      return fail(std::move(gathered.error()).in("table '" + holder.name + "'"));
    }
    for (const std::uint64_t bits : bits_) {
      if (const auto slot = target.slot_of(bits)) visit(Node{table, *slot});
    }
  }
  return {};
}

template <class Visit>
Status ReferenceCycles::for_all_held(const TableEntry& holder, const Visit& visit) {
  const bool holds = std::any_of(tables_.begin(), tables_.end(), [&](const Resources& resources) {
    return holder.codec->has_strong(resources.target.keys());
  });
  if (!holds) return {};
  const std::uint64_t end = holder.core().end_place();
  for (std::uint64_t place = next_live_place(holder.core(), 0, end); place < end;
       place = next_live_place(holder.core(), place + 1, end)) {
    if (auto seen = for_each_held(holder, static_cast<std::uint32_t>(place), visit); !seen)
      return seen;
  }
  return {};
}

Status ReferenceCycles::mark_roots() {
  const auto mark = [this](Node node) {
    if (tables_[node.table].target.mark(node.slot)) to_visit_.push_back(node);
  };
  for (const auto& entry : database_.tables_) {
    const TableEntry& whole = entry->owner != nullptr ? *entry->owner : *entry;
    if (whole.references != nullptr) continue;  // a resource or part of one: no root by itself
    if (auto seen = for_all_held(*entry, mark); !seen) return seen;
  }
  for (std::uint32_t table = 0; table < tables_.size(); ++table) {
    const TableEntry& entry = *tables_[table].entry;
    for_each_kept(database_, entry, [&](std::uint64_t bits) {
      if (const auto slot = tables_[table].target.slot_of(bits)) mark(Node{table, *slot});
    });
    if (entry.references->total() == 0) continue;
    for (std::uint32_t slot = 0; slot < entry.core().counters().slot_count; ++slot) {
      const std::uint32_t tag = entry.core().slots().tag(slot);
      if (slot_tag::is_live(tag) && entry.references->count(slot, tag) != 0)
        mark(Node{table, slot});
    }
  }
  return {};
}

Status ReferenceCycles::mark_reachable() {
  for (Resources& resources : tables_) resources.target.unmark();
  if (auto marked = mark_roots(); !marked) return marked;
  while (!to_visit_.empty()) {
    const Node node = to_visit_.back();
    to_visit_.pop_back();
    auto seen = for_each_held(node, [this](Node held) {
      if (tables_[held.table].target.mark(held.slot)) to_visit_.push_back(held);
    });
    if (!seen) return seen;
  }
  return {};
}

const std::vector<std::uint64_t>* ReferenceCycles::marks_of(const TableCore& table) const noexcept {
  const auto found = std::find_if(tables_.begin(), tables_.end(), [&](const Resources& resources) {
    return &resources.entry->core() == &table;
  });
  return found == tables_.end() ? nullptr : &found->target.marks();
}

Result<std::vector<CycleResource>> ReferenceCycles::cycles() {
  // The unreachable resources are numbered by table, then by slot.
  std::vector<Node> nodes;
  std::vector<std::vector<std::uint32_t>> number_of(tables_.size());
  constexpr std::uint32_t kReachable = std::numeric_limits<std::uint32_t>::max();
  for (std::uint32_t table = 0; table < tables_.size(); ++table) {
    const TableCore& core = tables_[table].entry->core();
    const std::uint64_t slots = core.counters().slot_count;
    number_of[table].assign(static_cast<std::size_t>(slots), kReachable);
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      if (!slot_tag::is_live(core.slots().tag(slot))) continue;
      if (tables_[table].target.is_marked(slot)) continue;
      number_of[table][slot] = static_cast<std::uint32_t>(nodes.size());
      nodes.push_back({table, slot});
    }
  }
  ReferenceColumns parts(nodes.size());
  for (std::uint32_t number = 0; number < nodes.size(); ++number) {
    auto seen = for_each_held(nodes[number], [&](Node held) {
      // What an unreachable resource holds is unreachable, or held by a reachable one too.
      const std::uint32_t to = number_of[held.table][held.slot];
      if (to != kReachable) parts.add_edge(number, to);
    });
    if (!seen) return fail(std::move(seen.error()));
  }
  const std::vector<ReferenceColumns::Place> places = parts.find();
  std::vector<CycleResource> found;
  for (std::uint32_t number = 0; number < nodes.size(); ++number) {
    if (!places[number].is_kept) continue;
    const TableEntry& entry = *tables_[nodes[number].table].entry;
    const std::uint32_t slot = nodes[number].slot;
    CycleResource resource;
    resource.table = entry.name;
    resource.handle = pack_handle(entry.core().policy().layout, slot,
                                  entry.core().slots().tag(slot), entry.core().options().type_id);
    if (entry.core().names() != nullptr) resource.name = entry.core().name_of(slot);
    resource.cycle = places[number].cycle;
    found.push_back(std::move(resource));
  }
  return found;
}

}  // namespace hdb::detail

namespace hdb {

Result<std::vector<CycleResource>> strong_cycles(const Database& database) {
  detail::ReferenceCycles graph(database);
  if (auto marked = graph.mark_reachable(); !marked) return fail(std::move(marked.error()));
  return graph.cycles();
}

}  // namespace hdb
