// ls: the tables of a file, their storage, policies, slots and sizes.
#include <map>

#include <fmt/format.h>

#include "command.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/table_schema.hpp"
#include "input.hpp"
#include "later.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

class Ls final : public Command {
 public:
  Ls() {
    describe({"ls",
              "List the tables with their storage, policies, slots and sizes",
              "$ hdbinspect ls slot1.hdb          one line per table\n"
              "$ hdbinspect ls --json slot1.hdb   the same as JSON\n"
              "\n"
              "POLICIES are the options that are not the default ones; -v shows all. The\n"
              "defaults are: handles <32,31>, lifo, per_slot, retire.\n"
              "A line `later` shows a block or an extension that a later version of hdb added.",
              {{"FILE", &files_, "Save files", file_name()}}});
  }

  ExitStatus run(Context& context) override {
    return for_each_file(context, files_, [&](const Reader& reader, const std::string& file) {
      if (!context.globals.json && files_.size() > 1)
        context.out.line(context.out.paint(Style::heading, printable_text(shown_name(file))));
      context.globals.json ? print_json(context, reader, file) : print_text(context, reader);
      return ExitStatus::fine;
    });
  }

 private:
  // The options of the table that are not the default ones; with `all`, those, too.
  static std::string policies_text(const TableDescriptor& table, bool all) {
    const TablePolicy& own = table.policy;
    const TablePolicy usual;
    std::string text;
    const auto add = [&](bool is_shown, std::string_view words) {
      if (is_shown) text.append(text.empty() ? "" : " ").append(words);
    };
    add(all || own.layout != usual.layout, layout_text(own.layout));
    if (own.is_component) {
      add(true, "component of " + escape_text(table.owner));
    } else {
      add(all || own.free_list != usual.free_list, free_list_name(own.free_list));
      add(all || own.generations != usual.generations, generations_name(own.generations));
      add(all || own.overflow != usual.overflow, overflow_name(own.overflow));
      add(table.unissued_count() != 0, fmt::format("{} unissued", table.unissued_count()));
    }
    add(own.removal == Removal::in_place,
        fmt::format("{} {} holes", removal_name(own.removal), table.hole_count));
    add(table.type_id != 0, fmt::format("type {}", table.type_id));
    add(table.singleton, "singleton");
    add(!table.is_hashed(), "unhashed");
    add(own.names != RecordNames::none, fmt::format("names {}", names_name(own.names)));
    if (table.blobs) add(true, "blobs in " + size_text(table.blobs->capacity_bytes));
    return text;
  }

  static void print_text(Context& context, const Reader& reader) {
    TextTable lines({false, false, true, true, true, true, true, false});
    lines.add({"TABLE", "STORAGE", "LIVE", "FREE", "RETIRED", "RAW", "STORED", "POLICIES"});
    for (std::size_t i = 0; i < reader.tables().size(); ++i) {
      const TableDescriptor& table = reader.tables()[i];
      const TableBytes bytes = bytes_of_table(reader, i);
      lines.add({escape_text(table.name), std::string(storage_name(table.policy.storage)),
                 fmt::format("{}", table.live_count), fmt::format("{}", table.free_count),
                 fmt::format("{}", table.retired_count), size_text(bytes.raw),
                 size_text(bytes.stored), policies_text(table, context.globals.verbose)});
    }
    context.out.write(lines.fitted(context.out.columns()));
    print_additions(context.out, additions_of(reader, Heads::of_unknown_blocks));
  }

  static void print_json(Context& context, const Reader& reader, const std::string& file) {
    std::map<std::string, std::vector<Addition>> additions;  // by their table
    for (Addition& addition : additions_of(reader, Heads::of_unknown_blocks))
      additions[addition.table].push_back(std::move(addition));
    for (std::size_t i = 0; i < reader.tables().size(); ++i) {
      const TableDescriptor& table = reader.tables()[i];
      const TableBytes bytes = bytes_of_table(reader, i);
      JsonObject object("table");
      object.text("file", json_name(file)).text("table", table.name);
      add_policies(table, object);
      object.number("flush_cursor", table.flush_cursor)
          .boolean("sorting",
                   find_extension(table.extensions, format::kExtensionSortWork) != nullptr);
      object.number("type_id", table.type_id)
          .boolean("singleton", table.singleton)
          .boolean("hashed", table.is_hashed());
      object.number("slots", table.slot_count).number("live", table.live_count);
      object.number("free", table.free_count).number("retired", table.retired_count);
      object.number("unissued", table.unissued_count());
      if (table.policy.is_component) object.number("holes", table.hole_count);
      object.number("counter", table.counter)
          .number("highest_generation", table.highest_generation);
      object.number("group_slots", std::uint64_t{1} << table.group_shift);
      object.number("raw_bytes", bytes.raw)
          .number("stored_bytes", bytes.stored)
          .number("blocks", bytes.blocks);
      object.raw("later", additions_json(additions[table.name]));
      context.out.line(object.str());
      additions.erase(table.name);
    }
    for (const auto& [name, of_no_table] : additions) {  // of the file
      for (const Addition& addition : of_no_table) {
        JsonObject object("later");
        add_addition(addition, object.text("file", json_name(file)));
        context.out.line(object.str());
      }
    }
  }

  std::vector<std::string> files_;
};

}  // namespace

std::unique_ptr<Command> make_ls() { return std::make_unique<Ls>(); }

}  // namespace hdb::inspect
