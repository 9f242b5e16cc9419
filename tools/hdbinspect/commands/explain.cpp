// explain HDB-E0231: what an error means and what to do next. explain FILE OFFSET: what covers a
// byte.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "command.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/reader.hpp"
#include "input.hpp"
#include "system/paths.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

// As JSON calls a category.
std::string_view category_word(ErrorCategory category) noexcept {
  if (category == ErrorCategory::newer) return "newer";
  return category == ErrorCategory::io ? "io" : category_name(category);
}

// A byte of a file: what it is in, and which part of that.
struct Location {
  std::string where;  // as in the file, not escaped
  std::string part;
  std::uint64_t begin = 0;  // of the part, in the file
  std::uint64_t bytes = 0;  // of the part
};

// Which part of a row group's block or of any other one.
Location location_in(const Reader& reader, const BlockInfo& block, std::uint64_t offset) {
  const std::string where = block_place(reader, block);
  const std::uint64_t extensions = block.offset + format::kBlockHeadBytes;
  const std::uint64_t payload = extensions + block.extension_bytes;
  const std::uint64_t end = extensions + block.stored_bytes;
  if (offset < extensions) return {where, "block head", block.offset, format::kBlockHeadBytes};
  if (offset < payload) return {where, "extensions of the head", extensions, block.extension_bytes};
  if (offset >= end) return {where, "padding", end, block.offset + block.total_bytes - end};
  if (static_cast<format::BlockType>(block.type) != format::BlockType::rows)
    return {where, "payload", payload, end - payload};
  const auto chunks = reader.chunks(block.table, block.group);
  if (!chunks) return {where, "payload (its index is damaged)", payload, end - payload};
  std::uint64_t index_end = end;
  for (const ChunkInfo& chunk : *chunks) {
    if (chunk.offset < payload || chunk.offset >= end) continue;  // in another part of the group
    index_end = std::min(index_end, chunk.offset);
    if (offset < chunk.offset || offset - chunk.offset >= chunk.stored_bytes) continue;
    return {where + chunk_place(reader, block, chunk), "stored bytes of a column", chunk.offset,
            chunk.stored_bytes};
  }
  return {where, "index of columns", payload, index_end - payload};
}

Location location_of(const Reader& reader, std::uint64_t offset) {
  const std::uint64_t footer = reader.info().file_bytes - format::kFooterBytes;
  if (offset < format::kHeaderBytes) return {"header", "header", 0, format::kHeaderBytes};
  if (offset >= footer) return {"footer", "footer", footer, format::kFooterBytes};
  std::uint64_t blocks_end = format::kHeaderBytes;
  for (const BlockInfo& block : reader.blocks()) {
    if (offset >= block.offset && offset - block.offset < block.total_bytes)
      return location_in(reader, block, offset);
    blocks_end = std::max(blocks_end, block.offset + block.total_bytes);
  }
  return {"directory", "directory", blocks_end, footer - blocks_end};
}

std::optional<std::uint64_t> read_offset(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  std::uint64_t offset = 0;
  const auto [at, error] =
      std::from_chars(text.data(), text.data() + text.size(), offset, hex ? 16 : 10);
  if (error != std::errc{} || at != text.data() + text.size()) return std::nullopt;
  return offset;
}

class Explain final : public Command {
 public:
  Explain() {
    describe({"explain",
              "Explain an error, or show which part of a file contains a byte",
              "$ hdbinspect explain HDB-E0231        what the error means and what to do\n"
              "$ hdbinspect explain block_checksum   the same, by name\n"
              "$ hdbinspect explain                  all errors\n"
              "$ hdbinspect explain slot1.hdb 0x2a140   the part of the file with this byte",
              {{"[WHAT]", &errors_,
                "HDB-E0231, E0231, 231 or a name; or a save file and an offset in bytes, decimal "
                "or 0x...",
                file_name()}}});
  }

