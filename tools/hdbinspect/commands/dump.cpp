// dump: streams records as NDJSON, JSON or CSV, one row group in memory at a time; or counts them.
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "command.hpp"
#include "dump/record_writer.hpp"
#include "dump/row_order.hpp"
#include "dump/selection.hpp"
#include "exact/lines.hpp"
#include "input.hpp"
#include "progress.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

class Dump final : public Command {
 public:
  Dump() {
    describe(
        {"dump",
         "Print records, one JSON object per line",
         "$ hdbinspect dump slot1.hdb                                everything\n"
         "$ hdbinspect dump slot1.hdb -t monsters --limit 10         the first ten records\n"
         "$ hdbinspect dump slot1.hdb -t monsters -f name,pos.x      two fields of each "
         "record\n"
         "$ hdbinspect dump slot1.hdb -t monsters -w 'hp < 10 and name ~ \"imp*\"'\n"
         "$ hdbinspect dump slot1.hdb -w 'target == monsters:77@2' --count\n"
         "$ hdbinspect dump slot1.hdb -t monsters --sort=-hp,name --limit 5   the five strongest\n"
         "$ hdbinspect dump slot1.hdb -t 'level_*' -f '**.name'      globs\n"
         "$ hdbinspect dump slot1.hdb -t monsters --format=csv > monsters.csv\n"
         "$ hdbinspect dump --exact slot1.hdb > slot1.ndjson         input for hdbinspect "
         "import\n"
         "\n"
         "For filters (-w) run hdbinspect help filters; for globs run hdbinspect help globs.\n"
         "--sort takes the paths of filters: target.hp, \"stock['sword']\", size(loot), @slot. It "
         "compares numbers as numbers and texts byte by byte; NaN comes behind all numbers, what a "
         "record does not have behind all others, also the fields of a null or stale handle. Ties "
         "are in the order of slots.\n"
         "CSV holds one table: structures are flattened, lists are JSON in one cell. If a "
         "spreadsheet would read a text as a formula (= + - @), a ' is written before the "
         "text.",
         {{"-t,--table TABLE", &request_.tables,
           "Only these tables (a name or a glob); may be repeated"},
          {"-f,--field FIELD", &request_.fields,
           "Only these fields (pos.x, items[].name, a glob), with commas between; may be repeated"},
          {"-w,--where EXPR", &request_.where, "Only records for which this is true"},
          {"--sort FIELD", &sort_,
           "In the order of these fields, with commas between; a - before one: falling order"},
          {"--limit N", Number{&limit_}, "Print at most this many records"},
          {"--count", &count_, "Only print the number of records of each table",
           excludes({"--limit", "--sort"})},
          {"--format=ndjson|json|csv", &format_,
           "How to print records: ndjson (default), json (one array) or csv",
           excludes({"--count"})},
          {"--exact", &exact_,
           "Print everything in the file for import: slots, free lists, order, schemas, "
           "metadata",
           excludes({"--table", "--field", "--where", "--sort", "--limit", "--count"})},
          {"FILE", &request_.file, "Save file", file_name()}}});
  }

  ExitStatus run(Context& context) override {
    if (context.globals.json && format_ != "ndjson") {
      return context.messages.usage("--json and --format=" + format_ + " cannot be combined",
                                    "hdbinspect dump --help");
    }
    const ProgressScope progress("dump", shown_name(request_.file));
    if (exact_) return run_exact(context);
    auto reader = open_reader(request_.file);
    if (!reader) return context.messages.error(reader.error());
    ExitStatus status = ExitStatus::fine;
    auto selections = dumping::select(context, **reader, request_, status);
    if (!selections) return status;
    std::optional<RowOrder> order;
    if (!sort_.empty()) {
      const auto bound = bind_order(**reader, *selections);
      if (!bound) {
        return context.messages.error(with_file(bound.error(), request_.file),
                                      "hdbinspect schema " + typed_path(request_.file));
      }
      order = *bound;
      if (selections->size() != 1) return report_tables(context, **reader, *selections);
    }
    if (count_) return print_counts(context, **reader, *selections);
    const bool csv = format_ == "csv";
    if (csv && selections->size() != 1) return report_tables(context, **reader, *selections);
    const auto form = csv                 ? dumping::Form::csv
                      : format_ == "json" ? dumping::Form::json
                                          : dumping::Form::ndjson;
    dumping::RecordWriter writer(context.out, **reader, form, limit_);
    writer.open();
    for (const dumping::Selection& selection : *selections) {
      if (auto dumped = writer.write(selection, order ? &*order : nullptr); !dumped)
        return context.messages.error(with_file(dumped.error(), request_.file));
    }
    writer.close();
    return ExitStatus::fine;
  }

