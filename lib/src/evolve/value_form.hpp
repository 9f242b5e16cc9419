// The schema of values that migrations made: found from the values, which need not agree.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/using_detail.hpp"
#include "hdb/bytes.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/detail/evolve/plan.hpp"
#include "hdb/dynamic_value.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb {

/// The common form of values: of the elements of a list, or of one field in many records. Values
/// that differ in more than their content become alternatives of the form, so the form has a place
/// for each value. A load reads the alternative that it finds.
class ValueForm {
 public:
  /// The form of no value.
  ValueForm() = default;

  /// Extends the form by that of a value. Errors: migration_failed if values are nested deeper than
  /// a file allows, or have too many forms.
  [[nodiscard]] Status add(const DynamicValue& value) { return add(value, 0); }
  /// Extends the form by a field that has no value, which keeps its default.
  [[nodiscard]] Status add_missing();
  /// The schema of the values.
  [[nodiscard]] Field field() const;
  /// Whether no field had a value.
  [[nodiscard]] bool is_missing() const noexcept { return shape_ == Shape::missing; }
  /// Whether the schema alone says what the values of a field of this name are: `mark` changes
  /// nothing.
  [[nodiscard]] bool is_as_stored(const std::string& name) const;
  /// Marks the nodes of a plan of field() that mean something else than in a file: places with
  /// alternatives, missing values, structures of any class version, the program's variants, and
  /// values without a place in the file.
  void mark(evolve::Plan& plan, std::uint32_t index) const;
  /// Makes `to` the value, as RowEncoder::append takes it. False if the form has no place for it.
  /// `field`: field(). `buffers`: of packed elements; they must outlive `to`.
  [[nodiscard]] bool put(const Field& field, const DynamicValue& value, Value& to,
                         std::deque<Bytes>& buffers) const;
  /// The same for a field that has no value.
  [[nodiscard]] bool put_missing(const Field& field, Value& to) const;

  HDB_INSPECT_API friend bool operator==(const ValueForm& a, const ValueForm& b);

 private:
  enum class Shape : std::uint8_t {
    unknown,       // no value yet: the element of empty lists; kind_: a list, if it would be one
    missing,       // a field that has no value
    value,         // values that differ in their content alone
    alternatives,  // children_: the forms
  };

  [[nodiscard]] Status add(const DynamicValue& value, std::size_t depth);
  [[nodiscard]] Status add_alternative(ValueForm form);
  [[nodiscard]] static Result<ValueForm> of(const DynamicValue& value, std::size_t depth);
  [[nodiscard]] bool is_like(const DynamicValue& value) const;
  [[nodiscard]] Status add_children(const DynamicValue& value, std::size_t depth);
  [[nodiscard]] bool put_elements(const Field& field, const DynamicValue& value, Value& to,
                                  std::deque<Bytes>& buffers) const;
  [[nodiscard]] bool is_scalar() const noexcept;
  [[nodiscard]] bool is_made_at(const std::string& name) const;

  Shape shape_ = Shape::unknown;
  FieldKind kind_ = FieldKind::structure;
  FieldKind leaf_ = FieldKind::structure;  // numbers and enumerations: of the bits
  HandleLayout layout_;
  std::uint32_t class_version_ = 0;
  std::string table_;                                                // handles
  std::shared_ptr<const std::vector<Enumerator>> enumerators_ = {};  // as in the value
  std::shared_ptr<const Field> stored_ = {};                         // as in the value
  std::vector<std::string> names_ = {};                              // structures: of the fields
  std::vector<ValueForm> children_ = {};
};

}  // namespace hdb
