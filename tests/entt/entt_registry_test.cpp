// hdb/entt.hpp with EnTT: listeners, groups, named pools, other entity types, and refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "entt/entt_subject.hpp"
#include "hdb/autosaver.hpp"
#include "hdb/changes.hpp"
#include "support/folder.hpp"

namespace entt_test {
namespace {

using hdb::ErrorCode;
using hdb::MemorySink;
using hdb::MemorySource;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Link = EnttLink<entt::entity>;

struct Game {
  entt::registry registry;
  hdb::entt::Registry world{registry};

  Game() {
    world.pool<EnttPosition>("Position").pool<EnttName>("Name").pool<EnttBody>("Body");
    world.pool<EnttTag>("Tag").pool<Link>("Link");
    world.pool<EnttPosition>("Origin", entt::hashed_string::value("origin"));
  }
  std::vector<entt::entity> fill(std::size_t count) {
    std::vector<entt::entity> entities(count);
    registry.create(entities.begin(), entities.end());
    for (std::size_t i = 0; i < count; ++i) {
      registry.emplace<EnttPosition>(entities[i], float(i));
      if (i % 2 == 0) registry.emplace<EnttName>(entities[i], std::to_string(i));
      if (i % 3 == 0) registry.emplace<EnttBody>(entities[i], i);
      if (i % 5 == 0) registry.emplace<EnttTag>(entities[i]);
      if (i % 4 == 0) registry.emplace<Link>(entities[i], entities[count - 1 - i]);
    }
    return entities;
  }
};

template <class World>
hdb::Bytes saved(World& world) {
  MemorySink sink;
  EXPECT_TRUE(hdb::save(world.capture(), sink));
  return sink.take();
}
std::unique_ptr<ByteSource> source(const hdb::Bytes& bytes) {
  return std::make_unique<MemorySource>(bytes);
}

TEST(EnttRegistry, NoListenerHearsOfACaptureOrRestoreAndAllStay) {
  Game game;
  struct Ear {
    int heard = 0;
    void hear(entt::registry&, entt::entity) { ++heard; }
  } ear;
  game.registry.on_construct<EnttPosition>().connect<&Ear::hear>(ear);
  game.registry.on_update<EnttPosition>().connect<&Ear::hear>(ear);
  game.registry.on_destroy<EnttPosition>().connect<&Ear::hear>(ear);
  game.registry.on_construct<entt::entity>().connect<&Ear::hear>(ear);
  game.registry.on_destroy<entt::entity>().connect<&Ear::hear>(ear);
  game.registry.ctx().emplace<int>(7);
  const auto entities = game.fill(20);
  auto& storage = game.registry.storage<EnttPosition>();
  const Snapshot now = game.world.capture();
  const hdb::Bytes file = saved(game.world);
  game.registry.destroy(entities[3]);
  game.registry.ctx().get<int>() = 8;
  ear.heard = 0;
  ASSERT_TRUE(game.world.capture());
  ASSERT_TRUE(game.world.restore(now));
  ASSERT_TRUE(game.world.load(source(file)));
  EXPECT_EQ(ear.heard, 0);
  EXPECT_TRUE(game.registry.valid(entities[3]));
  EXPECT_EQ(game.registry.ctx().get<int>(), 8);
  EXPECT_EQ(&game.registry.storage<EnttPosition>(), &storage);
  game.registry.destroy(entities[3]);
  EXPECT_EQ(ear.heard, 2);  // the entity and its position
}

TEST(EnttRegistry, EntityFieldsNameTheSameEntitiesAndAreHandlesInFiles) {
  Game game;
  const auto entities = game.fill(8);
  game.registry.get<Link>(entities[0]).target = entities[5];
  game.registry.get<Link>(entities[4]).target = entt::null;
  const hdb::Bytes file = saved(game.world);
  Game other;
  ASSERT_TRUE(other.world.load(source(file)));
  EXPECT_EQ(other.registry.get<Link>(entities[0]).target, entities[5]);
  EXPECT_TRUE(other.registry.get<Link>(entities[4]).target == entt::null);
  using World = hdb::entt::Registry;
  EXPECT_TRUE(World::handle_of(entt::null).is_null());
  EXPECT_EQ(World::handle_of(entities[5]).index(), 5u);
  EXPECT_EQ(World::handle_of(entities[5]).generation(), 1u);
  for (const std::uint32_t bits : {0u, 1u, 0xfffffu, 0x100000u, 0xfff00000u, 0xffffffffu, 77u}) {
    const entt::entity entity{bits};
    EXPECT_EQ(World::entity_of(World::handle_of(entity)), entity) << bits;
  }
}

TEST(EnttRegistry, ChangesAreListedByEntities) {
  Game game;
  const auto entities = game.fill(20);
  const Snapshot now = game.world.capture();
  const entt::entity extra = game.registry.create();
  game.registry.destroy(entities[2]);
  game.registry.get<EnttPosition>(entities[7]).x = 70;
  game.registry.remove<EnttTag>(entities[5]);
  game.registry.emplace<EnttPosition>(extra);
  hdb::Changes changes;
  ASSERT_TRUE(game.world.restore(now, {.changes = &changes}));
  const auto listed = game.world.entities_of(changes);
  EXPECT_THAT(listed.created, ElementsAre(entities[2]));
  EXPECT_THAT(listed.destroyed, ElementsAre(extra));
  EXPECT_THAT(listed.changed, ElementsAre(entities[5], entities[7]));
  ASSERT_TRUE(game.world.load(source(saved(game.world)), {.changes = &changes}));
  EXPECT_TRUE(game.world.entities_of(changes).empty());
}

TEST(EnttRegistry, APoolIsRegisteredOnceAndGroupsNeedTheirPools) {
  Game game;
  EXPECT_EQ(game.world.try_pool<EnttTag>("Again").error().code, ErrorCode::duplicate_name);
  EXPECT_EQ(game.world.try_pool<EnttBag>("Tag").error().code, ErrorCode::duplicate_name);
  EXPECT_EQ((game.world.try_group<EnttPosition, int>("g").error().code), ErrorCode::not_found);
  ASSERT_TRUE((game.world.try_group<EnttPosition, EnttName>("g")));
  EXPECT_EQ((game.world.try_group<EnttPosition, EnttName>("g").error().code),
            ErrorCode::duplicate_name);
}

TEST(EnttRegistry, UnknownComponentsAreNotForgotten) {
  Game game;
  const auto entities = game.fill(4);
  game.registry.emplace<EnttBag>(entities[0]);
  const auto refused = game.world.try_capture();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::not_found);
  EXPECT_THAT(refused.error().message(), HasSubstr("EnttBag"));
  game.world.leave_out<EnttBag>();
  const Snapshot now = game.world.capture();
  ASSERT_TRUE(game.world.restore(now));
  EXPECT_TRUE(game.registry.all_of<EnttBag>(entities[0]));
}

// A physics body for each position: the program's listeners make and release it.
struct Body {
  std::unique_ptr<int> physics;
};
void make_body(entt::registry& registry, entt::entity entity) {
  registry.emplace<Body>(entity, std::make_unique<int>(1));
}
void count_release(int& released, entt::registry&, entt::entity) { ++released; }

TEST(EnttRegistry, LeftOutComponentsOfEntitiesThatAreGoneGoToo) {  // MI4
  Game game;
  int released = 0;
  game.world.leave_out<Body>();
  game.registry.on_construct<EnttPosition>().connect<&make_body>();
  game.registry.on_destroy<Body>().connect<&count_release>(released);
  game.registry.emplace<EnttPosition>(game.registry.create());
  const Snapshot before = game.world.capture();
  for (int round = 1; round <= 3; ++round) {
    for (int i = 0; i < 5; ++i) game.registry.emplace<EnttPosition>(game.registry.create());
    EXPECT_EQ(game.registry.storage<Body>().size(), 6u);
    ASSERT_TRUE(game.world.restore(before));
    EXPECT_EQ(game.registry.storage<Body>().size(), 1u);
    EXPECT_EQ(released, 5 * round);
  }
}

TEST(EnttRegistry, OwningGroupsAreDeclaredOrMadeAfterwards) {
  Game game;
  const auto entities = game.fill(10);
  const Snapshot now = game.world.capture();
  const auto group = game.registry.group<EnttPosition, EnttName>();
  const auto refused = game.world.restore(now);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::bad_options);
  EXPECT_THAT(refused.error().message(), HasSubstr("group()"));
  game.world.group<EnttPosition, EnttName>("g");
  const Snapshot with_group = game.world.capture();
  game.registry.remove<EnttName>(entities[4]);
  EXPECT_EQ(group.size(), 4u);
  ASSERT_TRUE(game.world.restore(with_group));
  EXPECT_EQ(group.size(), 5u);
  game.registry.remove<EnttName>(entities[4]);
  EXPECT_EQ(group.size(), 4u);  // the handler hears, once
  ASSERT_TRUE(game.world.restore(now));
  EXPECT_EQ(group.size(), 5u);
  game.registry.clear();
  EXPECT_EQ(group.size(), 0u);
}

