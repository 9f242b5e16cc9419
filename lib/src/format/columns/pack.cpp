// Packs, out and in. No memory is taken for a column before its size was compared with the bytes
// there are.
#include "format/columns/pack.hpp"

#include <algorithm>
#include <bit>

#include "format/columns/chunk.hpp"
#include "format/columns/filter.hpp"
#include "format/frame/frame.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/inspect/checks.hpp"

namespace hdb::format {
namespace {

bool is_dense(const TableDescriptor& table) noexcept {
  return table.policy.storage == Storage::dense;
}

void append_varint(std::uint64_t value, Buffer& out) {
  std::byte bytes[kMaxVarintBytes];
  out.append(std::span(bytes, store_varint(bytes, value)));
}

void append_values(std::span<const std::byte> raw, unsigned width, Buffer& out) {
  if (width == 1) return out.append(raw);
  const std::size_t count = raw.size() / width;
  shuffle(raw.data(), count, width, out.tail(raw.size()), count);
  out.commit(raw.size());
}

void append_numbers(std::span<const std::uint32_t> values, Buffer& out) {
  std::byte* const to = out.tail(2 * values.size_bytes());
  std::byte* const raw = to + values.size_bytes();
  for (std::size_t i = 0; i < values.size(); ++i) store_le(raw + 4 * i, values[i]);
  shuffle(raw, values.size(), 4, to, values.size());
  out.commit(values.size_bytes());
}

void unpack_values(std::span<const std::byte> from, unsigned width, std::span<std::byte> to) {
  if (width == 1) {
    std::copy(from.begin(), from.end(), to.begin());
  } else {
    const std::size_t count = from.size() / width;
    unshuffle(from.data(), count, count, width, to.data());
  }
}

void unpack_numbers(std::span<const std::byte> from, std::vector<std::uint32_t>& out) {
  out.resize(from.size() / 4);
  unshuffle(from.data(), out.size(), out.size(), 4, std::as_writable_bytes(std::span(out)).data());
  if constexpr (std::endian::native == std::endian::big) {
    for (std::uint32_t& value : out) value = swap_bytes(value);
  }
}

// The parts of a packed table, as they are stored.
struct Sections {
  std::span<const std::byte> states;
  std::span<const std::byte> generations;
  std::span<const std::byte> positions;
  std::vector<std::span<const std::byte>> columns;
  std::span<const std::byte> free_list;
};

// Where the parts lie; the bytes of the descriptor's numbers and of the sizes of the columns.
void read_sections(ByteReader& in, const TableDescriptor& table, const Grammar& grammar,
                   Sections& found) {
  found.states = in.raw(table.slot_count);
  found.generations = in.raw(4 * table.slot_count);
  if (is_dense(table)) found.positions = in.raw(4 * table.live_count);
  found.columns.clear();
  found.columns.reserve(grammar.rules().size());
  for (std::size_t i = 0; i < grammar.rules().size(); ++i) {
    const std::uint64_t size = in.varint();
    found.columns.push_back(in.raw(size));
  }
  found.free_list = in.raw(4 * table.listed_count());
}

Sections sections_of(const PackedTable& from, const PackCatalog& catalog) {
  ByteReader in(from.bytes);
  const TableDescriptor& table = catalog.tables[from.table];
  Sections found;
  read_sections(in, table, catalog.grammars[table.schema], found);
  return found;
}

Status unpack_slots(const Sections& from, const TableDescriptor& table, RowGroup& out) {
  out.first_slot = 0;
  out.record_hash.reset();
  out.states.resize(from.states.size());
  unpack_values(from.states, 1, std::as_writable_bytes(std::span(out.states)));
  unpack_numbers(from.generations, out.generations);
  unpack_numbers(from.positions, out.positions);
  return check_group_slots(table, 0, out);
}

}  // namespace

bool belongs_in_a_pack(const TableDescriptor& table, const RowGroup& group) {
  if (table.group_count() != 1) return false;
  std::uint64_t bytes =
      5 * table.slot_count + 4 * group.positions.size() + 4 * table.listed_count();
  for (const Bytes& column : group.columns) bytes += column.size() + kMaxVarintBytes;
  return bytes <= kPackBytes;
}

void append_packed_group(const TableDescriptor& table, const Grammar& grammar,
                         const RowGroup& group, Buffer& out) {
  out.append(std::as_bytes(std::span(group.states)));
  append_numbers(group.generations, out);
  if (is_dense(table)) append_numbers(group.positions, out);
  for (std::size_t i = 0; i < group.columns.size(); ++i) {
    append_varint(group.columns[i].size(), out);
    append_values(group.columns[i], grammar.rules()[i].width, out);
  }
}

void append_packed(std::uint32_t index, std::span<const std::byte> group,
                   std::span<const std::uint32_t> free_list, Buffer& out) {
  append_varint(index, out);
  out.append(group);
  append_numbers(free_list, out);
}

Result<std::vector<PackedTable>> split_pack(std::span<const std::byte> content,
                                            const BlockInfo& block, const PackCatalog& catalog) {
  const std::uint64_t payload = content_offset(block);
  ByteReader in(content, 0, ErrorCode::bad_pack);
  std::vector<PackedTable> tables;
  Sections sections;
  while (in.ok() && !in.at_end()) {
    const std::uint64_t index = in.varint();
    const std::uint64_t least =
        tables.empty() ? block.table : tables.back().table + std::uint64_t{1};
    const bool is_next = tables.empty() ? index == least : index >= least;
    if (!in.ok()) break;
    if (!is_next || index >= catalog.tables.size()) {
      in.fail_here("table " + std::to_string(index) + " of the catalog is not expected here");
      break;
    }
    const TableDescriptor& table = catalog.tables[static_cast<std::size_t>(index)];
    if (table.group_count() != 1) {
      in.fail_here("a table of " + std::to_string(table.group_count()) +
                   " row groups cannot be in a pack");
      break;
    }
    const auto begin = static_cast<std::size_t>(in.offset());
    read_sections(in, table, catalog.grammars[table.schema], sections);
    const auto end = static_cast<std::size_t>(in.offset());
    tables.push_back({static_cast<std::uint32_t>(index), content.subspan(begin, end - begin)});
  }
  if (in.ok() && tables.size() != block.group) {
    in.fail_here(std::to_string(tables.size()) + " tables are packed, the head says " +
                 std::to_string(block.group));
  }
  if (in.ok()) return tables;
  Error error = in.error();
  error.offset = payload;
  return fail(std::move(error));
}

Status unpack_group(const PackedTable& from, const PackCatalog& catalog, RowGroup& out) {
  const TableDescriptor& table = catalog.tables[from.table];
  const Grammar& grammar = catalog.grammars[table.schema];
  const Sections sections = sections_of(from, catalog);
  if (Status status = unpack_slots(sections, table, out); !status) return status;
  GroupCheck check(grammar, out.live_count());
  out.columns.resize(grammar.rules().size());
  for (std::size_t i = 0; i < out.columns.size(); ++i) {
    const std::span<const std::byte> stored = sections.columns[i];
    if (Status status = check.check_size(i, stored.size()); !status) return status;
    out.columns[i].resize(stored.size());
    unpack_values(stored, grammar.rules()[i].width, out.columns[i]);
    const auto lengths =
        i == 0 ? std::span<const std::byte>{} : std::span<const std::byte>(out.columns[i - 1]);
    if (Status status = check.accept(i, out.columns[i], lengths); !status) return status;
  }
  return {};
}

Status unpack_slots(const PackedTable& from, const PackCatalog& catalog, RowGroup& out) {
  out.columns.clear();
  return unpack_slots(sections_of(from, catalog), catalog.tables[from.table], out);
}

std::vector<std::uint32_t> unpack_free_list(const PackedTable& from, const PackCatalog& catalog) {
  std::vector<std::uint32_t> slots;
  const std::uint64_t listed = catalog.tables[from.table].listed_count();
  unpack_numbers(from.bytes.last(static_cast<std::size_t>(4 * listed)), slots);
  return slots;
}

Result<std::vector<ChunkInfo>> packed_chunks(const PackedTable& from, const PackCatalog& catalog,
                                             const BlockInfo& block) {
  const TableDescriptor& table = catalog.tables[from.table];
  const Grammar& grammar = catalog.grammars[table.schema];
  const Sections sections = sections_of(from, catalog);
  std::vector<ChunkInfo> chunks;
  Bytes raw;
  const auto add = [&](std::uint32_t column, std::span<const std::byte> stored, unsigned width) {
    raw.resize(stored.size());
    unpack_values(stored, width, raw);
    ChunkInfo chunk;
    chunk.column = column;
    chunk.stored_bytes = stored.size() * block.stored_bytes / block.raw_bytes;
    chunk.raw_bytes = stored.size();
    chunk.raw_hash = hash128(raw);
    chunk.offset = content_offset(block);
    chunks.push_back(chunk);
  };
  add(kColumnStates, sections.states, 1);
  add(kColumnGenerations, sections.generations, 4);
  if (is_dense(table)) add(kColumnPositions, sections.positions, 4);
  for (std::size_t i = 0; i < sections.columns.size(); ++i) {
    if (sections.columns[i].size() % grammar.rules()[i].width != 0) {
      return fail(ErrorCode::bad_pack, "a column has no whole number of values",
                  "column '" + grammar.path(i) + "'", content_offset(block));
    }
    add(kFirstSchemaColumn + static_cast<std::uint32_t>(i), sections.columns[i],
        grammar.rules()[i].width);
  }
  return chunks;
}

}  // namespace hdb::format
