// diff: what differs between two files, by handle and field by field.
#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "command.hpp"
#include "diff/report.hpp"
#include "input.hpp"
#include "names.hpp"

namespace hdb::inspect {
namespace {

enum class Detail : std::uint8_t { summary, records, fields };

class Diff final : public Command {
 public:
  std::string_view name() const override { return "diff"; }
  std::string_view summary() const override {
    return "What differs between two files, by handle and field";
  }
  std::string_view examples() const override {
    return "$ hdbinspect diff slot1.hdb slot2.hdb               every field that differs\n"
           "$ hdbinspect diff --summary slot1.hdb slot2.hdb     counts by table\n"
           "$ hdbinspect diff -t monsters -n 5 slot1.hdb slot2.hdb\n"
           "$ hdbinspect diff -q slot1.hdb slot2.hdb && echo same state\n"
           "\n"
           "+ added  - removed  ~ changed  R slot re-used: another object\n"
           "? stored in another way, equal records\n"
           "Titles, dates and thumbnails are no state and are not compared.";
  }
  OptionList options() override {
    return {
        {.names = "--summary",
         .target = &summary_,
         .help = "Only the tables that differ, with counts"},
        {.names = "--records",
         .target = &records_,
         .help = "Also the records, without their fields",
         .excludes = {"--summary"}},
        {.names = "--fields",
         .target = &fields_,
         .help = "Also the fields that differ (default)",
         .excludes = {"--summary", "--records"}},
        {.names = "-t,--table",
         .target = &tables_,
         .help = "Only this table; may be repeated",
         .value = "TABLE"},
        {.names = "-n,--max-records",
         .target = &max_records_,
         .help = "Show at most this many records",
         .value = "N"},
        {.names = "A", .target = &file_a_, .help = "Save file", .required = true},
        {.names = "B", .target = &file_b_, .help = "Save file", .required = true},
    };
  }

  ExitStatus run(Context& context) override {
    ReadOptions options;
    options.verify_raw_hashes = context.globals.verify;
    auto a = open_reader(file_a_, options);
    auto b = open_reader(file_b_, options);
    ExitStatus status = ExitStatus::fine;
    if (!a) status = worse(status, context.messages.error(a.error()));
    if (!b) status = worse(status, context.messages.error(b.error()));
    if (!a || !b) return status;
    for (const std::string& table : tables_) {
      if (find_table((*a)->tables(), table) || find_table((*b)->tables(), table)) continue;
      return context.messages.error(with_file(find_table((*a)->tables(), table).error(), file_a_));
    }
    auto report = context.globals.json ? json_report(context.out)
                                       : text_report(context.out, context.globals.verbose);
    auto differs = compare(context, **a, **b, *report);
    if (!differs) return worse(ExitStatus::trouble, context.messages.error(differs.error()));
    if (!context.globals.quiet) report->finish(not_shown_);
    return *differs ? ExitStatus::finding : ExitStatus::fine;
  }

 private:
  Result<bool> compare(Context& context, const Reader& a, const Reader& b, DiffReport& report) {
    std::set<std::string> names;
    for (const Reader* reader : {&a, &b}) {
      for (const TableDescriptor& table : reader->tables()) names.insert(table.name);
    }
    bool differs = false;
    for (const std::string& name : names) {
      if (!tables_.empty() && std::find(tables_.begin(), tables_.end(), name) == tables_.end())
        continue;
      TableEntryDiff entry;
      entry.name = name;
      if (auto compared = compare_table(context, a, b, entry, report); !compared)
        return fail(std::move(compared.error()));
      differs = differs || entry.differs();
      if (!context.globals.quiet) report.table(std::move(entry));
      // Whoever asks only for the exit status knows it now.
      if (context.out.closed() || (context.globals.quiet && differs)) break;
    }
    return differs;
  }

  Status compare_table(Context& context, const Reader& a, const Reader& b, TableEntryDiff& entry,
                       DiffReport& report) {
    const auto in_a = find_table(a.tables(), entry.name);
    const auto in_b = find_table(b.tables(), entry.name);
    if (in_a) entry.a = &a.tables()[*in_a];
    if (in_b) entry.b = &b.tables()[*in_b];
    if (!in_a) entry.diff.added = entry.b->live_count;
    if (!in_b) entry.diff.removed = entry.a->live_count;
    if (!in_a || !in_b) return {};
    entry.schema = schema_changes(a.schemas()[entry.a->schema], b.schemas()[entry.b->schema]);
    for (SchemaChange& change : entry.schema) {
      if (change.mark != '+' || context.globals.quiet) continue;
      auto value = constant_value({&b, *in_b, file_b_}, change.path);
      if (!value) return fail(std::move(value.error()));
      change.value = *std::move(value);
    }
    const bool quiet = context.globals.quiet;
    bool found = false;
    TableDiffOptions options;
    options.json = context.globals.json;
    options.fields = !summary_ && !records_;
    options.read_all = context.globals.verify;
    options.stop = [&] { return context.out.closed() || (quiet && found); };
    if (quiet || !summary_) {
      options.on_record = [&](const RecordDiff& record) {
        found = true;
        if (quiet) return;
        if (shown_ >= max_records_) {
          ++not_shown_;
          return;
        }
        ++shown_;
        report.record(*entry.a, *entry.b, record);
      };
    }
    auto diff = diff_tables({&a, *in_a, file_a_}, {&b, *in_b, file_b_}, options);
    if (!diff) return fail(std::move(diff.error()));
    entry.diff = *std::move(diff);
    return {};
  }

  bool summary_ = false;
  bool records_ = false;
  bool fields_ = false;
  std::vector<std::string> tables_;
  std::uint64_t max_records_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t shown_ = 0;
  std::uint64_t not_shown_ = 0;
  std::string file_a_;
  std::string file_b_;
};

}  // namespace

std::unique_ptr<Command> make_diff() { return std::make_unique<Diff>(); }

}  // namespace hdb::inspect
