// rollback_*: a game that goes back eight frames in every frame and plays them again, beside a log
// of old records written by hand and beside copies of all records. frame*: the same game as long as
// it need not go back.
#include <deque>

#include "bench.hpp"
#include "hdb/changes.hpp"
#include "records.hpp"
#include "reference/undo_log.hpp"

namespace hdb::bench {
namespace {

using reference::Place;

constexpr std::size_t kFrames = 8;

/// The records that the frames change.
struct Changes {
  std::vector<std::vector<Place>> frames;  // more than kFrames: neighbours differ
  std::size_t count;                       // in each
  bool all;                                // every record instead
};

struct World {
  std::size_t tables;
  std::size_t records;  // a table
};

enum class Spread { scattered, clusters, all };

Changes make_changes(const World& world, double part, Spread spread) {
  constexpr std::size_t kCluster = 256;
  std::mt19937_64 random(kSeed);
  const std::size_t total = world.tables * world.records;
  Changes changes{{}, total, spread == Spread::all};
  if (changes.all) return changes;
  for (std::size_t frame = 0; frame < 2 * kFrames; ++frame) {
    std::vector<Place> places;
    const auto add = [&](std::size_t i) {
      places.push_back({static_cast<std::uint32_t>(i / world.records),
                        static_cast<std::uint32_t>(i % world.records)});
    };
    const std::size_t run = spread == Spread::clusters ? std::min(kCluster, total / 8) : 1;
    const auto count = static_cast<std::size_t>(static_cast<double>(total) * part);
    while (places.size() < std::max(count, run)) {
      const auto first = static_cast<std::size_t>(random() % (total - run + 1));
      for (std::size_t i = 0; i < run; ++i) add(first + i);
    }
    changes.count = places.size();
    changes.frames.push_back(std::move(places));
  }
  return changes;
}

void change(Body& body) noexcept {
  body.position.x += 1;
  ++body.state;
}

void change(Person& person) noexcept { ++person.items[0]; }

template <class Record>
Record make(std::size_t i) {
  if constexpr (std::is_same_v<Record, Body>) {
    return make_body(i);
  } else {
    return make_person(i);
  }
}

/// The game with hdb. Several tables of one record type need handles with type ids.
template <class Record, class L>
class OwnGame {
 public:
  explicit OwnGame(const World& world) {
    for (std::size_t i = 0; i < world.tables; ++i) {
      auto& table = database_.create_table<Record, L>("level_" + std::to_string(i), kStable);
      tables_.push_back(&table);
      handles_.push_back(fill(table, world.records, make<Record>));
    }
    database_.reserve_copies();
  }
  void begin(std::size_t) {
    ring_.push_back(database_.capture());
    if (ring_.size() > kFrames) ring_.pop_front();
  }
  /// What the game knows a record by.
  struct Key {
    std::uint32_t table;
    Handle<Record, L> handle;
  };
  [[nodiscard]] Key key_of(Place place) const {
    return {place.table, handles_[place.table][place.index]};
  }
  [[nodiscard]] Record& edit(const Key& key) { return *tables_[key.table]->edit(key.handle); }
  template <class Change>
  void edit_all(const Change& change) {
    for (auto* const table : tables_)
      table->edit_each([&](auto, Record& record) { change(record); });
  }
  void go_back() {
    while (ring_.size() > 1) ring_.pop_back();
    if (!ring_.empty()) benchmark::DoNotOptimize(database_.restore(ring_.front()).has_value());
    ring_.clear();
  }

