// What a mirrored registry refuses, and that it then stays as it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "entt/model_subject.hpp"
#include "format/forge.hpp"
#include "hdb/component_table.hpp"
#include "hdb/inspect/reader.hpp"
#include "support/allocation_watch.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::model_refusals_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Throws when copies_left copies were made, once.
struct Fragile {
  static constexpr bool kStays = false;
  static inline int copies_left = -1;
  std::uint32_t number = 0;
  std::string text;

  Fragile() = default;
  Fragile(const Fragile& other) : number(other.number), text(other.text) {
    if (copies_left >= 0 && copies_left-- == 0) throw std::runtime_error("no copy");
  }
  Fragile(Fragile&&) = default;
  Fragile& operator=(const Fragile& other) { return *this = Fragile(other); }
  Fragile& operator=(Fragile&&) = default;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(number), CEREAL_NVP(text));
  }
  static Fragile of(std::uint32_t v) {
    Fragile made;
    made.number = v;
    return made;
  }
  [[nodiscard]] std::uint32_t value() const { return number; }
};

struct World : ModelSubject {
  World() { detail::end_on_error(add_pool<Fragile>("Fragile", 5)); }
  [[nodiscard]] std::size_t pool_count() const override { return 6; }
  /// Some entities with some components, holes and dead entities.
  void fill() {
    for (std::uint32_t i = 0; i < 40; ++i) {
      const std::uint64_t id = create();
      for (std::size_t pool = 0; pool < pool_count(); ++pool) {
        if (i % (pool + 2) == 0) add(pool, id, i);
      }
    }
    for (std::uint32_t i = 0; i < 9; ++i) destroy(live_at(3 * i));
  }
  [[nodiscard]] ModelMirroredPool<ModelPosition>& positions() {
    return static_cast<ModelMirroredPool<ModelPosition>&>(*mirror.find(0));
  }
};

Snapshot captured(Subject& subject) { return detail::value_or_end(subject.capture()); }
Bytes saved(Subject& subject) {
  MemorySink sink;
  detail::value_or_end(save(captured(subject), sink));
  return sink.take();
}
std::unique_ptr<ByteSource> source(const Bytes& bytes) {
  return std::make_unique<MemorySource>(bytes);
}

class RegistryRefusals : public testing::Test {
 protected:
  RegistryRefusals() { world.fill(); }
  // The registry is as before the call, and a capture works again.
  void expect_unchanged(const std::vector<std::uint64_t>& state) {
    EXPECT_EQ(world.state(), state);
    Fragile::copies_left = -1;
    const auto again = world.capture();
    ASSERT_TRUE(again) << again.error().message();
    World other;
    other.registry.entities = world.registry.entities;
    EXPECT_EQ(world.database().check_invariants(), nullptr);
    EXPECT_TRUE(world.restore(*again));
    EXPECT_EQ(world.state(), state);
  }
  World world;
};

TEST_F(RegistryRefusals, APoolIsRegisteredOnlyOnce) {
  EXPECT_EQ(world.add_pool<ModelTag>("Again", 4).error().code, ErrorCode::duplicate_name);
  EXPECT_EQ(world.add_pool<ModelTag>("Tag", 9).error().code, ErrorCode::duplicate_name);
  EXPECT_EQ(world.mirror.ignore(4).error().code, ErrorCode::duplicate_name);
  ASSERT_TRUE(world.mirror.ignore(9));
  EXPECT_EQ(world.add_pool<ModelTag>("Left", 9).error().code, ErrorCode::duplicate_name);
}

TEST_F(RegistryRefusals, ComponentsOfAnUnknownPoolAreNotForgotten) {
  const auto unknown = std::make_shared<ModelPool<ModelBody>>();
  world.registry.pools.push_back({77, unknown});
  EXPECT_TRUE(world.capture());  // it is empty
  unknown->add(static_cast<std::uint32_t>(world.live_at(0)), 1, false);
  const auto refused = world.capture();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::not_found);
  EXPECT_THAT(refused.error().message(), HasSubstr("pool of a type of the model"));
  ASSERT_TRUE(world.mirror.ignore(77));
  const Snapshot now = captured(world);
  world.clear_all();
  EXPECT_TRUE(world.restore(now));
  EXPECT_EQ(unknown->packed.size(), 0u);  // cleared by the program, not brought back
}

