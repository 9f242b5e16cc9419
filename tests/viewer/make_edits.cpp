// Makes saves and edits of them as a game makes them, for game_edits.test.mjs:
//
//   make_edits FOLDER SEED
//
// Fills tables of all policies, with few slots and generations, and tables of components; saves
// them as SEED_before.hdb; then inserts and erases at random, prints each call as a line of JSON,
// and saves the result as SEED_after.hdb.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "hdb/component_table.hpp"
#include "hdb/hdb.hpp"

namespace hdb::test {
namespace {

struct Unit {
  std::int32_t n = 0;
  template <class A>
  void serialize(A& archive) {
    archive(CEREAL_NVP(n));
  }
};

template <int kNumber>
struct Part {
  std::int32_t n = 0;
  template <class A>
  void serialize(A& archive) {
    archive(CEREAL_NVP(n));
  }
};

using Small = Layout<6, 3, 5>;
using Units = Table<Unit, Small>;

struct Game {
  Database db;
  std::vector<Units*> tables;
  std::vector<std::string> names;
  ComponentTable<Part<0>, Unit, Small>* swapped = nullptr;
  ComponentTable<Part<1>, Unit, Small>* in_place = nullptr;
  ComponentTable<Part<2>, Unit, Small>* stable = nullptr;
  std::mt19937 random;
  bool prints = false;

  void make() {
    for (unsigned i = 0; i < 24; ++i) {
      TableOptions options;
      options.storage = i % 2 == 0 ? Storage::dense : Storage::stable;
      options.free_list = std::array{FreeList::lifo, FreeList::fifo, FreeList::lowest}[i / 2 % 3];
      options.generations = i / 6 % 2 == 0 ? Generations::per_slot : Generations::table_counter;
      options.overflow = i / 12 == 0 ? Overflow::retire : Overflow::wrap;
      names.push_back("table " + std::to_string(i));
      tables.push_back(&db.create_table<Unit, Small>(names.back(), options));
    }
    swapped = &db.create_component_table<Part<0>>("swapped", *tables[0]);
    in_place =
        &db.create_component_table<Part<1>>("in place", *tables[0], {.removal = Removal::in_place});
    stable =
        &db.create_component_table<Part<2>>("stable", *tables[0], {.storage = Storage::stable});
  }

  std::uint32_t below(std::size_t count) {
    return static_cast<std::uint32_t>(random() % (count == 0 ? 1 : count));
  }

  void print(const char* kind, const std::string& table, std::uint64_t slot, int n) const {
    if (!prints) return;
    std::printf("{\"kind\":\"%s\",\"table\":\"%s\",\"slot\":%llu,\"n\":%d}\n", kind, table.c_str(),
                static_cast<unsigned long long>(slot), n);
  }

  void step() {
    const std::uint32_t number = random() % 3 == 0 ? 0 : below(tables.size());
    Units& table = *tables[number];
    std::vector<Units::HandleType> live;
    for (const auto& [handle, unit] : table.entries()) live.push_back(handle);
    const int n = static_cast<int>(below(1000));
    const Units::HandleType chosen = live.empty() ? Units::HandleType() : live[below(live.size())];
    switch (below(5)) {
      case 0:
      case 1:
        if (const auto made = table.insert(Unit{n}); made)
          print("insert", names[number], made.index(), n);
        return;
      case 2:
        if (chosen && table.erase(chosen)) print("erase", names[number], chosen.index(), 0);
        return;
      default:
        if (number != 0 || !chosen) return;
        const std::uint32_t part = below(3);
        if (part == 0) change(*swapped, "swapped", chosen, n);
        if (part == 1) change(*in_place, "in place", chosen, n);
        if (part == 2) change(*stable, "stable", chosen, n);
    }
  }

  template <class Parts>
  void change(Parts& parts, const char* name, Units::HandleType record, int n) {
    if (parts.find(record) != nullptr) {
      if (parts.erase(record)) print("erase", name, record.index(), 0);
    } else if (parts.insert(record, {n}) != nullptr) {
      print("insert", name, record.index(), n);
    }
  }
};

int run(const std::string& folder, const std::string& seed) {
  Game game;
  game.random.seed(static_cast<std::uint32_t>(std::atoi(seed.c_str())));
  game.make();
  for (int i = 0; i < 4000; ++i) game.step();
  if (!save(game.db.capture(), folder + "/" + seed + "_before.hdb")) return 1;
  game.prints = true;
  for (int i = 0; i < 2000; ++i) game.step();
  return save(game.db.capture(), folder + "/" + seed + "_after.hdb") ? 0 : 1;
}

}  // namespace
}  // namespace hdb::test

int main(int count, char** words) {
  if (count != 3) return 2;
  return hdb::test::run(words[1], words[2]);
}
