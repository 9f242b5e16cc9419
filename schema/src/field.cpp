// Facts about field kinds: widths, names, one-line types, size of a record, size of a row group.
#include "hdb/inspect/schema.hpp"

#include <algorithm>
#include <limits>

#include "hdb/inspect/constants.hpp"

namespace hdb {
namespace {

constexpr std::uint64_t kSaturated = std::numeric_limits<std::uint64_t>::max();

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) noexcept {
  return a > kSaturated - b ? kSaturated : a + b;
}

std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) noexcept {
  return b != 0 && a > kSaturated / b ? kSaturated : a * b;
}

std::string child_text(const Field& field, std::size_t child) {
  return child < field.children.size() ? type_text(field.children[child]) : "?";
}

std::string joined_children(const Field& field) {
  std::string text;
  for (std::size_t i = 0; i < field.children.size(); ++i) {
    if (i != 0) text += ", ";
    text += type_text(field.children[i]);
  }
  return text;
}

}  // namespace

unsigned fixed_width(const Field& field) noexcept {
  switch (field.kind) {
    case FieldKind::boolean:
    case FieldKind::i8:
    case FieldKind::u8:
    case FieldKind::char8: return 1;
    case FieldKind::i16:
    case FieldKind::u16:
    case FieldKind::char16: return 2;
    case FieldKind::i32:
    case FieldKind::u32:
    case FieldKind::f32:
    case FieldKind::char32: return 4;
    case FieldKind::i64:
    case FieldKind::u64:
    case FieldKind::f64: return 8;
    case FieldKind::enumeration:
      return field.children.empty() ? 0 : fixed_width(field.children.front());
    case FieldKind::handle: return field.layout.byte_size();
    default: return 0;
  }
}

std::string_view kind_name(FieldKind kind) noexcept {
  switch (kind) {
    case FieldKind::boolean: return "bool";
    case FieldKind::i8: return "i8";
    case FieldKind::i16: return "i16";
    case FieldKind::i32: return "i32";
    case FieldKind::i64: return "i64";
    case FieldKind::u8: return "u8";
    case FieldKind::u16: return "u16";
    case FieldKind::u32: return "u32";
    case FieldKind::u64: return "u64";
    case FieldKind::f32: return "f32";
    case FieldKind::f64: return "f64";
    case FieldKind::char8: return "char8";
    case FieldKind::char16: return "char16";
    case FieldKind::char32: return "char32";
    case FieldKind::enumeration: return "enum";
    case FieldKind::handle: return "handle";
    case FieldKind::string: return "string";
    case FieldKind::structure: return "struct";
    case FieldKind::array: return "array";
    case FieldKind::list: return "list";
    case FieldKind::optional: return "optional";
    case FieldKind::variant: return "variant";
    case FieldKind::map: return "map";
    case FieldKind::opaque: return "opaque";
  }
  return "unknown";
}

std::string type_text(const Field& field) {
  const std::string name(kind_name(field.kind));
  switch (field.kind) {
    case FieldKind::enumeration:
    case FieldKind::list:
    case FieldKind::optional: return name + "<" + child_text(field, 0) + ">";
    case FieldKind::array:
      return name + "<" + child_text(field, 0) + ", " + std::to_string(field.count) + ">";
    case FieldKind::map:
      return name + "<" + child_text(field, 0) + ", " + child_text(field, 1) + ">";
    case FieldKind::variant: return name + "<" + joined_children(field) + ">";
    case FieldKind::handle:
      return (field.strong ? "strong" : name) + "<" + (field.table.empty() ? "?" : field.table) +
             ">";
    case FieldKind::structure: {
      std::string text = "{";
      for (std::size_t i = 0; i < field.children.size(); ++i) {
        if (i != 0) text += ", ";
        text += field.children[i].name + ": " + type_text(field.children[i]);
      }
      return text + "}";
    }
    default: return name;
  }
}

std::uint64_t fixed_bytes(const Field& root) noexcept {
  switch (root.kind) {
    case FieldKind::structure: {
      std::uint64_t total = 0;
      for (const Field& child : root.children) total = saturating_add(total, fixed_bytes(child));
      return total;
    }
    case FieldKind::array:
      return root.children.empty()
                 ? 0
                 : saturating_multiply(fixed_bytes(root.children.front()), root.count);
    default: return fixed_width(root);
  }
}

bool varies_in_size(const Field& field) noexcept {
  switch (field.kind) {
    case FieldKind::structure:
    case FieldKind::array:
      return std::any_of(field.children.begin(), field.children.end(), &varies_in_size);
    default: return fixed_width(field) == 0;
  }
}

std::uint8_t group_shift_for(const Field& root) noexcept {
  const std::uint64_t row_bytes = std::max<std::uint64_t>(fixed_bytes(root), 1);
  unsigned shift = format::kMaxGroupShift;
  // A group of a blob table holds its bytes too, and they may be many.
  const bool holds_blobs = std::any_of(root.children.begin(), root.children.end(),
                                       [](const Field& field) { return field.name == "@bytes"; });
  if (holds_blobs) return format::kMinGroupShift;
  while (shift > format::kMinGroupShift && row_bytes > (format::kGroupTargetBytes >> shift))
    --shift;
  return static_cast<std::uint8_t>(shift);
}

std::string_view type_name_of(const Field& field) noexcept {
  const Extension* const name = find_extension(field.extensions, format::kExtensionTypeName);
  if (name == nullptr) return {};
  return {reinterpret_cast<const char*>(name->bytes.data()), name->bytes.size()};
}

void set_type_name(Field& field, std::string_view name) {
  std::erase_if(field.extensions,
                [](const Extension& each) { return each.tag == format::kExtensionTypeName; });
  if (name.empty()) return;
  const auto* const bytes = reinterpret_cast<const std::byte*>(name.data());
  const auto place =
      std::find_if(field.extensions.begin(), field.extensions.end(),
                   [](const Extension& each) { return each.tag > format::kExtensionTypeName; });
  field.extensions.insert(place, {format::kExtensionTypeName, format::kExtensionSafeToCopy,
                                  Bytes(bytes, bytes + name.size())});
}

}  // namespace hdb
