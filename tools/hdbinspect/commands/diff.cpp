// diff: what differs between two files, by handle and field by field.
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "command.hpp"
#include "diff/compare_options.hpp"
#include "diff/report.hpp"
#include "input.hpp"
#include "memory_limit.hpp"
#include "names.hpp"
#include "page/page.hpp"
#include "progress.hpp"
#include "rewrite.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

// What browsers show without trouble; ndjson has no such limit.
constexpr std::size_t kMaxPageBytes = std::size_t{32} << 20;

class Diff final : public Command {
 public:
  Diff() {
    describe(
        {"diff",
         "Show the differences between two files, by handle and field",
         "$ hdbinspect diff slot1.hdb slot2.hdb               every field that differs\n"
         "$ hdbinspect diff --summary slot1.hdb slot2.hdb     counts by table\n"
         "$ hdbinspect diff -t monsters -n 5 slot1.hdb slot2.hdb\n"
         "$ hdbinspect diff a.hdb b.hdb --ignore '**.seen' --abs 'monsters.pos=1e-3'\n"
         "$ hdbinspect diff a.hdb b.hdb -w 'hp == 0'          records with hp == 0 in a or b\n"
         "$ hdbinspect diff -q slot1.hdb slot2.hdb && echo same state\n"
         "$ hdbinspect diff --first host/ client/             the first frame where two runs "
         "differ\n"
         "$ hdbinspect diff --format=html a.hdb b.hdb -o d.html\n"
         "\n"
         "+ added  - removed  ~ changed  R slot re-used by another record\n"
         "? stored differently, records are equal\n"
         "A glob begins with the table; a glob that matches a field includes the fields inside "
         "it (hdbinspect help globs). A number is equal if it is within --abs or within --rel. "
         "If several --abs (or --rel) match a field, the last one is used.\n"
         "Titles, dates and thumbnails are not part of the state and are not compared.\n"
         "--first pairs files by name (frame_9 before frame_10) and compares the pairs whose "
         "state hashes differ, in that order, until one differs by the options given; with "
         "--verify also pairs whose state hashes are equal.",
         {{"--summary", &summary_, "Print only the tables that differ, with counts"},
          {"--records", &records_, "Also print the records, without their fields",
           excludes({"--summary"})},
          {"--fields", &fields_, "Also print the fields that differ (default)",
           excludes({"--summary", "--records"})},
          {"-t,--table TABLE", &request_.tables,
           "Only these tables (a name or a glob); may be repeated"},
          {"-w,--where EXPR", &request_.where,
           "Compare only records for which this is true in A or in B, and nothing else of "
           "their tables (hdbinspect help filters)"},
          {"--ignore GLOB", &request_.ignore, "Do not compare these fields; may be repeated"},
          {"--abs [GLOB=]X", &request_.absolute,
           "Numbers of these fields (all fields without GLOB=) may differ by X; may be "
           "repeated"},
          {"--rel [GLOB=]X", &request_.relative,
           "Numbers may differ by X times the larger number; may be repeated"},
          {"--nan-equal", &request_.nan_equal, "Treat all NaN values as equal"},
          {"--first", &first_,
           "A and B are folders with one save per frame: show the first pair with the same "
           "name that differs"},
          {"-n,--max-records N", Number{&max_records_}, "Show at most this many records"},
          {"--format=text|ndjson|html", &format_,
           "How to print it: text (default), ndjson, or html (a page for a browser)"},
          {"-o,--output OUT", &output_,
           "With --format=html: write the page to this file, not to standard output", file_name()},
          {"--force", &force_, "Replace OUT if it exists"},
          {"A", &file_a_, "Save file, or folder", file_name()},
          {"B", &file_b_, "Save file, or folder", file_name()}}});
  }

