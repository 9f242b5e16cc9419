// A game whose policies and handle layouts change from version to version: random walks through
// files, with play in between. Live handles stay valid, stale ones stay dead, and none of all
// versions is issued again.
#include <functional>

#include "policy_world.hpp"
#include "support/scale.hpp"

namespace hdb::test::policies {
namespace {

constexpr int kVersions = 12;
constexpr int kStepsOfAVersion = 300;

TableOptions any_options(Random& random) {
  const auto coin = [&] { return random.one_in(2); };
  TableOptions options;
  options.storage = coin() ? Storage::dense : Storage::stable;
  options.free_list = std::array{FreeList::lifo, FreeList::fifo, FreeList::lowest}[random.below(3)];
  options.generations = coin() ? Generations::per_slot : Generations::table_counter;
  options.overflow = coin() ? Overflow::retire : Overflow::wrap;  // none comes near its last one
  return options;
}

// The handles of all versions, by slot and generation: no layout changes these.
class Walk {
 public:
  explicit Walk(std::uint64_t seed) : random_(seed) {}

  /// A version of the game loads the last save, plays, and saves.
  template <class L>
  void play() {
    Game<L> game(any_options(random_));
    if (!file_.empty()) {
      const auto report = load(game.db, file_, {.threads = 2, .verify_state_hash = true});
      ASSERT_TRUE(report) << report.error().message();
    }
    expect_all(game);
    for (int i = 0; i < kStepsOfAVersion; ++i) step(game);
    expect_all(game);
    expect_sound(game.db);
    file_ = saved(game.db);
  }

 private:
  using Parts = std::pair<std::uint32_t, std::uint32_t>;

  template <class L>
  static Handle<Thing, L> handle_of(const Game<L>& game, Parts parts) {
    return Handle<Thing, L>::from_bits(static_cast<typename L::Bits>(
        pack_handle(L::value, parts.first, parts.second, game.things.next_handle().type_id())));
  }
  template <class L>
  void step(Game<L>& game) {
    if (live_.empty() || (live_.size() < 60 && random_.one_in(2))) {
      const auto made = game.things.insert({++value_});
      ASSERT_TRUE(made);
      const Parts parts(made.index(), made.generation());
      ASSERT_TRUE(issued_.insert(parts).second) << parts.first << '@' << parts.second;
      live_[parts] = value_;
      return;
    }
    const auto at = std::next(live_.begin(), static_cast<long>(random_.below(live_.size())));
    ASSERT_TRUE(game.things.erase(handle_of(game, at->first)));
    live_.erase(at);
  }
  template <class L>
  void expect_all(Game<L>& game) {
    ASSERT_EQ(game.things.size(), live_.size());
    for (const Parts& parts : issued_) {
      const Thing* const found = game.things.find(handle_of(game, parts));
      const auto expected = live_.find(parts);
      ASSERT_EQ(found != nullptr, expected != live_.end()) << parts.first << '@' << parts.second;
      if (found != nullptr) {
        ASSERT_EQ(found->value, expected->second);
      }
    }
  }

  Random random_;
  Bytes file_;
  std::map<Parts, std::uint64_t> live_;
  std::set<Parts> issued_;
  std::uint64_t value_ = 0;
};

TEST(PolicyWalks, HandlesOutliveAnyVersionsOfAGame) {
  const std::array<std::function<void(Walk&)>, 5> versions{
      [](Walk& walk) { walk.play<DefaultLayout>(); }, [](Walk& walk) { walk.play<TypedLayout>(); },
      [](Walk& walk) { walk.play<Layout<16, 16>>(); },
      [](Walk& walk) { walk.play<Layout<20, 20, 4>>(); },
      [](Walk& walk) { walk.play<Layout<24, 24>>(); }};
  const std::size_t walks = scaled(60);
  for (std::uint64_t seed = 1; seed <= walks && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "walk " << seed);
    Walk walk(seed);
    Random random(seed + 1'000'000);
    for (int i = 0; i < kVersions && !HasFailure(); ++i)
      versions[random.below(versions.size())](walk);
  }
  std::printf("G19 versions of a game: cases=%zu failures=%d\n", walks * kVersions,
              HasFailure() ? 1 : 0);
}

}  // namespace
}  // namespace hdb::test::policies
