// Repairs, and the comparison of a repaired file with the undamaged one.
#include "inspect/salvage_tools.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"

#include <algorithm>

namespace hdb::test {
namespace {

std::shared_ptr<const Reader> opened(std::span<const std::byte> file) {
  auto reader = Reader::open(std::make_unique<MemorySource>(MemorySource::borrowing(file)));
  return reader ? std::shared_ptr<const Reader>(std::move(*reader)) : nullptr;
}

// (position, slot) of the live records of the groups that are not lost.
std::vector<std::uint64_t> order_of(const Reader& reader, std::size_t table, std::size_t number,
                                    const std::set<GroupKey>& lost) {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> pairs;
  RowGroup group;
  for (std::uint64_t g = 0; g < reader.tables()[table].group_count(); ++g) {
    if (lost.contains({number, g}) || !reader.read_group(table, g, group)) continue;
    std::size_t row = 0;
    for (std::size_t i = 0; i < group.states.size() && row < group.positions.size(); ++i) {
      if (group.states[i] == static_cast<std::uint8_t>(SlotState::live))
        pairs.emplace_back(group.positions[row++], group.first_slot + i);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  std::vector<std::uint64_t> slots;
  for (const auto& [position, slot] : pairs) slots.push_back(slot);
  return slots;
}

std::vector<std::uint32_t> free_list_of(const Reader& reader, std::size_t table, std::size_t number,
                                        const std::set<GroupKey>& lost) {
  auto list = reader.read_free_list(table);
  if (!list) return {~0U};
  const TableDescriptor& descriptor = reader.tables()[table];
  std::erase_if(*list, [&](std::uint32_t slot) {
    return lost.contains({number, std::uint64_t{slot} >> descriptor.group_shift});
  });
  return *list;
}

// With the groups of component tables in which components went with their records.
std::set<GroupKey> with_components(const Reader& reader, const std::set<GroupKey>& lost) {
  std::set<GroupKey> all = lost;
  const auto& tables = reader.tables();
  for (const auto& [number, group] : lost) {
    for (std::size_t i = 0; i < tables.size(); ++i) {
      if (tables[i].owner != tables[number].name) continue;
      const std::uint64_t last = tables[number].group_end(group) - 1;
      for (std::uint64_t g = tables[number].group_begin(group) >> tables[i].group_shift;
           g <= last >> tables[i].group_shift; ++g) {
        all.emplace(i, g);
      }
    }
  }
  return all;
}

bool has_lost(const std::set<GroupKey>& lost, std::size_t table) {
  return std::any_of(lost.begin(), lost.end(),
                     [table](const GroupKey& key) { return key.first == table; });
}

}  // namespace

const TableSalvage& Repaired::table(const std::string& name) const {
  const auto at = std::find_if(tables.begin(), tables.end(),
                               [&](const TableSalvage& table) { return table.name == name; });
  static const TableSalvage kNone;
  return at == tables.end() ? kNone : *at;
}

Repaired repair(std::span<const std::byte> bytes, const SalvageOptions& options,
                const std::vector<Bytes>& neighbours) {
  Repaired result;
  std::vector<Neighbour> others;
  for (const Bytes& each : neighbours) {
    others.push_back({std::to_string(others.size()),
                      std::make_unique<MemorySource>(MemorySource::borrowing(each))});
  }
  auto salvaged = salvage(std::make_unique<MemorySource>(MemorySource::borrowing(bytes)), options,
                          std::move(others));
  if (!salvaged) {
    result.error = std::move(salvaged.error());
    return result;
  }
  result.has_loss = salvaged->has_loss();
  result.is_sound = salvaged->is_sound();
  result.tables = salvaged->tables;
  result.faults = salvaged->faults;
  result.unusable = salvaged->unusable_neighbours;
  MemorySink sink;
  auto written = write_image(*salvaged->image, sink);
  if (!written) {
    result.error = std::move(written.error());
    result.fault = "the image is refused: " + result.error->message();
    return result;
  }
  result.bytes = sink.take();
  ValidationOptions how;
  how.level =
      options.references == LostReferences::keep ? ValidationLevel::full : ValidationLevel::deep;
  how.limits = options.limits;
  const Validation checked = validate(std::make_unique<MemorySource>(result.bytes), how);
  if (checked.trouble) result.fault = checked.trouble->message();
  if (!checked.findings.empty()) result.fault = checked.findings.front().error.message();
  return result;
}

std::string difference(std::span<const std::byte> before, std::span<const std::byte> after,
                       const std::set<GroupKey>& damaged, bool with_free_lists) {
  const auto old = opened(before);
  const auto now = opened(after);
  if (!old || !now) return "a file does not open";
  const std::set<GroupKey> lost = with_components(*old, damaged);
  std::size_t matched = 0;
  for (std::size_t i = 0; i < old->tables().size(); ++i) {
    const TableDescriptor& table = old->tables()[i];
    const auto at = std::find_if(now->tables().begin(), now->tables().end(),
                                 [&](const TableDescriptor& t) { return t.name == table.name; });
    if (at == now->tables().end()) {
      if (table.singleton && lost.contains({i, 0})) continue;
      return "table " + table.name + " is gone";
    }
    ++matched;
    const auto j = static_cast<std::size_t>(at - now->tables().begin());
    if (at->slot_count != table.slot_count || at->policy != table.policy ||
        at->counter != table.counter || at->highest_generation != table.highest_generation ||
        at->flush_cursor != table.flush_cursor || at->type_id != table.type_id) {
      return "the descriptor of " + table.name;
    }
    // Blocks move together where others went.
    const bool moves = table.blobs && table.blobs->compaction == Compaction::at_release;
    const std::size_t offsets = table.policy.names == RecordNames::none ? 0 : 2;
    RowGroup a;
    RowGroup b;
    for (std::uint64_t g = 0; g < table.group_count(); ++g) {
      if (lost.contains({i, g})) continue;
      if (!old->read_group(i, g, a) || !now->read_group(j, g, b)) return "a group cannot be read";
      if (moves && !lost.empty()) a.columns[offsets] = b.columns[offsets];
      if (a.states != b.states || a.generations != b.generations || a.columns != b.columns)
        return "group " + std::to_string(g) + " of " + table.name;
    }
    if (order_of(*old, i, i, lost) != order_of(*now, j, i, lost)) return "order of " + table.name;
    if (table.policy.is_component && has_lost(lost, i)) continue;  // there are more holes
    if (with_free_lists && free_list_of(*old, i, i, lost) != free_list_of(*now, j, i, lost))
      return "free list of " + table.name;
  }
  if (matched != now->tables().size()) return "there are more tables";
  if (now->database() != old->database()) return "the database";
  return {};
}

std::set<GroupKey> groups_in(std::span<const std::byte> file, const BlockInfo& block) {
  const auto type = static_cast<format::BlockType>(block.type);
  if (type == format::BlockType::rows) return {{block.table, block.group}};
  std::set<GroupKey> groups;
  if (type != format::BlockType::pack) return groups;
  const auto reader = opened(file);
  for (std::size_t i = 0; i < reader->blocks().size(); ++i) {
    if (reader->blocks()[i].offset != block.offset) continue;
    for (const std::uint32_t table : reader->tables_in(i)) groups.emplace(table, 0);
  }
  return groups;
}

std::vector<BlockInfo> blocks_of(std::span<const std::byte> file) {
  const auto reader = opened(file);
  return reader ? reader->blocks() : std::vector<BlockInfo>{};
}

}  // namespace hdb::test
