// Row groups into blocks: check, cut columns into chunks, chunks into parts, encode.
#include "format/write/group_encoder.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <new>
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
  out.reused.reset();
  out.blocks.clear();
  out.free_slots.clear();
  out.raw_bytes = 0;
  out.reused_bytes = 0;
  out.is_diluted = false;
  out.records = {};
  out.slots = {};
  out.is_recalled = false;
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
  heads_.push_back(head);
}

// --- the cache

bool GroupEncoder::is_unchanged(std::size_t table, std::uint64_t group, const CachedGroup* old) {
  const std::span<const std::uint64_t> last = old != nullptr
                                                  ? std::span<const std::uint64_t>(old->identity)
                                                  : std::span<const std::uint64_t>();
  if (!job_.image->group_identity(table, group, last, identity_)) identity_.clear();
  return old != nullptr && !identity_.empty() && old->identity == identity_ &&
         (old->records || !job_.with_hash);
}

// Sets `is_recalled` of `out` if the store knows the group. What its slots mean for the whole table
// is in their sums, or is checked again where the table is not checked by sums.
Status GroupEncoder::recall(std::size_t table, std::uint64_t group, EncodedBlocks& out) {
  const TableDescriptor& descriptor = job_.image->tables()[table];
  const auto last = job_.store->last_identity(table, group);
  if (!job_.image->group_identity(table, group, last, identity_)) identity_.clear();
  const bool with_hash = job_.with_hash && descriptor.is_hashed();
  out.is_recalled =
      !identity_.empty() && job_.store->recall(table, group, identity_, with_hash, out);
  if (!out.is_recalled || job_.checkers[table] == nullptr) return {};
  Status status = job_.image->read_slots(table, group, group_);
  if (status) status = check_group_slots(descriptor, group, group_);
  if (status) status = add_slots(table, group, out);
  return status;
}

