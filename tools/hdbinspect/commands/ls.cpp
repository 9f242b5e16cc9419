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
              "A line `later` shows a block or an extension that a later version of hdb added.",
              {{"FILE", &files_, "Save files", file_name()}}});
  }

  ExitStatus run(Context& context) override {
    return for_each_file(context, files_, [&](const Reader& reader, const std::string& file) {
      if (!context.globals.json && files_.size() > 1)
        context.out.line(context.out.paint(Style::heading, escape_text(shown_name(file))));
      context.globals.json ? print_json(context, reader, file) : print_text(context, reader);
      return ExitStatus::fine;
    });
  }

 private:
  static void print_text(Context& context, const Reader& reader) {
    TextTable lines({false, false, false, true, true, true, true, true});
    lines.add({"TABLE", "STORAGE", "POLICIES", "LIVE", "FREE", "RETIRED", "RAW", "STORED"});
    for (std::size_t i = 0; i < reader.tables().size(); ++i) {
      const TableDescriptor& table = reader.tables()[i];
      const TableBytes bytes = bytes_of_table(reader, i);
      std::string policies =
          table.policy.is_component
              ? fmt::format("{} component of {}", layout_text(table.policy.layout),
                            escape_text(table.owner))
              : fmt::format("{} {} {} {}", layout_text(table.policy.layout),
                            free_list_name(table.policy.free_list),
                            generations_name(table.policy.generations),
                            overflow_name(table.policy.overflow));
      if (table.policy.removal == Removal::in_place)
        policies +=
            fmt::format(" {} {} holes", removal_name(table.policy.removal), table.hole_count);
      if (table.unissued_count() != 0 && !table.policy.is_component)
        policies += fmt::format(" {} unissued", table.unissued_count());
      if (table.type_id != 0) policies += fmt::format(" type {}", table.type_id);
      if (table.singleton) policies += " singleton";
      if (!table.is_hashed()) policies += " unhashed";
      if (table.policy.names != RecordNames::none)
        policies += fmt::format(" names {}", names_name(table.policy.names));
      if (table.blobs)
        policies += fmt::format(" blobs in {}", size_text(table.blobs->capacity_bytes));
      lines.add({escape_text(table.name), std::string(storage_name(table.policy.storage)), policies,
                 fmt::format("{}", table.live_count), fmt::format("{}", table.free_count),
                 fmt::format("{}", table.retired_count), size_text(bytes.raw),
                 size_text(bytes.stored)});
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
