// A record type's codec, without the type: schema, columns and row hashes out, fields in.
//
// The codec of a type is built by `make_codec<Record>()` (hdb/record/make_codec.hpp) from its
// `serialize`; the database layer sees only this interface.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hdb/bytes.hpp"
#include "hdb/error.hpp"
#include "hdb/handle.hpp"
#include "hdb/hash.hpp"
#include "hdb/schema.hpp"

namespace hdb {

/// Memory that a load may still use; shared by its threads.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t bytes) : left_(bytes) {}
  /// Takes `bytes`; false (and nothing taken) when less is left.
  [[nodiscard]] bool charge(std::uint64_t bytes) noexcept {
    std::uint64_t left = left_.load(std::memory_order_relaxed);
    do {
      if (left < bytes) return false;
    } while (!left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed));
    return true;
  }
  [[nodiscard]] std::uint64_t left() const noexcept {
    return left_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> left_;
};

/// Gives the name of the table that handles with this key name; empty when none is bound.
using TableNamer = std::function<std::string(HandleKey)>;

/// Some records of one table, to be encoded in this order.
struct RecordBatch {
  std::span<const void* const> records;
  std::span<const std::uint32_t> slots;
  std::span<const std::uint32_t> generations;
};

/// Fills records from columns; made for one stored schema. Const calls may come from several
/// threads.
class RecordDecoder {
 public:
  virtual ~RecordDecoder() = default;
  /// Reads all rows of the columns (columns_of(stored schema), already checked against the grammar
  /// by the reader, but not trusted) into default-constructed records.
  /// Errors: a value that does not fit, the budget, an exception of the record's own code.
  [[nodiscard]] virtual Status decode(std::span<const Bytes> columns,
                                      std::span<void* const> records,
                                      MemoryBudget& budget) const = 0;
  /// Paths of the type's fields that the file lacks (they keep their defaults).
  [[nodiscard]] virtual const std::vector<std::string>& missing_fields() const = 0;
  /// Paths of stored fields that the type lacks (they are skipped).
  [[nodiscard]] virtual const std::vector<std::string>& unknown_fields() const = 0;
  /// Whether stored and own schema are equal.
  [[nodiscard]] virtual bool exact() const = 0;
};

/// What can be done with records of one type. Const calls may come from several threads.
class RecordCodec {
 public:
  virtual ~RecordCodec() = default;
  /// The schema, with handle fields bound to table names.
  /// Errors: refused_type, with the field's path and the reason.
  [[nodiscard]] virtual Result<Field> schema(const TableNamer& namer) const = 0;
  /// Whether records are gathered field by field at fixed offsets, without calling `serialize`.
  [[nodiscard]] virtual bool is_plain() const = 0;
  /// Fills `columns` with the batch, all records of a row group: one buffer per column of
  /// columns_of(schema); what they held is gone, but not their capacity, and after an error they
  /// are empty. Adds the row hashes to `*hash_sum` unless it is null.
  /// Errors: schema_drift naming the row (its slot and generation) and field; user_code_threw.
  [[nodiscard]] virtual Status encode(const RecordBatch& batch, std::vector<Bytes>& columns,
                                      Hash128* hash_sum) const = 0;
  /// The sum of the row hashes alone.
  [[nodiscard]] virtual Result<Hash128> hash_rows(const RecordBatch& batch) const = 0;
  /// Whether records hold Strong handles of one of these kinds.
  [[nodiscard]] virtual bool has_strong(std::span<const HandleKey> keys) const = 0;
  /// Appends the bits of every Strong handle of these kinds that the records hold, null ones too.
  /// Errors: as encode. Complexity: a load a handle for plain records, else as encoding them.
  [[nodiscard]] virtual Status gather_strong(std::span<const void* const> records,
                                             std::span<const HandleKey> keys,
                                             std::vector<std::uint64_t>& bits) const = 0;
  /// Matches `stored` with the type by field names.
  /// Errors: type_mismatch, layout_mismatch, with the field's path.
  [[nodiscard]] virtual Result<std::unique_ptr<RecordDecoder>> decoder_for(
      const Field& stored, const TableNamer& namer) const = 0;
};

}  // namespace hdb
