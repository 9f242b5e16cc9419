// H2 and H10 across timelines: random programs that restore and load (exactly or as a fork), undo
// erases, repair files, drop tables and make them again, and use up generations. Every handle ever
// issued is remembered with its records; no timeline issues one a second time, and only what this
// timeline erased comes back.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hdb/detail/core/tables/core_of.hpp"
#include "hdb/hdb.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/salvage.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::timelines_law_test {
namespace {

std::uint64_t forks_done = 0;
std::uint64_t forks_of_exhausted = 0;
std::uint64_t inserts_done = 0;
std::uint64_t revived = 0;
std::uint64_t refused = 0;
std::uint64_t revived_after_a_fork = 0;
std::uint64_t repaired_loads = 0;

template <class L>
class Run {
 public:
  Run(const TableOptions& options, std::uint64_t seed) : options_(options), random_(seed) {
    create();
  }

  void run(unsigned operations) {
    for (unsigned i = 0; i < operations && !testing::Test::HasFailure(); ++i) {
      step();
      ASSERT_EQ(db_.check_invariants(), nullptr) << db_.check_invariants();
    }
    check();
  }

 private:
  using TableType = Table<Unit, L>;
  using HandleType = typename TableType::HandleType;
  using Handles = std::unordered_set<std::uint64_t>;
  // What a revive must bring back: by slot, the record erased last.
  struct Erased {
    std::unordered_map<std::uint32_t, std::uint64_t> by_slot;
    bool is_all = true;  // a repaired file does not say what its free slots issued
  };
  struct Saved {
    Snapshot snapshot;
    Bytes file;
    bool has_table;
    Handles used;
    bool is_exhausted;
    Erased erased;
  };

  void create() {
    auto made = db_.try_create_table<Unit, L>("units", options_);
    if (!made) {  // a counter that is used up
      ASSERT_EQ(options_.generations, Generations::table_counter);
      ASSERT_EQ(made.error().code, ErrorCode::fork_exhausted);
    }
    table_ = made ? *made : nullptr;
  }

  void insert() {
    const HandleType handle = table_->insert({.hp = ++last_record_});
    if (handle.is_null()) return;
    ++inserts_done;
    erased_.by_slot.erase(slot_number(handle));
    issued_.push_back(handle.bits());
    ASSERT_TRUE(used_.insert(handle.bits()).second)
        << "handle " << handle.index() << "@" << handle.generation() << " is issued again";
    records_[handle.bits()].insert(last_record_);
  }
  void erase_some() {
    if (table_->size() == 0) return;
    const auto entries = table_->entries();
    auto it = entries.begin();
    for (std::uint64_t skip = random_.below(std::min<std::uint64_t>(table_->size(), 20)); skip > 0;
         --skip) {
      ++it;
    }
    erase((*it).first);
  }
  void erase(HandleType handle) {
    ASSERT_TRUE(table_->erase(handle));
    note_erased(handle);
  }
  [[nodiscard]] SlotState state_of(std::uint32_t slot) const {
    return slot_tag::kind(core_of(*table_).slots().tag(slot));
  }
  void note_erased(HandleType handle) {
    if (state_of(slot_number(handle)) == SlotState::free)
      erased_.by_slot[slot_number(handle)] = handle.bits();
  }
  void clear() {
    std::vector<HandleType> live;
    for (const auto& [handle, unit] : table_->entries()) live.push_back(handle);
    table_->clear();
    for (const HandleType handle : live) note_erased(handle);
  }
  // One slot goes through many generations, perhaps to the last.
  void wear_out() {
    const std::uint64_t rounds = random_.below(4500);
    for (std::uint64_t i = 0; i < rounds && !testing::Test::HasFailure(); ++i) {
      const HandleType next = table_->next_handle();
      insert();
      if (!next.is_null()) erase(next);
    }
  }

