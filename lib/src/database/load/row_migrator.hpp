// The records of a row group on their way through migrations: a field that no migration uses is
// never decoded, and the columns of a field that stays the same are copied.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <vector>

#include "base/sees_detail.hpp"
#include "database/load/record_fit.hpp"
#include "database/load/record_loader.hpp"
#include "hdb/dynamic_value.hpp"
#include "hdb/inspect/row_encoder.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb {

/// The fields of stored records and of the program's; shared by threads.
struct MigratedFields {
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// Requires: `own` outlives the object.
  MigratedFields(const FitSchema& own, const Field& stored);

  const FitSchema& schema;
  std::uint32_t class_version = 0;           // of the stored records
  std::vector<Field> stored;                 // each a structure with one of the fields
  std::vector<Field> own;                    // as `stored`
  std::vector<std::uint32_t> first_columns;  // of each stored field
  /// Of each field of the program: the stored field that has its name, or an old one, and the same
  /// form; or kNone. No two have the same: an old name is not the name of another field.
  std::vector<std::size_t> same;
  std::vector<bool> is_renamed;  // the stored field has an old name
};

/// Takes the stored records one after another, and the program's records that they became. Used by
/// one thread.
//
//   RM1  The result is the same as if each field of each record were decoded and encoded.
class RowMigrator final : private StoredFields {
 public:
  /// Requires: `fields` outlives the object.
  explicit RowMigrator(const MigratedFields& fields,
                       UnknownValue unknown_value = UnknownValue::refuse);
  RowMigrator(const RowMigrator&) = delete;
  RowMigrator& operator=(const RowMigrator&) = delete;

  /// Starts at the first of `rows` stored records, which have at most `max_values` values in a
  /// field. Requires: `columns` outlive the object.
  void begin(std::span<const Bytes> columns, std::size_t rows, std::uint64_t max_values);
  /// Makes `record` the next stored record. Its fields are read when they are first used.
  void next(DynamicValue& record);
  /// What went wrong when fields were read: it counts before any fault of a migration.
  [[nodiscard]] Status check() const { return failure_ || thrown_ ? fault() : Status(); }
  /// Appends a record in the program's form: the one that `next` returned, or any.
  /// Errors: as a load's, with the path of the field.
  [[nodiscard]] Status append(DynamicValue& record);
  /// Leaves out the record that `next` returned.
  void drop();
  /// The columns of the appended records, of the program's schema.
  [[nodiscard]] Result<std::vector<Bytes>> finish();
  [[nodiscard]] const FitCounts& counts() const noexcept { return fit_.counts(); }
  /// As RecordFit::unknown_count.
  [[nodiscard]] std::uint64_t unknown_count() const noexcept { return fit_.unknown_count(); }

 private:
  struct Source {  // a stored field
    RowDecoder decoder;
    RecordLoader loader;
    std::span<const Bytes> columns;
    std::size_t taker = MigratedFields::kNone;  // the program's field of the same form
    std::size_t row = 0;                        // that the decoder reads next
  };
  struct Target {  // a field of the program
    explicit Target(const Field& field) : encoder(field) {}
    std::size_t done = 0;  // rows that are encoded or left out; those after it are to be copied
    RowEncoder encoder;
    std::vector<Bytes> columns;
  };

  void read(std::size_t index, DynamicValue& to) noexcept override;
  const Value& decode(Source& source, std::size_t row);
  void copy_rows(std::size_t own, std::size_t end);
  [[nodiscard]] Status fault() const;

  const MigratedFields& fields_;
  RecordFit fit_;
  std::vector<Source> sources_;
  std::vector<Target> targets_;
  std::size_t rows_ = 0;
  std::size_t row_ = 0;  // after the one that `next` returned
  Value stored_;
  Value value_;  // a structure with one field
  std::optional<Error> failure_;
  std::exception_ptr thrown_;
};

}  // namespace hdb
