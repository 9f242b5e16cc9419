// What a save has besides the tables, and what a load brings back beside them.
#include <fmt/format.h>

#include "game.hpp"

namespace demo {
namespace {

constexpr const char* kSounds = "sounds";  // a key of the metadata

}  // namespace

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

}  // namespace demo
