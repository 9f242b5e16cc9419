// What is looked at in save after save: tables by name, records by a filter.
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

/// Tables by names and globs, in save after save.
class SeriesTables {
 public:
  /// No pattern: all tables.
  explicit SeriesTables(const std::vector<std::string>& patterns);

  [[nodiscard]] bool takes_all() const { return patterns_.empty(); }
  /// The tables of a save, which errors call `file`, in ascending order; not all need be there.
  [[nodiscard]] std::vector<std::size_t> choose(const Reader& reader, const std::string& file);
  /// Whether each pattern has a table in any save so far.
  [[nodiscard]] bool has_all() const { return unseen_.empty(); }
  /// Reports a pattern that no save has.
  [[nodiscard]] ExitStatus report_unseen(const Context& context) const;

 private:
  std::vector<std::string> patterns_;
  std::map<std::string, Error> unseen_;  // what no save so far has of patterns_
};

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
  [[nodiscard]] bool has_all_names() const { return fitting_ != 0 && tables_.has_all(); }

  /// Reports a name that no save has, or notes the saves that the filter does not fit.
  [[nodiscard]] ExitStatus report_misfits(const Context& context) const;

 private:
  // Why a filter fits no table of a save.
  struct Misfit {
    Error error;
    std::string file;
  };

  std::vector<std::string> names_;  // of -t
  SeriesTables tables_;
  std::optional<FilterExpression> where_;
  RecordSearch search_;
  std::size_t fitting_ = 0;
  std::size_t misfits_ = 0;
  std::optional<Misfit> newest_misfit_;
  std::string first_misfit_;
};

}  // namespace hdb::inspect
