// Random operation programs against the model: all policies, layouts, storages and several page
// sizes, with captures, restores, wraps, retirements and forks in mid-trace (G19, core part).
// HDB_TEST_SCALE multiplies the operations.
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/model.hpp"
#include "core/test_records.hpp"
#include "hdb/table.hpp"
#include "support/scale.hpp"
#include "support/using_detail.hpp"

namespace hdb {
namespace {

using test::make_record;
using test::ModelTable;

// What happened over all programs: the traces must reach the rare states, or they prove little.
struct Tally {
  std::size_t operations = 0;
  std::size_t failures = 0;
  std::size_t captures = 0;
  std::size_t restores = 0;
  std::size_t retired = 0;
  std::size_t wraps = 0;
  std::size_t refused = 0;  // inserts into a full table
  std::size_t raises = 0;
  std::size_t revived = 0;
  std::size_t chosen = 0;    // inserts under chosen handles
  std::size_t unissued = 0;  // of these, with new gaps
};

// One table, its model, and the captures of both.
template <class Record, class L>
class Program {
 public:
  using TableType = Table<Record, L>;
  using H = typename TableType::HandleType;

  Program(const TableOptions& options, std::uint64_t seed, Tally& tally, bool is_long)
      : options_(options),
        random_(seed),
        tally_(tally),
        is_long_(is_long),
        model_(
            {L::value, options.storage, options.free_list, options.generations, options.overflow}),
        table_(options) {}

  void run(std::size_t steps) {
    for (std::size_t step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
      // Phases of growth and of shrinking.
      const bool growing = step / 60 % 2 == 0;
      one_step(growing);
      ++tally_.operations;
      if (step % 16 == 0 || step + 1 == steps) compare();
      if (step == steps / 2) burn();
    }
    compare();
    while (!captures_.empty() &&
           !testing::Test::HasFailure()) {  // every state that was captured is still there
      restore(captures_.size() - 1);
      captures_.pop_back();
      for (int i = 0; i < 5; ++i) insert();
      compare();
    }
  }

 private:
  struct Captured {
    FrozenTable table;
    ModelTable model;
  };

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  H handle(ModelTable::Issued issued) const {
    return H::from_bits(static_cast<typename H::Bits>(
        pack_handle(L::value, issued.slot, issued.generation, options_.type_id)));
  }
  void remember(ModelTable::Issued issued) {
    if (issued_.size() < 256) {
      issued_.push_back(issued);
    } else {
      issued_[below(issued_.size())] = issued;
    }
  }

  void one_step(bool growing) {
    const std::size_t dice = below(100);
    if (dice < (growing ? 45u : 15u)) return insert();
    if (dice < 56) return erase();
    if (dice < 60) return undo();
    if (dice < 64) return revive();
    if (dice < 66) return insert_as();
    if (dice < 70) return edit();
    if (dice < 78) return look_up_old();
    if (dice < 82) return batches();
    if (dice < 87) return capture();
    if (dice < 92) return captures_.empty() ? capture() : restore(below(captures_.size()));
    if (dice < 95) return drop_capture();
    if (dice < 97) return edit_all();
    if (dice == 97) return clear();
    if (dice == 98 && below(4) == 0) return reset();
    raise(below(3));
  }