  ExitStatus run(Context& context) override {
    if (!read_request(context, request_, options_)) return ExitStatus::trouble;
    const bool page = format_ == "html";
    json_ = context.globals.json || format_ != "text";
    if (!page) {
      if (!output_.empty())
        return context.messages.usage("-o needs --format=html", "hdbinspect diff --help");
      auto report =
          json_ ? json_report(context.out) : text_report(context.out, context.globals.verbose);
      return compare(context, *report);
    }
    if (context.globals.json) {
      return context.messages.usage("--json and --format=html cannot be combined",
                                    "hdbinspect diff --help");
    }
    for (const std::string& input : {file_a_, file_b_}) {
      if (output_.empty()) break;
      if (auto checked = check_output(input, output_, force_); !checked)
        return context.messages.error(checked.error(), "give another file to -o");
    }
    lines_ = JsonObject("diff_files")
                 .text("before", json_name(file_a_))
                 .text("after", json_name(file_b_))
                 .str();
    auto report = json_report([this](std::string_view line) { (lines_ += '\n') += line; });
    const ExitStatus status = compare(context, *report);
    const bool compared = worse(status, ExitStatus::finding) == ExitStatus::finding;
    if (!compared || is_quiet(context)) return status;  // the reason was reported
    Page made;
    made.add_data("diff", lines_);
    const std::string text = std::move(made).finish();
    if (output_.empty()) {
      context.out.write(text);
    } else if (auto written = write_text(text, output_); !written) {
      return worse(status, context.messages.error(written.error()));
    }
    return status;
  }

 private:
  ExitStatus compare(Context& context, DiffReport& report) {
    if (first_) return compare_folders(context, report);
    const ExitStatus status = compare_files(context, {file_a_, file_b_}, &report);
    return misfits_.empty() ? status : misfits_.begin()->second(context);
  }

  // Looks at every pair up to the first that differs; a name must be in any pair that is compared.
  ExitStatus compare_folders(Context& context, DiffReport& report) {
    const auto pairs = pair_saves(file_a_, file_b_);
    if (!pairs) {
      return context.messages.error(pairs.error(),
                                    "give two folders that hold saves with the same names");
    }
    note_unpaired(context, *pairs);
    const std::size_t count = pairs->names.size();
    FirstDifference found;
    std::optional<Misfits> misfits;   // of all pairs compared
    std::optional<bool> skips_equal;  // pairs with equal state hashes
    ExitStatus status = ExitStatus::fine;
    for (; found.pair < count && !context.out.closed(); ++found.pair) {
      const auto equal = has_equal_hashes(*pairs, found.pair);
      if (!equal) return context.messages.error(equal.error());
      if (*equal && !context.globals.verify) {
        if (!skips_equal) skips_equal = is_hash_enough(context, pairs->paths(found.pair)[0]);
        if (*skips_equal) continue;
      }
      ++found.compared;
      status = compare_files(context, pairs->paths(found.pair), nullptr);
      if (!misfits) misfits = misfits_;
      std::erase_if(*misfits, [&](const auto& each) { return !misfits_.contains(each.first); });
      if (status != ExitStatus::fine) break;
    }
    if (context.out.closed() || worse(status, ExitStatus::finding) != ExitStatus::finding)
      return status;
    if (!misfits) {  // only whether names of the request are in the files
      const ExitStatus probe = compare_files(context, pairs->paths(count - 1), nullptr);
      if (worse(probe, ExitStatus::finding) != ExitStatus::finding) return probe;
      misfits = misfits_;
    }
    if (!misfits->empty()) return misfits->begin()->second(context);
    if (!is_quiet(context)) report.first(*pairs, found);
    if (found.pair == count) return status;
    return compare_files(context, pairs->paths(found.pair), &report);
  }

  // -q does not suppress a page that -o names.
  [[nodiscard]] bool is_quiet(const Context& context) const {
    return context.globals.quiet && output_.empty();
  }

  static void note_unpaired(const Context& context, const SavePairs& pairs) {
    const auto note = [&](std::size_t count, const std::string& folder) {
      if (count == 0) return;
      context.messages.note(fmt::format("{} only in {}: not compared", count_text(count, "save"),
                                        shown_name(folder)));
    };
    note(pairs.only_in_a, pairs.folder_a);
    note(pairs.only_in_b, pairs.folder_b);
  }

