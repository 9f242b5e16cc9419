// The second process: loads a save, checks the list of handles, plays on and reports what it found.
#pragma once

#include <cstdint>
#include <string>

#include "art.hpp"
#include "files.hpp"
#include "handle_list.hpp"
#include "journey.hpp"

namespace demo {

/// What the second process found; printed as JSON by it, and read by the first.
struct Resumed {
  std::string error;  ///< Why it could not play at all; empty: it could.
  double load_ms = 0;
  ListCheck list;
  std::uint32_t first_other_tick = 0;  ///< The first whose handles or records differ; 0: none does.
  std::uint32_t first_other_fate =
      0;                        ///< The first at which names, places or health differ; 0: none.
  bool handles_unique = false;  ///< No handle was issued that somebody alive had.
  std::string state_hash;       ///< At the end, by hdb.
  std::string plain_hash;       ///< At the end, without hdb.
  std::size_t textures = 0;     ///< In the save.
  std::size_t decoded = 0;      ///< Whose pixels, which are not state, were decoded again.
  Journey journey;              ///< To the next map; of an exact one.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(error), CEREAL_NVP(load_ms), CEREAL_NVP(list), CEREAL_NVP(first_other_tick),
            CEREAL_NVP(first_other_fate), CEREAL_NVP(handles_unique), CEREAL_NVP(state_hash),
            CEREAL_NVP(plain_hash), CEREAL_NVP(textures), CEREAL_NVP(decoded), CEREAL_NVP(journey));
  }
};

enum class Resume : std::uint8_t {
  exact,    ///< The save as it is; also writes a save at the end.
  control,  ///< The save with sorted free lists.
};

/// Loads and plays to the end; an exact one goes on to the next map.
[[nodiscard]] Resumed resume(const Files& files, const Art& art, Resume which);

/// Reads what to_json wrote; the first line of any other text is the error.
[[nodiscard]] Resumed parse_resumed(const std::string& text);

/// How saves of the demonstration are written: equal states give equal bytes.
[[nodiscard]] hdb::SaveOptions save_options(const World& world);

}  // namespace demo