  void insert() {
    const std::uint64_t value = random_() % 1000;
    const auto expected = model_.insert(value);
    const H next = table_.next_handle();
    const H issued = table_.insert(make_record<Record>(value));
    ASSERT_EQ(next, issued);
    if (!expected) {
      ASSERT_TRUE(issued.is_null());
      ++tally_.refused;
      return;
    }
    ASSERT_EQ(issued, handle(*expected));
    if (expected->generation == 1 && model_.highest() == L::value.max_generation()) ++tally_.wraps;
    remember(*expected);
  }
  void erase() {
    if (model_.size() == 0) return insert();
    const auto victim = model_.pick(below(model_.size()));
    if (options_.storage == Storage::dense && ++erases_ % 4 == 0) {
      ASSERT_TRUE(table_.erase_keeping_order(handle(victim)));
      ASSERT_TRUE(model_.erase_keeping_order(victim));
    } else {
      ASSERT_TRUE(table_.erase(handle(victim)));
      ASSERT_TRUE(model_.erase(victim));
    }
    if (model_.slots().at(victim.slot).state == ModelTable::State::retired) ++tally_.retired;
    ASSERT_FALSE(table_.erase(handle(victim)));
    ASSERT_EQ(table_.find(handle(victim)), nullptr);
  }
  // Any handle that was issued.
  void revive() {
    if (issued_.empty()) return;
    const auto old = issued_[below(issued_.size())];
    const std::uint64_t value = random_() % 1000;
    const bool expected = model_.revive(old, value);
    ASSERT_EQ(table_.revive(handle(old), make_record<Record>(value)), expected);
    if (expected) ++tally_.revived;
  }
  // Any handle: mostly of a slot near the end, with a generation near that of the slot.
  void insert_as() {
    const std::size_t end = model_.slots().size();
    ModelTable::Issued wanted;
    wanted.slot = static_cast<std::uint32_t>(below(end + 6) % L::value.max_slots());
    const auto at = model_.slots().find(wanted.slot);
    const bool is_counted = options_.generations == Generations::table_counter;
    const std::uint32_t last =
        is_counted || at == model_.slots().end() ? model_.counter() : at->second.last;
    wanted.generation = last + static_cast<std::uint32_t>(below(3));
    if (wanted.generation > L::value.max_generation()) return;
    const std::uint64_t value = random_() % 1000;
    const std::size_t unissued = model_.count(ModelTable::State::unissued);
    const bool expected = model_.insert_as(wanted, value);
    ASSERT_EQ(table_.insert_as(handle(wanted), make_record<Record>(value)), expected);
    ASSERT_EQ(table_.contains(handle(wanted)), model_.find(wanted) != nullptr);
    if (!expected) return;
    remember(wanted);
    ++tally_.chosen;
    if (model_.count(ModelTable::State::unissued) > unissued) ++tally_.unissued;
  }
  // A few erases, undone the other way round: the free list is what it was (retired slots were
  // never in it).
  void undo() {
    std::vector<std::pair<ModelTable::Issued, std::uint64_t>> erased;
    const std::vector<std::uint32_t> before = free_list();
    while (model_.size() != 0 && erased.size() < 5) {
      const auto victim = model_.pick(below(model_.size()));
      erased.emplace_back(victim, *model_.find(victim));
      ASSERT_TRUE(table_.erase(handle(victim)));
      ASSERT_TRUE(model_.erase(victim));
      remember(victim);
    }
    while (!erased.empty()) {
      const auto& [victim, value] = erased.back();
      // What retired does not come back.
      const bool comes_back = model_.revive(victim, value);
      ASSERT_EQ(table_.revive(handle(victim), make_record<Record>(value)), comes_back);
      erased.pop_back();
    }
    ASSERT_EQ(free_list(), before);
  }
  std::vector<std::uint32_t> free_list() const {
    std::vector<std::uint32_t> list(static_cast<std::size_t>(table_.counters().free_count));
    detail::core_of(table_).slots().read_free_list(0, list);
    return list;
  }
  void edit() {
    if (model_.size() == 0) return;
    const auto target = model_.pick(below(model_.size()));
    const std::uint64_t value = random_() % 1000;
    Record* const record = table_.edit(handle(target));
    ASSERT_NE(record, nullptr);
    *record = make_record<Record>(value);
    model_.edit(target, value);
  }
  void edit_all() {
    table_.edit_each([&](H at, Record& record) {
      const ModelTable::Issued target{slot_number(at), at.generation()};
      const std::uint64_t* const value = model_.find(target);
      ASSERT_NE(value, nullptr);
      ASSERT_EQ(record, make_record<Record>(*value));
      record = make_record<Record>(*value + 1);
      model_.edit(target, *value + 1);
    });
  }
  void look_up_old() {
    for (int i = 0; i < 8 && !issued_.empty(); ++i) {
      const auto old = issued_[below(issued_.size())];
      const std::uint64_t* const value = model_.find(old);
      const Record* const record = table_.find(handle(old));
      ASSERT_EQ(record != nullptr, value != nullptr);
      if (value != nullptr) {
        ASSERT_EQ(*record, make_record<Record>(*value));
      }
      // Other bits than any issued: must agree with the model, which knows nothing of bits.
      const H foreign = H::from_bits(static_cast<typename H::Bits>(random_()));
      const bool well_formed = foreign == handle({slot_number(foreign), foreign.generation()});
      ASSERT_EQ(
          table_.contains(foreign),
          well_formed && model_.find({slot_number(foreign), foreign.generation()}) != nullptr);
    }
  }
  void batches() {
    std::vector<Record> records;
    std::vector<H> expected;
    for (std::size_t i = 0, count = below(40); i < count; ++i) {
      const std::uint64_t value = random_() % 1000;
      records.push_back(make_record<Record>(value));
      const auto issued = model_.insert(value);
      if (issued) expected.push_back(handle(*issued));
    }
    std::vector<H> handles(records.size());
    ASSERT_EQ(table_.insert_batch(records, handles), expected.size());
    handles.resize(expected.size());
    ASSERT_EQ(handles, expected);
    std::vector<H> victims;
    std::size_t erased = 0;
    for (std::size_t i = 0, count = below(40); i < count && model_.size() != 0; ++i) {
      const auto victim = i % 5 == 4 && !issued_.empty() ? issued_[below(issued_.size())]
                                                         : model_.pick(below(model_.size()));
      victims.push_back(handle(victim));
      erased += model_.erase(victim) ? 1 : 0;
    }
    ASSERT_EQ(table_.erase_batch(victims), erased);
    std::vector<H> wanted = expected;
    for (const auto& old : issued_) wanted.push_back(handle(old));
    std::vector<const Record*> found(wanted.size());
    table_.find_batch(wanted, found);
    for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_EQ(found[i], table_.find(wanted[i]));
  }
  void capture() {
    if (captures_.size() == 6) captures_.erase(captures_.begin());
    captures_.push_back({detail::core_of(table_).freeze(), model_});
    ++tally_.captures;
  }
  void restore(std::size_t which) {
    detail::core_of(table_).thaw(captures_[which].table);
    model_ = captures_[which].model;
    ++tally_.restores;
    compare();
  }
  void drop_capture() {
    if (!captures_.empty())
      captures_.erase(captures_.begin() + static_cast<std::ptrdiff_t>(below(captures_.size())));
  }
  void clear() {
    table_.clear();
    model_.clear();
  }
  void reset() {
    table_.reset();
    model_.reset();
  }
  // A fork towards the end of the generations: retirements and full tables come soon.
  void raise(std::size_t kind) {
    if (options_.overflow == Overflow::wrap) return;
    const std::uint32_t last = L::value.max_generation();
    const std::uint32_t floor = kind == 0 ? last - 3 : model_.highest();
    if (floor >= last || floor < model_.highest()) return;
    if (kind == 0 && below(4) != 0) return;
    detail::core_of(table_).raise_generations(floor);
    model_.raise(floor);
    ++tally_.raises;
  }
  // Uses one slot, or one counter, up to its last generation and beyond.
  void burn() {
    if (L::value.generation_bits > 16) return;
    if (L::value.generation_bits == 16 && !is_long_) return;
    // 65,535 generations each: of a smaller run only one kind of free list.
    const bool is_left_out = options_.free_list != FreeList::lifo && test::scaled_stride() > 1;
    if (L::value.generation_bits == 16 && is_left_out) return;
    clear();
    for (std::uint32_t i = 0; i < L::value.max_generation() + 10 && !testing::Test::HasFailure();
         ++i) {
      insert();
      if (model_.size() == 0) break;  // full
      erase();
      tally_.operations += 2;
    }
    compare();
    revive();
    compare();
  }

