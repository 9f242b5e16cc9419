// The report of a repair for programs: faults, tables with their lost groups, then the whole.
#include "hdb/inspect/text.hpp"
#include "input.hpp"
#include "repair/report.hpp"

namespace hdb::inspect {
namespace {

std::string json_groups(const std::vector<LostGroups>& groups) {
  JsonArray array;
  for (const LostGroups& lost : groups) {
    JsonObject object;
    object.number("first_group", lost.first_group).number("end_group", lost.end_group);
    object.number("first_slot", lost.first_slot).number("end_slot", lost.end_slot);
    if (lost.records) object.number("records", *lost.records);
    add_error(lost.error, object);
    array.raw(object.str());
  }
  return array.str();
}

std::string json_fields(const std::vector<LostField>& fields) {
  JsonArray array;
  for (const LostField& lost : fields) {
    JsonArray taken;
    for (const TakenValues& from : lost.taken) {
      JsonObject object;
      object.text("source", json_name(from.name)).number("values", from.values);
      taken.raw(object.str());
    }
    JsonObject object;
    object.number("group", lost.group).number("first_slot", lost.first_slot);
    object.number("end_slot", lost.end_slot).text("path", lost.path);
    object.number("records", lost.records).raw("taken", taken.str());
    object.number("defaulted", lost.defaulted());
    add_error(lost.error, object);
    array.raw(object.str());
  }
  return array.str();
}

std::string json_refused(const std::vector<RefusedNeighbour>& neighbours) {
  JsonArray array;
  for (const RefusedNeighbour& refused : neighbours) {
    JsonObject object;
    object.text("source", json_name(refused.name)).text("reason", refused.reason);
    array.raw(object.str());
  }
  return array.str();
}

std::string json_errors(const std::vector<Error>& errors) {
  JsonArray array;
  for (const Error& error : errors) {
    JsonObject object;
    add_error(error, object);
    array.raw(object.str());
  }
  return array.str();
}

void print_table_json(const RepairReport& report, const TableSalvage& table, Output& out) {
  JsonObject object("repair_table");
  object.text("file", json_name(report.file)).text("table", table.name);
  object.boolean("loss", table.has_loss()).boolean("left_out", table.is_left_out);
  object.number("records_before", table.records_before)
      .number("records_after", table.records_after);
  object.number("records_clashed", table.records_clashed);
  object.number("records_dropped", table.records_dropped);
  object.number("records_orphaned", table.records_orphaned);
  object.raw("lost_groups", json_groups(table.lost_groups));
  object.raw("lost_fields", json_fields(table.lost_fields));
  object.raw("refused_neighbours", json_refused(table.refused_neighbours));
  object.number("slots_jumped", table.slots_jumped).number("slots_retired", table.slots_retired);
  object.number("highest_generation", table.highest_generation);
  object.raw("free_list_faults", json_errors(table.free_list_faults));
  object.number("free_list_kept", table.free_list_kept);
  object.number("free_list_added", table.free_list_added);
  object.number("references_nulled", table.references_nulled);
  object.number("references_kept", table.references_kept);
  object.number("blobs_moved", table.blobs_moved);
  object.boolean("sort_forgotten", table.is_sort_forgotten)
      .number("extensions_dropped", table.extensions_dropped);
  out.line(object.str());
}

}  // namespace

void print_repair_json(const RepairReport& report, Output& out) {
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  std::uint64_t values = 0;
  for (const FrameFault& fault : report.salvage.faults) {
    JsonObject object("repair_fault");
    object.text("file", json_name(report.file));
    add_error(fault.error, object);
    out.line(object.text("effect", fault.effect).boolean("loss", fault.is_loss).str());
  }
  for (const TableSalvage& table : report.salvage.tables) {
    print_table_json(report, table, out);
    before += table.records_before;
    after += table.records_after;
    values += lost_values(table);
  }
  JsonObject object("repair");
  object.text("file", json_name(report.file));
  if (!report.output.empty()) object.text("output", json_name(report.output));
  object.boolean("sound", report.salvage.is_sound() && !report.hash_differs);
  object.boolean("loss", report.salvage.has_loss() || report.hash_differs);
  object.number("records_before", before).number("records_after", after);
  object.number("values_lost", values);
  if (report.salvage.extensions_dropped != 0)
    object.number("extensions_dropped", report.salvage.extensions_dropped);
  object.number("output_bytes", report.written.bytes);
  object.hash("state_hash", report.written.state_hash);
  if (report.salvage.stored_state_hash)
    object.hash("stored_state_hash", *report.salvage.stored_state_hash);
  if (report.unlisted.is_any()) {
    object.number("unlisted_records", report.unlisted.records);
    object.number("unlisted_references", report.unlisted.references);
    object.number("unlisted_values", report.unlisted.values);
  }
  out.line(object.str());
}

}  // namespace hdb::inspect
