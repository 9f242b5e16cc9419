// Additions of later versions: info, ls and validate -v list what this version does not know.
#include "later.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "command.hpp"
#include "format/forge.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/inspect/constants.hpp"
#include "interface/interface.hpp"
#include "interface/parser.hpp"
#include "support/folder.hpp"

namespace hdb::test::later_test {
namespace {

using namespace hdb::inspect;  // NOLINT(google-build-using-namespace): the subject of the test
using namespace hdb::format;   // NOLINT(google-build-using-namespace): names of the format
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint8_t kLaterType = 7;

Extension extension(std::uint8_t tag, std::uint8_t flags, std::size_t bytes) {
  return {tag, flags, Bytes(bytes, std::byte{0x41})};
}

// Tables `other` and `units` with this schema, without slots.
MemoryImage image_of(Field schema) {
  MemoryImage image;
  image.schema_list = {std::move(schema)};
  for (const std::string name : {"other", "units"}) {
    SampleTable table;
    table.descriptor.name = name;
    image.add(std::move(table));
  }
  return image;
}

AncillaryBlock block_of(const std::string& table = {}) {
  AncillaryBlock block{kLaterType, kBlockSafeToCopy, 0, 0, 6, {}, Bytes(6)};
  if (!table.empty()) {
    const auto name = std::as_bytes(std::span(table));
    block.extensions = {{kExtensionTableName, kExtensionSafeToCopy, {name.begin(), name.end()}}};
  }
  return block;
}

// What a command prints of a file, line by line; "FILE" is its path.
std::vector<std::string> lines_of(const Bytes& file, std::vector<std::string> words) {
  const Folder folder;
  const std::string path = folder / "save.hdb";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  words.insert(words.begin(), "hdbinspect");
  words.push_back(path);
  std::vector<const char*> line;
  for (const std::string& word : words) line.push_back(word.c_str());
  Globals globals;
  const auto commands = all_commands();
  const Interface all = describe_interface(
      commands, {{"-v,--verbose", &globals.verbose, "More"}, {"--json", &globals.json, "JSON"}});
  const Request request = parse_command_line(all, static_cast<int>(line.size()), line.data());
  EXPECT_EQ(request.kind, Request::Kind::run);
  ::testing::internal::CaptureStdout();
  {
    Output out(1, false);
    const Messages messages(globals, &out);
    Context context{globals, out, messages, all};
    (void)commands[request.command]->run(context);
  }
  std::istringstream printed(::testing::internal::GetCapturedStdout());
  std::vector<std::string> lines;
  for (std::string text; std::getline(printed, text);) {
    if (const std::size_t at = text.find(path); at != std::string::npos)
      text.replace(at, path.size(), "FILE");
    lines.push_back(std::move(text));
  }
  return lines;
}

// Of these lines the texts after "later".
std::vector<std::string> later_in(const std::vector<std::string>& lines) {
  std::vector<std::string> found;
  for (const std::string& line : lines) {
    constexpr std::string_view kWord = "  later ";
    if (line.starts_with(kWord)) found.push_back(line.substr(line.find_first_not_of(' ', 8)));
  }
  return found;
}
std::vector<std::string> later_of(const Bytes& file, std::vector<std::string> words) {
  return later_in(lines_of(file, std::move(words)));
}

// A file with an unknown block for each table, and one for none; extensions of a table and fields.
Bytes file_with_all() {
  Field hp = leaf(FieldKind::i32, "hp");
  hp.extensions = {extension(20, kExtensionHashed, 7)};
  MemoryImage image = image_of(record({std::move(hp)}));
  image.schema_list.push_back(record({leaf(FieldKind::u8, "age")}));
  image.data[0].descriptor.schema = 1;
  image.data[1].descriptor.extensions = {extension(9, kExtensionSafeToCopy, 1)};
  image.extra = {block_of("units"), block_of("gone"), block_of()};
  image.extensions = {extension(5, kExtensionHashed, 2)};
  ForgedFile file(written(image));
  file.blocks[file.find(static_cast<BlockType>(kLaterType)) + 2].head.info.flags = 0;
  return file.sealed();
}

std::vector<std::uint64_t> offsets_of(const Bytes& file, std::uint8_t type) {
  const auto reader = open_bytes(file).value();
  std::vector<std::uint64_t> offsets;
  for (const BlockInfo& block : reader->blocks())
    if (block.type == type) offsets.push_back(block.offset);
  return offsets;
}

TEST(Later, EveryAdditionHasALineInEachCommand) {
  const Bytes file = file_with_all();
  const std::vector<std::uint64_t> at = offsets_of(file, kLaterType);
  ASSERT_EQ(at.size(), 3u);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"info"},
                                                {"ls"},
                                                {"validate", "-v"},
                                                {"validate", "--level=quick", "--verbose"}}) {
    EXPECT_THAT(
        later_of(file, words),
        ElementsAre(
            fmt::format("block of type 7 at 0x{:08x}, 96 bytes, of table 'units', may be ignored, "
                        "safe to copy",
                        at[0]),
            fmt::format("block of type 7 at 0x{:08x}, 88 bytes, of table 'gone', may be ignored, "
                        "safe to copy",
                        at[1]),
            fmt::format("block of type 7 at 0x{:08x}, 80 bytes, may be ignored, not safe to copy",
                        at[2]),
            "extension 5 of the database, 2 bytes, part of the state, not safe to copy",
            "extension 9 of table 'units', 1 byte, not part of the state, safe to copy",
            "extension 20 of field 'hp' of table 'units', 7 bytes, part of the state, not safe to "
            "copy"))
        << words[0];
  }
  EXPECT_THAT(later_of(file, {"validate"}), IsEmpty());
}

