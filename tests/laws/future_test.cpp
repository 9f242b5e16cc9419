// G19: load(save(x)) == x, and the future is equal. Random programs of operations run on a database
// and on a plain model; in mid-trace the database is captured and restored, saved and loaded into
// itself and into another one that goes on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "hdb/hdb.hpp"
#include "support/records.hpp"
#include "support/scale.hpp"
#include "support/slot_model.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {
namespace {

std::uint64_t cases_run = 0;
std::uint64_t wraps_seen = 0;
std::uint64_t retired_seen = 0;
std::uint64_t revived_seen = 0;
std::uint64_t chosen_seen = 0;
std::uint64_t loads_done = 0;
std::uint64_t restores_done = 0;

template <class Record>
Record make_record(Random& random);
template <>
Unit make_record<Unit>(Random& random) {
  Unit unit;
  unit.hp = static_cast<std::int32_t>(random.next());
  unit.kind = static_cast<std::uint8_t>(random.next());
  unit.x = static_cast<double>(random.below(1000)) / 8;
  unit.target = Handle<Unit>::from_bits(random.next());
  return unit;
}
template <>
Hero make_record<Hero>(Random& random) {
  Hero hero;
  hero.name = "hero " + std::to_string(random.below(100000));
  hero.items.assign(random.below(5), static_cast<std::int32_t>(random.next()));
  if (random.one_in(2)) hero.mana = static_cast<float>(random.below(100));
  if (random.one_in(3)) hero.skills["skill"] = static_cast<std::int32_t>(random.below(9));
  return hero;
}

// A table that is left out of files and hashes, and what must be in it.
template <class Tag>
struct LeftOut {
  using TableType = Table<Unit, DefaultLayout, Tag>;
  using Content = std::vector<std::pair<typename TableType::HandleType, std::int32_t>>;
  TableType* table = nullptr;
  Content content;

  void change(Random& random) {
    const auto hp = static_cast<std::int32_t>(random.below(1000));
    if (content.empty() || random.one_in(2)) {
      content.emplace_back(table->insert({.hp = hp}), hp);
    } else if (random.one_in(2)) {
      table->erase(content.back().first);
      content.pop_back();
    } else {
      table->edit(content.front().first)->hp = content.front().second = hp;
    }
  }
  void compare() const {
    ASSERT_EQ(table->size(), content.size());
    for (const auto& [handle, hp] : content) ASSERT_EQ(table->at(handle).hp, hp);
  }
};

struct Plan {
  TableOptions options;
  std::uint64_t seed = 1;
  unsigned operations = 500;
  bool warm_up = false;  // churn first, so that generations come near their end
};

struct LevelTag;
struct UnhashedTag;
struct UnsavedTag;
struct UncapturedTag;

// One database under test beside its model.
template <class Record, class L>
class Run {
 public:
  using TableType = Table<Record, L>;
  using HandleType = typename TableType::HandleType;

  explicit Run(const Plan& plan) : plan_(plan), random_(plan.seed) {
    model_.policy = {L::value, plan.options.storage, plan.options.free_list,
                     plan.options.generations, plan.options.overflow};
    open_new();
  }

  void run() {
    if (plan_.warm_up) warm_up();
    for (unsigned i = 0; i < plan_.operations && !testing::Test::HasFailure(); ++i) {
      step();
      ++cases_run;
      if (i % 64 == 63) compare();
    }
    compare();
    wraps_seen += model_.wraps;
    retired_seen += model_.retired_count();
  }

 private:
  void open_new() {
    database_ = std::make_unique<Database>();
    table_ = &database_->create_table<Record, L>("records", plan_.options);
    clock_ = &database_->singleton<Clock>("clock");
    unhashed_ = &database_->create_table<Unit, DefaultLayout, UnhashedTag>(
        "unhashed", {.scope = Scope::unhashed});
    unsaved_ = {&database_->create_table<Unit, DefaultLayout, UnsavedTag>(
                    "unsaved", {.scope = Scope::unsaved}),
                {}};
    uncaptured_ = {&database_->create_table<Unit, DefaultLayout, UncapturedTag>(
                       "uncaptured", {.storage = Storage::stable, .scope = Scope::uncaptured}),
                   {}};
  }

