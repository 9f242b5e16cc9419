// The order in which sprites are drawn: the farthest first, sorted a little in each tick.
#pragma once

#include "world.hpp"

namespace demo {

/// Every kLookPeriod ticks the distances to the viewer, the oldest marine, are measured again.
inline constexpr std::uint32_t kLookPeriod = 32;
/// What sorting may cost in one tick, in comparisons and moves.
inline constexpr std::uint64_t kSortBudget = 96;

/// One tick's work on the order. What is not done yet is part of the state.
void sort_for_drawing(World& world, std::uint32_t tick);
/// Whether every sprite is in its place, and sorting knows it.
[[nodiscard]] bool is_sorted_for_drawing(World& world);
/// Neighbours of which the nearer one is drawn first.
[[nodiscard]] std::size_t misplaced_sprites(const World& world);

}  // namespace demo
