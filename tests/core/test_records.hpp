// Records for the core tests: plain ones, one with containers, and one that counts its
// constructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/tables/frozen_table.hpp"
#include "hdb/detail/core/tables/table_core.hpp"

namespace hdb::test {

/// Trivially copyable.
struct Unit {
  std::uint64_t value = 0;
  friend bool operator==(const Unit&, const Unit&) = default;
};

/// Trivially copyable, a cache line long.
struct Wide {
  std::uint64_t value = 0;
  std::uint64_t rest[7] = {};
  friend bool operator==(const Wide&, const Wide&) = default;
};

/// Not trivially copyable.
struct Rich {
  std::string name;
  std::vector<std::uint64_t> values;
  friend bool operator==(const Rich&, const Rich&) = default;
};

/// The record of type `Record` that stands for a number.
template <class Record>
Record make_record(std::uint64_t value) {
  return Record{value};
}
template <>
inline Wide make_record<Wide>(std::uint64_t value) {
  return Wide{value, {value + 1, value + 2, value + 3, value + 4, value + 5, value + 6, value + 7}};
}
template <>
inline Rich make_record<Rich>(std::uint64_t value) {
  // Short names lie in the string object, long ones on the heap.
  return Rich{"record " + std::to_string(value) + std::string(value % 3 * 20, '*'),
              std::vector<std::uint64_t>(value % 5, value)};
}

/// Counts objects alive, and throws at a chosen construction.
class Counted {
 public:
  inline static long alive = 0;
  inline static long copies = 0;
  inline static long throw_at_copy = 0;  ///< The n-th copy from now on throws; 0: none does.

  Counted() { ++alive; }
  explicit Counted(std::uint64_t number) : value(number) { ++alive; }
  Counted(const Counted& other) : value(other.value), guard_(other.guard_) {
    if (throw_at_copy != 0 && --throw_at_copy == 0) throw std::runtime_error("copy");
    ++copies;
    ++alive;
  }
  Counted(Counted&& other) noexcept : value(other.value), guard_(other.guard_) { ++alive; }
  Counted& operator=(const Counted&) = default;
  Counted& operator=(Counted&&) = default;
  ~Counted() {
    guard_ = 0;
    --alive;
  }
  [[nodiscard]] bool is_constructed() const { return guard_ == kGuard; }

  std::uint64_t value = 0;

 private:
  static constexpr std::uint64_t kGuard = 0x636f6e7374727563;
  std::uint64_t guard_ = kGuard;
};

/// The record that a capture has at a live slot.
template <class Record>
[[nodiscard]] Record captured(const detail::FrozenTable& table, std::uint64_t slot) {
  detail::PagePin pin(table.records);
  return pin.as<Record>(table.place_of(slot));
}

}  // namespace hdb::test