  void compare() {
    ASSERT_STREQ(table_.check_invariants(), nullptr);
    const SlotCounters& counters = table_.counters();
    ASSERT_EQ(counters.live_count, model_.size());
    ASSERT_EQ(counters.slot_count, model_.slots().size());
    ASSERT_EQ(counters.highest_generation, model_.highest());
    ASSERT_EQ(counters.counter, model_.counter());
    ASSERT_EQ(counters.retired_count, model_.count(ModelTable::State::retired));
    ASSERT_EQ(counters.unissued_count(), model_.count(ModelTable::State::unissued));
    ASSERT_EQ(free_list(), model_.free_list());
    if (++comparisons_ % 8 == 0) compare_next_handles();
    const std::vector<std::uint32_t> order = model_.iteration();
    std::size_t place = 0;
    for (const auto& [at, record] : table_.entries()) {
      ASSERT_LT(place, order.size());
      const auto issued = model_.handle_of(order[place]);
      ASSERT_EQ(at, handle(issued));
      ASSERT_EQ(record, make_record<Record>(*model_.find(issued)));
      ++place;
    }
    ASSERT_EQ(place, order.size());
    for (const auto& [at, record] : table_.entries_backward()) {
      ASSERT_EQ(at, handle(model_.handle_of(order[--place])));
      ASSERT_EQ(table_.handle_at(table_.position(at)), at);
      ASSERT_EQ(table_.record_at(table_.position(at)), &record);
    }
    ASSERT_EQ(place, 0u);
    ASSERT_TRUE(table_.handle_at(counters.slot_count).is_null());
    ASSERT_GE(table_.capacity(), table_.size());
    std::size_t in_spans = 0;
    table_.for_each_span([&](const auto& span) {
      for (std::size_t i = 0; i < span.size(); ++i, ++in_spans)
        ASSERT_EQ(span.slot(i), order[in_spans]);
    });
    ASSERT_EQ(in_spans, order.size());
  }

