// The sources that can still be heard, and the text of the metadata.
#include <sstream>
#include <stdexcept>

#include "world.hpp"

namespace demo {

ThingHandle SoundSystem::heard(const World& world, std::size_t sounds_ago) const {
  for (std::size_t back = sounds_ago + 1; back <= kChannels; ++back) {
    const auto source = hdb::AnyHandle::from_bits(sources[(next + kChannels - back) % kChannels]);
    if (world.database.find<Thing>(source) != nullptr) return hdb::handle_as<Thing>(source);
  }
  return {};
}

std::string SoundSystem::text() const {
  std::ostringstream out;
  out << next;
  for (const std::uint64_t source : sources) out << ' ' << source;
  return out.str();
}

SoundSystem SoundSystem::parse(const std::string& text) {
  SoundSystem sound;
  std::istringstream in(text);
  in >> sound.next;
  for (std::uint64_t& source : sound.sources) in >> source;
  if (!in || sound.next >= kChannels)
    throw std::runtime_error("the metadata `sounds` of the save is missing or broken");
  return sound;
}

}  // namespace demo
