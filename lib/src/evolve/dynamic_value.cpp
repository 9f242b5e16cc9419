// Paths, exact conversions, and lists whose elements become values when they are first touched.
#include "hdb/dynamic_value.hpp"

#include <algorithm>
#include <charconv>
#include <new>

#include "evolve/dynamic_access.hpp"
#include "evolve/enum_map.hpp"
#include "evolve/numbers.hpp"

namespace hdb {
namespace {

/// More packed elements than this do not become values, each of which takes over 100 bytes.
constexpr std::uint64_t kMaxUnpacked = std::uint64_t{1} << 22;

std::string quoted_path(std::string_view path) { return "'" + std::string(path) + "'"; }

/// The next step of a path: a name, or the number in "[3]".
struct PathStep {
  std::string_view name;
  std::size_t index = 0;
  bool has_index = false;
};

/// Takes away the dot after a step. Returns false if nothing follows it.
bool take_dot(std::string_view& path) {
  if (!path.starts_with('.')) return true;
  path.remove_prefix(1);
  return !path.empty();
}

bool take_index(std::string_view& path, PathStep& step) {
  const auto [end, error] = std::from_chars(path.data() + 1, path.data() + path.size(), step.index);
  const auto used = static_cast<std::size_t>(end - path.data());
  if (error != std::errc() || used == path.size() || path[used] != ']') return false;
  step.has_index = true;
  path.remove_prefix(used + 1);
  return take_dot(path);
}

/// Takes the next step from the path. Returns false if it is malformed or empty.
inline bool take_step(std::string_view& path, PathStep& step) {
  if (path.starts_with('[')) return take_index(path, step);
  std::size_t end = 0;
  while (end != path.size() && path[end] != '.' && path[end] != '[') ++end;
  step.name = path.substr(0, end);
  path.remove_prefix(end);
  return end != 0 && take_dot(path);
}

/// The path without its last step; empty for a path of one step.
std::string_view parent_of(std::string_view path) {
  const std::size_t at = path.rfind(path.ends_with(']') ? '[' : '.');
  return at == std::string_view::npos ? std::string_view() : path.substr(0, at);
}

/// Whether the path has only names, at least one.
bool names_fields(std::string_view path) {
  return !path.empty() && !path.starts_with('.') && !path.ends_with('.') &&
         path.find('[') == std::string_view::npos && path.find("..") == std::string_view::npos;
}

}  // namespace

DynamicValue DynamicValue::list(std::vector<DynamicValue> elements) {
  DynamicValue value;
  value.kind_ = FieldKind::list;
  value.children_ = std::move(elements);
  return value;
}

DynamicValue DynamicValue::map(std::vector<std::pair<DynamicValue, DynamicValue>> pairs) {
  DynamicValue value;
  value.kind_ = FieldKind::map;
  value.children_.reserve(2 * pairs.size());
  for (auto& [key, mapped] : pairs) {
    value.children_.push_back(std::move(key));
    value.children_.push_back(std::move(mapped));
  }
  return value;
}

DynamicValue DynamicValue::none() {
  DynamicValue value;
  value.kind_ = FieldKind::optional;
  return value;
}

DynamicValue DynamicValue::some(DynamicValue held) {
  DynamicValue value = none();
  value.children_.push_back(std::move(held));
  return value;
}

DynamicValue DynamicValue::alternative(std::uint8_t tag, DynamicValue held) {
  DynamicValue value = some(std::move(held));
  value.kind_ = FieldKind::variant;
  value.bits_ = tag;
  return value;
}

DynamicValue DynamicValue::opaque(std::span<const std::byte> bytes) {
  DynamicValue value;
  value.kind_ = FieldKind::opaque;
  value.text_.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return value;
}

std::uint64_t DynamicValue::number_bits(FieldKind kind) const {
  const bool is_number = kind_ == FieldKind::enumeration || kind_ == leaf_;
  if (is_number && leaf_ == kind) return bits_;
  if (!is_number || !detail::evolve::is_convertible(leaf_, kind)) wrong_kind(kind_name(kind));
  const auto converted = detail::evolve::convert_number(bits_, leaf_, kind);
  if (converted) return *converted;
  throw DynamicError("the " + std::string(kind_name(leaf_)) + " " +
                     detail::evolve::number_text(bits_, leaf_) + " does not fit " +
                     std::string(kind_name(kind)));
}

std::string_view DynamicValue::enumerator() const {
  require(kind_ == FieldKind::enumeration, "an enumeration");
  if (enumerators_ == nullptr) return {};
  const auto found = std::find_if(enumerators_->begin(), enumerators_->end(),
                                  [&](const Enumerator& each) { return each.bits == bits_; });
  return found == enumerators_->end() ? std::string_view() : std::string_view(found->name);
}

std::uint64_t DynamicValue::enumerator_bits(const detail::evolve::DescribedEnum& own) const {
  if (enumerators_ == nullptr) return number_bits(own.integer);
  const detail::evolve::EnumMap map({leaf_, *enumerators_}, {own.integer, own.enumerators},
                                    own.renames);
  if (const auto bits = map.convert(bits_)) return *bits;
  throw DynamicError(map.error(bits_).what);
}

std::uint64_t DynamicValue::handle_bits(const HandleLayout& layout) const {
  require(kind_ == FieldKind::handle, "a handle");
  if (layout_ == layout) return bits_;
  throw DynamicError("the handle has the layout " + layout_text(layout_) + ", not " +
                     layout_text(layout));
}

void DynamicValue::wrong_kind(std::string_view wanted) const {
  std::string what = "the value";
  if (!name_.text().empty()) what += " of field " + quoted_path(name_.text());
  throw DynamicError(what + " is " + std::string(kind_name(kind_)) + ", not " +
                     std::string(wanted));
}

std::string_view DynamicValue::text() const {
  require(kind_ == FieldKind::string || kind_ == FieldKind::opaque, "a string");
  return text_;
}

DynamicValue& DynamicValue::whole() noexcept {
  for (DynamicValue& child : children_) {
    if (!child.is_removed_) child.fetch();
  }
  return *this;
}

// The field of a structure with this name, read or not, also one that was removed.
DynamicValue* DynamicValue::named(std::string_view name) noexcept {
  if (kind_ != FieldKind::structure || name.empty()) return nullptr;
  for (DynamicValue& each : children_) {
    if (detail::are_equal_names(each.name_.text(), name)) return &each;
  }
  return nullptr;
}

DynamicValue* DynamicValue::child(std::string_view name) noexcept {
  DynamicValue* const found = named(name);
  return found == nullptr || found->is_removed_ ? nullptr : found;
}

DynamicValue* DynamicValue::field(std::string_view name) noexcept {
  DynamicValue* const found = child(name);
  if (found != nullptr) found->fetch();
  return found;
}

DynamicValue& DynamicValue::held(DynamicValue& value) {
  DynamicValue* inner = &value;
  while (inner->kind_ == FieldKind::optional && !inner->children_.empty())
    inner = inner->children_.data();
  return *inner;
}

// One step from `value`; null if it leads nowhere.
DynamicValue* DynamicValue::step(DynamicValue* value, std::string_view& path) {
  PathStep next;
  if (!take_step(path, next)) return nullptr;
  value->fetch();
  value = &held(*value);
  if (!next.has_index) return value->child(next.name);
  if (value->kind_ != FieldKind::list || next.index >= value->size()) return nullptr;
  return &value->element(next.index);
}

DynamicValue* DynamicValue::locate(std::string_view path) {
  DynamicValue* value = this;
  do value = step(value, path);
  while (value != nullptr && !path.empty());
  return value;
}

DynamicValue* DynamicValue::find(std::string_view path) {
  DynamicValue* const found = locate(path);
  if (found != nullptr) found->fetch();
  return found;
}

DynamicValue& DynamicValue::at(std::string_view path) {
  if (DynamicValue* const found = find(path)) return *found;
  throw DynamicError("there is no field " + quoted_path(path));
}

DynamicValue& DynamicValue::set(std::string_view path, DynamicValue value) {
  DynamicValue* target = this;
  std::string_view rest = path;
  do {
    std::string_view after = rest;
    PathStep next;
    target->fetch();
    target = &held(*target);
    const bool is_name = take_step(after, next) && !next.has_index;
    DynamicValue* found = is_name ? target->named(next.name) : step(target, after = rest);
    if (found == nullptr || found->is_removed_) {
      const bool is_last_name = is_name && after.empty();
      if (target->kind_ != FieldKind::structure || !(is_last_name || names_fields(rest)))
        throw DynamicError("field " + quoted_path(path) + " cannot be made");
      if (found == nullptr) {
        found = &target->children_.emplace_back();
        found->name_ = next.name;
      } else {  // a field that was removed comes back where it was
        *found = DynamicValue();
        found->is_removed_ = false;
      }
    }
    target = found;
    rest = after;
  } while (!rest.empty());
  *target = std::move(value);
  return *target;
}

bool DynamicValue::remove(std::string_view path) {
  DynamicValue* const found = locate(path);
  if (found == nullptr) return false;
  const std::string_view parent_path = parent_of(path);
  DynamicValue& parent = held(parent_path.empty() ? *this : at(parent_path));
  if (parent.kind_ == FieldKind::structure) {
    found->is_removed_ = true;
    found->unread_ = nullptr;
  } else {
    parent.children_.erase(parent.children_.begin() + (found - parent.children_.data()));
  }
  return true;
}

void DynamicValue::move(std::string_view from, std::string_view to) {
  DynamicValue value = at(from);
  if (contains(to)) throw DynamicError("there is already a field " + quoted_path(to));
  if (to.starts_with(from) && to.substr(from.size()).starts_with('.')) {  // "pos" to "pos.x"
    if (!names_fields(to.substr(from.size() + 1)))
      throw DynamicError("field " + quoted_path(to) + " cannot be made");
    at(from) = DynamicValue();
    set(to, std::move(value));
    return;
  }
  set(to, std::move(value));
  remove(from);
}

std::vector<std::string> DynamicValue::names() const {
  require(kind_ == FieldKind::structure, "a struct");
  std::vector<std::string> names;
  for (const DynamicValue& child : children_) {
    if (!child.is_removed_) names.emplace_back(child.name_.text());
  }
  return names;
}

std::size_t DynamicValue::size() const {
  switch (kind_) {
    case FieldKind::list: return is_packed_ ? static_cast<std::size_t>(bits_) : children_.size();
    case FieldKind::map: return children_.size() / 2;
    case FieldKind::structure:
      return static_cast<std::size_t>(
          std::count_if(children_.begin(), children_.end(),
                        [](const DynamicValue& child) { return !child.is_removed_; }));
    case FieldKind::optional:
    case FieldKind::variant: return children_.size();
    default: wrong_kind("a struct, list, map, optional or variant");
  }
}

DynamicValue& DynamicValue::element(std::size_t index) {
  require(kind_ == FieldKind::list || kind_ == FieldKind::map, "a list or map");
  unpack();
  if (index < children_.size()) return children_[index];
  throw DynamicError("there is no element " + std::to_string(index) + " of " +
                     std::to_string(children_.size()));
}

void DynamicValue::push_back(DynamicValue element) {
  require(kind_ == FieldKind::list, "a list");
  unpack();
  element.name_ = detail::FieldName();
  children_.push_back(std::move(element));
}

void DynamicValue::remove_element(std::size_t index) {
  const std::size_t width = kind_ == FieldKind::map ? 2 : 1;
  static_cast<void>(element(index * width));
  const auto at = children_.begin() + static_cast<std::ptrdiff_t>(index * width);
  children_.erase(at, at + static_cast<std::ptrdiff_t>(width));
}

bool DynamicValue::has_value() const {
  require(kind_ == FieldKind::optional, "an optional");
  return !children_.empty();
}

DynamicValue& DynamicValue::value() {
  require(kind_ == FieldKind::optional || kind_ == FieldKind::variant, "an optional or variant");
  if (children_.empty()) throw DynamicError("the optional has no value");
  return children_.front();
}

std::uint8_t DynamicValue::tag() const {
  require(kind_ == FieldKind::variant, "a variant");
  return static_cast<std::uint8_t>(bits_);
}

std::optional<std::uint32_t> DynamicValue::class_version() const {
  require(kind_ == FieldKind::structure, "a struct");
  if (class_version_ == kAnyVersion) return std::nullopt;
  return class_version_;
}

void DynamicValue::set_class_version(std::uint32_t version) {
  require(kind_ == FieldKind::structure, "a struct");
  class_version_ = version;
}

void DynamicValue::unpack() {
  if (!is_packed_) return;
  if (bits_ > kMaxUnpacked)
    throw DynamicError("the list has " + std::to_string(bits_) + " elements, more than " +
                       std::to_string(kMaxUnpacked) + ", which can only be kept or removed whole");
  std::vector<DynamicValue> elements(static_cast<std::size_t>(bits_), *element_);
  const std::size_t width = elements.empty() ? 0 : text_.size() / elements.size();
  const std::span<const char> chars(text_);
  for (std::size_t i = 0; i < elements.size(); ++i)
    elements[i].bits_ = detail::evolve::load_number(std::as_bytes(chars.subspan(i * width, width)));
  children_ = std::move(elements);
  text_.clear();
  is_packed_ = false;
  bits_ = 0;
}

void DynamicValue::copy_content(const DynamicValue& other) {
  std::vector<std::pair<const DynamicValue*, DynamicValue*>> left{{&other, this}};
  while (!left.empty()) {
    const auto [from, to] = left.back();
    left.pop_back();
    const auto& children = from->whole().children_;
    static_cast<detail::DynamicParts&>(*to) = *from;
    to->children_.resize(children.size());
    for (std::size_t i = 0; i < children.size(); ++i) {
      to->children_[i].name_ = children[i].name_;
      to->children_[i].is_removed_ = children[i].is_removed_;
      left.emplace_back(&children[i], &to->children_[i]);
    }
  }
}

void DynamicValue::release_children() noexcept {
  const auto has_children = [](const DynamicValue& value) { return !value.children_.empty(); };
  if (std::none_of(children_.begin(), children_.end(), has_children)) return;
  try {
    std::vector<std::vector<DynamicValue>> left;
    left.push_back(std::move(children_));
    while (!left.empty()) {
      std::vector<DynamicValue> values = std::move(left.back());
      left.pop_back();
      for (DynamicValue& value : values) {
        if (has_children(value)) left.push_back(std::move(value.children_));
      }
    }
  } catch (const std::bad_alloc&) {  // the rest goes by recursion
  }
}

bool operator==(const DynamicValue& a, const DynamicValue& b) {
  DynamicValue::Pairs left;
  if (!DynamicValue::are_alike(a, b, left)) return false;
  while (!left.empty()) {
    const auto [x, y] = left.back();
    left.pop_back();
    if (!DynamicValue::are_alike(*x, *y, left)) return false;
  }
  return true;
}

bool DynamicValue::are_alike(const DynamicValue& a, const DynamicValue& b, Pairs& children) {
  if (a.kind_ != b.kind_) return false;
  if (a.is_packed_ != b.is_packed_) {
    DynamicValue copy = a.is_packed_ ? a : b;
    copy.unpack();
    return copy == (a.is_packed_ ? b : a);
  }
  switch (a.kind_) {
    case FieldKind::structure:
    case FieldKind::list:
    case FieldKind::map:
    case FieldKind::optional:
    case FieldKind::variant: break;
    case FieldKind::string:
    case FieldKind::opaque: return a.text_ == b.text_;
    case FieldKind::handle: return a.bits_ == b.bits_ && a.layout_ == b.layout_;
    default: return a.leaf_ == b.leaf_ && a.bits_ == b.bits_;
  }
  if (a.bits_ != b.bits_) return false;
  if (a.is_packed_) return a.text_ == b.text_ && (a.bits_ == 0 || *a.element_ == *b.element_);
  auto x = a.whole().children_.begin();
  auto y = b.whole().children_.begin();
  while (true) {
    while (x != a.children_.end() && x->is_removed_) ++x;
    while (y != b.children_.end() && y->is_removed_) ++y;
    if (x == a.children_.end() || y == b.children_.end())
      return x == a.children_.end() && y == b.children_.end();
    const bool has_names = a.kind_ == FieldKind::structure;
    if (has_names && x->name_.text() != y->name_.text()) return false;
    children.emplace_back(&*x, &*y);
    ++x;
    ++y;
  }
}

}  // namespace hdb
