// The parts of schema discovery that do not know the record type.
#include "hdb/detail/record/describe_archive.hpp"
#include "evolve/type_names.hpp"
#include "hdb/inspect/schema.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace hdb::detail::record {
namespace {

/// More fields than this in one record are a loop without an end.
constexpr std::size_t kMaxPlaces = std::size_t{1} << 24;
/// Of a record that is not plain, as many are copied; fields beyond are visited.
constexpr std::size_t kMostPlaced = std::size_t{1} << 16;

/// The fields that only their place identifies: without a name, and of a type without one, or of
/// the type of another such field.
std::size_t count_by_place(const Described& node) {
  std::map<std::string_view, std::size_t> types;
  for (const Described& child : node.children) {
    if (evolve::is_place(child.field.name)) ++types[type_name_of(child.field)];
  }
  std::size_t count = 0;
  for (const auto& [type, fields] : types) count += type.empty() || fields > 1 ? fields : 0;
  return count;
}

}  // namespace

struct DescribeArchive::State {
  std::vector<std::string> path;  // names from the root to the field being visited
  std::vector<TypeKey> types;     // structures being visited
  std::vector<LeafPlace> places;
  std::vector<RecordPart> parts;
  std::vector<std::string_view> checked;  // names of the types whose members were checked
  std::vector<std::string> warnings;
  std::optional<Error> error;
};

DescribeArchive::DescribeArchive(const void* object, std::size_t size,
                                 const std::vector<LeafPlace>* expected)
    : cereal::OutputArchive<DescribeArchive, cereal::AllowEmptyClassElision>(this),
      object_(static_cast<const std::byte*>(object)),
      size_(size),
      expected_(expected),
      state_(std::make_unique<State>()) {}

DescribeArchive::~DescribeArchive() = default;

const std::vector<LeafPlace>& DescribeArchive::places() const noexcept { return state_->places; }
std::vector<RecordPart> DescribeArchive::parts() const {
  return are_parts_visited_ ? state_->parts : std::vector<RecordPart>();
}
const std::optional<Error>& DescribeArchive::error() const noexcept { return state_->error; }
const std::vector<std::string>& DescribeArchive::warnings() const noexcept {
  return state_->warnings;
}

void DescribeArchive::not_placed() noexcept {
  (state_->parts.empty() ? are_parts_visited_ : state_->parts.back().is_placed) = false;
}

void DescribeArchive::note_bytes(const void* at, std::size_t size) {
  if (is_noted()) here_.visited->add_value(at, size);
}

void DescribeArchive::describe_structure(Described& node, const StructureType& type,
                                         const void* at) {
  if (type.note != nullptr) type.note(node);
  if (!type.is_plain) not_fixed();
  if (type.has_functions) {
    is_all_aggregates_ = false;
    not_placed();
  }
  if (!type.is_class && state_->parts.empty()) are_parts_visited_ = false;
  const bool is_base = bases_.take_is_base();
  const std::size_t bases = bases_.size();
  push_type(type.identity->key());
  VisitedParts visited(at, type.size);
  const bool utf8_checked = here_.utf8_checked || type.utf8_checked;
  const Place outer = std::exchange(here_, Place{&node, &visited, 0, true, utf8_checked});
  state_->path.push_back(node.field.name);
  if (type.members != nullptr) {
    visit_members(*type.members, at);
  } else {
    type.visit(*this, at);
  }
  check_names(node);
  if (type.check != nullptr) type.check(*this, at, node, visited);
  state_->path.pop_back();
  here_ = outer;
  state_->types.pop_back();
  if (!is_base) bases_.shrink(bases);
}

DescribeArchive::Place DescribeArchive::enter_elements(Described& node) {
  state_->path.push_back(node.field.name + "[]");
  name_ = nullptr;
  const Place outer = here_;
  here_.parent = &node;
  here_.in_structure = false;
  return outer;
}

void DescribeArchive::leave_elements(const Place& outer) noexcept {
  state_->path.pop_back();
  here_.parent = outer.parent;
  here_.in_structure = outer.in_structure;
}

void DescribeArchive::begin_element(Described& array) noexcept {
  array.children.clear();
  name_ = nullptr;
}

Described& DescribeArchive::add(FieldKind kind) {
  if (here_.parent == &root_) state_->parts.push_back({state_->places.size()});
  Described& node = here_.parent->children.emplace_back();
  node.field.kind = kind;
  const char* const name = std::exchange(name_, nullptr);
  auto* const type_name = std::exchange(type_name_, nullptr);
  if (here_.in_structure) {
    node.field.name = name != nullptr ? name : "#" + std::to_string(here_.unnamed_count++);
  }
  const bool has_place_only =
      here_.in_structure ? name == nullptr : here_.parent->field.kind == FieldKind::variant;
  if (has_place_only && type_name != nullptr) set_type_name(node.field, type_name());
  return node;
}

Described& DescribeArchive::add_number(FieldKind kind, FieldKind leaf, const void* at,
                                       std::size_t size) {
  note_bytes(at, size);
  Described& node = add(kind);
  if (kind != leaf) node.children.emplace_back().field.kind = leaf;
  place(at, size, leaf_width(leaf), leaf);
  return node;
}

void DescribeArchive::add_handle(const HandleLayout& layout, bool is_strong, const HandleKey& key,
                                 const void* at, std::size_t size) {
  note_bytes(at, size);
  Described& node = add(FieldKind::handle);
  node.field.layout = layout;
  node.field.strong = is_strong;
  node.handle_key = key;
  place(at, size, layout.byte_size(), FieldKind::handle);
}