  // Undoes an erase: of any handle ever issued, on any timeline, or of one that nobody issued.
  void revive() {
    if (random_.below(2) != 0 && !issued_.empty())
      return revive(issued_[random_.below(issued_.size())]);
    if (random_.below(2) != 0 && !erased_.by_slot.empty())
      return revive(erased_.by_slot.begin()->second);
    const std::uint64_t last = L::value.max_generation();
    std::uint64_t generation = random_.below(3) == 0 ? last : 1 + random_.below(last);
    const std::uint64_t slot = random_.below(table_->counters().slot_count + 1);
    if (random_.below(2) != 0 && slot < table_->counters().slot_count) {
      const std::uint32_t tag = core_of(*table_).slots().tag(static_cast<std::uint32_t>(slot));
      generation = slot_tag::generation(tag, L::value);  // what the slot remembers
    }
    revive(generation << L::index_bits | slot);
  }
  void revive(std::uint64_t bits) {
    const auto handle = HandleType::from_bits(static_cast<typename HandleType::Bits>(bits));
    const std::uint32_t slot = slot_number(handle);
    const auto known = erased_.by_slot.find(slot);
    const bool must = known != erased_.by_slot.end() && known->second == bits;
    const bool is_there = slot < table_->counters().slot_count;
    // After a fork or in the place of a dropped table, a slot may remember a generation that no
    // timeline had given to anybody.
    const bool is_known = !(has_forked_ || has_dropped_) || used_.contains(bits);
    const bool may =
        must || ((!erased_.is_all || !is_known) && is_there && state_of(slot) == SlotState::free);
    const bool done = table_->revive(handle, Unit{.hp = ++last_record_});
    ASSERT_TRUE(done ? may : !must)
        << "handle " << handle.index() << "@" << handle.generation()
        << (done ? " comes back, though this timeline never erased it" : " does not come back");
    refused += !done;
    if (!done) return;
    ++revived;
    revived_after_a_fork += has_forked_;
    erased_.by_slot.erase(slot);
    records_[bits].insert(last_record_);
  }

  void step() {
    const std::uint64_t dice = random_.below(100);
    if (table_ == nullptr && dice < 60) return create();
    if (dice < 25) {
      for (int i = 0; i < 5; ++i) insert();
    } else if (dice < 42) {
      for (int i = 0; i < 4; ++i) erase_some();
    } else if (dice < 50) {
      if (L::generation_bits == 12) wear_out();
    } else if (dice < 52) {
      clear();
    } else if (dice < 56) {
      for (int i = 0; i < 8; ++i) revive();
    } else if (dice < 60) {
      db_.drop_table("units");
      has_dropped_ = true;
      erased_ = {};
      create();
    } else if (dice < 72) {
      capture();
    } else if (!saved_.empty()) {
      const auto mode = dice % 2 == 0 ? TimelineMode::fork : TimelineMode::exact;
      go_back(saved_[random_.below(saved_.size())], mode, dice < 88);
    }
  }

  void capture() {
    saved_.push_back({db_.capture(), {}, table_ != nullptr, used_, is_exhausted(), erased_});
    MemorySink sink;
    ASSERT_TRUE(save(saved_.back().snapshot, sink));
    saved_.back().file = sink.take();
    if (saved_.size() > 5) saved_.erase(saved_.begin());
  }
  bool is_exhausted() const { return table_ != nullptr && table_->counters().retired_count != 0; }