 private:
  Database database_;
  std::vector<Table<Record, L>*> tables_;
  std::vector<std::vector<Handle<Record, L>>> handles_;
  std::deque<Snapshot> ring_;
};

/// The records that the frames change, by the game's keys.
template <class Game>
auto keys_of(const Game& game, const Changes& changes) {
  std::vector<std::vector<typename Game::Key>> frames;
  for (const auto& places : changes.frames) {
    auto& keys = frames.emplace_back();
    for (const Place place : places) keys.push_back(game.key_of(place));
  }
  return frames;
}

/// Goes back and plays the frames again, from another one on at each call.
template <class Game>
Run rollback(Game& game, const Changes& changes) {
  return [&game, &changes, frames = keys_of(game, changes), first = std::size_t{0}]() mutable {
    // A rollback of few records takes microseconds.
    const std::size_t times = std::clamp<std::size_t>(20'000 / changes.count, 1, 64);
    return time_each_ns(times, [&] {
      for (std::size_t i = 0; i < times; ++i) {
        game.go_back();
        for (std::size_t frame = 0; frame < kFrames; ++frame) {
          game.begin(frame);
          if (changes.all) {
            game.edit_all([](auto& record) { change(record); });
            continue;
          }
          for (const auto& key : frames[(first + frame) % frames.size()]) change(game.edit(key));
        }
        ++first;
      }
    });
  };
}

/// Plays frames: each begins with a capture, drops the oldest of eight, and edits.
template <class Game>
Run frames(Game& game, const Changes& changes) {
  return [&game, &changes, frames = keys_of(game, changes), next = std::size_t{0}]() mutable {
    const std::size_t times = std::clamp<std::size_t>(200'000 / changes.count, 8, 512);
    return time_each_ns(times, [&] {
      for (std::size_t i = 0; i < times; ++i, ++next) {
        game.begin(next % kFrames);
        for (const auto& key : frames[next % frames.size()]) change(game.edit(key));
      }
    });
  };
}

template <class Record>
std::vector<std::vector<Record>> vectors_of(const World& world) {
  std::vector<std::vector<Record>> tables(world.tables);
  for (auto& table : tables) {
    for (std::size_t i = 0; i < world.records; ++i) table.push_back(make<Record>(i));
  }
  return tables;
}

enum class Beside { log, copies };

template <class Record, class L = TypedLayout>
void row(Bench& bench, const Goal& goal, const World& world, double part, Spread spread,
         Beside beside) {
  if (!bench.wants({goal.name})) return;
  const Changes changes = make_changes(world, part, spread);
  OwnGame<Record, L> own(world);
  if (beside == Beside::log) {
    reference::UndoTables<Record> log(vectors_of<Record>(world), kFrames);
    bench.compare(goal, rollback(own, changes), rollback(log, changes));
  } else {
    reference::CopiedTables<Record> copies(vectors_of<Record>(world), kFrames);
    bench.compare(goal, rollback(own, changes), rollback(copies, changes));
  }
}

template <class L>
void frame_row(Bench& bench, const Goal& goal, const World& world, double part, Spread spread) {
  if (!bench.wants({goal.name})) return;
  const Changes changes = make_changes(world, part, spread);
  OwnGame<Body, L> own(world);
  reference::UndoTables<Body> log(vectors_of<Body>(world), kFrames);
  bench.compare(goal, frames(own, changes), frames(log, changes));
}

void frame_rows(Bench& bench) {
  const std::string note = "capture, edits, drop of the oldest of 8, / a log by hand, ";
  const World one{1, 100'000};
  frame_row<DefaultLayout>(bench, {"frame", 2, "", note + "100,000, 1 % scattered"}, one, 0.01,
                           Spread::scattered);
  frame_row<DefaultLayout>(bench, {"frame_clusters", 1.5, "", note + "in clusters"}, one, 0.01,
                           Spread::clusters);
  frame_row<DefaultLayout>(bench, {"frame_10k", 2, "", note + "10,000, scattered"}, {1, 10'000},
                           0.01, Spread::scattered);
  frame_row<TypedLayout>(bench, {"frame_tables_100", 2, "", note + "100 tables of 50"}, {100, 50},
                         0.01, Spread::scattered);
}

// Beside both references.
void rows_of_one_table(Bench& bench, const std::string& size, std::size_t records) {
  const World world{1, records};
  struct Case {
    const char* name;
    double part;
    Spread spread;
    std::optional<double> beside_log;
    std::optional<double> beside_copies;
  };
  constexpr auto kNone = std::optional<double>();
  const Case cases[] = {
      {"01pct_scattered", 0.001, Spread::scattered, 2, kNone},
      {"1pct_scattered", 0.01, Spread::scattered, 2, 0.3},
      {"10pct_scattered", 0.1, Spread::scattered, 2, kNone},
      {"1pct_clusters", 0.01, Spread::clusters, 1.5, kNone},
      {"10pct_clusters", 0.1, Spread::clusters, 1.5, kNone},
      {"all", 1, Spread::all, kNone, 1.5},
  };
  for (const Case& each : cases) {
    const std::string name = "rollback_" + size + "_" + each.name;
    row<Body, DefaultLayout>(bench, {name, each.beside_log, "", "/ a log of old records by hand"},
                             world, each.part, each.spread, Beside::log);
    row<Body, DefaultLayout>(bench,
                             {name + "_copies", each.beside_copies, "", "/ copies of all records"},
                             world, each.part, each.spread, Beside::copies);
  }
}

void rows_of_tables(Bench& bench, std::size_t tables, std::size_t records) {
  const World world{tables, records};
  const std::string name = "rollback_tables_" + std::to_string(tables);
  const std::string note = "/ copies of all records";
  row<Body>(bench, {name, 0.4, "", note + ", 1 %"}, world, 0.01, Spread::scattered, Beside::copies);
  row<Body>(bench, {name + "_all", 1.5, "", note}, world, 1, Spread::all, Beside::copies);
  row<Person>(bench, {name + "_string", 0.5, "", note + ", 1 %"}, world, 0.01, Spread::scattered,
              Beside::copies);
  row<Person>(bench, {name + "_string_all", 1.5, "", note}, world, 1, Spread::all, Beside::copies);
}

}  // namespace

void rollback_rows(Bench& bench) {
  rows_of_one_table(bench, "10k", 10'000);
  rows_of_one_table(bench, "100k", 100'000);
  rows_of_one_table(bench, "1m", kMillion);
  rows_of_tables(bench, 20, 250);
  rows_of_tables(bench, 100, 50);
  rows_of_tables(bench, 1000, 50);
  frame_rows(bench);
}

}  // namespace hdb::bench
