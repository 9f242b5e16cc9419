// Fields and policies from JSON: the inverses of field_json and add_policies.
#include "exact/schema_members.hpp"

#include <limits>

#include <fmt/format.h>

#include "hdb/inspect/constants.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

constexpr std::uint64_t kMostCount = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMostVersion = std::numeric_limits<std::uint32_t>::max();

HandleLayout read_layout(Members& members, std::string_view member) {
  const std::string_view word = members.text(member);
  if (const auto layout = layout_of_text(word)) return *layout;
  members.fault(member, fmt::format("'{}' is not a handle layout: <index bits,generation bits> or "
                                    "<index bits,generation bits,type id bits>",
                                    escape_text(word)));
  return {};
}

// A named value as the document has it: its number may not fit the enum.
struct NamedValue {
  std::uint64_t bits = 0;
  bool is_negative = false;
  std::string_view name;
};

std::vector<NamedValue> read_values(const JsonDocument& line, Members& members) {
  std::vector<NamedValue> values;
  if (!members.has("values")) return values;
  for (const JsonNode* const node : members.elements("values")) {
    Members parts(line, *node);
    NamedValue& value = values.emplace_back();
    value.name = parts.text("name");
    const JsonNode* const number = parts.need("number");
    std::int64_t negative = 0;
    if (number != nullptr && !read_number(*number, value.bits)) {
      value.is_negative = read_number(*number, negative);
      value.bits = static_cast<std::uint64_t>(negative);
      if (!value.is_negative) parts.fault("number", "a whole number is needed");
    }
    if (const Status read = parts.finish(); !read) members.fault("values", read.error().what);
  }
  return values;
}

// Requires: the enum has its child.
Status name_values(const std::vector<NamedValue>& values, Field& field) {
  const unsigned shift = 64 - 8 * fixed_width(field);
  const FieldKind integer = field.children.front().kind;
  const bool has_sign = integer >= FieldKind::i8 && integer <= FieldKind::i64;
  std::vector<Enumerator> enumerators;
  for (const NamedValue& value : values) {
    const std::uint64_t bits = value.bits << shift >> shift;
    const auto number = static_cast<std::int64_t>(bits << shift) >> shift;
    const bool fits = has_sign ? static_cast<std::uint64_t>(number) == value.bits &&
                                     (number < 0) == value.is_negative
                               : bits == value.bits && !value.is_negative;
    if (!fits) {
      return fail(ErrorCode::bad_exact_dump,
                  fmt::format("the number of the value '{}' does not fit {}",
                              escape_text(value.name), kind_name(integer)));
    }
    enumerators.push_back({bits, std::string(value.name)});
  }
  if (find_extension(field.extensions, format::kExtensionEnumNames) != nullptr)
    return fail(ErrorCode::bad_exact_dump, "the names of its values are an extension, too");
  set_enumerators(field, std::move(enumerators));
  return {};
}

