// The records of a row group on their way through migrations: a field that no migration uses is
// never decoded, and its columns stay as they are.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/using_detail.hpp"
#include "evolve/dynamic_access.hpp"
#include "evolve/record_loader.hpp"
#include "evolve/value_form.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/detail/evolve/plan.hpp"
#include "hdb/dynamic_value.hpp"
#include "hdb/inspect/row_encoder.hpp"
#include "hdb/inspect/table_schema.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb {

/// The fields of stored records; shared by threads.
struct StoredRecord {
  /// `own`: the program's records.
  HDB_INSPECT_API StoredRecord(const Field& stored, const TableSchema& own);

  struct Renamed {
    std::string name;                    // in the program
    std::vector<std::string> old_names;  // a record has the first of those that it has
    std::size_t stored = 0;              // that the file has: an index of old_names, or their count
  };

  std::uint32_t class_version = 0;
  bool is_versioned = false;  // of migrated records, and their version
  std::uint32_t own_version = 0;
  std::vector<Field> fields;                 // each a structure with one of the fields
  std::vector<std::uint32_t> first_columns;  // of each field; then the number of columns
  std::vector<Renamed> renames;              // fields that have old names
};

/// Records of one schema, one after another.
struct MigratedBatch {
  Field schema;                  // of the records
  std::vector<ValueForm> forms;  // of each field; that of no value if it is as the file has it
  std::vector<Bytes> columns;
  std::size_t rows = 0;

  /// Whether the schema alone says what the values are.
  [[nodiscard]] HDB_INSPECT_API bool is_as_stored() const;
  /// The schema for a load.
  [[nodiscard]] HDB_INSPECT_API evolve::Plan plan() const;
};

/// Takes the stored records one after another, as migrations left them. Used by one thread.
//
//   RM1  The result is the same as if each field of each record were decoded and encoded.
class HDB_INSPECT_API MigratedRows final : private StoredFields {
 public:
  /// Requires: `stored` outlives the object.
  explicit MigratedRows(const StoredRecord& stored) : stored_(stored) {}
  MigratedRows(const MigratedRows&) = delete;
  MigratedRows& operator=(const MigratedRows&) = delete;

  /// Starts at the first of `rows` stored records, which have at most `max_values` values in a
  /// field. Requires: `columns` outlive the object.
  void begin(std::span<const Bytes> columns, std::size_t rows, std::uint64_t max_values);
  /// Makes `record` the next stored record. Its fields are read when they are first used.
  void next(DynamicValue& record);
  /// What went wrong when fields were read: it counts before any fault of a migration.
  [[nodiscard]] Status check() const { return has_failed() ? failure() : Status(); }
  /// Appends a record: the one that `next` returned, or any.
  /// Errors: migration_failed, with the field, if it has no form (ValueForm::add).
  [[nodiscard]] Status append(DynamicValue& record);
  /// Leaves out the record that `next` returned.
  void drop();
  /// The appended records, in their order.
  [[nodiscard]] Result<std::vector<MigratedBatch>> finish();

 private:
  struct Source {  // a stored field
    RowDecoder decoder;
    RecordLoader loader;
    std::span<const Bytes> columns;
    std::size_t row = 0;  // that the decoder reads next
    Value value = {};     // of the row before it
  };
  struct Target {  // a field of the appended records
    std::string name;
    std::size_t done = 0;  // stored: rows that are encoded or left out
    ValueForm form;        // else
    Field schema;          // a structure with the field
    std::optional<RowEncoder> encoder;
    std::vector<Bytes> columns;
    Value value;                    // of the record that is being appended
    DynamicValue* field = nullptr;  // of that record, if it has the field and it is not stored
    std::uint64_t last_put = 0;     // the last record for whose value there was a place
  };

  void read(std::size_t index, DynamicValue& to) noexcept override;
  const Value& decode(Source& source, std::size_t row);
  void copy_rows(std::size_t index, std::size_t end);
  void follow_renames(DynamicValue& record);
  [[nodiscard]] bool has_failed() const noexcept { return failure_ || thrown_; }
  [[nodiscard]] Status failure() const;
  [[nodiscard]] std::size_t find_fields(DynamicValue& record);
  /// Brings the target of a field of the last record up to date.
  void find_target(const DynamicValue& field, std::size_t& target) {
    if (DynamicAccess::is_unread(field) && stored_.renames.empty()) {
      target = static_cast<std::size_t>(DynamicAccess::bits(field));
    } else if (!DynamicAccess::is_removed(field)) {
      find_by_name(DynamicAccess::name(field), target);
    }
  }
  void find_by_name(std::string_view name, std::size_t& target);
  /// Whether a field of a record is the stored one that the target copies.
  [[nodiscard]] bool is_as_stored(const DynamicValue& field, std::size_t target) const {
    return DynamicAccess::is_unread(field) && is_stored_[target] != 0 &&
           DynamicAccess::bits(field) == target;
  }
  [[nodiscard]] std::size_t put_made();
  [[nodiscard]] bool put(Target& target);
  [[nodiscard]] Status extend(std::size_t index);
  void start(Target& target);
  void end_batch(std::size_t end);

  const StoredRecord& stored_;
  std::vector<Source> sources_;
  std::vector<std::unique_ptr<Target>> targets_;  // at first the stored fields, in their order
  std::vector<std::uint8_t> is_stored_;  // of each: every record has the value of that stored field
  std::vector<Target*> made_;            // the others
  std::vector<std::size_t> target_of_;   // of each field of the last record
  std::vector<MigratedBatch> batches_;
  std::deque<Bytes> buffers_;
  std::size_t rows_ = 0;
  std::size_t row_ = 0;       // after the one that `next` returned
  std::size_t appended_ = 0;  // to the batch that is not ended yet
  std::uint64_t record_ = 0;  // the number of the one that is being appended
  std::optional<Error> failure_;
  std::exception_ptr thrown_;
};

}  // namespace hdb