TEST(EnttRegistry, GroupsMadeAfterALoadAreThoseOfTheSavedGame) {
  Game game;
  game.fill(30);
  const auto group = game.registry.group<EnttPosition, EnttName>(entt::get<Link>);
  group.sort([](entt::entity a, entt::entity b) { return a < b; });
  const hdb::Bytes file = saved(game.world);
  Game other;
  ASSERT_TRUE(other.world.load(source(file)));
  const auto again = other.registry.group<EnttPosition, EnttName>(entt::get<Link>);
  EXPECT_TRUE(std::equal(group.begin(), group.end(), again.begin(), again.end()));
  const auto& one = game.registry.storage<EnttPosition>();
  const auto& two = other.registry.storage<EnttPosition>();
  EXPECT_TRUE(std::equal(one.data(), one.data() + one.size(), two.data()));
}

TEST(EnttRegistry, AFreeGroupThatAFileLacksIsMadeFromThePools) {
  Game game;
  game.fill(30);
  const hdb::Bytes file = saved(game.world);
  Game other;
  other.fill(3);
  other.world.group<>("free", entt::get<EnttName, Link>, entt::exclude<EnttTag>);
  ASSERT_TRUE(other.world.load(source(file)));
  const auto one = game.registry.group<>(entt::get<EnttName, Link>, entt::exclude<EnttTag>);
  const auto two = other.registry.group<>(entt::get<EnttName, Link>, entt::exclude<EnttTag>);
  EXPECT_GT(one.size(), 3u);
  EXPECT_TRUE(std::equal(one.begin(), one.end(), two.begin(), two.end()));
}