  void compare_next_handles() const {
    const std::vector<detail::Slots::Next> next = detail::core_of(table_).slots().next_handles(40);
    ModelTable later = model_;
    for (const auto& [slot, generation] : next)
      ASSERT_EQ(later.insert(0), (ModelTable::Issued{slot, generation}));
    if (next.size() < 40) {
      ASSERT_EQ(later.insert(0), std::nullopt);
    }
  }

  TableOptions options_;
  std::mt19937_64 random_;
  Tally& tally_;
  bool is_long_;  // it uses up long generations, too
  ModelTable model_;
  TableType table_;
  std::vector<ModelTable::Issued> issued_;
  std::size_t erases_ = 0;
  std::size_t comparisons_ = 0;
  std::vector<Captured> captures_;  // may outlive the table
};

template <class Record, class L>
void run_all_policies(Tally& tally) {
  const std::size_t steps = test::scaled(1000);
  for (unsigned bits = 0; bits < 24; ++bits) {
    for (unsigned round = 0; round < 3; ++round) {
      TableOptions options;
      options.storage = bits & 1 ? Storage::stable : Storage::dense;
      options.generations = bits & 2 ? Generations::table_counter : Generations::per_slot;
      options.overflow = bits & 4 ? Overflow::wrap : Overflow::retire;
      options.free_list = static_cast<FreeList>(bits / 8);
      options.type_id = 77 & ((1u << L::type_bits) - 1);
      const std::uint64_t seed = 1'000'000 * sizeof(Record) + 100 * bits + round;
      Program<Record, L>(options, seed, tally, round == 1).run(steps);
      if (testing::Test::HasFailure()) {
        ++tally.failures;
        FAIL() << "policies " << bits << ", seed " << seed;
      }
    }
  }
}

template <class Record>
void run_all_layouts() {
  Tally tally;
  run_all_policies<Record, Layout<32, 31>>(tally);
  run_all_policies<Record, Layout<16, 16>>(tally);
  run_all_policies<Record, Layout<20, 12>>(tally);
  run_all_policies<Record, Layout<32, 16, 15>>(tally);
  run_all_policies<Record, Layout<10, 6>>(tally);
  run_all_policies<Record, Layout<5, 2, 3>>(tally);
  run_all_policies<Record, Layout<9, 1>>(tally);
  run_all_policies<Record, Layout<40, 23>>(tally);
  std::printf(
      "cases=%zu failures=%zu (captures %zu, restores %zu, retired %zu, wraps %zu, full %zu, forks "
      "%zu, revived %zu, chosen %zu, of these with a gap %zu)\n",
      tally.operations, tally.failures, tally.captures, tally.restores, tally.retired, tally.wraps,
      tally.refused, tally.raises, tally.revived, tally.chosen, tally.unissued);
  EXPECT_GT(tally.restores, 1000u);
  EXPECT_GT(tally.retired, 100u);
  EXPECT_GT(tally.wraps, 10u);
  EXPECT_GT(tally.refused, 100u);
  EXPECT_GT(tally.raises, 10u);
  EXPECT_GT(tally.revived, test::scaled(2000));
  EXPECT_GT(tally.chosen, test::scaled(1000));
  EXPECT_GT(tally.unissued, test::scaled(500));
}

TEST(Model, PlainRecordsFollowTheModelThroughRandomPrograms) {
  run_all_layouts<test::Unit>();
}  // H1-H7, S1, T1, T2
TEST(Model, WideRecordsFollowTheModelThroughRandomPrograms) {
  run_all_layouts<test::Wide>();
}  // H1-H7, S1, T1, T2
TEST(Model, RecordsWithContainersFollowTheModelThroughRandomPrograms) {
  run_all_layouts<test::Rich>();
}  // T1, T2

}  // namespace
}  // namespace hdb
