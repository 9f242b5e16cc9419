// H2 across timelines: random programs that restore and load (exactly or as a fork), drop tables
// and make them again, and use up generations. Every handle ever issued is remembered with its
// records, and no timeline issues one a second time.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hdb/hdb.hpp"
#include "support/records.hpp"
#include "support/sees_detail.hpp"

namespace hdb::test::timelines_law_test {
namespace {

std::uint64_t forks_done = 0;
std::uint64_t forks_of_exhausted = 0;
std::uint64_t inserts_done = 0;

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
  struct Saved {
    Snapshot snapshot;
    Bytes file;
    bool has_table;
    Handles used;
    bool is_exhausted;
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
    table_->erase((*it).first);
  }
  // One slot goes through many generations, perhaps to the last.
  void wear_out() {
    const std::uint64_t rounds = random_.below(4500);
    for (std::uint64_t i = 0; i < rounds && !testing::Test::HasFailure(); ++i) {
      const HandleType next = table_->next_handle();
      insert();
      if (!next.is_null()) table_->erase(next);
    }
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
      table_->clear();
    } else if (dice < 60) {
      db_.drop_table("units");
      if (forgets_dropped_) used_.clear();
      create();
    } else if (dice < 72) {
      capture();
    } else if (!saved_.empty()) {
      const auto mode = dice % 2 == 0 ? TimelineMode::fork : TimelineMode::exact;
      go_back(saved_[random_.below(saved_.size())], mode, dice < 88);
    }
  }

  void capture() {
    saved_.push_back({db_.capture(), {}, table_ != nullptr, used_, is_exhausted()});
    MemorySink sink;
    ASSERT_TRUE(save(saved_.back().snapshot, sink));
    saved_.back().file = sink.take();
    if (saved_.size() > 5) saved_.erase(saved_.begin());
  }
  bool is_exhausted() const { return table_ != nullptr && table_->counters().retired_count != 0; }

  void go_back(const Saved& saved, TimelineMode mode, bool restores) {
    const bool was_exhausted = is_exhausted() || saved.is_exhausted;
    if (!restores && (!saved.has_table || table_ == nullptr)) return;
    const Status status =
        restores ? db_.restore(saved.snapshot, {.mode = mode})
                 : Status(db_.load(std::make_unique<MemorySource>(saved.file), {.mode = mode})
                              .map([](auto&&) {}));
    if (!status) {
      if (status.error().code == ErrorCode::foreign_snapshot) return;  // dropped and made again
      ASSERT_EQ(status.error().code, ErrorCode::fork_exhausted) << status.error().message();
      ASSERT_EQ(options_.generations, Generations::table_counter) << "slots retire instead";
      return;
    }
    table_ = db_.find_table<Unit, L>("units");
    if (mode == TimelineMode::exact) {
      used_ = saved.used;
      forgets_dropped_ = !restores || forgets_dropped_;
      if (!restores) {
        ASSERT_EQ(db_.state_hash(), saved.snapshot.state_hash());
      }
    } else {
      for (const auto& [bits, records] : records_) used_.insert(bits);
      forgets_dropped_ = false;
      ++forks_done;
      forks_of_exhausted += was_exhausted;
    }
    check();
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
  Handles used_;                  // that this timeline may not issue
  bool forgets_dropped_ = false;  // after an exact load
  std::unordered_map<std::uint64_t, std::unordered_set<std::int32_t>> records_;
  std::vector<Saved> saved_;
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
          Run<L>({.storage = storage,
                  .free_list = list,
                  .generations = generations,
                  .page_bytes = round % 2 == 0 ? std::size_t{64} : kDefaultPageBytes},
                 seed++)
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
  std::printf("H2: cases=%llu failures=0 (forks %llu, with retired slots %llu)\n",
              static_cast<unsigned long long>(inserts_done),
              static_cast<unsigned long long>(forks_done),
              static_cast<unsigned long long>(forks_of_exhausted));
}

}  // namespace
}  // namespace hdb::test::timelines_law_test
