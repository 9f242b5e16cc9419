// One walk over schema and record; a fault's path is put together on the way back.
#include "database/load/record_fit.hpp"

#include <algorithm>
#include <utility>

#include "database/load/record_loader.hpp"
#include "evolve/dynamic_access.hpp"
#include "evolve/numbers.hpp"
#include "hdb/assert.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb {
namespace {

using Inside = DynamicAccess;

}  // namespace

RecordFit::RecordFit(const FitSchema& schema, UnknownValue unknown_value)
    : schema_(schema),
      maps_(schema.paths.size()),
      hints_(schema.paths.size(), 0),
      unknown_value_(unknown_value) {}

Status RecordFit::fit(std::size_t index, const DynamicValue& record, std::size_t at, Value& to) {
  bytes_used_ = 0;
  unpacked_.clear();
  if (put_child(schema_.root.children[index], record, at, &schema_.default_row.children[index], to))
    return {};
  error_.where = "field '" + error_.where + "'";
  return fail(std::exchange(error_, {}));
}

// The value that is taken out of optionals; a list takes in a single value, and its optional.
const DynamicValue& RecordFit::taken_out(const Field& field, const DynamicValue& from) {
  const DynamicValue* value = &from;
  while (value->kind() == FieldKind::optional && field.kind != FieldKind::optional) {
    const auto& held = Inside::children(*value);
    const bool is_taken =
        !held.empty() && (field.kind != FieldKind::list || held.front().kind() == FieldKind::list);
    if (!is_taken) break;
    value = &held.front();
  }
  return *value;
}

bool RecordFit::put(const Node& node, const DynamicValue& given, const Value* fallback, Value& to) {
  const Field& field = *node.field;
  const DynamicValue& from = taken_out(field, given);
  const FieldKind kind = from.kind();
  to.field = &field;
  if (kind == FieldKind::optional && field.kind != FieldKind::optional) {
    const bool is_absent = Inside::children(from).empty();
    const bool is_empty_list =
        field.kind == FieldKind::list && is_absent && Inside::leaf(from) != FieldKind::list;
    if (!is_empty_list && is_absent) return put_missing(node, fallback, to);
  }
  switch (field.kind) {
    case FieldKind::structure:
      return kind == FieldKind::structure ? put_structure(node, from, fallback, to)
                                          : mismatch(node, from);
    case FieldKind::array:
      if (kind != FieldKind::list) return mismatch(node, from);
      [[fallthrough]];
    case FieldKind::list:
      return node.is_packed ? put_packed(node, from, fallback, to)
                            : put_elements(node, from, fallback, to);
    case FieldKind::map:
      return kind == FieldKind::map ? put_map(node, from, to) : mismatch(node, from);
    case FieldKind::optional: return put_optional(node, from, to);
    case FieldKind::variant:
      return kind == FieldKind::variant ? put_variant(node, from, fallback, to)
                                        : mismatch(node, from);
    case FieldKind::string:
    case FieldKind::opaque:
      if (kind != field.kind) return mismatch(node, from);
      if (field.utf8_checked && !is_utf8(Inside::text(from))) {
        return fault(ErrorCode::value_refused,
                     "the text is not UTF-8, which the program demands (hdb::Utf8Checked); a "
                     "migration must convert it");
      }
      to.children.clear();
      to.bytes = std::as_bytes(std::span(Inside::text(from)));
      to.bits = to.bytes.size();
      return true;
    default:
      to.children.clear();
      return put_scalar(
          node, from, fallback != nullptr ? std::optional(fallback->bits) : std::nullopt, to.bits);
  }
}

