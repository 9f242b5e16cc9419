// Which tables, fields and records a command prints: -t, -f and -w against the schemas of a file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command.hpp"
#include "hdb/inspect/filter.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb::inspect::dumping {

/// What was asked for, as it was typed.
struct Request {
  std::string file;
  std::vector<std::string> tables;  ///< Names and globs; none: all.
  std::vector<std::string> fields;  ///< Paths and globs; none: all.
  std::string where;                ///< A filter; empty: all records.
  std::string_view command = "dump";
};

/// One table of the answer.
struct Selection {
  std::size_t table = 0;
  bool all_fields = true;
  std::vector<std::uint32_t> columns;  ///< Of the fields asked for.
  std::optional<RecordFilter> filter;

  /// Nothing: all columns.
  [[nodiscard]] std::optional<std::span<const std::uint32_t>> columns_asked() const {
    return all_fields ? std::nullopt : std::optional(std::span(columns));
  }
};

/// The parts of "name,pos.x"; commas in braces are those of globs. If a part is empty, the text
/// itself.
[[nodiscard]] std::vector<std::string> parts_of(const std::string& fields);
/// Parses a filter; reports a fault and its place.
[[nodiscard]] std::optional<FilterExpression> parse_filter(const Context& context,
                                                           const std::string& text,
                                                           std::string_view command);
/// The most memory for what is read through handles: half of --max-memory.
[[nodiscard]] std::uint64_t max_followed_bytes();
/// Binds a filter to a table, within the memory limit.
/// Errors: those of RecordFilter::bind; is_filter_fault is true for faults of the filter.
[[nodiscard]] Result<RecordFilter> bind_filter(const FilterExpression& expression,
                                               const Reader& reader, std::size_t table);
/// Whether an error is one of a filter, with its place in it, not of the records that it reads.
[[nodiscard]] bool is_filter_fault(const Error& error);
/// Keeps the error of the table that a filter fits best: a field that is there but of another type
/// says more than one that is missing, and one further on more than one before it.
void keep_better(std::optional<Error>& kept, Error error);
/// Reports what is wrong with a filter, given as `option`, for the tables of a file.
[[nodiscard]] ExitStatus report_filter_error(const Context& context, const Error& error,
                                             const std::string& expression, const std::string& file,
                                             const std::string& next,
                                             std::string_view option = "-w");

/// The tables that have all of the fields of -f and of -w; fields need not be in every table, but
/// all of them in one. Nothing: the problem was reported, and `status` is the exit status.
[[nodiscard]] std::optional<std::vector<Selection>> select(const Context& context,
                                                           const Reader& reader,
                                                           const Request& request,
                                                           ExitStatus& status);

}  // namespace hdb::inspect::dumping
