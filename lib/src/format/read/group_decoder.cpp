// Row groups out of blocks. No memory is taken for a column before its size was compared with what
// the columns before it say it must be.
#include "format/read/group_decoder.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "hdb/inspect/checks.hpp"

namespace hdb::format {
namespace {

std::size_t slot_columns(const TableDescriptor& table) noexcept {
  return table.policy.storage == Storage::dense ? 3 : 2;
}

// Number in the file of the stored column `ordinal`: stable tables have no column 2.
std::uint32_t column_number(const TableDescriptor& table, std::size_t ordinal) noexcept {
  const std::size_t skipped = ordinal >= 2 && table.policy.storage == Storage::stable ? 1 : 0;
  return static_cast<std::uint32_t>(ordinal + skipped);
}

unsigned column_width(const GroupPlace& place, std::size_t ordinal) {
  if (ordinal == 0) return 1;
  const std::size_t slots = slot_columns(*place.table);
  return ordinal < slots ? 4 : place.grammar->rules()[ordinal - slots].width;
}

// "column 'pos.x'", "slot states"; the number alone where the schema has no such column.
std::string column_place(const GroupPlace& place, std::uint32_t column) {
  switch (column) {
    case kColumnStates: return "slot states";
    case kColumnGenerations: return "generations";
    case kColumnPositions: return "dense positions";
    default: break;
  }
  const std::size_t index = column - kFirstSchemaColumn;
  if (index < place.grammar->rules().size()) return "column '" + place.grammar->path(index) + "'";
  return "column " + std::to_string(column);
}

Status refuse_chunk(const GroupPlace& place, const ChunkEntry& entry, const char* what) {
  return fail(ErrorCode::bad_chunk, what, column_place(place, entry.info.column),
              entry.info.offset);
}

}  // namespace

Status GroupDecoder::gather(const GroupPlace& place, std::vector<std::vector<ChunkEntry>> parts,
                            GroupIndex& index, bool complete) {
  const std::size_t columns = slot_columns(*place.table) + place.grammar->rules().size();
  std::uint64_t total = 0;
  index.raw_bytes.reserve(columns);
  for (std::uint32_t part = 0; part < parts.size(); ++part) {
    for (ChunkEntry& entry : parts[part]) {
      const ChunkInfo& info = entry.info;
      const bool continues = info.piece != 0;
      if (!continues) {
        index.first_chunk.push_back(static_cast<std::uint32_t>(index.chunks.size()));
        index.raw_bytes.push_back(0);
      }
      const std::size_t ordinal = index.raw_bytes.size() - 1;
      if (index.raw_bytes.empty() || ordinal >= columns ||
          info.column != column_number(*place.table, ordinal)) {
        return refuse_chunk(place, entry, "the chunk belongs to another column than expected here");
      }
      if (continues) {
        const ChunkInfo& before = index.chunks.back().entry.info;
        if (info.piece != before.piece + 1 || before.raw_bytes != kMaxChunkRawBytes ||
            info.raw_bytes == 0) {
          return refuse_chunk(place, entry, "the chunk does not continue the previous chunk");
        }
      }
      if (entry.width != column_width(place, ordinal))
        return refuse_chunk(place, entry, "the width differs from that of the column");
      index.raw_bytes[ordinal] += info.raw_bytes;
      total += info.raw_bytes;
      if (index.raw_bytes[ordinal] > options_.limits.max_column_bytes) {
        return fail(ErrorCode::limit_exceeded,
                    "the column has more than " + std::to_string(options_.limits.max_column_bytes) +
                        " bytes",
                    {}, info.offset);
      }
      if (total > options_.limits.max_memory_bytes) {
        return fail(ErrorCode::memory_budget,
                    "the columns have more than " +
                        std::to_string(options_.limits.max_memory_bytes) + " bytes",
                    {}, info.offset);
      }
      index.chunks.push_back({entry, part});
    }
  }
  if (complete ? index.raw_bytes.size() != columns
               : index.raw_bytes.size() < slot_columns(*place.table)) {
    return fail(ErrorCode::bad_chunk,
                std::to_string(index.raw_bytes.size()) + " columns are stored, " +
                    std::to_string(columns) + " are expected",
                {}, place.parts.front().offset);
  }
  index.first_chunk.push_back(static_cast<std::uint32_t>(index.chunks.size()));
  return {};
}

Result<PackedTable> GroupDecoder::open_pack(const GroupPlace& place) {
  const BlockInfo& block = place.parts.front();
  if (!scratch_.pack || scratch_.pack->offset != block.offset) {
    scratch_.pack.reset();
    if (block.raw_bytes > options_.limits.max_memory_bytes) {
      return fail(ErrorCode::memory_budget,
                  "the pack has " + std::to_string(block.raw_bytes) + " bytes" +
                      at_most(options_.limits.max_memory_bytes),
                  {}, block.offset);
    }
    auto content = source_.read_content(block, scratch_);
    if (!content) return fail(std::move(content.error()));
    auto tables = split_pack(*content, block, place.catalog);
    if (!tables) return fail(std::move(tables.error()));
    scratch_.pack = OpenPack{block.offset, std::move(*content), std::move(*tables)};
  }
  const auto index = static_cast<std::uint32_t>(place.table - place.catalog.tables.data());
  const auto& tables = scratch_.pack->tables;
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const PackedTable& each) { return each.table == index; });
  if (found != tables.end()) return *found;
  return fail(ErrorCode::bad_pack, "the table is not in the pack that should hold it", {},
              content_offset(block));
}