// Where the value of a field is among the fields of a structure; their number if nowhere. Fields
// mostly keep their places from record to record.
std::size_t RecordFit::find_child(const Node& child, const DynamicValue& structure) {
  const auto& values = Inside::children(structure);
  const auto find = [&](const std::string& name) {
    std::uint32_t& hint = hints_[child.id];
    const auto is_at = [&](std::size_t i) {
      return !Inside::is_removed(values[i]) && Inside::name(values[i]) == name;
    };
    if (hint < values.size() && is_at(hint)) return std::size_t{hint};
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!is_at(i)) continue;
      hint = static_cast<std::uint32_t>(i);
      return i;
    }
    return values.size();
  };
  std::size_t found = find(child.field->name);
  for (std::size_t i = 0; i < child.old_names.size() && found == values.size(); ++i)
    found = find(child.old_names[i]);
  return found;
}

bool RecordFit::put_child(const Node& node, const DynamicValue& structure, std::size_t at,
                          const Value* fallback, Value& to) {
  const auto& values = Inside::children(structure);
  const bool is_put =
      at == values.size() ? put_missing(node, fallback, to) : put(node, values[at], fallback, to);
  return is_put || within(escape_text(node.field->name));
}

bool RecordFit::put_structure(const Node& node, const DynamicValue& from, const Value* fallback,
                              Value& to) {
  const std::uint32_t own_version = version_of(*node.field);
  const std::uint32_t version = Inside::class_version(from);
  if (version != Inside::kAnyVersion && version != own_version) {
    return fault(ErrorCode::migration_missing,
                 "the structure has class version " + std::to_string(version) +
                     ", the program has version " + std::to_string(own_version) +
                     "; a migration of the record must change it and call set_class_version");
  }
  to.bits = 0;
  to.children.resize(node.children.size());
  std::size_t taken = 0;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const std::size_t at = find_child(node.children[i], from);
    if (at != Inside::children(from).size()) ++taken;
    const Value* const child_fallback = fallback != nullptr ? &fallback->children[i] : nullptr;
    if (!put_child(node.children[i], from, at, child_fallback, to.children[i])) return false;
  }
  if (taken != from.size()) count_dropped(node, from);
  return true;
}

void RecordFit::count_dropped(const Node& node, const DynamicValue& from) {
  const auto& values = Inside::children(from);
  std::vector<bool> is_taken(values.size() + 1);
  for (const Node& child : node.children) is_taken[find_child(child, from)] = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!is_taken[i] && !Inside::is_removed(values[i]))
      ++counts_.dropped[joined_path(node.path, Inside::name(values[i]))];
  }
}

bool RecordFit::put_missing(const Node& node, const Value* fallback, Value& to) {
  if (fallback == nullptr) {
    return fault(ErrorCode::migration_failed,
                 "the value is missing in an element of a container, which has no default; a "
                 "migration must set it");
  }
  ++counts_.defaulted[node.id];
  to = *fallback;
  return true;
}

bool RecordFit::put_optional(const Node& node, const DynamicValue& from, Value& to) {
  const bool is_optional = from.kind() == FieldKind::optional;
  const bool is_absent = is_optional && Inside::children(from).empty();
  to.bits = is_absent ? 0 : 1;
  to.children.resize(is_absent ? 0 : 1);
  if (is_absent) return true;
  const DynamicValue& held = is_optional ? Inside::children(from).front() : from;
  return put(node.children.front(), held, nullptr, to.children.front()) || within("?");
}

// The elements of an array that the record does not have.
bool RecordFit::put_array_end(const Node& node, const Value* fallback, std::size_t given,
                              Value& to) {
  const auto count = static_cast<std::size_t>(node.field->count);
  if (given > count) counts_.dropped[node.path + "[]"] += given - count;
  if (given >= count) return true;
  if (fallback == nullptr) return put_missing(node, nullptr, to);
  counts_.defaulted[node.children.front().id] += count - given;
  for (std::size_t i = given; i < count; ++i) to.children[i] = fallback->children[i];
  return true;
}

