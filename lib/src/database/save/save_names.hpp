// Names of the files of a SaveDirectory.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hdb/error.hpp"
#include "hdb/save_directory.hpp"

namespace hdb {

/// What the name of a file in a save directory says.
struct SaveFileName {
  SaveKind kind = SaveKind::named;
  std::string name;     ///< The player's text; of rings the number.
  unsigned backup = 0;  ///< 0: the save itself.
};

/// Errors: bad_name.
[[nodiscard]] Status check_save_name(std::string_view name);
/// `slot-my game.hdb` for "my game", `slot-My Game~~e31q7k0h.hdb` for "My Game".
[[nodiscard]] std::string named_file(std::string_view name);
/// The name that the file had in earlier versions of hdb: `slot-my~20game.hdb`.
[[nodiscard]] std::string former_named_file(std::string_view name);
/// `quick-2.hdb`. Requires: a ring.
[[nodiscard]] std::string ring_file(SaveKind kind, unsigned number);
/// Nothing when a save directory would not have given a file this name.
[[nodiscard]] std::optional<SaveFileName> parse_save_file(std::string_view file);
/// Whether the name is that of a save or backup with text inserted before its extension, as cloud
/// clients, browsers and file managers insert it: "slot-gate (1).hdb", "auto-2-LAPTOP.hdb".
[[nodiscard]] bool is_renamed_copy(std::string_view file);

}  // namespace hdb
