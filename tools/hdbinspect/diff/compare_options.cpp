// Reads bounds, globs and filters of diff, and fits them to two files.
#include "diff/compare_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dump/selection.hpp"
#include "hdb/inspect/filter.hpp"
#include "hdb/inspect/paths.hpp"
#include "input.hpp"
#include "names.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

constexpr std::string_view kDiffHelp = "hdbinspect diff --help";

// "monsters.pos.*=1e-3", "0.5": the last = parts glob and bound.
bool read_bound(const Context& context, std::string_view option, const std::string& text,
                DiffOptions& options) {
  const std::size_t sign = text.rfind('=');
  const std::string glob = sign == std::string::npos ? "**" : text.substr(0, sign);
  const std::string number = sign == std::string::npos ? text : text.substr(sign + 1);
  double bound = 0;
  const auto [at, error] = parse_double(number, bound);
  if (error != std::errc{} || at != number.data() + number.size() || !(bound >= 0)) {
    context.messages.usage(
        fmt::format("{} {}: '{}' is not a number of 0 or more", option, text, number),
        fmt::format("write {0} 'monsters.pos.*=1e-3', or {0} 1e-3 for all fields", option));
    return false;
  }
  auto fields = Glob::of_path(glob);
  if (!fields) {
    context.messages.usage(fmt::format("{} {}: {}", option, text, fields.error().what), kDiffHelp);
    return false;
  }
  Tolerance tolerance{*std::move(fields), {}, {}};
  (option == "--abs" ? tolerance.absolute : tolerance.relative) = bound;
  options.tolerances.push_back(std::move(tolerance));
  return true;
}

// Whether a glob that begins with a table's name fits anything in the file.
bool fits(const Glob& glob, const Reader& reader) {
  return std::any_of(reader.tables().begin(), reader.tables().end(),
                     [&](const TableDescriptor& table) {
                       const auto state = glob.after_name(glob.begin(), table.name);
                       return glob.is_match(state) ||
                              !match_fields(reader.schemas()[table.schema], glob, state).empty();
                     });
}

void note_misfit(const Context& context, std::string_view option, const Glob& glob, const Reader& a,
                 const Reader& b) {
  // Whether an element has a number is known only when it is met.
  if (!glob.numbers().empty() || fits(glob, a) || fits(glob, b)) return;
  std::vector<std::string> paths;
  for (const TableDescriptor& table : a.tables()) {
    paths.push_back(table.name);
    for (const std::string& path : field_paths(a.schemas()[table.schema]))
      paths.push_back(fmt::format("{}.{}", table.name, path));
  }
  std::string hint = did_you_mean(glob.text(), paths);
  if (hint.empty()) hint = "; paths begin with the table, for example monsters.pos.x";
  context.messages.note(
      fmt::format("{} '{}' does not match any field{}", option, glob.text(), hint));
}

std::optional<ExitStatus> choose_tables(const Context& context, const CompareRequest& request,
                                        const Reader& a, const Reader& b, DiffOptions& options) {
  options.tables.clear();
  for (const std::string& pattern : request.tables) {
    const auto in_a = find_tables(a.tables(), {pattern});
    const auto in_b = find_tables(b.tables(), {pattern});
    if (!in_a && !in_b) return context.messages.error(with_file(in_a.error(), options.files[0]));
    const auto add = [&](const Reader& reader, const Result<std::vector<std::size_t>>& tables) {
      if (!tables) return;
      for (const std::size_t table : *tables) options.tables.push_back(reader.tables()[table].name);
    };
    add(a, in_a);
    add(b, in_b);
  }
  return std::nullopt;
}

// A filter must fit a table that is compared.
std::optional<ExitStatus> check_filter(const Context& context, const CompareRequest& request,
                                       const Reader& a, const Reader& b,
                                       const DiffOptions& options) {
  if (!options.where) return std::nullopt;
  std::optional<Error> error;
  for (const Reader* const reader : {&a, &b}) {
    for (const TableDescriptor& table : reader->tables()) {
      if (!options.tables.empty() && std::find(options.tables.begin(), options.tables.end(),
                                               table.name) == options.tables.end())
        continue;
      auto filter =
          RecordFilter::bind(*options.where, reader->schemas()[table.schema], reader->tables());
      if (filter) return std::nullopt;
      dumping::keep_better(error, std::move(filter.error()));
    }
  }
  if (!error) return std::nullopt;
  return dumping::report_filter_error(
      context, *error, request.where, options.files[0],
      fmt::format("hdbinspect schema {}", typed_path(options.files[0])));
}

}  // namespace

bool read_request(const Context& context, const CompareRequest& request, DiffOptions& options) {
  for (const std::string& text : request.ignore) {
    auto glob = Glob::of_path(text);
    if (!glob) {
      context.messages.usage(fmt::format("--ignore {}", glob.error().what), kDiffHelp);
      return false;
    }
    options.ignore.push_back(*std::move(glob));
  }
  for (const std::string& text : request.absolute) {
    if (!read_bound(context, "--abs", text, options)) return false;
  }
  for (const std::string& text : request.relative) {
    if (!read_bound(context, "--rel", text, options)) return false;
  }
  options.nan_equal = request.nan_equal;
  if (request.where.empty()) return true;
  options.where = dumping::parse_filter(context, request.where, "diff");
  return options.where.has_value();
}

std::optional<ExitStatus> fit_request(const Context& context, const CompareRequest& request,
                                      const Reader& a, const Reader& b, DiffOptions& options) {
  if (const auto status = choose_tables(context, request, a, b, options)) return status;
  for (const Glob& glob : options.ignore) note_misfit(context, "--ignore", glob, a, b);
  for (const Tolerance& tolerance : options.tolerances) {
    note_misfit(context, tolerance.absolute ? "--abs" : "--rel", tolerance.fields, a, b);
  }
  return check_filter(context, request, a, b, options);
}

}  // namespace hdb::inspect
