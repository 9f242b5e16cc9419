// An object of one of several derived types, in place of a std::unique_ptr to their base. Games
// whose records held such pointers include this header; lib/docs/pointers.md shows when.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "hdb/assert.hpp"
#include "hdb/detail/record/make_object.hpp"

namespace hdb {

/// Holds an object of exactly one of the types Ts, which are derived from Base, or is empty. It is
/// used like a std::unique_ptr<Base>, but it is a value: a copy copies the object as the type that
/// it is, equality compares what is held, and a const OneOf gives a const Base. So records may hold
/// it. Neither Base nor the types need virtual functions or a virtual destructor.
///
/// Files have it as they have a std::variant<std::monostate, Ts...>: with the same schema, bytes
/// and state hash. A load finds the types by their names (hdb::TypeName): types may be added to the
/// list, moved in it and removed from it. hdb::OldAlternatives of that std::variant counts here,
/// too. The object stays at one address until it is replaced or reset; moving the OneOf keeps it
/// there. After a move the source is empty.
///
/// Each type is default- and copy-constructible and has functions for cereal, because the members
/// of base classes are not found by themselves. A type that is larger than the base whose
/// `serialize` it has does not compile, unless hdb::LeavesOut says that its members are left out.
///
/// Example:
/// @code
/// struct Loot { virtual ~Loot() = default; virtual int price() const = 0; };
/// struct Blade : Loot {
///   int edge = 3;
///   int price() const override { return edge * 10; }
///   template <class A> void serialize(A& a) { a(CEREAL_NVP(edge)); }
/// };
/// struct Saber : Blade { int price() const override { return 500; } };
/// int main() {
///   std::vector<hdb::OneOf<Loot, Blade, Saber>> bag{Blade(), std::make_unique<Saber>()};
///   bag[0].as<Blade>()->edge = 4;  // as<Saber>() is null
///   assert(bag[0]->price() == 40 && bag[1]->price() == 500);
/// }
/// @endcode
template <class Base, class... Ts>
class OneOf {
  static_assert(std::is_class_v<Base> && sizeof...(Ts) >= 1 && sizeof...(Ts) <= 254,
                "hdb: an hdb::OneOf lists a base class and 1 to 254 types derived from it");

  using First = std::tuple_element_t<0, std::tuple<Ts...>>;
  template <class T>
  static constexpr std::size_t kCount = (std::size_t{std::is_same_v<T, Ts>} + ...);
  static_assert(((kCount<Ts> == 1) && ...), "hdb: an hdb::OneOf lists each type once");

 public:
  using element_type = Base;
  /// Whether T is one of the types.
  template <class T>
  static constexpr bool holds = kCount<T> == 1;

  OneOf() noexcept = default;
  OneOf(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor): as std::unique_ptr
  /// Holds a copy of the object, or the object itself, as one of the types.
  template <class T>
  requires(holds<std::remove_cvref_t<T>>)
      OneOf(T&& object)  // NOLINT(google-explicit-constructor): as std::variant
      : OneOf(detail::record::make_object<std::remove_cvref_t<T>>(std::forward<T>(object))) {}
  /// Takes the object; it keeps its address.
  /// Requires: the object is a T, not of a class derived from T.
  template <class T>
  requires(holds<T>) OneOf(std::unique_ptr<T> object)
  noexcept  // NOLINT: in its place
      : object_(object.get()), index_(object ? index_of<T>() : std::uint8_t{0}) {
    HDB_ASSERT(!object || detail::record::is_exactly(*object),
               "an hdb::OneOf took an object of a class derived from one of its types: list it");
    (void)object.release();
  }

  OneOf(const OneOf& other) {
    if (other) *this = other.copy();
  }
  OneOf(OneOf&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)),
        index_(std::exchange(other.index_, std::uint8_t{0})) {}
  /// If the copy constructor of the object throws, nothing changes.
  OneOf& operator=(const OneOf& other) {
    if (this != &other) *this = OneOf(other);
    return *this;
  }
  OneOf& operator=(OneOf&& other) noexcept {
    OneOf taken(std::move(other));
    std::swap(object_, taken.object_);
    std::swap(index_, taken.index_);
    return *this;
  }
  ~OneOf() {
    if (*this) destroy();
  }

