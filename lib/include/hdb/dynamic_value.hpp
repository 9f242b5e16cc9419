// DynamicValue: a value of any field kind that owns its content, with fields found by name.
// Migrations of old saves (hdb/migration.hpp) read and change records in this form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/base/to_size.hpp"
#include "hdb/detail/evolve/enum_names.hpp"
#include "hdb/detail/evolve/kinds.hpp"
#include "hdb/field.hpp"
#include "hdb/handle.hpp"

namespace hdb {

class DynamicValue;

namespace detail {
struct DynamicAccess;

/// The stored record that a migration changes: reads its fields when they are first used.
class StoredFields {
 public:
  /// Makes `to` the value of field `index`. What goes wrong is reported after the migration.
  virtual void read(std::size_t index, DynamicValue& to) noexcept = 0;

 protected:
  ~StoredFields() = default;
};

/// The name of a field. To copy it throws nothing: values share a long one.
class FieldName {
 public:
  FieldName& operator=(std::string_view text) {
    long_ = text.size() <= sizeof short_ ? nullptr : std::make_shared<const std::string>(text);
    text.copy(short_, sizeof short_);
    size_ = static_cast<std::uint32_t>(text.size());
    return *this;
  }
  [[nodiscard]] std::string_view text() const noexcept {
    return {long_ == nullptr ? short_ : long_->data(), size_};
  }

 private:
  std::shared_ptr<const std::string> long_;
  std::uint32_t size_ = 0;
  char short_[20];
};

/// What a DynamicValue holds beside other values.
struct DynamicParts {
  static constexpr std::uint32_t kAnyVersion = ~std::uint32_t{0};

  FieldKind kind_ = FieldKind::structure;
  FieldKind leaf_ = FieldKind::structure;  // numbers: of the bits; packed lists: of the elements
  HandleLayout layout_;                    // handles
  bool is_packed_ = false;                 // a list whose elements are in text_
  std::uint32_t class_version_ = kAnyVersion;
  std::uint64_t bits_ = 0;  // numbers, handles; variants: the tag; unread: the index of the field
  StoredFields* unread_ = nullptr;  // a field of a record that was not read yet
  std::string text_;  // strings, opaque values: the content; handles: the table they name
  std::shared_ptr<const DynamicValue> element_;  // packed lists: an element without its bits
  std::shared_ptr<const std::vector<Enumerator>>
      enumerators_;  // enumerations: of the file, or null
  // What the file says of variants, optionals, arrays, and fields that have only a place: it is not
  // to be seen in the value. Else null.
  std::shared_ptr<const Field> stored_;
};
/// What a DynamicValue holds, without the field that holds it.
struct DynamicContent : DynamicParts {
  std::vector<DynamicValue> children_;
};
template <class T>
inline constexpr bool is_handle_type = false;
template <class T, class L>
inline constexpr bool is_handle_type<Handle<T, L>> = true;
template <class T, class L>
inline constexpr bool is_handle_type<Strong<T, L>> = true;
template <class T>
inline constexpr bool is_text_type = std::is_convertible_v<const T&, std::string_view>;
/// What a DynamicValue can be made from, and read as.
template <class T>
concept DynamicScalar = evolve::kIsLeaf<T> || std::is_enum_v<T> || is_handle_type<T>;
}  // namespace detail

/// What a DynamicValue throws when it does not have the requested form, and what a migration may
/// throw itself. A load that it ends returns migration_failed with this text.
class DynamicError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A value that owns its content: a number, text, handle, structure, list, ... Copies are
/// independent of each other and of the file.
///
/// A *path* names a field in structures and an element of lists or arrays: "hp", "pos.x",
/// "items[3].name". It passes through optionals that have a value. Names that contain '.' or '['
/// are reached with `field`.
///
/// Nothing is converted silently: `as` returns exactly the stored number, or throws. Values may be
/// nested as deep as memory allows; a record takes what its schema describes.
///
/// References that find, at, field, element, value and set return are valid until a value that they
/// are in is assigned, moved or destroyed, or gets or loses a field or element.
///
/// Errors: DynamicError, which names the path, if the value has another kind, a field or element
/// does not exist, or a number does not fit. Nothing is changed then.
/// Threads: no two threads may use the same value at once, not even for reading.
///
/// Example:
/// @code
/// hdb::DynamicValue monster;  // a structure without fields
/// monster.set("hp", 300);
/// monster.set("name", "imp");
/// monster.move("hp", "stats.hp");
/// assert(monster.at("stats.hp").as<int>() == 300 && !monster.contains("hp"));
/// monster.set("items", hdb::DynamicValue::list({"claw"}));
/// monster.at("items").push_back("horn");
/// assert(monster.at("items[1]").text() == "horn");
/// try {
///   static_cast<void>(monster.at("stats.hp").as<std::int8_t>());  // throws: 300 does not fit i8
///   assert(false);
/// } catch (const hdb::DynamicError&) {}
/// @endcode
class HDB_INSPECT_API DynamicValue : private detail::DynamicContent {
 public:
  /// A structure without fields.
  DynamicValue() noexcept {}  // NOLINT: if it were defaulted, all bytes would be zeroed first
  DynamicValue(const DynamicValue& other)
      : DynamicContent(), name_(other.name_), is_removed_(other.is_removed_) {
    copy_content(other);
  }
  /// Takes the content; a field of a structure stays, with its name, and without content.
  DynamicValue(DynamicValue&& other) noexcept
      : DynamicContent(std::move(other.whole())),
        name_(other.name_),
        is_removed_(other.is_removed_) {}
  /// Replaces the value; a field keeps its name.
  DynamicValue& operator=(const DynamicValue& other) { return *this = DynamicValue(other); }
  DynamicValue& operator=(DynamicValue&& other) noexcept {
    const std::vector<DynamicValue> old = std::move(children_);  // which `other` may be in
    static_cast<DynamicContent&>(*this) = std::move(other.whole());
    return *this;
  }
  ~DynamicValue() {
    if (!children_.empty()) release_children();
  }
  /// A number, character, bool, enumeration or handle; its kind is that of the C++ type.
  template <detail::DynamicScalar T>
  DynamicValue(T value) {  // NOLINT(google-explicit-constructor): a value is what it holds
    if constexpr (detail::is_handle_type<T>) {
      kind_ = FieldKind::handle;
      layout_ = T::LayoutType::value;
      bits_ = value.bits();
    } else if constexpr (std::is_enum_v<T> && !std::is_same_v<T, std::byte>) {
      using Integer = detail::evolve::EnumInteger<std::underlying_type_t<T>>;
      kind_ = FieldKind::enumeration;
      leaf_ = detail::evolve::leaf_kind<Integer>();
      bits_ = detail::evolve::stored_bits(static_cast<Integer>(value));
    } else {
      kind_ = leaf_ = detail::evolve::leaf_kind<T>();
      bits_ = detail::evolve::stored_bits(value);
    }
  }
  /// A string.
  template <class T>
  requires detail::is_text_type<T> DynamicValue(
      const T& text) {  // NOLINT(google-explicit-constructor): as above
    kind_ = FieldKind::string;
    text_ = std::string_view(text);
  }

