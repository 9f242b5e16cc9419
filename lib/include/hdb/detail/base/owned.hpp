// An object on the heap that ends with its owner.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace hdb::detail {

/// What std::unique_ptr is, without its deleters: that one costs each program that includes hdb.hpp
/// 18 ms for each type. T may be an array.
template <class T>
class Owned {
  using Element = std::remove_extent_t<T>;

 public:
  Owned() noexcept = default;
  Owned(std::unique_ptr<T> object) noexcept : object_(object.release()) {}
  ~Owned() { reset(nullptr); }
  Owned(Owned&& other) noexcept : object_(other.release()) {}
  Owned& operator=(Owned&& other) noexcept {
    reset(other.release());
    return *this;
  }

  [[nodiscard]] Element* release() noexcept { return std::exchange(object_, nullptr); }
  [[nodiscard]] Element* get() const noexcept { return object_; }
  Element* operator->() const noexcept { return object_; }
  Element& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  void reset(Element* object) noexcept {
    Element* const old = std::exchange(object_, object);
    if constexpr (std::is_array_v<T>) {
      delete[] old;
    } else {
      delete old;
    }
  }

  Element* object_ = nullptr;
};

}  // namespace hdb::detail
