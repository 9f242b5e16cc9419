// Reads whole tables as trustingly as a validation does: not at all.
#include "database/kept/kept_file.hpp"

#include <algorithm>
#include <utility>

#include "base/ordered_work.hpp"
#include "database/kept/kept_rows.hpp"
#include "hdb/inspect/checks.hpp"

namespace hdb {
namespace {

std::uint64_t bytes_of_group(const RowGroup& group) noexcept {
  std::uint64_t bytes =
      group.states.size() + 4 * (group.generations.size() + group.positions.size());
  for (const Bytes& column : group.columns) bytes += column.size() + sizeof(Bytes);
  return bytes;
}

class TableReader {
 public:
  TableReader(const Reader& reader, std::size_t number, MemoryBudget& budget, KeptTable& table)
      : reader_(reader),
        number_(number),
        budget_(budget),
        table_(table),
        checker_(table.descriptor) {}

  Status read(unsigned threads, const Executor& executor) {
    OrderedWork work;
    work.total = table_.descriptor.group_count();
    work.workers = static_cast<unsigned>(std::clamp<std::uint64_t>(work.total, 1, threads));
    work.slots = static_cast<std::size_t>(std::max<std::uint64_t>(work.total, 1));
    work.executor = executor;
    work.produce = [this](unsigned, std::uint64_t group, std::size_t) { return read_group(group); };
    if (auto read = work.run(); !read) return read;
    auto list = reader_.read_free_list(number_);
    if (!list) return fail(std::move(list.error()));
    if (auto charged = charge(4 * list->size()); !charged) return charged;
    if (auto added = checker_.add_free(*list); !added) return added;
    if (auto finished = checker_.finish(); !finished) return finished;
    FreeListHash hash(table_.descriptor);
    hash.add(*list);
    table_.free_list = *std::move(list);
    table_.hashes.free_list = hash.sum();
    std::uint64_t bytes = 0;
    for (const RowGroup& group : table_.groups) {
      table_.hashes.records += *group.record_hash;
      bytes += add_strong_handles(table_.schema, group.columns, table_.strong_handles);
    }
    if (auto charged = charge(bytes); !charged) return charged;
    return {};
  }

 private:
  Status charge(std::uint64_t bytes) {
    if (budget_.charge(bytes)) return {};
    return fail(ErrorCode::memory_budget,
                "a table to keep needs " + std::to_string(bytes) + " bytes more");
  }

  Status read_group(std::uint64_t number) {
    RowGroup& group = table_.groups[static_cast<std::size_t>(number)];
    if (auto read = reader_.read_group_hash(number_, number, group); !read) return read;
    if (auto charged = charge(bytes_of_group(group)); !charged) return charged;
    return checker_.add_group(number, group);
  }

  const Reader& reader_;
  std::size_t number_;
  MemoryBudget& budget_;
  KeptTable& table_;
  SlotChecker checker_;
};

}  // namespace

Result<std::shared_ptr<KeptTable>> KeptTable::read(const Reader& reader, std::size_t table,
                                                   unsigned threads, const Executor& executor,
                                                   MemoryBudget& budget) {
  const TableDescriptor& stored = reader.tables()[table];
  if (stored.singleton && stored.live_count != 1) {
    return fail(ErrorCode::storage_mismatch,
                "the singleton has no record, so no save could hold it",
                "table '" + stored.name + "'");
  }
  auto kept = std::make_shared<KeptTable>();
  kept->descriptor = stored;
  kept->schema = reader.schemas()[kept->descriptor.schema];
  kept->groups.resize(static_cast<std::size_t>(kept->descriptor.group_count()));
  kept->id = new_kept_id();
  auto read = TableReader(reader, table, budget, *kept).read(std::max(threads, 1u), executor);
  if (!read) return fail(std::move(read.error()).in("table '" + stored.name + "'"));
  return kept;
}

Issued KeptTable::issued() const {
  const auto read = [this](std::uint64_t group, RowGroup& out) {
    const RowGroup& from = groups[static_cast<std::size_t>(group)];
    out.first_slot = from.first_slot;
    out.states = from.states;
    out.generations = from.generations;
    return Status();
  };
  return issued_by(descriptor, read).value();
}

std::size_t insert_by_name(std::vector<TableDescriptor>& tables, TableDescriptor table) {
  const auto at = std::lower_bound(
      tables.begin(), tables.end(), table,
      [](const TableDescriptor& a, const TableDescriptor& b) { return a.name < b.name; });
  const auto index = static_cast<std::size_t>(at - tables.begin());
  tables.insert(at, std::move(table));
  return index;
}

const KeptTable* detail::KeptFile::find_type_id(std::uint16_t type_id) const noexcept {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const auto& table) {
    return type_id != 0 && table->descriptor.type_id == type_id;
  });
  return found == tables.end() ? nullptr : found->get();
}

const KeptTable* detail::KeptFile::find(std::string_view name) const noexcept {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const auto& table) {
    return table->descriptor.name == name;
  });
  return found == tables.end() ? nullptr : found->get();
}

bool detail::KeptFile::has_components_of(std::string_view owner) const noexcept {
  return std::any_of(tables.begin(), tables.end(),
                     [&](const auto& table) { return table->descriptor.owner == owner; });
}

}  // namespace hdb