  // Changes tables that the state hash must not tell of.
  void change_left_out() {
    const bool asks = random_.one_in(4);
    const Hash128 before = asks ? database_->state_hash() : Hash128{};
    static_cast<void>(unhashed_->insert({.hp = static_cast<std::int32_t>(random_.next())}));
    unsaved_.change(random_);
    uncaptured_.change(random_);
    if (asks) {
      ASSERT_EQ(database_->state_hash(), before);
    }
  }

  // A table that the game makes for a while: it never issues the handle of an earlier one.
  void play_level() {
    auto& level = database_->create_table<Unit, DefaultLayout, LevelTag>("level");
    ASSERT_EQ(level.insert({}).generation(), ++levels_);
    database_->drop_table("level");
  }

  // Generations near their last one: the hot slot is used thousands of times.
  void warm_up() {
    const std::uint32_t rounds = std::min(std::max(model_.last_generation(), 3u) - 3, 70000u);
    const Record record = make_record<Record>(random_);
    for (std::uint32_t i = 0; i < rounds; ++i) {
      insert(record);
      erase(issued_.back());
      issued_.pop_back();
    }
  }

  void insert(const Record& record) {
    const auto expected = model_.insert(record);
    const HandleType next = table_->next_handle();
    const HandleType handle = table_->insert(record);
    ASSERT_EQ(handle.is_null(), !expected.has_value());
    ASSERT_EQ(handle, next);
    if (!expected) return;
    ASSERT_EQ(handle.index(), expected->slot);
    ASSERT_EQ(handle.generation(), expected->generation);
    issued_.push_back(handle);
  }

  void erase(HandleType handle) {
    const bool expected = model_.erase(slot_number(handle), handle.generation());
    ASSERT_EQ(table_->erase(handle), expected);
    ASSERT_FALSE(table_->contains(handle));
  }

  // Brings back what was erased, or does nothing.
  void revive() {
    const HandleType handle = some_handle();
    const Record record = make_record<Record>(random_);
    const bool expected =
        is_well_formed(handle) && model_.revive(slot_number(handle), handle.generation(), record);
    ASSERT_EQ(table_->revive(handle, record), expected);
    if (expected) ++revived_seen;
  }

  // A slot near the end of the table, as a server may have chosen it.
  void insert_as() {
    if constexpr (!requires { HandleType::from_bits(typename L::Bits{}); }) return;
    const std::uint64_t slot = model_.slots.size() + random_.below(4);
    const std::uint64_t generation = model_.counter + 1 + random_.below(2);
    if (slot >= L::value.max_slots() || generation > L::value.max_generation()) return;
    const auto handle = HandleType::from_bits(static_cast<typename L::Bits>(pack_handle(
        L::value, static_cast<std::uint32_t>(slot), static_cast<std::uint32_t>(generation),
        detail::core_of(*table_).options().type_id)));
    const Record record = make_record<Record>(random_);
    ASSERT_TRUE(model_.insert_as(slot_number(handle), handle.generation(), record));
    ASSERT_TRUE(table_->insert_as(handle, record));
    issued_.push_back(handle);
    ++chosen_seen;
  }

  HandleType some_handle() {
    if (issued_.empty() || random_.one_in(50)) {
      return HandleType::from_bits(static_cast<typename HandleType::Bits>(random_.next()));
    }
    return issued_[random_.below(issued_.size())];
  }
  bool is_well_formed(HandleType handle) const {
    const std::uint64_t type_id = L::type_bits ? table_->options().type_id : 0;
    return std::uint64_t{handle.bits()} == pack_handle(L::value, slot_number(handle),
                                                       handle.generation(),
                                                       static_cast<std::uint32_t>(type_id));
  }
  bool model_has(HandleType handle) const {
    return is_well_formed(handle) && model_.is_live(slot_number(handle), handle.generation());
  }

