// schema: the record descriptions that a file carries, with their fingerprints.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "command.hpp"
#include "compat/schema_input.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/inspect/table_schema.hpp"
#include "input.hpp"
#include "names.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

class Schema final : public Command {
 public:
  Schema() {
    describe(
        {"schema",
         "Show the fields of each table and the fingerprint of its schema",
         "$ hdbinspect schema slot1.hdb                 fields and their types\n"
         "$ hdbinspect schema -t monsters slot1.hdb     of one table\n"
         "$ hdbinspect schema --json slot1.hdb          one JSON object per table\n"
         "$ hdbinspect schema --format=json slot1.hdb > schemas.json\n"
         "\n"
         "--format=json prints one JSON document with the fields and options of all tables of one "
         "file, sorted by table: what a game commits for hdbinspect compat. Equal schemas print "
         "equal bytes.",
         {{"--format=text|json", &format_,
           "How to print it: text (default), or json (a document for hdbinspect compat)"},
          {"-t,--table TABLE", &tables_, "Only these tables (a name or a glob); may be repeated"},
          {"FILE", &files_, "Save files", file_name()}}});
  }

  ExitStatus run(Context& context) override {
    if (format_ == "json" && context.globals.json) {
      return context.messages.usage("--json and --format=json cannot be combined",
                                    "choose lines (--json) or one document (--format=json)");
    }
    if (format_ == "json" && files_.size() > 1) {
      return context.messages.usage("--format=json prints the document of one file",
                                    "give one file, or use --json");
    }
    std::optional<Error> misfit;
    bool fits = false;
    const ExitStatus status =
        for_each_file(context, files_, [&](const Reader& reader, const std::string& file) {
          const auto chosen = find_tables(reader.tables(), tables_);
          if (!chosen) {
            misfit = with_file(chosen.error(), file);
            return ExitStatus::fine;
          }
          fits = true;
          print(context, reader, file, *chosen);
          return ExitStatus::fine;
        });
    if (!misfit) return status;
    if (!fits) return worse(status, context.messages.error(*misfit));
    context.messages.note(fmt::format("{}: {}", misfit->file, misfit->what));
    return status;
  }

 private:
  void print(Context& context, const Reader& reader, const std::string& file,
             const std::vector<std::size_t>& chosen) const {
    if (format_ == "json") return print_document(context, reader, chosen);
    const bool json = context.globals.json;
    if (!json && files_.size() > 1)
      context.out.line(context.out.paint(Style::heading, printable_text(shown_name(file))));
    for (const std::size_t i : chosen) {
      const TableDescriptor& table = reader.tables()[i];
      const Field& root = reader.schemas()[table.schema];
      if (json) {
        JsonObject object("schema");
        object.text("file", json_name(file)).text("table", table.name);
        object.hash("fingerprint", schema_fingerprint(root)).raw("fields", children_json(root));
        if (root.versioned) object.number("class_version", root.class_version);
        context.out.line(object.str());
      } else {
        context.out.print("{}  fingerprint {}{}",
                          context.out.paint(Style::heading, escape_text(table.name)),
                          schema_fingerprint(root).hex(), version_text(root));
        TextTable lines({false, false});
        add_lines(root, 1, lines);
        context.out.write(lines.text(0));
      }
    }
  }

  static void print_document(Context& context, const Reader& reader,
                             const std::vector<std::size_t>& chosen) {
    const std::vector<TableSchema> all = schemas_of(reader);
    std::vector<TableSchema> tables;
    for (const std::size_t i : chosen) tables.push_back(all[i]);
    context.out.write(schema_json(std::move(tables)));
  }

  static std::string version_text(const Field& field) {
    return field.versioned ? fmt::format("  version {}", field.class_version) : std::string();
  }

  // Whether a field's parts are worth lines of their own; the type of other fields is one line.
  static bool holds_structure(const Field& field) {
    if (field.kind == FieldKind::structure) return true;
    return std::any_of(field.children.begin(), field.children.end(), holds_structure);
  }

  static void add_lines(const Field& parent, std::size_t depth, TextTable& lines) {
    for (std::size_t i = 0; i < parent.children.size(); ++i) {
      const Field& field = parent.children[i];
      std::string name = escape_text(field.name);
      if (parent.kind == FieldKind::variant) name = fmt::format("<{}> {}", i, name);
      if (parent.kind == FieldKind::map) name = i == 0 ? "[].key" : "[].value";
      if (parent.kind == FieldKind::list || parent.kind == FieldKind::array) name = "[]";
      if (parent.kind == FieldKind::optional) name = "?";
      if (const std::string_view type_name = type_name_of(field); !type_name.empty())
        name += (name.ends_with(' ') ? "" : " ") + escape_text(type_name);
      std::string type =
          short_type(field) + layouts_text(field) + values_text(field) + version_text(field);
      if (field.kind == FieldKind::string && !field.utf8_checked)
        type += " (not checked to be UTF-8)";
      lines.add({std::string(depth * 2, ' ') + name, type});
      if (holds_structure(field)) add_lines(field, depth + 1, lines);
    }
  }

  // The layouts other than the default one of the handles in a type of one line.
  static std::string layouts_text(const Field& field) {
    if (holds_structure(field)) return {};
    std::string text;
    if (field.kind == FieldKind::handle && field.layout != HandleLayout{})
      text = ' ' + layout_text(field.layout);
    for (const Field& child : field.children) text += layouts_text(child);
    return text;
  }

  // The named values of the enums in a type of one line.
  static std::string values_text(const Field& field) {
    if (holds_structure(field)) return {};
    std::string text = enumerators_text(field);
    if (!text.empty()) text = " {" + escape_text(text) + '}';
    for (const Field& child : field.children) text += values_text(child);
    return text;
  }

  static std::string short_type(const Field& field) {
    if (!holds_structure(field)) return escape_text(type_text(field));
    if (field.kind == FieldKind::array) return fmt::format("array of {}", field.count);
    return std::string(kind_name(field.kind));
  }

  static std::string children_json(const Field& field) {
    JsonArray array;
    for (const Field& child : field.children) array.raw(member_json(child));
    return array.str();
  }

  // As hdb::field_json, with the bits of handle layouts as numbers.
  static std::string member_json(const Field& field) {
    JsonObject object;
    add_field(field, object);
    if (field.kind == FieldKind::handle) {
      object.number("index_bits", field.layout.index_bits)
          .number("generation_bits", field.layout.generation_bits)
          .number("type_bits", field.layout.type_bits);
    }
    if (!field.children.empty()) object.raw("children", children_json(field));
    return object.str();
  }

  std::string format_ = "text";
  std::vector<std::string> tables_;
  std::vector<std::string> files_;
};

}  // namespace

std::unique_ptr<Command> make_schema() { return std::make_unique<Schema>(); }

}  // namespace hdb::inspect
