// Replays: a start state and the inputs. Played again, the game ends in the same state hash.
#include <hdb/hdb.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

namespace {

constexpr std::int32_t kTicks = 600;

struct Ship {
  std::int32_t x = 0, speed = 0, score = 0;
};
struct Rock {
  std::int32_t x = 0, height = 100;
};
struct Random {
  std::uint64_t state = 1;
};
// Only ticks at which the buttons changed are recorded.
struct Input {
  std::int32_t tick = 0;
  std::int32_t push = 0;
};
struct Recording {
  std::string end;  // the state hash after the last tick
};

int failed(const std::string& what) {
  std::fprintf(stderr, "replay: %s\n", what.c_str());
  return 1;
}

// A step depends on the database and the input alone: all that it reads is in tables.
struct World {
  hdb::Database db;
  hdb::Singleton<Ship>& ship = db.singleton<Ship>("ship");
  hdb::Singleton<Random>& random = db.singleton<Random>("random");
  hdb::Table<Rock>& rocks = db.create_table<Rock>("rocks");

  std::uint32_t next() {
    std::uint64_t& state = random.edit().state;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state >> 33);
  }
  void step(std::int32_t push) {
    Ship& moved = ship.edit();
    moved.speed = moved.speed * 7 / 8 + push * 8;
    moved.x += moved.speed;
    hdb::Handle<Rock> landed;
    rocks.edit_each([&](hdb::Handle<Rock> rock, Rock& falling) {
      if (--falling.height == 0) landed = rock;
    });
    if (const Rock* const rock = rocks.find(landed)) {
      if (rock->x > moved.x - 40 && rock->x < moved.x + 40) moved.score += 1;
      rocks.erase(landed);
    }
    if (next() % 8 == 0) rocks.insert({.x = static_cast<std::int32_t>(next() % 800) - 400});
  }
};

// What a player does who looks at the screen.
std::int32_t play(const World& world) {
  const Rock* lowest = nullptr;
  for (const Rock& rock : world.rocks) {
    if (lowest == nullptr || rock.height < lowest->height) lowest = &rock;
  }
  if (lowest == nullptr) return 0;
  return lowest->x < world.ship->x - 30 ? -1 : lowest->x > world.ship->x + 30 ? 1 : 0;
}

hdb::Result<hdb::SaveReport> record(const std::string& start, const std::string& inputs) {
  World world;
  for (int tick = 0; tick < 50; ++tick) world.step(0);  // a replay may begin amid a game
  if (auto saved = hdb::save(world.db.capture(), start); !saved) return saved;
  hdb::Database log;  // a recording is a save, too: small, checked, compared by hdbinspect
  auto& pushes = log.create_table<Input>("inputs");
  std::int32_t last = 0;
  for (std::int32_t tick = 0; tick < kTicks; ++tick) {
    const std::int32_t push = play(world);
    if (push != last) pushes.insert({.tick = tick, .push = push});
    world.step(last = push);
  }
  log.singleton<Recording>("recording").edit().end = world.db.state_hash().hex();
  std::printf("recorded %d ticks, %zu changes of input, score %d\n", kTicks, pushes.size(),
              world.ship->score);
  return hdb::save(log.capture(), inputs);
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const fs::path folder = argc > 1 ? fs::path(argv[1]) : fs::temp_directory_path() / "hdb-replay";
  const std::string start = (folder / "start.hdb").string();
  const std::string inputs = (folder / "inputs.hdb").string();
  if (const auto saved = record(start, inputs); !saved) return failed(saved.error().message());

  World world;
  hdb::Database log;
  auto& pushes = log.create_table<Input>("inputs");
  auto& recording = log.singleton<Recording>("recording");
  if (const auto loaded = world.db.load(start); !loaded) return failed(loaded.error().message());
  if (const auto loaded = log.load(inputs); !loaded) return failed(loaded.error().message());
  auto input = pushes.begin();
  std::int32_t push = 0;
  for (std::int32_t tick = 0; tick < kTicks; ++tick) {
    if (input != pushes.end() && input->tick == tick) {
      push = input->push;
      ++input;
    }
    world.step(push);
  }
  if (world.db.state_hash().hex() != recording->end) return failed("the replay ends differently");
  std::printf("replayed: the same state, score %d\n", world.ship->score);
  return 0;
}
