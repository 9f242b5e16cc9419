// Names, between pages and columns.
#include "row_extras.hpp"

#include <string_view>
#include <utility>

#include "hdb/base/bytes.hpp"
#include "hdb/format/image.hpp"

namespace hdb {
namespace {

// Lengths and bytes of the names of some slots.
void encode_names(const FrozenNames& names, std::span<const std::uint32_t> slots, Bytes& lengths,
                  Bytes& bytes) {
  lengths.clear();
  bytes.clear();
  ByteWriter length_writer(lengths);
  ByteWriter byte_writer(bytes);
  for (const std::uint32_t slot : slots) {
    const std::string& name = names.name(slot);
    length_writer.varint(name.size());
    byte_writer.raw(bytes_of(name));
  }
}

}  // namespace

std::size_t extra_column_count(const TableDescriptor& table) noexcept {
  return table.policy.names == Names::none ? 0 : 2;
}

Field record_schema(const TableDescriptor& table, Field stored) {
  const auto prefix = static_cast<std::ptrdiff_t>(row_prefix(table).size());
  stored.children.erase(stored.children.begin(), stored.children.begin() + prefix);
  return stored;
}

Status encode_rows(const SnapshotTable& table, const GatheredRecords& gathered,
                   std::vector<Bytes>& columns, Hash128* hash_sum) {
  const std::size_t extras = extra_column_count(*table.descriptor);
  if (extras == 0) return table.codec->encode(gathered.batch(), columns, hash_sum);
  // The record's columns go to the codec in a vector of their own, buffers and all.
  thread_local std::vector<Bytes> own;
  const auto first = columns.begin() + static_cast<std::ptrdiff_t>(extras);
  own.assign(std::move_iterator(first), std::move_iterator(columns.end()));
  Status encoded = table.codec->encode(gathered.batch(), own, nullptr);
  std::move(own.begin(), own.end(), first);
  if (!encoded) return encoded;
  encode_names(table.frozen.names, gathered.slots, columns[0], columns[1]);
  if (hash_sum != nullptr) {
    *hash_sum += hash_live_rows(*table.schema, columns, gathered.slots, gathered.generations);
  }
  return {};
}

Result<Hash128> hash_rows(const SnapshotTable& table, const GatheredRecords& gathered) {
  if (extra_column_count(*table.descriptor) == 0) return table.codec->hash_rows(gathered.batch());
  std::vector<Bytes> columns(columns_of(*table.schema).size());
  Hash128 sum;
  if (auto encoded = encode_rows(table, gathered, columns, &sum); !encoded)
    return fail(std::move(encoded.error()));
  return sum;
}

Status decode_extras(const TableDescriptor& table, std::span<const Bytes> columns,
                     std::span<const std::uint32_t> live_slots, TableCore& core) {
  if (table.policy.names == Names::none) return {};
  const std::byte* length_at = columns[0].data();
  const std::byte* const lengths_end = length_at + columns[0].size();
  std::size_t at = 0;
  for (const std::uint32_t slot : live_slots) {
    std::uint64_t length = 0;
    length_at = load_varint(length_at, lengths_end, length);
    if (length_at == nullptr || length > columns[1].size() - at) {
      return fail(ErrorCode::bad_lengths, "the names do not fit their lengths", "column '@name'");
    }
    core.fill_name(slot, {reinterpret_cast<const char*>(columns[1].data()) + at,
                          static_cast<std::size_t>(length)});
    at += static_cast<std::size_t>(length);
  }
  return {};
}

}  // namespace hdb
