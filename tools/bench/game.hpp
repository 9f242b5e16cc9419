// A database in mid-game, and the same records in one vector.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "bench.hpp"
#include "records.hpp"

namespace hdb::bench {

/// A sink that drops all bytes.
class NullSink final : public ByteSink {
 public:
  Status write(std::span<const std::byte> some) override {
    bytes += some.size();
    return {};
  }
  std::uint64_t bytes = 0;
};

/// A sink that copies all bytes into memory that it has already.
class WarmSink final : public ByteSink {
 public:
  explicit WarmSink(std::size_t room) : bytes_(room, std::byte{1}) {}
  /// Starts again.
  void rewind() noexcept { end_ = 0; }
  Status write(std::span<const std::byte> some) override {
    if (some.size() > bytes_.size() - end_) return fail(ErrorCode::disk_full, "the sink is full");
    std::copy(some.begin(), some.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(end_));
    end_ += some.size();
    return {};
  }

 private:
  Bytes bytes_;
  std::size_t end_ = 0;
};

/// One million mixed bodies, or another number; churned: half of them erased at random and
/// replaced.
class Game {
 public:
  explicit Game(bool churned, std::size_t count = kMillion) : count_(count) {
    for (std::size_t i = 0; i < count; ++i)
      handles_.push_back(bodies.insert(make_mixed_body(i, random_)));
    if (churned) {
      std::shuffle(handles_.begin(), handles_.end(), random_);
      for (std::size_t i = 0; i < count / 2; ++i) bodies.erase(handles_[i]);
      for (std::size_t i = 0; i < count / 2; ++i) {
        handles_[i] = bodies.insert(make_mixed_body(count + i, random_));
      }
    }
    copy.reserve(count);
    for (const Body& body : bodies) copy.push_back(body);
  }
  /// A capture of which no page is unchanged since an earlier one, so that no hash of a page is
  /// known.
  [[nodiscard]] Snapshot capture_fresh() {
    for (const auto handle : one_of_each_page(bodies)) ++bodies.edit(handle)->state;
    return database.capture();
  }
  /// Moves `count` neighbours; returns the first.
  std::size_t move_run(std::size_t count) {
    const std::size_t begin = static_cast<std::size_t>(random_() % (count_ - count));
    for (std::size_t i = 0; i < count; ++i) bodies.edit(handles_[begin + i])->position.x += 1;
    return begin;
  }
  /// Moves 1 %: 39 runs of 256 neighbours.
  void move_clusters() {
    for (int cluster = 0; cluster < 39; ++cluster) move_run(256);
  }
  /// Moves `count` bodies anywhere.
  void move_scattered(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      bodies.edit(handles_[static_cast<std::size_t>(random_() % count_)])->position.x += 1;
  }
  /// Moves every body.
  void move_all() {
    for (const auto handle : handles_) {
      Vector& position = bodies.edit(handle)->position;
      position = {position.x + 1, position.y - 0.5F, position.z};
    }
  }
  [[nodiscard]] std::span<const std::byte> record_bytes() const {
    return std::as_bytes(std::span(copy));
  }

  Database database;
  Table<Body>& bodies = database.create_table<Body>("bodies");
  std::vector<Body> copy;  ///< In dense order.

 private:
  std::size_t count_;
  std::mt19937_64 random_{kSeed};
  std::vector<Handle<Body>> handles_;
};

/// Nanoseconds of a whole save after every page changed; its bytes are dropped.
[[nodiscard]] inline double save_to_nowhere(Game& game, unsigned threads) {
  const Snapshot fresh = game.capture_fresh();
  NullSink sink;
  SaveOptions options;
  options.write.threads = threads;
  return time_ns([&] { benchmark::DoNotOptimize(save(fresh, sink, options).has_value()); });
}

}  // namespace hdb::bench