bool RecordFit::put_elements(const Node& node, const DynamicValue& from, const Value* fallback,
                             Value& to) {
  const Node& element = node.children.front();
  const bool is_array = node.field->kind == FieldKind::array;
  const DynamicValue* source = &from;
  if (Inside::is_packed(from)) {
    try {
      Inside::unpack(unpacked_.emplace_back(from));
    } catch (const DynamicError& error) {
      return fault(ErrorCode::limit_exceeded, error.what());
    }
    source = &unpacked_.back();
  }
  const bool is_list = source->kind() == FieldKind::list;
  const bool is_absent = source->kind() == FieldKind::optional && source->size() == 0;
  const std::size_t given = is_list ? source->size() : is_absent ? 0 : 1;
  to.bits = is_array ? node.field->count : given;
  to.bytes = {};
  to.children.resize(static_cast<std::size_t>(to.bits));
  for (std::size_t i = 0; i < given && i < to.children.size(); ++i) {
    const Value* const element_fallback =
        is_array && fallback != nullptr ? &fallback->children[i] : nullptr;
    const DynamicValue& value = is_list ? Inside::children(*source)[i] : *source;
    if (!put(element, value, element_fallback, to.children[i]))
      return is_list ? within("[" + std::to_string(i) + "]") : false;
  }
  return !is_array || put_array_end(node, fallback, given, to);
}

// As put_elements, into the bytes of elements of fixed width.
bool RecordFit::put_packed(const Node& node, const DynamicValue& from, const Value* fallback,
                           Value& to) {
  const Node& element = node.children.front();
  const std::size_t width = fixed_width(*element.field);
  const bool is_array = node.field->kind == FieldKind::array;
  const bool is_list = from.kind() == FieldKind::list;
  const bool is_absent = from.kind() == FieldKind::optional && from.size() == 0;
  const std::size_t given = is_list ? from.size() : is_absent ? 0 : 1;
  const std::size_t count = is_array ? static_cast<std::size_t>(node.field->count) : given;
  to.bits = count;
  to.children.clear();
  const bool is_packed = Inside::is_packed(from);
  if (is_packed && count == given && Inside::leaf(from) == leaf_of(*element.field) &&
      Inside::element(from)->kind() == element.field->kind &&
      element.field->kind != FieldKind::handle &&
      map_of(element, *Inside::element(from)) == nullptr) {
    to.bytes = std::as_bytes(std::span(Inside::text(from)));
    return true;
  }
  if (bytes_used_ == bytes_.size()) bytes_.emplace_back();
  Bytes& bytes = bytes_[bytes_used_++];
  bytes.resize(count * width);
  DynamicValue packed = is_packed ? *Inside::element(from) : DynamicValue();
  const std::size_t packed_width = is_packed && given != 0 ? Inside::text(from).size() / given : 0;
  for (std::size_t i = 0; i < given && i < count; ++i) {
    if (is_packed) {
      const std::span<const char> stored(Inside::text(from));
      Inside::bits(packed) =
          evolve::load_number(std::as_bytes(stored.subspan(i * packed_width, packed_width)));
    }
    const bool is_held = from.kind() == FieldKind::optional;
    const DynamicValue& value = is_packed            ? packed
                                : is_list || is_held ? Inside::children(from)[i]
                                                     : from;
    std::uint64_t bits = 0;
    std::optional<std::uint64_t> initial;
    if (is_array && fallback != nullptr)
      initial = evolve::load_number(fallback->bytes.subspan(i * width, width));
    if (!put_scalar(element, value, initial, bits))
      return is_list ? within("[" + std::to_string(i) + "]") : false;
    evolve::store_number(bits, std::span(bytes).subspan(i * width, width));
  }
  if (given > count) counts_.dropped[node.path + "[]"] += given - count;
  if (given < count) {
    if (fallback == nullptr) return put_missing(node, nullptr, to);
    counts_.defaulted[element.id] += count - given;
    const auto end = fallback->bytes.subspan(given * width);
    std::copy(end.begin(), end.end(), bytes.begin() + static_cast<std::ptrdiff_t>(given * width));
  }
  to.bytes = bytes;
  return true;
}

