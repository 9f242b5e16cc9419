// A tool without the game's types: compares two saves and lists what differs, by field. It needs
// the target hdb::inspect alone; the records below only make two saves to compare.
#include <hdb/hdb.hpp>
#include <hdb/inspect.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

namespace {

struct Monster {
  std::int32_t hp = 100;
  std::int64_t last_seen = 0;
};

int failed(const std::string& what) {
  std::fprintf(stderr, "compare_saves: %s\n", what.c_str());
  return 1;
}

hdb::Status make_saves(const std::string& before, const std::string& after) {
  hdb::Database db;
  auto& monsters = db.create_table<Monster>("monsters");
  for (int i = 0; i < 1000; ++i) monsters.insert({.hp = 50 + i % 7});
  if (auto saved = hdb::save(db.capture(), before); !saved) return hdb::fail(saved.error());
  monsters.edit_each([](auto, Monster& monster) { monster.last_seen = 77; });
  monsters.edit(monsters.handle_at(12))->hp = 3;
  monsters.erase(monsters.handle_at(400));
  if (auto saved = hdb::save(db.capture(), after); !saved) return hdb::fail(saved.error());
  return {};
}

hdb::Result<std::unique_ptr<hdb::Reader>> open(const std::string& path) {
  auto source = hdb::FileSource::open(path);
  if (!source) return hdb::fail(source.error());
  auto reader = hdb::Reader::open(*std::move(source));
  if (!reader) return hdb::fail(reader.error());
  return *std::move(reader);
}

void print(const hdb::RecordDiff& record) {
  std::printf("%c %s\n", static_cast<char>(record.mark), record.handle().c_str());
  for (const hdb::FieldChange& field : record.fields) {
    std::printf("    %s: %s -> %s\n", field.path.c_str(), field.old_value.value_or("-").c_str(),
                field.new_value.value_or("-").c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const fs::path folder =
      argc > 1 ? fs::path(argv[1]) : fs::temp_directory_path() / "hdb-compare-saves";
  const std::string before = (folder / "before.hdb").string();
  const std::string after = (folder / "after.hdb").string();
  if (auto made = make_saves(before, after); !made) return failed(made.error().message());

  const auto a = open(before), b = open(after);
  if (!a) return failed(a.error().message());
  if (!b) return failed(b.error().message());
  hdb::DiffOptions options;
  const auto ignored = hdb::Glob::of_path("monsters.last_seen");  // changes in every record
  if (!ignored) return failed(ignored.error().message());
  options.ignore.push_back(*ignored);
  options.files = {before, after};
  const auto difference = hdb::diff(**a, **b, options);
  if (!difference) return failed(difference.error().message());

  for (const hdb::TableDiff& table : difference->tables) {
    std::printf("%s: %llu -> %llu records, %llu changed, %llu removed\n", table.name.c_str(),
                static_cast<unsigned long long>(table.old_live.value_or(0)),
                static_cast<unsigned long long>(table.new_live.value_or(0)),
                static_cast<unsigned long long>(table.changed),
                static_cast<unsigned long long>(table.removed));
    for (const hdb::RecordDiff& record : table.details) print(record);
  }
  return difference->records() == 2 ? 0 : failed("the saves differ in other records");
}