TEST(EnttRegistry, PoolsOfAnotherOrderAreMadeAgainUnlessSomethingListens) {
  Game game;
  game.fill(10);
  const hdb::Bytes file = saved(game.world);
  const auto order = [](const entt::registry& registry) {
    std::vector<entt::id_type> ids;
    for (auto [id, pool] : registry.storage()) ids.push_back(id);
    return ids;
  };
  Game other;
  const entt::entity one = other.registry.create();
  other.registry.emplace<Link>(one);
  other.registry.emplace<EnttBody>(one);
  ASSERT_TRUE(other.world.load(source(file)));
  EXPECT_EQ(order(other.registry), order(game.registry));
  Game third;
  third.registry.on_destroy<EnttBody>().connect<[](entt::registry&, entt::entity) {}>();
  const auto refused = third.world.load(source(file));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::bad_options);
  EXPECT_TRUE(third.registry.storage<entt::entity>().empty());
}

TEST(EnttRegistry, EntitiesOfAnotherWidthKeepTheirIndexesAndVersions) {
  entt::registry narrow;
  hdb::entt::Registry narrow_world{narrow};
  narrow_world.pool<EnttPosition>("Position");
  const auto first = narrow.create();
  narrow.destroy(first);
  const auto second = narrow.create();
  narrow.emplace<EnttPosition>(second, 2.0F);
  const auto third = narrow.create();
  narrow.emplace<EnttPosition>(third, 3.0F);
  const hdb::Bytes file = saved(narrow_world);

  entt::basic_registry<std::uint64_t> wide;
  hdb::entt::BasicRegistry<entt::basic_registry<std::uint64_t>> wide_world{wide};
  wide_world.pool<EnttPosition>("Position");
  const auto loaded = wide_world.load(source(file));
  ASSERT_TRUE(loaded) << loaded.error().message();
  const std::uint64_t same = (std::uint64_t{1} << 32) | 0;  // index 0, version 1
  ASSERT_TRUE(wide.valid(same));
  EXPECT_EQ(wide.get<EnttPosition>(same).x, 2.0F);
  EXPECT_EQ(wide.get<EnttPosition>(1).x, 3.0F);
  EXPECT_THAT(loaded->summary(), HasSubstr("handles <20,12> -> <32,31>"));
  // The other way round it works as long as the numbers fit.
  const hdb::Bytes wide_file = saved(wide_world);
  ASSERT_TRUE(narrow_world.load(source(wide_file)));
  EXPECT_EQ(narrow.get<EnttPosition>(third).x, 3.0F);
  const auto refused = wide_world.load(source(wide_file), {.allow_policy_changes = false});
  EXPECT_TRUE(refused);
  const std::uint64_t too_high = wide.create(std::uint64_t{1} << 21);
  wide.emplace<EnttPosition>(too_high);
  const auto state = narrow.storage<entt::entity>().size();
  const auto too_wide = narrow_world.load(source(saved(wide_world)));
  ASSERT_FALSE(too_wide);
  EXPECT_EQ(too_wide.error().code, ErrorCode::layout_mismatch);
  EXPECT_EQ(narrow.storage<entt::entity>().size(), state);
}

