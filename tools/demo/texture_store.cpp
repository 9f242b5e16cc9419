// Finding, loading, flushing and decoding of textures.
#include "texture_store.hpp"

#include <optional>
#include <utility>

namespace demo {

TextureRef TextureStore::obtain(std::string_view name, Ledger& ledger) {
  std::optional<Image> image;
  TextureRef texture = world_.textures.find_or_load(name, [&](std::string_view wanted) {
    std::optional<Texture> found = art_.find(wanted);
    if (found) image = art_.decode(*found);
    return image ? found : std::nullopt;
  });
  if (!texture) {
    counts_.unknown.emplace(name);
  } else if (image) {
    ++counts_.loaded;
    ledger.born(TableId::textures, texture.handle().bits(), serial_of(*texture));
    images_.set(texture, *std::move(image));
  } else {
    ++counts_.shared;
  }
  return texture;
}

std::size_t TextureStore::flush(Ledger& ledger) {
  const auto report = world_.textures.flush(
      [&](TextureHandle handle, const Texture&) { ledger.died(TableId::textures, handle.bits()); });
  return report ? report->destroyed : 0;
}

TextureStore::Refreshed TextureStore::refresh() {
  const auto changes = images_.take_changes();
  Refreshed refreshed;
  refreshed.dropped = changes.vanished.size();
  for (const TextureHandle handle : changes.appeared) {
    std::optional<Image> image = art_.decode(world_.textures.table().at(handle));
    if (!image) continue;
    images_.set(handle, *std::move(image));
    ++refreshed.decoded;
  }
  return refreshed;
}

}  // namespace demo