Status GroupDecoder::unpack(const GroupPlace& place, bool only_slots, RowGroup& out) {
  const auto packed = open_pack(place);
  if (!packed) return fail(packed.error());
  Status status = only_slots ? unpack_slots(*packed, place.catalog, out)
                             : unpack_group(*packed, place.catalog, out);
  for (std::size_t i = 0; status && i < out.columns.size(); ++i) {
    if (out.columns[i].size() <= options_.limits.max_column_bytes) continue;
    status = fail(
        ErrorCode::limit_exceeded,
        "the column has more than " + std::to_string(options_.limits.max_column_bytes) + " bytes");
  }
  if (status || status.error().offset != kNoOffset) return status;
  Error error = std::move(status.error());
  error.offset = content_offset(place.parts.front());
  return fail(std::move(error));
}

Result<std::vector<std::uint32_t>> GroupDecoder::decode_packed_free_list(const GroupPlace& place) {
  const auto packed = open_pack(place);
  if (!packed) return fail(packed.error());
  return unpack_free_list(*packed, place.catalog);
}

Result<std::vector<ChunkInfo>> GroupDecoder::read_chunks(const GroupPlace& place) {
  if (place.is_packed) {
    const auto packed = open_pack(place);
    if (!packed) return fail(packed.error());
    return packed_chunks(*packed, place.catalog, place.parts.front());
  }
  const auto index = read_index(place);
  if (!index) return fail(index.error());
  std::vector<ChunkInfo> infos;
  infos.reserve(index->chunks.size());
  for (const auto& chunk : index->chunks) infos.push_back(chunk.entry.info);
  return infos;
}

Result<GroupIndex> GroupDecoder::read_index(const GroupPlace& place) {
  std::vector<std::vector<ChunkEntry>> parts;
  for (const BlockInfo& part : place.parts) {
    auto entries = source_.read_index(part, scratch_.block);
    if (!entries) return fail(std::move(entries.error()));
    parts.push_back(std::move(*entries));
  }
  GroupIndex index;
  if (Status status = gather(place, std::move(parts), index); !status)
    return fail(std::move(status.error()));
  return index;
}

Result<std::span<const std::byte>> GroupDecoder::stored_bytes(
    const GroupPlace& place, const GroupIndex::PlacedChunk& chunk) {
  const auto size = static_cast<std::size_t>(chunk.entry.info.stored_bytes);
  if (!whole_parts_) {
    scratch_.block.reset(size);
    if (Status status = source_.read(chunk.entry.info.offset, scratch_.block.bytes()); !status) {
      return fail(std::move(status.error()));
    }
    return std::span<const std::byte>(scratch_.block.bytes());
  }
  if (loaded_part_ != chunk.part + 1) {
    auto payload = source_.read_block(place.parts[chunk.part], scratch_.block);
    if (!payload) return payload;
    payload_ = *payload;
    loaded_part_ = chunk.part + 1;
  }
  return payload_.subspan(static_cast<std::size_t>(chunk.entry.content_offset), size);
}

