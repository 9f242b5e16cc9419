// A set of slots in an array of words that finds its lowest member in constant time: the free slots
// of a table under FreeList::lowest. The words are a tree in pre-order: each node begins with a
// word whose bits say which of its 64 children have a member, and a leaf is one word of 64 slots.
// So a set for more slots only appends words, and captures copy it as they copy every array.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/core/arrays/flat_array.hpp"

namespace hdb::detail::slot_set {

/// The level of the roots; leaves have level 0. A node of level k covers 64^(k + 1) slots, so four
/// roots cover all slots of a table.
inline constexpr unsigned kTop = 4;
/// The number of words of a node of each level.
inline constexpr std::array<std::uint64_t, kTop + 1> kWords{1, 65, 4161, 266'305, 17'043'521};

/// The first word of the node of `level` that covers a slot.
[[nodiscard]] constexpr std::size_t word_of(unsigned level, std::uint64_t slot) noexcept {
  std::uint64_t word = (slot >> 6 * (kTop + 1)) * kWords[kTop];
  for (unsigned k = kTop; k > level; --k) word += 1 + ((slot >> 6 * k) & 63) * kWords[k - 1];
  return static_cast<std::size_t>(word);
}
/// The bit of a slot, or of the child that covers it, in that word.
[[nodiscard]] constexpr unsigned bit_of(unsigned level, std::uint64_t slot) noexcept {
  return static_cast<unsigned>((slot >> 6 * level) & 63);
}
/// The words of a set for `slots` slots.
[[nodiscard]] constexpr std::size_t words_for(std::uint64_t slots) noexcept {
  return slots == 0 ? 0 : word_of(0, slots - 1) + 1;
}

/// Room for the slots [from, to), none of which is a member.
HDB_API void add_slots(FlatArray& words, std::uint64_t from, std::uint64_t to);
/// Takes out all members of a set for `slots` slots.
HDB_API void clear(FlatArray& words, std::uint64_t slots);
/// Makes all words private that an insert or an erase of the slot writes.
HDB_API void prepare(FlatArray& words, std::uint64_t slot);
/// Requires: prepare.
HDB_API void insert(FlatArray& words, std::uint64_t slot) noexcept;
/// Requires: prepare.
HDB_API void erase(FlatArray& words, std::uint64_t slot) noexcept;
/// The lowest member that is at least `from`, of a set for `slots` slots.
[[nodiscard]] HDB_API std::optional<std::uint32_t> first_from(const FlatArray& words,
                                                              std::uint64_t from,
                                                              std::uint64_t slots) noexcept;

}  // namespace hdb::detail::slot_set
