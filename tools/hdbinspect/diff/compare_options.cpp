// Reads bounds, globs and filters of diff, and fits them to two files.
#include "diff/compare_options.hpp"

#include <algorithm>
#include <optional>

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

// A glob that fits this name. Messages show a backslash as two, so it has none.
std::string glob_of(std::string name) {
  for (char& c : name) {
    if (std::string_view(".*[]{}<>\\").find(c) != std::string_view::npos) c = '?';
  }
  return name;
}

// Whether a glob fits `field` or a field in it; any element has each number that the glob names.
bool fits(const Glob& glob, const Field& field, const Glob::State& state) {
  if (glob.is_match(state)) return true;
  if (state.none() || field.kind == FieldKind::enumeration) return false;
  for (std::size_t i = 0; i < field.children.size(); ++i) {
    if (fits(glob, field.children[i], glob.after_child(state, field, i))) return true;
    for (const std::uint64_t number : glob.numbers()) {
      if (fits(glob, field.children[i], glob.after_child(state, field, i, number))) return true;
    }
  }
  return false;
}

// Whether a glob that begins with a table's name fits anything in the file.
bool fits(const Glob& glob, const Reader& reader) {
  return std::any_of(reader.tables().begin(), reader.tables().end(),
                     [&](const TableDescriptor& table) {
                       return fits(glob, reader.schemas()[table.schema],
                                   glob.after_name(glob.begin(), table.name));
                     });
}

void fit_glob(std::string_view option, const Glob& glob, const Reader& a, const Reader& b,
              Misfits& misfits) {
  if (fits(glob, a) || fits(glob, b)) return;
  std::vector<std::string> paths;
  for (const TableDescriptor& table : a.tables()) {
    paths.push_back(glob_of(table.name));
    const std::string begin = paths.back() + '.';
    for (const std::string& path : field_paths(a.schemas()[table.schema]))
      paths.push_back(begin + path);
  }
  std::string hint = did_you_mean(glob.text(), paths);
  if (hint.empty()) hint = "; paths begin with the table, for example monsters.pos.x";
  const std::string named = fmt::format("{} '{}'", option, glob.text());
  misfits[named] = [what = fmt::format("{} does not match any field{}", named, hint)](
                       const Context& context) { return context.messages.usage(what, kDiffHelp); };
}

void choose_tables(const CompareRequest& request, const Reader& a, const Reader& b,
                   DiffOptions& options, Misfits& misfits) {
  options.tables.clear();
  for (const std::string& pattern : request.tables) {
    bool any = false;
    for (const Reader* const reader : {&a, &b}) {
      const auto tables = find_tables(reader->tables(), {pattern});
      if (!tables) continue;
      any = true;
      for (const std::size_t table : *tables)
        options.tables.push_back(reader->tables()[table].name);
    }
    if (any) continue;
    options.tables.push_back(pattern);  // so that it does not mean all tables
    const Error error = with_file(find_tables(a.tables(), {pattern}).error(), options.files[0]);
    misfits["-t " + pattern] = [error](const Context& context) {
      return context.messages.error(error);
    };
  }
}

// A filter must fit a table that is compared.
void fit_filter(const CompareRequest& request, const Reader& a, const Reader& b,
                const DiffOptions& options, Misfits& misfits) {
  if (!options.where) return;
  std::optional<Error> error;
  for (const Reader* const reader : {&a, &b}) {
    for (const TableDescriptor& table : reader->tables()) {
      if (!options.tables.empty() && std::find(options.tables.begin(), options.tables.end(),
                                               table.name) == options.tables.end())
        continue;
      auto filter =
          RecordFilter::bind(*options.where, reader->schemas()[table.schema], reader->tables());
      if (filter) return;
      dumping::keep_better(error, std::move(filter.error()));
    }
  }
  if (!error) return;
  misfits["-w"] = [error = *std::move(error), where = request.where,
                   file = options.files[0]](const Context& context) {
    return dumping::report_filter_error(context, error, where, file,
                                        fmt::format("hdbinspect schema {}", typed_path(file)));
  };
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

Misfits fit_request(const CompareRequest& request, const Reader& a, const Reader& b,
                    DiffOptions& options) {
  Misfits misfits;
  choose_tables(request, a, b, options, misfits);
  for (const Glob& glob : options.ignore) fit_glob("--ignore", glob, a, b, misfits);
  for (const Tolerance& tolerance : options.tolerances)
    fit_glob(tolerance.absolute ? "--abs" : "--rel", tolerance.fields, a, b, misfits);
  fit_filter(request, a, b, options, misfits);
  return misfits;
}

}  // namespace hdb::inspect