  /// A list (or array) of these elements.
  [[nodiscard]] static DynamicValue list(std::vector<DynamicValue> elements = {});
  /// A map of these pairs.
  [[nodiscard]] static DynamicValue map(
      std::vector<std::pair<DynamicValue, DynamicValue>> pairs = {});
  /// An optional without a value.
  [[nodiscard]] static DynamicValue none();
  /// An optional with a value.
  [[nodiscard]] static DynamicValue some(DynamicValue value);
  /// A variant that holds alternative `tag`.
  [[nodiscard]] static DynamicValue alternative(std::uint8_t tag, DynamicValue value);
  /// An opaque value.
  [[nodiscard]] static DynamicValue opaque(std::span<const std::byte> bytes);

  /// What the value is. Arrays are lists here.
  [[nodiscard]] FieldKind kind() const noexcept { return kind_; }

  /// The value as a C++ number, bool, character, enumeration or handle.
  /// Errors: another kind of value; a number that `T` does not have exactly. An enumeration can be
  /// read as a number, which is that of the file. Read as an enum with names (hdb::EnumNames), an
  /// enumeration of a file that names its values is the enumerator of that name, by the rules of a
  /// load. A handle can be read only as a handle of its layout, for any record type.
  template <detail::DynamicScalar T>
  [[nodiscard]] T as() const {
    if constexpr (detail::is_handle_type<T>) {
      return Handle<typename T::Tag, typename T::LayoutType>::from_bits(
          static_cast<typename T::LayoutType::Bits>(handle_bits(T::LayoutType::value)));
    } else if constexpr (std::is_enum_v<T> && !std::is_same_v<T, std::byte>) {
      using Integer = detail::evolve::EnumInteger<std::underlying_type_t<T>>;
      if (kind_ != FieldKind::enumeration) wrong_kind("an enumeration");
      if constexpr (detail::evolve::kHasEnumNames<T>) {
        return static_cast<T>(detail::evolve::leaf_from_bits<Integer>(
            static_cast<detail::evolve::StoredBits<Integer>>(
                enumerator_bits(detail::evolve::describe_enum<T>()))));
      }
      return static_cast<T>(as<Integer>());
    } else {
      return detail::evolve::leaf_from_bits<T>(
          static_cast<detail::evolve::StoredBits<T>>(number_bits(detail::evolve::leaf_kind<T>())));
    }
  }
  /// The name of the value of an enumeration; empty if the file did not name it, or if the value
  /// was not read from a file.
  [[nodiscard]] std::string_view enumerator() const;
  /// The text of a string, or the bytes of an opaque value.
  [[nodiscard]] std::string_view text() const;

  // --- structures

