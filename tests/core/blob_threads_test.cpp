// Captures of a blob table read and dropped on other threads while its owner writes: runs under
// TSan.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/blob_model.hpp"
#include "core/test_records.hpp"

#include "hdb/blob_table.hpp"
#include "support/using_detail.hpp"

namespace hdb {
namespace {

using test::BlobLabel;
using test::Bytes;
using test::make_bytes;

struct BlobJob {
  std::shared_ptr<const FrozenTable> frozen;  // several readers share one
  std::shared_ptr<const Bytes> expected;
};

class BlobReaders {
 public:
  explicit BlobReaders(unsigned count) {
    for (unsigned i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
  }
  ~BlobReaders() { join(); }
  BlobReaders(const BlobReaders&) = delete;
  BlobReaders& operator=(const BlobReaders&) = delete;

  void give(const BlobJob& job) {
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back(job);
    }
    wake_.notify_one();
  }
  void join() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  [[nodiscard]] std::size_t read() const { return read_.load(); }
  [[nodiscard]] std::size_t wrong() const { return wrong_.load(); }

 private:
  void work() {
    for (;;) {
      BlobJob job;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return done_ || !jobs_.empty(); });
        if (jobs_.empty()) return;
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      if (test::read_all(job.frozen->blobs->buffer) != *job.expected) ++wrong_;
      std::size_t names = 0;
      for (std::uint32_t slot = job.frozen->blobs->first; slot != kNoBlock;
           slot = block_place(*job.frozen, slot).next) {
        const auto label = test::captured<BlobLabel>(*job.frozen, slot);
        names += label.name.size() == label.number ? 0 : 1;
      }
      if (names != 0) ++wrong_;
      ++read_;
      job = {};  // dropped here, on this thread
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<BlobJob> jobs_;
  bool done_ = false;
  std::atomic<std::size_t> read_{0};
  std::atomic<std::size_t> wrong_{0};
  std::vector<std::thread> threads_;
};

BlobLabel label_of(std::uint32_t number) { return {std::string(number, 'n'), number}; }

void churn_while_reading(Compaction compaction) {
  constexpr std::size_t kFrames = 60;
  std::mt19937_64 random(17);
  BlobReaders readers(3);
  std::optional<BlobTable<BlobLabel>> table(
      std::in_place, BlobOptions{.capacity_bytes = 400'000, .compaction = compaction});
  std::vector<Handle<BlobLabel>> handles;
  for (std::uint32_t i = 0; i < 30; ++i) {
    handles.push_back(table->insert(label_of(i), make_bytes(random() % 20'000, i)).value());
  }
  std::optional<BlobJob> kept;
  for (std::size_t frame = 0; frame < kFrames; ++frame) {
    const BlobJob job{std::make_shared<const FrozenTable>(detail::core_of(*table).freeze()),
                      std::make_shared<const Bytes>(table->bytes().begin(), table->bytes().end())};
    readers.give(job);
    readers.give(job);
    if (frame % 10 == 0) kept = job;
    for (int i = 0; i < 12; ++i) {
      auto& handle = handles[random() % handles.size()];
      const std::size_t size = random() % 20'000;
      const auto number = static_cast<std::uint32_t>(random() % 50);
      const std::size_t dice = random() % 4;
      if (dice == 0) {
        table->erase(handle);
        handle =
            table->insert(label_of(number), make_bytes(size, number)).value_or(Handle<BlobLabel>{});
      } else if (dice == 1) {
        static_cast<void>(table->resize(handle, size));
      } else if (const auto bytes = table->edit(handle); !bytes.empty()) {
        bytes[random() % bytes.size()] = static_cast<std::byte>(number);
        *table->edit_meta(handle) = label_of(number);
      }
    }
    if (frame % 10 == 9) detail::core_of(*table).thaw(*kept->frozen);
  }
  EXPECT_STREQ(table->check_invariants(), nullptr);
  kept.reset();
  table.reset();  // the last captures outlive their table
  readers.join();
  EXPECT_EQ(readers.read(), 2 * kFrames);
  EXPECT_EQ(readers.wrong(), 0u) << "each capture holds the bytes of its moment";
}

TEST(BlobThreads, CapturesAreReadAndDroppedWhileTheTableCompactsAtRelease) {
  churn_while_reading(Compaction::at_release);
}

TEST(BlobThreads, CapturesAreReadAndDroppedWhileTheTableCompactsOnDemand) {
  churn_while_reading(Compaction::on_demand);
}

}  // namespace
}  // namespace hdb
