// Which fields of a table take the bytes of a file.
#include <algorithm>
#include <map>
#include <utility>

#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/reader.hpp"
#include "inspect/overview/parts.hpp"

namespace hdb::overviews {
namespace {

// Chunks of one table, added up by what they are for.
class BytesCounter {
 public:
  explicit BytesCounter(const Field& root) : columns_(columns_of(root)) {}

  void add(const ChunkInfo& chunk) {
    if (chunk.column < format::kFirstSchemaColumn) {
      const bool positions = chunk.column == format::kColumnPositions;
      const char* const path = positions                               ? "dense positions"
                               : chunk.column == format::kColumnStates ? "slot states"
                                                                       : "slot generations";
      return add(positions ? BytesOf::positions : BytesOf::slots, path, chunk.raw_bytes,
                 chunk.stored_bytes);
    }
    const std::size_t column = chunk.column - format::kFirstSchemaColumn;
    if (column >= columns_.size()) return;
    // Lengths and bytes of a string, presence and value of an optional: one field.
    std::string path = columns_[column].path;
    if (path.ends_with('?')) path.pop_back();
    add(BytesOf::field, path, chunk.raw_bytes, chunk.stored_bytes);
  }

  void add(BytesOf of, const std::string& path, std::uint64_t raw, std::uint64_t stored) {
    FieldBytes& sum = sums_[{of, path}];
    sum.of = of;
    sum.path = path;
    sum.raw += raw;
    sum.stored += stored;
  }

  void finish(TableOverview& out) {
    for (auto& [key, sum] : sums_) {
      if (sum.raw == 0 && sum.stored == 0) continue;
      out.raw_bytes += sum.raw;
      out.stored_bytes += sum.stored;
      out.bytes.push_back(std::move(sum));
    }
    std::stable_sort(out.bytes.begin(), out.bytes.end(),
                     [](const FieldBytes& a, const FieldBytes& b) { return a.stored > b.stored; });
  }

 private:
  std::vector<Column> columns_;
  std::map<std::pair<BytesOf, std::string>, FieldBytes> sums_;
};

}  // namespace

Status look_over_bytes(const Reader& reader, Faults& faults, TableOverview& out) {
  const TableDescriptor& table = reader.tables()[out.table];
  BytesCounter counter(reader.schemas()[table.schema]);
  std::uint64_t blocks = 0;
  std::uint64_t chunks = 0;
  for (std::size_t i = 0; i < reader.blocks().size(); ++i) {
    const std::vector<std::uint32_t> tables = reader.tables_in(i);
    if (!std::binary_search(tables.begin(), tables.end(), out.table)) continue;
    const BlockInfo& block = reader.blocks()[i];
    const auto type = static_cast<format::BlockType>(block.type);
    if (type != format::BlockType::pack) {
      blocks += block.total_bytes;
    } else if (tables.front() == out.table) {  // it counts what is left of the pack
      blocks += block.total_bytes;
      for (const std::uint32_t other : tables) {
        if (other != out.table) blocks -= bytes_of_table(reader, other).stored;
      }
    } else {
      blocks += bytes_of_table(reader, out.table).stored;
    }
    if (type == format::BlockType::rows) continue;
    const bool packed = type == format::BlockType::pack;
    const std::uint64_t raw = packed ? 4 * table.listed_count() : block.raw_bytes;
    const std::uint64_t stored =
        packed ? raw * block.stored_bytes / block.raw_bytes : block.stored_bytes;
    chunks += stored;
    counter.add(BytesOf::free_list, "free list", raw, stored);
  }
  for (std::uint64_t group = 0; group < table.group_count(); ++group) {
    auto found = reader.chunks(out.table, group);
    if (!found) {
      if (auto passed = faults.add(std::move(found.error())); !passed) return passed;
      continue;
    }
    for (const ChunkInfo& chunk : *found) {
      counter.add(chunk);
      chunks += chunk.stored_bytes;
    }
  }
  // They are written as they are: no rate.
  if (blocks > chunks) {
    counter.add(BytesOf::heads, "block heads and indexes", blocks - chunks, blocks - chunks);
  }
  counter.finish(out);
  return {};
}

std::vector<FieldBytes> bytes_of_no_table(const Reader& reader, std::uint64_t tables) {
  std::map<std::string, FieldBytes> sums;
  const auto add = [&](const std::string& what, std::uint64_t raw, std::uint64_t stored) {
    FieldBytes& sum = sums[what];
    sum.of = BytesOf::whole_file;
    sum.path = what;
    sum.raw += raw;
    sum.stored += stored;
  };
  std::uint64_t counted = tables;
  for (std::size_t i = 0; i < reader.blocks().size(); ++i) {
    if (!reader.tables_in(i).empty()) continue;
    const BlockInfo& block = reader.blocks()[i];
    const bool catalog = static_cast<format::BlockType>(block.type) == format::BlockType::catalog;
    add(catalog ? "schemas and tables, twice" : block_type_text(block.type),
        block.raw_bytes + format::kBlockHeadBytes, block.total_bytes);
    counted += block.total_bytes;
  }
  const std::uint64_t file = reader.info().file_bytes;
  if (file > counted) add("header, directory and footer", file - counted, file - counted);
  std::vector<FieldBytes> out;
  for (auto& [what, sum] : sums) out.push_back(std::move(sum));
  std::stable_sort(out.begin(), out.end(),
                   [](const FieldBytes& a, const FieldBytes& b) { return a.stored > b.stored; });
  return out;
}

}  // namespace hdb::overviews
