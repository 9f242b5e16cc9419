// One edit of `hdbinspect set`: which records, which field of them, and its new value.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "edit/typed_value.hpp"
#include "hdb/inspect/filter.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb::inspect {

struct FieldEdit {
  std::string text;  ///< As it was typed.
  std::size_t table = 0;
  bool is_of_record = false;  ///< Of the one in `slot`; else of all that fit the filter.
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;  ///< 0: whichever is in the slot.
  std::string filter_text;
  std::optional<RecordFilter> filter;  ///< None: all records.
  std::string path;                    ///< Empty: the whole record.
  std::unique_ptr<const TypedValue> value;
  Field part;  ///< A structure with the one field that the path begins with, or the whole record.
  std::uint32_t first_column = 0;  ///< Of `part`.
  std::size_t width = 0;  ///< Not 0: the field has one column, with this many bytes of each record.
  std::uint32_t column = 0;  ///< That column.
};

/// Reads `monsters:42@1.gold=481`, `monsters:42.pos.x=1.5`, `monsters[hp < 0].hp=0` or
/// `monsters[*].seen=false`.
/// Errors: bad_name for a text that is not an edit; not_found for a table or field that is not
/// there; the errors of the filter, with an offset in `filter_text`.
[[nodiscard]] Status parse_edit(const Reader& reader, std::string_view text, FieldEdit& edit);

/// Refuses an edit of a record that is not live, and a value with a stale handle.
/// Errors: not_found; those of Reader::read_columns.
[[nodiscard]] Status check_records(const Reader& reader, const FieldEdit& edit);

}  // namespace hdb::inspect
