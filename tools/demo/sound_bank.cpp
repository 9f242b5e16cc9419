// Finding and copying of sounds.
#include "sound_bank.hpp"

#include <utility>

namespace demo {

SoundHandle obtain_sound(World& world, const Art& art, std::string_view name, Ledger& ledger) {
  SoundHandle known;
  // Few: a look at each is soon done.
  std::as_const(world.sounds).for_each([&](SoundHandle handle, const SoundInfo& info, auto) {
    if (info.name == name) known = handle;
  });
  if (known) return known;
  const auto lump = art.find_sound(name);
  if (!lump) return {};
  SoundInfo info;
  info.name = name;
  info.number = lump->number;
  info.sample_rate = lump->sample_rate;
  info.ticks =
      static_cast<std::uint16_t>(lump->samples.size() * kTicksASecond / lump->sample_rate + 1);
  const auto inserted = world.sounds.insert(std::move(info), lump->samples);
  if (!inserted) return {};
  ledger.born(TableId::sounds, inserted->bits(), lump->number);
  return *inserted;
}

}  // namespace demo
