// The five ages of a small game: for each, the program of that time, which plays, saves and loads.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/hdb.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::ages {

/// What a test may ask of a table without its record type.
struct TableAccess {
  std::string name;
  HandleLayout layout;
  std::function<bool(std::uint64_t bits)> contains;
  std::function<std::uint64_t()> insert;  ///< Inserts a new record; the bits of its handle.
};

/// A running game of some age.
class Game {
 public:
  template <class Record, class L = DefaultLayout>
  Table<Record, L>& add(std::string_view name, const TableOptions& options = {}) {
    auto& table = db.create_table<Record, L>(name, options);
    tables.push_back({std::string(name), L::value,
                      [&table](std::uint64_t bits) {
                        return table.contains(
                            Handle<Record, L>::from_bits(static_cast<typename L::Bits>(bits)));
                      },
                      [&table] { return std::uint64_t{table.insert(Record{}).bits()}; }});
    return table;
  }
  template <class Record, class L = DefaultLayout>
  Table<Record, L>& table(std::string_view name) {
    return *db.find_table<Record, L>(name);
  }

  Database db;
  std::vector<TableAccess> tables;  // without the singleton
};

/// The program of one age.
struct Age {
  void (*open)(Game&);  ///< Makes the empty tables, and declares what became of older files.
  void (*play)(Game&);  ///< The moves whose result is the golden file.
};

}  // namespace hdb::test::ages

namespace hdb::test::age_1 {
void open(ages::Game& game);
void play(ages::Game& game);
}  // namespace hdb::test::age_1
namespace hdb::test::age_2 {
void open(ages::Game& game);
void play(ages::Game& game);
}  // namespace hdb::test::age_2
namespace hdb::test::age_3 {
void open(ages::Game& game);
void play(ages::Game& game);
}  // namespace hdb::test::age_3
namespace hdb::test::age_4 {
void open(ages::Game& game);
void play(ages::Game& game);
}  // namespace hdb::test::age_4
namespace hdb::test::age_5 {
void open(ages::Game& game);
void play(ages::Game& game);
}  // namespace hdb::test::age_5

namespace hdb::test::ages {

inline constexpr std::array<Age, 5> kAges{{{age_1::open, age_1::play},
                                           {age_2::open, age_2::play},
                                           {age_3::open, age_3::play},
                                           {age_4::open, age_4::play},
                                           {age_5::open, age_5::play}}};

/// The program of age 1 to 5, with empty tables.
[[nodiscard]] std::unique_ptr<Game> opened(int age);
/// The same, after its moves.
[[nodiscard]] std::unique_ptr<Game> played(int age);
/// The file that the program of an age writes after its moves. Not compressed, so that the bytes do
/// not depend on the version of zstd.
[[nodiscard]] Bytes file_of(int age);
/// The path of its golden file in the folder of a version: "ages/age_1.hdb". The first files of
/// ages 3 to 5 have quests without a class version.
[[nodiscard]] std::string file_name(int age, bool is_first);

/// All records of the newest program, a line for each, with the names of all handles.
[[nodiscard]] std::vector<std::string> lines_of(Game& newest);

}  // namespace hdb::test::ages
