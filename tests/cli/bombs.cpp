// Files of a few KB that would need gigabytes, and a program that loads them:
// bombs make FOLDER; bombs load KIND FILE. For bomb_test.py.
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <cereal/types/array.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

#include "format/sample.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/hdb.hpp"
#include "hdb/inspect/constants.hpp"

namespace hdb::test {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;

Bytes varint(std::uint64_t value) {
  Bytes bytes;
  ByteWriter(bytes).varint(value);
  return bytes;
}

void write(const std::filesystem::path& path, const Bytes& file) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  if (!out.flush()) std::exit(2);
}

// Records with one field `list`, whose columns are given.
void write(const std::filesystem::path& path, Field list, std::vector<Bytes> columns,
           std::uint32_t records = 1) {
  MemoryImage image;
  list.name = "list";
  image.schema_list = {record({std::move(list)})};
  SampleTable table;
  table.descriptor.name = "t";
  table.descriptor.policy.storage = Storage::stable;
  table.descriptor.group_shift = format::kMaxGroupShift;
  table.descriptor.slot_count = table.descriptor.live_count = records;
  table.descriptor.highest_generation = 1;
  RowGroup group;
  group.states.assign(records, 1);
  group.generations.assign(records, 1);
  group.columns = std::move(columns);
  table.groups.push_back(std::move(group));
  image.add(std::move(table));
  image.gives_hashes = false;
  WriteOptions options;
  options.level = 1;
  options.limits.max_content_ratio = ~std::uint64_t{0};
  options.file_id = hash128(bytes_of(path.filename().string()));
  write(path, written(image, options));
}

// Damages each block of rows of a table.
void write_damaged(const std::filesystem::path& path, Database& db, std::string_view table) {
  MemorySink sink;
  SaveOptions options;
  options.write.level = 1;
  options.write.packs = false;
  options.write.limits.max_content_ratio = ~std::uint64_t{0};
  if (!save(db.capture(), sink, options)) std::exit(2);
  Bytes file = sink.take();
  const auto reader = Reader::open(std::make_unique<MemorySource>(file)).value();
  for (const BlockInfo& block : reader->blocks()) {
    if (static_cast<format::BlockType>(block.type) != format::BlockType::rows) continue;
    if (reader->tables()[block.table].name == table)
      file[static_cast<std::size_t>(block.offset) + format::kBlockHeadBytes] ^= std::byte{1};
  }
  write(path, file);
}

template <class T>
struct Holder {
  T list;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(list));
  }
};

void make_damaged(const std::filesystem::path& folder) {
  Database records;
  auto& many = records.create_table<std::uint8_t>("records");
  for (std::uint64_t i = 0; i < 4 * kMillion; ++i) many.insert(0);
  write_damaged(folder / "records_4M.damaged", records, "records");
  Database handles;
  auto& targets = handles.create_table<std::uint8_t>("targets");
  auto& holders = handles.create_table<Holder<std::vector<Handle<std::uint8_t>>>>("holders");
  holders.insert({{std::vector<Handle<std::uint8_t>>(3 * kMillion, targets.insert(0))}});
  write_damaged(folder / "handles_3M.damaged", handles, "targets");
}

int make(const std::filesystem::path& folder) {
  const auto list = [](FieldKind element) { return node(FieldKind::list, "", {leaf(element)}); };
  const auto zeros = [](std::uint64_t count) { return Bytes(static_cast<std::size_t>(count)); };
  for (const std::uint64_t count : {60 * kMillion, 300 * kMillion}) {
    const std::string size = std::to_string(count / kMillion) + "M.hdb";
    write(folder / ("list_u8_" + size), list(FieldKind::u8), {varint(count), zeros(count)});
    write(folder / ("list_bool_" + size), list(FieldKind::boolean), {varint(count), zeros(count)});
  }
  constexpr std::uint64_t kPairs = 13 * kMillion;
  write(folder / "map_13M.hdb",
        node(FieldKind::map, "", {leaf(FieldKind::u32), leaf(FieldKind::u8)}),
        {varint(kPairs), zeros(4 * kPairs), zeros(kPairs)});
  write(folder / "rows_50M.hdb", node(FieldKind::list, "", {list(FieldKind::i32)}),
        {varint(50 * kMillion), zeros(50 * kMillion), {}});
  write(folder / "text_60M.hdb", leaf(FieldKind::string),
        {varint(60 * kMillion), Bytes(60 * kMillion, std::byte{1})});
  write(folder / "list_u8_ones.hdb", list(FieldKind::u8),
        {varint(60 * kMillion), Bytes(60 * kMillion, std::byte{1})});
  Field wide = node(FieldKind::array, "", {node(FieldKind::optional, "", {leaf(FieldKind::f64)})});
  wide.count = 4096;
  write(folder / "wide_64K.hdb", wide, {zeros((4096 / 8) << 16), {}}, 1 << 16);
  write(folder / "strings_50M.hdb", list(FieldKind::string),
        {varint(50 * kMillion), zeros(50 * kMillion), {}});
  write(folder / "optionals_200M.hdb",
        node(FieldKind::list, "", {node(FieldKind::optional, "", {leaf(FieldKind::f64)})}),
        {varint(200 * kMillion), zeros(25 * kMillion), {}});
  make_damaged(folder);
  return 0;
}

template <class T>
int load(const char* path) {
  Database db;
  db.create_table<Holder<T>>("t", {.storage = Storage::stable});
  const auto loaded = db.load(path);
  std::printf("%s\n", loaded ? "loaded" : loaded.error().message().c_str());
  return loaded ? 0 : 1;
}

int load_as(const std::string& kind, const char* path) {
  if (kind == "u8") return load<std::vector<std::uint8_t>>(path);
  if (kind == "bool") return load<std::vector<bool>>(path);
  if (kind == "map") return load<std::map<std::uint32_t, std::uint8_t>>(path);
  if (kind == "rows") return load<std::vector<std::vector<std::int32_t>>>(path);
  if (kind == "text") return load<std::string>(path);
  if (kind == "wide") return load<std::array<std::optional<double>, 4096>>(path);
  if (kind == "strings") return load<std::vector<std::string>>(path);
  return load<std::vector<std::optional<double>>>(path);
}

}  // namespace
}  // namespace hdb::test

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "make" && argc == 3) return hdb::test::make(argv[2]);
  if (command == "load" && argc == 4) return hdb::test::load_as(argv[2], argv[3]);
  std::fputs("usage: bombs make FOLDER | bombs load KIND FILE\n", stderr);
  return 2;
}
