// What is known of some tables, a bit each.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hdb::detail {

/// Bits by number.
class Marks {
 public:
  /// Makes room for `count`, none of them set.
  void resize(std::size_t count) { words_.assign((count + 63) / 64, 0); }
  void set(std::size_t number, bool set = true) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << (number % 64);
    std::uint64_t& word = words_[number / 64];
    word = set ? word | bit : word & ~bit;
  }
  [[nodiscard]] bool has(std::size_t number) const noexcept {
    return (words_[number / 64] >> (number % 64) & 1) != 0;
  }
  void clear() noexcept { words_.assign(words_.size(), 0); }
  /// Calls visit(number) for each that is set, but not for all that `visit` sets.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t word = 0; word < words_.size(); ++word) {
      for (std::uint64_t left = words_[word]; left != 0; left &= left - 1)
        visit(word * 64 + static_cast<std::size_t>(std::countr_zero(left)));
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// Of tables that are numbered.
struct TableMarks {
  Marks changed;   ///< TableCore::is_changed.
  Marks observed;  ///< Has observers.
};

}  // namespace hdb::detail
