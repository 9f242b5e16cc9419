// The report of a repair for people: first what it comes to, then the frame, then the tables.
#include <algorithm>

#include <fmt/format.h>

#include "input.hpp"
#include "repair/report.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

std::string shown_error(const Error& error) {
  std::string text = code_id(error.code);
  if (error.offset != kNoOffset)
    text += fmt::format(" at 0x{:08x} ({})", error.offset, error.offset);
  const std::string what = error.what.empty() ? std::string(code_text(error.code)) : error.what;
  return text + ": " + printable_text(what);
}

// " (column 'pos.x')": where in the group.
std::string inner_place(const Error& error) {
  const std::size_t outer = error.where.rfind(" of group ");
  return outer == std::string::npos ? ""
                                    : " (" + printable_text(error.where.substr(0, outer)) + ")";
}

// "group 3 (slots 192..255)", "groups 3..9 (slots 192..639)".
std::string groups_text(std::uint64_t first, std::uint64_t end, std::uint64_t first_slot,
                        std::uint64_t end_slot) {
  const std::string groups = first + 1 == end ? fmt::format("group {}", first)
                                              : fmt::format("groups {}..{}", first, end - 1);
  return fmt::format("{} (slots {}..{})", groups, first_slot, end_slot - 1);
}

// "40 values from slot1.hdb, 3 at their default".
std::string sources_text(const LostField& lost) {
  std::string text;
  for (const TakenValues& from : lost.taken) {
    text += fmt::format("{}{} from {}", text.empty() ? "" : ", ", count_text(from.values, "value"),
                        printable_text(from.name));
  }
  const std::uint64_t left = lost.defaulted();
  if (left == 0) return text;
  return fmt::format("{}{}{} at {} default", text, text.empty() ? "" : ", ", left,
                     left == 1 ? "its" : "their");
}

void print_lost_fields(const TableSalvage& table, Output& out) {
  for (const LostField& lost : table.lost_fields) {
    out.print("    {}: {} lost in {}",
              groups_text(lost.group, lost.group + 1, lost.first_slot, lost.end_slot), lost.path,
              count_text(lost.records, "record"));
    out.print("      {}", sources_text(lost));
    out.line("      " + shown_error(lost.error) + inner_place(lost.error));
  }
  for (const RefusedNeighbour& refused : table.refused_neighbours)
    out.print("    {} not used: {}", printable_text(refused.name), refused.reason);
}

// Whether the list is one of holes, not of free slots.
bool has_holes(const RepairReport& report, const TableSalvage& table) {
  const auto& tables = report.salvage.image->tables();
  return std::any_of(tables.begin(), tables.end(), [&](const TableDescriptor& each) {
    return each.name == table.name && each.policy.is_component;
  });
}

void print_salvaged(const TableSalvage& table, bool holes, Output& out) {
  const auto line = [&](const std::string& text) { out.line("    " + text); };
  for (const LostGroups& lost : table.lost_groups) {
    line(fmt::format("{} lost{}",
                     groups_text(lost.first_group, lost.end_group, lost.first_slot, lost.end_slot),
                     lost.records ? fmt::format(", {}", count_text(*lost.records, "record")) : ""));
    line("  " + shown_error(lost.error) + inner_place(lost.error));
  }
  print_lost_fields(table, out);
  if (table.records_clashed != 0) {
    line(fmt::format("{} lost: another record has the same name or place",
                     count_text(table.records_clashed, "record")));
  }
  if (table.records_dropped != 0) {
    line(fmt::format("{} dropped: they held strong handles to lost records",
                     count_text(table.records_dropped, "record")));
  }
  if (table.records_orphaned != 0) {
    line(fmt::format("{} lost: their records are lost",
                     count_text(table.records_orphaned, "component")));
  }
  if (table.slots_jumped != 0) {
    line(fmt::format("{} free again; their next generations are above {}",
                     count_text(table.slots_jumped, "slot"), table.highest_generation));
  }
  if (table.slots_retired != 0)
    line(fmt::format("{} retired: no generation is left", count_text(table.slots_retired, "slot")));
  const std::string list = holes ? "holes" : "free list";
  for (const Error& fault : table.free_list_faults) line(list + ": " + shown_error(fault));
  if (!table.free_list_faults.empty() || table.free_list_added != 0) {
    line(fmt::format("{}: {} kept in order, {} added in {} order", list,
                     count_text(table.free_list_kept, holes ? "position" : "slot"),
                     table.free_list_added, holes ? "rising" : "slot"));
  }
  if (table.references_nulled != 0) {
    line(fmt::format("{} of lost records set to null",
                     count_text(table.references_nulled, "handle")));
  }
  if (table.references_kept != 0) {
    line(fmt::format(
        "{} of lost records kept: hdbinspect validate --level=deep lists the strong ones",
        count_text(table.references_kept, "handle")));
  }
  if (table.blobs_moved != 0)
    line(fmt::format("{} moved in the buffer to close gaps",
                     count_text(table.blobs_moved, "block")));
  if (table.is_sort_forgotten) line("the progress of its unfinished sort is lost");
  if (table.extensions_dropped != 0) {
    line(fmt::format("{} of a later version of hdb lost",
                     count_text(table.extensions_dropped, "addition")));
  }
  if (table.is_left_out)
    line("left out: the singleton has no record; the program creates a new one");
}

