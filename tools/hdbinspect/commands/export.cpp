// export: the tables of saves as tables of an SQLite file.
#include <filesystem>

#include <fmt/format.h>

#include "command.hpp"
#include "dump/selection.hpp"
#include "input.hpp"
#include "progress.hpp"
#include "rewrite.hpp"
#include "sql/sql.hpp"
#include "system/paths.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

class Export final : public Command {
 public:
  Export() {
    describe({"export",
              "Write the records of saves to an SQLite file",
              "$ hdbinspect export slot1.hdb -o game.sqlite           every table\n"
              "$ hdbinspect export saves/*.hdb -o game.sqlite         one file with all saves\n"
              "$ hdbinspect export slot1.hdb -t monsters -w 'hp < 10' -o weak.sqlite\n"
              "\n" +
                  std::string(sql::kTablesNote) +
                  "\nParquet files are not written: Debian 12 has no library for them.",
              {{"-o,--output OUT",
                &output_,
                "The new file; it must not be an input",
                {.required = true, .is_file = true}},
               {"-t,--table TABLE", &request_.tables,
                "Only these tables (a name or a glob); may be repeated"},
               {"-w,--where EXPR", &request_.where, "Only records for which this is true"},
               {"--force", &force_, "Replace OUT if it exists"},
               {"FILE", &files_, "Save file", file_name()}}});
  }

  ExitStatus run(Context& context) override {
    for (const std::string& file : files_) {
      if (auto checked = check_output(file, output_, force_); !checked)
        return context.messages.error(checked.error(), "give another file to -o");
    }
    const ProgressScope progress("export", shown_name(files_.front()));
    ExitStatus status = ExitStatus::fine;
    request_.command = "export";
    const auto saves = sql::open_saves(context, files_, request_, status);
    if (!saves) return status;
    const auto file = create_output(output_);
    if (!file) return context.messages.error(file.error());
    const auto written =
        sql::export_to(temporary_path(output_), *saves,
                       [&](const std::string& text) { context.messages.note(text); });
    if (!written) {
      const Error& error = written.error();
      if (!error.file.empty()) return context.messages.error(error);  // of an input
      return context.messages.error(with_file(error, output_),
                                    error.code == ErrorCode::limit_exceeded
                                        ? "choose other tables with -t"
                                        : std::string_view());
    }
    if (Status committed = commit_durably(**file, output_); !committed)
      return context.messages.error(committed.error());
    print(context, *written);
    return ExitStatus::fine;
  }

 private:
  void print(Context& context, const sql::Exported& written) const {
    if (context.globals.quiet) return;
    std::error_code ignored;
    const std::uint64_t bytes = std::filesystem::file_size(utf8_path(output_), ignored);
    if (context.globals.json) {
      JsonObject object("export");
      object.text("output", json_name(output_)).number("saves", files_.size());
      object.number("tables", written.tables).number("records", written.records);
      return context.out.line(object.number("output_bytes", bytes).str());
    }
    context.out.print("{} is {}, with {} of {} in {}", printable_text(shown_name(output_)),
                      size_text(bytes), count_text(written.records, "record"),
                      count_text(files_.size(), "save"), count_text(written.tables, "table"));
  }

  dumping::Request request_;
  std::vector<std::string> files_;
  std::string output_;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_export() { return std::make_unique<Export>(); }

}  // namespace hdb::inspect
