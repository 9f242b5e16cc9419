// The words of a set of slots.
#include "hdb/detail/core/slots/slot_set.hpp"

#include <algorithm>

namespace hdb::detail::slot_set {

namespace {

void clear_words(FlatArray& words, std::size_t begin, std::size_t end) {
  words.make_private(begin, end);
  for (std::size_t i = begin; i < end; ++i) words.owned_as<std::uint64_t>(i) = 0;
}

}  // namespace

void add_slots(FlatArray& words, std::uint64_t from, std::uint64_t to) {
  const std::size_t begin = words_for(from);
  const std::size_t end = words_for(to);
  if (begin >= end) return;
  words.grow_to(end);
  // A restore may have left words behind the ones that it brought back.
  clear_words(words, begin, end);
}

void clear(FlatArray& words, std::uint64_t slots) { clear_words(words, 0, words_for(slots)); }

void prepare(FlatArray& words, std::uint64_t slot) {
  for (unsigned level = 0; level <= kTop; ++level) words.make_private(word_of(level, slot));
}

void insert(FlatArray& words, std::uint64_t slot) noexcept {
  for (unsigned level = 0; level <= kTop; ++level) {
    auto& word = words.owned_as<std::uint64_t>(word_of(level, slot));
    const bool was_empty = word == 0;
    word |= std::uint64_t{1} << bit_of(level, slot);
    if (!was_empty) return;
  }
}

void erase(FlatArray& words, std::uint64_t slot) noexcept {
  for (unsigned level = 0; level <= kTop; ++level) {
    auto& word = words.owned_as<std::uint64_t>(word_of(level, slot));
    word &= ~(std::uint64_t{1} << bit_of(level, slot));
    if (word != 0) return;
  }
}

std::optional<std::uint32_t> first_from(const FlatArray& words, std::uint64_t from,
                                        std::uint64_t slots) noexcept {
  // Up, past nodes without a member at or behind `from`; then down to the lowest member.
  for (unsigned level = 0; from < slots; level = std::min(level + 1, kTop)) {
    const unsigned first = bit_of(level, from);
    const std::uint64_t bits = words.as<std::uint64_t>(word_of(level, from)) >> first << first;
    const std::uint64_t node = from >> 6 * (level + 1);
    if (bits == 0) {
      from = (node + 1) << 6 * (level + 1);
      continue;
    }
    std::uint64_t slot = ((node << 6) | static_cast<unsigned>(std::countr_zero(bits))) << 6 * level;
    while (level-- > 0) {
      const auto word = words.as<std::uint64_t>(word_of(level, slot));
      slot |= std::uint64_t{static_cast<unsigned>(std::countr_zero(word))} << 6 * level;
    }
    return static_cast<std::uint32_t>(slot);
  }
  return std::nullopt;
}

}  // namespace hdb::detail::slot_set
