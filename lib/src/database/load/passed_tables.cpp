// Reads a table only where one number does not say what it issued.
#include "database/load/passed_tables.hpp"

#include <cstdint>
#include <string>

#include "database/tables/quoted.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb {
namespace {

Status charge_slots(std::uint64_t slots, const char* what, const std::string& where,
                    const ReadLimits& limits, MemoryBudget& budget) {
  if (slots > limits.max_slots_per_table) {
    return fail(ErrorCode::limit_exceeded,
                std::string(what) + " had " + std::to_string(slots) + " slots; at most " +
                    std::to_string(limits.max_slots_per_table) +
                    " are allowed (ReadLimits::max_slots_per_table)",
                where);
  }
  if (budget.charge(slots * sizeof(std::uint32_t))) return {};
  return fail(ErrorCode::memory_budget,
              "the slots of " + std::string(what) + " need " +
                  std::to_string(slots * sizeof(std::uint32_t)) + " bytes more",
              where);
}

}  // namespace

Status add_passed_tables(const Reader& reader, const std::vector<PassedTable>& passed,
                         const ReadLimits& limits, MemoryBudget& budget, DroppedTables& dropped) {
  for (const PassedTable& each : passed) {
    const TableDescriptor& table = reader.tables()[each.stored];
    const std::string where = "load, " + quoted(table.name);
    const auto read = [&](std::uint64_t group, RowGroup& out) {
      if (group == 0) {
        auto charged =
            charge_slots(table.slot_count, "a table that is skipped", where, limits, budget);
        if (!charged) return charged;
      }
      return reader.check_group(each.stored, group, out);
    };
    auto issued = issued_by(table, read);
    if (!issued) return fail(std::move(issued.error()));
    const HandleSpace space = space_of_table(each.name, table.policy.layout, table.type_id);
    dropped = dropped.with(table.scope, space, *std::move(issued));
  }
  return {};
}

Status charge_dropped_handles(const DatabaseDescriptor& file, const ReadLimits& limits,
                              MemoryBudget& budget) {
  for (const std::uint8_t tag : format::kKnownCatalogExtensions) {
    for (const DroppedHandles& each : dropped_handles_of(file, tag)) {
      if (each.slots.empty()) continue;
      const std::uint64_t slots = std::uint64_t{each.slots.back().first} + 1;
      if (auto charged = charge_slots(slots, "a dropped table", "load", limits, budget); !charged)
        return charged;
    }
  }
  return {};
}

}  // namespace hdb