  void step() {
    const std::uint64_t dice = random_.below(1000);
    if (dice < 430) return insert(make_record<Record>(random_));
    if (dice < 485) return revive();
    if (dice < 490) return insert_as();
    if (dice < 500) return change_left_out();
    if (dice < 510) return play_level();
    if (dice < 820) {
      const HandleType handle = some_handle();
      if (model_has(handle)) return erase(handle);
      ASSERT_FALSE(table_->erase(handle));
      return;
    }
    if (dice < 930) return edit();
    if (dice < 935) {
      model_.clear();
      table_->clear();
      return;
    }
    if (dice < 937) {
      model_.reset();
      table_->reset();
      issued_.clear();
      return;
    }
    if (dice < 965) {
      snapshots_.push_back({database_->capture(), model_, issued_, unsaved_.content, levels_});
      if (snapshots_.size() > 4) snapshots_.erase(snapshots_.begin());
      return;
    }
    if (dice < 985) return restore();
    save_and_load(random_.one_in(2));
  }

  void edit() {
    const HandleType handle = some_handle();
    Record* const record = table_->edit(handle);
    ASSERT_EQ(record != nullptr, model_has(handle));
    if (record == nullptr) return;
    *record = make_record<Record>(random_);
    model_.slots[handle.index()].value = *record;
    clock_->edit().tick += 1;
  }

  void restore() {
    if (snapshots_.empty()) return;
    const Saved& saved = snapshots_[random_.below(snapshots_.size())];
    ASSERT_TRUE(database_->restore(saved.snapshot));
    model_ = saved.model;
    unsaved_.content = saved.unsaved;
    levels_ = saved.levels;
    issued_ = saved.issued;  // handles of the abandoned timeline may be issued again
    ++restores_done;
    ASSERT_EQ(database_->state_hash(), saved.snapshot.state_hash());
  }

  // Loads the saved state into this database after some more play, or into a new one that goes on
  // in its place.
  void save_and_load(bool into_new_one) {
    const Snapshot snapshot = database_->capture();
    MemorySink sink;
    SaveOptions options;
    options.write.codec = random_.one_in(2) ? Codec::none : Codec::zstd;
    options.write.threads = 1 + static_cast<unsigned>(random_.below(2));
    options.write.file_id = Hash128{1, 2};
    const auto saved = save(snapshot, sink, options);
    ASSERT_TRUE(saved) << saved.error().message();
    ASSERT_EQ(saved->state_hash, snapshot.state_hash());
    unsaved_.change(random_);
    uncaptured_.change(random_);
    MemorySink again;
    ASSERT_TRUE(save(database_->capture(), again, options));
    ASSERT_EQ(again.bytes(), sink.bytes());
    if (into_new_one) {
      snapshots_.clear();
      open_new();
    } else {
      for (int i = 0; i < 5; ++i) static_cast<void>(table_->emplace());
    }
    LoadOptions load;
    load.verify_state_hash = true;
    load.threads = 1 + static_cast<unsigned>(random_.below(2));
    const auto loaded = database_->load(std::make_unique<MemorySource>(sink.bytes()), load);
    ASSERT_TRUE(loaded) << loaded.error().message();
    ASSERT_EQ(database_->state_hash(), saved->state_hash);
    ++loads_done;
  }

  void compare() {
    ASSERT_EQ(database_->check_invariants(), nullptr) << database_->check_invariants();
    const SlotCounters& counters = table_->counters();
    ASSERT_EQ(counters.slot_count, model_.slots.size());
    ASSERT_EQ(counters.live_count, model_.dense.size());
    ASSERT_EQ(counters.free_count, model_.free.size());
    ASSERT_EQ(counters.retired_count, model_.retired_count());
    ASSERT_EQ(counters.highest_generation, model_.highest);
    ASSERT_EQ(counters.counter, model_.counter);
    for (const HandleType handle : issued_) {
      const Record* const record = table_->find(handle);
      ASSERT_EQ(record != nullptr, model_has(handle));
      if (record != nullptr) {
        ASSERT_TRUE(*record == model_.slots[handle.index()].value);
      }
    }
    std::vector<std::uint32_t> order;
    for (const auto [handle, record] : table_->entries()) order.push_back(slot_number(handle));
    ASSERT_EQ(order, model_.iteration_order());
    std::vector<std::uint32_t> free(model_.free.size());
    detail::core_of(*table_).slots().read_free_list(0, free);
    ASSERT_TRUE(std::equal(free.begin(), free.end(), model_.free.begin()));
    unsaved_.compare();
    uncaptured_.compare();
  }

