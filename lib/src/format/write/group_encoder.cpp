// Row groups into blocks: check, cut columns into chunks, chunks into parts, encode.
#include "format/write/group_encoder.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "format/columns/rows.hpp"

namespace hdb::format {
namespace {

std::span<const std::byte> little_endian(const std::vector<std::uint32_t>& values, Bytes& copy) {
  if constexpr (std::endian::native == std::endian::little) return std::as_bytes(std::span(values));
  copy.resize(values.size() * 4);
  for (std::size_t i = 0; i < values.size(); ++i) store_le(copy.data() + 4 * i, values[i]);
  return copy;
}

// The error with this place, which that of a source that is read has already.
Error placed(Error error, const std::string& place) {
  return error.where.ends_with(place) ? error : std::move(error).in(place);
}

std::string place(const TableDescriptor& table, std::uint64_t group) {
  return "group " + std::to_string(group) + " of table '" + table.name + "'";
}

std::uint64_t largest_column(const RowGroup& group) noexcept {
  std::uint64_t largest = 0;
  for (const Bytes& column : group.columns)
    largest = std::max<std::uint64_t>(largest, column.size());
  return largest;
}

std::uint64_t total_bytes(const RowGroup& group) noexcept {
  std::uint64_t total = 0;
  for (const Bytes& column : group.columns) total += column.size();
  return total;
}

void begin(EncodedBlocks& out) {
  out.is_packed = false;
  out.pieces.clear();
  out.bytes.clear();
  out.holder.reset();
  out.blocks.clear();
  out.heads.clear();
  out.free_slots.clear();
  out.raw_bytes = 0;
  out.reused_bytes = 0;
  out.is_diluted = false;
  out.records = {};
  out.slots = {};
  out.is_reused = false;
  out.ids.clear();
}

}  // namespace

bool has_many_groups(std::span<const TableDescriptor> tables) noexcept {
  constexpr std::uint64_t kFewGroups = 64;
  std::uint64_t groups = 0;
  for (const TableDescriptor& table : tables) groups += table.group_count();
  return groups > kFewGroups;
}

GroupEncoder::GroupEncoder(const EncodeJob& job)
    : job_(job),
      encoder_(job.options.codec, job.options.level, job.options.filters),
      has_many_groups_(has_many_groups(job.image->tables())) {}

Status GroupEncoder::check_sizes(std::uint64_t largest_column, std::uint64_t total) const {
  if (largest_column > job_.options.limits.max_column_bytes) {
    return fail(ErrorCode::limit_exceeded,
                "a column has " + std::to_string(largest_column) + " bytes; at most " +
                    std::to_string(job_.options.limits.max_column_bytes) +
                    " are allowed (ReadLimits::max_column_bytes)");
  }
  if (total > job_.options.limits.max_memory_bytes) {
    return fail(ErrorCode::memory_budget, "the columns have " + std::to_string(total) +
                                              " bytes; at most " +
                                              std::to_string(job_.options.limits.max_memory_bytes) +
                                              " are allowed (ReadLimits::max_memory_bytes)");
  }
  return {};
}

Status GroupEncoder::check(const TableDescriptor& table, std::uint64_t group) const {
  if (Status status = check_group_slots(table, group, group_); !status) return status;
  if (Status status = check_sizes(largest_column(group_), total_bytes(group_)); !status)
    return status;
  Status status = check_columns(job_.grammars[table.schema], group_, group_.live_count());
  // The program gave the values, so a wrong one is not damage of a file.
  if (!status && status.error().code == ErrorCode::bad_value)
    status.error().code = ErrorCode::invalid_value;
  return status;
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

// A few small groups are far from what a reader refuses (kAnyContentBytes): at most 128 MiB in all.
// With half of the ratio for everything else, any sum of both is within the ratio.
std::uint64_t GroupEncoder::max_ratio(BlockType type) const noexcept {
  constexpr std::uint64_t kSmallGroupBytes = std::uint64_t{2} << 20;
  std::uint64_t raw = 0;
  for (const RawChunk& chunk : chunks_) raw += chunk.raw.size();
  const bool is_large = type == BlockType::rows && raw >= kSmallGroupBytes;
  if (!has_many_groups_ && !is_large) return std::numeric_limits<std::uint64_t>::max();
  return std::max<std::uint64_t>(job_.options.limits.max_content_ratio / 2, 1);
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
  const auto appended = encoder_.append_block(head, chunks, known_, max_ratio(type), out.bytes);
  out.reused_bytes += appended.copied_bytes;
  out.is_diluted = out.is_diluted || appended.is_diluted;
  out.raw_bytes += head.info.raw_bytes;
  out.blocks.push_back(head.info);
  out.heads.push_back(head);
}

// --- the last write

bool GroupEncoder::is_unchanged(std::size_t table, std::uint64_t group, const GroupFacts* last) {
  const std::span<const std::uint64_t> numbers =
      last != nullptr ? std::span(std::as_const(last->identity)) : std::span<const std::uint64_t>();
  if (!job_.image->group_identity(table, group, numbers, identity_)) identity_.clear();
  return last != nullptr && !identity_.empty() && last->identity == identity_ &&
         (last->records || !job_.with_hash);
}

// Whether the checks of the group's slots would pass as they did. What they mean for the whole
// table is in their sums. What they mean for components was checked by the write that left the
// group, and is checked again if the other group changed.
bool GroupEncoder::are_slots_known(std::size_t table, const GroupFacts& last) const noexcept {
  const TableDescriptor& descriptor = job_.image->tables()[table];
  return job_.checkers[table] == nullptr && last.is_checked && last.slots &&
         last.policy == descriptor.policy &&
         last.slots->highest_generation <= descriptor.highest_generation;
}

// Of the group at hand, whose slots passed check_group_slots.
Status GroupEncoder::add_slots(std::size_t table, std::uint64_t group, EncodedBlocks& out) {
  job_.components->add_group(table, group, group_);
  if (SlotChecker* const checker = job_.checkers[table].get())
    return checker->add_group(group, group_);
  out.slots = SlotSums::of(group_);
  return {};
}

// The group's columns kept the grammar when they were written; all else that a reader would refuse
// depends on the whole table or on the limits of this write, and is checked again.
Status GroupEncoder::reuse(std::size_t table, std::uint64_t group, GroupFacts& last,
                           EncodedBlocks& out) {
  const TableDescriptor& descriptor = job_.image->tables()[table];
  Status status = check_sizes(last.largest_column_bytes, last.raw_bytes);
  if (are_slots_known(table, last)) {
    out.slots = *last.slots;
  } else {
    if (status) status = job_.image->read_slots(table, group, group_);
    if (status) status = check_group_slots(descriptor, group, group_);
    if (status) status = add_slots(table, group, out);
    if (job_.checkers[table] == nullptr) last.slots = out.slots;
    last.policy = descriptor.policy;
  }
  if (!status) return status;
  job_.store->reuse_from_last(table, group, job_.file_id, out);
  for (const BlockInfo& block : out.blocks) out.raw_bytes += block.raw_bytes;
  if (out.is_packed) status = add_packed_list(table, out);
  if (!status) return status;
  if (job_.with_hash) out.records = *last.records;
  out.is_reused = true;
  return {};
}

void GroupEncoder::find_known_chunks(std::size_t table, GroupPart part, std::uint64_t number) {
  known_.clear();
  if (job_.store != nullptr) job_.store->add_last_chunks(table, part, number, known_);
}

// --- groups and free lists

Status GroupEncoder::gather_and_encode(std::size_t table, std::uint64_t group, EncodedBlocks& out) {
  const TableDescriptor& descriptor = job_.image->tables()[table];
  group_.record_hash.reset();
  const bool with_hash = job_.with_hash && descriptor.is_hashed();
  Status status = job_.image->read_group(table, group, with_hash, group_);
  if (status) status = check(descriptor, group);
  if (status) status = add_slots(table, group, out);
  if (!status) return status;
  out.records = {};
  if (with_hash) {
    const Field& schema = job_.image->schemas()[descriptor.schema];
    out.records = group_.record_hash ? *group_.record_hash : hash_rows_of(schema, group_);
  }
  if (job_.options.packs && belongs_in_a_pack(descriptor, group_)) return pack(table, out);
  plan_chunks(descriptor);
  find_known_chunks(table, GroupPart::rows, group);
  std::uint32_t part = 0;
  for (std::size_t begin = 0; begin < chunks_.size();) {
    std::size_t end = begin;
    std::uint64_t raw = 0;
    while (end < chunks_.size() &&
           (end == begin ||
            (raw + chunks_[end].raw.size() <= kMaxPartRawBytes && end - begin < kMaxPartChunks))) {
      raw += chunks_[end++].raw.size();
    }
    add_block(BlockType::rows, table, group, part++, std::span(chunks_).subspan(begin, end - begin),
              out);
    begin = end;
  }
  out.pieces.push_back(out.bytes.bytes());
  return {};
}

// Of a group that changed, or that the last write did not have.
Status GroupEncoder::write_again(std::size_t table, std::uint64_t group, EncodedBlocks& out) {
  Status status = gather_and_encode(table, group, out);
  if (!status || job_.store == nullptr) return status;
  GroupFacts facts;
  facts.identity = identity_;
  if (job_.with_hash) facts.records = out.records;
  if (job_.checkers[table] == nullptr) facts.slots = out.slots;
  facts.policy = job_.image->tables()[table].policy;
  facts.raw_bytes = total_bytes(group_);
  facts.largest_column_bytes = largest_column(group_);
  return job_.store->store_group(table, GroupPart::rows, group, facts, out);
}

Status GroupEncoder::encode_group(std::size_t table, std::uint64_t group, EncodedBlocks& out) {
  begin(out);
  GroupFacts* const last = job_.store != nullptr ? job_.store->last_group(table, group) : nullptr;
  const bool unchanged = job_.store != nullptr && is_unchanged(table, group, last);
  Status status = unchanged ? reuse(table, group, *last, out) : write_again(table, group, out);
  if (status) return status;
  return fail(placed(std::move(status.error()), place(job_.image->tables()[table], group)));
}

Status GroupEncoder::read_free_list(std::size_t table, std::uint64_t first, EncodedBlocks& out) {
  const TableDescriptor& descriptor = job_.image->tables()[table];
  out.free_slots.resize(
      static_cast<std::size_t>(std::min(kFreeListBlockEntries, descriptor.listed_count() - first)));
  Status status = job_.image->read_free_list(table, first, out.free_slots);
  if (SlotChecker* const checker = job_.checkers[table].get(); status && checker != nullptr)
    status = checker->add_free(out.free_slots);
  if (status) return status;
  return fail(placed(std::move(status.error()), "free list of table '" + descriptor.name + "'"));
}

Status GroupEncoder::pack(std::size_t table, EncodedBlocks& out) {
  const TableDescriptor& descriptor = job_.image->tables()[table];
  append_packed_group(descriptor, job_.grammars[descriptor.schema], group_, out.bytes);
  out.pieces.push_back(out.bytes.bytes());
  out.is_packed = true;
  return add_packed_list(table, out);
}

Status GroupEncoder::add_packed_list(std::size_t table, EncodedBlocks& out) {
  Status status = read_free_list(table, 0, out);
  out.raw_bytes = out.pieces.front().size() + 4 * out.free_slots.size();
  return status;
}

Status GroupEncoder::encode_free_list(std::size_t table, std::uint64_t number, EncodedBlocks& out) {
  begin(out);
  if (Status status = read_free_list(table, number * kFreeListBlockEntries, out); !status)
    return status;
  find_known_chunks(table, GroupPart::free_list, number);
  const RawChunk chunk{0, 0, 4, little_endian(out.free_slots, generations_)};
  add_block(BlockType::free_list, table, 0, static_cast<std::uint32_t>(number), {&chunk, 1}, out);
  out.pieces.push_back(out.bytes.bytes());
  if (job_.store == nullptr) return {};
  return job_.store->store_group(table, GroupPart::free_list, number, {}, out);
}

}  // namespace hdb::format