Status take_field(const JsonDocument& line, const JsonNode& node, Field& field, std::size_t depth) {
  if (depth > format::kMaxSchemaDepth)
    return fail(ErrorCode::bad_exact_dump, "the schema is nested too deeply");
  Members members(line, node);
  if (members.has("name")) field.name = members.text("name");
  static constexpr auto kKinds = [] {
    std::array<FieldKind, static_cast<std::size_t>(FieldKind::opaque)> kinds{};
    for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i] = static_cast<FieldKind>(i + 1);
    return kinds;
  }();
  field.kind = read_word(members, "kind", kKinds, &kind_name);
  if (field.kind == FieldKind::array) field.count = members.number("count", kMostCount);
  if (field.kind == FieldKind::structure) {
    std::uint64_t version = 0;
    if (const JsonNode* const found = members.find("class_version")) {
      field.versioned = true;
      if (!read_number(*found, version) || version > kMostVersion)
        members.fault("class_version",
                      fmt::format("a whole number from 0 to {} is needed", kMostVersion));
    }
    field.class_version = static_cast<std::uint32_t>(version);
  }
  if (field.kind == FieldKind::string) field.utf8_checked = members.boolean("utf8");
  if (field.kind == FieldKind::handle) {
    field.table = members.text("handle_table");
    field.strong = members.boolean("strong");
    field.layout = read_layout(members, "layout");
  }
  field.extensions = read_extension_members(line, members);
  if (members.has("type_name")) {
    if (!type_name_of(field).empty()) members.fault("type_name", "it is an extension, too");
    set_type_name(field, members.text("type_name"));
  }
  std::vector<NamedValue> values;
  if (field.kind == FieldKind::enumeration) values = read_values(line, members);
  const bool is_parent = field.kind >= FieldKind::structure && field.kind <= FieldKind::map;
  std::vector<const JsonNode*> children;
  if (is_parent || field.kind == FieldKind::enumeration) children = members.elements("children");
  if (Status status = members.finish(); !status) {
    if (field.name.empty()) return status;
    return fail(std::move(status.error()).in("field " + escape_text(field.name)));
  }
  field.children.resize(children.size());
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (Status status = take_field(line, *children[i], field.children[i], depth + 1); !status)
      return status;
  }
  if (values.empty() || field.children.empty() || fixed_width(field) == 0) return {};
  Status named = name_values(values, field);
  if (named || field.name.empty()) return named;
  return fail(std::move(named.error()).in("field " + escape_text(field.name)));
}

}  // namespace

Status read_field(const JsonDocument& line, const JsonNode& node, Field& field) {
  return take_field(line, node, field, 1);
}

std::vector<Extension> read_extension_members(const JsonDocument& line, Members& members) {
  std::vector<Extension> extensions;
  if (!members.has("extensions")) return extensions;
  for (const JsonNode* const node : members.elements("extensions")) {
    Members parts(line, *node);
    Extension& extension = extensions.emplace_back();
    extension.tag = static_cast<std::uint8_t>(parts.number("tag", 255));
    extension.flags = static_cast<std::uint8_t>(parts.number("flags", 255));
    std::string bytes;
    if (!decode_hex(parts.text("bytes"), bytes))
      parts.fault("bytes", "hexadecimal digits are needed, two per byte");
    const auto decoded = std::as_bytes(std::span(bytes));
    extension.bytes.assign(decoded.begin(), decoded.end());
    if (const Status read = parts.finish(); !read) members.fault("extensions", read.error().what);
  }
  return extensions;
}

void fault_word(Members& members, std::string_view member, std::string_view word,
                const std::vector<std::string>& names) {
  members.fault(member, fmt::format("'{}' is not one of {}{}", escape_text(word),
                                    fmt::join(names, ", "), did_you_mean(word, names)));
}

void read_policies(Members& members, TableDescriptor& table) {
  TablePolicy& policy = table.policy;
  policy.storage =
      read_word(members, "storage", std::array{Storage::dense, Storage::stable}, &storage_name);
  policy.layout = read_layout(members, "layout");
  policy.free_list =
      read_word(members, "free_list", std::array{FreeList::lifo, FreeList::fifo, FreeList::lowest},
                &free_list_name);
  policy.generations =
      read_word(members, "generations",
                std::array{Generations::per_slot, Generations::table_counter}, &generations_name);
  policy.overflow =
      read_word(members, "overflow", std::array{Overflow::retire, Overflow::wrap}, &overflow_name);
  policy.names = read_word(
      members, "names", std::array{RecordNames::none, RecordNames::exact, RecordNames::ignore_case},
      &names_name);
  if (members.has("blob_capacity_bytes")) {
    table.blobs.emplace();
    table.blobs->capacity_bytes =
        members.number("blob_capacity_bytes", format::kMaxBlobCapacityBytes);
    table.blobs->alignment =
        static_cast<std::uint32_t>(members.number("blob_alignment", format::kMaxBlobAlignment));
    table.blobs->compaction =
        read_word(members, "compaction", std::array{Compaction::at_release, Compaction::on_demand},
                  &compaction_name);
  }
  policy.is_component = members.has("owner");
  if (policy.is_component) {
    table.owner = members.text("owner");
    policy.removal =
        read_word(members, "removal", std::array{Removal::swap, Removal::in_place}, &removal_name);
  }
}

}  // namespace hdb::inspect