std::string head_of(const RepairReport& report, std::uint64_t before, std::uint64_t after,
                    std::uint64_t values, Output& out) {
  const Salvage& salvage = report.salvage;
  if (report.hash_differs)
    return out.paint(Style::bad,
                     "the blocks are sound, but the content does not match the state hash");
  if (salvage.is_sound()) return out.paint(Style::added, "sound: there is nothing to repair");
  if (!salvage.has_loss()) return out.paint(Style::added, "damaged, but nothing is lost");
  std::string text = before <= after ? "damaged; all records are saved"
                                     : fmt::format("damaged; {} of {} are saved, {} lost", after,
                                                   count_text(before, "record"), before - after);
  if (values != 0) text += fmt::format(", {} lost", count_text(values, "value"));
  return out.paint(Style::bad, text);
}

std::string unlisted_text(const Unlisted& unlisted) {
  std::string text;
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count != 0) text += (text.empty() ? "" : ", ") + count_text(count, what);
  };
  add(unlisted.records, "lost record");
  add(unlisted.references, "handle");
  add(unlisted.values, "lost value");
  return text;
}

}  // namespace

std::uint64_t lost_values(const TableSalvage& table) noexcept {
  std::uint64_t values = 0;
  for (const LostField& lost : table.lost_fields) values += lost.records;
  return values;
}

void print_repair(const RepairReport& report, Output& out) {
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  std::uint64_t values = 0;
  for (const TableSalvage& table : report.salvage.tables) {
    before += std::max(table.records_before, table.records_after);
    after += table.records_after;
    values += lost_values(table);
  }
  out.print("{}: {}", printable_text(shown_name(report.file)),
            head_of(report, before, after, values, out));
  for (const FrameFault& fault : report.salvage.faults) {
    const std::string where =
        fault.error.where.empty() ? "" : printable_text(fault.error.where) + ": ";
    out.line("  " + where + shown_error(fault.error));
    out.line("    " + printable_text(fault.effect));
  }
  if (report.salvage.extensions_dropped != 0) {
    out.print("  {} of a later version of hdb to the database lost",
              count_text(report.salvage.extensions_dropped, "addition"));
  }
  for (const TableSalvage& table : report.salvage.tables) {
    if (!table.has_loss()) continue;
    out.print("  table {}: {} -> {}", out.paint(Style::heading, escape_text(table.name)),
              table.records_before, count_text(table.records_after, "record"));
    print_salvaged(table, has_holes(report, table), out);
  }
  const std::string made = fmt::format("{}, state hash {}", size_text(report.written.bytes),
                                       report.written.state_hash.hex());
  if (report.output.empty()) {
    out.print("the new file would be {}; nothing was written", made);
  } else {
    out.print("{} was written: {}", printable_text(shown_name(report.output)), made);
  }
  if (report.unlisted.is_any()) {
    out.print("not listed because of --max-lost: {}", unlisted_text(report.unlisted));
  }
}

}  // namespace hdb::inspect
