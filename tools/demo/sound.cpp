// Channels in use and what can be heard from them.
#include "sound.hpp"

namespace demo {

void SoundSystem::play(TableId table, std::uint64_t bits) {
  channels_[next_] = {table, bits};
  next_ = (next_ + 1) % kChannels;
}

ThingHandle SoundSystem::heard(const World& world, std::size_t sounds_ago) const {
  for (std::size_t back = sounds_ago + 1; back <= kChannels; ++back) {
    const Channel& channel = channels_[(next_ + kChannels - back) % kChannels];
    if (channel.table != TableId::things) continue;
    const auto thing = ThingHandle::from_bits(channel.bits);
    if (world.things.contains(thing)) return thing;
  }
  return {};
}

}  // namespace demo