void DescribeArchive::add_string(bool utf8_checked) {
  add(FieldKind::string).field.utf8_checked = here_.utf8_checked || utf8_checked;
  not_fixed();
}

Described& DescribeArchive::add_array(std::size_t count) {
  Described& node = add(FieldKind::array);
  node.field.count = count;
  if (count != 0) return node;
  state_->path.push_back(node.field.name);
  refuse("an array of 0 elements has nothing to save; serialize() should leave it out");
}

void DescribeArchive::note_enumerators(Described& node, DescribedEnum described) {
  Field whole = node.field;
  whole.children.emplace_back().kind = described.integer;
  set_enumerators(whole, std::move(described.enumerators));
  node.field.extensions = std::move(whole.extensions);
  node.renames = std::move(described.renames);
}

void DescribeArchive::place(const void* at, std::size_t size, unsigned width, FieldKind kind) {
  if (!is_fixed_ && !state_->parts.back().is_placed) return;
  const auto* const from = static_cast<const std::byte*>(at);
  const std::less_equal<const std::byte*> not_after;
  if (size != width || !not_after(object_, from) || !not_after(from + size, object_ + size_)) {
    not_fixed();
    return;
  }
  const LeafPlace place{static_cast<std::size_t>(from - object_), width, kind};
  if (expected_ != nullptr && (state_->places.size() >= expected_->size() ||
                               (*expected_)[state_->places.size()] != place)) {
    refuse("the position of the field in memory changes between two objects");
  }
  if (state_->places.size() >= (is_fixed_ ? kMaxPlaces : kMostPlaced)) {
    if (is_fixed_) refuse("the record has too many fields");
    not_placed();
    return;
  }
  state_->places.push_back(place);
}

void DescribeArchive::check_names(const Described& node) {
  std::set<std::string_view> names;
  for (const Described& child : node.children) {
    if (!names.insert(child.field.name).second) {
      name_ = nullptr;
      state_->path.push_back(child.field.name);
      refuse("two fields of one structure have the same name");
    }
  }
}

void DescribeArchive::push_type(TypeKey key) {
  if (std::find(state_->types.begin(), state_->types.end(), key) != state_->types.end()) {
    refuse(
        "the type contains itself; keep the parts in their own table and hold handles to them, or "
        "mark the type hdb::Opaque");
  }
  state_->types.push_back(key);
}

void DescribeArchive::refuse_loop() {
  refuse(
      "a container saved as a size and a loop of elements needs a specialisation of "
      "hdb::SizeAndLoop");
}

std::string DescribeArchive::path() const {
  std::string path;
  for (const std::string& part : state_->path) {
    if (part.empty()) continue;
    if (!path.empty() && part != "[]") path += '.';
    path += part;
  }
  return path;
}

// Refuses members that share memory: what is loaded into one would change another.
void DescribeArchive::visit_members(const MemberTable& table, const void* at) {
  const void* members[kMostMembers];
  table.find(at, members);
  for (std::size_t i = 1; i < table.count; ++i) {
    const Member& before = table.members[i - 1];
    const auto* const end =
        static_cast<const std::byte*>(members[i - 1]) + before.functions->size_bytes;
    if (end <= members[i]) continue;
    refuse("members '" + std::string(before.name) + "' and '" + table.members[i].name +
           "' share memory: take [[no_unique_address]] away, or write a serialize for the type");
  }
  for (std::size_t i = 0; i < table.count; ++i) {
    name_next(table.members[i].name);
    table.members[i].functions->describe(*this, members[i]);
  }
}

void DescribeArchive::check_type(const MemberFacts& facts, const Described& node,
                                 const VisitedParts& visited) {
  const bool is_known = std::find(state_->checked.begin(), state_->checked.end(),
                                  facts.type_name) != state_->checked.end();
  if (is_known) return;
  state_->checked.push_back(facts.type_name);
  std::vector<std::string_view> names;
  for (const Described& child : node.children) names.push_back(child.field.name);
  std::string text = forgotten_members(facts, visited, names, path());
  if (!text.empty()) state_->warnings.push_back(std::move(text));
  const std::size_t by_place = count_by_place(node);
  if (by_place < 2) return;
  const std::string field = path();
  state_->warnings.push_back(
      "serialize() of '" + std::string(facts.type_name) + "'" +
      (field.empty() ? "" : " (field '" + field + "')") + " visits " + std::to_string(by_place) +
      " fields without names, which loads match by position: if one is inserted, "
      "removed or moved, values of old saves change their meaning. Name them, as "
      "in CEREAL_NVP(member)");
}

void DescribeArchive::refuse(std::string reason) {
  const std::string path = this->path();
  if (!state_->error) {
    state_->error = Error{ErrorCode::refused_type,
                          std::move(reason),
                          kNoOffset,
                          path.empty() ? std::string("the record") : "field '" + path + "'",
                          {}};
  }
  throw Unwind{};
}

std::string joined_names(std::initializer_list<std::string> names) {
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ",") + (name.empty() ? std::string("-") : name);
  const bool has_name = std::any_of(names.begin(), names.end(),
                                    [](const std::string& name) { return !name.empty(); });
  return has_name ? text : std::string();
}

std::string marked_type_name(std::string_view content, const char* mark) {
  constexpr std::size_t kMost = 255;  // bytes of a name in a file
  std::string name(content);
  if (!name.empty()) name += mark;
  return name.size() <= kMost ? name : std::string();
}

}  // namespace hdb::detail::record