Status GroupDecoder::fill(const GroupPlace& place, const GroupIndex& index, std::size_t column,
                          std::span<std::byte> to) {
  for (std::uint32_t i = index.first_chunk[column]; i < index.first_chunk[column + 1]; ++i) {
    const GroupIndex::PlacedChunk& chunk = index.chunks[i];
    const auto size = static_cast<std::size_t>(chunk.entry.info.raw_bytes);
    const auto stored = stored_bytes(place, chunk);
    Status status =
        stored ? scratch_.decode(chunk.entry, *stored, to.first(size), options_.verify_raw_hashes)
               : fail(stored.error());
    const bool is_replaced = !status && spare_ && spare_(chunk.entry.info, to.first(size));
    if (!status && !is_replaced)
      return fail(std::move(status.error()).in(column_place(place, chunk.entry.info.column)));
    to = to.subspan(size);
  }
  return {};
}

Status GroupDecoder::check_chunks_of(const GroupPlace& place, const GroupIndex& index,
                                     std::size_t column) {
  for (std::uint32_t i = index.first_chunk[column]; i < index.first_chunk[column + 1]; ++i) {
    const GroupIndex::PlacedChunk& chunk = index.chunks[i];
    const auto stored = stored_bytes(place, chunk);
    if (!stored) return fail(stored.error());
    Status status = scratch_.check(chunk.entry, *stored, options_.verify_raw_hashes);
    if (!status)
      return fail(std::move(status.error()).in(column_place(place, chunk.entry.info.column)));
  }
  return {};
}

Status GroupDecoder::fill_numbers(const GroupPlace& place, const GroupIndex& index,
                                  std::size_t column, std::vector<std::uint32_t>& out) {
  if (Status status = fill(place, index, column, std::as_writable_bytes(std::span(out))); !status)
    return status;
  if constexpr (std::endian::native == std::endian::big) {
    for (std::uint32_t& value : out) value = swap_bytes(value);
  }
  return {};
}

Status GroupDecoder::decode_slots(const GroupPlace& place, const GroupIndex& index, RowGroup& out,
                                  bool* loses_order) {
  const TableDescriptor& table = *place.table;
  const auto offset_of = [&](std::size_t column) {
    return index.chunks[index.first_chunk[column]].entry.info.offset;
  };
  const auto refuse = [&](ErrorCode code, const char* what) -> Status {
    return fail(code, what, "slots", offset_of(0));
  };
  // Slots that contradict themselves are what is wrong, whatever their number is compared with.
  const auto check_slots = [&]() -> Status {
    Status status = check_group_slots(table, place.group, out);
    if (status || status.error().offset != kNoOffset) return status;
    Error error = std::move(status.error());
    error.offset = offset_of(error.code == ErrorCode::bad_dense_order ? 2 : 0);
    return fail(std::move(error));
  };
  out.first_slot = table.group_begin(place.group);
  const std::uint64_t slots = table.group_end(place.group) - out.first_slot;
  if (index.raw_bytes[0] != slots || index.raw_bytes[1] != 4 * slots) {
    return refuse(
        ErrorCode::bad_slots,
        "the number of states or generations differs from the number of slots in the group");
  }
  out.states.resize(static_cast<std::size_t>(slots));
  out.generations.resize(static_cast<std::size_t>(slots));
  out.positions.clear();
  out.record_hash.reset();
  if (Status status = fill(place, index, 0, std::as_writable_bytes(std::span(out.states))); !status)
    return status;
  if (Status status = fill_numbers(place, index, 1, out.generations); !status) return status;
  if (table.policy.storage == Storage::dense) {
    const std::size_t live = out.live_count();
    if (index.raw_bytes[2] != 4 * std::uint64_t{live}) {
      if (Status status = check_slots(); !status && status.error().code == ErrorCode::bad_slots) {
        return status;
      }
      return refuse(ErrorCode::bad_dense_order,
                    "the number of dense positions differs from the number of live slots");
    }
    out.positions.resize(live);
    if (Status status = fill_numbers(place, index, 2, out.positions); !status) {
      if (loses_order == nullptr) return status;
      *loses_order = true;
    }
  }
  return check_slots();
}

