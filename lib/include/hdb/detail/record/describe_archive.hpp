// The saving archive that discovers a schema: it visits one object and notes fields, kinds and
// places in memory.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/base/owned.hpp"
#include "hdb/detail/evolve/enum_names.hpp"
#include "hdb/detail/evolve/old_alternatives.hpp"
#include "hdb/detail/evolve/plan.hpp"
#include "hdb/detail/record/member_check.hpp"
#include "hdb/detail/record/stored_type_name.hpp"
#include "hdb/detail/record/using_evolve.hpp"
#include "hdb/detail/record/visit.hpp"

namespace hdb::detail::record {

/// Where a leaf lies inside the record.
struct LeafPlace {
  std::size_t offset = 0;
  unsigned width = 0;
  FieldKind kind = FieldKind::u8;
  friend bool operator==(const LeafPlace&, const LeafPlace&) = default;
};

/// A field of the record itself.
struct RecordPart {
  std::size_t first_place = 0;
  bool is_placed = true;  ///< It consists of leaves that have places, in structures without code.
};

class DescribeArchive;

/// What is compiled to describe one type of structures.
struct StructureType {
  std::size_t size = 0;
  const TypeIdentity* identity = nullptr;
  bool utf8_checked = false;
  bool is_plain = false;       ///< Values can be copied by their places, if all fields have one.
  bool has_functions = false;  ///< Functions of the program are called.
  bool is_class = false;       ///< Else a pair, a tuple...
  /// Notes versions and old names; null: it has none.
  void (*note)(Described& node) = nullptr;
  const MemberTable* members = nullptr;  ///< Null: `visit` it.
  void (*visit)(DescribeArchive& archive, const void* at) = nullptr;
  /// Finds forgotten members and fields without names; null: not asked for.
  void (*check)(DescribeArchive& archive, const void* at, const Described& node,
                VisitedParts& visited) = nullptr;
};

template <class T>
struct StructureTypeOf {
  static void note(Described& node) {
    if constexpr (is_versioned<T>()) {
      node.field.versioned = true;
      node.field.class_version = class_version_of<T>();
      node.takes_version = takes_version<T>();
    }
    node.renames.assign(Renames<T>::list.begin(), Renames<T>::list.end());
  }
  static void visit(DescribeArchive& archive, const void* at);
  static void check(DescribeArchive& archive, const void* at, const Described& node,
                    VisitedParts& visited);
  [[nodiscard]] static consteval StructureType made();
};
template <class T>
inline constexpr StructureType kStructureType = StructureTypeOf<T>::made();

class HDB_API DescribeArchive
    : public cereal::OutputArchive<DescribeArchive, cereal::AllowEmptyClassElision>,
      public ItemCalls<DescribeArchive, false> {
  using Calls = ItemCalls<DescribeArchive, false>;

 public:
  /// Describes the object at [object, object + size). With `expected`, stops as soon as other
  /// places are visited.
  DescribeArchive(const void* object, std::size_t size,
                  const std::vector<LeafPlace>* expected = nullptr);
  ~DescribeArchive();

  using Calls::operator();
  using Calls::operator&;
  using Calls::operator<<;

  [[nodiscard]] const Described& root() const noexcept { return root_; }
  [[nodiscard]] const std::vector<LeafPlace>& places() const noexcept;
  /// Whether all that was visited are leaves at places inside the object, through plain serialize
  /// functions.
  [[nodiscard]] bool is_fixed() const noexcept { return is_fixed_; }
  /// Whether no function of the program was called: all structures are aggregates without any.
  [[nodiscard]] bool is_all_aggregates() const noexcept { return is_all_aggregates_; }
  /// The fields of the record, if it is a class without functions; else none.
  [[nodiscard]] std::vector<RecordPart> parts() const;
  [[nodiscard]] const std::optional<Error>& error() const noexcept;
  /// Lines about types whose `serialize` forgets members or leaves several fields without names;
  /// empty in builds without assertions.
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept;

  /// Visits a whole record, which is a structure.
  void record(const StructureType& type, const void* at) {
    root_.field.kind = FieldKind::structure;
    describe_structure(root_, type, at);
  }
  /// Visits a whole record of another type.
  template <class T>
  void record_of_value(const T& value) {
    root_.field.kind = FieldKind::structure;
    are_parts_visited_ = false;
    here_.parent = &root_;
    name_next("value");
    visit_value(*this, value);
  }

  // What visit() asks of every archive.
  void name_next(const char* name) noexcept { name_ = name; }
  /// The outermost type counts: of one that is saved as another, too.
  void type_next(std::string (*type_name)()) noexcept {
    if (type_name_ == nullptr) type_name_ = type_name;
  }

  template <class T>
  void leaf(const T& value) {
    add_number(leaf_kind<T>(), leaf_kind<T>(), std::addressof(value), sizeof value);
  }
  template <class T>
  void enumeration(const T& value) {
    using U = std::underlying_type_t<T>;
    Described& node = add_number(FieldKind::enumeration, leaf_kind<EnumInteger<U>>(),
                                 std::addressof(value), sizeof value);
    if (std::is_same_v<U, bool>) not_fixed();  // loading must check it
    node.type = type_key<T>();
    if constexpr (kHasEnumNames<T> || Renames<T>::list.size() != 0)
      note_enumerators(node, describe_enum<T>());
  }
  template <class H>
  void handle(const H& value) {
    add_handle(H::LayoutType::value, kIsStrong<H>,
               handle_key<typename H::Tag, typename H::LayoutType>(), std::addressof(value),
               sizeof value);
  }
  template <class T>
  void as_handle(const T& value) {
    visit_copy(value, [&] { handle(AsHandle<T>::to(value)); });
  }
  template <class S>
  void string(const S& value) {
    note(value);
    add_string(Utf8Checked<S>::value);
  }
  template <class C>
  void list(const C& value) {
    note(value);
    Described& node = add(FieldKind::list);
    node.key_rule = Known<C>::rule;
    element<typename Known<C>::Element>(node);
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
    node.key_rule = Known<C>::rule;
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
    note_bytes(data, count * sizeof(E));
    elements(data, count);
  }
  template <class E>
  void binary(const E* data, std::size_t count) {
    if (is_noted()) here_.visited->add_bytes(data, count * sizeof(E));
    elements(data, count);
  }
  template <class B>
  void bits(const B& value) {
    note(value);
    element<bool>(add_array(B().size()));
  }
  template <class O>
  void optional(const O& value) {
    note(value);
    element<typename Known<O>::Element>(add(FieldKind::optional));
  }
  template <class V>
  void variant(const V& value) {
    using Stored = typename Known<V>::Stored;
    note(value);
    Described& node = add(FieldKind::variant);
    node.type = type_key<Stored>();
    node.old_alternatives = old_alternatives_of<Stored>();
    [&]<std::size_t... Is>(std::index_sequence<Is...>) {
      (element<std::variant_alternative_t<Is, Stored>>(node), ...);
    }
    (std::make_index_sequence<std::variant_size_v<Stored>>{});
  }
  template <class T>
  void opaque(const T& value) {
    note(value);
    add(FieldKind::opaque);
    not_fixed();
  }
  template <class T>
  void structure(const T& value) {
    note(value);
    describe_structure(add(FieldKind::structure), kStructureType<T>, std::addressof(value));
  }
  template <class T>
  void minimal(const T& value, std::uint32_t /*version*/ = 0) {
    visit_copy(value, [&] {
      const auto stored = call_save_minimal<T>(*this, value);
      visit_value(*this, stored);
    });
  }
  template <class T>
  void size_tag(const T&) {
    refuse_loop();
  }
  template <class K, class V>
  void map_item(const K&, const V&) {
    refuse_loop();
  }
  [[nodiscard]] VirtualBases& bases() noexcept { return bases_; }

 private:
  template <class T>
  friend struct StructureTypeOf;
  template <class E>
  void element(Described& node);
  template <class E>
  void elements(const E* data, std::size_t count);
  void describe_structure(Described& node, const StructureType& type, const void* at);

  /// Whether the value visited next is a member of the structure being visited.
  [[nodiscard]] bool is_noted() const noexcept {
    return here_.in_structure && here_.visited != nullptr;
  }
  template <class T>
  void note(const T& value) {
    if (!std::is_empty_v<T>) note_bytes(std::addressof(value), sizeof value);
  }
  void note_bytes(const void* at, std::size_t size);
  /// Calls `visit`, which visits something made of `value` in its place.
  template <class T, class Visit>
  void visit_copy(const T& value, const Visit& visit) {
    note(value);
    VisitedParts* const visited = std::exchange(here_.visited, nullptr);
    visit();
    here_.visited = visited;
    not_fixed();
  }
  void visit_members(const MemberTable& table, const void* at);
  void check_type(const MemberFacts& facts, const Described& node, const VisitedParts& visited);
  [[nodiscard]] std::string path() const;

  /// What changes while the fields of a structure or the elements of a container are visited.
  struct Place {
    Described* parent = nullptr;
    VisitedParts* visited = nullptr;
    std::uint32_t unnamed_count = 0;
    bool in_structure = true;  // else in a list, an array, an optional...: elements have no names
    bool utf8_checked = false;
  };
  /// Returns the place to go back to.
  [[nodiscard]] Place enter_elements(Described& node);
  void leave_elements(const Place& outer) noexcept;
  /// All elements of an array are alike: what counts is where each of them lies.
  void begin_element(Described& array) noexcept;

  static void note_enumerators(Described& node, DescribedEnum described);
  Described& add(FieldKind kind);
  /// A number, and where it lies; an enumeration has its integer below it.
  Described& add_number(FieldKind kind, FieldKind leaf, const void* at, std::size_t size);
  void add_handle(const HandleLayout& layout, bool is_strong, const HandleKey& key, const void* at,
                  std::size_t size);
  void add_string(bool utf8_checked);
  Described& add_array(std::size_t count);
  void place(const void* at, std::size_t size, unsigned width, FieldKind kind);
  /// The value is not a leaf in the record's own memory, or only its type's code can load it.
  void not_fixed() noexcept {
    is_fixed_ = false;
    not_placed();
  }
  /// The field of the record that is being visited must be visited in loads, too.
  void not_placed() noexcept;
  void check_names(const Described& node);
  void push_type(TypeKey key);
  [[noreturn]] void refuse(std::string reason);
  [[noreturn]] void refuse_loop();

  const std::byte* object_;
  std::size_t size_;
  const std::vector<LeafPlace>* expected_;
  Described root_;
  Place here_{&root_};
  VirtualBases bases_;
  struct State;  // describe_archive.cpp
  Owned<State> state_;
  const char* name_ = nullptr;
  std::string (*type_name_)() = nullptr;  // of the value visited next; or null
  bool is_fixed_ = true;
  bool is_all_aggregates_ = true;
  bool are_parts_visited_ = true;
};

template <class T>
void StructureTypeOf<T>::visit(DescribeArchive& archive, const void* at) {
  visit_fields(archive, *static_cast<const T*>(at), class_version_of<T>());
}

#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS
template <class T>
void StructureTypeOf<T>::check(DescribeArchive& archive, const void* at, const Described& node,
                               VisitedParts& visited) {
  MemberFacts facts{type_name<T>(), {}, {}};
  if constexpr (!std::is_union_v<T> && !leaves_out_any<T>()) {
    add_left_out(*static_cast<const T*>(at), visited);
    facts.members = count_members<T>();
    facts.value_bytes = value_bytes_of<T>();
  }
  archive.check_type(facts, node, visited);
}
#endif

template <class T>
consteval StructureType StructureTypeOf<T>::made() {
  StructureType type{sizeof(T), &type_identity<T>, Utf8Checked<T>::value, !NotPlain<T>::value};
  if constexpr (is_versioned<T>() || Renames<T>::list.size() != 0) type.note = &note;
  if constexpr (has_member_table<T>()) {
    type.members = &MemberTableOf<T>::table;
  } else {
    type.visit = &visit;
  }
  if constexpr (inner_shape<T>() == Shape::user) {
    constexpr UserForm form = save_form<T, EncodeArchive>();
    type.is_plain = type.is_plain && form.is_plain_serialize();
    type.has_functions = form.form != Form::aggregate && form.form != Form::empty;
    type.is_class = true;
#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS
    if constexpr (!has_member_table<T>()) type.check = &check;
#endif
  }
  return type;
}

template <class E>
void DescribeArchive::element(Described& node) {
  const Place outer = enter_elements(node);
  not_fixed();
  const E value{};
  visit_value(*this, value);
  leave_elements(outer);
}

template <class E>
void DescribeArchive::elements(const E* data, std::size_t count) {
  Described& node = add_array(count);
  const Place outer = enter_elements(node);
  for (std::size_t i = 0; i < count; ++i) {
    begin_element(node);
    visit_value(*this, data[i]);
  }
  leave_elements(outer);
}

}  // namespace hdb::detail::record