bool RecordFit::put_map(const Node& node, const DynamicValue& from, Value& to) {
  const auto& values = Inside::children(from);
  to.children.resize(values.size());
  std::size_t end = 0;
  for (std::size_t i = 0; i < values.size(); i += 2) {
    const auto failed = [&](std::string_view part) {
      static_cast<void>(within(part));
      return within("[" + std::to_string(i / 2) + "]");
    };
    const std::uint64_t before = unknown_count_;
    const bool was_in_key = std::exchange(is_in_key_, true);
    const bool is_put = put(node.children[0], values[i], nullptr, to.children[end]);
    is_in_key_ = was_in_key;
    if (!is_put) return failed("key");
    if (unknown_count_ != before) continue;
    if (!put(node.children[1], values[i + 1], nullptr, to.children[end + 1]))
      return failed("value");
    end += 2;
  }
  to.bits = end / 2;
  to.children.resize(end);
  return true;
}

bool RecordFit::put_variant(const Node& node, const DynamicValue& from, const Value* fallback,
                            Value& to) {
  to.bits = Inside::bits(from);
  if (const evolve::AlternativeMap* const map = alternatives_of(node, from)) {
    const auto own = map->convert(to.bits);
    if (!own) {
      Error error = map->error(to.bits);
      if (!map->ambiguity().empty()) return fault(error.code, std::move(error.what));
      if (!note_unknown(node, std::move(error), fallback != nullptr)) return false;
      if (fallback != nullptr) {
        to = *fallback;
      } else {
        put_zero(node, to);
      }
      return true;
    }
    to.bits = *own;
  }
  if (to.bits >= node.children.size()) {
    return fault(ErrorCode::value_out_of_range,
                 "the value is alternative " + std::to_string(to.bits) + ", but the program has " +
                     std::to_string(node.children.size()));
  }
  to.children.resize(1);
  const Node& alternative = node.children[static_cast<std::size_t>(to.bits)];
  return put(alternative, Inside::children(from).front(), nullptr, to.children.front()) ||
         within("<" + std::to_string(to.bits) + ">");
}

bool RecordFit::note_unknown(const Node& node, Error error, bool has_fallback) {
  const bool is_known = unknown_value_ == UnknownValue::drop_record || has_fallback || is_in_key_;
  if (unknown_value_ == UnknownValue::refuse || !is_known) {
    if (unknown_value_ != UnknownValue::refuse)
      error.what += "; in an element of a container, which has no default, a migration must set it";
    return fault(error.code, std::move(error.what));
  }
  ++counts_.unknown[node.id];
  ++unknown_count_;
  return true;
}

// For what is dropped afterwards.
void RecordFit::put_zero(const Node& node, Value& to) {
  to.field = node.field;
  to.bits = node.field->kind == FieldKind::array ? node.field->count : 0;
  to.bytes = {};
  to.children.clear();
  if (node.is_packed) {
    if (bytes_used_ == bytes_.size()) bytes_.emplace_back();
    Bytes& bytes = bytes_[bytes_used_++];
    bytes.assign(static_cast<std::size_t>(to.bits) * fixed_width(*node.children[0].field), {});
    to.bytes = bytes;
    return;
  }
  std::size_t count = 0;
  if (node.field->kind == FieldKind::structure) count = node.children.size();
  if (node.field->kind == FieldKind::array) count = static_cast<std::size_t>(to.bits);
  if (node.field->kind == FieldKind::variant) count = 1;
  to.children.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    put_zero(node.children[node.field->kind == FieldKind::structure ? i : 0], to.children[i]);
}

