// The toolbar, the list of tables and the list of records.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <cfloat>
#include <cstdint>
#include <string>
#include <string_view>

#include "hdb/detail/imgui/browser_state.hpp"
#include "hdb/detail/imgui/widgets.hpp"
#include "hdb/imgui_browser.hpp"
#include "hdb/inspect/text.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb::detail::imgui {

/// Texts of longer values are cut in the list of records.
inline constexpr std::uint64_t kListedBytes = 64;

/// The text of a handle as its table prints it; "0x..." if the table is gone.
inline std::string place_text(BrowserState& state, const Place& place) {
  const LiveTable* const table = state.find(place.table);
  if (table == nullptr) return escape_text(place.table);
  return place.handle != 0 ? table->handle_text(place.handle) : escape_text(place.table);
}

/// Back, forward, a field to go to a record, and the memory of the database.
inline void draw_toolbar(BrowserState& state) {
  ImGui::BeginDisabled(!state.can_go_back());
  if (ImGui::ArrowButton("back", ImGuiDir_Left)) state.back();
  ImGui::EndDisabled();
  ImGui::SameLine();
  ImGui::BeginDisabled(!state.can_go_forward());
  if (ImGui::ArrowButton("forward", ImGuiDir_Right)) state.forward();
  ImGui::EndDisabled();
  ImGui::SameLine();
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 16);
  if (input_text("##place", state.place_text, ImGuiInputTextFlags_EnterReturnsTrue,
                 "go to table:slot@generation")) {
    state.go_to(state.place_text);
  }
  ImGui::SameLine();
  draw_text(bytes_text(state.memory_bytes()) + " in " + count_text(state.tables.size(), "table"));
  draw_problem(state.refusal(kAtPlace));
}

