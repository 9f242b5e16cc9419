// The list of all handles held at one moment and what each must resolve to: JSON, without hdb.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "ledger.hpp"
#include "sound.hpp"
#include "texture_store.hpp"
#include "world.hpp"

namespace demo {

/// The record that a live handle names, described without hdb.
struct Content {
  std::uint32_t serial = 0;
  std::uint64_t fields = 0;  ///< PlainHash of all its fields.
  std::string title;         ///< "imp 41", "line 17".

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(serial), CEREAL_NVP(fields), CEREAL_NVP(title));
  }
  friend bool operator==(const Content&, const Content&) = default;
};

/// One handle that somebody holds.
struct HeldHandle {
  std::string holder;  ///< "imp 41.target", "sound 17", "table things".
  TableId table = TableId::things;
  std::uint64_t bits = 0;
  bool is_live = false;
  Content content;  ///< Of a live one.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(holder), CEREAL_NVP(table), CEREAL_NVP(bits), CEREAL_NVP(is_live),
            CEREAL_NVP(content));
  }
};

struct HandleList {
  std::vector<HeldHandle> handles;
  std::size_t next_channel = 0;
  /// Handles over which the tables and the ledger, which knows nothing of slots, do not agree.
  std::size_t disputed = 0;

  [[nodiscard]] std::size_t stale_count() const;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(next_channel), CEREAL_NVP(handles));
  }
};

/// All handles in records, of records, in the sound system and in the status bar. Which are live is
/// what the ledger says.
[[nodiscard]] HandleList list_handles(const World& world, const SoundSystem& sound, const Hud& hud,
                                      const Ledger& ledger);
/// Reads what to_json wrote. Errors: what is wrong.
[[nodiscard]] tl::expected<HandleList, std::string> parse_handle_list(const std::string& text);

/// The sound system of the moment of the list.
[[nodiscard]] SoundSystem sound_of(const HandleList& list);

/// The texture of the status bar at that moment; null when there was none.
[[nodiscard]] TextureHandle hud_bar_of(const HandleList& list);

struct ListCheck {
  std::size_t live_right = 0;
  std::size_t live_wrong = 0;
  std::size_t stale_right = 0;
  std::size_t stale_wrong = 0;
  std::string first_wrong;  ///< Holder, handle and what was found.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(live_right), CEREAL_NVP(live_wrong), CEREAL_NVP(stale_right),
            CEREAL_NVP(stale_wrong), CEREAL_NVP(first_wrong));
  }
};
/// Resolves every line in `world`.
[[nodiscard]] ListCheck check_handle_list(const World& world, const HandleList& list);

}  // namespace demo
