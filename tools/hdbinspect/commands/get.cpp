// get: one record, or one field of it, by handle.
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "command.hpp"
#include "dump/row_reader.hpp"
#include "hdb/inspect/paths.hpp"
#include "hdb/inspect/references.hpp"
#include "hdb/inspect/values.hpp"
#include "hdb/translate_handle.hpp"
#include "input.hpp"
#include "names.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

// The columns of a field.
std::vector<std::uint32_t> columns_in(const FieldPlace& place) {
  std::vector<std::uint32_t> columns(place.column_count);
  std::iota(columns.begin(), columns.end(), place.first_column);
  return columns;
}

class Get final : public Command {
 public:
  Get() {
    describe(
        {"get",
         "Show one record, with its components, or one field of it",
         "$ hdbinspect get slot1.hdb monsters:1042@7         a record\n"
         "$ hdbinspect get slot1.hdb monsters:1042           the record that is in the slot now\n"
         "$ hdbinspect get slot1.hdb monsters:1042@7.pos.x   a field\n"
         "$ hdbinspect get slot1.hdb \"shops:3@1.stock['sword']\"  the value of a key of a map\n"
         "$ hdbinspect get --refs slot1.hdb monsters:1042@7  also the records that refer to it\n"
         "$ hdbinspect get slot1.hdb 0x70000041a -t monsters  raw bits, as in a log",
         {{"-t,--table TABLE", &table_, "The table, if raw bits fit several tables"},
          {"--refs", &refs_, "Also list the fields of all records that refer to it"},
          {"FILE", &file_, "Save file", file_name()},
          {"HANDLE|PATH", &names_,
           "monsters:1042@7, monsters:1042@7.pos.x, monsters:1042 or 0x..."}}});
  }

  ExitStatus run(Context& context) override {
    auto reader = open_reader(file_);
    if (!reader) return context.messages.error(reader.error());
    std::optional<std::size_t> only_table;
    if (!table_.empty()) {
      auto found = find_table((*reader)->tables(), table_);
      if (!found) return context.messages.error(with_file(found.error(), file_));
      only_table = *found;
    }
    ExitStatus status = ExitStatus::fine;
    for (const std::string& name : names_) {
      next_.clear();
      is_named_ = false;
      auto printed = get(context, **reader, name, only_table);
      if (printed) continue;
      const Error& error = printed.error();
      const ExitStatus shown = error.code == ErrorCode::bad_name
                                   ? context.messages.usage(error.what, "hdbinspect get --help")
                                   : context.messages.error(with_file(error, file_), next_);
      const bool is_absent = is_named_ && error.code == ErrorCode::not_found;
      status = worse(status, is_absent ? ExitStatus::finding : shown);
    }
    return status;
  }

 private:
  Status get(Context& context, const Reader& reader, const std::string& name,
             std::optional<std::size_t> only_table) {
    auto target = parse_target(reader, name, only_table);
    if (!target) {
      if (const auto slot = parse_slot(reader, name)) target = *slot;
    }
    if (!target) return fail(std::move(target.error()));
    const TableDescriptor& table = reader.tables()[target->table];
    next_ = fmt::format("hdbinspect schema {} -t {}", typed_path(file_), shell_word(table.name));
    const auto place = find_named_field(reader, target->table, target->path);
    if (!place) return fail(place.error());
    is_named_ = true;
    next_ = fmt::format("hdbinspect dump {} -t {}", typed_path(file_), shell_word(table.name));
    SlotLookup slots(reader);
    auto facts = slots.find(target->table, target->slot);
    if (!facts) return fail(std::move(facts.error()));
    if (target->generation == 0 && *facts && (*facts)->state == SlotState::live)
      target->generation = (*facts)->generation;  // the record that is in the slot now
    std::string tenant;
    if (auto live = check_live(table, *facts, target->slot, target->generation, &tenant); !live) {
      if (!tenant.empty()) {
        next_ =
            fmt::format("hdbinspect get {} {}", typed_path(file_),
                        shell_word(target->path.empty() ? tenant : tenant + '.' + target->path));
      }
      return live;
    }
    const std::string handle = handle_name(table, target->slot, target->generation);
    next_.clear();
    Values values;
    auto value = values.read(reader, target->table, target->slot, target->path, *place);
    if (!value) return fail(std::move(value.error()).in(handle));
    Components components;
    if (target->path.empty()) {
      if (auto read = read_components(reader, *target, slots, values, components); !read)
        return read;
    }
    print(context, reader, *target, handle, *value, components);
    if (!refs_) return {};
    target->table = issuer_of(reader.tables(), target->table);
    return print_references(context, reader, *target);
  }

  // Values of records, which last as long as it does.
  class Values {
   public:
    // One value of the record at a live slot.
    Result<Value> read(const Reader& reader, std::size_t table, std::uint32_t slot,
                       const std::string& path, const FieldPlace& place) {
      RowReader& rows =
          *rows_.emplace_back(std::make_unique<RowReader>(reader, table, columns_in(place)));
      if (auto read = rows.open(slot >> reader.tables()[table].group_shift); !read)
        return fail(std::move(read.error()));
      for (;;) {
        const auto found = rows.next();
        if (!found) return fail(found.error());
        if (!*found || rows.slot() == slot) break;
      }
      return find_value(rows.row(), path);
    }

