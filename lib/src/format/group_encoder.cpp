// Row groups into blocks: check, cut columns into chunks, chunks into parts, encode.
#include "group_encoder.hpp"

#include <algorithm>
#include <bit>

#include "rows.hpp"

namespace hdb::format {
namespace {

std::span<const std::byte> little_endian(const std::vector<std::uint32_t>& values, Bytes& copy) {
  if constexpr (std::endian::native == std::endian::little) return std::as_bytes(std::span(values));
  copy.resize(values.size() * 4);
  for (std::size_t i = 0; i < values.size(); ++i) store_le(copy.data() + 4 * i, values[i]);
  return copy;
}

std::string place(const TableDescriptor& table, std::uint64_t group) {
  return "group " + std::to_string(group) + " of table '" + table.name + "'";
}

}  // namespace

GroupEncoder::GroupEncoder(const EncodeJob& job)
    : job_(job), encoder_(job.options.codec, job.options.level, job.options.filters) {}

Status GroupEncoder::check(const TableDescriptor& table, std::uint64_t group) const {
  if (Status status = check_group_slots(table, group, group_); !status) return status;
  std::uint64_t total = 0;
  for (const Bytes& column : group_.columns) {
    total += column.size();
    if (column.size() > job_.options.limits.max_column_bytes) {
      return fail(ErrorCode::limit_exceeded,
                  "a column of " + std::to_string(column.size()) + " bytes");
    }
  }
  if (total > job_.options.limits.max_memory_bytes) {
    return fail(ErrorCode::memory_budget, "columns of " + std::to_string(total) + " bytes");
  }
  return check_columns(job_.grammars[table.schema], group_, group_.live_count());
}

void GroupEncoder::add_column(std::uint32_t column, unsigned width,
                              std::span<const std::byte> raw) {
  std::uint32_t piece = 0;
  do {
    const auto size = std::min(raw.size(), static_cast<std::size_t>(kMaxChunkRawBytes));
    chunks_.push_back({column, piece++, width, raw.first(size)});
    raw = raw.subspan(size);
  } while (!raw.empty());
}

void GroupEncoder::plan_chunks(const TableDescriptor& table) {
  chunks_.clear();
  add_column(kColumnStates, 1, std::as_bytes(std::span(group_.states)));
  add_column(kColumnGenerations, 4, little_endian(group_.generations, generations_));
  if (table.policy.storage == Storage::dense) {
    add_column(kColumnPositions, 4, little_endian(group_.positions, positions_));
  }
  const auto& rules = job_.grammars[table.schema].rules();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    add_column(kFirstSchemaColumn + static_cast<std::uint32_t>(i), rules[i].width,
               group_.columns[i]);
  }
}

void GroupEncoder::add_block(BlockType type, std::size_t table, std::uint64_t group,
                             std::uint32_t part, std::span<const RawChunk> chunks,
                             EncodedBlocks& out) {
  BlockHead head;
  head.file_id = job_.file_id;
  head.info.type = type_number(type);
  head.info.flags = flags_of(head.info.type);
  head.info.table = static_cast<std::uint32_t>(table);
  head.info.group = group;
  head.info.part = part;
  head.info.offset = out.bytes.size();
  encoder_.append_block(head, chunks, out.bytes);
  out.raw_bytes += head.info.raw_bytes;
  out.blocks.push_back(head.info);
}

Status GroupEncoder::encode_group(std::size_t table, std::uint64_t group, EncodedBlocks& out) {
  const TableDescriptor& descriptor = job_.image->tables()[table];
  out.bytes.clear();
  out.blocks.clear();
  out.free_slots.clear();
  out.raw_bytes = 0;
  group_.record_hash.reset();
  const bool with_hash = job_.with_hash && descriptor.is_hashed();
  Status status = job_.image->read_group(table, group, with_hash, group_);
  if (status) status = check(descriptor, group);
  if (status) status = job_.checkers[table]->add_group(group, group_);
  if (!status) return fail(std::move(status.error()).in(place(descriptor, group)));
  out.records = {};
  if (with_hash) {
    const Field& schema = job_.image->schemas()[descriptor.schema];
    out.records = group_.record_hash ? *group_.record_hash : hash_rows_of(schema, group_);
  }
  plan_chunks(descriptor);
  std::uint32_t part = 0;
  for (std::size_t begin = 0; begin < chunks_.size();) {
    std::size_t end = begin;
    std::uint64_t raw = 0;
    while (end < chunks_.size() &&
           (end == begin || raw + chunks_[end].raw.size() <= kMaxPartRawBytes)) {
      raw += chunks_[end++].raw.size();
    }
    add_block(BlockType::rows, table, group, part++, std::span(chunks_).subspan(begin, end - begin),
              out);
    begin = end;
  }
  return {};
}

Status GroupEncoder::encode_free_list(std::size_t table, std::uint64_t number, EncodedBlocks& out) {
  const TableDescriptor& descriptor = job_.image->tables()[table];
  out.bytes.clear();
  out.blocks.clear();
  out.raw_bytes = 0;
  out.records = {};
  const std::uint64_t first = number * kFreeListBlockEntries;
  out.free_slots.resize(
      static_cast<std::size_t>(std::min(kFreeListBlockEntries, descriptor.free_count - first)));
  Status status = job_.image->read_free_list(table, first, out.free_slots);
  if (status) status = job_.checkers[table]->add_free(out.free_slots);
  if (!status)
    return fail(std::move(status.error()).in("free list of table '" + descriptor.name + "'"));
  const RawChunk chunk{0, 0, 4, little_endian(out.free_slots, generations_)};
  add_block(BlockType::free_list, table, 0, static_cast<std::uint32_t>(number), {&chunk, 1}, out);
  return {};
}

}  // namespace hdb::format
