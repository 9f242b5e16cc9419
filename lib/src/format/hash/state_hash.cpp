// The state hash and the sums that it is made of.
#include <algorithm>
#include <bit>

#include "format/columns/grammar.hpp"
#include "format/columns/rows.hpp"
#include "format/columns/state_counts.hpp"
#include "hdb/assert.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/inspect/checks.hpp"
#include "hdb/inspect/constants.hpp"

namespace hdb {
namespace {

void write_hash(const Hash128& hash, ByteWriter& out) {
  out.u64(hash.low);
  out.u64(hash.high);
}

}  // namespace

std::size_t RowGroup::live_count() const noexcept { return format::count_states(states).live; }

Hash128 vacant_slot_hash(std::uint32_t slot, SlotState state, std::uint32_t generation) noexcept {
  const std::byte row[1] = {static_cast<std::byte>(state)};
  return hash128(row, row_seed(slot, generation | format::kVacantBit, 0));
}

Hash128 free_list_page_hash(std::uint64_t page, std::span<const std::uint32_t> entries) noexcept {
  if constexpr (std::endian::native == std::endian::little)
    return hash128(std::as_bytes(entries), page);
  std::byte bytes[4 * format::kFreeListPageEntries];
  for (std::size_t i = 0; i < entries.size(); ++i) store_le(bytes + 4 * i, entries[i]);
  return hash128({bytes, 4 * entries.size()}, page);
}

FreeListHash::FreeListHash(const TableDescriptor& table)
    : backwards_(table.policy.free_list == FreeList::lifo), left_(table.listed_count()) {}

void FreeListHash::add(std::span<const std::uint32_t> entries) {
  constexpr std::uint64_t kPage = format::kFreeListPageEntries;
  while (!entries.empty()) {
    // Backwards, the page that is not full comes first.
    const std::uint64_t first = backwards_ ? left_ - 1 : done_;
    const std::uint64_t rest = backwards_ ? first % kPage + 1 : kPage - first % kPage;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(rest, entries.size()));
    page_.insert(page_.end(), entries.begin(),
                 entries.begin() + static_cast<std::ptrdiff_t>(count));
    entries = entries.subspan(count);
    left_ -= count;
    done_ += count;
    if (count != rest && left_ != 0) return;
    if (backwards_) std::reverse(page_.begin(), page_.end());
    sum_ += free_list_page_hash(first / kPage, page_);
    page_.clear();
  }
}

Hash128 combine_state_hash(const std::vector<Field>& schemas,
                           const std::vector<TableDescriptor>& tables,
                           const std::vector<TableHashes>& hashes,
                           const DatabaseDescriptor& database) {
  HDB_REQUIRE(tables.size() == hashes.size(),
              "combine_state_hash: the number of hashes must equal the number of tables");
  Bytes bytes;
  ByteWriter out(bytes);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const TableDescriptor& table = tables[i];
    if (!table.is_hashed()) continue;
    out.text(table.name);
    out.u16(table.type_id);
    write_hash(schema_fingerprint(schemas[table.schema]), out);
    out.u8(table.singleton ? 1 : 0);
    out.u8(table.policy.layout.index_bits);
    out.u8(table.policy.layout.generation_bits);
    out.u8(table.policy.layout.type_bits);
    out.u8(static_cast<std::uint8_t>(table.policy.storage));
    out.u8(static_cast<std::uint8_t>(table.policy.free_list));
    out.u8(static_cast<std::uint8_t>(table.policy.generations));
    out.u8(static_cast<std::uint8_t>(table.policy.overflow));
    out.u64(table.slot_count);
    out.u64(table.live_count);
    out.u64(table.retired_count);
    out.u64(table.free_count);
    out.u32(table.counter);
    out.u32(table.highest_generation);
    write_table_extras(table, out);
    write_hash(hashes[i].records, out);
    write_hash(hashes[i].free_list, out);
  }
  out.u16(database.highest_type_id);
  if (has_hashed_extension(database.extensions)) write_extensions(database.extensions, out, true);
  return hash128(bytes);
}

std::uint16_t highest_type_id_of(const std::vector<TableDescriptor>& tables) noexcept {
  std::uint16_t highest = 0;
  for (const TableDescriptor& table : tables) highest = std::max(highest, table.type_id);
  return highest;
}

DatabaseDescriptor ImageSource::database() const { return {highest_type_id_of(tables())}; }

Result<Hash128> group_record_hash(const Field& root, const RowGroup& group) {
  if (group.generations.size() != group.states.size()) {
    return fail(ErrorCode::bad_lengths,
                "the number of generations differs from the number of slot states");
  }
  if (Status status = check_group(root, group); !status) return fail(std::move(status.error()));
  return format::hash_rows_of(root, group);
}

}  // namespace hdb
