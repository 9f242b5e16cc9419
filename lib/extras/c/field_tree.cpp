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
/// Errors: BadArgument with `where`.
hdb_field field_at(const hdb_field* fields, std::size_t i, std::string_view where = {}) {
  const std::size_t size = fields->struct_size;
  require_size(size < offsetof(hdb_field, children) ? 0 : size, alignof(hdb_field),
               sizeof(hdb_field), where);
  const auto* const bytes = reinterpret_cast<const char*>(fields);
  const auto* const field = reinterpret_cast<const hdb_field*>(bytes + i * size);
  if (field->struct_size != size) {
    refuse_argument("'struct_size' is " + std::to_string(field->struct_size) +
                        ", but that of the first field beside it is " + std::to_string(size),
                    where);
  }
  return known_options(field, where);
}

HandleLayout layout_of_field(const hdb_layout& layout) {
  if (layout.index_bits == 0 && layout.generation_bits == 0 && layout.type_bits == 0) return {};
  return {layout.index_bits, layout.generation_bits, layout.type_bits};
}

// Whether a number of an enumeration is one of its integer: as two's complement of that width, a
// negative one also as that of 64 bits.
void require_width(std::uint64_t number, const Field& integer, const std::string& name,
                   std::string_view where) {
  const unsigned bits = 8 * fixed_width(integer);
  if (bits == 0 || bits >= 64 || number >> bits == 0) return;
  const bool is_signed = integer.kind >= FieldKind::i8 && integer.kind <= FieldKind::i64;
  if (is_signed && number >> (bits - 1) == ~std::uint64_t{0} >> (bits - 1)) return;
  refuse_argument("'" + name + "' is " + std::to_string(number) + ", which has more than the " +
                      std::to_string(bits) + " bits of the integer",
                  where);
}

class FieldReader {
 public:
  FieldReader(detail::record::RuntimeType& type, std::size_t record_size, std::string_view table)
      : type_(type), record_size_(record_size), table_("table '" + std::string(table) + "'") {}

  /// `member`: the array of fields as C programs write it: "fields", "fields[2].children".
  void children(const hdb_field* fields, std::size_t count, Field& parent, unsigned depth,
                const std::string& member) {
    require_bytes(fields, count, member, table_);
    if (depth > format::kMaxSchemaDepth) {
      refuse_argument("fields are nested deeper than " + std::to_string(format::kMaxSchemaDepth),
                      table_);
    }
    if (count > format::kMaxSchemaFields - fields_) {
      refuse_argument("'" + member + "' are too many: a record has at most " +
                          std::to_string(format::kMaxSchemaFields) + " fields",
                      table_);
    }
    fields_ += count;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string place = member + "[" + std::to_string(i) + "]";
      const hdb_field given = field_at(fields, i, place + " of " + table_);
      check_name(given, parent, place);
      parent.children.push_back(field(given, depth, place));
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
  void check_name(const hdb_field& given, const Field& parent, const std::string& place) const {
    if (parent.kind != FieldKind::structure) return;
    const std::string fault = find_name_fault(given.name == nullptr ? "" : given.name);
    if (!fault.empty()) refuse(ErrorCode::refused_type, fault, place + " of " + table_);
  }

  Field field(const hdb_field& given, unsigned depth, const std::string& place) {
    const std::string where = place + " of " + table_;
    require_range(given.kind, HDB_BOOLEAN, HDB_OPAQUE, "kind", where);
    Field field;
    field.kind = static_cast<FieldKind>(given.kind);
    if (given.name != nullptr) field.name = given.name;
    if (field.kind == FieldKind::array) field.count = given.count;
    if (field.kind == FieldKind::structure) {
      field.versioned = flag_of(given.versioned, "versioned", where);
      field.class_version = given.class_version;
    }
    if (field.kind == FieldKind::string) field.utf8_checked = flag_of(given.utf8, "utf8", where);
    if (field.kind == FieldKind::handle) {
      field.layout = layout_of_field(given.layout);
      field.strong = flag_of(given.strong, "strong", where);
      if (given.table != nullptr) field.table = given.table;
    }
    children(given.children, given.child_count, field, depth + 1, place + ".children");
    if (field.kind == FieldKind::enumeration && given.value_count != 0) {
      if (field.children.size() != 1) refuse_argument("an enum has one child, the integer", where);
      require(given.value_names, "value_names", where);
      require(given.value_numbers, "value_numbers", where);
      if (given.value_count > kMaxValues) {
        refuse_argument("'value_count' is " + std::to_string(given.value_count) +
                            ", but may be up to " + std::to_string(kMaxValues),
                        where);
      }
      std::vector<Enumerator> enumerators;
      for (std::size_t i = 0; i < given.value_count; ++i) {
        require(given.value_names[i], "value_names[" + std::to_string(i) + "]", where);
        require_width(given.value_numbers[i], field.children.front(),
                      "value_numbers[" + std::to_string(i) + "]", where);
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
               "field '" + field.name + "' of " + table_);
      }
      if (type_.places.size() == kMaxPlaces)
        refuse(ErrorCode::refused_type, "a struct has more than 65536 numbers and handles", table_);
      const FieldKind leaf =
          field.kind == FieldKind::enumeration ? field.children[0].kind : field.kind;
      type_.places.push_back({at, width, leaf});
      return;
    }
    const Field& element = field.children[0];
    const std::size_t stride = given.stride != 0 ? given.stride : natural_size(element);
    if (stride == 0 && field.count > 1) {
      refuse(ErrorCode::refused_type, "the stride of an array of structs is needed",
             "field '" + field.name + "' of " + table_);
    }
    if (field.count > kMaxPlaces)
      refuse(ErrorCode::refused_type, "a struct has more than 65536 numbers and handles", table_);
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
  const std::string table_;
  std::size_t fields_ = 0;
};

}  // namespace

detail::record::RuntimeType read_fields(std::string_view table, const hdb_field* fields,
                                        std::size_t count, std::size_t record_size,
                                        std::size_t record_alignment) {
  detail::record::RuntimeType type;
  FieldReader reader(type, record_size, table);
  reader.children(fields, count, type.root, 1, "fields");
  if (record_size == 0) return type;
  if (record_size > kMaxStructBytes) {
    refuse(ErrorCode::refused_type, "a struct has more than 16 MiB",
           "table '" + std::string(table) + "'");
  }
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