/// The tables with the numbers of their records and their memory.
inline void draw_tables(BrowserState& state) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg;
  if (!ImGui::BeginTable("tables", 3, kFlags)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("table", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("records", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("memory", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableHeadersRow();
  Place clicked;
  for (std::size_t i = 0; i < state.tables.size(); ++i) {
    const LiveTable& table = state.tables[i];
    ImGui::TableNextRow();
    ImGui::TableSetColumnIndex(0);
    ImGui::PushID(static_cast<int>(i));
    const std::string name = escape_text(table.name());
    if (ImGui::Selectable("##table", table.name() == state.selected().table,
                          ImGuiSelectableFlags_SpanAllColumns)) {
      clicked.table = table.name();
    }
    ImGui::SameLine(0, 0);
    draw_text(name);
    ImGui::TableSetColumnIndex(1);
    draw_text(std::to_string(table.size()));
    ImGui::TableSetColumnIndex(2);
    draw_text(bytes_text(table.memory_bytes()));
    ImGui::PopID();
  }
  ImGui::EndTable();
  if (!clicked.table.empty()) state.select(clicked);
}

/// The cells of one record. Returns the record that was clicked: this one, or one that a handle
/// names.
inline Place draw_row(BrowserState& state, LiveTable& table, std::uint64_t handle) {
  Place clicked;
  ImGui::TableSetColumnIndex(0);
  const std::string text = handle != 0 ? table.handle_text(handle) : "(free)";
  const bool is_selected = handle != 0 && handle == state.selected().handle;
  if (ImGui::Selectable(text.c_str(), is_selected) && handle != 0) clicked = {table.name(), handle};
  const auto record = handle != 0 ? table.read(handle) : Result<const Value*>(nullptr);
  if (ImGui::TableSetColumnIndex(1)) draw_text(escape_text(table.name_of(handle)));
  int column = 2;
  for (const ListColumn& listed : state.columns()) {
    if (!ImGui::TableSetColumnIndex(column++)) continue;
    if (!record) {
      if (column == 3) draw_dim_text(record.error().what);
      break;
    }
    if (*record == nullptr || listed.field >= (*record)->children.size()) continue;
    const Value& value = (*record)->children[listed.field];
    const std::string shown = value_text(value, table.namer(), kListedBytes);
    const LiveTable* const named = value.field->kind == FieldKind::handle
                                       ? state.table_of(table, *value.field, value.bits)
                                       : nullptr;
    if (named == nullptr || !named->contains(value.bits)) {
      value.field->kind == FieldKind::handle ? draw_dim_text(shown) : draw_text(shown);
    } else if (draw_link(shown)) {
      clicked = {named->name(), value.bits};
    }
  }
  return clicked;
}

/// The order that the user chose by clicks on the headers of the list of records.
inline RowOrder chosen_order(const BrowserState& state) {
  RowOrder order;
  ImGuiTableSortSpecs* const specs = ImGui::TableGetSortSpecs();
  if (specs == nullptr || specs->SpecsCount == 0) return order;
  const auto column = static_cast<std::size_t>(specs->Specs[0].ColumnIndex);
  order.is_descending = specs->Specs[0].SortDirection == ImGuiSortDirection_Descending;
  order.by = column == 0   ? RowOrder::By::handle
             : column == 1 ? RowOrder::By::name
                           : RowOrder::By::field;
  if (order.by == RowOrder::By::field) order.field = state.columns()[column - 2].field;
  return order;
}

/// The rows that are visible.
inline void draw_rows(BrowserState& state, LiveTable& table) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY |
                                     ImGuiTableFlags_RowBg | ImGuiTableFlags_Resizable |
                                     ImGuiTableFlags_Hideable | ImGuiTableFlags_BordersInnerV |
                                     ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate;
  const auto columns = static_cast<int>(state.columns().size()) + 2;
  if (!ImGui::BeginTable(table.name().c_str(), columns, kFlags)) return;
  const bool has_names = table.descriptor().policy.names != RecordNames::none;
  ImGui::TableSetupScrollFreeze(1, 1);
  ImGui::TableSetupColumn("handle", ImGuiTableColumnFlags_NoHide);
  ImGui::TableSetupColumn(has_names ? "name" : "", has_names ? ImGuiTableColumnFlags_None
                                                             : ImGuiTableColumnFlags_DefaultHide);
  for (const ListColumn& column : state.columns()) ImGui::TableSetupColumn(column.title.c_str());
  ImGui::TableHeadersRow();
  state.rows.sort(chosen_order(state));
  const std::uint64_t size = state.rows.size(table);
  if (state.scroll_to_selected && state.selected().handle != 0) {
    if (const auto row = state.row_of_selected()) {
      const float height = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
      ImGui::SetScrollY(height * (static_cast<float>(*row) - 3));  // some rows above it
    }
  }
  state.scroll_to_selected = false;
  Place clicked;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(std::min<std::uint64_t>(size, 0x7fffffff)));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      ImGui::TableNextRow();
      ImGui::PushID(i);
      const Place in_row =
          draw_row(state, table, state.rows.handle_at(table, static_cast<std::uint64_t>(i)));
      if (!in_row.table.empty()) clicked = in_row;
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
  if (!clicked.table.empty()) state.select(clicked);
}

/// The filter, a button for new records, and the rows.
inline void draw_records(BrowserState& state, const hdb::imgui::BrowserOptions& options) {
  LiveTable* const table = state.table();
  if (table == nullptr) {
    if (state.selected().table.empty()) return draw_dim_text("select a table");
    return draw_problem("the database has no table '" + escape_text(state.selected().table) + "'");
  }
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x * 0.6F);
  if (input_text("##filter", state.filter, ImGuiInputTextFlags_None, "text, or hp < 10"))
    state.rows.start(state.filter);
  if (state.filter != state.rows.filter()) state.rows.start(state.filter);
  state.rows.advance(*table, state.descriptors, options.search_ms);
  ImGui::SameLine();
  draw_text(count_text(state.rows.size(*table), "row") +
            (state.rows.is_first_pass() ? " ..." : ""));
  draw_problem(state.rows.problem());
  const bool is_component = !table->descriptor().owner.empty();
  const bool has_names = table->descriptor().policy.names != RecordNames::none;
  if (options.can_edit && !table->descriptor().singleton && !table->descriptor().blobs) {
    bool is_wanted = false;
    if (is_component || has_names) {
      ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x * 0.6F);
      is_wanted = input_text("##new", state.new_name, ImGuiInputTextFlags_EnterReturnsTrue,
                             is_component ? "handle of the owner" : "name of the new record");
      ImGui::SameLine();
    }
    if (ImGui::SmallButton("Insert") || is_wanted) state.insert(state.new_name);
    draw_problem(state.refusal(kAtInsert));
  }
  if (LiveTable* const still = state.table()) draw_rows(state, *still);
}

}  // namespace hdb::detail::imgui
