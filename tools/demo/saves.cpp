// What a save has besides the tables, and what a load brings back beside them.
#include <fmt/format.h>

#include <sstream>
#include <stdexcept>

#include "game.hpp"

namespace demo {

static constexpr const char* kSounds = "sounds";  // a key of the metadata

hdb::SaveOptions Game::save_options() const {
  hdb::SaveOptions options;
  options.metadata.title = fmt::format("{}, tick {}", world.clock->map, world.clock->tick);
  options.metadata.play_time_ms = world.clock->tick * std::uint64_t{1000} / kTicksASecond;
  options.metadata.sequence = world.clock->tick;
  options.metadata.values[kSounds] = sounds.text();
  // The demonstration compares the files of two runs. Games leave the id to hdb.
  options.write.file_id = hdb::hash128(hdb::bytes_of(options.metadata.title));
  return options;
}

hdb::Status Game::load(const std::string& path) {
  const auto loaded = world.database.load(path);
  if (!loaded) return hdb::fail(loaded.error());
  after_load(loaded->info.metadata);
  return {};
}

void Game::after_load(const hdb::Metadata& metadata) {
  const auto text = metadata.values.find(kSounds);
  sounds = SoundSystem::parse(text != metadata.values.end() ? text->second : "");
  hud = world.textures.find(kHudPicture);
  refresh_pixels();
}

std::size_t Game::refresh_pixels() {
  const auto changes = pixels.take_changes();
  for (const TextureHandle handle : changes.appeared) {
    pixels.set(handle, pixels_of(world.textures.table().at(handle)));
  }
  return changes.appeared.size();
}

Pixels Game::pixels_of(const Texture& texture) const {
  if (texture.number >= wad_.lumps().size()) return {};  // another WAD
  LumpReader in = wad_.read(texture.number);
  const auto bytes = in.take(in.remaining());
  return {bytes.begin(), bytes.end()};
}

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
