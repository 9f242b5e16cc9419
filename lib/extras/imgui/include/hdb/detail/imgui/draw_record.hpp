// The fields of one record as a tree, each with a widget that edits it.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hdb/detail/imgui/browser_state.hpp"
#include "hdb/detail/imgui/draw_lists.hpp"
#include "hdb/detail/imgui/widgets.hpp"
#include "hdb/imgui_browser.hpp"
#include "hdb/inspect/text.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb::detail::imgui {

/// Draws the values of one record. A change is made after all of them were drawn: it ends the
/// values.
class RecordWidgets {
 public:
  RecordWidgets(BrowserState& state, LiveTable& table, const Value& record, bool can_edit)
      : state_(state), table_(table), record_(record), can_edit_(can_edit) {}

  /// Draws all fields, and makes the change that a widget asked for. Returns the record that the
  /// user went to.
  Place draw() {
    for (std::size_t i = 0; i < record_.children.size(); ++i)
      draw_part({ValueStep::Kind::field, i}, escape_text(record_.field->children[i].name),
                record_.children[i]);
    if (change_) {
      state_.change(path_, change_);
    } else if (field_ != nullptr) {
      state_.set_text(changed_, path_, *field_, text_);
    }
    return clicked_;
  }

 private:
  // The most elements at one level of the tree; longer lists are shown in parts.
  static constexpr std::uint64_t kAtOnce = 100;

  void draw_part(const ValueStep& step, const std::string& label, const Value& value) {
    steps_.push_back(step);
    ImGui::PushID(static_cast<int>(step.kind));
    ImGui::PushID(static_cast<int>(step.number));
    ImGui::TableNextRow();
    ImGui::TableSetColumnIndex(0);
    ImGui::AlignTextToFramePadding();
    is_structured(value.field->kind) ? draw_tree(label, value) : draw_leaf(label, value);
    ImGui::PopID();
    ImGui::PopID();
    steps_.pop_back();
  }

  [[nodiscard]] static bool is_structured(FieldKind kind) noexcept {
    return kind >= FieldKind::structure && kind <= FieldKind::map;
  }

  void draw_tree(const std::string& label, const Value& value) {
    ImGuiTreeNodeFlags flags = ImGuiTreeNodeFlags_SpanAvailWidth;
    if (value.bits == 0 && value.field->kind != FieldKind::structure)
      flags |= ImGuiTreeNodeFlags_Leaf;
    const bool is_open = ImGui::TreeNodeEx("node", flags, "%s", label.c_str());
    ImGui::TableSetColumnIndex(1);
    draw_summary(value);
    draw_refusal();
    if (!is_open) return;
    draw_children(value);
    ImGui::TreePop();
  }

  void draw_children(const Value& value) {
    const FieldKind kind = value.field->kind;
    if (kind == FieldKind::structure) {
      for (std::size_t i = 0; i < value.children.size(); ++i)
        draw_part({ValueStep::Kind::field, i}, escape_text(value.field->children[i].name),
                  value.children[i]);
    } else if (kind == FieldKind::optional || kind == FieldKind::variant) {
      if (!value.children.empty())
        draw_part({ValueStep::Kind::held, 0}, "value", value.children[0]);
    } else {
      draw_elements(value, 0, value.bits);
    }
  }

  // Elements [begin, end), in parts of parts if they are many.
  void draw_elements(const Value& value, std::uint64_t begin, std::uint64_t end) {
    std::uint64_t part = 1;
    while ((end - begin + part - 1) / part > kAtOnce) part *= kAtOnce;
    for (std::uint64_t i = begin; i < end; i += part) {
      const std::uint64_t last = std::min(end, i + part);
      if (part == 1) {
        draw_element(value, i);
        continue;
      }
      ImGui::TableNextRow();
      ImGui::TableSetColumnIndex(0);
      const std::string label = "[" + std::to_string(i) + " - " + std::to_string(last - 1) + "]";
      if (!ImGui::TreeNode(label.c_str())) continue;
      draw_elements(value, i, last);
      ImGui::TreePop();
    }
  }

  void draw_element(const Value& value, std::uint64_t i) {
    const std::string label = "[" + std::to_string(i) + "]";
    if (value.field->kind != FieldKind::map)
      return draw_part({ValueStep::Kind::element, i}, label, value.element(i));
    for (const std::uint64_t part : {2 * i, 2 * i + 1})
      draw_part({ValueStep::Kind::element, part}, label + (part % 2 == 0 ? " key" : " value"),
                value.children[static_cast<std::size_t>(part)]);
  }

