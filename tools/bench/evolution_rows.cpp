// load_evolved*, load_migrated: loads of a file whose records have other fields than the program's,
// against loads with an equal schema.
#include <string>

#include "bench.hpp"
#include "game.hpp"
#include "records.hpp"
#include "temporary_folder.hpp"

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
  std::int32_t health = 100;
  std::int32_t armour = 0;
  std::uint64_t target = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(speed), CEREAL_NVP(velocity), CEREAL_NVP(mana), CEREAL_NVP(position),
            CEREAL_NVP(state), CEREAL_NVP(id), CEREAL_NVP(health), CEREAL_NVP(armour),
            CEREAL_NVP(target));
  }
};
static_assert(sizeof(NextBody) == sizeof(Body));

/// A Body with wider numbers.
struct WideBody {
  std::uint64_t id = 0;
  Vector position;
  Vector velocity;
  std::int64_t health = 100;
  std::uint64_t state = 0;
  std::uint64_t target = 0;
  double age = 0;
  double speed = 1;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(id), CEREAL_NVP(position), CEREAL_NVP(velocity), CEREAL_NVP(health),
            CEREAL_NVP(state), CEREAL_NVP(target), CEREAL_NVP(age), CEREAL_NVP(speed));
  }
};

/// The next class version of Body: health in tenths, one number instead of two.
struct MigratedBody {
  std::uint64_t id = 0;
  Vector position;
  Vector velocity;
  std::int32_t tenths = 1000;
  std::uint32_t state = 0;
  std::uint64_t target = 0;
  double speed = 1;

  template <class Archive>
  void serialize(Archive& archive, std::uint32_t) {
    archive(CEREAL_NVP(id), CEREAL_NVP(position), CEREAL_NVP(velocity), CEREAL_NVP(tenths),
            CEREAL_NVP(state), CEREAL_NVP(target), CEREAL_NVP(speed));
  }
};

/// A person with a number that the next version lacks.
struct OldPerson {
  std::string name;
  std::vector<std::uint32_t> items;
  std::uint32_t age = 20;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(name), CEREAL_NVP(items), CEREAL_NVP(age));
  }
};
struct NextPerson {
  std::vector<std::uint32_t> items;
  std::uint32_t mana = 5;
  std::string name;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(items), CEREAL_NVP(mana), CEREAL_NVP(name));
  }
};

}  // namespace
}  // namespace hdb::bench

CEREAL_CLASS_VERSION(hdb::bench::MigratedBody, 1)

namespace hdb::bench {
namespace {

/// The time of a load into a new database with a table of these records.
template <class Record>
double load_ns(const std::string& path) {
  make_memory_cold();
  Database database;
  database.create_table<Record>("records");
  return time_ns([&] { benchmark::DoNotOptimize(database.load(path).has_value()); });
}

template <class Record>
double load_2t_ns(const std::string& path) {
  make_memory_cold();
  Database database;
  database.create_table<Record>("records");
  database.declare_migration({.table = "records", .from = 0},
                             [](DynamicValue& body, MigrationContext&) {
                               body.set("tenths", body.at("health").as<std::int32_t>() * 10);
                               body.remove("health");
                               body.remove("age");
                             });
  LoadOptions options;
  options.threads = 2;
  return time_ns([&] { benchmark::DoNotOptimize(database.load(path, options).has_value()); });
}

/// Of records that need no migration.
double load_body_2t_ns(const std::string& path) {
  make_memory_cold();
  Database database;
  database.create_table<Body>("records");
  LoadOptions options;
  options.threads = 2;
  return time_ns([&] { benchmark::DoNotOptimize(database.load(path, options).has_value()); });
}

template <class Old, class Next>
void row(Bench& bench, const Goal& goal, const std::string& path) {
  bench.compare(
      goal, [&] { return load_ns<Next>(path); }, [&] { return load_ns<Old>(path); });
}

}  // namespace

void evolution_rows(Bench& bench) {
  if (!bench.wants({"load_evolved", "load_evolved_wider", "load_evolved_text", "load_migrated"})) {
    return;
  }
  const TemporaryFolder folder;
  const std::string bodies = folder.file("bodies.hdb");
  const std::string people = folder.file("people.hdb");
  {
    Database database;
    auto& table = database.create_table<Body>("records");
    std::mt19937_64 random(1);
    for (std::size_t i = 0; i < kMillion; ++i) table.insert(make_mixed_body(i, random));
    if (!save(database.capture(), bodies)) return;
  }
  {
    Database database;
    auto& table = database.create_table<OldPerson>("records");
    for (std::size_t i = 0; i < kMillion / 4; ++i) {
      const Person person = make_person(i);
      table.insert({person.name, person.items});
    }
    if (!save(database.capture(), people)) return;
  }
  row<Body, NextBody>(bench,
                      {.name = "load_evolved",
                       .target = 1.2,
                       .note = "fields added, removed, reordered / equal schema, 1 thread"},
                      bodies);
  row<Body, WideBody>(bench,
                      {.name = "load_evolved_wider",
                       .note = "two of eleven numbers widened / equal schema, 1 thread"},
                      bodies);
  row<OldPerson, NextPerson>(bench,
                             {.name = "load_evolved_text",
                              .target = 1.2,
                              .note = "as load_evolved, with texts and lists, 1 thread"},
                             people);
  bench.compare(
      {.name = "load_migrated",
       .target = 5,
       .note = "one step of a declared migration / equal schema, 2 threads"},
      [&] { return load_2t_ns<MigratedBody>(bodies); }, [&] { return load_body_2t_ns(bodies); });
}

}  // namespace hdb::bench
