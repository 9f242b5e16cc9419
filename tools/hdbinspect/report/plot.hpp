// The page of plot: the fields of a record over time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace hdb::inspect {

/// A value from one save on.
struct PlotSample {
  std::size_t save = 0;
  bool exists = false;           ///< false: there is no value from this save on.
  std::optional<double> number;  ///< If it is a finite number.
  std::string text;              ///< Safe to print.
};

/// One field.
struct PlotField {
  std::string path;  ///< Safe to print.
  bool is_number = true;
  std::vector<PlotSample> samples;  ///< In the order of the saves: one for each change.
};

/// What happened to the record in a save.
struct PlotEvent {
  enum class Kind { born, erased, reused };
  std::size_t save = 0;
  Kind kind = Kind::born;
  std::string text;  ///< Not escaped.
};

/// All that the page shows. Texts are not escaped unless it is said.
struct Plot {
  std::string name;   ///< "monsters:1042@7.pos.*"
  std::string where;  ///< The saves, as they were typed.
  std::string by;     ///< "ordered by date", "at equal distances"
  std::vector<std::string> saves;
  std::vector<double> times;         ///< Of the saves, ascending.
  std::vector<std::string> moments;  ///< Of the saves: "#12", "2026-11-21 05:43:49 UTC".
  std::vector<PlotField> fields;
  std::vector<PlotEvent> events;
  std::size_t fields_left_out = 0;
  std::size_t unread = 0;  ///< Saves that could not be read.
};

/// The most fields that a page shows.
inline constexpr std::size_t kMaxPlotFields = 24;

/// The whole page. Its size is bounded by the fields and by the number of pixels.
[[nodiscard]] std::string plot_page(const Plot& plot);

}  // namespace hdb::inspect