  void go_back(const Saved& saved, TimelineMode mode, bool restores) {
    const bool was_exhausted = is_exhausted() || saved.is_exhausted;
    if (!restores && (!saved.has_table || table_ == nullptr)) return;
    const bool is_repaired = !restores && random_.below(4) == 0;
    const Bytes file = is_repaired ? repaired(saved.file) : saved.file;
    const Status status =
        restores
            ? db_.restore(saved.snapshot, {.mode = mode})
            : Status(db_.load(std::make_unique<MemorySource>(file), {.mode = mode}).map([](auto&&) {
              }));
    if (!status) {
      if (status.error().code == ErrorCode::foreign_snapshot) return;  // dropped and made again
      ASSERT_EQ(status.error().code, ErrorCode::fork_exhausted) << status.error().message();
      ASSERT_EQ(options_.generations, Generations::table_counter) << "slots retire instead";
      return;
    }
    table_ = db_.find_table<Unit, L>("units");
    if (mode == TimelineMode::exact) {
      used_ = saved.used;
      repaired_loads += is_repaired;
      if (!restores && !is_repaired) {
        ASSERT_EQ(db_.state_hash(), saved.snapshot.state_hash());
      }
    } else {
      for (const auto& [bits, records] : records_) used_.insert(bits);
      has_forked_ = true;
      ++forks_done;
      forks_of_exhausted += was_exhausted;
    }
    erased_ = saved.erased;
    if (is_repaired) erased_ = {{}, false};
    if (mode == TimelineMode::fork && table_ != nullptr) {
      // Slots that other timelines used since, or used up, may have passed over that.
      std::erase_if(erased_.by_slot, [this](const auto& each) {
        const std::uint32_t tag = core_of(*table_).slots().tag(each.first);
        const auto erased = static_cast<std::uint32_t>(each.second >> L::index_bits);
        return slot_tag::generation(tag, L::value) > erased;
      });
    }
    check();
  }

  // As hdbinspect repair writes it after a byte was damaged.
  Bytes repaired(const Bytes& file) {
    Bytes damaged = file;
    damaged[64 + random_.below(damaged.size() - 128)] ^= std::byte{0x40};
    auto salvaged = salvage(std::make_unique<MemorySource>(damaged));
    MemorySink sink;
    if (!salvaged || !write_image(*salvaged->image, sink)) return file;
    return sink.take();
  }

  // Every handle ever issued resolves to a record that it was issued for, or to nothing.
  void check() {
    if (table_ == nullptr) return;
    for (const auto& [bits, records] : records_) {
      const Unit* const unit =
          table_->find(HandleType::from_bits(static_cast<typename HandleType::Bits>(bits)));
      if (unit != nullptr) {
        ASSERT_TRUE(records.contains(unit->hp));
      }
    }
  }

  TableOptions options_;
  Random random_;
  Database db_;
  TableType* table_ = nullptr;
  std::int32_t last_record_ = 0;
  Handles used_;  // that this timeline may not issue
  std::unordered_map<std::uint64_t, std::unordered_set<std::int32_t>> records_;
  std::vector<Saved> saved_;
  std::vector<std::uint64_t> issued_;
  Erased erased_;
  bool has_forked_ = false;
  bool has_dropped_ = false;
};

template <class L>
void run_all_policies(unsigned operations) {
  std::uint64_t seed = 1;
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    for (const FreeList list : {FreeList::lifo, FreeList::fifo, FreeList::lowest}) {
      for (const Generations generations : {Generations::per_slot, Generations::table_counter}) {
        for (int round = 0; round < 4; ++round) {
          SCOPED_TRACE(testing::Message()
                       << "storage " << int(storage) << " list " << int(list) << " generations "
                       << int(generations) << " seed " << seed);
          Run<L>({.storage = storage, .free_list = list, .generations = generations}, seed++)
              .run(operations);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

TEST(Timelines, NoForkIssuesAHandleOfAnyOtherTimeline) {  // H2, H3
  run_all_policies<DefaultLayout>(300);
}
TEST(Timelines, NoForkIssuesAHandleOfAnyOtherTimelineWhenGenerationsEnd) {
  run_all_policies<Layout<20, 12>>(120);
  EXPECT_GT(forks_of_exhausted, 10u);
  EXPECT_GT(revived, 50u);
  EXPECT_GT(refused, 100u);
  EXPECT_GT(revived_after_a_fork, 20u);
  EXPECT_GT(repaired_loads, 10u);
  std::printf("H2: cases=%llu failures=0 (forks %llu, with retired slots %llu, revived %llu)\n",
              static_cast<unsigned long long>(inserts_done),
              static_cast<unsigned long long>(forks_done),
              static_cast<unsigned long long>(forks_of_exhausted),
              static_cast<unsigned long long>(revived));
}

}  // namespace
}  // namespace hdb::test::timelines_law_test
