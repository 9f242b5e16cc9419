// Looking up imported records, and the report of an import in one line.
#include <algorithm>
#include <string>

#include "database/load/report_text.hpp"
#include "hdb/any_handle.hpp"
#include "hdb/import.hpp"
#include "hdb/inspect/text.hpp"
#include "hdb/translate_handle.hpp"

namespace hdb {

const ImportedRecord* ImportedTable::find(std::uint32_t old_slot,
                                          std::uint32_t old_generation) const noexcept {
  if (records.empty() || old_slot > records.back().old_slot) return nullptr;
  // Entry i has slot i, or a greater one by at most the number of slots that have no entry.
  const std::size_t gaps = std::size_t{records.back().old_slot} + 1 - records.size();
  const std::size_t first = old_slot > gaps ? old_slot - gaps : 0;
  const std::size_t last = std::min<std::size_t>(old_slot, records.size() - 1);
  const auto begin = records.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = records.begin() + static_cast<std::ptrdiff_t>(last) + 1;
  const auto found = std::lower_bound(
      begin, end, old_slot,
      [](const ImportedRecord& record, std::uint32_t wanted) { return record.old_slot < wanted; });
  if (found == end || found->old_slot != old_slot || found->old_generation != old_generation)
    return nullptr;
  return &*found;
}

bool ImportReport::is_issued_by(const ImportedTable& table, HandleKey key,
                                const HandleLayout& layout) noexcept {
  return table.layout == layout && table.key != HandleKey() &&
         (table.key == key || key == handle_key<AnyRecord, TypedLayout>());
}

std::uint64_t ImportReport::find_bits(HandleKey key, const HandleLayout& layout,
                                      std::uint64_t old) const noexcept {
  const auto parts = split_handle(layout, old);
  if (!parts || old == 0) return 0;
  for (const ImportedTable& table : tables) {
    if (table.layout != layout) continue;
    if (layout.type_bits == 0 ? table.key != key : table.old_type_id != parts->type_id) continue;
    const ImportedRecord* const record = table.find(parts->index, parts->generation);
    return record != nullptr ? table.new_bits(*record) : 0;
  }
  return 0;
}

const ImportedTable* ImportReport::table(std::string_view name) const noexcept {
  for (const ImportedTable& each : tables) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

std::string ImportReport::summary() const {
  ReportLine line;
  for (const ImportedTable& each : tables) {
    std::string text = table_text(each);
    if (each.existing_count != 0)
      text += ", " + std::to_string(each.existing_count) + " already there";
    if (each.unnamed_count != 0)
      text += ", " + std::to_string(each.unnamed_count) + " without its name";
    line.add(text);
  }
  line.add(names_text("not in the program, skipped: ", unknown_tables));
  line.add(names_text("not imported, unchanged: ", skipped_tables));
  if (unresolved_count != 0) {
    line.add(std::to_string(unresolved_count) +
             (unresolved_count == 1 ? " handle leaves" : " handles leave") + " the import");
  }
  return line.text();
}

}  // namespace hdb
