// Names and blobs, between memory and columns.
#include "database/tables/name_and_blob_columns.hpp"

#include <iterator>
#include <optional>
#include <utility>

#include "base/using_detail.hpp"
#include "database/tables/thread_scratch.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/bytes.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb {
namespace {

// Lengths and bytes of the names of some slots.
void encode_names(const FrozenNames& names, std::span<const std::uint32_t> slots, Bytes& lengths,
                  Bytes& bytes) {
  lengths.clear();
  bytes.clear();
  ByteWriter length_writer(lengths);
  ByteWriter byte_writer(bytes);
  PagePin pin(names.names);
  for (const std::uint32_t slot : slots) {
    const auto& name = pin.as<std::string>(slot);
    length_writer.varint(name.size());
    byte_writer.raw(bytes_of(name));
  }
}

// Offsets, lengths and bytes of the blocks of some slots.
void encode_blobs(const FrozenTable& table, std::span<const std::uint32_t> slots, Bytes& offsets,
                  Bytes& lengths, Bytes& bytes) {
  offsets.clear();
  lengths.clear();
  ByteWriter offset_writer(offsets);
  ByteWriter length_writer(lengths);
  std::uint64_t total = 0;
  for (const std::uint32_t slot : slots) {
    const BlockPlace place = block_place(table, slot);
    offset_writer.u64(place.offset);
    length_writer.varint(place.size);
    total += place.size;
  }
  bytes.resize(static_cast<std::size_t>(total));
  std::span<std::byte> rest(bytes);
  for (const std::uint32_t slot : slots) {
    const BlockPlace place = block_place(table, slot);
    const auto size = static_cast<std::size_t>(place.size);
    table.blobs->buffer.read(place.offset, rest.first(size));
    rest = rest.subspan(size);
  }
}

// Releases what was gathered, also when something is thrown.
class Released {
 public:
  explicit Released(GatheredRecords& gathered) noexcept : gathered_(gathered) {}
  ~Released() { gathered_.release(); }
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;

 private:
  GatheredRecords& gathered_;
};

// Walks over the values of a column of lengths and one of bytes.
class Texts {
 public:
  Texts(const Bytes& lengths, const Bytes& bytes) noexcept
      : length_at_(lengths.data()), lengths_end_(length_at_ + lengths.size()), rest_(bytes) {}

  // The next value; none where the columns do not fit each other.
  [[nodiscard]] std::optional<std::span<const std::byte>> next() noexcept {
    std::uint64_t length = 0;
    length_at_ = load_varint(length_at_, lengths_end_, length);
    if (length_at_ == nullptr || length > rest_.size()) return std::nullopt;
    const auto value = rest_.first(static_cast<std::size_t>(length));
    rest_ = rest_.subspan(value.size());
    return value;
  }

 private:
  const std::byte* length_at_;
  const std::byte* lengths_end_;
  std::span<const std::byte> rest_;
};

// Whether rows hold nothing beside the record.
bool is_record_alone(const SnapshotTable& table) noexcept {
  return extra_column_count(*table.descriptor) == 0 && table.kept == nullptr;
}

Status decode_names(std::span<const Bytes> columns, std::span<const std::uint32_t> live_slots,
                    TableCore& core) {
  return for_each_name(columns, live_slots, [&](std::size_t row, std::string_view name) -> Status {
    core.fill_name(live_slots[row], name);
    return {};
  });
}

Status decode_blobs(std::span<const Bytes> columns, std::span<const std::uint32_t> live_slots,
                    TableContent& content) {
  Texts blocks(columns[1], columns[2]);
  const std::byte* offset_at = columns[0].data();
  for (const std::uint32_t slot : live_slots) {
    const auto block = blocks.next();
    if (!block)
      return fail(ErrorCode::bad_lengths, "the bytes do not match their lengths",
                  "column '@bytes'");
    if (auto filled = content.fill_block(slot, load_le<std::uint64_t>(offset_at), *block); !filled)
      return filled;
    offset_at += 8;
  }
  return {};
}

}  // namespace

