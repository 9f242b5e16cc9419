// dump: streams records as NDJSON, one row group in memory at a time.
#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "command.hpp"
#include "exact/dump.hpp"
#include "hdb/base/json.hpp"
#include "hdb/format/value_text.hpp"
#include "input.hpp"
#include "names.hpp"
#include "progress.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

class Dump final : public Command {
 public:
  std::string_view name() const override { return "dump"; }
  std::string_view summary() const override { return "Print records, one JSON object a line"; }
  std::string_view examples() const override {
    return "$ hdbinspect dump slot1.hdb                                everything\n"
           "$ hdbinspect dump slot1.hdb -t monsters --limit 10         the first ten\n"
           "$ hdbinspect dump slot1.hdb -t monsters -f pos.x -f name   two fields of each\n"
           "$ hdbinspect dump --exact slot1.hdb > slot1.ndjson         what import needs";
  }
  OptionList options() override {
    return {
        {.names = "-t,--table",
         .target = &tables_,
         .help = "Only this table; may be repeated",
         .value = "TABLE"},
        {.names = "-f,--field",
         .target = &fields_,
         .help = "Only this field (pos.x, items[].name); may be repeated",
         .value = "FIELD"},
        {.names = "--limit", .target = &limit_, .help = "At most this many records", .value = "N"},
        {.names = "--format",
         .target = &format_,
         .help = "ndjson",
         .value = "FORMAT",
         .choices = {"ndjson"}},
        {.names = "--exact",
         .target = &exact_,
         .help = "Everything in the file, for import: slots, free lists, order, schemas, metadata",
         .excludes = {"--table", "--field", "--limit"}},
        {.names = "FILE", .target = &file_, .help = "Save file", .required = true},
    };
  }

  ExitStatus run(Context& context) override {
    const ProgressScope progress("dump", shown_name(file_));
    if (exact_) return run_exact(context);
    auto reader = open_reader(file_);
    if (!reader) return context.messages.error(reader.error());
    std::vector<std::size_t> chosen;
    for (const std::string& name : distinct(tables_)) {
      auto table = find_table((*reader)->tables(), name);
      if (!table) return context.messages.error(with_file(table.error(), file_));
      chosen.push_back(*table);
    }
    if (tables_.empty()) {
      for (std::size_t i = 0; i < (*reader)->tables().size(); ++i) chosen.push_back(i);
    }
    std::vector<Selection> selections;
    for (const std::size_t table : chosen) {
      if (auto selection = select(**reader, table)) selections.push_back(*std::move(selection));
    }
    if (selections.empty() && !chosen.empty()) return tell_miss(context, **reader, chosen);
    std::uint64_t left = limit_;
    for (const Selection& selection : selections) {
      if (auto dumped = dump(context, **reader, selection, left); !dumped) {
        return context.messages.error(with_file(dumped.error(), file_));
      }
    }
    return ExitStatus::fine;
  }

 private:
  struct Selection {
    std::size_t table = 0;
    std::vector<std::uint32_t> columns;
  };

  // What goes out as lines comes back by import: damage must not look sound afterwards, so every hash is checked.
  ExitStatus run_exact(Context& context) const {
    if (format_ != "ndjson") {
      return context.messages.usage("--exact is only for --format=ndjson",
                                    "hdbinspect dump --help");
    }
    ReadOptions read;
    read.verify_raw_hashes = true;
    auto reader = open_reader(file_, read);
    if (!reader) return context.messages.error(reader.error());
    const auto dumped = dump_exact(*image_of(*reader), (*reader)->info().state_hash,
                                   [&context](std::string_view line) {
                                     context.out.line(line);
                                     return !context.out.closed();
                                   });
    if (!dumped) return context.messages.error(with_file(dumped.error(), file_));
    return ExitStatus::fine;
  }

  // Fields need not be in every table, but all of them in one.
  ExitStatus tell_miss(const Context& context, const Reader& reader,
                       const std::vector<std::size_t>& chosen) const {
    const auto root = [&](std::size_t table) -> const Field& {
      return reader.schemas()[reader.tables()[table].schema];
    };
    std::string next = fmt::format("hdbinspect schema {}", typed_path(file_));
    for (const std::string& name : distinct(tables_))
      next += fmt::format(" -t {}", shell_word(name));
    std::string what =
        fmt::format("no table has all of the fields '{}'", fmt::join(distinct(fields_), "', '"));
    for (const std::string& path : fields_) {
      if (std::any_of(chosen.begin(), chosen.end(),
                      [&](std::size_t table) { return find_field(root(table), path).has_value(); }))
        continue;
      std::string near;
      for (const std::size_t table : chosen) {
        if (near.empty()) near = nearest_field(root(table), path);
      }
      const std::string place = chosen.size() == 1
                                    ? fmt::format("table '{}'", reader.tables()[chosen[0]].name)
                                    : std::string("any table");
      what = fmt::format("no field '{}' in {}{}", path, place, near);
      break;
    }
    return context.messages.error(
        with_file({ErrorCode::not_found, std::move(what), kNoOffset, {}, {}}, file_), next);
  }

  std::optional<Selection> select(const Reader& reader, std::size_t table) const {
    const TableDescriptor& descriptor = reader.tables()[table];
    Selection selection;
    selection.table = table;
    for (const std::string& path : fields_) {
      auto place = find_field(reader.schemas()[descriptor.schema], path);
      if (!place) return std::nullopt;
      for (std::uint32_t i = 0; i < place->column_count; ++i)
        selection.columns.push_back(place->first_column + i);
    }
    return selection;
  }

  Status dump(Context& context, const Reader& reader, const Selection& selection,
              std::uint64_t& left) const {
    const TableDescriptor& table = reader.tables()[selection.table];
    const Field& root = reader.schemas()[table.schema];
    const HandleNamer namer(reader.tables());
    RowDecoder decoder = fields_.empty() ? RowDecoder(root) : RowDecoder(root, selection.columns);
    RowGroup group;
    Value record;
    for (std::uint64_t number = 0; number < table.group_count() && left > 0; ++number) {
      const auto& needed = decoder.needed_columns();
      if (auto read = reader.read_columns(selection.table, number, needed, group); !read)
        return read;
      decoder.begin(group.columns);
      for (std::size_t i = 0; i < group.states.size() && left > 0; ++i) {
        if (group.states[i] != static_cast<std::uint8_t>(SlotState::live)) continue;
        const std::uint64_t slot = table.group_begin(number) + i;
        const std::string handle = handle_name(table, slot, group.generations[i]);
        if (auto read = decoder.next(record); !read)
          return fail(std::move(read.error()).in(handle));
        JsonObject object("record");
        object.text("table", table.name).text("handle", handle);
        object.number("slot", slot).number("generation", group.generations[i]);
        object.raw("fields", value_json(record, namer));
        context.out.line(object.str());
        if (context.out.closed()) return {};
        --left;
      }
    }
    return {};
  }

  std::string file_;
  std::string format_ = "ndjson";
  std::vector<std::string> tables_;
  std::vector<std::string> fields_;
  bool exact_ = false;
  std::uint64_t limit_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace

std::unique_ptr<Command> make_dump() { return std::make_unique<Dump>(); }

}  // namespace hdb::inspect
