// A record type's codec, without the type: schema, columns and row hashes out, fields in.
//
// `make_codec<Record>()` (hdb/detail/record/make_codec.hpp) makes the codec of a type from its
// `serialize`.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hdb/bytes.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/detail/record/decode_rules.hpp"
#include "hdb/error.hpp"
#include "hdb/handle.hpp"
#include "hdb/hash.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb {
struct TableSchema;
}

namespace hdb::detail {

class RecordDecoder;

namespace evolve {
struct Plan;
struct PlanColumn;
}  // namespace evolve
namespace record {
struct Discovery;
struct SerializeFunctions;
}  // namespace record

/// Records that are read in order, each only until the next call.
class RecordReader {
 public:
  [[nodiscard]] virtual const void* read(std::size_t row) = 0;
  /// Copies rows, stride_bytes() apart. Only of plain records.
  virtual void copy(std::size_t first, std::size_t count, std::byte* to) = 0;
  [[nodiscard]] virtual std::size_t stride_bytes() const noexcept = 0;

 protected:
  ~RecordReader() = default;
};

/// Some records of one table, to be encoded in this order.
struct RecordBatch {
  std::span<const void* const> records;  ///< Unless there is a reader.
  std::span<const std::uint32_t> slots;
  std::span<const std::uint32_t> generations;
  std::span<const std::uint32_t> positions;  ///< In dense tables; else empty.
  RecordReader* reader = nullptr;

  [[nodiscard]] std::size_t size() const noexcept { return slots.size(); }
  /// The seed of the row's hash.
  [[nodiscard]] std::uint64_t seed(std::size_t row) const noexcept {
    return row_seed(slots[row], generations[row], positions.empty() ? 0 : positions[row]);
  }
  [[nodiscard]] const void* record(std::size_t row) const {
    return reader != nullptr ? reader->read(row) : records[row];
  }
};

/// What can be done with records of one type. Const calls may come from several threads.
class HDB_API RecordCodec {
 public:
  explicit RecordCodec(const record::SerializeFunctions& functions);
  /// Of a type that exists only at run time (RuntimeRecords::discover).
  explicit RecordCodec(std::shared_ptr<const record::Discovery> discovery);
  /// The schema, with handle fields bound to table names.
  /// Errors: refused_type, with the field's path and the reason.
  [[nodiscard]] Result<Field> schema(const TableNamer& namer) const;
  /// Lines about types in the record whose `serialize` forgets members or leaves several fields
  /// without names; empty if the program was built without assertions.
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept;
  /// Adds what the type and its parts declare of older files, and the rules of its containers.
  void add_declarations(TableSchema& schema) const;
  /// Whether records are gathered field by field at fixed offsets, without calling `serialize`.
  [[nodiscard]] bool is_plain() const;
  /// Whether no function of the program loads the record: fields that a decoder's schema lacks keep
  /// what they are, with all that is below them.
  [[nodiscard]] bool is_aggregate() const noexcept;
  /// Fills `columns` with the batch, all records of a row group: one buffer per column of
  /// columns_of(schema); what they held is gone, but not their capacity, and after an error they
  /// are empty. Adds the row hashes to `*hash_sum` unless it is null.
  /// Errors: schema_drift naming the row (its slot and generation) and field; user_code_threw.
  [[nodiscard]] Status encode(const RecordBatch& batch, std::vector<Bytes>& columns,
                              Hash128* hash_sum) const;
  /// The sum of the row hashes alone.
  [[nodiscard]] Result<Hash128> hash_rows(const RecordBatch& batch) const;
  /// Whether records hold Strong handles of one of these kinds.
  [[nodiscard]] bool has_strong(std::span<const HandleKey> keys) const;
  /// Appends the bits of every Strong handle of these kinds that the records hold, null ones too.
  /// Errors: as encode. Complexity: a load a handle for plain records, else as encoding them.
  [[nodiscard]] Status gather_strong(std::span<const void* const> records,
                                     std::span<const HandleKey> keys,
                                     std::vector<std::uint64_t>& bits) const;
  /// Matches `stored` with the type by field names.
  /// Errors: type_mismatch, layout_mismatch, with the field's path.
  [[nodiscard]] Result<std::unique_ptr<RecordDecoder>> decoder_for(const Field& stored,
                                                                   const TableNamer& namer) const;
  /// The same for values that are not those of a file: `plan` is a plan of `stored` with marks of
  /// its own (PlanNode), `is_as_stored` says that it has none.
  [[nodiscard]] Result<std::unique_ptr<RecordDecoder>> decoder_for(const Field& stored,
                                                                   evolve::Plan plan,
                                                                   bool is_as_stored,
                                                                   const TableNamer& namer) const;

 private:
  [[nodiscard]] Status encode_rows(const RecordBatch& batch, std::vector<Bytes>* columns,
                                   Hash128* hash_sum) const;
  [[nodiscard]] Status encode_strong(std::span<const void* const> records,
                                     const std::vector<bool>& wanted,
                                     std::vector<Bytes>& filled) const;
  [[nodiscard]] bool is_strong(const evolve::PlanColumn& column,
                               std::span<const HandleKey> keys) const;

  const record::SerializeFunctions* functions_;  // null: a type of run time
  std::shared_ptr<const record::Discovery> discovery_;
};

}  // namespace hdb::detail
