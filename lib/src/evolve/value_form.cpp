// Forms are found and extended by walks over values, never deeper than a schema may be.
#include "evolve/value_form.hpp"

#include <algorithm>
#include <utility>

#include "evolve/dynamic_access.hpp"
#include "evolve/numbers.hpp"
#include "evolve/type_names.hpp"
#include "hdb/detail/evolve/kinds.hpp"
#include "hdb/inspect/constants.hpp"

namespace hdb {
namespace {

using Inside = DynamicAccess;

template <class T>
bool are_equal(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

Status too_much(std::string what) { return fail(ErrorCode::migration_failed, std::move(what)); }

// What the file says of the value. An array that has another number of elements is a list.
std::shared_ptr<const Field> stored_of(const DynamicValue& value) {
  const std::shared_ptr<const Field>& stored = Inside::stored(value);
  const bool is_resized =
      stored != nullptr && stored->kind == FieldKind::array && stored->count != value.size();
  return is_resized ? nullptr : stored;
}

bool is_scalar_kind(FieldKind kind) noexcept {
  return evolve::is_number(kind) || kind == FieldKind::enumeration || kind == FieldKind::handle;
}

}  // namespace

bool operator==(const ValueForm& a, const ValueForm& b) {
  return a.shape_ == b.shape_ && a.kind_ == b.kind_ && a.leaf_ == b.leaf_ &&
         a.layout_ == b.layout_ && a.class_version_ == b.class_version_ && a.table_ == b.table_ &&
         are_equal(a.enumerators_, b.enumerators_) && are_equal(a.stored_, b.stored_) &&
         a.names_ == b.names_ && a.children_ == b.children_;
}

bool ValueForm::is_scalar() const noexcept {
  return shape_ == Shape::value && is_scalar_kind(kind_);
}

// Whether the value differs from others of this form in its content alone, or in that of its
// children.
bool ValueForm::is_like(const DynamicValue& value) const {
  if (shape_ != Shape::value || value.kind() != kind_) return false;
  if (!are_equal(stored_of(value), stored_)) return false;
  switch (kind_) {
    case FieldKind::structure: {
      const auto& fields = Inside::children(value);
      if (Inside::class_version(value) != class_version_) return false;
      std::size_t next = 0;
      for (const DynamicValue& field : fields) {
        if (Inside::is_removed(field)) continue;
        if (next == names_.size() || Inside::name(field) != names_[next++]) return false;
      }
      return next == names_.size();
    }
    case FieldKind::handle:
      return Inside::layout(value) == layout_ && Inside::text(value) == table_;
    case FieldKind::enumeration:
      return Inside::leaf(value) == leaf_ && are_equal(Inside::enumerators(value), enumerators_);
    default: return true;
  }
}

Status ValueForm::add(const DynamicValue& value, std::size_t depth) {
  if (depth > format::kMaxSchemaDepth)
    return too_much("the value is nested deeper than a record may be");
  if (shape_ == Shape::alternatives) {
    for (ValueForm& form : children_) {
      if (form.is_like(value)) return form.add_children(value, depth);
    }
  } else if (is_like(value)) {
    return add_children(value, depth);
  }
  auto form = of(value, depth);
  return form ? add_alternative(*std::move(form)) : fail(std::move(form.error()));
}

Status ValueForm::add_missing() {
  ValueForm form;
  form.shape_ = Shape::missing;
  return add_alternative(std::move(form));
}

Status ValueForm::add_alternative(ValueForm form) {
  if (shape_ == Shape::unknown) {
    *this = std::move(form);
    return {};
  }
  if (shape_ != Shape::alternatives) {
    if (*this == form) return {};
    ValueForm first = std::exchange(*this, ValueForm());
    shape_ = Shape::alternatives;
    children_.push_back(std::move(first));
  }
  if (std::find(children_.begin(), children_.end(), form) != children_.end()) return {};
  if (children_.size() == format::kMaxAlternatives)
    return too_much("the values of a field, or the elements of a list, have too many forms");
  children_.push_back(std::move(form));
  return {};
}

Result<ValueForm> ValueForm::of(const DynamicValue& value, std::size_t depth) {
  ValueForm form;
  form.shape_ = Shape::value;
  form.kind_ = value.kind();
  form.stored_ = stored_of(value);
  switch (form.kind_) {
    case FieldKind::structure:
      form.class_version_ = Inside::class_version(value);
      for (const DynamicValue& field : Inside::children(value)) {
        if (!Inside::is_removed(field)) form.names_.emplace_back(Inside::name(field));
      }
      form.children_.resize(form.names_.size());
      break;
    case FieldKind::handle:
      form.layout_ = Inside::layout(value);
      form.table_ = Inside::text(value);
      break;
    case FieldKind::variant:
      if (form.stored_ != nullptr) form.children_.resize(form.stored_->children.size());
      break;
    case FieldKind::list: form.children_.resize(1); break;
    case FieldKind::optional:
      form.children_.resize(1);
      if (form.stored_ != nullptr && form.stored_->children.front().kind == FieldKind::list) {
        form.children_.front().kind_ = FieldKind::list;
        form.children_.front().children_.resize(1);
      }
      break;
    case FieldKind::map: form.children_.resize(2); break;
    case FieldKind::enumeration: form.enumerators_ = Inside::enumerators(value); [[fallthrough]];
    default:
      if (is_scalar_kind(form.kind_)) form.leaf_ = Inside::leaf(value);
      break;
  }
  if (auto added = form.add_children(value, depth); !added) return fail(std::move(added.error()));
  return form;
}

Status ValueForm::add_children(const DynamicValue& value, std::size_t depth) {
  if (kind_ == FieldKind::list && Inside::is_packed(value))
    return value.size() == 0 ? Status() : children_.front().add(*Inside::element(value), depth + 1);
  if (kind_ == FieldKind::variant) {
    const std::size_t tag = value.tag();
    if (tag >= children_.size()) children_.resize(tag + 1);
    return children_[tag].add(Inside::children(value).front(), depth + 1);
  }
  std::size_t index = 0;
  for (const DynamicValue& child : Inside::children(value)) {
    if (kind_ == FieldKind::structure && Inside::is_removed(child)) continue;
    ValueForm& form = kind_ == FieldKind::structure ? children_[index]
                      : kind_ == FieldKind::map     ? children_[index % 2]
                                                    : children_.front();
    ++index;
    if (auto added = form.add(child, depth + 1); !added) return added;
  }
  return {};
}

Field ValueForm::field() const {
  Field field;
  if (shape_ == Shape::missing || (shape_ == Shape::unknown && children_.empty())) return field;
  field.kind = shape_ == Shape::alternatives ? FieldKind::variant : kind_;
  for (std::size_t i = 0; i < children_.size(); ++i) {
    field.children.push_back(children_[i].field());
    if (shape_ == Shape::value && kind_ == FieldKind::structure)
      field.children.back().name = names_[i];
  }
  if (shape_ == Shape::alternatives) {  // they have the place that the first has
    set_type_name(field, type_name_of(field.children.front()));
    return field;
  }
  field.layout = layout_;
  field.table = table_;
  if (stored_ != nullptr) {
    set_type_name(field, type_name_of(*stored_));
    if (stored_->kind == FieldKind::array) field.kind = FieldKind::array;
    field.count = stored_->count;
  }
  if (kind_ == FieldKind::structure && class_version_ != Inside::kAnyVersion) {
    field.versioned = class_version_ != 0;
    field.class_version = class_version_;
  }
  if (kind_ == FieldKind::enumeration) {
    field.children.emplace_back().kind = leaf_;
    if (enumerators_ != nullptr) set_enumerators(field, *enumerators_);
  }
  return field;
}

// Whether the file has no value for a field that has only a place.
bool ValueForm::is_made_at(const std::string& name) const {
  if (!evolve::is_place(name)) return false;
  if (shape_ != Shape::alternatives) return stored_ == nullptr || stored_->name != name;
  return std::any_of(children_.begin(), children_.end(),
                     [&](const ValueForm& form) { return form.is_made_at(name); });
}

bool ValueForm::is_as_stored(const std::string& name) const {
  const bool is_marked = kind_ == FieldKind::structure ? class_version_ == Inside::kAnyVersion
                                                       : kind_ == FieldKind::variant;
  if (shape_ != Shape::value || is_marked || is_made_at(name)) return false;
  for (std::size_t i = 0; i < children_.size(); ++i) {
    if (!children_[i].is_as_stored(names_.empty() ? std::string() : names_[i])) return false;
  }
  return true;
}

void ValueForm::mark(evolve::Plan& plan, std::uint32_t index) const {
  evolve::PlanNode& node = plan.nodes[index];
  node.is_made = is_made_at(node.name);
  switch (shape_) {
    case Shape::unknown:
      if (!children_.empty()) break;
      [[fallthrough]];
    case Shape::missing: node.kind = node.leaf = evolve::kMissing; return;
    case Shape::alternatives: node.kind = node.leaf = evolve::kEither; break;
    case Shape::value:
      if (kind_ == FieldKind::structure)
        node.has_any_version = class_version_ == Inside::kAnyVersion;
      if (kind_ != FieldKind::variant) break;
      node.has_own_numbers = stored_ == nullptr;
      node.variant = stored_;
      break;
  }
  if (is_scalar()) return;
  for (std::size_t i = 0; i < children_.size(); ++i)
    children_[i].mark(plan, plan.nodes[index].children[i]);
}

bool ValueForm::put(const Field& field, const DynamicValue& value, Value& to,
                    std::deque<Bytes>& buffers) const {
  if (shape_ == Shape::alternatives) {
    to.field = &field;
    to.children.resize(1);
    for (std::size_t i = 0; i < children_.size(); ++i) {
      if (!children_[i].put(field.children[i], value, to.children.front(), buffers)) continue;
      to.bits = i;
      return true;
    }
    return false;
  }
  if (!is_like(value)) return false;
  to.field = &field;
  to.bits = Inside::bits(value);
  switch (kind_) {
    case FieldKind::list: return put_elements(field, value, to, buffers);
    case FieldKind::string:
    case FieldKind::opaque:
      to.children.clear();
      to.bytes = std::as_bytes(std::span(Inside::text(value)));
      to.bits = to.bytes.size();
      return true;
    case FieldKind::variant:
      to.children.resize(1);
      return to.bits < children_.size() &&
             children_[static_cast<std::size_t>(to.bits)].put(
                 field.children[static_cast<std::size_t>(to.bits)], Inside::children(value).front(),
                 to.children.front(), buffers);
    case FieldKind::structure:
    case FieldKind::optional:
    case FieldKind::map: break;
    default: to.children.clear(); return true;
  }
  const auto& children = Inside::children(value);
  to.children.resize(kind_ == FieldKind::structure ? children_.size() : children.size());
  to.bits = kind_ == FieldKind::map        ? children.size() / 2
            : kind_ == FieldKind::optional ? children.size()
                                           : 0;
  std::size_t index = 0;
  for (const DynamicValue& child : children) {
    if (kind_ == FieldKind::structure && Inside::is_removed(child)) continue;
    const std::size_t form = kind_ == FieldKind::structure ? index
                             : kind_ == FieldKind::map     ? index % 2
                                                           : 0;
    if (!children_[form].put(field.children[form], child, to.children[index], buffers))
      return false;
    ++index;
  }
  return true;
}

bool ValueForm::put_missing(const Field& field, Value& to) const {
  if (shape_ == Shape::missing) {
    to = Value();
    to.field = &field;
    return true;
  }
  if (shape_ != Shape::alternatives) return false;
  for (std::size_t i = 0; i < children_.size(); ++i) {
    to.children.resize(1);
    if (!children_[i].put_missing(field.children[i], to.children.front())) continue;
    to.field = &field;
    to.bits = i;
    return true;
  }
  return false;
}

// Elements of fixed width are handed over as bytes, whether they are packed in the value or not.
bool ValueForm::put_elements(const Field& field, const DynamicValue& value, Value& to,
                             std::deque<Bytes>& buffers) const {
  const ValueForm& form = children_.front();
  const Field& element = field.children.front();
  const bool is_packed = Inside::is_packed(value);
  const std::size_t count = value.size();
  to.bits = count;
  to.children.clear();
  to.bytes = {};
  const unsigned width = form.shape_ == Shape::value ? fixed_width(element) : 0;
  if (is_packed && width != 0 && (count == 0 || form.is_like(*Inside::element(value)))) {
    to.bytes = std::as_bytes(std::span(Inside::text(value)));
    return true;
  }
  if (is_packed) {
    DynamicValue unpacked = value;
    Inside::unpack(unpacked);
    return put_elements(field, unpacked, to, buffers);
  }
  const auto& elements = Inside::children(value);
  if (width == 0) {
    to.children.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (!form.put(element, elements[i], to.children[i], buffers)) return false;
    }
    return true;
  }
  Bytes& bytes = buffers.emplace_back(count * width);
  for (std::size_t i = 0; i < count; ++i) {
    if (!form.is_like(elements[i])) return false;
    evolve::store_number(Inside::bits(elements[i]), std::span(bytes).subspan(i * width, width));
  }
  to.bytes = bytes;
  return true;
}

}  // namespace hdb