 private:
  // What goes out as lines comes back by import: damage must not look sound afterwards, so every
  // hash is checked.
  ExitStatus run_exact(Context& context) const {
    if (format_ != "ndjson") {
      return context.messages.usage("--exact works only with --format=ndjson",
                                    "hdbinspect dump --help");
    }
    ReadOptions read;
    read.verify_raw_hashes = true;
    auto reader = open_reader(request_.file, read);
    if (!reader) return context.messages.error(reader.error());
    const FileInfo& info = (*reader)->info();
    const auto dumped = dump_exact(*image_of(*reader), DumpedFile{info.state_hash, info.file_id},
                                   [&context](std::string_view text) {
                                     context.out.write(text);
                                     return !context.out.closed();
                                   });
    if (!dumped) return context.messages.error(with_file(dumped.error(), request_.file));
    return ExitStatus::fine;
  }

  // The order of the tables that have its fields; the others are left out.
  Result<RowOrder> bind_order(const Reader& reader,
                              std::vector<dumping::Selection>& selections) const {
    Result<RowOrder> found = fail(ErrorCode::not_found, "no table is left to be sorted");
    std::vector<dumping::Selection> kept;
    for (dumping::Selection& selection : selections) {
      auto order = RowOrder::bind(sort_, reader, selection.table);
      if (!order && !dumping::is_filter_fault(order.error())) return order;
      if (!order) order.error().offset = kNoOffset;
      if (order) kept.push_back(std::move(selection));
      if (order || (kept.empty() &&
                    (selections.size() == 1 || found.error().code != ErrorCode::type_mismatch)))
        found = std::move(order);
    }
    selections = std::move(kept);
    if (!found) found.error().what = "--sort: " + found.error().what;
    return found;
  }

  ExitStatus report_tables(const Context& context, const Reader& reader,
                           const std::vector<dumping::Selection>& selections) const {
    std::string list;
    for (const dumping::Selection& selection : selections) {
      list += fmt::format("  {}\n", escape_text(reader.tables()[selection.table].name));
    }
    return context.messages.usage(
        fmt::format("{}, but {} tables were selected",
                    sort_.empty() ? "CSV holds one table" : "--sort orders one table",
                    selections.size()),
        fmt::format("hdbinspect dump {} {} -t TABLE", typed_path(request_.file),
                    sort_.empty() ? "--format=csv" : "--sort=" + shell_word(sort_)),
        list);
  }

  ExitStatus print_counts(Context& context, const Reader& reader,
                          const std::vector<dumping::Selection>& selections) const {
    TextTable lines({false, true});
    for (const dumping::Selection& selection : selections) {
      const auto count = dumping::count_records(reader, selection);
      if (!count) return context.messages.error(with_file(count.error(), request_.file));
      const std::string& table = reader.tables()[selection.table].name;
      if (context.globals.json) {
        JsonObject object("record_count");
        object.text("table", table).number("records", *count);
        context.out.line(object.str());
      } else {
        lines.add({escape_text(table), fmt::format("{}", *count)});
      }
    }
    context.out.write(lines.text(0));
    return ExitStatus::fine;
  }

  dumping::Request request_;
  std::string sort_;
  std::string format_ = "ndjson";
  std::uint64_t limit_ = std::numeric_limits<std::uint64_t>::max();
  bool count_ = false;
  bool exact_ = false;
};

}  // namespace

std::unique_ptr<Command> make_dump() { return std::make_unique<Dump>(); }

}  // namespace hdb::inspect
