// Chooses tables and binds fields and filters to them; reports what fits no table.
#include "dump/selection.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "hdb/inspect/paths.hpp"
#include "input.hpp"
#include "memory_limit.hpp"
#include "names.hpp"
#include "text.hpp"

namespace hdb::inspect::dumping {
namespace {

const Field& schema_of(const Reader& reader, std::size_t table) {
  return reader.schemas()[reader.tables()[table].schema];
}

// The places of a path, or of a glob of paths.
Result<std::vector<FieldPlace>> find_fields(const Field& root, const std::string& path) {
  auto place = find_field(root, path);
  if (place) return std::vector<FieldPlace>{*place};
  auto glob = Glob::of_path(path);
  if (!glob) return fail(std::move(glob.error()));
  auto places = match_fields(root, *glob);
  if (places.empty()) return fail(std::move(place.error()));
  return places;
}

std::string schema_command(const Request& request) {
  std::string text = fmt::format("hdbinspect schema {}", typed_path(request.file));
  for (const std::string& name : distinct(request.tables))
    text += fmt::format(" -t {}", shell_word(name));
  return text;
}

std::optional<Selection> select_fields(const Reader& reader, const Request& request,
                                       std::size_t table) {
  Selection selection;
  selection.table = table;
  selection.all_fields = request.fields.empty();
  for (const std::string& path : request.fields) {
    const auto places = find_fields(schema_of(reader, table), path);
    if (!places) return std::nullopt;
    for (const FieldPlace& place : *places) {
      for (std::uint32_t i = 0; i < place.column_count; ++i)
        selection.columns.push_back(place.first_column + i);
    }
  }
  return selection;
}

// Each field on its own, where several were typed in one word.
Request with_single_fields(const Reader& reader, Request request,
                           const std::vector<std::size_t>& chosen) {
  std::vector<std::string> fields;
  for (const std::string& typed : request.fields) {
    const bool is_name = std::any_of(chosen.begin(), chosen.end(), [&](std::size_t table) {
      return find_field(schema_of(reader, table), typed).has_value();
    });
    for (std::string& part : is_name ? std::vector{typed} : parts_of(typed))
      fields.push_back(std::move(part));
  }
  request.fields = std::move(fields);
  return request;
}

ExitStatus report_miss(const Context& context, const Reader& reader, const Request& request,
                       const std::vector<std::size_t>& chosen) {
  std::string what = fmt::format("no table has all of the fields '{}'",
                                 fmt::join(distinct(request.fields), "', '"));
  for (const std::string& path : request.fields) {
    if (const auto glob = Glob::of_path(path);
        !glob && !std::any_of(chosen.begin(), chosen.end(), [&](std::size_t table) {
          return find_field(schema_of(reader, table), path).has_value();
        })) {
      return context.messages.error(glob.error());
    }
    if (std::any_of(chosen.begin(), chosen.end(), [&](std::size_t table) {
          return find_fields(schema_of(reader, table), path).has_value();
        }))
      continue;
    std::string near;
    for (const std::size_t table : chosen) {
      if (near.empty()) near = near_field_hint(schema_of(reader, table), path);
    }
    const std::string place = chosen.size() == 1
                                  ? fmt::format("table '{}'", reader.tables()[chosen[0]].name)
                                  : std::string("any table");
    what = fmt::format("no field '{}' in {}{}", path, place, near);
    break;
  }
  return context.messages.error(file_error(request.file, ErrorCode::not_found, std::move(what)),
                                schema_command(request));
}

}  // namespace

std::vector<std::string> parts_of(const std::string& fields) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const char c = fields[i];
    const bool is_key = depth == 0 && i != 0 && fields[i - 1] == '[' && (c == '\'' || c == '"');
    const std::size_t end = is_key ? fields.find(std::string(1, c) + ']', i + 1) : i;
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += fields.substr(i, end == std::string::npos ? 1 : end - i + 1);
      i = std::max(i, end == std::string::npos ? i : end);
    }
  }
  const bool is_sound = std::none_of(parts.begin(), parts.end(),
                                     [](const std::string& part) { return part.empty(); });
  return is_sound ? parts : std::vector{fields};
}

std::optional<FilterExpression> parse_filter(const Context& context, const std::string& text,
                                             std::string_view command) {
  auto expression = FilterExpression::parse(text);
  if (expression) return *std::move(expression);
  const auto column = static_cast<std::size_t>(expression.error().offset);
  context.messages.usage("-w: " + expression.error().what,
                         fmt::format("hdbinspect {} --help", command), point_at(text, column));
  return std::nullopt;
}

std::uint64_t max_followed_bytes() {
  return memory_limit() == 0 ? RecordFilter::kMaxFollowedBytes : memory_limit() / 2;
}

Result<RecordFilter> bind_filter(const FilterExpression& expression, const Reader& reader,
                                 std::size_t table) {
  return RecordFilter::bind(expression, reader, table, max_followed_bytes());
}

bool is_filter_fault(const Error& error) {
  return error.offset != kNoOffset &&
         (error.code == ErrorCode::bad_name || error.code == ErrorCode::not_found ||
          error.code == ErrorCode::type_mismatch);
}

void keep_better(std::optional<Error>& kept, Error error) {
  const auto rank = [](const Error& each) {
    const bool hint = each.what.find("did you mean") != std::string::npos;
    return std::tuple(each.code == ErrorCode::type_mismatch, each.offset, hint);
  };
  if (!kept || rank(*kept) < rank(error)) kept = std::move(error);
}

ExitStatus report_filter_error(const Context& context, const Error& error,
                               const std::string& expression, const std::string& file,
                               const std::string& next, std::string_view option) {
  return context.messages.usage(fmt::format("{}: {}: {}", shown_name(file), option, error.what),
                                next, point_at(expression, static_cast<std::size_t>(error.offset)));
}

std::optional<std::vector<Selection>> select(const Context& context, const Reader& reader,
                                             const Request& typed, ExitStatus& status) {
  const auto chosen = find_tables(reader.tables(), typed.tables);
  if (!chosen) {
    status = context.messages.error(with_file(chosen.error(), typed.file));
    return std::nullopt;
  }
  const Request request = with_single_fields(reader, typed, *chosen);
  std::optional<FilterExpression> where;
  if (!request.where.empty()) {
    where = parse_filter(context, request.where, request.command);
    status = ExitStatus::trouble;
    if (!where) return std::nullopt;
  }
  std::vector<std::size_t> with_fields;
  std::vector<Selection> found;
  std::optional<Error> filter_error;
  for (const std::size_t table : *chosen) {
    auto selection = select_fields(reader, request, table);
    if (!selection) continue;
    with_fields.push_back(table);
    if (where) {
      auto filter = bind_filter(*where, reader, table);
      if (!filter && !is_filter_fault(filter.error())) {
        status = context.messages.error(with_file(filter.error(), request.file));
        return std::nullopt;
      }
      if (!filter) {
        keep_better(filter_error, std::move(filter.error()));
        continue;
      }
      selection->filter = *std::move(filter);
    }
    found.push_back(*std::move(selection));
  }
  if (!found.empty() || chosen->empty()) return found;
  status = with_fields.empty() ? report_miss(context, reader, request, *chosen)
                               : report_filter_error(context, *filter_error, request.where,
                                                     request.file, schema_command(request));
  return std::nullopt;
}

}  // namespace hdb::inspect::dumping
