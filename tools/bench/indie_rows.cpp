// indie_save_*, indie_load_*, indie_autosave_*, tables_create_drop*: what a small game does, with
// 5,000 objects in 4, 20 or 100 tables. Beside it: the same records in vectors, written by cereal's
// binary archive and compressed by zstd.
#include <fstream>
#include <istream>
#include <ostream>
#include <streambuf>
#include <tuple>
#include <utility>

#include <cereal/archives/binary.hpp>

#include "bench.hpp"
#include "game.hpp"
#include "hdb/autosaver.hpp"
#include "records.hpp"
#include "reference/warm_output.hpp"
#include "reference/zstd.hpp"
#include "temporary_folder.hpp"

namespace hdb::bench {
namespace indie {
namespace {

constexpr std::size_t kObjects = 5000;

/// A table of its own for each number.
template <std::size_t>
struct Tag {};

struct Monster {
  Vector position;
  Vector velocity;
  std::int32_t health = 100;
  float facing = 0;
  std::string name;
  Handle<Tag<0>> target;
  std::vector<std::uint32_t> items;
};

struct Item {
  std::uint32_t kind = 0;
  std::int32_t count = 1;
  Vector position;
  float weight = 0;
  Handle<Tag<0>> owner;
};

struct Effect {
  Vector position;
  float seconds_left = 0;
  float strength = 0;
  std::uint32_t kind = 0;
};

struct Quest {
  std::string name;
  std::uint32_t stage = 0;
  std::vector<std::uint32_t> done;
  Handle<Tag<0>> giver;
};

using Random = std::mt19937_64;

float coordinate(Random& random) { return static_cast<float>(random() % 100'000) / 64.0f; }
Handle<Tag<0>> some_monster(Random& random) {
  return Handle<Tag<0>>::from_bits(random() % 4 == 0 ? random() % 50 | std::uint64_t{1} << 32 : 0);
}
std::vector<std::uint32_t> some_numbers(Random& random) {
  std::vector<std::uint32_t> numbers(random() % 5);
  for (auto& number : numbers) number = static_cast<std::uint32_t>(random() % 1000);
  return numbers;
}
std::string some_name(Random& random) {
  constexpr const char* kNames[] = {"imp", "smith", "merchant", "hunter", "guard of the gate"};
  return kNames[random() % std::size(kNames)] + std::to_string(random() % 100);
}

void make(Monster& monster, Random& random) {
  monster = {{coordinate(random), coordinate(random), 0},
             {random() % 2 == 0 ? coordinate(random) : 0, 0, 0},
             static_cast<std::int32_t>(random() % 101),
             static_cast<float>(random() % 360),
             some_name(random),
             some_monster(random),
             some_numbers(random)};
}
void make(Item& item, Random& random) {
  item = {static_cast<std::uint32_t>(random() % 40),
          static_cast<std::int32_t>(random() % 10),
          {coordinate(random), coordinate(random), 0},
          static_cast<float>(random() % 50),
          some_monster(random)};
}
void make(Effect& effect, Random& random) {
  effect = {{coordinate(random), coordinate(random), 0},
            static_cast<float>(random() % 600) / 60,
            1,
            static_cast<std::uint32_t>(random() % 12)};
}
void make(Quest& quest, Random& random) {
  quest = {some_name(random), static_cast<std::uint32_t>(random() % 9), some_numbers(random),
           some_monster(random)};
}

void change(Monster& monster) { monster.position.x += 1; }
void change(Item& item) { ++item.count; }
void change(Effect& effect) { effect.seconds_left += 1; }
void change(Quest& quest) { ++quest.stage; }

template <std::size_t Number>
using RecordOf = std::tuple_element_t<Number % 4, std::tuple<Monster, Item, Effect, Quest>>;

/// Bytes for an archive to read.
class Input final : public std::streambuf {
 public:
  explicit Input(std::span<std::byte> bytes) {
    auto* const begin = reinterpret_cast<char*>(bytes.data());
    setg(begin, begin, begin + bytes.size());
  }
};

/// The game's state in `Tables` vectors, which cereal and zstd save and load.
template <std::size_t Tables>
class PlainWorld {
 public:
  PlainWorld() {
    Random random(kSeed);
    for_each([&](auto& records) {
      records.resize(kObjects / Tables);
      for (auto& record : records) make(record, random);
    });
  }
  /// Calls visit(vector) for each vector.
  void for_each(const auto& visit) {
    std::apply([&](auto&... records) { (visit(records), ...); }, records_);
  }
  std::span<const std::byte> save() {
    output_.clear();
    std::ostream stream(&output_);
    cereal::BinaryOutputArchive archive(stream);
    for_each([&](auto& records) { archive(records); });
    return stream_.save(output_.bytes());
  }
  void load(std::span<const std::byte> stored) {
    bytes_.resize(output_.bytes().size());
    ZSTD_decompressDCtx(context_.get(), bytes_.data(), bytes_.size(), stored.data(), stored.size());
    Input input(bytes_);
    std::istream stream(&input);
    cereal::BinaryInputArchive archive(stream);
    for_each([&](auto& records) { archive(records); });
  }

 private:
  template <std::size_t... Numbers>
  static std::tuple<std::vector<RecordOf<Numbers>>...> vectors_of(std::index_sequence<Numbers...>);

  decltype(vectors_of(std::make_index_sequence<Tables>())) records_;
  reference::WarmOutput output_;
  reference::ZstdStream stream_{1};
  std::vector<std::byte> bytes_;
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_{ZSTD_createDCtx(),
                                                                   ZSTD_freeDCtx};
};

/// The same state in `Tables` tables.
template <std::size_t Tables>
class World {
 public:
  World() { create(std::make_index_sequence<Tables>()); }
  void fill() {
    Random random(kSeed);
    for_each([&](auto& table) {
      for (std::size_t i = 0; i < kObjects / Tables; ++i)
        make(*table.edit(table.emplace()), random);
    });
  }
  /// Changes every `step`th record, and at least the first of each page.
  void change_each(std::size_t step) {
    for_each([&](auto& table) {
      for (std::size_t at = 0; at < table.size(); at += step)
        change(*table.edit(table.handle_at(at)));
    });
  }
  /// Changes one record of 100, of a tenth of the tables, but at least one table.
  void change_few() {
    std::size_t number = 0;
    for_each([&](auto& table) {
      if (number++ % 10 != 0) return;
      for (std::size_t at = 0; at < table.size(); at += 10)
        change(*table.edit(table.handle_at(at)));
    });
  }

  Database database;

 private:
  template <std::size_t Number>
  using TableOf = Table<RecordOf<Number>, DefaultLayout, Tag<Number>>;

  template <std::size_t... Numbers>
  static std::tuple<TableOf<Numbers>*...> tables_of(std::index_sequence<Numbers...>);

  void for_each(const auto& visit) {
    std::apply([&](auto*... table) { (visit(*table), ...); }, tables_);
  }
  template <std::size_t... Numbers>
  void create(std::index_sequence<Numbers...>) {
    tables_ = {&database.create_table<RecordOf<Numbers>, DefaultLayout, Tag<Numbers>>(
        "objects_" + std::to_string(Numbers))...};
  }

  decltype(tables_of(std::make_index_sequence<Tables>())) tables_;
};

/// Bytes of a save in memory that is allocated already.
struct SaveBuffer final : ByteSink {
  Bytes bytes = Bytes(std::size_t{1} << 20);
  std::size_t end = 0;

  Status write(std::span<const std::byte> some) override {
    if (some.size() > bytes.size() - end) return fail(ErrorCode::disk_full, "the sink is full");
    std::memcpy(bytes.data() + end, some.data(), some.size());
    end += some.size();
    return {};
  }
};

template <class Result>
void require(const Result& result) {
  if (!result) fatal(result.error().message().c_str(), __FILE__, __LINE__);
}

double load_into(Database& database, const Bytes& file) {
  return time_ns([&] {
    require(database.load(std::make_unique<MemorySource>(MemorySource::borrowing(file))));
  });
}

template <std::size_t Tables>
void rows_of_saves(Bench& bench, const std::string& suffix, double target) {
  const std::string tables = "5,000 objects in " + std::to_string(Tables) + " tables, ";
  if (!bench.wants({"indie_save" + suffix, "indie_save_size" + suffix, "indie_autosave" + suffix}))
    return;
  World<Tables> world;
  world.fill();
  PlainWorld<Tables> plain;
  SaveBuffer sink;
  const auto plain_save = [&] { return plain.save().data(); };
  bench.report({"indie_save_size" + suffix, {}, "", tables + "/ bytes of the stream"},
               static_cast<double>(file_of(world.database.capture()).size()) /
                   static_cast<double>(plain.save().size()));
  bench.compare(
      {"indie_save" + suffix, target, "", tables + "capture and save, / cereal and zstd-1"},
      [&] {
        world.change_each(16);  // no sum of a page is known
        sink.end = 0;
        return time_ns([&] { require(save(world.database.capture(), sink)); });
      },
      plain_save);
  Autosaver autosaver;
  const SaveTarget target_in_memory("memory", [&](const Snapshot& what, const SaveOptions& how) {
    sink.end = 0;
    return save(what, sink, how);
  });
  bench.compare(
      {"indie_autosave" + suffix,
       {},
       "",
       tables + "a tenth of the tables changed, Autosaver to memory, / cereal and zstd-1"},
      [&] {
        world.change_few();
        return time_ns(
            [&] { require(autosaver.save(world.database.capture(), target_in_memory).result()); });
      },
      plain_save);
}

template <std::size_t Tables>
void rows_of_loads(Bench& bench, const std::string& suffix, double target) {
  if (!bench.wants({"indie_load" + suffix, "indie_load_new" + suffix})) return;
  const std::string tables = "5,000 objects in " + std::to_string(Tables) + " tables, ";
  World<Tables> world;
  world.fill();
  const Bytes file = file_of(world.database.capture());
  PlainWorld<Tables> plain;
  const auto stream = plain.save();
  const auto plain_load = [&] { plain.load(stream); };
  bench.compare(
      {"indie_load" + suffix, target, "", tables + "into a used database, / zstd and cereal"},
      [&] { return load_into(world.database, file); }, plain_load);
  bench.compare(
      {"indie_load_new" + suffix, {}, "", tables + "into a new database, / zstd and cereal"},
      [&] {
        World<Tables> fresh;
        return load_into(fresh.database, file);
      },
      plain_load);
}

// Durable files: what most of the time goes to is the disk.
void rows_of_files(Bench& bench) {
  if (!bench.wants({"indie_save_file", "indie_load_file"})) return;
  const TemporaryFolder folder;
  const std::string path = folder.file("game.hdb");
  const std::string stream_path = folder.file("game.zst");
  World<20> world;
  world.fill();
  bench.measure({"indie_save_file", {}, "ms", "5,000 objects in 20 tables, durable"}, [&] {
    world.change_each(16);
    return time_ns([&] { require(save(world.database.capture(), path)); });
  });
  require(save(world.database.capture(), path));
  PlainWorld<20> plain;
  const auto stream = plain.save();
  std::ofstream(stream_path, std::ios::binary)
      .write(reinterpret_cast<const char*>(stream.data()),
             static_cast<std::streamsize>(stream.size()));
  std::vector<std::byte> bytes(stream.size());
  bench.compare(
      {"indie_load_file", {}, "", "5,000 objects in 20 tables from a file, / zstd and cereal"},
      [&] { return time_ns([&] { require(world.database.load(path)); }); },
      [&] {
        return time_ns([&] {
          std::ifstream(stream_path, std::ios::binary)
              .read(reinterpret_cast<char*>(bytes.data()),
                    static_cast<std::streamsize>(bytes.size()));
          plain.load(bytes);
        });
      });
}

/// Levels that come and go in one database: 20 tables of 50 bodies each.
class Levels {
 public:
  /// Nanoseconds to make, fill and drop one level.
  double pass() {
    const std::string level = "level_" + std::to_string(number_++) + "/";
    return time_ns([&] {
      for (int i = 0; i < 20; ++i) {
        const std::string name = level + std::to_string(i);
        bench::fill(database_.create_table<Body, TypedLayout>(name), 50, make_body);
      }
      for (int i = 0; i < 20; ++i) database_.drop_table(level + std::to_string(i));
    });
  }

 private:
  Database database_;
  int number_ = 0;
};

void rows_of_levels(Bench& bench) {
  Lazy used([] {
    auto levels = std::make_unique<Levels>();
    for (int i = 0; i < 1000; ++i) levels->pass();
    return levels;
  });
  bench.compare(
      {"tables_create_drop", 1.1, "", "the 1,000th level of 20 tables of 50 / the first"},
      [&] { return (*used)->pass(); }, [] { return Levels().pass(); });
  bench.compare(
      {"tables_create_drop_vectors", {}, "", "the 1,000th level / 20 vectors of 50"},
      [&] { return (*used)->pass(); },
      [] {
        return time_ns([] {
          std::vector<std::vector<Body>> vectors(20);
          for (auto& vector : vectors) {
            for (std::uint64_t i = 0; i < 50; ++i) vector.push_back(make_body(i));
          }
          benchmark::DoNotOptimize(vectors.data());
        });
      });
}

}  // namespace
}  // namespace indie

void indie_rows(Bench& bench) {
  indie::rows_of_saves<4>(bench, "_4", 0.9);
  indie::rows_of_saves<20>(bench, "_20", 1.2);
  indie::rows_of_saves<100>(bench, "_100", 1.5);
  indie::rows_of_loads<4>(bench, "_4", 1.2);
  indie::rows_of_loads<20>(bench, "_20", 1.5);
  indie::rows_of_loads<100>(bench, "_100", 2);
  indie::rows_of_files(bench);
  indie::rows_of_levels(bench);
}

}  // namespace hdb::bench
