// Loads a save of the first process, plays on and compares.
#include <fmt/format.h>

#include <iterator>

#include "checks.hpp"
#include "hdb/sync_test.hpp"

namespace demo {
namespace {

Expected read_expected(const Files& files) {
  Expected expected;
  std::ifstream in(files.expected(), std::ios::binary);
  cereal::JSONInputArchive archive(in);
  archive(cereal::make_nvp("expected", expected));
  if (expected.trace.size() != kEndTick - kSaveTick) {
    throw std::runtime_error(files.expected() + ": the trace is too short");
  }
  return expected;
}

bool have_same_bytes(const std::string& a, const std::string& b) {
  std::ifstream first(a, std::ios::binary);
  std::ifstream second(b, std::ios::binary);
  using Iterator = std::istreambuf_iterator<char>;
  const std::string bytes{Iterator(first), Iterator()};
  return !bytes.empty() && bytes == std::string(Iterator(second), Iterator());
}

// The first ticks whose hashes differ; 0: none does.
struct Divergence {
  std::uint32_t tick = 0;
  std::uint32_t fate = 0;
};

Divergence play_on(Game& game, const std::vector<TickHashes>& trace) {
  Divergence first;
  for (const TickHashes& expected : trace) {
    game.tick();
    const TickHashes found = tick_hashes(game);
    const std::uint32_t tick = game.world.clock->tick;
    if (first.tick == 0 && found.moving != expected.moving) first.tick = tick;
    if (first.fate == 0 && found.fates != expected.fates) first.fate = tick;
  }
  return first;
}

Check check_list(const World& world, const HandleList& list) {
  const ListCheck check = check_handle_list(world, list);
  const std::size_t stale = list.stale_count();
  const std::size_t live = list.handles.size() - stale;
  return {check.wrong == 0 && check.live_right == live && check.stale_right == stale,
          fmt::format("{} of {} live handles find their record, {} of {} stale find none{}",
                      check.live_right, live, check.stale_right, stale,
                      check.wrong == 0 ? "" : "; " + check.first_wrong)};
}

Check check_journey(const Journey& expected, const Journey& found) {
  const TextureFacts& facts = expected.textures;
  if (found != expected) {
    return {false, fmt::format("journey to {}: {:016x}, not {:016x}", expected.map, found.plain,
                               expected.plain)};
  }
  return {expected.pixels == facts.before + facts.loaded - facts.flushed,
          fmt::format("journey to {}: {} textures kept, {} new, {} flushed; equal at tick {}",
                      expected.map, facts.before - facts.flushed, facts.loaded, facts.flushed,
                      kLastTick)};
}

}  // namespace

Checks check_resumed_game(const Files& files, const Wad& wad) {
  const Expected expected = read_expected(files);
  Game game(wad);
  must(game.load(files.save()));
  if (const char* const broken = game.world.database.check_invariants()) {
    throw std::runtime_error(broken);
  }
  const std::size_t textures = game.world.textures.table().size();
  const std::size_t with_pixels = game.pixels.size();

  Checks checks{check_list(game.world, expected.handles)};
  const Divergence divergence = play_on(game, expected.trace);
  const std::string state_hash = game.world.database.state_hash().hex();
  const std::uint64_t plain = plain_hash(game);
  must(hdb::save(game.world.database.capture(), files.resumed_end(), game.save_options()));
  const Journey journey = play_next_map(game);
  const bool is_equal = divergence.tick == 0 && divergence.fate == 0;
  checks.push_back({is_equal, is_equal ? fmt::format("all ticks from {} to {} are equal",
                                                     kSaveTick + 1, kEndTick)
                                       : fmt::format("tick {} differs", divergence.tick)});
  checks.push_back({state_hash == expected.state_hash,
                    fmt::format("state hash at tick {} equal:  {}", kEndTick, state_hash)});
  checks.push_back(
      {plain == expected.plain,
       fmt::format("plain hash at tick {} equal:  {:016x}  (made without hdb)", kEndTick, plain)});
  checks.push_back({have_same_bytes(files.end(), files.resumed_end()),
                    fmt::format("the saves at tick {} are equal, byte for byte", kEndTick)});
  checks.push_back({with_pixels == textures && textures == expected.textures,
                    fmt::format("{} of {} textures have their pixels again; pixels are not saved",
                                with_pixels, textures)});
  checks.push_back(check_journey(expected.journey, journey));
  return checks;
}

Check check_control(const Files& files, const Wad& wad) {
  const Expected expected = read_expected(files);
  Game game(wad);
  must(game.load(files.sorted_save()));
  const Divergence divergence = play_on(game, expected.trace);
  const bool is_other =
      divergence.tick != 0 && divergence.fate != 0 && plain_hash(game) != expected.plain;
  return {is_other, is_other
                        ? fmt::format("control with sorted free lists: other handles from tick {}, "
                                      "fates {}",
                                      divergence.tick, divergence.fate)
                        : "the control does not diverge: the order of free lists had no effect"};
}

Journey play_next_map(Game& game) {
  Journey journey;
  journey.map = game.next_map();
  journey.textures = game.travel_to(journey.map);
  game.play_to(kLastTick);
  journey.pixels = game.pixels.size();
  journey.state_hash = game.world.database.state_hash().hex();
  journey.plain = plain_hash(game);
  return journey;
}

}  // namespace demo
