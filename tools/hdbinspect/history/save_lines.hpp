// A line for each save: when it was made, what changed since the one before. For log and watch.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hdb/inspect/diff.hpp"
#include "history/series.hpp"
#include "history/series_filter.hpp"

namespace hdb::inspect {

/// Prints save after save. A save that can only be read in parts is reported, and has its counts.
class SaveLines {
 public:
  /// Which differences are printed after the line of a save.
  enum class Details { none, records, fields };

  /// `tables` are names and globs; none: all tables.
  SaveLines(const Context& context, const std::vector<std::string>& tables,
            Details details = Details::none);

  /// Makes the columns wide enough for these saves, and prints their names.
  void begin(const std::vector<SeriesSave>& saves);
  /// The save before the next one. Without it, the next one has only its counts.
  void start_after(const SeriesSave& save, std::shared_ptr<const Reader> reader);
  /// Prints a save; `name` is what the line calls it.
  [[nodiscard]] ExitStatus next(const SeriesSave& save, const std::string& name,
                                std::shared_ptr<const Reader> reader);

  [[nodiscard]] std::size_t printed() const { return printed_; }
  [[nodiscard]] std::size_t changed() const { return changed_; }

 private:
  [[nodiscard]] std::string changes_text(const Reader& reader,
                                         const std::vector<std::size_t>& chosen,
                                         const std::optional<StateDiff>& difference) const;
  void print_text(const SeriesSave& save, const std::string& name, const std::string& changes);
  void print_json(const SeriesSave& save, const Reader& reader,
                  const std::vector<std::size_t>& chosen,
                  const std::optional<StateDiff>& difference);

  const Context& context_;
  SeriesTables tables_;
  Details details_;
  std::shared_ptr<const Reader> before_;
  std::string before_name_;
  std::size_t name_width_ = 4;
  std::size_t printed_ = 0;
  std::size_t changed_ = 0;
};

}  // namespace hdb::inspect
