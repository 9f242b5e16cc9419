// Records of a type that exists only at run time: a program gives the schema and, for records that
// are structs of its own, where their fields lie. The C interface makes tables of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/core/tables/record_ops.hpp"
#include "hdb/detail/evolve/plan.hpp"
#include "hdb/detail/record/using_evolve.hpp"
#include "record/codec.hpp"
#include "record/discovery.hpp"
#include "record/load_check.hpp"

namespace hdb::detail::record {

/// The key of handles of this layout to records of this table, for tables made at run time.
[[nodiscard]] HandleKey runtime_handle_key(std::string_view table, const HandleLayout& layout);

/// A record that has no struct: its canonical row bytes. Empty: the default record.
struct PackedRecord {
  Bytes row;
};

/// What a program says about its records.
struct RuntimeType {
  Field root = {};            ///< Without row_prefix.
  bool is_struct = false;     ///< The record is a struct with all fields at fixed places.
  std::size_t size = 0;       ///< Struct: bytes of a record.
  std::size_t alignment = 1;  ///< Struct.
  /// Struct: where the numbers and handles lie, in the order of the schema; in arrays one after the
  /// other for each element.
  std::vector<LeafPlace> places = {};
  /// A default record: the bytes of the struct, or a row; empty: all is zero, and texts, lists and
  /// the like are empty.
  Bytes initial = {};
  /// What the program declares of older files, of the schema `root`; null: nothing.
  std::shared_ptr<const TableSchema> declared = {};
};

/// Everything that is done with such records. Const calls may come from several threads.
//
//   RR1 The rows of packed records have passed check(), or come from a load: they fit the plan.
//   RR2 A struct's bytes outside of its places are never written to a file, but copied with it.
class RuntimeRecords {
 public:
  /// Errors: those of check_schema; refused_type if the places do not fit the schema or each other,
  /// or a field has no fixed place; invalid_value if the default record does not fit.
  [[nodiscard]] HDB_API static Result<std::shared_ptr<const Discovery>> discover(RuntimeType type);

  [[nodiscard]] bool is_struct() const noexcept { return is_struct_; }
  /// Operations for the table, good as long as this object.
  [[nodiscard]] RecordOps ops() const noexcept;
  /// The default record: the bytes of the struct, or a row.
  [[nodiscard]] std::span<const std::byte> initial() const noexcept {
    return is_struct_ ? initial_ : default_row_;
  }
  [[nodiscard]] const Field& root() const noexcept { return root_; }

  /// Checks the row of a packed record, or the booleans of a struct.
  /// Errors: invalid_value, with the field.
  [[nodiscard]] HDB_API Status check(std::span<const std::byte> record) const;
  /// The row of a packed record.
  [[nodiscard]] std::span<const std::byte> row_of(const void* record) const noexcept {
    const Bytes& row = static_cast<const PackedRecord*>(record)->row;
    return row.empty() ? default_row_ : row;
  }
  /// Appends packed records to the columns that are `wanted` (null: to all), which may be null; and
  /// adds the row hashes to `*hash_sum`, unless that is null.
  void encode(const RecordBatch& batch, std::vector<Bytes>* columns, Hash128* hash_sum,
              const std::vector<bool>* wanted = nullptr) const;
  /// As decode_rows, with the loading rules of the library.
  [[nodiscard]] Status decode(const Plan& stored, std::span<const Bytes> columns,
                              std::span<void* const> records, MemoryBudget& budget,
                              const DecodeOptions& options) const;

 private:
  friend class RuntimeDecoder;
  RuntimeRecords() = default;
  [[nodiscard]] Status set_default();
  void put_row(std::span<const std::byte> row, void* record) const;

  Field root_;
  std::shared_ptr<const TableSchema> declared_;  // the plan of the Discovery refers to its texts
  bool is_struct_ = false;
  std::size_t size_ = 0;
  std::size_t alignment_ = 1;
  Plan plan_;
  PlainLayout layout_;
  std::vector<LeafPlace> booleans_;
  Bytes initial_;  // of a struct
  Bytes default_row_;
};

/// Appends a value of zeros and empty containers. Requires: a sound schema.
void put_zero(const Plan& plan, const PlanNode& node, Bytes& row);
/// How many bytes put_zero appends; at least 1, so that it can be charged for each element.
[[nodiscard]] std::size_t zero_bytes(const Plan& plan, const PlanNode& node) noexcept;

}  // namespace hdb::detail::record