Status GroupDecoder::decode(const GroupPlace& place, const GroupIndex& index,
                            std::span<const Use> uses, bool whole_parts, RowGroup& out) {
  whole_parts_ = whole_parts;
  if (Status status = decode_slots(place, index, out); !status) return status;
  const std::size_t slots = slot_columns(*place.table);
  // Errors of the grammar know the column; here is where it begins.
  const auto at = [&](std::size_t column, Status status) -> Status {
    Error error = std::move(status.error());
    if (error.offset == kNoOffset) {
      error.offset = index.chunks[index.first_chunk[slots + column]].entry.info.offset;
    }
    return fail(std::move(error));
  };
  GroupCheck check(*place.grammar, out.live_count());
  out.columns.resize(uses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    Bytes& column = out.columns[i];
    if (uses[i] != Use::decode) column.clear();
    if (uses[i] == Use::none) continue;
    const std::uint64_t raw_bytes = index.raw_bytes[slots + i];
    if (Status status = check.check_size(i, raw_bytes); !status) return at(i, std::move(status));
    if (uses[i] == Use::check) {
      if (Status status = check_chunks_of(place, index, slots + i); !status) return status;
      continue;
    }
    column.resize(static_cast<std::size_t>(raw_bytes));
    if (Status status = fill(place, index, slots + i, column); !status) return status;
    const auto lengths =
        i == 0 ? std::span<const std::byte>{} : std::span<const std::byte>(out.columns[i - 1]);
    if (Status status = check.accept(i, column, lengths); !status) return at(i, std::move(status));
  }
  return {};
}

Status GroupDecoder::open_all(const GroupPlace& place, GroupIndex& index) {
  loaded_part_ = 0;
  if (place.parts.size() != 1) {
    auto read = read_index(place);
    if (!read) return fail(std::move(read.error()));
    index = std::move(*read);
    return {};
  }
  auto payload = source_.read_block(place.parts[0], scratch_.block);
  if (!payload) return fail(std::move(payload.error()));
  auto entries = decode_index(*payload, place.parts[0]);
  if (!entries) return fail(std::move(entries.error()));
  std::vector<std::vector<ChunkEntry>> parts;
  parts.push_back(std::move(*entries));
  if (Status status = gather(place, std::move(parts), index); !status) return status;
  payload_ = *payload;
  loaded_part_ = 1;
  return {};
}

Status GroupDecoder::decode_all(const GroupPlace& place, RowGroup& out) {
  if (place.is_packed) return unpack(place, false, out);
  GroupIndex index;
  if (Status status = open_all(place, index); !status) return status;
  const std::vector<Use> uses(place.grammar->rules().size(), Use::decode);
  return decode(place, index, uses, true, out);
}

Status GroupDecoder::check_all(const GroupPlace& place, RowGroup& out) {
  Status status;
  if (place.is_packed) {
    status = unpack(place, false, out);
  } else {
    GroupIndex index;
    status = open_all(place, index);
    if (!status) return status;
    std::vector<Use> uses;
    for (const Grammar::Rule& rule : place.grammar->rules())
      uses.push_back(rule.accepts_any_bytes() ? Use::check : Use::decode);
    status = decode(place, index, uses, true, out);
  }
  for (Bytes& column : out.columns) column.clear();
  return status;
}

Status GroupDecoder::decode_some(const GroupPlace& place, std::span<const std::uint32_t> wanted,
                                 RowGroup& out) {
  const std::size_t columns = place.grammar->rules().size();
  std::vector<bool> shown(columns, false);
  std::vector<bool> needed(columns, false);
  for (const std::uint32_t column : wanted) {
    if (column >= columns)
      return fail(ErrorCode::not_found, "the table has no column " + std::to_string(column));
    shown[column] = true;
    place.grammar->add_needed(column, needed);
  }
  Status status;
  if (place.is_packed) {
    status = unpack(place, false, out);
  } else {
    const auto index = read_index(place);
    std::vector<Use> uses;
    for (const bool is_needed : needed) uses.push_back(is_needed ? Use::decode : Use::none);
    status = index ? decode(place, *index, uses, false, out) : fail(index.error());
  }
  if (!status) return status;
  for (std::size_t i = 0; i < columns; ++i) {
    if (!shown[i]) out.columns[i].clear();
  }
  return {};
}

