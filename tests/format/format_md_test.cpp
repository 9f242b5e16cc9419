// FORMAT.md is decoded: its vectors, limits, registries and worked example are those of the code.
#include <gtest/gtest.h>

#include <charconv>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "base/blake2b.hpp"
#include "format/columns/filter.hpp"
#include "format/example_image.hpp"
#include "format/frame/catalog.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/inspect/checks.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "support/source_folder.hpp"

namespace hdb::test {
namespace {

std::vector<std::string> lines_of_document() {
  std::ifstream in(in_sources("schema/FORMAT.md"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  EXPECT_FALSE(lines.empty());
  return lines;
}

Bytes from_hex(std::string_view text) {
  Bytes bytes;
  std::string digits;
  for (const char c : text) {
    if (c == ' ' || c == '`') continue;
    digits += c;
    if (digits.size() < 2) continue;
    unsigned value = 0;
    const auto end = std::from_chars(digits.data(), digits.data() + 2, value, 16);
    EXPECT_EQ(end.ptr, digits.data() + 2) << text;
    bytes.push_back(static_cast<std::byte>(value));
    digits.clear();
  }
  EXPECT_TRUE(digits.empty()) << text;
  return bytes;
}

// All fenced blocks that open with "```<tag>", joined; each line is "offset: bytes | meaning".
Bytes hex_blocks(const std::string& tag) {
  Bytes bytes;
  bool inside = false;
  for (const std::string& line : lines_of_document()) {
    if (line.starts_with("```")) {
      inside = line == "```" + tag;
      continue;
    }
    if (!inside) continue;
    const std::size_t colon = line.find(':');
    const std::size_t bar = line.find('|');
    std::size_t offset = 0;
    std::from_chars(line.data(), line.data() + colon, offset, 16);
    EXPECT_EQ(offset, bytes.size()) << line;
    const std::string text =
        line.substr(colon + 1, bar == std::string::npos ? bar : bar - colon - 1);
    const Bytes more = from_hex(text);
    bytes.insert(bytes.end(), more.begin(), more.end());
  }
  return bytes;
}

std::string trimmed(std::string text) {
  const auto is_edge = [](char c) { return c == ' ' || c == '`'; };
  while (!text.empty() && is_edge(text.front())) text.erase(text.begin());
  while (!text.empty() && is_edge(text.back())) text.pop_back();
  return text;
}

// Rows of the tables whose head begins with `first_cell`, under the heading `section`.
std::vector<std::vector<std::string>> rows_under(const std::string& section) {
  std::vector<std::vector<std::string>> rows;
  bool inside = false;
  for (const std::string& line : lines_of_document()) {
    if (line.starts_with("#")) inside = line.find(section) != std::string::npos;
    if (!inside || !line.starts_with("| ")) continue;
    std::vector<std::string> cells;
    std::stringstream in(line.substr(1));
    for (std::string cell; std::getline(in, cell, '|');) cells.push_back(trimmed(cell));
    rows.push_back(cells);
  }
  EXPECT_FALSE(rows.empty()) << section;
  return rows;
}

TEST(FormatMd, ContentsListEachSection) {
  std::vector<std::string> listed;
  std::vector<std::string> sections;
  for (const std::string& line : lines_of_document()) {
    if (line.starts_with("- [") && line.ends_with(")")) {
      listed.push_back(line.substr(3, line.find(']') - 3));
    } else if (line.starts_with("## ") && line != "## Contents") {
      sections.push_back(line.substr(3));
    }
  }
  EXPECT_EQ(listed, sections);
}

TEST(FormatMd, TheExampleIsWhatTheWriterWrites) {
  const Bytes bytes = hex_blocks("hex file");
  const Hash128 id = (*open_bytes(bytes))->info().file_id;
  EXPECT_EQ(bytes, written(example_image(), {.codec = Codec::none, .packs = false, .file_id = id}));
  const Bytes packed = written(example_image(), {.codec = Codec::none});
  const auto reader = open_bytes(packed);
  ASSERT_TRUE(reader);
  const BlockInfo& pack = (*reader)->blocks()[2];
  EXPECT_EQ(pack.type, static_cast<std::uint8_t>(format::BlockType::pack));
  EXPECT_EQ(pack.group, 1U);
  EXPECT_EQ((*reader)->read_payload(2).value(), hex_blocks("hex pack"));
}

TEST(FormatMd, TheExampleIsRead) {
  const Bytes bytes = hex_blocks("hex file");
  ReadOptions options;
  options.verify_raw_hashes = true;
  const Status status = read_everything(bytes, options);
  ASSERT_TRUE(status) << status.error().message();
  expect_equal(example_image(), *image_of(*open_bytes(bytes)));
}

TEST(FormatMd, TheStateHashIsThatOfItsBytes) {
  const Bytes bytes = hex_blocks("hex state");
  const auto reader = open_bytes(hex_blocks("hex file"));
  ASSERT_TRUE(reader);
  EXPECT_EQ(hash128(bytes).hex(), (*reader)->info().state_hash.hex());
  bool told = false;
  for (const std::string& line : lines_of_document()) {
    told |= line == "which is `" + hash128(bytes).hex() + "`.";
  }
  EXPECT_TRUE(told);
}

TEST(FormatMd, TheRowHashesAddUp) {
  Hash128 sum;
  unsigned slots = 0;
  for (const auto& row : rows_under("14.1")) {
    if (row[0] == "what") continue;
    const Hash128 hash = hash128(from_hex(row[2]), std::stoull(row[1], nullptr, 16));
    EXPECT_EQ(hash.hex(), row[3]) << row[0];
    if (!row[0].starts_with("slot ")) continue;
    sum += hash;
    ++slots;
  }
  EXPECT_EQ(slots, 4U);
  const MemoryImage image = example_image();
  EXPECT_EQ(sum, group_record_hash(image.schema_list[0], image.data[0].groups[0]));
  EXPECT_EQ(schema_fingerprint(image.schema_list[0]).hex(), rows_under("14.1")[1][3]);
}

Bytes input_of_vector(const std::string& name) {
  if (!name.starts_with("seq ")) return name == "(empty)" ? Bytes() : from_hex(name);
  Bytes input(std::stoul(name.substr(4)));
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<std::byte>(i % 251);
  return input;
}

// Three tables follow each other: hashes with seed 0, hashes with another seed, and seeds.
TEST(FormatMd, HashVectors) {
  std::map<std::string, unsigned> checked;
  std::string table;
  for (const auto& row : rows_under("13.1")) {
    if (row[0] == "input" || row[0] == "slot") {
      table = row[0] + " " + row[1];
      continue;
    }
    ++checked[table];
    const auto number = [&](std::size_t column) {
      return static_cast<std::uint32_t>(std::stoul(row[column]));
    };
    const auto hex = [](std::uint64_t value) { return Hash128{value, 0}.hex().substr(16); };
    if (table == "input XXH3-64") {
      EXPECT_EQ(row[1], hex(hash64(input_of_vector(row[0])))) << row[0];
      EXPECT_EQ(row[2], hash128(input_of_vector(row[0])).hex()) << row[0];
    } else if (table == "input seed") {
      const std::uint64_t seed = std::stoull(row[1], nullptr, 16);
      EXPECT_EQ(row[2], hash128(input_of_vector(row[0]), seed).hex()) << row[0];
    } else {
      EXPECT_EQ(row[3], hex(row_seed(number(0), number(1), number(2)))) << row[0];
    }
  }
  EXPECT_EQ(checked, (std::map<std::string, unsigned>{
                         {"input XXH3-64", 7}, {"input seed", 7}, {"slot generation", 4}}));
}

TEST(FormatMd, ChunkIdVectors) {
  unsigned checked = 0;
  for (const auto& row : rows_under("13.2")) {
    if (row[0] == "input") continue;
    const auto id = detail::blake2b_256(input_of_vector(row[0]));
    EXPECT_EQ(Bytes(id.begin(), id.end()), from_hex(row[1])) << row[0];
    ++checked;
  }
  EXPECT_EQ(checked, 3U);
}

TEST(FormatMd, FilterVectors) {
  const std::map<std::string, format::Filter> filters{
      {"constant", format::Filter::constant},
      {"shuffle", format::Filter::shuffle},
      {"delta_shuffle", format::Filter::delta_shuffle}};
  unsigned checked = 0;
  for (const auto& row : rows_under("13.3")) {
    if (row[0] == "filter") continue;
    const auto width = static_cast<unsigned>(std::stoul(row[1]));
    const Bytes raw = from_hex(row[2]);
    Bytes filtered(format::filtered_size(filters.at(row[0]), raw.size(), width));
    format::apply_filter(filters.at(row[0]), raw, width, filtered.data());
    EXPECT_EQ(filtered, from_hex(row[3])) << row[0] << ' ' << width;
    ++checked;
  }
  EXPECT_EQ(checked, 5U);
}

TEST(FormatMd, FingerprintVectors) {
  unsigned checked = 0;
  for (const auto& row : rows_under("13.4")) {
    if (row[0] == "schema") continue;
    const Bytes stored = from_hex(row[0]);
    ByteReader in(stored);
    const Field schema = read_schema(in);
    ASSERT_TRUE(in.ok()) << row[0];
    EXPECT_EQ(schema_fingerprint(schema).hex(), row[2]);
    EXPECT_EQ(hash128(from_hex(row[1])).hex(), row[2]);
    ++checked;
  }
  EXPECT_EQ(checked, 3U);
}

TEST(FormatMd, FreeListVectors) {
  for (const auto& row : rows_under("13.5")) {
    if (row[0] == "policy") continue;
    std::vector<std::uint32_t> list(5000);
    for (std::uint32_t i = 0; i < list.size(); ++i) list[i] = row[0] == "FIFO" ? i : 4999 - i;
    const std::span<const std::uint32_t> entries(list);
    Hash128 sum = free_list_page_hash(0, entries.first(4096));
    sum += free_list_page_hash(1, entries.subspan(4096));
    EXPECT_EQ(sum.hex(), row[1]) << row[0];
  }
}

// "`00` `01`": the hexadecimal digits of each.
std::vector<std::string> codes_in(std::string_view text) {
  std::vector<std::string> codes;
  std::string code;
  for (const char c : text) {
    if (c != '`' && c != ' ') code += c;
    if (c == ' ') codes.push_back(std::exchange(code, {}));
  }
  if (!code.empty()) codes.push_back(code);
  return codes;
}

TEST(FormatMd, StateVectors) {
  unsigned checked = 0;
  for (const auto& row : rows_under("13.6")) {
    if (row[0] == "state") continue;
    const auto catalog = format::decode_catalog(from_hex(row[1]), 0, {});
    ASSERT_TRUE(catalog) << row[0] << ": " << catalog.error().message();
    std::vector<std::string> codes = codes_in(row[2]);
    std::vector<TableHashes> hashes(catalog->tables.size());
    ASSERT_EQ(codes.size(), 2 * hashes.size()) << row[0];
    const auto hash_of = [](const std::string& code) {
      const Bytes bytes = from_hex(code);  // most significant first
      Hash128 hash;
      for (std::size_t i = 0; i < 16; ++i) {
        std::uint64_t& half = i < 8 ? hash.high : hash.low;
        half = half << 8 | std::to_integer<std::uint64_t>(bytes[i]);
      }
      return hash;
    };
    for (std::size_t i = 0; i < hashes.size(); ++i)
      hashes[i] = {hash_of(codes[2 * i]), hash_of(codes[2 * i + 1])};
    EXPECT_EQ(
        combine_state_hash(catalog->schemas, catalog->tables, hashes, catalog->database).hex(),
        row[3])
        << row[0];
    ++checked;
  }
  EXPECT_EQ(checked, 3U);
}

TEST(FormatMd, LimitsAreThoseOfTheCode) {
  using namespace format;
  const ReadLimits reader;
  const std::map<std::string, std::uint64_t> limits = {
      {"kMaxTables", kMaxTables},
      {"kMaxSchemas", kMaxSchemas},
      {"kMaxNameBytes", kMaxNameBytes},
      {"kMaxSchemaDepth", kMaxSchemaDepth},
      {"kMaxSchemaFields", kMaxSchemaFields},
      {"kMaxFieldsPerFile", kMaxFieldsPerFile},
      {"kMaxAlternatives", kMaxAlternatives},
      {"kMaxArrayCount", kMaxArrayCount},
      {"kMaxFixedRowBytes", kMaxFixedRowBytes},
      {"kMaxCatalogBytes", kMaxCatalogBytes},
      {"kMaxMetadataBytes", kMaxMetadataBytes},
      {"kMaxThumbnailBytes", kMaxThumbnailBytes},
      {"kMaxAncillaryBytes", kMaxAncillaryBytes},
      {"kMaxChunkRawBytes", kMaxChunkRawBytes},
      {"kMaxPartRawBytes", kMaxPartRawBytes},
      {"kFreeListBlockEntries", kFreeListBlockEntries},
      {"kFreeListPageEntries", kFreeListPageEntries},
      {"kMaxPackBytes", kMaxPackBytes},
      {"kMaxZstdWindowBytes", kMaxZstdWindowBytes},
      {"kMaxZstdBlockBytes", kMaxZstdBlockBytes},
      {"kMaxBlobCapacityBytes", kMaxBlobCapacityBytes},
      {"kMaxBlobAlignment", kMaxBlobAlignment},
      {"kMaxExtensionBytes", kMaxExtensionBytes},
      {"kMaxCatalogExtensionBytes", kMaxCatalogExtensionBytes},
      {"kMaxBlocks", kMaxBlocks},
      {"kMaxFileBytes", kMaxFileBytes},
      {"max_file_bytes", reader.max_file_bytes},
      {"max_slots_per_table", reader.max_slots_per_table},
      {"max_tables", reader.max_tables},
      {"max_schema_fields", reader.max_schema_fields},
      {"max_blocks", reader.max_blocks},
      {"max_metadata_bytes", reader.max_metadata_bytes},
      {"max_thumbnail_bytes", reader.max_thumbnail_bytes},
      {"max_directory_bytes", reader.max_directory_bytes},
      {"max_column_bytes", reader.max_column_bytes},
      {"max_memory_bytes", reader.max_memory_bytes},
      {"max_content_ratio", reader.max_content_ratio},
  };
  std::size_t told = 0;
  for (const auto& row : rows_under("9. Limits")) {
    if (row[0] == "constant" || row[0] == "limit") continue;
    const auto limit = limits.find(row[0]);
    ASSERT_NE(limit, limits.end()) << row[0];
    EXPECT_EQ(std::to_string(limit->second), row[1]) << row[0];
    ++told;
  }
  EXPECT_EQ(told, limits.size());
}

TEST(FormatMd, FieldTypesAreThoseOfTheCode) {
  std::size_t told = 0;
  for (const auto& row : rows_under("4.1 Field types")) {
    if (row[0] == "number") continue;
    Field field = leaf(static_cast<FieldKind>(std::stoi(row[0])));
    EXPECT_EQ(kind_name(field.kind), row[1]);
    if (row[2].size() == 1 && row[2] != "-") {
      EXPECT_EQ(std::to_string(fixed_width(field)), row[2]) << row[1];
    }
    ++told;
  }
  EXPECT_EQ(told, 24U);
  EXPECT_EQ(kind_name(static_cast<FieldKind>(25)), "unknown");
}

TEST(FormatMd, RegistriesAreThoseOfTheCode) {
  using namespace format;
  const auto names = [](const std::string& section) {
    std::string text;
    for (const auto& row : rows_under(section)) {
      if (row[0] != "number") text += row[0] + " " + row[1] + ";";
    }
    return text;
  };
  const auto number = [](auto value) { return std::to_string(static_cast<int>(value)); };
  EXPECT_EQ(names("2.3 Block types"),
            number(BlockType::metadata) + " metadata;" + number(BlockType::thumbnail) +
                " thumbnail;" + number(BlockType::catalog) + " catalog;" + number(BlockType::rows) +
                " rows;" + number(BlockType::free_list) + " free_list;" + number(BlockType::pack) +
                " pack;");
  EXPECT_EQ(names("5.3 Filters"), number(Filter::none) + " none;" + number(Filter::constant) +
                                      " constant;" + number(Filter::shuffle) + " shuffle;" +
                                      number(Filter::delta_shuffle) + " delta_shuffle;");
  EXPECT_EQ(names("5.4 Codecs"), number(Codec::none) + " none;" + number(Codec::zstd) + " zstd;");
}

TEST(FormatMd, LayoutsAreThoseOfTheCode) {
  std::size_t told = 0;
  for (const auto& row : rows_under("4.3 Handle layouts")) {
    if (row[0] == "index") continue;
    HandleLayout layout;
    layout.index_bits = static_cast<std::uint8_t>(std::stoi(row[0]));
    layout.generation_bits = static_cast<std::uint8_t>(std::stoi(row[1]));
    layout.type_bits = static_cast<std::uint8_t>(std::stoi(row[2]));
    EXPECT_TRUE(layout.is_valid());
    EXPECT_EQ(std::to_string(layout.byte_size()), row[3]);
    EXPECT_EQ(std::to_string(layout.max_generation()), row[4]);
    EXPECT_EQ(std::to_string(layout.max_slots()), row[5]);
    ++told;
  }
  EXPECT_EQ(told, 10U);
}

TEST(FormatMd, TheVersionIsThatOfTheCode) {
  const std::string version =
      std::to_string(format::kVersionMajor) + "." + std::to_string(format::kVersionMinor);
  bool told = false;
  for (const std::string& line : lines_of_document())
    told |= line.starts_with("Version " + version + ", ");
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace hdb::test
