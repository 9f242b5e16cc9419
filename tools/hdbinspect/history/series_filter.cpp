// Binds a filter to the tables of each save.
#include "history/series_filter.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dump/selection.hpp"
#include "history/series.hpp"
#include "input.hpp"
#include "names.hpp"
#include "text.hpp"

namespace hdb::inspect {

SeriesTables::SeriesTables(const std::vector<std::string>& patterns) : patterns_(patterns) {
  for (const std::string& pattern : patterns_) unseen_.emplace(pattern, Error{});
}

std::vector<std::size_t> SeriesTables::choose(const Reader& reader, const std::string& file) {
  std::vector<std::size_t> chosen;
  for (const std::string& pattern : patterns_) {
    const auto found = find_tables(reader.tables(), {pattern});
    if (found) {
      unseen_.erase(pattern);
      chosen.insert(chosen.end(), found->begin(), found->end());
    } else if (const auto unseen = unseen_.find(pattern); unseen != unseen_.end()) {
      unseen->second = with_file(found.error(), file);
    }
  }
  for (std::size_t i = 0; patterns_.empty() && i < reader.tables().size(); ++i) chosen.push_back(i);
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

ExitStatus SeriesTables::report_unseen(const Context& context) const {
  return has_all() ? ExitStatus::fine : context.messages.error(unseen_.begin()->second);
}

SeriesFilter::SeriesFilter(const Context& context, std::vector<std::string> tables)
    : names_(std::move(tables)), tables_(names_), search_(follow_options(context)) {}

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
  const std::vector<std::size_t> chosen = tables_.choose(reader, file);
  std::optional<Error> best;
  bool fits = tables_.takes_all() && chosen.empty();
  bool ended = false;
  for (const std::size_t number : chosen) {
    const TableDescriptor& table = reader.tables()[number];
    const auto filter = dumping::bind_filter(*where_, reader, number);
    if (!filter && !dumping::is_filter_fault(filter.error()))
      return fail(with_file(filter.error(), file));
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
  if (fits) {
    ++fitting_;
    return {};
  }
  if (misfits_++ == 0) first_misfit_ = file;
  if (best) newest_misfit_ = Misfit{*std::move(best), file};
  return {};
}

ExitStatus SeriesFilter::report_misfits(const Context& context) const {
  if (misfits_ == 0 && fitting_ == 0) return ExitStatus::fine;  // no save could be read
  if (!tables_.has_all()) return tables_.report_unseen(context);
  if (fitting_ != 0) {
    if (misfits_ != 0)
      note_passed_over(context, misfits_, first_misfit_, "table that fits the filter");
    return ExitStatus::fine;
  }
  const Misfit& misfit = *newest_misfit_;
  std::string schema = "hdbinspect schema " + typed_path(misfit.file);
  for (const std::string& name : distinct(names_)) schema += " -t " + shell_word(name);
  return dumping::report_filter_error(context, misfit.error, where_->text(), misfit.file, schema,
                                      "EXPR");
}

}  // namespace hdb::inspect
