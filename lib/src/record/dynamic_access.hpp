// The inside of DynamicValue, for those who fill it from columns and write it to columns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hdb/dynamic_value.hpp"

namespace hdb::detail {

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
  static std::string& name(DynamicValue& value) { return value.name_; }
  static const std::string& name(const DynamicValue& value) { return value.name_; }
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
  /// Gives each packed element a value of its own. Errors: DynamicError if there are too many.
  static void unpack(DynamicValue& value) { value.unpack(); }
};

}  // namespace hdb::detail
