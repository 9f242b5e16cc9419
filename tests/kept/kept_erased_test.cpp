// What a load kept of a record goes away with it (KR1, KC1), whatever gets its handle again.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hdb/component_table.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/snapshot_diff.hpp"
#include "hdb/inspect/validate.hpp"
#include "hdb/migration.hpp"
#include "kept/kept_world.hpp"

namespace hdb::test::kept_test {
/// As a program has it whose migration drops some.
struct MigratedBeing {
  std::int32_t number = 0;
};
}  // namespace hdb::test::kept_test

CEREAL_CLASS_VERSION(hdb::test::kept_test::MigratedBeing, 1)

namespace hdb::test::kept_test {
namespace {

struct BeingTag {};
using BeingHandle = Handle<BeingTag>;

struct NewBeing {
  std::int32_t number = 0;
  std::int32_t extra = 0;
};
struct OldBeing {
  std::int32_t number = 0;
};
struct NewWound {
  std::int32_t depth = 0;
  double pain = 0;
};
struct OldWound {
  std::int32_t depth = 0;
};
struct Burn {
  std::string story = {};
};

/// The newer game; the older one does not know `extra`, `pain` and burns.
struct NewBeings {
  Database db;
  Table<NewBeing, DefaultLayout, BeingTag>& beings =
      db.create_table<NewBeing, DefaultLayout, BeingTag>("beings");
  ComponentTable<NewWound, BeingTag>& wounds =
      db.create_component_table<NewWound>("wounds", beings);
  ComponentTable<Burn, BeingTag>& burns = db.create_component_table<Burn>("burns", beings);
};
struct OldBeings {
  Database db;
  Table<OldBeing, DefaultLayout, BeingTag>& beings =
      db.create_table<OldBeing, DefaultLayout, BeingTag>("beings");
  ComponentTable<OldWound, BeingTag>& wounds =
      db.create_component_table<OldWound>("wounds", beings);
};

/// What the newer game should find of a being.
struct Known {
  std::int32_t extra = 0;
  std::optional<double> pain = {};  // of a wound
  bool is_burned = false;
  friend bool operator==(const Known&, const Known&) = default;
};
using Model = std::map<std::uint64_t, Known>;  // by handles

void PrintTo(const Known& known, std::ostream* out) {
  *out << "extra " << known.extra << ", pain " << known.pain.value_or(-1) << ", burned "
       << known.is_burned;
}

Bytes first_file(Model& model) {
  NewBeings game;
  for (std::int32_t i = 0; i < 40; ++i) {
    const BeingHandle being = game.beings.insert({i, 100 + i});
    Known& known = model[being.bits()];
    known.extra = 100 + i;
    if (i % 2 == 0) {
      game.wounds.insert(being, {i, 0.5 + i});
      known.pain = 0.5 + i;
    }
    known.is_burned = i % 3 != 0;
    if (known.is_burned) game.burns.insert(being, {"burn"});
  }
  return saved(game.db.capture());
}

Model found_in(const Bytes& file) {
  NewBeings game;
  const auto report = load(game.db, file, {.verify_state_hash = true});
  EXPECT_TRUE(report) << report.error().message();
  Model model;
  for (const auto [handle, being] : game.beings.entries()) {
    Known& known = model[handle.bits()];
    known.extra = being.extra;
    if (const NewWound* const wound = game.wounds.find(handle)) known.pain = wound->pain;
    known.is_burned = game.burns.contains(handle);
  }
  return model;
}

/// The older game, and what should be found of it.
class Visit {
 public:
  Visit(const Bytes& file, Model model, std::vector<BeingHandle> gone)
      : model_(std::move(model)), gone_(std::move(gone)) {
    const auto report = load(game_.db, file, {.keep_unknown = true, .verify_state_hash = true});
    EXPECT_TRUE(report) << report.error().message();
  }

  void play(Random& random) {
    switch (random.below(12)) {
      case 0: return insert();
      case 1:
      case 2: return erase(random);
      case 3:
      case 4:
      case 5: return revive(random);
      case 6:
      case 7: return wound(random);
      case 8:
      case 9: return heal(random);
      case 10:
        if (random.one_in(6)) random.one_in(2) ? clear() : reset();
        return;
      default: snapshots(random);
    }
  }
  [[nodiscard]] Bytes file() { return saved(game_.db.capture()); }
  [[nodiscard]] Hash128 hash() { return game_.db.state_hash(); }
  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const std::vector<BeingHandle>& gone() const { return gone_; }
  [[nodiscard]] Snapshot capture() { return game_.db.capture(); }
  void forget_snapshots() { moments_.clear(); }