// Whether the checks of the group's slots would pass as they did. What they mean for the whole
// table is in their sums. What they mean for components was checked by the write that left the
// entry, and is checked again if the other group changed.
bool GroupEncoder::are_slots_known(std::size_t table, const CachedGroup& old) const noexcept {
  const TableDescriptor& descriptor = job_.image->tables()[table];
  return job_.checkers[table] == nullptr && old.is_checked && old.slots &&
         old.policy == descriptor.policy &&
         old.slots->highest_generation <= descriptor.highest_generation;
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
// depends on the whole table or on the limits of this write, and is checked again. Block heads are
// made again: file and table may be others.
Status GroupEncoder::reuse(std::size_t table, std::uint64_t group, CacheStore::Entry old,
                           EncodedBlocks& out) {
  const TableDescriptor& descriptor = job_.image->tables()[table];
  Status status = check_sizes(old->largest_column_bytes, old->raw_bytes);
  if (are_slots_known(table, *old)) {
    out.slots = *old->slots;
  } else {
    if (status) status = job_.image->read_slots(table, group, group_);
    if (status) status = check_group_slots(descriptor, group, group_);
    if (status) status = add_slots(table, group, out);
    if (job_.checkers[table] == nullptr) old->slots = out.slots;
    old->policy = descriptor.policy;
  }
  if (!status) return status;
  for (BlockHead head : old->heads) {
    head.file_id = job_.file_id;
    head.info.table = static_cast<std::uint32_t>(table);
    out.bytes.append(encode_block_head(head));
    out.blocks.push_back(head.info);
    out.raw_bytes += head.info.raw_bytes;
    out.reused_bytes += head.info.stored_bytes;
  }
  for (std::size_t i = 0; i < old->heads.size(); ++i) {
    out.pieces.push_back(out.bytes.bytes().subspan(i * kBlockHeadBytes, kBlockHeadBytes));
    out.pieces.push_back(old->payload(old->heads[i]));
  }
  if (job_.with_hash) out.records = *old->records;
  out.reused = std::move(old);
  return {};
}

void GroupEncoder::find_known_chunks(const CachedGroup* old) {
  known_.clear();
  heads_.clear();
  if (old == nullptr || old->is_diluted) return;
  for (const BlockHead& head : old->heads) known_.add(old->payload(head));
}

// Without memory for it the group is not kept: the file does not need it.
void GroupEncoder::keep(std::size_t table, CacheSession::Part part, std::uint64_t number,
                        CacheStore::Entry old, const EncodedBlocks& out) noexcept {
  try {
    const std::span<const std::byte> bytes = out.bytes.bytes();
    const bool fits =
        old && bytes.size() <= old->bytes.capacity() && old->bytes.capacity() / 2 <= bytes.size();
    CacheStore::Entry entry = fits ? std::move(old) : std::make_shared<CachedGroup>();
    // Groups keep about their size: with some room the next one finds this memory, instead of fresh
    // pages.
    if (!fits) {
      old.reset();  // its room is for the new one
      entry->bytes.reserve(bytes.size() + bytes.size() / 16);
    }
    entry->settings = job_.cache->settings();
    entry->identity = identity_;
    entry->slots.reset();
    entry->is_diluted = out.is_diluted;
    entry->is_checked = false;
    entry->records.reset();
    if (job_.with_hash) entry->records = out.records;
    const bool is_group = part == CacheSession::Part::rows;
    entry->raw_bytes = is_group ? total_bytes(group_) : 0;
    entry->largest_column_bytes = is_group ? largest_column(group_) : 0;
    if (is_group && job_.checkers[table] == nullptr) entry->slots = out.slots;
    entry->policy = job_.image->tables()[table].policy;
    entry->heads = heads_;
    entry->bytes.assign(bytes.begin(), bytes.end());
    job_.cache->put(table, part, number, std::move(entry));
  } catch (const std::bad_alloc&) {
  }
}

// --- groups and free lists

Status GroupEncoder::gather_and_encode(std::size_t table, std::uint64_t group,
                                       const CachedGroup* old, EncodedBlocks& out) {
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
  find_known_chunks(old);
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
  out.pieces.push_back(out.bytes.bytes());
  return {};
}

Status GroupEncoder::encode_group(std::size_t table, std::uint64_t group, EncodedBlocks& out) {
  constexpr auto kPart = CacheSession::Part::rows;
  begin(out);
  if (job_.store != nullptr) {
    Status status = recall(table, group, out);
    if (!status)
      return fail(placed(std::move(status.error()), place(job_.image->tables()[table], group)));
    if (out.is_recalled) return {};
  }
  CacheStore::Entry old;
  bool unchanged = false;
  if (job_.cache != nullptr) {
    old = job_.cache->take(table, kPart, group);
    unchanged = is_unchanged(table, group, old.get());
  }
  Status status =
      unchanged ? reuse(table, group, old, out) : gather_and_encode(table, group, old.get(), out);
  if (status && job_.store != nullptr && !out.is_packed) {
    const bool with_hash = job_.with_hash && job_.image->tables()[table].is_hashed();
    status = job_.store->keep(identity_, with_hash, out);
  }
  if (!status)
    return fail(placed(std::move(status.error()), place(job_.image->tables()[table], group)));
  if (unchanged) {
    job_.cache->put(table, kPart, group, std::move(old));
  } else if (job_.cache != nullptr && !out.is_packed) {
    keep(table, kPart, group, std::move(old), out);
  }
  return {};
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
  if (Status status = read_free_list(table, 0, out); !status) return status;
  append_packed(static_cast<std::uint32_t>(table), descriptor, job_.grammars[descriptor.schema],
                group_, out.free_slots, out.bytes);
  out.is_packed = true;
  out.raw_bytes = out.bytes.size();
  return {};
}

Status GroupEncoder::encode_free_list(std::size_t table, std::uint64_t number, EncodedBlocks& out) {
  constexpr auto kPart = CacheSession::Part::free_list;
  begin(out);
  if (Status status = read_free_list(table, number * kFreeListBlockEntries, out); !status)
    return status;
  CacheStore::Entry old = job_.cache != nullptr ? job_.cache->take(table, kPart, number) : nullptr;
  find_known_chunks(old.get());
  const RawChunk chunk{0, 0, 4, little_endian(out.free_slots, generations_)};
  add_block(BlockType::free_list, table, 0, static_cast<std::uint32_t>(number), {&chunk, 1}, out);
  out.pieces.push_back(out.bytes.bytes());
  identity_.clear();
  if (job_.cache != nullptr) keep(table, kPart, number, std::move(old), out);
  if (job_.store != nullptr) return job_.store->keep({}, false, out);
  return {};
}

}  // namespace hdb::format
