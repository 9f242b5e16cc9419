// Writes saves whose every string tries to become something else: make_hostile_names FOLDER.
// Tables, fields, metadata, record names, keys and values hold paths, escapes, markup, formulas and
// commands. For hostile_names_test.py.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <cereal/types/map.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

#include "format/forge.hpp"
#include "hdb/hdb.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {
namespace {

// What names of tables and fields may be made of.
const std::vector<std::string>& hostile_names() {
  static const std::vector<std::string> names{
      "../../escaped",
      "/tmp/hdb_escaped",
      "\u202egpj.exe",
      "\u2066left\u2069",
      "\u009b31mred",
      "<script>alert(7)</script>",
      "\"><img src=x onerror=alert(7)>",
      "</title><svg onload=alert(7)>",
      "=cmd|' /C calc'!A0",
      "+SUM(1)",
      "-rf",
      "@SUM(1)",
      "\uff1d1",
      "$(touch hdb_escaped)",
      "`touch hdb_escaped`",
      "; touch hdb_escaped #",
      "%n%s%s%s",
      "javascript:alert(7)",
      "--output=hdb_escaped",
      "\u200bzero\ufeff",
      "\u2028line\u2029",
  };
  return names;
}

// Values and metadata may be any bytes.
std::vector<std::string> hostile_values() {
  std::vector<std::string> values = hostile_names();
  values.insert(values.end(), {
                                  std::string("nul\0byte", 8),
                                  "\x1b[31mred\x1b[0m",
                                  "\x1b]0;title\x07",
                                  "\r\nhdbinspect: forged: HDB-E0101 line",
                                  "{\"type\":\"error\"}\n{\"type\":\"forged\"}",
                                  "\xff\xfe not UTF-8",
                                  "\xed\xa0\x80 half a pair",
                                  "cell\tcell\nrow,\"quoted\"",
                                  "\b\b\b\x7f",
                              });
  return values;
}

struct Hostile {
  std::string text;
  std::vector<std::string> list;
  std::map<std::string, std::string> map;
  std::uint32_t hp = 1;
  template <class A>
  void serialize(A& a) {
    // The same value under each name; the names are made at run time.
    for (const std::string& name : hostile_names()) {
      const bool is_reserved = name.starts_with('@');
      a(cereal::make_nvp((is_reserved ? " " + name : name).c_str(), text));
    }
    a(CEREAL_NVP(list), CEREAL_NVP(map), CEREAL_NVP(hp));
  }
};

using HostileTable = Table<Hostile, TypedLayout>;

void put(const std::filesystem::path& path, const Bytes& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) std::exit(2);
}

Bytes saved(Database& db, const std::string& title, std::uint64_t sequence = 1) {
  SaveOptions options;
  options.metadata.title = title;
  options.metadata.sequence = sequence;
  for (const std::string& value : hostile_values()) {
    if (!is_utf8(value)) continue;  // the writer refuses it
    options.metadata.values[value] = value;
    options.metadata.values["key of " + std::to_string(options.metadata.values.size())] = value;
  }
  options.write.file_id = hash128(bytes_of(title));
  options.write.codec = Codec::none;
  MemorySink sink;
  const auto report = save(db.capture(), sink, options);
  if (!report) {
    std::fprintf(stderr, "%s\n", report.error().message().c_str());
    std::exit(2);
  }
  return sink.take();
}

// Replaces a placeholder in the catalogs by a name of the same length that no writer accepts.
Bytes with_name(const Bytes& bytes, const std::string& placeholder, const std::string& name) {
  ForgedFile file(bytes);
  for (ForgedBlock& block : file.blocks) {
    const auto wanted = bytes_of(placeholder);
    const auto at =
        std::search(block.payload.begin(), block.payload.end(), wanted.begin(), wanted.end());
    if (at == block.payload.end()) continue;
    const auto replacement = bytes_of(name);
    std::copy(replacement.begin(), replacement.end(), at);
  }
  return file.sealed();
}

struct Plain {
  std::uint32_t field_placeholder = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(field_placeholder));
  }
};

void make(const std::filesystem::path& folder) {
  Database db;
  std::vector<HostileTable*> tables;
  for (const std::string& name : hostile_names()) {
    tables.push_back(&db.create_table<Hostile, TypedLayout>(name, {.names = RecordNames::exact}));
  }
  for (HostileTable* table : tables) {
    for (const std::string& value : hostile_values()) {
      table->insert_named(value, {value, {value, value}, {{value, value}}, 1});
    }
  }
  put(folder / "hostile.hdb", saved(db, hostile_values()[22]));
  for (HostileTable* table : tables) {
    table->edit_each([&](auto, Hostile& record) {
      record.text += record.text;
      record.hp = 2;
      record.list.pop_back();
    });
    table->erase(table->handle_at(0));
  }
  const Bytes later = saved(db, "=cmd\x1b[31m<script>", 2);
  put(folder / "later.hdb", later);
  // Damage in the middle, so that messages have names in them.
  Bytes damaged = later;
  for (const std::size_t part : {2U, 3U, 5U}) {
    damaged[damaged.size() * part / 7] ^= std::byte{0x40};
  }
  put(folder / "damaged.hdb", damaged);
  put(folder / "cut.hdb", Bytes(later.begin(), later.end() - 100));

  Database plain;
  plain.create_table<Plain>("table_placeholder").insert({});
  const Bytes sound = saved(plain, "plain");
  int number = 0;
  for (const std::string& value : hostile_values()) {
    for (const std::string placeholder : {"table_placeholder", "field_placeholder"}) {
      std::string name = value.substr(0, placeholder.size());
      name.resize(placeholder.size(), '.');
      const std::string file = "refused" + std::to_string(++number) + ".hdb";
      put(folder / file, with_name(sound, placeholder, name));
    }
  }
}

}  // namespace
}  // namespace hdb::test

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_hostile_names FOLDER\n");
    return 2;
  }
  hdb::test::make(argv[1]);
}
