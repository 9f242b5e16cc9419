// Paths of fields: "pos.x", "items[3].name", "by_name[].key", "tag<2>.x", "maybe?.x".
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "hdb/bytes.hpp"
#include "hdb/inspect/paths.hpp"

namespace hdb {
namespace {

// One step of a path: which child, and which element of a list, array or map.
struct Step {
  std::size_t child = 0;
  std::optional<std::uint64_t> element;
};

bool ends_name(std::string_view rest) noexcept {
  return rest.empty() || rest[0] == '.' || rest[0] == '[' || rest[0] == '<' || rest[0] == '?';
}

// Reads "<open>digits<close>" off `rest`; the digits may be missing where `optional`.
bool take_number(std::string_view& rest, char open, char close, bool optional,
                 std::optional<std::uint64_t>& number) {
  if (rest.empty() || rest[0] != open) return false;
  const std::size_t end = rest.find(close);
  if (end == std::string_view::npos) return false;
  const std::string_view digits = rest.substr(1, end - 1);
  if (digits.empty() && !optional) return false;
  if (!digits.empty()) {
    std::uint64_t value = 0;
    const auto [at, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || at != digits.data() + digits.size()) return false;
    number = value;
  }
  rest.remove_prefix(end + 1);
  return true;
}

// Field names may hold dots, so the longest name that fits is taken.
std::optional<Step> take_name(const Field& field, std::string_view& rest, bool first) {
  std::string_view at = rest;
  if (!first && !at.empty() && at[0] == '.') at.remove_prefix(1);
  std::optional<Step> found;
  std::size_t length = 0;
  for (std::size_t i = 0; i < field.children.size(); ++i) {
    const std::string& name = field.children[i].name;
    if (name.size() <= length || !at.starts_with(name) || !ends_name(at.substr(name.size())))
      continue;
    found = Step{i, {}};
    length = name.size();
  }
  if (found) rest = at.substr(length);
  return found;
}

std::optional<Step> take_step(const Field& field, std::string_view& rest, bool first) {
  Step step;
  switch (field.kind) {
    case FieldKind::structure: return take_name(field, rest, first);
    case FieldKind::list:
    case FieldKind::array:
      if (!take_number(rest, '[', ']', true, step.element)) return std::nullopt;
      return step;
    case FieldKind::map:
      if (!take_number(rest, '[', ']', true, step.element)) return std::nullopt;
      if (rest.starts_with(".key") && ends_name(rest.substr(4))) {
        rest.remove_prefix(4);
        return step;
      }
      if (rest.starts_with(".value") && ends_name(rest.substr(6))) {
        rest.remove_prefix(6);
        step.child = 1;
        return step;
      }
      return std::nullopt;
    case FieldKind::optional:
      if (rest[0] == '?') rest.remove_prefix(1);
      return step;
    case FieldKind::variant: {
      std::optional<std::uint64_t> alternative;
      if (!take_number(rest, '<', '>', false, alternative)) return std::nullopt;
      if (*alternative >= field.children.size()) return std::nullopt;
      step.child = static_cast<std::size_t>(*alternative);
      return step;
    }
    default: return std::nullopt;
  }
}

tl::unexpected<Error> no_field(std::string_view path, std::string_view rest) {
  const std::string at(path.substr(0, path.size() - rest.size()));
  std::string what = "no field '" + std::string(path) + "'";
  if (!at.empty()) {
    if (rest.starts_with('.')) rest.remove_prefix(1);
    what += ": '" + at + "' has no '" + std::string(rest) + "'";
  }
  return fail(ErrorCode::not_found, std::move(what));
}

tl::unexpected<Error> absent(std::string_view path, std::string what) {
  return fail(ErrorCode::not_found, "'" + std::string(path) + "': " + std::move(what));
}

// The number of the element that a step goes to. Errors: not_found if there is none.
Result<std::size_t> element_at(const Value& value, const Step& step, std::string_view path) {
  if (!step.element) return absent(path, "give the number of the element, as in 'items[0]'");
  if (*step.element < value.bits) return static_cast<std::size_t>(*step.element);
  return absent(path,
                "element " + std::to_string(*step.element) + " of " + std::to_string(value.bits));
}

// The value that a step goes to. Requires: `value` is not packed. Errors: not_found.
template <class V>
Result<V*> child_at(V& value, const Step& step, std::string_view path) {
  const Field& field = *value.field;
  switch (field.kind) {
    case FieldKind::structure: {
      const std::string& name = field.children[step.child].name;
      for (V& child : value.children) {
        if (child.field->name == name) return &child;
      }
      return absent(path, "the field was not read");
    }
    case FieldKind::optional:
    case FieldKind::variant: {
      const bool held =
          field.kind == FieldKind::variant ? value.bits == step.child : value.bits != 0;
      if (!held || value.children.empty()) return absent(path, "the field holds no such value");
      return &value.children.front();
    }
    default: {
      const auto index = element_at(value, step, path);
      if (!index) return fail(index.error());
      return &value.children[field.kind == FieldKind::map ? 2 * *index + step.child : *index];
    }
  }
}

// Goes to the value at a path. An element of a packed list is not a Value: what
// `at_element(list, index)` makes of it is returned.
template <class V, class AtElement>
Result<V*> walk(V& record, std::string_view path, const AtElement& at_element) {
  V* value = &record;
  for (std::string_view rest = path; !rest.empty();) {
    const auto step = take_step(*value->field, rest, rest.size() == path.size());
    if (!step) return no_field(path, rest);
    if (value->is_packed()) {
      const auto index = element_at(*value, *step, path);
      if (!index) return fail(index.error());
      if (!rest.empty()) return no_field(path, rest);  // elements of a fixed width have no parts
      return at_element(*value, *index);
    }
    const auto child = child_at(*value, *step, path);
    if (!child) return fail(child.error());
    value = *child;
  }
  return value;
}

}  // namespace

Result<FieldPlace> find_field(const Field& root, std::string_view path) {
  FieldPlace place{&root, 0, 0};
  std::string_view rest = path;
  while (!rest.empty()) {
    const auto step = take_step(*place.field, rest, rest.size() == path.size());
    if (!step) return no_field(path, rest);
    place.first_column += leading_columns(*place.field);
    for (std::size_t i = 0; i < step->child; ++i)
      place.first_column += count_columns(place.field->children[i]);
    place.field = &place.field->children[step->child];
  }
  place.column_count = count_columns(*place.field);
  return place;
}

Result<Value> find_value(const Value& record, std::string_view path) {
  Value element;
  const auto found = walk(record, path, [&](const Value& packed, std::size_t index) {
    element = packed.element(index);
    return &std::as_const(element);
  });
  if (!found) return fail(found.error());
  return **found;
}

Status replace_value(Value& record, std::string_view path, const Value& with, Bytes& memory) {
  const auto found = walk(record, path, [&](Value& packed, std::size_t index) {
    const std::size_t width = fixed_width(packed.field->children.front());
    std::byte stored[8];
    store_le(stored, with.bits);
    memory.assign(packed.bytes.begin(), packed.bytes.end());
    std::memcpy(memory.data() + index * width, stored, width);
    packed.bytes = memory;
    return static_cast<Value*>(nullptr);
  });
  if (!found) return fail(found.error());
  if (*found == nullptr) return {};
  const Field* const field = (*found)->field;
  **found = with;
  (*found)->field = field;
  return {};
}

}  // namespace hdb
