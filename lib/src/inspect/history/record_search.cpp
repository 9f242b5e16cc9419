// One filter on save after save.
#include <map>
#include <utility>

#include "hdb/byte_io.hpp"
#include "hdb/inspect/record_history.hpp"
#include "inspect/history/group_hashes.hpp"

namespace hdb {

struct RecordSearch::Parts {
  // A row group whose matches are known.
  struct Known {
    std::vector<std::uint64_t> stored;
    std::optional<diffing::ColumnHashes> hashes;
    std::vector<RecordMatch> matches;
  };
  struct Table {
    TableDescriptor descriptor;
    Field root;
    Hash128 names;  // of the tables that handles may name
    std::map<std::uint64_t, Known> groups;
  };

  FollowOptions options;
  std::map<std::string, Table, std::less<>> tables;
  std::size_t kept = 0;

  void forget(Table& table, std::map<std::uint64_t, Known>::iterator at) {
    kept -= at->second.matches.size();
    table.groups.erase(at);
  }
  [[nodiscard]] Table& table_of(const Reader& reader, std::size_t number);
  [[nodiscard]] Status scan(const Reader& reader, std::size_t table, std::uint64_t group,
                            const RecordFilter& filter,
                            const std::function<bool(const RecordMatch&)>& found, bool& ended,
                            std::vector<RecordMatch>* keep) const;
};

namespace {

// What the text of a handle depends on.
Hash128 names_of(const std::vector<TableDescriptor>& tables) {
  Bytes bytes;
  ByteWriter out(bytes);
  for (const TableDescriptor& table : tables) {
    out.u64(table.name.size());
    out.raw(std::as_bytes(std::span(table.name)));
    out.u16(table.type_id);
  }
  return hash128(bytes);
}

}  // namespace

RecordSearch::Parts::Table& RecordSearch::Parts::table_of(const Reader& reader,
                                                          std::size_t number) {
  const TableDescriptor& descriptor = reader.tables()[number];
  const Field& root = reader.schemas()[descriptor.schema];
  const Hash128 names = names_of(reader.tables());
  Table& table = tables[descriptor.name];
  if (table.names != names ||
      !history::same_shape(table.descriptor, table.root, descriptor, root)) {
    while (!table.groups.empty()) forget(table, table.groups.begin());
    table.root = root;
  }
  table.names = names;
  table.descriptor = descriptor;
  while (!table.groups.empty() && table.groups.rbegin()->first >= descriptor.group_count())
    forget(table, std::prev(table.groups.end()));
  return table;
}

Status RecordSearch::Parts::scan(const Reader& reader, std::size_t table, std::uint64_t group,
                                 const RecordFilter& filter,
                                 const std::function<bool(const RecordMatch&)>& found, bool& ended,
                                 std::vector<RecordMatch>* keep) const {
  const TableDescriptor& descriptor = reader.tables()[table];
  const HandleNamer namer(reader.tables());
  RowDecoder decoder(reader.schemas()[descriptor.schema], filter.columns(), options.max_row_values);
  RowGroup rows;
  if (auto read = reader.read_columns(table, group, decoder.needed_columns(), rows); !read)
    return read;
  decoder.begin(rows.columns);
  Value row;
  for (std::size_t i = 0; i < rows.states.size(); ++i) {
    if (rows.states[i] != static_cast<std::uint8_t>(SlotState::live)) continue;
    RecordMatch match{rows.first_slot + i, rows.generations[i], {}};
    if (auto read = decoder.next(row); !read) {
      return fail(
          std::move(read.error()).in(handle_name(descriptor, match.slot, match.generation)));
    }
    if (!filter.matches(row, match.slot, match.generation)) continue;
    if (!row.children.empty()) {
      for_each_leaf(row, {}, [&](const std::string& path, const Value& leaf) {
        match.fields.emplace_back(path, options.json
                                            ? value_json(leaf, namer, options.max_value_bytes)
                                            : value_text(leaf, namer, options.max_value_bytes));
      });
    }
    if (!found(match)) {
      ended = true;
      return {};
    }
    if (keep != nullptr) keep->push_back(std::move(match));
  }
  return {};
}

RecordSearch::RecordSearch(const FollowOptions& options) : parts_(std::make_unique<Parts>()) {
  parts_->options = options;
}
RecordSearch::~RecordSearch() = default;

Status RecordSearch::find(const Reader& reader, std::size_t table, const RecordFilter& filter,
                          const std::function<bool(const RecordMatch&)>& found) {
  Parts::Table& known = parts_->table_of(reader, table);
  // Records that handles name may be others now.
  while (filter.follows_handles() && !known.groups.empty())
    parts_->forget(known, known.groups.begin());
  const auto stored = history::stored_hashes(reader, table);
  for (std::uint64_t group = 0; group < known.descriptor.group_count(); ++group) {
    const auto& blocks = stored[static_cast<std::size_t>(group)];
    auto before = known.groups.find(group);
    bool same = before != known.groups.end() && !blocks.empty() && before->second.stored == blocks;
    std::optional<diffing::ColumnHashes> hashes;
    if (!same) {
      const auto chunks = reader.chunks(table, group);
      if (!chunks) return fail(chunks.error());
      hashes.emplace(*chunks);
    }
    if (!same && before != known.groups.end()) {
      same = hashes->same_slots(*before->second.hashes);
      for (const std::uint32_t column : filter.columns())
        same = same && hashes->of_column(column) == before->second.hashes->of_column(column);
      if (same) {
        before->second.stored = blocks;
        before->second.hashes = std::move(hashes);
      } else {
        parts_->forget(known, before);
      }
    }
    if (same) {
      for (const RecordMatch& match : before->second.matches) {
        if (!found(match)) return {};
      }
      continue;
    }
    std::vector<RecordMatch> matches;
    bool ended = false;
    auto scanned = parts_->scan(reader, table, group, filter, found, ended, &matches);
    if (!scanned || ended) return scanned;
    if (parts_->options.read_all || parts_->kept + matches.size() > kMaxKept) continue;
    parts_->kept += matches.size();
    known.groups[group] = {blocks, std::move(hashes), std::move(matches)};
  }
  return {};
}

}  // namespace hdb