bool RecordFit::put_scalar(const Node& node, const DynamicValue& from,
                           std::optional<std::uint64_t> fallback, std::uint64_t& bits) {
  const Field& field = *node.field;
  if (field.kind == FieldKind::handle) return put_handle(node, from, bits);
  const FieldKind leaf = leaf_of(field);
  const FieldKind stored = Inside::leaf(from);
  const bool is_enumeration = from.kind() == FieldKind::enumeration;
  const bool is_scalar = is_enumeration || from.kind() == stored;
  if (!is_scalar || is_enumeration != (field.kind == FieldKind::enumeration) ||
      !evolve::is_convertible(stored, leaf)) {
    return mismatch(node, from);
  }
  bits = Inside::bits(from);
  if (const evolve::EnumMap* const map = map_of(node, from))
    return put_enumerator(node, *map, fallback, bits);
  if (stored == leaf) return true;
  const auto converted = evolve::convert_number(bits, stored, leaf);
  if (converted) {
    bits = *converted;
    return true;
  }
  Error error = evolve::conversion_error(bits, stored, leaf);
  return fault(error.code, std::move(error.what));
}

// What becomes of the numbers of an enumeration that a file named; null if they stay the same.
// Values that a migration made have the program's numbers, and no names.
const evolve::EnumMap* RecordFit::map_of(const Node& node, const DynamicValue& from) {
  const auto& names = Inside::enumerators(from);
  if (from.kind() != FieldKind::enumeration || names == nullptr || node.enumerators.empty())
    return nullptr;
  FitMap& known = maps_[node.id];
  if (known.names != names || known.integer != Inside::leaf(from)) {
    known.names = names;
    known.integer = Inside::leaf(from);
    known.map.emplace(evolve::NamedNumbers{known.integer, *names},
                      evolve::NamedNumbers{leaf_of(*node.field), node.enumerators}, node.renames);
  }
  return known.map->is_identity() ? nullptr : &*known.map;
}

// What becomes of the alternatives of a variant of the file; null if they keep their numbers.
const evolve::AlternativeMap* RecordFit::alternatives_of(const Node& node,
                                                         const DynamicValue& from) {
  const auto& variant = Inside::variant(from);
  if (variant == nullptr) return nullptr;
  FitMap& known = maps_[node.id];
  if (known.variant != variant) {
    known.variant = variant;
    const evolve::Plan stored = evolve::plan_of(*variant);
    known.alternatives.emplace(schema_.plan, schema_.plan.nodes[node.id], stored,
                               stored.nodes.front());
  }
  return known.alternatives->is_identity() ? nullptr : &*known.alternatives;
}

bool RecordFit::put_enumerator(const Node& node, const evolve::EnumMap& map,
                               std::optional<std::uint64_t> fallback, std::uint64_t& bits) {
  const auto own = map.convert(bits);
  if (!own) {
    Error error = map.error(bits);
    if (!map.is_unknown(bits)) return fault(error.code, std::move(error.what));
    bits = fallback.value_or(0);
    return note_unknown(node, std::move(error), fallback.has_value());
  }
  if (map.is_renumbered(bits, *own)) ++counts_.renumbered[node.id];
  bits = *own;
  return true;
}

bool RecordFit::put_handle(const Node& node, const DynamicValue& from, std::uint64_t& bits) {
  const Field& field = *node.field;
  if (from.kind() != FieldKind::handle) return mismatch(node, from);
  if (Inside::layout(from) != field.layout) {
    return fault(ErrorCode::layout_mismatch,
                 "the handle has the layout " + layout_text(Inside::layout(from)) +
                     ", but the program's handles are " + layout_text(field.layout));
  }
  bits = Inside::bits(from);
  const std::string& table = Inside::text(from);
  if (node.takes_handles_to(table)) return true;
  return fault(ErrorCode::type_mismatch, "the handle refers to table '" + table +
                                             "', but the program's handles refer to table '" +
                                             field.table + "'");
}

bool RecordFit::mismatch(const Node& node, const DynamicValue& from) {
  return fault(ErrorCode::type_mismatch, "the record holds " + std::string(kind_name(from.kind())) +
                                             ", but the program reads " + type_text(*node.field));
}

bool RecordFit::fault(ErrorCode code, std::string what) {
  error_.code = code;
  error_.what = std::move(what);
  return false;
}

bool RecordFit::within(std::string_view part) {
  error_.where = joined_path(part, error_.where);
  return false;
}

}  // namespace hdb
