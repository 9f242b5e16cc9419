// Fields as C programs write them, to and from schemas.
#include "c/field_tree.hpp"

#include <utility>

#include "c/objects.hpp"
#include "hdb/inspect/constants.hpp"

namespace hdb::c {
namespace {

/// Of one struct: with more, its description would need more memory than its records.
constexpr std::size_t kMaxPlaces = std::size_t{1} << 16;
constexpr std::size_t kMaxValues = std::size_t{1} << 16;
constexpr std::size_t kMaxStructBytes = std::size_t{1} << 24;

/// Field i of an array whose elements have the size that the caller knows.
hdb_field field_at(const hdb_field* fields, std::size_t i) {
  const std::size_t size = fields->struct_size;
  require(size >= offsetof(hdb_field, children), "struct_size of a field");
  const auto* const bytes = reinterpret_cast<const char*>(fields);
  const auto* const field = reinterpret_cast<const hdb_field*>(bytes + i * size);
  require(field->struct_size == size, "struct_size of a field");
  return known_options(field);
}

HandleLayout layout_of_field(const hdb_layout& layout) {
  if (layout.index_bits == 0 && layout.generation_bits == 0 && layout.type_bits == 0) return {};
  return {layout.index_bits, layout.generation_bits, layout.type_bits};
}

class FieldReader {
 public:
  FieldReader(detail::record::RuntimeType& type, std::size_t record_size)
      : type_(type), record_size_(record_size) {}

  void children(const hdb_field* fields, std::size_t count, Field& parent, unsigned depth) {
    require(count == 0 || fields != nullptr, "fields");
    require(depth <= format::kMaxSchemaDepth, "children (nested too deeply)");
    require(count <= format::kMaxSchemaFields - fields_, "fields (too many)");
    fields_ += count;
    for (std::size_t i = 0; i < count; ++i) {
      parent.children.push_back(field(field_at(fields, i), depth));
    }
  }
  /// The places of the fields of a struct, element or record that begins at `base`.
  void places(const hdb_field* fields, std::size_t count, const Field& parent, std::size_t base) {
    for (std::size_t i = 0; i < count; ++i) {
      const hdb_field given = field_at(fields, i);
      place(given, parent.children[i], sum(base, given.offset));
    }
  }

 private:
  Field field(const hdb_field& given, unsigned depth) {
    require(given.kind >= HDB_BOOLEAN && given.kind <= HDB_OPAQUE, "kind of a field");
    Field field;
    field.kind = static_cast<FieldKind>(given.kind);
    if (given.name != nullptr) field.name = given.name;
    if (field.kind == FieldKind::array) field.count = given.count;
    if (field.kind == FieldKind::structure) {
      field.versioned = flag_of(given.versioned, "versioned");
      field.class_version = given.class_version;
    }
    if (field.kind == FieldKind::string) field.utf8_checked = flag_of(given.utf8, "utf8");
    if (field.kind == FieldKind::handle) {
      field.layout = layout_of_field(given.layout);
      field.strong = flag_of(given.strong, "strong");
      if (given.table != nullptr) field.table = given.table;
    }
    children(given.children, given.child_count, field, depth + 1);
    if (field.kind == FieldKind::enumeration && given.value_count != 0) {
      require(field.children.size() == 1, "children of an enum");
      require(given.value_names != nullptr && given.value_numbers != nullptr, "value_names");
      require(given.value_count <= kMaxValues, "value_count");
      std::vector<Enumerator> enumerators;
      for (std::size_t i = 0; i < given.value_count; ++i) {
        require(given.value_names[i] != nullptr, "value_names");
        enumerators.push_back({given.value_numbers[i], given.value_names[i]});
      }
      set_enumerators(field, std::move(enumerators));
    }
    return field;
  }