std::size_t extra_column_count(const TableDescriptor& table) noexcept {
  return (table.policy.names == RecordNames::none ? 0u : 2u) + (table.blobs ? 3u : 0u);
}

void encode_extras(const SnapshotTable& table, std::span<const std::uint32_t> slots,
                   std::vector<Bytes>& columns) {
  std::size_t column = 0;
  if (table.descriptor->policy.names != RecordNames::none) {
    encode_names(table.frozen.names, slots, columns[0], columns[1]);
    column = 2;
  }
  if (table.frozen.blobs) {
    encode_blobs(table.frozen, slots, columns[column], columns[column + 1], columns[column + 2]);
  }
}

Status encode_records(const SnapshotTable& table, GatheredRecords& gathered,
                      std::vector<Bytes>& columns) {
  const Released released(gathered);
  return table.codec->encode(gathered.batch(), columns, nullptr);
}

Status encode_rows(const SnapshotTable& table, GatheredRecords& gathered,
                   std::vector<Bytes>& columns, Hash128* hash_sum) {
  const Released released(gathered);
  const std::size_t extras = extra_column_count(*table.descriptor);
  if (is_record_alone(table)) return table.codec->encode(gathered.batch(), columns, hash_sum);
  // The record's columns go to the codec in a vector of their own, buffers and all.
  HDB_KEPT_BY_THREAD std::vector<Bytes> last;
  ThreadScratch scratch(last);
  std::vector<Bytes>& own = *scratch;
  const auto first = columns.begin() + static_cast<std::ptrdiff_t>(extras);
  own.assign(std::move_iterator(first), std::move_iterator(columns.end()));
  if (table.kept != nullptr) own.resize(table.kept->own_columns());
  const RecordBatch batch = gathered.batch();
  std::vector<std::uint64_t> seeds;
  for (std::size_t row = 0; hash_sum != nullptr && row < batch.size(); ++row)
    seeds.push_back(batch.seed(row));
  Status encoded = table.codec->encode(batch, own, nullptr);
  if (table.kept == nullptr || !encoded) {
    std::move(own.begin(), own.end(), first);
  } else {
    table.kept->merge(batch.slots, table.erased.get(), own, std::span(columns).subspan(extras));
  }
  if (!encoded) return encoded;
  gathered.release();
  encode_extras(table, gathered.slots(), columns);
  if (hash_sum != nullptr) {
    *hash_sum += hash_live_rows(*table.schema, columns, seeds);
  }
  return {};
}

Result<Hash128> hash_rows(const SnapshotTable& table, GatheredRecords& gathered) {
  const Released released(gathered);
  if (is_record_alone(table)) return table.codec->hash_rows(gathered.batch());
  std::vector<Bytes> columns(columns_of(*table.schema).size());
  Hash128 sum;
  if (auto encoded = encode_rows(table, gathered, columns, &sum); !encoded)
    return fail(std::move(encoded.error()));
  return sum;
}

Status decode_extras(const TableDescriptor& table, std::span<const Bytes> columns,
                     std::span<const std::uint32_t> live_slots, TableContent& content) {
  if (table.policy.names != RecordNames::none) {
    if (content.core().names() != nullptr) {
      if (auto decoded = decode_names(columns, live_slots, content.core()); !decoded)
        return decoded;
    }
    columns = columns.subspan(2);
  } else if (content.core().names() != nullptr) {
    for (const std::uint32_t slot : live_slots) content.core().fill_name(slot, {});
  }
  if (content.blob_options() == nullptr) return {};
  return decode_blobs(columns, live_slots, content);
}

Status for_each_name(std::span<const Bytes> columns, std::span<const std::uint32_t> live_slots,
                     const std::function<Status(std::size_t row, std::string_view name)>& visit) {
  Texts names(columns[0], columns[1]);
  for (std::size_t row = 0; row < live_slots.size(); ++row) {
    const auto name = names.next();
    if (!name)
      return fail(ErrorCode::bad_lengths, "the names do not match their lengths", "column '@name'");
    if (auto visited = visit(row, {reinterpret_cast<const char*>(name->data()), name->size()});
        !visited) {
      return visited;
    }
  }
  return {};
}

}  // namespace hdb
