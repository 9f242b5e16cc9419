// A value on the heap, in place of a std::unique_ptr in a record. Games whose types held pointers
// to parts of their own include this header; lib/docs/pointers.md shows when.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "hdb/assert.hpp"
#include "hdb/detail/record/make_object.hpp"

namespace hdb {

/// Holds a T, or is empty. It is used like a std::unique_ptr<T>, but it is a value: a copy copies
/// the T, equality compares what is held, and a const Box gives a const T. So records may hold it.
///
/// Files have it as they have a std::optional<T>: with the same schema, bytes and state hash, so
/// that one can take the place of the other. A load also fills it from a stored T. Its T stays at
/// one address until it is replaced or reset; moving the Box keeps it there. After a move the
/// source is empty.
///
/// T may be incomplete where a member of type Box<T> is declared. A record type cannot contain
/// itself, through a Box neither: keep the nodes of a tree in a table, with handles to each other.
/// For objects of several derived types use hdb::OneOf.
///
/// Example:
/// @code
/// struct Shield { int strength = 10; };
/// struct Guard { std::string name; hdb::Box<Shield> shield; };
/// hdb::Database db;
/// auto& guards = db.create_table<Guard>("guards");
/// const hdb::Handle<Guard> guard = guards.insert({"Ann", hdb::make_box<Shield>(20)});
/// if (guards.at(guard).shield) guards.edit(guard)->shield->strength -= 5;
/// assert(guards.at(guard).shield->strength == 15);
/// guards.edit(guard)->shield = nullptr;
/// @endcode
template <class T>
class Box {
  static_assert(std::is_object_v<T> && !std::is_array_v<T> && !std::is_const_v<T>,
                "hdb: an hdb::Box holds a value: not a reference, an array or a const type");

 public:
  using element_type = T;

  Box() noexcept = default;
  Box(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor): as std::unique_ptr
  /// Holds a copy of the value, or the value itself.
  Box(const T& value)  // NOLINT(google-explicit-constructor): as std::optional
      : object_(detail::record::make_object<T>(value)) {}
  Box(T&& value)  // NOLINT(google-explicit-constructor): as std::optional
      : object_(detail::record::make_object<T>(std::move(value))) {}
  /// Takes the object; it keeps its address.
  /// Requires: the object is a T, not of a class derived from T.
  template <std::same_as<T> U>
  Box(std::unique_ptr<U> object) noexcept  // NOLINT(google-explicit-constructor): in its place
      : object_(std::move(object)) {
    HDB_ASSERT(!object_ || detail::record::is_exactly(*object_),
               "an hdb::Box took an object of a derived class: use hdb::OneOf");
  }
  /// Makes a T of the arguments.
  template <class... Args>
  explicit Box(std::in_place_t, Args&&... args)
      : object_(detail::record::make_object<T>(std::forward<Args>(args)...)) {}

  Box(const Box& other)
      : object_(other ? detail::record::make_object<T>(*other) : std::unique_ptr<T>()) {}
  Box(Box&&) noexcept = default;
  /// If the copy constructor of T throws, nothing changes.
  Box& operator=(const Box& other) {
    if (this != &other) *this = Box(other);
    return *this;
  }
  Box& operator=(Box&&) noexcept = default;
  ~Box() = default;

  /// Holds a new T instead, made of the arguments. If its constructor throws, nothing changes.
  template <class... Args>
  T& emplace(Args&&... args) {
    object_ = detail::record::make_object<T>(std::forward<Args>(args)...);
    return *object_;
  }
  void reset() noexcept { object_.reset(); }

  [[nodiscard]] bool has_value() const noexcept { return object_ != nullptr; }
  explicit operator bool() const noexcept { return has_value(); }
  /// Null if the Box is empty.
  [[nodiscard]] T* get() noexcept { return object_.get(); }
  [[nodiscard]] const T* get() const noexcept { return object_.get(); }
  /// Requires: the Box is not empty.
  [[nodiscard]] T& operator*() noexcept { return *checked(); }
  [[nodiscard]] const T& operator*() const noexcept { return *checked(); }
  [[nodiscard]] T* operator->() noexcept { return checked(); }
  [[nodiscard]] const T* operator->() const noexcept { return checked(); }

  /// Whether both are empty or hold equal values.
  [[nodiscard]] friend bool operator==(const Box& a, const Box& b) requires(requires(const T& x) {
    { x == x } -> std::convertible_to<bool>;
  }) {
    return a && b ? static_cast<bool>(*a == *b) : a.has_value() == b.has_value();
  }
  /// An empty Box is less than others, as an empty std::optional.
  [[nodiscard]] friend auto operator<=>(const Box& a,
                                        const Box& b) requires(std::three_way_comparable<T>) {
    using Order = std::compare_three_way_result_t<T>;
    return a && b ? *a <=> *b : static_cast<Order>(a.has_value() <=> b.has_value());
  }
  [[nodiscard]] friend bool operator==(const Box& a, std::nullptr_t) noexcept {
    return !a.has_value();
  }

 private:
  T* checked() const noexcept {
    HDB_ASSERT(object_ != nullptr, "an empty hdb::Box was dereferenced");
    return object_.get();
  }

  std::unique_ptr<T> object_;
};

/// A Box with a T made of the arguments, in place of std::make_unique.
template <class T, class... Args>
[[nodiscard]] Box<T> make_box(Args&&... args) {
  return Box<T>(std::in_place, std::forward<Args>(args)...);
}

}  // namespace hdb
