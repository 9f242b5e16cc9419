// load_evolved*, load_migrated, load_again: loads of a file whose records have other fields than
// the program's, and loads into a database that is in use.
#include "bench.hpp"
#include "game.hpp"
#include "hdb/migration.hpp"
#include "records.hpp"

namespace hdb::bench {
namespace {

/// The next version of Body: `age` removed, `armour` and `mana` added, another order.
struct NextBody {
  double speed = 1;
  Vector velocity;
  float mana = 0;
  Vector position;
  std::uint32_t state = 0;
  std::uint64_t id = 0;
  std::int32_t health = 100, armour = 0;
  std::uint64_t target = 0;
};
static_assert(sizeof(NextBody) == sizeof(Body));

/// A Body with wider numbers.
struct WideBody {
  std::uint64_t id = 0;
  Vector position, velocity;
  std::int64_t health = 100;
  std::uint64_t state = 0, target = 0;
  double age = 0, speed = 1;
};

/// The next class version of Body: health in tenths, one number instead of two.
struct MigratedBody {
  std::uint64_t id = 0;
  Vector position, velocity;
  std::int32_t tenths = 1000;
  std::uint32_t state = 0;
  std::uint64_t target = 0;
  double speed = 1;
};

/// A person with a number that the next version lacks, and the next version.
struct OldPerson {
  std::string name;
  std::vector<std::uint32_t> items;
  std::uint32_t age = 20;
};
struct NextPerson {
  std::vector<std::uint32_t> items;
  std::uint32_t mana = 5;
  std::string name;
};

}  // namespace
}  // namespace hdb::bench

CEREAL_CLASS_VERSION(hdb::bench::MigratedBody, 1)

namespace hdb::bench {
namespace {

// A load into `database`, which has the tables; it fails loudly, since a row would mean nothing.
double load_into(Database& database, const Bytes& file, unsigned threads) {
  return time_ns([&] {
    return database
        .load(std::make_unique<MemorySource>(MemorySource::borrowing(file)), {.threads = threads})
        .value();
  });
}

// A load into a new database with a table of these records; fresh memory.
template <class Record>
double load_as(const Bytes& file, unsigned threads) {
  make_memory_cold();
  Database database;
  database.create_table<Record>("bodies");
  if (std::is_same_v<Record, MigratedBody>) {
    database.declare_migration({.table = "bodies", .from = 0},
                               [](DynamicValue& body, MigrationContext&) {
                                 body.set("tenths", body.at("health").as<std::int32_t>() * 10);
                                 body.remove("health");
                                 body.remove("age");
                               });
  }
  return load_into(database, file, threads);
}

template <class Next, class Old>
void row(Bench& bench, const Goal& goal, auto& file, unsigned threads = 1) {
  bench.compare(
      goal, [&, threads] { return load_as<Next>(*file, threads); },
      [&, threads] { return load_as<Old>(*file, threads); });
}

}  // namespace

void load_rows(Bench& bench) {
  Lazy game([] { return Game(false); });
  Lazy bodies([&] { return file_of(game->database.capture()); });
  Lazy people([] {
    Database database;
    auto& table = database.create_table<OldPerson>("bodies");
    for (std::size_t i = 0; i < kMillion / 4; ++i) {
      Person person = make_person(i);
      table.insert({std::move(person.name), std::move(person.items)});
    }
    return file_of(database.capture());
  });
  row<NextBody, Body>(
      bench,
      {"load_evolved", 1.1, "", "fields added, removed, reordered, / equal schema, 1 thread", true},
      bodies);
  row<WideBody, Body>(
      bench, {"load_evolved_wider", {}, "", "two of eleven numbers widened, / the same", true},
      bodies);
  row<NextPerson, OldPerson>(
      bench, {"load_evolved_text", 1.1, "", "as load_evolved, with texts and lists", true}, people);
  row<MigratedBody, Body>(
      bench,
      {"load_migrated", 5, "", "a step of a declared migration, / equal schema, 2 threads", true},
      bodies, 2);
  bench.compare(
      {"load_again", 1, "", "into a used database, / into a fresh one", true},
      [&] { return load_into(game->database, *bodies, 1); },
      [&] { return load_as<Body>(*bodies, 1); });
}

}  // namespace hdb::bench
