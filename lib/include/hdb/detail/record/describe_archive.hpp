// The saving archive that discovers a schema: it visits one object and notes fields, kinds and
// places in memory.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "hdb/detail/record/enum_names.hpp"
#include "hdb/detail/record/member_check.hpp"
#include "hdb/detail/record/plan.hpp"
#include "hdb/detail/record/visit.hpp"

namespace hdb::detail::record {

/// Where a leaf lies inside the record.
struct LeafPlace {
  std::size_t offset = 0;
  unsigned width = 0;
  FieldKind kind = FieldKind::u8;
  friend bool operator==(const LeafPlace&, const LeafPlace&) = default;
};

class DescribeArchive
    : public cereal::OutputArchive<DescribeArchive, cereal::AllowEmptyClassElision> {
 public:
  /// Describes the object at [object, object + size). With `expected`, stops as soon as other
  /// places are visited.
  DescribeArchive(const void* object, std::size_t size,
                  const std::vector<LeafPlace>* expected = nullptr);

  template <class... Ts>
  DescribeArchive& operator()(Ts&&... items) {
    (visit(*this, items), ...);
    return *this;
  }
  template <class T>
  DescribeArchive& operator&(T&& item) {
    return (*this)(item);
  }
  template <class T>
  DescribeArchive& operator<<(T&& item) {
    return (*this)(item);
  }

  [[nodiscard]] const Described& root() const noexcept { return root_; }
  [[nodiscard]] const std::vector<LeafPlace>& places() const noexcept { return places_; }
  /// Whether all that was visited are leaves at places inside the object, through plain serialize
  /// functions.
  [[nodiscard]] bool is_fixed() const noexcept { return is_fixed_; }
  [[nodiscard]] const std::optional<Error>& error() const noexcept { return error_; }
  /// One line for each type whose `serialize` forgets members; empty in builds without assertions.
  [[nodiscard]] const std::vector<std::string>& forgotten() const noexcept { return forgotten_; }

  /// Visits the whole record.
  template <class T>
  void record(const T& value) {
    root_.field.kind = FieldKind::structure;
    if constexpr (is_structure<T>()) {
      note_structure<T>(root_);
      fields(root_, value);
    } else {
      parent_ = &root_;
      name_next("value");
      visit_value(*this, value);
    }
  }

  // What visit() asks of every archive.
  void name_next(const char* name) noexcept { name_ = name; }

  template <class T>
  void leaf(const T& value) {
    note(value);
    add(leaf_kind<T>());
    place(&value, sizeof value, leaf_width(leaf_kind<T>()), leaf_kind<T>());
  }
  template <class T>
  void enumeration(const T& value) {
    note(value);
    using U = std::underlying_type_t<T>;
    constexpr FieldKind kind = leaf_kind<EnumInteger<U>>();
    Described& node = add(FieldKind::enumeration);
    node.children.emplace_back().field.kind = kind;
    node.enum_type = type_key<T>();
    if constexpr (kHasEnumNames<T> || Renames<T>::list.size() != 0)
      note_enumerators(node, describe_enum<T>());
    if (std::is_same_v<U, bool>) is_fixed_ = false;  // loading must check it
    place(&value, sizeof value, leaf_width(kind), kind);
  }
  template <class H>
  void handle(const H& value) {
    note(value);
    Described& node = add(FieldKind::handle);
    node.field.layout = H::LayoutType::value;
    node.field.strong = kIsStrong<H>;
    node.handle_key = handle_key<typename H::Tag, typename H::LayoutType>();
    place(&value, sizeof value, H::LayoutType::value.byte_size(), FieldKind::handle);
  }
  template <class S>
  void string(const S& value) {
    note(value);
    Described& node = add(FieldKind::string);
    node.field.utf8_checked = utf8_checked_ || Utf8Checked<S>::value;
    is_fixed_ = false;
  }
  template <class C>
  void list(const C& value) {
    note(value);
    element<typename Known<C>::Element>(add(FieldKind::list));
  }
  template <class C>
  void loop_list(const C& value) {
    note(value);
    element<typename SizeAndLoop<C>::Element>(add(FieldKind::list));
  }
  template <class C>
  void map(const C& value) {
    note(value);
    Described& node = add(FieldKind::map);
    element<typename Known<C>::Key>(node);
    element<typename Known<C>::Value>(node);
  }
  template <class C>
  void loop_map(const C& value) {
    note(value);
    Described& node = add(FieldKind::map);
    element<typename SizeAndLoop<C>::Key>(node);
    element<typename SizeAndLoop<C>::Value>(node);
  }
  template <class E>
  void array(const E* data, std::size_t count) {
    if (is_noted()) visited_->add_value(data, count * sizeof(E));
    elements(data, count);
  }
  template <class E>
  void binary(const E* data, std::size_t count) {
    if (is_noted()) visited_->add_bytes(data, count * sizeof(E));
    elements(data, count);
  }
  template <std::size_t N>
  void bits(const std::bitset<N>& value) {
    note(value);
    Described& node = add(FieldKind::array);
    node.field.count = N;
    if (N == 0) refuse_empty_array(node);
    element<bool>(node);
  }
  template <class T>
  void optional(const std::optional<T>& value) {
    note(value);
    element<T>(add(FieldKind::optional));
  }
  template <class... Ts>
  void variant(const std::variant<Ts...>& value) {
    note(value);
    Described& node = add(FieldKind::variant);
    (element<Ts>(node), ...);
  }
  template <class T>
  void opaque(const T& value) {
    note(value);
    add(FieldKind::opaque);
    is_fixed_ = false;
  }
  template <class T>
  void structure(const T& value) {
    note(value);
    Described& node = add(FieldKind::structure);
    note_structure<T>(node);
    fields(node, value);
  }
  template <class T>
  void minimal(const T& value, std::uint32_t /*version*/ = 0) {
    is_fixed_ = false;
    note(value);
    VisitedParts* const visited = std::exchange(visited_, nullptr);  // `stored` is a copy
    const auto stored = call_save_minimal<T>(*this, value);
    visit_value(*this, stored);
    visited_ = visited;
  }
  template <class T>
  void size_tag(const T&) {
    refuse(
        "a container saved as a size and a loop of elements needs a specialisation of "
        "hdb::SizeAndLoop");
  }
  template <class K, class V>
  void map_item(const K&, const V&) {
    refuse(
        "a container saved as a size and a loop of elements needs a specialisation of "
        "hdb::SizeAndLoop");
  }
  [[nodiscard]] VirtualBases& bases() noexcept { return bases_; }

 private:
  template <class T>
  void note_structure(Described& node);
  template <class T>
  void fields(Described& node, const T& value);
  template <class E>
  void element(Described& node);
  template <class E>
  void elements(const E* data, std::size_t count);
  template <class T>
  void check_members(const T& value, const Described& node, VisitedParts& visited);

  /// Whether the value visited next is a member of the structure being visited.
  [[nodiscard]] bool is_noted() const noexcept { return in_structure_ && visited_ != nullptr; }
  template <class T>
  void note(const T& value) {
    if (!std::is_empty_v<T> && is_noted()) visited_->add_value(std::addressof(value), sizeof value);
  }
  void note_forgotten(const MemberFacts& facts, const Described& node, const VisitedParts& visited);
  [[nodiscard]] std::string path() const;

  static void note_enumerators(Described& node, DescribedEnum described);
  Described& add(FieldKind kind);
  void place(const void* at, std::size_t size, unsigned width, FieldKind kind);
  void check_names(const Described& node);
  void push_type(TypeKey key);
  [[noreturn]] void refuse(std::string reason);
  [[noreturn]] void refuse_empty_array(const Described& node);

  const std::byte* object_;
  std::size_t size_;
  const std::vector<LeafPlace>* expected_;
  Described root_;
  Described* parent_ = &root_;
  std::vector<std::string> path_;  // names from the root to the field being visited
  std::vector<TypeKey> types_;     // structures being visited
  VirtualBases bases_;
  std::vector<LeafPlace> places_;
  VisitedParts* visited_ = nullptr;        // of the structure being visited
  std::vector<std::string_view> checked_;  // names of the types whose members were checked
  std::vector<std::string> forgotten_;
  const char* name_ = nullptr;
  std::uint32_t unnamed_count_ = 0;
  bool in_structure_ = true;  // else in a list, an array, an optional...: elements have no names
  bool utf8_checked_ = false;
  bool is_fixed_ = true;
  std::optional<Error> error_;
};

template <class T>
void DescribeArchive::note_structure(Described& node) {
  if constexpr (is_versioned<T>()) {
    node.field.versioned = true;
    node.field.class_version = class_version_of<T>();
  }
  node.renames.assign(Renames<T>::list.begin(), Renames<T>::list.end());
  node.retargets.assign(Retargets<T>::list.begin(), Retargets<T>::list.end());
  if constexpr (inner_shape<T>() == Shape::user) {
    constexpr UserForm form = save_form<T, EncodeArchive>();
    if (!form.is_plain_serialize() && form.form != Form::empty) is_fixed_ = false;
  }
  if (NotPlain<T>::value) is_fixed_ = false;
}

template <class T>
void DescribeArchive::fields(Described& node, const T& value) {
  const bool is_base = bases_.take_is_base();
  const std::size_t bases = bases_.size();
  push_type(type_key<T>());
  const auto saved = std::tuple(parent_, unnamed_count_, in_structure_, utf8_checked_, visited_);
  VisitedParts visited(std::addressof(value), sizeof value);
  visited_ = &visited;
  parent_ = &node;
  unnamed_count_ = 0;
  in_structure_ = true;
  utf8_checked_ = utf8_checked_ || Utf8Checked<T>::value;
  path_.push_back(node.field.name);
  visit_fields(*this, value, class_version_of<T>());
  check_names(node);
  check_members(value, node, visited);
  path_.pop_back();
  std::tie(parent_, unnamed_count_, in_structure_, utf8_checked_, visited_) = saved;
  types_.pop_back();
  if (!is_base) bases_.shrink(bases);
}

template <class T>
void DescribeArchive::check_members([[maybe_unused]] const T& value,
                                    [[maybe_unused]] const Described& node,
                                    [[maybe_unused]] VisitedParts& visited) {
#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS
  if constexpr (inner_shape<T>() == Shape::user && !std::is_union_v<T> && !leaves_out_any<T>()) {
    add_left_out(value, visited);
    note_forgotten({type_name<T>(), count_members<T>(), value_bytes_of<T>()}, node, visited);
  }
#endif
}

template <class E>
void DescribeArchive::element(Described& node) {
  static_assert(std::is_default_constructible_v<E>,
                "hdb: elements of containers, optionals and variants in a record must be "
                "default-constructible");
  const auto saved = std::tuple(parent_, in_structure_);
  parent_ = &node;
  in_structure_ = false;
  is_fixed_ = false;
  path_.push_back(node.field.name + "[]");
  const E value{};
  name_ = nullptr;
  visit_value(*this, value);
  path_.pop_back();
  std::tie(parent_, in_structure_) = saved;
}

template <class E>
void DescribeArchive::elements(const E* data, std::size_t count) {
  Described& node = add(FieldKind::array);
  node.field.count = count;
  if (count == 0) refuse_empty_array(node);
  const auto saved = std::tuple(parent_, in_structure_);
  parent_ = &node;
  in_structure_ = false;
  path_.push_back(node.field.name + "[]");
  for (std::size_t i = 0; i < count; ++i) {
    node.children.clear();  // all elements are alike; what counts is where each of them lies
    name_ = nullptr;
    visit_value(*this, data[i]);
  }
  path_.pop_back();
  std::tie(parent_, in_structure_) = saved;
}

}  // namespace hdb::detail::record
