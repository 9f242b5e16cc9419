// Columns of handles, one value after another; paths of handles only where one leaves the import.
#include "database/load/handle_remap.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "hdb/bytes.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/references.hpp"

namespace hdb {

HandleRemap::HandleRemap(const Reader& reader, const std::vector<ImportedTable>& tables,
                         const std::vector<const IncomingTable*>& incoming,
                         const ImportOptions& options)
    : descriptors_(reader.tables()), tables_(tables), options_(options), stored_(tables.size()) {
  for (std::size_t i = 0; i < tables.size(); ++i) {
    TableDescriptor& stored = descriptors_[incoming[i]->stored];
    const std::size_t type_id = stored.type_id;
    stored.policy.layout = tables[i].layout;
    stored_[i].incoming = incoming[i];
    if (type_id == 0) continue;
    if (type_id >= by_type_id_.size()) by_type_id_.resize(type_id + 1);
    by_type_id_[type_id] = i;
  }
}

void HandleRemap::describe(std::size_t table, std::vector<Column> columns) {
  Stored& stored = stored_[table];
  stored.columns = std::move(columns);
  stored.groups.resize(
      static_cast<std::size_t>(descriptors_[stored.incoming->stored].group_count()));
}

std::optional<std::size_t> HandleRemap::find(std::string_view name) const noexcept {
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (tables_[i].name == name) return i;
  }
  return std::nullopt;
}

const ImportedTable* HandleRemap::target_of(const Column& column,
                                            const HandleParts& parts) const noexcept {
  std::optional<std::size_t> table = column.target;
  if (column.has_type_ids) {
    table = parts.type_id < by_type_id_.size() ? by_type_id_[parts.type_id] : std::nullopt;
  }
  if (!table || tables_[*table].layout != column.field->layout) return nullptr;
  return &tables_[*table];
}

template <class Bits>
void HandleRemap::rewrite_column(const Column& column, Bytes& bytes,
                                 std::vector<Leaving>& leaving) const {
  const bool keeps = options_.leaving_handles == LeavingHandles::keep;
  for (std::size_t i = 0; i < bytes.size() / sizeof(Bits); ++i) {
    std::byte* const at = bytes.data() + i * sizeof(Bits);
    const Bits old = load_le<Bits>(at);
    if (old == 0) continue;
    const auto parts = split_handle(column.field->layout, old);
    const ImportedTable* const table = parts ? target_of(column, *parts) : nullptr;
    const ImportedRecord* const record =
        table != nullptr ? table->find(parts->index, parts->generation) : nullptr;
    if (record != nullptr) {
      store_le(at, static_cast<Bits>(table->new_bits(*record)));
      continue;
    }
    leaving.push_back({i, old});
    if (!keeps) store_le(at, Bits{0});
  }
}

EqualKeys HandleRemap::rewrite(std::size_t table, std::uint64_t group, RowGroup& rows) {
  Stored& stored = stored_[table];
  std::vector<std::vector<Leaving>> leaving(stored.columns.size());
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < stored.columns.size(); ++i) {
    const Column& column = stored.columns[i];
    Bytes& bytes = rows.columns[column.index];
    switch (column.width) {
      case 2: rewrite_column<std::uint16_t>(column, bytes, leaving[i]); break;
      case 4: rewrite_column<std::uint32_t>(column, bytes, leaving[i]); break;
      default: rewrite_column<std::uint64_t>(column, bytes, leaving[i]); break;
    }
    count += leaving[i].size();
  }
  if (count == 0) return EqualKeys::refuse;
  Found& found = stored.groups[static_cast<std::size_t>(group)];
  found.count = count;
  if (options_.max_leaving_listed != 0 || tables_[table].existing_count != 0)
    list_leaving(table, rows, leaving, found);
  return EqualKeys::merge;
}

// The visit meets the handles of each column in their order.
void HandleRemap::list_leaving(std::size_t table, const RowGroup& rows,
                               const std::vector<std::vector<Leaving>>& leaving,
                               Found& found) const {
  const Stored& stored = stored_[table];
  const ImportedTable& imported = tables_[table];
  const bool counts = imported.existing_count != 0;  // records that are not imported do not count
  const HandleNamer namer(descriptors_);
  struct Cursor {
    std::size_t ordinal = 0;
    std::vector<Leaving>::const_iterator next, end;
  };
  std::unordered_map<const Field*, Cursor> cursors;
  for (std::size_t i = 0; i < stored.columns.size(); ++i) {
    cursors[stored.columns[i].field] = {0, leaving[i].begin(), leaving[i].end()};
  }
  std::uint64_t counted = 0;
  GroupReferences references(stored.incoming->schema, stored.incoming->stored);
  const auto visited = references.visit(rows, [&](const Reference& reference) {
    Cursor& cursor = cursors.at(reference.field);
    const std::size_t ordinal = cursor.ordinal++;
    if (cursor.next == cursor.end || cursor.next->ordinal != ordinal) return true;
    const Leaving& left = *cursor.next++;
    const ImportedRecord* const record =
        imported.find(static_cast<std::uint32_t>(reference.slot), reference.generation);
    if (record == nullptr || !record->is_new) return true;
    ++counted;
    if (found.listed.size() < options_.max_leaving_listed) {
      found.listed.push_back({imported.name, imported.new_bits(*record), reference.path(),
                              left.bits, namer.name(*reference.field, left.bits)});
    }
    return counts || found.listed.size() < options_.max_leaving_listed;
  });
  // A record of more values than a visit takes: all handles count, those after it are not listed.
  if (counts && visited) found.count = counted;
}

void HandleRemap::report_leaving(ImportReport& report) {
  for (Stored& stored : stored_) {
    for (Found& found : stored.groups) {
      report.leaving_count += found.count;
      const std::size_t room = options_.max_leaving_listed - report.leaving.size();
      const auto end =
          found.listed.begin() + static_cast<std::ptrdiff_t>(std::min(room, found.listed.size()));
      std::move(found.listed.begin(), end, std::back_inserter(report.leaving));
    }
  }
}

}  // namespace hdb