   private:
    std::vector<std::unique_ptr<RowReader>> rows_;
  };

  // The components of a record, by the names of their tables.
  using Components = std::vector<std::pair<std::string, Value>>;
  static Status read_components(const Reader& reader, const Target& target, SlotLookup& slots,
                                Values& values, Components& out) {
    for (std::size_t i = 0; i < reader.tables().size(); ++i) {
      const TableDescriptor& table = reader.tables()[i];
      if (table.owner != reader.tables()[target.table].name) continue;
      const auto facts = slots.find(i, target.slot);
      if (!facts) return fail(facts.error());
      if (!*facts || (*facts)->state != SlotState::live ||
          (*facts)->generation != target.generation)
        continue;
      const auto place = find_field(reader.schemas()[table.schema], "");
      if (!place) return fail(place.error());
      auto value = values.read(reader, i, target.slot, "", *place);
      if (!value) return fail(std::move(value.error()));
      out.emplace_back(table.name, *std::move(value));
    }
    return {};
  }

  // Every handle in the file that names the target.
  static Status print_references(Context& context, const Reader& reader, const Target& target) {
    const HandleNamer namer(reader.tables());
    const TableDescriptor& named = reader.tables()[target.table];
    std::uint64_t found = 0;
    if (!context.globals.json) context.out.line("  referred to by");
    const auto show = [&](const Reference& reference) {
      const auto parts = split_handle(reference.field->layout, reference.bits);
      if (reference.bits == 0 || !parts || parts->index != target.slot ||
          parts->generation != target.generation ||
          namer.table_of(*reference.field, reference.bits) != target.table) {
        return true;
      }
      ++found;
      const std::string handle =
          handle_name(reader.tables()[reference.table], reference.slot, reference.generation);
      if (!context.globals.json) {
        context.out.print("    {}.{}{}", escape_text(handle), reference.path(),
                          reference.field->strong ? "  (strong)" : "");
        return !context.out.closed();
      }
      JsonObject object("reference");
      object.text("table", reader.tables()[reference.table].name).text("handle", handle);
      object.text("path", reference.path()).boolean("strong", reference.field->strong);
      object.text("names", handle_name(named, target.slot, target.generation));
      context.out.line(object.str());
      return !context.out.closed();
    };
    for (std::size_t table = 0; table < reader.tables().size(); ++table) {
      if (auto read = for_each_reference(reader, table, show); !read) return read;
    }
    if (found == 0 && !context.globals.json) context.out.line("    nothing");
    return {};
  }

  // Written while it is made: a value may have any size.
  static void print_json(Context& context, const HandleNamer& namer, const TableDescriptor& table,
                         const Target& target, const std::string& handle, const Value& value,
                         const Components& components) {
    JsonObject object(target.path.empty() ? "record" : "value");
    object.text("table", table.name).text("handle", handle);
    object.number("slot", target.slot).number("generation", target.generation);
    if (!target.path.empty()) object.text("path", target.path);
    std::string text = object.str();
    text.back() = ',';
    const auto flush = [&] {
      context.out.write(text);
      text.clear();
    };
    JsonValueWriter writer(namer, JsonValueWriter::Form::plain, flush);
    text += target.path.empty() ? "\"fields\":" : "\"value\":";
    writer.append(value, text);
    if (!components.empty()) text += ",\"components\":";
    char before = '{';
    for (const auto& [name, component] : components) {
      text += std::exchange(before, ',') + json_text(name) + ':';
      writer.append(component, text);
    }
    if (!components.empty()) text += '}';
    context.out.line(text + '}');
  }

  static void print(Context& context, const Reader& reader, const Target& target,
                    const std::string& handle, const Value& value, const Components& components) {
    const HandleNamer namer(reader.tables());
    const TableDescriptor& table = reader.tables()[target.table];
    if (context.globals.json)
      return print_json(context, namer, table, target, handle, value, components);
    const std::uint64_t most = max_value_bytes(context.globals, false);
    TextTable lines({false, false});
    const bool whole = target.path.empty();
    if (whole) context.out.line(context.out.paint(Style::heading, escape_text(handle)));
    for_each_leaf(value, whole ? "" : escape_text(handle + "." + target.path),
                  [&](const std::string& path, const Value& leaf) {
                    lines.add({path, value_text(leaf, namer, most)});
                  });
    for (const auto& [name, component] : components) {
      for_each_leaf(component, escape_text(name), [&](const std::string& path, const Value& leaf) {
        lines.add({path, value_text(leaf, namer, most)});
      });
    }
    context.out.write(lines.text(whole ? 2 : 0));
  }

  bool refs_ = false;
  std::string file_;
  std::string next_;       // what to do about the name at hand
  bool is_named_ = false;  // table and field of the name at hand exist
  std::string table_;
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<Command> make_get() { return std::make_unique<Get>(); }

}  // namespace hdb::inspect
