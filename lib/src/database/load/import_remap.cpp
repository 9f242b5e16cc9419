// Columns of handles, one value after another; paths of handles only where one leaves the import.
#include "database/load/import_remap.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "hdb/assert.hpp"
#include "hdb/bytes.hpp"
#include "hdb/import.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/references.hpp"
#include "hdb/translate_handle.hpp"

namespace hdb {

ImportRemap::ImportRemap(const evolve::EvolvedImage& image,
                         const std::vector<ImportedTable>& imported,
                         const std::vector<std::size_t>& numbers, const ImportOptions& options)
    : LoadImage(static_cast<const ImageSource&>(image)),
      image_(image),
      imported_(imported),
      options_(options),
      stored_(imported.size()),
      by_number_(image.tables().size()) {
  for (std::size_t i = 0; i < imported.size(); ++i) {
    stored_[i].number = numbers[i];
    by_number_[numbers[i]] = i;
    const std::size_t type_id = image.tables()[numbers[i]].type_id;
    if (type_id == 0) continue;
    if (type_id >= by_type_id_.size()) by_type_id_.resize(type_id + 1);
    by_type_id_[type_id] = i;
  }
}

void ImportRemap::describe(std::size_t imported, std::vector<Column> columns) {
  Stored& stored = stored_[imported];
  stored.columns = std::move(columns);
  stored.groups.resize(static_cast<std::size_t>(tables()[stored.number].group_count()));
}

std::optional<std::size_t> ImportRemap::find(std::string_view name) const noexcept {
  for (std::size_t i = 0; i < imported_.size(); ++i) {
    if (imported_[i].name == name) return i;
  }
  return std::nullopt;
}

const ImportedTable* ImportRemap::target_of(const Column& column,
                                            const HandleParts& parts) const noexcept {
  std::optional<std::size_t> table = column.target;
  if (column.has_type_ids) {
    table = parts.type_id < by_type_id_.size() ? by_type_id_[parts.type_id] : std::nullopt;
  }
  if (!table || imported_[*table].layout != column.field->layout) return nullptr;
  return &imported_[*table];
}

template <class Bits>
void ImportRemap::rewrite_column(const Column& column, Bytes& bytes,
                                 std::vector<Unresolved>& leaving) const {
  const bool keeps = options_.unresolved_handles == UnresolvedHandles::keep;
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

Status ImportRemap::read_group(std::size_t table, std::uint64_t group, bool with_hash,
                               RowGroup& out) const {
  HDB_ASSERT(!with_hash, "an import verifies no state hash");
  if (auto read = image_.read_group(table, group, with_hash, out); !read) return read;
  const Stored* const stored = find_stored(table);
  if (stored == nullptr) return {};
  std::vector<std::vector<Unresolved>> leaving(stored->columns.size());
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < stored->columns.size(); ++i) {
    const Column& column = stored->columns[i];
    Bytes& bytes = out.columns[column.index];
    switch (column.width) {
      case 2: rewrite_column<std::uint16_t>(column, bytes, leaving[i]); break;
      case 4: rewrite_column<std::uint32_t>(column, bytes, leaving[i]); break;
      default: rewrite_column<std::uint64_t>(column, bytes, leaving[i]); break;
    }
    count += leaving[i].size();
  }
  if (count == 0) return {};
  Found& found = stored->groups[static_cast<std::size_t>(group)];
  found.count = count;
  found.has_left = true;
  const std::size_t imported = *by_number_[table];
  if (options_.max_unresolved_listed != 0 || imported_[imported].existing_count != 0)
    list_unresolved(imported, out, leaving, found);
  return {};
}

// Null: the table is not imported, or its records have no handles.
const ImportRemap::Stored* ImportRemap::find_stored(std::size_t table) const noexcept {
  const auto imported = by_number_[table];
  return imported && !stored_[*imported].columns.empty() ? &stored_[*imported] : nullptr;
}

bool ImportRemap::has_cleared_handles(std::size_t table, std::uint64_t group) const {
  const Stored* const stored = find_stored(table);
  return image_.has_cleared_handles(table, group) ||
         (stored != nullptr && stored->groups[static_cast<std::size_t>(group)].has_left);
}

// The visit meets the handles of each column in their order.
void ImportRemap::list_unresolved(std::size_t imported, const RowGroup& rows,
                                  const std::vector<std::vector<Unresolved>>& leaving,
                                  Found& found) const {
  const Stored& stored = stored_[imported];
  const ImportedTable& into = imported_[imported];
  const bool counts = into.existing_count != 0;  // records that are not imported do not count
  const HandleNamer namer(tables());
  struct Cursor {
    std::size_t ordinal = 0;
    std::vector<Unresolved>::const_iterator next, end;
  };
  std::unordered_map<const Field*, Cursor> cursors;
  for (std::size_t i = 0; i < stored.columns.size(); ++i) {
    cursors[stored.columns[i].field] = {0, leaving[i].begin(), leaving[i].end()};
  }
  std::uint64_t counted = 0;
  GroupReferences references(schemas()[tables()[stored.number].schema], stored.number);
  const auto visited = references.visit(rows, [&](const Reference& reference) {
    Cursor& cursor = cursors.at(reference.field);
    const std::size_t ordinal = cursor.ordinal++;
    if (cursor.next == cursor.end || cursor.next->ordinal != ordinal) return true;
    const Unresolved& left = *cursor.next++;
    const ImportedRecord* const record =
        into.find(static_cast<std::uint32_t>(reference.slot), reference.generation);
    if (record == nullptr || !record->is_new) return true;
    ++counted;
    if (found.listed.size() < options_.max_unresolved_listed) {
      found.listed.push_back({into.name, into.new_bits(*record), reference.path(), left.bits,
                              namer.name(*reference.field, left.bits)});
    }
    return counts || found.listed.size() < options_.max_unresolved_listed;
  });
  // A record of more values than a visit takes: all handles count, those after it are not listed.
  if (counts && visited) found.count = counted;
}

void ImportRemap::report_unresolved(ImportReport& report) {
  for (Stored& stored : stored_) {
    for (Found& found : stored.groups) {
      report.unresolved_count += found.count;
      const std::size_t room = options_.max_unresolved_listed - report.unresolved.size();
      const auto end =
          found.listed.begin() + static_cast<std::ptrdiff_t>(std::min(room, found.listed.size()));
      std::move(found.listed.begin(), end, std::back_inserter(report.unresolved));
    }
  }
}

}  // namespace hdb
