// Random programs on blob tables against the model: both compactions, several alignments and
// layouts, with captures, restores and loads in mid-trace. HDB_TEST_SCALE multiplies the
// operations.
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/blob_model.hpp"
#include "core/test_records.hpp"
#include "hdb/blob_table.hpp"
#include "hdb/inspect/image.hpp"
#include "support/fill_slot.hpp"
#include "support/scale.hpp"
#include "support/using_detail.hpp"

namespace hdb {
namespace {

using test::BlobLabel;
using test::Bytes;
using test::make_bytes;

// What happened over all programs: the traces must reach the rare states, or they prove little.
struct BlobTally {
  std::size_t operations = 0;
  std::size_t failures = 0;
  std::size_t restores = 0;
  std::size_t full = 0;
  std::size_t grown = 0;
  std::size_t compactions = 0;
  std::size_t adopted = 0;
  std::size_t revived = 0;
};

template <class L>
class BlobProgram {
 public:
  using TableType = BlobTable<BlobLabel, L>;
  using H = typename TableType::HandleType;
  using Model = test::BlobModel<H>;

  BlobProgram(const BlobOptions& options, std::size_t typical_size, std::uint64_t seed,
              BlobTally& tally)
      : random_(seed),
        typical_size_(typical_size),
        tally_(tally),
        model_(options.capacity_bytes, options.alignment, options.compaction),
        table_(options) {}

  void run(std::size_t steps) {
    const std::byte* const address = table_.bytes().data();
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(address) % table_.options().alignment, 0u);
    for (std::size_t step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
      one_step(step / 50 % 2 == 0);
      ++tally_.operations;
      compare(step % 16 == 0);
    }
    if (tally_adopted_ == 0) {
      ASSERT_EQ(table_.bytes().data(), address) << "the buffer does not move";
    }
    while (!captures_.empty() && !testing::Test::HasFailure()) {
      restore(captures_.size() - 1);
      captures_.pop_back();
      for (int i = 0; i < 3; ++i) insert();
      compare(true);
    }
  }

 private:
  struct Captured {
    FrozenTable table;
    Model model;
  };

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  std::size_t some_size() {
    const std::size_t dice = below(20);
    if (dice == 0) return 0;
    if (dice == 1) return typical_size_ * 8;
    return below(2 * typical_size_);
  }
  BlobLabel some_label() {
    const auto number = static_cast<std::uint32_t>(below(1000));
    return {"label " + std::to_string(number) + std::string(number % 3 * 20, '*'), number};
  }

  void one_step(bool growing) {
    const std::size_t dice = below(100);
    if (dice < (growing ? 40u : 15u)) return insert();
    if (dice < 47) return erase();
    if (dice < 50) return revive();
    if (dice < 62) return resize();
    if (dice < 72) return edit();
    if (dice < 76) return visit();
    if (dice < 79) return table_.compact(), model_.compact();
    if (dice < 85) return capture();
    if (dice < 91) return captures_.empty() ? capture() : restore(below(captures_.size()));
    if (dice < 95) return drop_capture();
    if (dice < 97) return adopt();
    if (dice == 97) return table_.clear(), model_.clear();
    if (dice == 98 && below(3) == 0) return table_.reset(), model_.reset();
  }