TEST(EnttRegistry, AVersionThatHandlesDoNotHaveIsRefused) {
  entt::basic_registry<std::uint64_t> wide;
  hdb::entt::BasicRegistry<entt::basic_registry<std::uint64_t>> world{wide};
  const std::uint64_t last = wide.create(std::uint64_t{0x7fff'fffd} << 32);
  EXPECT_TRUE(world.try_capture());
  wide.destroy(last);  // the next version is one too high
  const auto refused = world.try_capture();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::limit_exceeded);
}

struct Fragile {
  static inline bool throws = false;
  int number = 0;
  explicit Fragile(int n = 0) : number(n) {}
  Fragile(const Fragile& other) : number(other.number) {
    if (throws && number == 5) throw std::runtime_error("no copy");
  }
  Fragile& operator=(const Fragile&) = default;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(number));
  }
  ~Fragile() {}  // not trivial
};

TEST(EnttRegistry, ComponentsThatThrowWhileCopiedChangeNothing) {
  Game game;
  game.world.pool<Fragile>("Fragile");
  const auto entities = game.fill(10);
  for (int i = 0; i < 10; ++i)
    game.registry.emplace<Fragile>(entities[static_cast<std::size_t>(i)], i);
  Fragile::throws = true;
  EXPECT_THROW(static_cast<void>(game.world.capture()), std::runtime_error);
  Fragile::throws = false;
  const Snapshot now = game.world.capture();
  const hdb::Bytes file = saved(game.world);
  game.registry.destroy(entities[0]);
  Fragile::throws = true;
  EXPECT_THROW(static_cast<void>(game.world.restore(now)), std::runtime_error);
  EXPECT_THROW(static_cast<void>(game.world.load(source(file))), std::runtime_error);
  Fragile::throws = false;
  EXPECT_FALSE(game.registry.valid(entities[0]));
  EXPECT_EQ(game.registry.storage<Fragile>().size(), 9u);
  ASSERT_TRUE(game.world.restore(now));
  EXPECT_EQ(game.registry.get<Fragile>(entities[0]).number, 0);
  EXPECT_EQ(game.world.capture().state_hash(), now.state_hash());
}

TEST(EnttRegistry, AnAutosaverSavesCaptures) {
  Game game;
  game.fill(100);
  const hdb::test::Folder folder;
  const std::string path = folder / "save.hdb";
  hdb::Autosaver autosaver;
  for (int i = 0; i < 3; ++i) {
    game.registry.get<EnttPosition>(entt::entity{3}).x = float(i);
    autosaver.save(game.world.capture(), path);
  }
  autosaver.flush();
  Game other;
  ASSERT_TRUE(other.world.load(path));
  EXPECT_EQ(other.registry.get<EnttPosition>(entt::entity{3}).x, 2.0F);
}

}  // namespace
}  // namespace entt_test