// A body beside each entity, made when it is created: the state does not have it.
TEST_F(RegistryRefusals, LeftOutComponentsOfEntitiesThatAreGoneGoToo) {  // MI4
  for (const bool is_left_out : {true, false}) {
    for (const bool stays : {true, false}) {
      ModelSubject game;
      std::shared_ptr<ModelPoolBase> bodies = std::make_shared<ModelPool<ModelPosition>>();
      if (stays) bodies = std::make_shared<ModelPool<ModelBody>>();
      const auto create = [&] {
        const auto id = static_cast<std::uint32_t>(game.create());
        EXPECT_FALSE(bodies->has(id)) << "the entity is new";
        bodies->add(id, 1, false);
        return id;
      };
      game.registry.pools.push_back({77, bodies});
      if (is_left_out) {
        ASSERT_TRUE(game.mirror.ignore(77));
      } else {
        game.registry.pools.pop_back();  // made after the capture
      }
      const std::uint32_t first = create();
      const Snapshot before = captured(game);
      if (!is_left_out) game.registry.pools.push_back({77, bodies});
      for (int i = 0; i < 20; ++i) create();
      ASSERT_TRUE(game.restore(before));
      std::size_t left = 0;
      for (const std::uint32_t id : bodies->packed) left += ModelId::is_tombstone(id) ? 0 : 1;
      EXPECT_EQ(left, 1u);
      EXPECT_TRUE(bodies->has(first));
      for (int i = 0; i < 20; ++i) create();
    }
  }
}

TEST_F(RegistryRefusals, TablesWithTheStateOfARegistryAreNotDropped) {
  captured(world);
  for (const char* const name : {"entities", "registry", "Position"})
    EXPECT_DEATH(world.database().drop_table(name), "holds the state of a registry");
  world.database().create_table<ModelBody>("own");
  EXPECT_TRUE(world.database().drop_table("own"));
}

TEST_F(RegistryRefusals, AComponentOfADeadEntityIsRefused) {
  const auto dead = static_cast<std::uint32_t>(world.create());
  world.registry.entities.destroy(dead);
  captured(world);
  world.pool(2).add(dead, 5, false);
  const auto state = world.state();
  const auto refused = world.capture();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_value);
  EXPECT_THAT(refused.error().message(), HasSubstr("along (pool 'Body')"));
  EXPECT_EQ(world.state(), state);
  world.pool(2).remove(dead);
  expect_unchanged(world.state());
}

TEST_F(RegistryRefusals, AnEntityThatDiesBesideItsPoolsIsRefused) {
  captured(world);
  const auto owner = world.pool(0).packed.front();
  world.registry.entities.destroy(owner);
  const auto refused = world.capture();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_value);
  for (std::size_t pool = 0; pool < world.pool_count(); ++pool) {
    if (world.has(pool, owner)) world.remove(pool, owner);
  }
  expect_unchanged(world.state());
}

TEST_F(RegistryRefusals, AnEntityThatIsThereTwiceIsRefused) {
  captured(world);
  world.registry.entities.packed.push_back(world.registry.entities.packed.front());
  const auto refused = world.capture();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_value);
  world.registry.entities.packed.pop_back();
  world.pool(0).packed.push_back(world.pool(0).packed.front());
  world.pool(0).positions.set(world.pool(0).packed.front(), 0);
  static_cast<ModelPool<ModelPosition>&>(world.pool(0)).place(world.pool(0).packed.size());
  EXPECT_EQ(world.capture().error().code, ErrorCode::invalid_value);
  world.pool(0).packed.pop_back();
  expect_unchanged(world.state());
}

TEST_F(RegistryRefusals, AChainOfTombstonesLeadsThroughAllOfThem) {
  captured(world);
  ModelPoolBase& bodies = world.pool(2);
  ASSERT_NE(bodies.first_hole, ModelId::kNone);
  const std::uint32_t first = bodies.first_hole;
  const std::uint32_t entry = bodies.packed[first];
  bodies.packed[first] = ModelId::make(first, 15);  // leads to itself
  EXPECT_EQ(world.capture().error().code, ErrorCode::invalid_value);
  bodies.packed[first] = ModelId::make(0x0ffffff0, 15);  // leads nowhere
  EXPECT_EQ(world.capture().error().code, ErrorCode::invalid_value);
  bodies.packed[first] = entry;
  bodies.first_hole = ModelId::index(entry);  // leaves one out
  EXPECT_EQ(world.capture().error().code, ErrorCode::invalid_value);
  bodies.first_hole = first;
  expect_unchanged(world.state());
}

