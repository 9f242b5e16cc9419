// What a load gives to the code that reads records.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "hdb/detail/base/api.hpp"
#include "hdb/handle.hpp"

namespace hdb::detail {

/// Memory that a load may still use; shared by its threads.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t bytes) : left_(bytes) {}
  /// Takes `bytes`; false (and nothing taken) when less is left.
  [[nodiscard]] bool charge(std::uint64_t bytes) noexcept {
    std::uint64_t left = left_.load(std::memory_order_relaxed);
    do {
      if (left < bytes) return false;
    } while (!left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed));
    return true;
  }
  [[nodiscard]] std::uint64_t left() const noexcept {
    return left_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> left_;
};

/// Gives the name of the table that handles with this key name; empty when none is bound.
using TableNamer = std::function<std::string(HandleKey)>;

/// Names a row in errors: "monsters:1042@7".
using RowNamer = std::function<std::string(std::size_t row)>;
/// The text of `namer`, or "row 3" without one.
[[nodiscard]] HDB_API std::string row_text(const RowNamer* namer, std::size_t row);

/// What a decoder does where a set or map of a record has the same element or key twice.
enum class EqualKeys : std::uint8_t {
  refuse,
  /// Keeps the first one of those that hold a handle, and counts the others: handles became null.
  merge,
};

}  // namespace hdb::detail
