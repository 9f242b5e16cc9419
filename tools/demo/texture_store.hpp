// The textures in use: each loaded once by its name, with its pixels beside the record.
#pragma once

#include <cstddef>
#include <hdb/sidecar.hpp>
#include <set>
#include <string>
#include <string_view>

#include "art.hpp"
#include "ledger.hpp"
#include "world.hpp"

namespace demo {

/// Finds textures in the world's table or loads them from a WAD, and keeps their pixels, which are
/// not state: after a restore or load, refresh() decodes them again.
class TextureStore {
 public:
  using Table = hdb::Table<Texture, TextureHandle::LayoutType>;

  struct Counts {
    std::size_t loaded = 0;
    std::size_t shared = 0;         ///< Asked for when they were there already.
    std::set<std::string> unknown;  ///< Names that the WAD lacks.
  };

  /// Both must live as long as the store.
  TextureStore(World& world, const Art& art)
      : world_(world), art_(art), images_(world.textures.table()) {}

  /// The texture of this name ("walls/BRICK1"); holds nothing when the WAD lacks it.
  [[nodiscard]] TextureRef obtain(std::string_view name, Ledger& ledger);
  /// Destroys the textures that no record and no TextureRef holds; how many those were.
  std::size_t flush(Ledger& ledger);

  struct Refreshed {
    std::size_t decoded = 0;  ///< Came with a restore or load.
    std::size_t dropped = 0;  ///< Went with it.
  };
  /// Decodes what restores and loads brought. To be called after each of them.
  Refreshed refresh();

  /// Null when the handle is stale.
  [[nodiscard]] const Image* image(TextureHandle texture) const { return images_.find(texture); }
  [[nodiscard]] std::size_t image_count() const noexcept { return images_.size(); }
  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }
  [[nodiscard]] const Art& art() const noexcept { return art_; }

 private:
  World& world_;
  const Art& art_;
  hdb::Sidecar<Image, Table> images_;
  Counts counts_;
};

/// The status bar: outside of the database, so it holds its texture by reference.
inline constexpr const char* kHudPicture = "pictures/STBAR";
struct Hud {
  TextureRef bar;
};

}  // namespace demo
