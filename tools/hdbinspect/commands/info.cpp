// info: header, metadata, tables in brief and footer; the directory on request.
#include <fmt/format.h>

#include "command.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/schema.hpp"
#include "input.hpp"
#include "later.hpp"
#include "rewrite.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

class Info final : public Command {
 public:
  Info() {
    describe({"info",
              "Show the header, metadata, tables and state hash of a file",
              "$ hdbinspect info slot1.hdb            title, date, sizes and tables\n"
              "$ hdbinspect info --blocks slot1.hdb   also every block of the directory\n"
              "$ hdbinspect info - < slot1.hdb        from standard input\n"
              "$ hdbinspect info a.hdb --thumbnail a.png\n"
              "\n"
              "A line `later` shows a block or an extension that a later version of hdb added, "
              "a line `dropped` what dropped tables issued: a table made again goes on after it.",
              {{"--blocks", &blocks_,
                "Also list the directory: every block with its offset, sizes and hash"},
               {"--thumbnail OUT",
                &thumbnail_,
                "Write the thumbnail to the file OUT; one save only",
                {.is_file = true}},
               {"--force", &force_, "Replace OUT if it exists"},
               {"FILE", &files_, "Save files", file_name()}}});
  }

  ExitStatus run(Context& context) override {
    if (!thumbnail_.empty() && files_.size() > 1) {
      return context.messages.usage("--thumbnail takes the picture of one save",
                                    "give one FILE for each --thumbnail");
    }
    return for_each_file(context, files_, [&](const Reader& reader, const std::string& file) {
      context.globals.json ? print_json(context, reader, file) : print_text(context, reader, file);
      if (blocks_) print_blocks(context, reader);
      return thumbnail_.empty() ? ExitStatus::fine : write_thumbnail(context, reader, file);
    });
  }

 private:
  static void print_text(Context& context, const Reader& reader, const std::string& file) {
    const FileInfo& info = reader.info();
    const Metadata& metadata = info.metadata;
    Output& out = context.out;
    const auto line = [&](std::string_view name, std::string_view value) {
      out.print("  {:<11} {}", name, value);
    };
    out.line(out.paint(Style::heading, printable_text(shown_name(file))));
    line("title", metadata.title.empty() ? "(none)" : quote_text(metadata.title));
    if (metadata.date_unix_ms != 0) line("date", date_text(metadata.date_unix_ms));
    line("play time", duration_text(metadata.play_time_ms));
    line("sequence", fmt::format("{}", metadata.sequence));
    for (const auto& [name, value] : metadata.values)
      line("value", quote_text(name) + " = " + quote_text(value));
    line("size", info.file_bytes < 1024
                     ? size_text(info.file_bytes)
                     : fmt::format("{} ({} bytes)", size_text(info.file_bytes), info.file_bytes));
    if (const std::uint64_t bytes = thumbnail_bytes(reader)) line("thumbnail", size_text(bytes));
    line("format", fmt::format("{}.{}", info.version_major, info.version_minor));
    line("file id", info.file_id.hex());
    line("state hash", info.state_hash.hex() + " (stored)");
    std::uint64_t live = 0;
    for (const TableDescriptor& table : reader.tables()) live += table.live_count;
    line("tables",
         fmt::format("{} with {} in {}", reader.tables().size(), count_text(live, "live record"),
                     count_text(reader.blocks().size(), "block")));
    TextTable lines({false, true, false});
    for (const TableDescriptor& table : reader.tables()) {
      if (table.policy.is_component) {
        lines.add({escape_text(table.name), fmt::format("{}", table.live_count),
                   fmt::format("live, components of {}{}", escape_text(table.owner),
                               table.is_hashed() ? "" : ", unhashed")});
        continue;
      }
      lines.add(
          {escape_text(table.name), fmt::format("{}", table.live_count),
           fmt::format(
               "live, {} free, {} retired, {}handles {}{}", table.free_count, table.retired_count,
               table.unissued_count() == 0 ? ""
                                           : fmt::format("{} unissued, ", table.unissued_count()),
               layout_text(table.policy.layout), table.is_hashed() ? "" : ", unhashed")});
    }
    out.write(lines.text(4));
    for_dropped(reader, [&](const DroppedHandles& space, bool is_hashed) {
      line("dropped", fmt::format("{} up to generation {}{}", escape_text(space_text(space)),
                                  space.highest, is_hashed ? "" : ", unhashed"));
    });
    for (const Addition& addition : additions_of(reader, Heads::of_unknown_blocks))
      line("later", addition_text(addition));
  }

  static std::uint64_t thumbnail_bytes(const Reader& reader) {
    for (const BlockInfo& block : reader.blocks()) {
      if (static_cast<format::BlockType>(block.type) == format::BlockType::thumbnail)
        return block.raw_bytes;
    }
    return 0;
  }

  ExitStatus write_thumbnail(Context& context, const Reader& reader,
                             const std::string& file) const {
    if (const auto checked = check_output(file, thumbnail_, force_); !checked)
      return context.messages.error(checked.error(), "give another file to --thumbnail");
    const auto picture = reader.read_thumbnail();
    if (!picture) return context.messages.error(with_file(picture.error(), file));
    if (picture->empty()) {
      static_cast<void>(context.messages.error(
          file_error(file, ErrorCode::not_found, "the save has no thumbnail"),
          "the game gives one to save() (SaveOptions::thumbnail)"));
      return ExitStatus::finding;
    }
    const std::string_view bytes(reinterpret_cast<const char*>(picture->data()), picture->size());
    if (const auto written = write_text(bytes, thumbnail_); !written)
      return context.messages.error(written.error());
    const std::string_view type = image_type(*picture);
    context.messages.note(fmt::format("{} was written: {}, {}", thumbnail_,
                                      size_text(picture->size()),
                                      type.empty() ? "no known kind of picture" : type));
    return ExitStatus::fine;
  }