  void insert() {
    const std::size_t size = some_size();
    const BlobLabel label = some_label();
    Bytes bytes = make_bytes(size, random_());
    const std::size_t kind = below(3);
    Result<H> issued;
    if (kind == 0) {
      bytes.assign(size, std::byte{0});
      issued = table_.insert(label, size);
    } else if (kind == 1 && !model_.blocks.empty()) {  // a copy of a block of the table itself
      const auto& source = model_.blocks[below(model_.blocks.size())];
      bytes = source.bytes;
      issued = table_.insert(label, table_.find(source.handle));
    } else {
      issued = table_.insert(label, bytes);
    }
    if (!model_.has_room(bytes.size())) {
      ASSERT_FALSE(issued.has_value());
      ASSERT_EQ(issued.error().code, bytes.size() > table_.capacity() ? ErrorCode::blob_too_large
                                                                      : ErrorCode::blob_full);
      ++tally_.full;
      return;
    }
    ASSERT_TRUE(issued.has_value()) << issued.error().message();
    std::erase(model_.stale, *issued);  // in a timeline after a restore it may come again
    const std::size_t before = model_.compactions;
    model_.insert({*issued, label, std::move(bytes), 0});
    tally_.compactions += model_.compactions - before;
  }
  void erase() {
    if (model_.blocks.empty()) return;
    const std::size_t which = below(model_.blocks.size());
    ASSERT_TRUE(table_.erase(model_.blocks[which].handle));
    model_.erase(which);
    ASSERT_FALSE(table_.erase(model_.stale.back()));
  }
  // One that was erased, whether or not its slot had another tenant since.
  void revive() {
    if (model_.stale.empty()) return;
    const H handle = model_.stale[below(model_.stale.size())];
    const auto is_later = [&](H other) {
      return other.index() == handle.index() && other.generation() > handle.generation();
    };
    bool expected = true;
    for (const H other : model_.stale) expected = expected && !is_later(other);
    for (const auto& block : model_.blocks) expected = expected && !is_later(block.handle);
    const Bytes bytes = make_bytes(some_size(), random_());
    const BlobLabel label = some_label();
    const Status status = table_.revive(handle, label, bytes);
    if (!expected || !model_.has_room(bytes.size())) {
      ASSERT_FALSE(status.has_value());
      ASSERT_EQ(status.error().code == ErrorCode::not_found, !expected);
      return;
    }
    ASSERT_TRUE(status.has_value()) << status.error().message();
    std::erase(model_.stale, handle);
    model_.insert({handle, label, bytes, 0});
    ++tally_.revived;
  }
  void resize() {
    if (model_.blocks.empty()) return;
    const std::size_t which = below(model_.blocks.size());
    const std::size_t before = model_.blocks[which].bytes.size();
    const std::size_t size = below(3) == 0 ? before + below(20) : some_size();
    const Status status = table_.resize(model_.blocks[which].handle, size);
    if (!model_.has_room(size, model_.taken(before))) {
      ASSERT_FALSE(status.has_value());
      ASSERT_EQ(status.error().code,
                size > table_.capacity() ? ErrorCode::blob_too_large : ErrorCode::blob_full);
      return;
    }
    ASSERT_TRUE(status.has_value()) << status.error().message();
    tally_.grown += size > before ? 1 : 0;
    const std::size_t compactions = model_.compactions;
    model_.resize(which, size);
    tally_.compactions += model_.compactions - compactions;
  }
  void edit() {
    if (model_.blocks.empty()) return;
    auto& block = model_.blocks[below(model_.blocks.size())];
    block.label = some_label();
    *table_.edit_meta(block.handle) = block.label;
    const std::span<std::byte> bytes = table_.edit(block.handle);
    ASSERT_NE(bytes.data(), nullptr);
    ASSERT_EQ(bytes.size(), block.bytes.size());
    for (std::size_t i = bytes.empty() ? 0 : below(bytes.size()); i < bytes.size(); i += 37) {
      bytes[i] = block.bytes[i] = static_cast<std::byte>(random_());
    }
  }
  // A visit whose callback erases, inserts and resizes; the model tells what must still come.
  void visit() {
    std::vector<H> visited;
    std::size_t inserts = below(4);
    table_.for_each([&](H handle, const BlobLabel& label, std::span<const std::byte> bytes) {
      const auto at = std::find_if(model_.blocks.begin(), model_.blocks.end(),
                                   [&](const auto& block) { return block.handle == handle; });
      ASSERT_NE(at, model_.blocks.end()) << "only live blocks are visited";
      ASSERT_EQ(at->label, label);
      ASSERT_EQ(at->bytes.size(), bytes.size());
      ASSERT_TRUE(std::equal(bytes.begin(), bytes.end(), at->bytes.begin()));
      ASSERT_EQ(std::count(visited.begin(), visited.end(), handle), 0);
      visited.push_back(handle);
      if (below(6) == 0) {
        ASSERT_TRUE(table_.erase(handle));
        model_.erase(static_cast<std::size_t>(at - model_.blocks.begin()));
      }
      if (below(6) == 0) erase();
      if (below(6) == 0) resize();
      if (inserts > 0 && below(4) == 0) {
        --inserts;
        insert();
      }
    });
    // A handle that comes again in a new timeline counts as the block that it names now.
    for (const auto& block : model_.blocks) {
      ASSERT_EQ(std::count(visited.begin(), visited.end(), block.handle), 1);
    }
  }
  void capture() {
    if (captures_.size() == 5) captures_.erase(captures_.begin());
    captures_.push_back({detail::core_of(table_).freeze(), model_});
  }
  void restore(std::size_t which) {
    detail::core_of(table_).prepare_thaw(captures_[which].table);
    detail::core_of(table_).thaw(captures_[which].table);
    model_ = captures_[which].model;
    ++tally_.restores;
    compare(true);
  }
  void drop_capture() {
    if (captures_.empty()) return;
    captures_.erase(captures_.begin() + static_cast<std::ptrdiff_t>(below(captures_.size())));
  }
  // The whole state is filled into another core and taken over, as a load does.
  void adopt() {
    BlobCore& core = detail::core_of(table_);
    const auto other = core.make_empty();
    const SlotCounters counters = core.table().counters();
    other->begin_fill(counters);
    for (std::uint32_t slot = 0; slot < counters.slot_count; ++slot) {
      const std::uint32_t tag = core.table().slots().tag(slot);
      const SlotState kind = slot_tag::kind(tag);
      if (kind == SlotState::live) {
        *static_cast<BlobLabel*>(fill_record(other->core(), slot)) =
            *reinterpret_cast<const BlobLabel*>(core.table().record_at(slot));
        ASSERT_TRUE(other->fill_block(slot, core.offset(slot), core.bytes(slot)).has_value());
      }
      fill_slot(other->core(), slot, kind, slot_tag::generation(tag, L::value));
    }
    std::vector<std::uint32_t> free_list(static_cast<std::size_t>(counters.free_count));
    core.table().slots().read_free_list(0, free_list);
    other->core().fill_free_list(free_list);
    const Status filled = other->finish_fill();
    ASSERT_TRUE(filled.has_value()) << filled.error().message();
    ASSERT_STREQ(other->check_invariants(), nullptr);
    core.prepare_adopt();
    core.adopt(*other);
    ++tally_.adopted;
    ++tally_adopted_;
  }