TEST(Later, JsonHasEachAdditionOnce) {
  const Bytes file = file_with_all();
  const std::vector<std::uint64_t> at = offsets_of(file, kLaterType);
  ASSERT_EQ(at.size(), 3u);
  const auto block = [&](std::size_t i, const char* table, int bytes, bool is_safe) {
    return fmt::format(
        R"("what":"block","block_type":7,"offset":{},{}"bytes":{},"state":false,"safe_to_copy":{})",
        at[i], table, bytes, is_safe);
  };
  const std::string units = block(0, R"("table":"units",)", 96, true);
  const std::string gone = block(1, R"("table":"gone",)", 88, true);
  const std::string nobody = block(2, "", 80, false);
  const std::string database =
      R"("what":"database_extension","tag":5,"bytes":2,"state":true,"safe_to_copy":false)";
  const std::string extensions =
      R"({"what":"table_extension","tag":9,"table":"units","bytes":1,"state":false,)"
      R"("safe_to_copy":true},)"
      R"({"what":"field_extension","tag":20,"table":"units","field":"hp","other_tables":0,)"
      R"("bytes":7,"state":true,"safe_to_copy":false})";
  const std::string all = R"("later":[{)" + units + "},{" + gone + "},{" + nobody + "},{" +
                          database + "}," + extensions + "]}";
  const auto end_of = [](const std::string& line) { return line.substr(line.find("\"later\"")); };
  EXPECT_EQ(end_of(lines_of(file, {"info", "--json"}).at(0)), all);
  EXPECT_EQ(end_of(lines_of(file, {"validate", "-v", "--json"}).at(0)), all);
  EXPECT_EQ(lines_of(file, {"validate", "--json"}).at(0).find("later"), std::string::npos);
  const std::vector<std::string> tables = lines_of(file, {"ls", "--json"});
  ASSERT_EQ(tables.size(), 5u);
  EXPECT_EQ(end_of(tables[0]), R"("later":[]})");
  EXPECT_EQ(end_of(tables[1]), R"("later":[{)" + units + "}," + extensions + "]}");
  EXPECT_EQ(tables[2], R"({"type":"later","v":1,"file":"FILE",)" + nobody + "}");
  EXPECT_EQ(tables[3], R"({"type":"later","v":1,"file":"FILE",)" + database + "}");
  EXPECT_EQ(tables[4], R"({"type":"later","v":1,"file":"FILE",)" + gone + "}");
}

TEST(Later, FieldsAreNamedByTheirPaths) {
  auto extended = [tag = std::uint8_t{60}](Field field) mutable {
    field.extensions.push_back(extension(++tag, kExtensionHashed | kExtensionSafeToCopy, 0));
    return field;
  };
  Field mood = node(FieldKind::enumeration, "mood", {leaf(FieldKind::u8)});
  set_enumerators(mood, {{0, "calm"}});
  Field map = node(FieldKind::map, "m", {});
  map.children = {leaf(FieldKind::u8), extended(leaf(FieldKind::u8))};
  Field choice = node(FieldKind::variant, "v", {leaf(FieldKind::u8), leaf(FieldKind::i8)});
  choice.children[1] = extended(choice.children[1]);
  Field position = node(FieldKind::structure, "", {extended(leaf(FieldKind::f32, "x\u202e"))});
  Field root = extended(
      record({extended(mood), map, choice,
              node(FieldKind::list, "l", {node(FieldKind::optional, "", {extended(position)})})}));
  MemoryImage image = image_of(root);
  const std::string end =
      "of table 'other' and 1 other table, 0 bytes, part of the state, "
      "safe to copy";
  EXPECT_THAT(
      later_of(written(image), {"info"}),
      ElementsAre("extension 66 of the schema " + end, "extension 64 of field 'mood' " + end,
                  "extension 61 of field 'm[].value' " + end, "extension 62 of field 'v<1>' " + end,
                  "extension 65 of field 'l[]?' " + end,
                  "extension 63 of field 'l[]?.x\\u{202e}' " + end));
  for (SampleTable& table : image.data) table.descriptor.scope = Scope::unhashed;
  EXPECT_EQ(later_of(written(image), {"info"}).at(0),
            "extension 66 of the schema of table 'other' and 1 other table, 0 bytes, not part of "
            "the state, safe to copy");
}

