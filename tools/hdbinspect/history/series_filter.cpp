// Binds a filter to the tables of each save.
#include "history/series_filter.hpp"

#include <fmt/format.h>

#include "dump/selection.hpp"
#include "history/series.hpp"
#include "input.hpp"
#include "names.hpp"
#include "text.hpp"

namespace hdb::inspect {

SeriesFilter::SeriesFilter(const Context& context, std::vector<std::string> tables)
    : tables_(std::move(tables)), search_(follow_options(context)) {}

bool SeriesFilter::parse(const Context& context, const std::string& text,
                         std::string_view command) {
  auto expression = FilterExpression::parse(text);
  if (expression) {
    where_ = *std::move(expression);
    return true;
  }
  const auto column = static_cast<std::size_t>(expression.error().offset);
  static_cast<void>(context.messages.usage("EXPR: " + expression.error().what,
                                           fmt::format("hdbinspect {} --help", command),
                                           point_at(text, column)));
  return false;
}

Status SeriesFilter::find(const Reader& reader, const std::string& file, const Listener& found) {
  const auto misfit = [&](Error error, bool of_table) -> Status {
    if (misfits_++ == 0) first_misfit_ = file;
    newest_misfit_ = Misfit{std::move(error), file, of_table};
    return {};
  };
  const auto chosen = find_tables(reader.tables(), tables_);
  if (!chosen) return misfit(chosen.error(), true);
  std::optional<Error> best;
  bool fits = chosen->empty();
  bool ended = false;
  for (const std::size_t number : *chosen) {
    const TableDescriptor& table = reader.tables()[number];
    const auto filter =
        RecordFilter::bind(*where_, reader.schemas()[table.schema], reader.tables());
    if (!filter) {
      dumping::keep_better(best, filter.error());
      continue;
    }
    fits = true;
    auto searched = search_.find(reader, number, *filter, [&](const RecordMatch& match) {
      ended = !found(table, match);
      return !ended;
    });
    if (!searched) return fail(with_file(std::move(searched.error()), file));
    if (ended) break;
  }
  if (!fits && best) return misfit(*std::move(best), false);
  ++fitting_;
  return {};
}

ExitStatus SeriesFilter::report_misfits(const Context& context) const {
  if (misfits_ == 0) return ExitStatus::fine;
  if (fitting_ != 0) {
    note_passed_over(context, misfits_, first_misfit_, "table that fits the filter");
    return ExitStatus::fine;
  }
  const Misfit& misfit = *newest_misfit_;
  if (misfit.of_table) return context.messages.error(with_file(misfit.error, misfit.file));
  std::string schema = "hdbinspect schema " + typed_path(misfit.file);
  for (const std::string& name : distinct(tables_)) schema += " -t " + shell_word(name);
  return dumping::report_filter_error(context, misfit.error, where_->text(), misfit.file, schema,
                                      "EXPR");
}

}  // namespace hdb::inspect