  /// Holds a new T instead, made of the arguments. If its constructor throws, nothing changes.
  template <class T, class... Args>
  requires(holds<T>) T& emplace(Args&&... args) {
    std::unique_ptr<T> object = detail::record::make_object<T>(std::forward<Args>(args)...);
    T& made = *object;
    *this = OneOf(std::move(object));
    return made;
  }
  void reset() noexcept { *this = OneOf(); }

  [[nodiscard]] bool has_value() const noexcept { return object_ != nullptr; }
  explicit operator bool() const noexcept { return has_value(); }
  /// 0 if it is empty, else the place of the object's type in the list, from 1.
  [[nodiscard]] std::size_t index() const noexcept { return index_; }
  /// Null if it is empty.
  [[nodiscard]] Base* get() noexcept { return object_; }
  [[nodiscard]] const Base* get() const noexcept { return object_; }
  /// Requires: it is not empty.
  [[nodiscard]] Base& operator*() noexcept { return *checked(); }
  [[nodiscard]] const Base& operator*() const noexcept { return *checked(); }
  [[nodiscard]] Base* operator->() noexcept { return checked(); }
  [[nodiscard]] const Base* operator->() const noexcept { return checked(); }

  /// The object if it is a T, else null.
  template <class T>
  requires(holds<T>) [[nodiscard]] T* as() noexcept {
    return index_ == index_of<T>() ? static_cast<T*>(object_) : nullptr;
  }
  template <class T>
  requires(holds<T>) [[nodiscard]] const T* as() const noexcept {
    return index_ == index_of<T>() ? static_cast<const T*>(object_) : nullptr;
  }

  /// Calls `function` with the object as the type that it is, and returns what it returns: the same
  /// type for all of them. Complexity: one call through a pointer.
  /// Requires: it is not empty.
  template <class Function>
  decltype(auto) visit(Function&& function) {
    return visit_as<Base>(*checked(), function);
  }
  template <class Function>
  decltype(auto) visit(Function&& function) const {
    return visit_as<const Base>(*checked(), function);
  }

  /// Whether both are empty, or hold equal objects of one type.
  [[nodiscard]] friend bool operator==(const OneOf& a,
                                       const OneOf& b) requires(std::equality_comparable<Ts>&&...) {
    if (a.index_ != b.index_ || !a) return a.index_ == b.index_;
    return a.visit(
        [&b](const auto& x) { return static_cast<bool>(x == static_cast<decltype(x)>(*b)); });
  }
  [[nodiscard]] friend bool operator==(const OneOf& a, std::nullptr_t) noexcept {
    return !a.has_value();
  }

 private:
  static consteval void check_types() {
    static_assert(
        (std::is_convertible_v<Ts*, Base*> && ...) &&
            (requires(Base * base) { static_cast<Ts*>(base); } && ...),
        "hdb: each type of an hdb::OneOf is derived from its base: publicly, once and not "
        "virtually");
  }
  template <class T>
  static constexpr std::uint8_t index_of() noexcept {
    check_types();
    std::uint8_t index = 0;
    (void)((++index, std::is_same_v<T, Ts>) || ...);
    return index;
  }
  Base* checked() const noexcept {
    HDB_ASSERT(object_ != nullptr, "an empty hdb::OneOf was dereferenced");
    return object_;
  }
  template <class Object, class Function>
  decltype(auto) visit_as(Object& object, Function& function) const {
    check_types();
    constexpr bool is_const = std::is_const_v<Object>;
    using Result =
        std::invoke_result_t<Function&, std::conditional_t<is_const, const First, First>&>;
    using Call = Result (*)(Object&, Function&);
    constexpr std::array<Call, sizeof...(Ts)> calls{[](Object& base, Function& call) -> Result {
      return std::invoke(call, static_cast<std::conditional_t<is_const, const Ts, Ts>&>(base));
    }...};
    return calls[index_ - std::size_t{1}](object, function);
  }
  [[nodiscard]] OneOf copy() const {
    return visit([](const auto& object) { return OneOf(object); });
  }
  void destroy() noexcept {
    visit([]<class T>(T& object) { std::default_delete<T>()(&object); });
  }

  Base* object_ = nullptr;
  std::uint8_t index_ = 0;  // null exactly when object_ is
};

}  // namespace hdb
