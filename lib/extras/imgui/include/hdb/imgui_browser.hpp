// What a browser of a running database remembers and how it is set up, without Dear ImGui: for
// headers of a game. hdb/imgui.hpp draws it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "hdb/detail/base/api.hpp"
#include "hdb/fwd.hpp"

namespace hdb::detail::imgui {
class BrowserState;
}

namespace hdb::imgui {

/// The selection of a browser, its way back and its searches: one object for each window.
///
/// Requires: a database that it was shown with outlives it, or reset() is called before the
/// database ends. Threads: the thread that changes the database.
///
/// Example:
/// @code
/// hdb::Database db;
/// auto& monsters = db.create_table<Monster>("monsters");
/// const auto imp = monsters.insert({.name = "imp"});
/// hdb::imgui::Browser browser;  // a member beside the database
/// browser.select("monsters", imp.bits());  // what the next frame shows
/// assert(browser.table() == "monsters" && browser.handle() == imp.bits());
/// @endcode
class HDB_IMGUI_API Browser {
 public:
  Browser();
  Browser(Browser&&) noexcept;
  Browser& operator=(Browser&&) noexcept;
  ~Browser();

  /// Shows a record, for example one that was clicked in the game; `handle` 0: the table alone.
  /// Tables and records that do not exist are shown as such.
  void select(std::string_view table, std::uint64_t handle = 0);
  /// The name of the selected table; empty: none.
  [[nodiscard]] const std::string& table() const noexcept;
  /// The bits of the handle of the selected record, which may be gone; 0: none.
  [[nodiscard]] std::uint64_t handle() const noexcept;

  /// The frame of the history that the user went back to; none while the present is shown. Do not
  /// run the game while it has a value. If the game records a frame nevertheless, the state that
  /// was shown is the present.
  [[nodiscard]] std::optional<std::uint64_t> shown_frame() const noexcept;

  /// Forgets the database and all that was selected.
  void reset();

  /// For hdb itself: what hdb/imgui.hpp draws.
  [[nodiscard]] detail::imgui::BrowserState& state() noexcept { return *state_; }

 private:
  std::unique_ptr<detail::imgui::BrowserState> state_;
};

/// What show_database shows beside the tables, and what it allows.
struct BrowserOptions {
  /// A slider over these frames, and their memory. Null: none.
  History* history = nullptr;
  /// The result and the cost of its last save. Null: none.
  const Autosaver* autosaver = nullptr;
  /// Called after the user went to a frame of the history, or continues from it, when the database
  /// is restored: sets what the game keeps outside of the database.
  std::function<void(std::uint64_t frame)> on_restore = {};
  /// Whether fields can be edited, and records inserted, erased and renamed.
  bool can_edit = true;
  /// The most time that a filter or a search for references takes of a frame. Units: milliseconds.
  double search_ms = 1;
};

}  // namespace hdb::imgui
