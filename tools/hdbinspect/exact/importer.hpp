// The lines of an exact dump, one after another, into an image.
#pragma once

#include <memory>
#include <optional>

#include "exact/lines.hpp"
#include "exact/spooled_image.hpp"
#include "hdb/file_info.hpp"
#include "hdb/inspect/checks.hpp"
#include "hdb/inspect/json.hpp"
#include "hdb/inspect/row_encoder.hpp"

namespace hdb::inspect {

/// Takes every line in its order, checks it by itself and against those before, and each table as a
/// whole.
///
///   X1  write_image accepts the image that `finish` returns, if it is within these limits and the
///       sizes that it states are right.
///   X2  Lines of dump_exact give the image that was dumped.
class ExactImporter {
 public:
  explicit ExactImporter(const ReadLimits& limits = {}) : limits_(limits) {}

  /// Takes the next line, whose characters it overwrites; line[size] must be a zero. Empty lines
  /// are passed by.
  /// Errors: bad_exact_dump, with line, table, slot and field as far as they are known;
  /// newer_version; limit_exceeded; those of Spool. Nothing may be added after one.
  [[nodiscard]] Status add_line(char* line, std::size_t size);
  /// The image, once the last line was taken. Errors: bad_exact_dump when it was not.
  [[nodiscard]] Result<std::unique_ptr<SpooledImage>> finish();
  /// The dumped file, if the last line names it.
  [[nodiscard]] const std::optional<DumpedFile>& dumped_file() const { return end_.file; }

 private:
  enum class Next : std::uint8_t {
    header,
    thumbnail,
    schema,
    table,
    block,
    slot,
    free_list,
    end,
    nothing
  };

  [[nodiscard]] Status take(std::string_view type, Members& members);
  [[nodiscard]] Status take_header(Members& members);
  [[nodiscard]] Status take_thumbnail(Members& members);
  [[nodiscard]] Status take_schema(Members& members);
  [[nodiscard]] Status take_table(Members& members);
  [[nodiscard]] Status take_slot(Members& members);
  [[nodiscard]] Status take_record(const JsonNode* fields, const JsonNode* position,
                                   Members& members);
  [[nodiscard]] Status take_free_list(Members& members);
  [[nodiscard]] Status take_end(Members& members);
  [[nodiscard]] Status begin_table();
  [[nodiscard]] Status end_group();
  [[nodiscard]] Status end_table();
  [[nodiscard]] Status go_on();
  [[nodiscard]] Status other_table(std::string_view name) const;
  [[nodiscard]] Error placed(Error error) const;
  [[nodiscard]] const TableDescriptor& table() const { return image_->tables()[table_]; }

  ReadLimits limits_;
  JsonDocument line_;
  std::uint64_t number_ = 0;  // of the present line
  Next next_ = Next::header;
  ExactHeader header_;
  ExactEnd end_;
  ExactEnd seen_;
  std::unique_ptr<SpooledImage> image_;
  // The table that is being read.
  std::size_t table_ = 0;
  std::uint64_t slot_ = 0;
  bool in_slot_ = false;
  RowGroup group_;
  Value record_;
  std::optional<JsonValueReader> values_;
  std::optional<RowEncoder> encoder_;
  std::optional<SlotChecker> checker_;
};

}  // namespace hdb::inspect