  // What dropped tables issued.
  template <class Print>
  static void for_dropped(const Reader& reader, const Print& print) {
    for (const std::uint8_t tag : format::kKnownCatalogExtensions) {
      for (const DroppedHandles& space : dropped_handles_of(reader.database(), tag))
        print(space, tag == format::kExtensionDroppedHandles);
    }
  }

  static void print_json(Context& context, const Reader& reader, const std::string& file) {
    const FileInfo& info = reader.info();
    JsonObject values;
    for (const auto& [name, value] : info.metadata.values) values.text(name, value);
    JsonArray tables;
    for (const TableDescriptor& table : reader.tables()) {
      JsonObject entry;
      entry.text("table", table.name).text("layout", layout_text(table.policy.layout));
      entry.number("live", table.live_count);
      entry.number("free", table.free_count).number("retired", table.retired_count);
      entry.number("unissued", table.unissued_count());
      if (table.policy.is_component) entry.text("owner", table.owner);
      tables.raw(entry.boolean("hashed", table.is_hashed()).str());
    }
    JsonObject object("info");
    object.text("file", json_name(file)).text("title", info.metadata.title);
    object.signed_number("date_unix_ms", info.metadata.date_unix_ms);
    object.number("play_time_ms", info.metadata.play_time_ms)
        .number("sequence", info.metadata.sequence);
    object.raw("values", values.str()).number("bytes", info.file_bytes);
    object.number("thumbnail_bytes", thumbnail_bytes(reader));
    object.text("format", fmt::format("{}.{}", info.version_major, info.version_minor));
    object.hash("file_id", info.file_id).hash("state_hash", info.state_hash);
    object.number("blocks", reader.blocks().size()).raw("tables", tables.str());
    JsonArray dropped;
    for_dropped(reader, [&](const DroppedHandles& space, bool is_hashed) {
      JsonObject entry;
      entry.text("layout", layout_text(space.layout)).number("type_id", space.type_id);
      const bool has_table = space.type_name.starts_with(format::kTableNameMark);
      if (has_table) entry.text("table", space.type_name.substr(1));
      entry.text("type_name", has_table ? std::string() : space.type_name);
      entry.number("highest_generation", space.highest);
      dropped.raw(entry.boolean("hashed", is_hashed).str());
    });
    object.raw("dropped", dropped.str());
    object.raw("later", additions_json(additions_of(reader, Heads::of_unknown_blocks)));
    context.out.line(object.str());
  }

  static std::string flags_text(std::uint8_t flags) {
    std::string text;
    if ((flags & format::kBlockCritical) != 0) text += "critical ";
    if ((flags & format::kBlockSafeToCopy) != 0) text += "safe_to_copy ";
    if ((flags & format::kBlockIndexed) != 0) text += "indexed ";
    if (!text.empty()) text.pop_back();
    return text;
  }

  static void print_blocks(Context& context, const Reader& reader) {
    if (context.globals.json) {
      for (std::size_t i = 0; i < reader.blocks().size(); ++i) {
        const BlockInfo& block = reader.blocks()[i];
        JsonObject object("block");
        object.number("offset", block.offset).number("bytes", block.total_bytes);
        object.text("block", block_type_text(block.type)).number("flags", block.flags);
        const std::vector<std::uint32_t> tables = reader.tables_in(i);
        if (static_cast<format::BlockType>(block.type) == format::BlockType::pack) {
          JsonArray names;
          for (const std::uint32_t table : tables)
            names.raw(json_text(reader.tables()[table].name));
          object.raw("tables", names.str());
        } else if (!tables.empty()) {
          object.text("table", reader.tables()[block.table].name).number("group", block.group);
        }
        object.number("part", block.part).number("stored_bytes", block.stored_bytes);
        object.number("raw_bytes", block.raw_bytes)
            .text("hash", fmt::format("{:016x}", block.payload_hash));
        context.out.line(object.str());
        if (context.out.closed()) return;
      }
      return;
    }
    std::size_t places = 5;
    for (const BlockInfo& block : reader.blocks()) {
      places = std::max(places, display_width(escape_text(block_place(reader, block))));
    }
    context.out.print("  {:<10}  {:>10}  {:>10}  {}  {:<16}  {}", "OFFSET", "STORED", "RAW",
                      pad_right("BLOCK", places), "HASH", "FLAGS");
    for (const BlockInfo& block : reader.blocks()) {
      context.out.print("  0x{:08x}  {:>10}  {:>10}  {}  {:016x}  {}", block.offset,
                        block.stored_bytes, block.raw_bytes,
                        pad_right(escape_text(block_place(reader, block)), places),
                        block.payload_hash, flags_text(block.flags));
      if (context.out.closed()) return;
    }
  }

  bool blocks_ = false;
  bool force_ = false;
  std::string thumbnail_;
  std::vector<std::string> files_;
};

}  // namespace

std::unique_ptr<Command> make_info() { return std::make_unique<Info>(); }

}  // namespace hdb::inspect