  // Beside a node: its size, and buttons that change the size.
  void draw_summary(const Value& value) {
    const Field& field = *value.field;
    switch (field.kind) {
      case FieldKind::structure:
        return draw_dim_text(value_text(value, table_.namer(), kListedBytes));
      case FieldKind::variant: return draw_alternatives(value);
      case FieldKind::optional:
        draw_dim_text(value.bits != 0 ? "has a value" : "no value");
        if (!can_edit_) return;
        ImGui::SameLine();
        if (ImGui::SmallButton(value.bits != 0 ? "Clear" : "Set"))
          change([&field, some = value.bits == 0](DynamicValue& held) {
            held = some ? DynamicValue::some(empty_value(field.children.front()))
                        : DynamicValue::none();
          });
        return;
      default: return draw_size(value);
    }
  }

  void draw_size(const Value& value) {
    const Field& field = *value.field;
    draw_dim_text(count_text(value.bits, "element"));
    if (!can_edit_ || field.kind == FieldKind::array) return;
    ImGui::SameLine();
    if (ImGui::SmallButton("+")) {
      change([&field](DynamicValue& list) {
        if (field.kind == FieldKind::map) return add_pair(list, field);
        list.push_back(empty_value(field.children.front()));
      });
    }
    if (value.bits == 0) return;
    ImGui::SameLine();
    if (ImGui::SmallButton("-"))
      change([](DynamicValue& list) { list.remove_element(list.size() - 1); });
  }

  void draw_alternatives(const Value& value) {
    const Field& field = *value.field;
    const auto title = [&](std::size_t i) {
      return std::to_string(i) + ": " + escape_text(type_text(field.children[i]));
    };
    if (!can_edit_) return draw_dim_text(title(static_cast<std::size_t>(value.bits)));
    ImGui::SetNextItemWidth(-1);
    if (!ImGui::BeginCombo("##tag", title(static_cast<std::size_t>(value.bits)).c_str())) return;
    for (std::size_t i = 0; i < field.children.size(); ++i) {
      if (ImGui::Selectable(title(i).c_str(), i == value.bits))
        change([&field, i](DynamicValue& held) {
          held = DynamicValue::alternative(static_cast<std::uint8_t>(i),
                                           empty_value(field.children[i]));
        });
    }
    ImGui::EndCombo();
  }

  void draw_leaf(const std::string& label, const Value& value) {
    const Field& field = *value.field;
    draw_text(label);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", escape_text(type_text(field)).c_str());
    ImGui::TableSetColumnIndex(1);
    if (field.kind == FieldKind::handle) {
      draw_handle(value);
    } else if (!can_edit_ || field.kind == FieldKind::opaque) {
      draw_text(value_text(value, table_.namer(), kListedBytes));
    } else if (field.kind == FieldKind::boolean) {
      bool is_set = value.bits != 0;
      if (ImGui::Checkbox("##value", &is_set))
        change([is_set](DynamicValue& flag) { flag = is_set; });
    } else if (field.kind == FieldKind::enumeration && !enumerators_of(field).empty()) {
      draw_enumerators(value);
    } else {
      draw_input(value, 0);
    }
    draw_refusal();
  }

  // A handle, and a way to its record, if it names one.
  void draw_handle(const Value& value) {
    const LiveTable* const named = state_.table_of(table_, *value.field, value.bits);
    const bool is_live = named != nullptr && named->contains(value.bits);
    if (can_edit_) {
      draw_input(value, ImGui::CalcTextSize("stale").x + ImGui::GetStyle().ItemSpacing.x);
      if (value.bits == 0) return;
      ImGui::SameLine();
      if (!is_live) return draw_dim_text("stale");
      if (ImGui::SmallButton("Go")) clicked_ = {named->name(), value.bits};
      return;
    }
    const std::string text = value_text(value, table_.namer());
    if (!is_live) return draw_dim_text(value.bits == 0 ? text : text + " (stale)");
    if (draw_link(text)) clicked_ = {named->name(), value.bits};
  }

  void draw_enumerators(const Value& value) {
    ImGui::SetNextItemWidth(-1);
    if (!ImGui::BeginCombo("##value", value_text(value, table_.namer()).c_str())) return;
    for (const Enumerator& each : enumerators_of(*value.field)) {
      if (ImGui::Selectable(escape_text(each.name).c_str(), each.bits == value.bits))
        change([name = each.name](DynamicValue& chosen) { chosen = name; });
    }
    ImGui::EndCombo();
  }

