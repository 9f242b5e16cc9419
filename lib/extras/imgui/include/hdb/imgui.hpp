// Shows a running database in a window of Dear ImGui: tables, records, references, changes and the
// past. Games include it in one file; Dear ImGui itself (1.86 or later) must be in the program.
// Guide: lib/extras/imgui/imgui.md.
#pragma once

#include <imgui.h>

#include "hdb/detail/imgui/browser_state.hpp"
#include "hdb/detail/imgui/draw_lists.hpp"
#include "hdb/detail/imgui/draw_record.hpp"
#include "hdb/detail/imgui/draw_time.hpp"
#include "hdb/fwd.hpp"
#include "hdb/imgui_browser.hpp"

namespace hdb::imgui {

/// Shows a database in the present window of Dear ImGui: the list of tables with counts and memory,
/// the records of one table by column, and the fields of one record, which can be edited. A click
/// on a handle selects its record. Changes are made at once, by the calls of LiveTable; what it
/// refuses is shown at the field.
///
/// Requires: between ImGui::NewFrame and ImGui::Render; no loop over a table of the database is
/// running.
/// Complexity: linear in the rows and fields that are visible, in the size of the selected record
/// and in the number of tables, not in the records of the database. A filter and a search for
/// references take the `search_ms` of the options more.
/// Invalidates: as the calls of the user: LiveTable::edit, insert, erase, Database::restore.
///
/// Example:
/// @code
/// hdb::Database db;
/// db.create_table<Monster>("monsters").insert({.name = "imp"});
/// hdb::imgui::Browser browser;
/// ImGui::CreateContext();
/// ImGui::GetIO().DisplaySize = {1280, 720};  // a game has a backend for this
/// ImGui::GetIO().Fonts->Build();
/// ImGui::NewFrame();
/// if (ImGui::Begin("database")) hdb::imgui::show_database(browser, db);
/// ImGui::End();
/// ImGui::Render();
/// ImGui::DestroyContext();
/// @endcode
inline void show_database(Browser& browser, Database& database,
                          const BrowserOptions& options = {}) {
  detail::imgui::BrowserState& state = browser.state();
  state.begin_frame(database, options.history);
  ImGui::PushID("hdb");
  detail::imgui::draw_toolbar(state);
  if (options.history != nullptr || options.autosaver != nullptr)
    detail::imgui::draw_time(state, options);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV;
  if (ImGui::BeginTable("parts", 3, kFlags)) {
    ImGui::TableSetupColumn("tables", ImGuiTableColumnFlags_WidthStretch, 0.24F);
    ImGui::TableSetupColumn("records", ImGuiTableColumnFlags_WidthStretch, 0.42F);
    ImGui::TableSetupColumn("record", ImGuiTableColumnFlags_WidthStretch, 0.34F);
    ImGui::TableNextRow();
    ImGui::TableSetColumnIndex(0);
    detail::imgui::draw_tables(state);
    ImGui::TableSetColumnIndex(1);
    detail::imgui::draw_records(state, options);
    ImGui::TableSetColumnIndex(2);
    detail::imgui::draw_record(state, options);
    ImGui::EndTable();
  }
  ImGui::PopID();
}

}  // namespace hdb::imgui