  void place(const hdb_field& given, const Field& field, std::size_t at) {
    if (field.kind == FieldKind::structure)
      return places(given.children, given.child_count, field, at);
    if (field.kind != FieldKind::array) {
      const unsigned width = fixed_width(field);
      if (width == 0) {
        refuse(ErrorCode::refused_type,
               std::string(kind_name(field.kind)) + " has no fixed place in a struct",
               "field '" + field.name + "'");
      }
      if (type_.places.size() == kMaxPlaces)
        refuse(ErrorCode::refused_type, "a struct has more than 65536 numbers and handles");
      const FieldKind leaf =
          field.kind == FieldKind::enumeration ? field.children[0].kind : field.kind;
      type_.places.push_back({at, width, leaf});
      return;
    }
    const Field& element = field.children[0];
    const std::size_t stride = given.stride != 0 ? given.stride : natural_size(element);
    if (stride == 0 && field.count > 1) {
      refuse(ErrorCode::refused_type, "the stride of an array of structs is needed",
             "field '" + field.name + "'");
    }
    if (field.count > kMaxPlaces)
      refuse(ErrorCode::refused_type, "a struct has more than 65536 numbers and handles");
    for (std::uint64_t i = 0; i < field.count; ++i)
      places(given.children, given.child_count, field,
             sum(at, static_cast<std::size_t>(i) * stride));
  }
  /// Of a number or handle, or of an array of them without gaps; 0 for all others.
  static std::size_t natural_size(const Field& field) {
    if (field.kind != FieldKind::array) return fixed_width(field);
    return static_cast<std::size_t>(field.count) * natural_size(field.children[0]);
  }
  /// An offset; beyond every struct if it is beyond this one.
  [[nodiscard]] std::size_t sum(std::size_t base, std::size_t offset) const {
    return base > record_size_ || offset > record_size_ ? record_size_ + 1 : base + offset;
  }

  detail::record::RuntimeType& type_;
  const std::size_t record_size_;
  std::size_t fields_ = 0;
};

}  // namespace

detail::record::RuntimeType read_fields(const hdb_field* fields, std::size_t count,
                                        std::size_t record_size, std::size_t record_alignment) {
  detail::record::RuntimeType type;
  FieldReader reader(type, record_size);
  reader.children(fields, count, type.root, 1);
  if (record_size == 0) return type;
  if (record_size > kMaxStructBytes)
    refuse(ErrorCode::refused_type, "a struct has more than 16 MiB");
  check(check_schema(type.root));
  type.is_struct = true;
  type.size = record_size;
  type.alignment = record_alignment == 0 ? 1 : record_alignment;
  reader.places(fields, count, type.root, 0);
  return type;
}

FieldTree::FieldTree(const Field& root, const hdb_field* given, std::size_t given_count) {
  fields_.reserve(root.children.size());
  for (std::size_t i = 0; i < root.children.size(); ++i) {
    if (given == nullptr || i >= given_count) {
      add(root.children[i], nullptr);
    } else {
      const hdb_field known = field_at(given, i);
      add(root.children[i], &known);
    }
  }
}

void FieldTree::add(const Field& field, const hdb_field* given) {
  hdb_field& out = fields_.emplace_back();
  out.struct_size = sizeof out;
  out.name = field.name.empty() ? nullptr : field.name.c_str();
  out.kind = static_cast<hdb_kind>(field.kind);
  out.count = field.count;
  if (given != nullptr) {
    out.offset = given->offset;
    out.stride = given->stride;
  }
  out.table =
      field.kind == FieldKind::handle && !field.table.empty() ? field.table.c_str() : nullptr;
  if (field.kind == FieldKind::handle)
    out.layout = {field.layout.index_bits, field.layout.generation_bits, field.layout.type_bits};
  out.strong = field.strong ? 1 : 0;
  out.utf8 = field.utf8_checked ? 1 : 0;
  out.versioned = field.versioned ? 1 : 0;
  out.class_version = field.class_version;
  if (!field.children.empty()) {
    children_.push_back(std::make_unique<FieldTree>(field,
                                                    given == nullptr ? nullptr : given->children,
                                                    given == nullptr ? 0 : given->child_count));
    out.children = children_.back()->fields().data();
    out.child_count = field.children.size();
  }
  auto names = std::make_unique<Names>();
  names->enumerators = enumerators_of(field);
  if (names->enumerators.empty()) return;
  for (const Enumerator& each : names->enumerators) {
    names->names.push_back(each.name.c_str());
    names->numbers.push_back(each.bits);
  }
  out.value_names = names->names.data();
  out.value_numbers = names->numbers.data();
  out.value_count = names->names.size();
  names_.push_back(std::move(names));
}

}  // namespace hdb::c