 private:
  // A live being; none if there is none.
  std::optional<BeingHandle> any(Random& random) {
    if (model_.empty()) return std::nullopt;
    auto at = model_.begin();
    std::advance(at, random.below(model_.size()));
    return BeingHandle::from_bits(static_cast<BeingHandle::Bits>(at->first));
  }
  void insert() { model_[game_.beings.insert({7}).bits()] = {}; }
  void erase(Random& random) {
    const auto being = any(random);
    if (!being) return;
    EXPECT_TRUE(game_.beings.erase(*being));
    model_.erase(being->bits());
    gone_.push_back(*being);
  }
  void revive(Random& random) {
    if (gone_.empty()) return;
    const BeingHandle being = gone_[random.below(gone_.size())];
    if (game_.beings.revive(being, {8})) model_[being.bits()] = {};
  }
  void wound(Random& random) {
    const auto being = any(random);
    if (!being) return;
    if (game_.wounds.contains(*being)) {
      game_.wounds.edit(*being)->depth += 1;
    } else {
      game_.wounds.insert(*being, {9});
      model_[being->bits()].pain = 0;
    }
  }
  void heal(Random& random) {
    const auto being = any(random);
    if (being && game_.wounds.erase(*being)) model_[being->bits()].pain.reset();
  }
  void clear() {
    game_.beings.clear();
    for (const auto& [bits, known] : model_) gone_.push_back(BeingHandle::from_bits(bits));
    model_.clear();
  }
  void reset() {
    game_.beings.reset();
    model_.clear();
    gone_.clear();  // handles are given again
  }
  void snapshots(Random& random) {
    if (moments_.empty() || random.one_in(2)) {
      moments_.push_back({game_.db.capture(), model_, gone_});
      return;
    }
    const Moment& moment = moments_[random.below(moments_.size())];
    ASSERT_TRUE(game_.db.restore(moment.snapshot));
    model_ = moment.model;
    gone_ = moment.gone;
  }

  struct Moment {
    Snapshot snapshot;
    Model model;
    std::vector<BeingHandle> gone;
  };
  OldBeings game_;
  Model model_;
  std::vector<BeingHandle> gone_;  // erased since the first file
  std::vector<Moment> moments_;
};

// A game that was saved and loaded goes on as the one that went on.
TEST(KeptOfErased, ComesBackWithNoRecordOfTheirHandles) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Model model;
    const Bytes file = first_file(model);
    Visit visit(file, model, {});
    for (int i = 0; i < 100; ++i) visit.play(random);
    EXPECT_EQ(found_in(visit.file()), visit.model());
    Visit reload(visit.file(), visit.model(), visit.gone());
    visit.forget_snapshots();  // the other game has none
    ASSERT_EQ(reload.hash(), visit.hash());
    Random same = random;
    for (int i = 0; i < 60; ++i) {
      visit.play(random);
      reload.play(same);
      ASSERT_EQ(reload.hash(), visit.hash())
          << i << ": " << diff(visit.capture(), reload.capture()).value().first();
    }
    EXPECT_EQ(found_in(reload.file()), reload.model());
    if (HasFailure()) return;
  }
}

// Where nothing slows erases down.
TEST(KeptOfErased, DoesNotComeBackInATableWithoutComponents) {
  Database newer;
  auto& new_beings = newer.create_table<NewBeing, DefaultLayout, BeingTag>("beings");
  std::vector<BeingHandle> handles;
  for (std::int32_t i = 0; i < 100; ++i) handles.push_back(new_beings.insert({i, 7}));
  Database older;
  auto& old_beings = older.create_table<OldBeing, DefaultLayout, BeingTag>("beings");
  ASSERT_TRUE(load(older, saved(newer.capture()), {.keep_unknown = true}));
  for (const BeingHandle handle : handles) ASSERT_TRUE(old_beings.erase(handle));
  for (const BeingHandle handle : handles) ASSERT_TRUE(old_beings.revive(handle, {3}));
  ASSERT_TRUE(load(newer, saved(older.capture())));
  for (const BeingHandle handle : handles) EXPECT_EQ(new_beings.at(handle).extra, 0);
}

// Records that the load itself drops take their kept components with them.
TEST(KeptOfErased, DoesNotStayOfRecordsThatAMigrationDrops) {
  Model model;
  const Bytes file = first_file(model);
  Database db;
  auto& beings = db.create_table<MigratedBeing, DefaultLayout, BeingTag>("beings");
  db.declare_migration({.table = "beings", .from = 0},
                       [](DynamicValue& being, MigrationContext& context) {
                         if (being.at("number").as<int>() % 2 == 0) context.drop();
                       });
  ASSERT_TRUE(load(db, file, {.keep_unknown = true}));
  EXPECT_EQ(beings.size(), 20u);
  for (std::int32_t i = 0; i < 30; ++i) beings.insert({i});  // in the slots of those that are gone
  const Bytes visited = saved(db.capture());
  const Validation found =
      validate(std::make_unique<MemorySource>(visited), {.level = ValidationLevel::deep});
  for (const Finding& finding : found.findings) ADD_FAILURE() << finding.error.message();
  EXPECT_EQ(found.state_hash, db.state_hash());
  const auto reader = Reader::open(std::make_unique<MemorySource>(visited));
  ASSERT_TRUE(reader) << reader.error().message();
  std::uint64_t burns = 0;
  for (const TableDescriptor& table : (*reader)->tables())
    if (table.name == "burns") burns = table.live_count;
  std::uint64_t wanted = 0;
  for (const auto& [bits, known] : model) wanted += known.is_burned && known.extra % 2 != 0 ? 1 : 0;
  EXPECT_EQ(burns, wanted);
}

}  // namespace
}  // namespace hdb::test::kept_test
