// The inside of DynamicValue, for those who fill it from columns and write it to columns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/dynamic_value.hpp"

namespace hdb::detail {

/// Whether two names are equal. They are short, so the loop takes less time than memcmp.
[[nodiscard]] inline bool are_equal_names(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  std::size_t i = 0;
  while (i != a.size() && a[i] == b[i]) ++i;
  return i == a.size();
}

/// Members of DynamicValue, by name.
struct DynamicAccess {
  static constexpr std::uint32_t kAnyVersion = DynamicValue::kAnyVersion;

  static FieldKind& kind(DynamicValue& value) { return value.kind_; }
  static FieldKind& leaf(DynamicValue& value) { return value.leaf_; }
  static FieldKind leaf(const DynamicValue& value) { return value.leaf_; }
  static HandleLayout& layout(DynamicValue& value) { return value.layout_; }
  static const HandleLayout& layout(const DynamicValue& value) { return value.layout_; }
  static bool& is_packed(DynamicValue& value) { return value.is_packed_; }
  static bool is_packed(const DynamicValue& value) { return value.is_packed_; }
  static std::uint32_t& class_version(DynamicValue& value) { return value.class_version_; }
  static std::uint32_t class_version(const DynamicValue& value) { return value.class_version_; }
  static std::uint64_t& bits(DynamicValue& value) { return value.bits_; }
  static std::uint64_t bits(const DynamicValue& value) { return value.bits_; }
  static FieldName& name(DynamicValue& value) { return value.name_; }
  static std::string_view name(const DynamicValue& value) { return value.name_.text(); }
  static bool& is_removed(DynamicValue& value) { return value.is_removed_; }
  static bool is_removed(const DynamicValue& value) { return value.is_removed_; }
  static bool is_unread(const DynamicValue& value) { return value.unread_ != nullptr; }
  /// Makes the value field `index` of a stored record, which reads it when it is first used.
  static void set_unread(DynamicValue& value, StoredFields& record, std::size_t index,
                         const std::string& name) {
    if (!are_equal_names(value.name_.text(), name)) value.name_ = name;
    value.is_removed_ = false;
    value.unread_ = &record;
    value.bits_ = index;
  }
  /// Reads the field, if it was not read yet.
  static void fetch(DynamicValue& value) { value.fetch(); }
  static std::string& text(DynamicValue& value) { return value.text_; }
  static const std::string& text(const DynamicValue& value) { return value.text_; }
  static std::vector<DynamicValue>& children(DynamicValue& value) { return value.children_; }
  static const std::vector<DynamicValue>& children(const DynamicValue& value) {
    return value.children_;
  }
  static std::shared_ptr<const DynamicValue>& element(DynamicValue& value) {
    return value.element_;
  }
  static const std::shared_ptr<const DynamicValue>& element(const DynamicValue& value) {
    return value.element_;
  }
  static std::shared_ptr<const std::vector<Enumerator>>& enumerators(DynamicValue& value) {
    return value.enumerators_;
  }
  static const std::shared_ptr<const std::vector<Enumerator>>& enumerators(
      const DynamicValue& value) {
    return value.enumerators_;
  }
  static std::shared_ptr<const Field>& stored(DynamicValue& value) { return value.stored_; }
  static const std::shared_ptr<const Field>& stored(const DynamicValue& value) {
    return value.stored_;
  }
  /// Gives each packed element a value of its own. Errors: DynamicError if there are too many.
  static void unpack(DynamicValue& value) { value.unpack(); }
};

}  // namespace hdb::detail
