// Paths of fields: "pos.x", "items[3].name", "by_name[].key", "by_name['imp']", "tag<2>.x",
// "maybe?.x".
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "hdb/bytes.hpp"
#include "hdb/inspect/paths.hpp"
#include "hdb/inspect/text.hpp"
#include "inspect/query/lexer.hpp"
#include "inspect/query/program.hpp"

namespace hdb {
namespace {

// One step of a path: which child, and which element of a list, array or map, or which key.
struct Step {
  std::size_t child = 0;
  std::optional<std::uint64_t> element = {};
  std::optional<std::string> key = {};
};

bool ends_name(std::string_view rest) noexcept {
  return rest.empty() || rest[0] == '.' || rest[0] == '[' || rest[0] == '<' || rest[0] == '?';
}

// Reads "<digits>" off `rest`.
std::optional<std::uint64_t> take_alternative(std::string_view& rest) {
  const std::size_t end = rest.find('>');
  if (!rest.starts_with('<') || end == std::string_view::npos) return std::nullopt;
  std::uint64_t value = 0;
  const auto [at, error] = std::from_chars(rest.data() + 1, rest.data() + end, value);
  if (error != std::errc{} || at != rest.data() + end) return std::nullopt;
  rest.remove_prefix(end + 1);
  return value;
}

// Reads "[3]", "[]" or "['sword']" off `rest`.
std::optional<Step> take_element(std::string_view& rest) {
  auto bracket = query::Lexer::take_bracket(rest);
  if (!bracket) return std::nullopt;
  Step step;
  if (bracket->kind == FieldStep::Kind::element) step.element = bracket->number;
  if (bracket->kind == FieldStep::Kind::key) step.key = std::move(bracket->name);
  return step;
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
    found = Step{i};
    length = name.size();
  }
  if (found) rest = at.substr(length);
  return found;
}

std::optional<Step> take_step(const Field& field, std::string_view& rest, bool first) {
  switch (field.kind) {
    case FieldKind::structure: return take_name(field, rest, first);
    case FieldKind::list:
    case FieldKind::array:
      return rest.starts_with("['") || rest.starts_with("[\"") ? std::nullopt : take_element(rest);
    case FieldKind::map: {
      std::string_view after = rest;
      auto step = take_element(after);
      if (!step) return std::nullopt;
      const bool is_value = after.starts_with(".value");
      const std::size_t length = step->key ? 0 : is_value ? 6 : 4;
      if (!step->key && !is_value && !after.starts_with(".key")) return std::nullopt;
      if (!ends_name(after.substr(length))) return std::nullopt;
      step->child = is_value || step->key ? 1 : 0;
      rest = after.substr(length);
      return step;
    }
    case FieldKind::optional:
      if (rest[0] == '?') rest.remove_prefix(1);
      return Step();
    case FieldKind::variant: {
      const auto alternative = take_alternative(rest);
      if (!alternative || *alternative >= field.children.size()) return std::nullopt;
      return Step{static_cast<std::size_t>(*alternative)};
    }
    default: return std::nullopt;
  }
}

tl::unexpected<Error> no_field(std::string_view path, std::string_view rest, const Field& in) {
  const std::string at(path.substr(0, path.size() - rest.size()));
  std::string what = "no field '" + std::string(path) + "'";
  if (!at.empty()) {
    if (rest.starts_with('.')) rest.remove_prefix(1);
    what += ": '" + at + "' has no '" + std::string(rest) + "'";
    if (in.kind == FieldKind::map)
      what += "; write " + at + "['sword'] for the value of a key, " + at + "[0].value of a pair";
  }
  return fail(ErrorCode::not_found, std::move(what));
}

tl::unexpected<Error> absent(std::string_view path, std::string what) {
  return fail(ErrorCode::not_found, "'" + std::string(path) + "': " + std::move(what));
}

// "; did you mean '...'?", or the first keys of a map.
std::string keys_hint(const Value& map, const std::string& wanted) {
  constexpr std::size_t kShown = 8;
  const std::vector<TableDescriptor> no_tables;
  const HandleNamer namer(no_tables);
  std::vector<std::string> texts;
  std::string first;
  for (std::size_t i = 0; i + 1 < map.children.size(); i += 2) {
    const Value& key = map.children[i];
    if (key.field->kind == FieldKind::string) texts.emplace_back(key.text());
    if (i < 2 * kShown) first += (i == 0 ? "" : ", ") + value_text(key, namer, 64);
  }
  std::string hint = did_you_mean(wanted, texts);
  if (!hint.empty()) return hint;
  if (first.empty()) return "; the map is empty";
  return "; the map has " + first + (map.bits > kShown ? ", ..." : "");
}

// The number of the pair whose key a step names.
Result<std::size_t> pair_at(const Value& map, const std::string& key, std::string_view path) {
  const auto step = query::key_step(*map.field, key);
  if (!step) return fail(step.error());
  if (const auto pair = query::find_pair(map, *step)) return *pair;
  return absent(path, "no key '" + key + "'" + keys_hint(map, key));
}

// The number of the element that a step goes to. Errors: not_found if there is none.
Result<std::size_t> element_at(const Value& value, const Step& step, std::string_view path) {
  if (step.key) return pair_at(value, *step.key, path);
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
    if (!step) return no_field(path, rest, *value->field);
    if (value->is_packed()) {
      const auto index = element_at(*value, *step, path);
      if (!index) return fail(index.error());
      if (!rest.empty())
        return no_field(path, rest, *value->field);  // elements of a fixed width have no parts
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
    if (!step) return no_field(path, rest, *place.field);
    if (step->key) {
      if (auto key = query::key_step(*place.field, *step->key); !key) {
        key.error().offset = kNoOffset;
        return fail(std::move(key.error()).in(std::string(path)));
      }
    }
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