  ExitStatus run(Context& context) override {
    if (errors_.empty()) {
      for (const ErrorCode code : all_error_codes()) print(context, code);
      return ExitStatus::fine;
    }
    if (errors_.size() == 2 && !find(errors_[0])) {
      if (const auto offset = read_offset(errors_[1]))
        return explain_byte(context, errors_[0], *offset);
      if (std::error_code ignored; std::filesystem::exists(utf8_path(errors_[0]), ignored)) {
        return context.messages.usage(fmt::format("'{}' is not an offset", errors_[1]),
                                      "give a number of bytes, decimal or 0x...");
      }
    }
    ExitStatus status = ExitStatus::fine;
    for (const std::string& text : errors_) {
      if (const auto code = find(text)) {
        print(context, *code);
      } else {
        std::vector<std::string> names;
        for (const ErrorCode known : all_error_codes()) names.emplace_back(code_name(known));
        context.messages.usage(fmt::format("no error '{}'{}", text, did_you_mean(text, names)),
                               "hdbinspect explain");
        status = ExitStatus::trouble;
      }
    }
    return status;
  }

 private:
  static ExitStatus explain_byte(Context& context, const std::string& file, std::uint64_t offset) {
    ReadOptions options;
    options.accept_damaged_copies = true;
    const auto reader = open_reader(file, options);
    if (!reader) return context.messages.error(reader.error());
    const std::uint64_t bytes = (*reader)->info().file_bytes;
    if (offset >= bytes) {
      return context.messages.error(
          file_error(file, ErrorCode::not_found,
                     fmt::format("there is no byte {}: the file has {} bytes", offset, bytes)),
          fmt::format("give an offset below {}", bytes));
    }
    const Location found = location_of(**reader, offset);
    if (context.globals.json) {
      JsonObject object("location");
      object.text("file", json_name(file)).number("offset", offset).text("in", found.where);
      object.text("part", found.part).number("part_offset", found.begin);
      object.number("part_bytes", found.bytes);
      context.out.line(object.str());
      return ExitStatus::fine;
    }
    context.out.print("{}: byte {} (0x{:08x})", printable_text(shown_name(file)), offset, offset);
    context.out.print("  in      {}", escape_text(found.where));
    context.out.print("  part    {}: byte {} of {}; the part begins at 0x{:08x}", found.part,
                      offset - found.begin, found.bytes, found.begin);
    return ExitStatus::fine;
  }

  static std::optional<ErrorCode> find(std::string_view text) {
    for (const ErrorCode code : all_error_codes()) {
      if (text == code_name(code)) return code;
    }
    for (const std::string_view prefix : {"HDB-E", "hdb-e", "E", "e"}) {
      if (text.starts_with(prefix)) {
        text.remove_prefix(prefix.size());
        break;
      }
    }
    unsigned number = 0;
    const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || at != text.data() + text.size()) return std::nullopt;
    for (const ErrorCode code : all_error_codes()) {
      if (static_cast<unsigned>(code) == number) return code;
    }
    return std::nullopt;
  }

  void print(Context& context, ErrorCode code) const {
    if (context.globals.json) {
      JsonObject object("explanation");
      object.text("id", code_id(code)).text("name", code_name(code));
      object.text("category", category_word(category_of(code)));
      object.text("text", code_text(code)).text("next", code_next_step(code));
      return context.out.line(object.str());
    }
    if (errors_.empty()) {
      return context.out.print("{}  {:<22} {}", code_id(code), code_name(code), code_text(code));
    }
    context.out.print("{} {}: {}", code_id(code), code_name(code), code_text(code));
    context.out.print("  kind    {}", category_name(category_of(code)));
    if (!code_next_step(code).empty()) context.out.print("  next    {}", code_next_step(code));
  }

  std::vector<std::string> errors_;
};

}  // namespace

std::unique_ptr<Command> make_explain() { return std::make_unique<Explain>(); }

}  // namespace hdb::inspect
