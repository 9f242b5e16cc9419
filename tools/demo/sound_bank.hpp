// Sounds from the WAD, brought into the table of blobs.
#pragma once

#include <cstdint>
#include <string_view>

#include "art.hpp"
#include "ledger.hpp"
#include "world.hpp"

namespace demo {

inline constexpr std::uint32_t kTicksASecond = 35;

/// The sound of this name ("DSPISTOL"), copied from the WAD when the world has not got it; null
/// when the WAD lacks it, or the table's buffer is full.
SoundHandle obtain_sound(World& world, const Art& art, std::string_view name, Ledger& ledger);

}  // namespace demo