  // `beside`: the width that is left free to its right.
  void draw_input(const Value& value, float beside) {
    std::string text = edited_text(value, table_.namer());
    ImGui::SetNextItemWidth(-1 - beside);
    constexpr ImGuiInputTextFlags kFlags =
        ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll;
    if (!input_text("##value", text, kFlags)) return;
    field_ = value.field;
    text_ = text;
    changed_ = steps_;
    path_ = path_of(record_, steps_);
  }

  void draw_refusal() {
    if (state_.has_refusal()) draw_problem(state_.refusal(path_of(record_, steps_)));
  }

  // Asks for a change of the value at the present steps.
  void change(const RecordChange& of_value) {
    path_ = path_of(record_, steps_);
    change_ = [of_value, steps = steps_, &root = table_.record()](DynamicValue& record) {
      of_value(value_at(record, root, steps));
    };
  }

  BrowserState& state_;
  LiveTable& table_;
  const Value& record_;
  const bool can_edit_;
  std::vector<ValueStep> steps_;
  Place clicked_;
  // What a widget asked for.
  RecordChange change_;
  const Field* field_ = nullptr;
  std::string text_;
  std::vector<ValueStep> changed_;
  std::string path_;
};

/// Name and buttons of the selected record. Returns whether it still exists.
inline bool draw_record_head(BrowserState& state, LiveTable& table, bool can_edit) {
  const std::uint64_t handle = state.selected().handle;
  draw_text(table.handle_text(handle));
  ImGui::SameLine();
  if (ImGui::SmallButton("Find references")) state.references.start(state.selected());
  if (can_edit && !table.descriptor().singleton) {
    ImGui::SameLine();
    if (ImGui::SmallButton("Erase")) state.erase();
  }
  draw_problem(state.refusal(kAtRecord));
  if (!table.contains(handle)) return false;
  if (table.descriptor().policy.names != RecordNames::none) {
    std::string name(table.name_of(handle));
    draw_text("name");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(-1);
    if (!can_edit) {
      draw_text(escape_text(name));
    } else if (input_text("##name", name, ImGuiInputTextFlags_EnterReturnsTrue, "no name")) {
      state.rename(name);
    }
    draw_problem(state.refusal(kAtName));
  }
  return true;
}

/// What the search for references has found.
inline void draw_references(BrowserState& state, double search_ms) {
  if (!state.references.is_started()) return;
  state.references.advance(state.tables, search_ms);
  const ReferenceSearch& search = state.references;
  Place clicked;
  const bool is_closed = ImGui::SmallButton("Close");
  ImGui::SameLine();
  draw_text(count_text(search.found().size(), "reference") + " to " +
            place_text(state, search.target()) + " in " +
            count_text(search.records_read(), "record") + (search.is_done() ? "" : " ..."));
  // In a table of its own: the clipper would end the row of the table around it.
  if (ImGui::BeginTable("references", 1)) {
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(search.found().size()));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const Reference& found = search.found()[static_cast<std::size_t>(i)];
        ImGui::TableNextRow();
        ImGui::TableSetColumnIndex(0);
        ImGui::PushID(i);
        if (draw_link(place_text(state, found.holder) + "." + found.path)) clicked = found.holder;
        ImGui::PopID();
      }
    }
    ImGui::EndTable();
  }
  if (is_closed) state.references.stop();
  if (!clicked.table.empty()) state.select(clicked);
}

/// The selected record.
inline void draw_record(BrowserState& state, const hdb::imgui::BrowserOptions& options) {
  LiveTable* const table = state.table();
  if (table == nullptr || state.selected().handle == 0) return draw_dim_text("select a record");
  if (!ImGui::BeginChild("record")) return ImGui::EndChild();
  const std::uint64_t handle = state.selected().handle;
  ImGui::PushID(static_cast<int>(handle ^ (handle >> 32)));
  Place clicked;
  if (!draw_record_head(state, *table, options.can_edit)) {
    draw_problem("the record is gone");
  } else if (const auto record = table->read(handle); !record) {
    draw_problem(record.error().message());
  } else if (ImGui::BeginTable("fields", 2,
                               ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV)) {
    ImGui::TableSetupColumn("field", ImGuiTableColumnFlags_WidthStretch, 0.4F);
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch, 0.6F);
    clicked = RecordWidgets(state, *table, **record, options.can_edit).draw();
    ImGui::EndTable();
  }
  draw_references(state, options.search_ms);
  ImGui::PopID();
  ImGui::EndChild();
  if (!clicked.table.empty()) {
    state.select(clicked);
    state.scroll_to_selected = true;
  }
}

}  // namespace hdb::detail::imgui
