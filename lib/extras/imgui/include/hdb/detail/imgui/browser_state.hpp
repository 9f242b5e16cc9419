// What a browser remembers from frame to frame, and what its buttons do; without Dear ImGui.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/imgui/field_edit.hpp"
#include "hdb/detail/imgui/reference_search.hpp"
#include "hdb/detail/imgui/row_list.hpp"
#include "hdb/dynamic_value.hpp"
#include "hdb/error.hpp"
#include "hdb/fwd.hpp"
#include "hdb/live_table.hpp"

namespace hdb::detail::imgui {

/// A column of the list of records: a field of the record.
struct ListColumn {
  std::string title;
  std::size_t field = 0;
};

/// The frames that a history has, for the slider.
struct HistoryFacts {
  std::uint64_t oldest = 0;
  std::uint64_t newest = 0;
  std::uint64_t frames = 0;
  std::uint64_t memory_bytes = 0;
};

/// A change of a record.
using RecordChange = std::function<void(DynamicValue& record)>;

/// What a browser shows and remembers. Everything here is safe when records and tables are gone.
class HDB_IMGUI_API BrowserState {
 public:
  /// Finds the tables again if some were made or dropped. Call it first in each frame.
  void begin_frame(Database& database, History* history);
  /// Lets go of the database.
  void reset() { *this = BrowserState(); }

  // --- what is shown

  [[nodiscard]] const Place& selected() const noexcept { return selected_; }
  /// Shows a table or a record, and remembers the place before for back().
  void select(const Place& place);
  /// Selects the record or table that a text names.
  void go_to(const std::string& text);
  [[nodiscard]] bool can_go_back() const noexcept { return !past_.empty(); }
  [[nodiscard]] bool can_go_forward() const noexcept { return !future_.empty(); }
  void back();
  void forward();
  /// The table that is selected; null if the database has no such table.
  [[nodiscard]] LiveTable* table() noexcept { return find(selected_.table); }
  [[nodiscard]] LiveTable* find(std::string_view name) noexcept;
  /// The table that a handle names, by its field; null: none.
  [[nodiscard]] const LiveTable* table_of(const LiveTable& holder, const Field& field,
                                          std::uint64_t bits) const noexcept;
  /// The columns of the list of the selected table.
  [[nodiscard]] const std::vector<ListColumn>& columns() const noexcept { return columns_; }

  /// The row of the selected record in the list; none if it is not listed.
  [[nodiscard]] std::optional<std::uint64_t> row_of_selected() noexcept;

  // --- changes; each is refused with a text, or done

  /// Changes the selected record. `path`: of the field, at which a refusal is shown.
  void change(const std::string& path, const RecordChange& change);
  /// Sets a field to the value of a text.
  void set_text(std::span<const ValueStep> steps, const std::string& path, const Field& field,
                const std::string& text);
  void erase();
  void rename(const std::string& name);
  /// Inserts an empty record with a name; into a component table, for the record of the owner whose
  /// handle is this text.
  void insert(const std::string& name_or_owner);
  /// Why the last change of the selected record was refused, if it was at `path`; empty if not.
  [[nodiscard]] const std::string& refusal(std::string_view path) const noexcept;

  [[nodiscard]] bool has_refusal() const noexcept { return !refusal_.empty(); }

  // --- time

  [[nodiscard]] HistoryFacts history_facts() const noexcept;
  /// The frame of the history that was restored; none while the present is shown.
  [[nodiscard]] std::optional<std::uint64_t> shown_frame() const noexcept { return shown_frame_; }
  /// Restores the frame at or before `wanted` and keeps later ones. Returns its number; none if it
  /// is shown already or was refused. Requires: the history has frames.
  std::optional<std::uint64_t> show_frame(std::uint64_t wanted);
  /// The frame that is shown becomes the present: later ones are dropped.
  void continue_from_shown_frame();
  /// Memory of the database in bytes.
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept;

  // --- what the widgets read and write

  std::vector<LiveTable> tables;             ///< In ascending order of names.
  std::vector<TableDescriptor> descriptors;  ///< Of the tables, in their order.
  RowList rows;                              ///< Of the selected table.
  ReferenceSearch references;
  std::string filter;      ///< The text in its field.
  std::string new_name;    ///< The name or owner of the next record.
  std::string place_text;  ///< The text in the field that goes to a record.
  bool scroll_to_selected = false;

 private:
  [[nodiscard]] bool are_tables_the_same() const;
  void show(const Place& place);
  void report(const std::string& path, const Status& done);
  /// A change of a past frame makes it the present.
  [[nodiscard]] bool begin_change(const std::string& path);

  Database* database_ = nullptr;
  History* history_ = nullptr;
  std::vector<std::string> names_;  // of the tables
  Place selected_;
  std::vector<Place> past_;
  std::vector<Place> future_;
  std::vector<ListColumn> columns_;
  std::string refused_path_;
  std::string refusal_;
  std::optional<std::uint64_t> shown_frame_;
  std::uint64_t newest_frame_ = 0;  // when the frame was restored
};

/// Paths of refusals elsewhere than at a field.
inline constexpr std::string_view kAtRecord = "(record)";
inline constexpr std::string_view kAtName = "(name)";
inline constexpr std::string_view kAtInsert = "(insert)";
inline constexpr std::string_view kAtHistory = "(history)";
inline constexpr std::string_view kAtPlace = "(place)";

}  // namespace hdb::detail::imgui