TEST_F(RegistryRefusals, AComponentThatThrowsWhileItIsCopiedChangesNothing) {
  for (int copies = 0; copies < 4; ++copies) {
    SCOPED_TRACE(copies);
    World own;
    own.fill();
    const auto state = own.state();
    const auto throws = [&](const auto& call, int after) {
      Fragile::copies_left = after;
      EXPECT_THROW(static_cast<void>(call()), std::runtime_error);
      Fragile::copies_left = -1;
    };
    throws([&] { return own.capture(); }, copies);
    EXPECT_EQ(own.state(), state);
    const Bytes file = saved(own);
    const Snapshot now = captured(own);
    const Hash128 hash = now.state_hash();
    own.set(5, own.pool(5).packed.front(), 777);
    own.destroy(own.live_at(0));
    const Hash128 later = captured(own).state_hash();
    const auto changed = own.state();
    throws([&] { return own.restore(now); }, 2 * copies);  // in the pools, or in the table
    EXPECT_EQ(own.state(), changed);
    EXPECT_EQ(own.database().state_hash(), later);  // the database is as before, too
    throws([&] { return own.load(source(file)); }, copies);
    EXPECT_EQ(own.state(), changed);
    EXPECT_EQ(own.database().state_hash(), later);
    EXPECT_EQ(captured(own).state_hash(), later);
    ASSERT_TRUE(own.restore(now));
    EXPECT_EQ(own.state(), state);
    EXPECT_EQ(captured(own).state_hash(), hash);
  }
}

TEST_F(RegistryRefusals, ADamagedFileChangesNothing) {
  Bytes file = saved(world);
  world.destroy(world.live_at(0));
  const auto state = world.state();
  for (std::size_t at = 0; at < file.size(); at += 37) {
    Bytes damaged = file;
    damaged[at] ^= std::byte{0x20};
    if (world.load(source(damaged))) continue;  // a byte that means nothing
    EXPECT_EQ(world.state(), state) << "byte " << at;
  }
  for (std::size_t size = 0; size < file.size(); size += 41) {
    EXPECT_FALSE(world.load(source(Bytes(file.begin(), file.begin() + std::ptrdiff_t(size)))));
  }
  EXPECT_FALSE(world.mirror.load("no_such_file.hdb", {}));
  expect_unchanged(state);
}

TEST_F(RegistryRefusals, AFileWithAComponentOfADeadEntityIsRefused) {
  while (world.live_count() < 3000) world.add(0, world.create(), 5);  // blocks of their own
  const Bytes file = saved(world);
  auto reader = Reader::open(std::make_unique<MemorySource>(file));
  ASSERT_TRUE(reader);
  std::size_t table = 0;
  while ((*reader)->tables()[table].name != "Position") ++table;
  RowGroup rows;
  ASSERT_TRUE((*reader)->read_group(table, 0, rows));
  for (std::size_t i = 0; i < rows.states.size(); ++i) {
    if (rows.states[i] == static_cast<std::uint8_t>(SlotState::live)) {
      rows.generations[i] = 3 - rows.generations[i];  // its entity has another version
      break;
    }
  }
  ForgedFile forged(file);
  const std::size_t block =
      forged.find(format::BlockType::rows, static_cast<std::uint32_t>(table), 0);
  const auto bytes = std::as_bytes(std::span(rows.generations));
  forged.set_column(block, 1, {bytes.begin(), bytes.end()});
  const auto state = world.state();
  const auto refused = world.load(source(forged.sealed()));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::bad_components);
  EXPECT_THAT(refused.error().message(), HasSubstr(".Position"));
  expect_unchanged(state);
}

TEST_F(RegistryRefusals, EveryAllocationMayFail) {
  const Snapshot now = captured(world);
  const Bytes file = saved(world);
  const auto before = world.state();
  const auto change = [&] {
    world.set(1, world.pool(1).packed.front(), 123);
    world.destroy(world.live_at(1));
    world.add(2, world.create(), 9);
    return world.state();
  };
  const auto fails_everywhere = [&](const char* what, const auto& call,
                                    const std::vector<std::uint64_t>& state) {
    std::size_t failures = 0;
    for (std::size_t n = 1;; n += n < 40 ? 1 : 7) {
      fail_allocation(n);
      bool is_done = false;
      try {
        is_done = call();
      } catch (const std::bad_alloc&) {
      }
      const bool is_over = allocation_is_to_fail();
      fail_allocation(0);
      if (is_over || is_done) {
        EXPECT_TRUE(is_done) << what;
        break;
      }
      ++failures;
      ASSERT_EQ(world.state(), state) << what << ", allocation " << n;
    }
    EXPECT_GT(failures, 3u) << what;
  };
  const auto state = change();
  fails_everywhere(
      "capture", [&] { return world.push().has_value(); }, state);
  EXPECT_EQ(world.state(), state);
  fails_everywhere(
      "restore", [&] { return world.restore(now).has_value(); }, state);
  EXPECT_EQ(world.state(), before);
  const auto changed = change();
  fails_everywhere(
      "load", [&] { return world.load(source(file)).has_value(); }, changed);
  EXPECT_EQ(world.state(), before);
  expect_unchanged(before);
}

