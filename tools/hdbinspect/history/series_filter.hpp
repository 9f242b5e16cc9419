// What bisect and grep have in common: a filter that is applied to save after save.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "hdb/inspect/filter.hpp"
#include "hdb/inspect/record_history.hpp"

namespace hdb::inspect {

/// A filter, and the tables that it is for. Saves whose tables it does not fit have no matches.
class SeriesFilter {
 public:
  /// `tables` are names and globs; none: all tables that have the fields of the filter.
  SeriesFilter(const Context& context, std::vector<std::string> tables);

  /// Parses the filter; reports a fault.
  [[nodiscard]] bool parse(const Context& context, const std::string& text,
                           std::string_view command);

  /// Called with each match; false ends the search.
  using Listener = std::function<bool(const TableDescriptor& table, const RecordMatch& match)>;
  /// Finds the matches in a save, which errors call `file`. Errors: damage; I/O; limits.
  [[nodiscard]] Status find(const Reader& reader, const std::string& file, const Listener& found);

  /// Whether the saves so far have all names of -t and of the filter, each in any of them.
  [[nodiscard]] bool has_all_names() const { return fitting_ != 0 && unseen_.empty(); }

  /// Reports a name that no save has, or notes the saves that the filter does not fit.
  [[nodiscard]] ExitStatus report_misfits(const Context& context) const;

 private:
  // Why a filter fits no table of a save.
  struct Misfit {
    Error error;
    std::string file;
  };

  [[nodiscard]] std::vector<std::size_t> choose(const Reader& reader, const std::string& file);

  std::vector<std::string> tables_;
  std::map<std::string, Error> unseen_;  // what no save so far has of tables_
  std::optional<FilterExpression> where_;
  RecordSearch search_;
  std::size_t fitting_ = 0;
  std::size_t misfits_ = 0;
  std::optional<Misfit> newest_misfit_;
  std::string first_misfit_;
};

}  // namespace hdb::inspect
