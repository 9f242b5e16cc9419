// The list of all handles held at one moment and what each must find: plain data, without hdb.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "game.hpp"

namespace demo {

/// One handle that somebody holds.
struct HeldHandle {
  std::string holder;  ///< "things 41.target", "sound 17", "table things".
  std::string table;
  std::uint64_t bits = 0;
  bool is_live = false;
  std::uint32_t number = 0;  ///< Number of its record; 0 if it is stale.
  std::uint64_t fields = 0;  ///< PlainHash of all fields of its record; 0 if it is stale.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(holder), CEREAL_NVP(table), CEREAL_NVP(bits), CEREAL_NVP(is_live),
            CEREAL_NVP(number), CEREAL_NVP(fields));
  }
};
struct HandleList {
  std::vector<HeldHandle> handles;
  /// Handles over which the tables and the ledger, which knows nothing of slots, do not agree.
  std::size_t disputed = 0;

  [[nodiscard]] std::size_t stale_count() const;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(handles), CEREAL_NVP(disputed));
  }
};

/// All handles of records, in records, in the sound system and in the status bar. The ledger says
/// which of them are live.
[[nodiscard]] HandleList list_handles(const Game& game);
/// A ledger that knows the live handles of a list.
[[nodiscard]] Ledger ledger_of(const HandleList& list);

struct ListCheck {
  std::size_t live_right = 0;
  std::size_t stale_right = 0;
  std::size_t wrong = 0;
  std::string first_wrong;  ///< Holder, handle and what was found.
};
/// Looks up every handle of the list in `world`.
[[nodiscard]] ListCheck check_handle_list(const World& world, const HandleList& list);

}  // namespace demo