  /// The field or element at a path; null if it does not exist. Also null if the path passes
  /// through a value that has no fields or elements.
  [[nodiscard]] DynamicValue* find(std::string_view path);
  [[nodiscard]] const DynamicValue* find(std::string_view path) const {
    return const_cast<DynamicValue*>(this)->find(path);
  }
  /// Whether find returns a value.
  [[nodiscard]] bool contains(std::string_view path) const {
    return const_cast<DynamicValue*>(this)->locate(path) != nullptr;
  }
  /// As find; throws if it does not exist.
  [[nodiscard]] DynamicValue& at(std::string_view path);
  [[nodiscard]] const DynamicValue& at(std::string_view path) const {
    return const_cast<DynamicValue*>(this)->at(path);
  }
  /// The field with this name, whatever characters it has; null if there is none, or if this is not
  /// a structure.
  [[nodiscard]] DynamicValue* field(std::string_view name) noexcept;
  /// Sets the field or element at a path, whatever it held. Fields that do not exist are made, the
  /// structures that lead to them too.
  DynamicValue& set(std::string_view path, DynamicValue value);
  /// Removes the field or element at a path. Returns false if it does not exist.
  bool remove(std::string_view path);
  /// Moves the value at `from` to `to`, where nothing may be. Makes the structures that lead there.
  void move(std::string_view from, std::string_view to);
  /// The names of the fields of a structure, in their order.
  [[nodiscard]] std::vector<std::string> names() const;

  // --- lists, maps, optionals, variants

  /// The number of fields, elements or pairs; 0 or 1 for an optional, 1 for a variant.
  [[nodiscard]] std::size_t size() const;
  /// Element `index` of a list; `2 * i` and `2 * i + 1` are key and value of pair i of a map.
  [[nodiscard]] DynamicValue& element(std::size_t index);
  [[nodiscard]] const DynamicValue& element(std::size_t index) const {
    return const_cast<DynamicValue*>(this)->element(index);
  }
  /// Appends an element to a list.
  void push_back(DynamicValue element);
  /// Removes element `index` of a list, or pair `index` of a map.
  void remove_element(std::size_t index);
  /// Whether an optional holds a value. Throws if this is not an optional.
  [[nodiscard]] bool has_value() const;
  /// The value of an optional or variant.
  [[nodiscard]] DynamicValue& value();
  [[nodiscard]] const DynamicValue& value() const {
    return const_cast<DynamicValue*>(this)->value();
  }
  /// The index of the alternative that a variant holds: of a value that was read from the file, in
  /// the file's variant; else in the program's. The load brings it to the program's numbers.
  [[nodiscard]] std::uint8_t tag() const;

  /// cereal's class version of a structure; none if the structure was made by a migration.
  [[nodiscard]] std::optional<std::uint32_t> class_version() const;
  /// Declares that the structure now has the form of this class version.
  void set_class_version(std::uint32_t version);

  /// Whether kinds, values and names are equal.
  HDB_INSPECT_API friend bool operator==(const DynamicValue& a, const DynamicValue& b);

 private:
  friend struct detail::DynamicAccess;

  [[nodiscard]] std::uint64_t number_bits(FieldKind kind) const;
  [[nodiscard]] std::uint64_t enumerator_bits(const detail::evolve::DescribedEnum& own) const;
  [[nodiscard]] std::uint64_t handle_bits(const HandleLayout& layout) const;
  [[noreturn]] void wrong_kind(std::string_view wanted) const;
  void require(bool is_right, std::string_view wanted) const {
    if (!is_right) wrong_kind(wanted);
  }
  void unpack();
  // Not recursive: a value that was nested by accident does not exhaust the stack.
  void copy_content(const DynamicValue& other);
  void release_children() noexcept;
  using Pairs = std::vector<std::pair<const DynamicValue*, const DynamicValue*>>;
  /// Compares without the children, which are added to `children` pair by pair.
  [[nodiscard]] static bool are_alike(const DynamicValue& a, const DynamicValue& b,
                                      Pairs& children);
  /// Reads a field of a stored record, if it was not read yet.
  void fetch() noexcept {
    if (unread_ != nullptr) std::exchange(unread_, nullptr)->read(detail::to_size(bits_), *this);
  }
  /// The value with all its fields read.
  const DynamicValue& whole() const noexcept { return const_cast<DynamicValue*>(this)->whole(); }
  DynamicValue& whole() noexcept;
  /// As find, but does not read the field at the end of the path.
  DynamicValue* locate(std::string_view path);
  DynamicValue* named(std::string_view name) noexcept;
  DynamicValue* child(std::string_view name) noexcept;
  /// The value that an optional holds; else the value itself.
  static DynamicValue& held(DynamicValue& value);
  static DynamicValue* step(DynamicValue* value, std::string_view& path);

  // What an assignment leaves alone.
  detail::FieldName name_;   // of a field
  bool is_removed_ = false;  // a field that the structure no longer has
};

}  // namespace hdb