void extend_head(ForgedBlock& block, const std::vector<Extension>& extensions) {
  Bytes region;
  ByteWriter out(region);
  write_extensions(extensions, out);
  out.pad_to(kAlignment);
  block.head.info.extension_bytes += static_cast<std::uint32_t>(region.size());
  block.payload.insert(block.payload.begin(), region.begin(), region.end());
}

TEST(Later, OfHeadsOfKnownBlocksOnlyIfAllBlocksWereRead) {
  MemoryImage image = image_of(record({leaf(FieldKind::u8, "age")}));
  image.extra = {block_of()};
  ForgedFile forged(written(image));
  const Extension later = extension(77, kExtensionHashed | kExtensionSafeToCopy, 5);
  for (ForgedBlock& block : forged.blocks)
    if (block.head.info.part == 0) extend_head(block, {later});
  const Bytes file = forged.sealed();
  const auto later_block = offsets_of(file, kLaterType).at(0);
  const auto head = [](std::uint64_t at, const char* block, const char* safe) {
    return fmt::format(
        "extension 77 of the head of the block at 0x{:08x} ({}), 5 bytes, not part "
        "of the state, {}safe to copy",
        at, block, safe);
  };
  const std::string block = fmt::format(
      "block of type 7 at 0x{:08x}, 96 bytes, may be ignored, safe to copy", later_block);
  const std::string of_block = head(later_block, "unknown 7", "");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"info"}, {"ls"}, {"validate", "-v", "--level=quick"}}) {
    EXPECT_THAT(later_of(file, words), ElementsAre(block, of_block)) << words[0];
  }
  const std::uint64_t catalog = offsets_of(file, 3).at(0);
  EXPECT_THAT(later_of(file, {"validate", "-v"}),
              ElementsAre(head(0x40, "metadata", "not "), head(catalog, "catalog", "not "), block,
                          of_block));
}

TEST(Later, AnUnknownBlockThatCannotBeReadIsListed) {
  MemoryImage image = image_of(record({leaf(FieldKind::u8, "age")}));
  image.extra = {block_of("units")};
  Bytes file = written(image);
  const std::uint64_t at = offsets_of(file, kLaterType).at(0);
  file[static_cast<std::size_t>(at) + kBlockHeadBytes + 5] ^= std::byte{1};
  const std::string line = fmt::format(
      "block of type 7 at 0x{:08x}, 96 bytes, of an unknown table (block_checksum), "
      "may be ignored, safe to copy",
      at);
  EXPECT_THAT(later_of(file, {"info"}), ElementsAre(line));
  EXPECT_THAT(later_of(file, {"validate", "-v"}), ElementsAre(line));
  EXPECT_THAT(lines_of(file, {"ls", "--json"}).at(2),
              ::testing::HasSubstr(R"("offset":)" + std::to_string(at) +
                                   R"(,"fault":"block_checksum","bytes":96)"));
}

TEST(Later, KnownExtensionsAreNotListed) {
  Field mood = node(FieldKind::enumeration, "mood", {leaf(FieldKind::u8)});
  set_enumerators(mood, {{0, "calm"}});
  const Bytes file = written(image_of(record({mood})));
  for (const char* command : {"info", "ls"}) EXPECT_THAT(later_of(file, {command}), IsEmpty());
  EXPECT_THAT(later_of(file, {"validate", "-v"}), IsEmpty());
  EXPECT_THAT(later_of(written(sample_image()), {"validate", "-v"}), IsEmpty());
}

TEST(Later, TheRestOfALongListIsCounted) {
  MemoryImage image = image_of(record({leaf(FieldKind::u8, "age")}));
  image.extra.assign(kMaxListedAdditions, block_of());
  EXPECT_EQ(later_of(written(image), {"ls"}).size(), kMaxListedAdditions);
  image.extra.push_back(block_of());
  image.data[0].descriptor.extensions = {extension(9, 0, 1)};
  const std::vector<std::string> lines = later_of(written(image), {"ls"});
  ASSERT_EQ(lines.size(), kMaxListedAdditions + 1);
  EXPECT_EQ(lines.back(), "2 other additions");
  EXPECT_EQ(lines_of(written(image), {"ls", "--json"}).back(),
            R"({"type":"later","v":1,"file":"FILE","what":"others","count":2})");
}

}  // namespace
}  // namespace hdb::test::later_test