  // Whether equal state hashes of such files say anything of the tables that are compared; notes
  // of which tables they say nothing.
  bool is_hash_enough(const Context& context, const std::string& file) const {
    const auto reader = open_reader(file);
    if (!reader) return true;
    const auto chosen = find_tables((*reader)->tables(), request_.tables);
    if (!chosen) return true;
    std::string names;
    std::size_t unhashed = 0;
    for (const std::size_t i : *chosen) {
      const TableDescriptor& table = (*reader)->tables()[i];
      if (table.is_hashed()) continue;
      names += (unhashed++ == 0 ? "" : ", ") + escape_text(table.name);
    }
    if (unhashed == 0) return true;
    if (unhashed == chosen->size()) return false;
    context.messages.note(
        "in pairs with equal state hashes, tables that are not hashed were not "
        "compared (" +
        names + "); --verify compares them");
    return true;
  }

  // Without a report only whether they differ. Sets `misfits_`; if there are any for a file pair of
  // its own, nothing is compared.
  ExitStatus compare_files(Context& context, const std::array<std::string, 2>& files,
                           DiffReport* report) {
    ReadOptions options;
    options.verify_raw_hashes = context.globals.verify;
    const ProgressScope progress("diff", shown_name(files[1]));
    auto a = open_reader(files[0], options);
    auto b = open_reader(files[1], options);
    ExitStatus status = ExitStatus::fine;
    if (!a) status = worse(status, context.messages.error(a.error()));
    if (!b) status = worse(status, context.messages.error(b.error()));
    if (!a || !b) return status;
    if (is_quiet(context)) report = nullptr;
    DiffOptions how = diff_options(context, files, report);
    misfits_ = fit_request(request_, **a, **b, how);
    if ((!first_ && !misfits_.empty()) || misfits_.contains("-w")) return ExitStatus::fine;
    auto difference = diff(**a, **b, how);
    if (!difference) return context.messages.error(difference.error());
    if (report != nullptr && !difference->notes.empty()) report->database(difference->notes);
    if (report != nullptr) report->finish(not_shown_);
    if (difference->differs()) return ExitStatus::finding;
    const bool is_whole = how.tables.empty() && how.ignore.empty() && how.tolerances.empty() &&
                          !how.where && !how.nan_equal;
    if (!is_whole || context.out.closed() || (*a)->info().state_hash == (*b)->info().state_hash)
      return ExitStatus::fine;
    context.messages.usage("diff found no difference, but the state hashes of the files differ",
                           fmt::format("hdbinspect validate --level=deep {} {}",
                                       typed_path(files[0]), typed_path(files[1])));
    return ExitStatus::finding;
  }

  DiffOptions diff_options(const Context& context, std::array<std::string, 2> files,
                           DiffReport* report) {
    // Whoever asks only for the exit status knows it at the first difference.
    const bool quiet = report == nullptr;
    DiffOptions options = options_;
    options.files = std::move(files);
    options.records = quiet || !summary_;
    options.fields = !quiet && !summary_ && !records_;
    options.json = json_;
    options.max_value_bytes = max_value_bytes(context.globals, json_ && format_ != "html");
    options.max_row_values = max_row_values();
    options.read_all = context.globals.verify;
    options.added_values = !quiet;
    differs_ = false;
    options.stop = [this, &context, quiet] { return context.out.closed() || (quiet && differs_); };
    options.on_table = [this, report](const TableDiff& table) {
      differs_ = differs_ || table.differs();
      if (report != nullptr) report->table(table);
    };
    options.on_record = [this, report](const RecordDiff& record) {
      differs_ = true;
      if (report == nullptr) return;
      if (shown_ >= max_records_ || lines_.size() > kMaxPageBytes) {
        ++not_shown_;
        return;
      }
      ++shown_;
      report->record(record);
    };
    return options;
  }

  bool summary_ = false;
  bool records_ = false;
  bool fields_ = false;
  std::string format_ = "text";
  bool json_ = false;
  std::string lines_;  // of a page: the names of the files, then what --format=ndjson prints
  CompareRequest request_;
  DiffOptions options_;  // of the request
  Misfits misfits_;      // of the files compared last
  std::uint64_t max_records_ = std::numeric_limits<std::uint64_t>::max();
  bool first_ = false;
  std::string output_;
  bool force_ = false;
  bool differs_ = false;
  std::uint64_t shown_ = 0;
  std::uint64_t not_shown_ = 0;
  std::string file_a_;
  std::string file_b_;
};

}  // namespace

std::unique_ptr<Command> make_diff() { return std::make_unique<Diff>(); }

}  // namespace hdb::inspect