  void compare(bool deep) {
    ASSERT_EQ(table_.size(), model_.blocks.size());
    ASSERT_EQ(table_.allocated_bytes(), model_.allocated());
    ASSERT_EQ(table_.bytes().size(), model_.end());
    if (!deep) return;
    ASSERT_STREQ(table_.check_invariants(), nullptr);
    ASSERT_EQ(Bytes(table_.bytes().begin(), table_.bytes().end()), model_.image());
    std::size_t i = 0;
    std::as_const(table_).for_each([&](H handle, const BlobLabel& label, auto bytes) {
      ASSERT_LT(i, model_.blocks.size());
      const auto& block = model_.blocks[i++];
      ASSERT_EQ(handle, block.handle);
      ASSERT_EQ(label, block.label);
      ASSERT_EQ(table_.offset(handle), block.offset);
      ASSERT_EQ(bytes.data(), table_.bytes().data() + block.offset);
      ASSERT_EQ(bytes.size(), block.bytes.size());
      ASSERT_EQ(*table_.meta(handle), label);
    });
    ASSERT_EQ(i, model_.blocks.size());
    for (const H handle : model_.stale) {
      ASSERT_FALSE(table_.contains(handle));
      ASSERT_EQ(table_.find(handle).data(), nullptr);
      ASSERT_EQ(table_.meta(handle), nullptr);
    }
    for (const Captured& captured : captures_) {
      ASSERT_EQ(test::read_all(captured.table.blobs->buffer), captured.model.image());
      std::uint32_t slot = captured.table.blobs->first;
      for (const auto& block : captured.model.blocks) {
        ASSERT_EQ(slot, block.handle.index());
        ASSERT_EQ(block_place(captured.table, slot).offset, block.offset);
        ASSERT_EQ(block_place(captured.table, slot).size, block.bytes.size());
        ASSERT_EQ(test::captured<BlobLabel>(captured.table, slot), block.label);
        slot = block_place(captured.table, slot).next;
      }
      ASSERT_EQ(slot, kNoBlock);
    }
  }

  std::mt19937_64 random_;
  std::size_t typical_size_;
  BlobTally& tally_;
  std::size_t tally_adopted_ = 0;
  Model model_;
  TableType table_;
  std::vector<Captured> captures_;  // may outlive the table
};

template <class L>
void run_all_options(BlobTally& tally) {
  struct Shape {
    std::uint64_t capacity;
    std::size_t typical_size;
    std::size_t steps;
  };
  // Many small blocks in one chunk; blocks of about a chunk in several, the last one short.
  constexpr Shape kShapes[] = {{4096, 100, 500}, {8192, 12, 500}, {401'408, 20'000, 250}};
  for (const Compaction compaction : {Compaction::at_release, Compaction::on_demand}) {
    for (const std::uint32_t alignment : {1u, 16u, 256u, 4096u}) {
      for (const Shape& shape : kShapes) {
        BlobOptions options;
        options.capacity_bytes = shape.capacity;
        options.alignment = alignment;
        options.compaction = compaction;
        options.free_list = alignment == 16 ? FreeList::fifo : FreeList::lifo;
        options.type_id = L::type_bits == 0 ? 0 : 77;
        const std::uint64_t seed = 1000 * alignment + shape.typical_size + L::index_bits;
        BlobProgram<L>(options, shape.typical_size, seed, tally).run(test::scaled(shape.steps));
        if (testing::Test::HasFailure()) {
          ++tally.failures;
          FAIL() << "compaction " << static_cast<int>(compaction) << ", alignment " << alignment
                 << ", capacity " << shape.capacity << ", seed " << seed;
        }
      }
    }
  }
}

TEST(BlobModel, BlobTablesFollowTheModelThroughRandomPrograms) {  // V1 to V6
  BlobTally tally;
  run_all_options<DefaultLayout>(tally);
  run_all_options<Layout<16, 16>>(tally);
  run_all_options<Layout<32, 16, 15>>(tally);
  std::printf(
      "cases=%zu failures=%zu (restores %zu, full %zu, grown %zu, compactions %zu, "
      "adopted %zu, revived %zu)\n",
      tally.operations, tally.failures, tally.restores, tally.full, tally.grown, tally.compactions,
      tally.adopted, tally.revived);
  EXPECT_GT(tally.restores, test::scaled(1000));
  EXPECT_GT(tally.full, test::scaled(1000));
  EXPECT_GT(tally.grown, test::scaled(1000));
  EXPECT_GT(tally.compactions, test::scaled(300));
  EXPECT_GT(tally.adopted, test::scaled(300));
  EXPECT_GT(tally.revived, test::scaled(150));
}

}  // namespace
}  // namespace hdb