Status GroupDecoder::decode_sound(const GroupPlace& place, const ChunkSpare& spare, RowGroup& out,
                                  std::vector<bool>& lost) {
  const std::vector<Grammar::Rule>& rules = place.grammar->rules();
  lost.assign(rules.size() + 1, false);
  if (place.is_packed) return unpack(place, false, out);
  std::vector<std::vector<ChunkEntry>> parts;
  for (const BlockInfo& part : place.parts) {
    auto entries = source_.read_index(part, scratch_.block);
    if (!entries && parts.empty()) return fail(std::move(entries.error()));
    if (!entries) break;  // its columns are lost, and those after them
    parts.push_back(std::move(*entries));
  }
  GroupIndex index;
  if (Status status = gather(place, std::move(parts), index, false); !status) return status;
  whole_parts_ = false;
  spare_ = spare;
  bool loses_order = false;
  if (Status status = decode_slots(place, index, out, &loses_order); !status) return status;
  lost.back() = loses_order;
  if (loses_order) out.positions.assign(out.positions.size(), ~std::uint32_t{0});
  const std::size_t slots = slot_columns(*place.table);
  GroupCheck check(*place.grammar, out.live_count());
  out.columns.assign(rules.size(), {});
  // The sizes of lost columns follow from lengths that may say anything.
  std::uint64_t room = 0;
  for (const BlockInfo& part : place.parts) room += part.total_bytes;
  room = is_within_ratio(options_.limits.max_memory_bytes, room, options_.limits.max_content_ratio)
             ? options_.limits.max_memory_bytes
             : room * options_.limits.max_content_ratio;
  const auto clear = [&](std::size_t i) -> Status {
    lost[i] = true;
    const std::uint64_t bytes = check.least_size(i);
    if (bytes > room) return fail(ErrorCode::memory_budget, "the lost columns are too large");
    room -= bytes;
    out.columns[i].assign(static_cast<std::size_t>(bytes), std::byte{0});
    return check.accept(i, out.columns[i], {});
  };
  for (std::size_t i = 0; i < rules.size(); ++i) {
    Bytes& column = out.columns[i];
    const std::uint64_t raw_bytes =
        slots + i < index.raw_bytes.size() ? index.raw_bytes[slots + i] : kTooMany;
    if (raw_bytes != kTooMany && check.check_size(i, raw_bytes)) {
      column.resize(static_cast<std::size_t>(raw_bytes));
      const auto lengths =
          i == 0 ? std::span<const std::byte>{} : std::span<const std::byte>(out.columns[i - 1]);
      if (fill(place, index, slots + i, column) && check.accept(i, column, lengths)) continue;
    }
    // A text without its bytes is empty.
    if (rules[i].role == ColumnRole::bytes && !lost[i - 1]) {
      if (Status status = clear(i - 1); !status) return status;
    }
    if (Status status = clear(i); !status) return status;
  }
  return {};
}

bool GroupDecoder::copy_chunk(const GroupPlace& place, const ChunkInfo& wanted,
                              std::span<std::byte> to) {
  if (place.is_packed) return false;
  for (const BlockInfo& part : place.parts) {
    const auto entries = source_.read_index(part, scratch_.block);
    if (!entries) continue;
    for (const ChunkEntry& entry : *entries) {
      const ChunkInfo& info = entry.info;
      if (info.column != wanted.column || info.piece != wanted.piece ||
          info.raw_hash != wanted.raw_hash || info.raw_bytes != to.size()) {
        continue;
      }
      scratch_.block.reset(static_cast<std::size_t>(info.stored_bytes));
      return source_.read(info.offset, scratch_.block.bytes()) &&
             scratch_.decode(entry, scratch_.block.bytes(), to, true);
    }
  }
  return false;
}

Status GroupDecoder::decode_slots_only(const GroupPlace& place, RowGroup& out) {
  if (place.is_packed) return unpack(place, true, out);
  // An encoder puts them into the first part; its index and each chunk have hashes of their own.
  auto entries = source_.read_index(place.parts.front(), scratch_.block);
  if (!entries) return fail(std::move(entries.error()));
  std::vector<std::vector<ChunkEntry>> parts;
  parts.push_back(std::move(*entries));
  GroupIndex index;
  if (Status status = gather(place, std::move(parts), index, false); !status) return status;
  whole_parts_ = false;
  out.columns.clear();
  return decode_slots(place, index, out);
}

}  // namespace hdb::format
