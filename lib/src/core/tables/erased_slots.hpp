// Which records of a table were erased since a load: what the load kept of them went with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hdb::detail {

/// The slots below a number whose record was erased, whatever they hold now.
class ErasedSlots {
 public:
  /// Makes room for slots below `slots`; what is noted stays.
  void grow_to(std::uint64_t slots) {
    const auto words = static_cast<std::size_t>((slots + 63) / 64);
    if (words > words_.size()) words_.resize(words);
  }
  /// A slot without room is not noted: it had no record at the load.
  void add(std::uint32_t slot) noexcept {
    if (slot / 64 >= words_.size()) return;
    words_[slot / 64] |= std::uint64_t{1} << (slot % 64);
    is_empty_ = false;
  }
  void add_all() noexcept {
    are_all_ = true;
    is_empty_ = false;
  }
  void add(const ErasedSlots& others) {
    grow_to(std::uint64_t{others.words_.size()} * 64);
    for (std::size_t i = 0; i < others.words_.size(); ++i) words_[i] |= others.words_[i];
    are_all_ = are_all_ || others.are_all_;
    is_empty_ = is_empty_ && others.is_empty_;
  }
  void clear() noexcept {
    words_.assign(words_.size(), 0);
    are_all_ = false;
    is_empty_ = true;
  }
  [[nodiscard]] bool is_empty() const noexcept { return is_empty_; }
  [[nodiscard]] bool are_all() const noexcept { return are_all_; }
  [[nodiscard]] bool has(std::uint64_t slot) const noexcept {
    if (are_all_) return true;
    return slot / 64 < words_.size() &&
           (words_[static_cast<std::size_t>(slot / 64)] >> (slot % 64) & 1) != 0;
  }

 private:
  std::vector<std::uint64_t> words_;
  bool are_all_ = false;
  bool is_empty_ = true;
};

}  // namespace hdb::detail