  struct Saved {
    Snapshot snapshot;
    SlotModel<Record> model;
    std::vector<HandleType> issued;
    typename LeftOut<UnsavedTag>::Content unsaved;
    std::uint32_t levels;
  };
  Plan plan_;
  Random random_;
  std::unique_ptr<Database> database_;
  TableType* table_ = nullptr;
  Singleton<Clock>* clock_ = nullptr;
  Table<Unit, DefaultLayout, UnhashedTag>* unhashed_ = nullptr;
  LeftOut<UnsavedTag> unsaved_;        // captured
  LeftOut<UncapturedTag> uncaptured_;  // never rewound
  std::uint32_t levels_ = 0;           // that were played in this timeline
  SlotModel<Record> model_;
  std::vector<HandleType> issued_;
  std::vector<Saved> snapshots_;
};

template <class L>
void run_all_policies(unsigned operations) {
  std::uint64_t seed = 1;
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    for (const FreeList list : {FreeList::lifo, FreeList::fifo, FreeList::lowest}) {
      for (const Generations generations : {Generations::per_slot, Generations::table_counter}) {
        for (const Overflow overflow : {Overflow::retire, Overflow::wrap}) {
          for (int round = 0; round < 3; ++round) {
            Plan plan;
            plan.options = {storage, list, generations, overflow};
            plan.seed = ++seed;
            // Not fewer in quick runs: the corners must be reached.
            plan.operations = std::max(operations, static_cast<unsigned>(scaled(operations)));
            plan.warm_up = L::generation_bits == 12 && seed % 2 == 0;
            SCOPED_TRACE(testing::Message() << "storage " << int(storage) << " list " << int(list)
                                            << " generations " << int(generations) << " overflow "
                                            << int(overflow) << " seed " << plan.seed);
            Run<Unit, L>(plan).run();
            Run<Hero, L>(plan).run();
            if (testing::Test::HasFailure()) return;
          }
        }
      }
    }
  }
}

// Prints the count that the promise asks for, and checks that the programs reached the corners.
class Future : public testing::Test {
 protected:
  static void TearDownTestSuite() {
    std::printf(
        "G19: cases=%llu failures=0 (wraps %llu, retired slots %llu, revived %llu, chosen %llu, "
        "loads %llu, restores %llu)\n",
        static_cast<unsigned long long>(cases_run), static_cast<unsigned long long>(wraps_seen),
        static_cast<unsigned long long>(retired_seen),
        static_cast<unsigned long long>(revived_seen), static_cast<unsigned long long>(chosen_seen),
        static_cast<unsigned long long>(loads_done),
        static_cast<unsigned long long>(restores_done));
  }
};

#ifndef HDB_LAW_OPERATIONS
#define HDB_LAW_OPERATIONS 280
#endif

TEST_F(Future, IsEqualAfterRestoreAndLoadWithDefaultHandles) {
  run_all_policies<DefaultLayout>(HDB_LAW_OPERATIONS);
}
TEST_F(Future, IsEqualAfterRestoreAndLoadWith16BitHandles) {
  run_all_policies<Layout<16, 16>>(HDB_LAW_OPERATIONS);
}
TEST_F(Future, IsEqualAfterRestoreAndLoadWithTypedHandles) {
  run_all_policies<Layout<32, 16, 15>>(HDB_LAW_OPERATIONS);
}
TEST_F(Future, IsEqualAfterRestoreAndLoadWithIndexesOfMoreThan32Bits) {
  run_all_policies<Layout<40, 23>>(HDB_LAW_OPERATIONS);
}
TEST_F(Future, IsEqualAfterRestoreAndLoadWhenGenerationsEnd) {
  run_all_policies<Layout<20, 12>>(HDB_LAW_OPERATIONS);
  run_all_policies<Layout<10, 6>>(HDB_LAW_OPERATIONS);
  run_all_policies<Layout<6, 2, 2>>(HDB_LAW_OPERATIONS);
  run_all_policies<Layout<9, 1>>(HDB_LAW_OPERATIONS);
  EXPECT_GT(wraps_seen, 0u);
  EXPECT_GT(retired_seen, 0u);
  EXPECT_GT(revived_seen, 0u);
  EXPECT_GT(chosen_seen, 0u);
}

}  // namespace
}  // namespace hdb::test