// --- the order of pools

TEST_F(RegistryRefusals, PoolsOfAnotherOrderAreMadeAgain) {
  const Bytes file = saved(world);
  const auto order = world.pool_order();
  World other;
  const std::uint64_t id = other.create();
  for (const std::size_t pool : {4U, 1U, 0U}) other.add(pool, id, 3);
  ASSERT_TRUE(other.load(source(file)));
  EXPECT_EQ(other.pool_order(), order);
  EXPECT_EQ(other.state(), world.state());
}

TEST_F(RegistryRefusals, PoolsWithListenersKeepTheirPlace) {
  const Bytes file = saved(world);
  World other;
  const std::uint64_t id = other.create();
  for (const std::size_t pool : {4U, 1U, 0U}) other.add(pool, id, 3);
  other.positions().is_free = false;
  const auto order = other.pool_order();
  const auto state = other.state();
  const Hash128 hash = captured(other).state_hash();
  const auto refused = other.load(source(file));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::bad_options);
  EXPECT_THAT(refused.error().message(),
              HasSubstr("Position, Name, Body, Bag, Tag, Fragile (pool 'Position')"));
  EXPECT_EQ(other.pool_order(), order);
  EXPECT_EQ(other.state(), state);
  EXPECT_EQ(other.database().state_hash(), hash);
  // In front of all others it is where it was when it was saved.
  World third;
  third.add(0, third.create(), 3);
  third.positions().is_free = false;
  ASSERT_TRUE(third.load(source(file)));
  EXPECT_EQ(third.pool_order(), world.pool_order());
}

TEST_F(RegistryRefusals, AnEmptyPoolWithListenersMayStayAnywhere) {
  World small;
  small.add(3, small.create(), 1);
  small.add(1, small.live_at(0), 1);
  const Bytes file = saved(small);
  World other;
  other.add(0, other.create(), 3);
  other.add(3, other.live_at(0), 3);
  other.positions().is_free = false;
  ASSERT_TRUE(other.load(source(file)));
  EXPECT_THAT(other.pool_order(), ElementsAre(0, 3, 1));
  EXPECT_EQ(other.pool(0).packed.size(), 0u);
}

// --- files of other programs

TEST_F(RegistryRefusals, PoolsThatOneSideLacksAreReported) {
  const Bytes file = saved(world);
  ModelSubject without;  // no pool of Fragile
  const auto loaded = without.load(source(file));
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_THAT(loaded->unknown_tables, ElementsAre("Fragile"));
  EXPECT_EQ(without.pool_count(), 5u);
  const Bytes older = saved(without);
  const auto again = world.load(source(older));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_THAT(again->missing_tables, ElementsAre("Fragile"));
  EXPECT_EQ(world.pool(5).packed.size(), 0u);
  LoadOptions strict;
  strict.allow_missing_tables = false;
  const auto state = world.state();
  EXPECT_EQ(world.mirror.load(source(older), strict).error().code, ErrorCode::missing_table);
  expect_unchanged(state);
}

TEST_F(RegistryRefusals, AFileWithoutARegistryIsADatabaseWithComponents) {
  Database db;
  struct Other {};
  auto& entities = db.create_table<detail::EmptyRecord, ModelSubject::Layout, Other>(
      "entities", {.overflow = Overflow::wrap});
  auto& positions = db.create_component_table<ModelPosition>("Position", entities);
  const auto first = entities.emplace();
  const auto second = entities.emplace();
  positions.insert(second, ModelPosition::of(2));
  entities.erase(first);
  MemorySink sink;
  ASSERT_TRUE(save(db.capture(), sink));
  const auto loaded = world.load(source(sink.bytes()));
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(world.live_count(), 1u);
  EXPECT_EQ(world.pool(0).value(0), 2u);
  EXPECT_EQ(world.create(), ModelId::make(0, 1));  // the freed one, as the database would
  EXPECT_EQ(world.create(), ModelId::make(2, 0));
}

TEST_F(RegistryRefusals, AForeignSnapshotIsRefused) {
  World other;
  other.fill();
  const Snapshot foreign = captured(other);
  const auto state = world.state();
  EXPECT_EQ(world.restore(foreign).error().code, ErrorCode::foreign_snapshot);
  EXPECT_EQ(world.restore(Snapshot()).error().code, ErrorCode::foreign_snapshot);
  EXPECT_EQ(world.mirror.restore(captured(world), {.mode = TimelineMode::fork}).error().code,
            ErrorCode::fork_under_wrap);
  expect_unchanged(state);
}

}  // namespace
}  // namespace hdb::test::model_refusals_test
