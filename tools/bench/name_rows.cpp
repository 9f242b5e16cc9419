// name_*: records found by their names, against an unordered_map from strings to handles.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include <malloc.h>

#include "bench.hpp"
#include "records.hpp"

namespace hdb::bench {
namespace {

constexpr std::size_t kNames = 100'000;

struct Asset {
  std::uint64_t id = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(id));
  }
};
using H = Handle<Asset>;
using Map = std::unordered_map<std::string, H>;

// Different names of 8 to 40 characters.
std::vector<std::string> make_names() {
  std::mt19937_64 random(kSeed);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kNames; ++i) {
    std::string name(8 + static_cast<std::size_t>(random() % 33), ' ');
    for (char& letter : name) letter = static_cast<char>('a' + random() % 26);
    names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::shuffle(names.begin(), names.end(), random);
  return names;
}

double heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

// The block of the heap that a name lies in, with malloc's own word before it.
double heap_bytes_of(std::string_view name) {
  static const std::size_t kInPlace = std::string().capacity();
  if (name.size() <= kInPlace) return 0;
  return static_cast<double>(malloc_usable_size(const_cast<char*>(name.data())) + sizeof(void*));
}

template <class Look>
double look_up_all(const std::vector<std::string>& names, const Look& look) {
  return time_each_ns(names.size(), [&] {
    std::uint64_t sum = 0;
    for (const std::string& name : names) sum += look(name).bits();
    benchmark::DoNotOptimize(sum);
  });
}

}  // namespace

void name_rows(Bench& bench) {
  if (!bench.wants({"name_lookup", "name_memory"})) return;
  const std::vector<std::string> names = make_names();
  const auto count = static_cast<double>(names.size());

  Database without_names;
  Table<Asset>& plain = without_names.create_table<Asset>("assets");
  for (std::size_t i = 0; i < names.size(); ++i) plain.insert({i});
  Database database;
  Table<Asset>& named = database.create_table<Asset>("assets", {.names = RecordNames::exact});
  double name_bytes = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    name_bytes += heap_bytes_of(named.name(named.emplace_named(names[i], i)));
  }
  name_bytes += static_cast<double>(database.memory_bytes()) -
                static_cast<double>(without_names.memory_bytes());

  const double before = heap_bytes();
  Map map;
  for (std::size_t i = 0; i < names.size(); ++i) map.emplace(names[i], named.find_named(names[i]));
  const double map_bytes = heap_bytes() - before;

  // Asked for by strings of the caller, in another order than they came.
  std::vector<std::string> wanted = names;
  std::shuffle(wanted.begin(), wanted.end(), std::mt19937_64(kSeed + 1));
  bench.compare(
      {.name = "name_lookup", .target = 1.2, .note = "find_named / unordered_map, all hits"},
      [&] {
        return look_up_all(wanted, [&](const std::string& name) { return named.find_named(name); });
      },
      [&] {
        return look_up_all(wanted, [&](const std::string& name) { return map.find(name)->second; });
      });
  bench.report({.name = "name_memory",
                .target = 1,
                .note = "names and index / unordered_map; " +
                        std::to_string(static_cast<int>(name_bytes / count)) + " and " +
                        std::to_string(static_cast<int>(map_bytes / count)) + " bytes a name"},
               name_bytes / map_bytes);
}

}  // namespace hdb::bench
