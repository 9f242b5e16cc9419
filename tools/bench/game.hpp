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
  Status write(std::span<const std::byte>) override { return {}; }
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
  /// A minute of a game, in which 1 % of the bodies act, in clusters of neighbours: each walks its
  /// own way, one in 8 is hurt, one in 32 ends and another one takes its place, one in 100 drops an
  /// item, which is a new body.
  void play_minute(std::size_t cluster) {
    const std::size_t acting = count_ / 100;
    for (std::size_t done = 0; done < acting; done += cluster) {
      const std::size_t begin = static_cast<std::size_t>(random_() % (handles_.size() - cluster));
      for (std::size_t i = begin; i < begin + cluster; ++i) act(handles_[i]);
    }
  }
  [[nodiscard]] std::span<const std::byte> record_bytes() const {
    return std::as_bytes(std::span(copy));
  }

  Database database;
  Table<Body>& bodies = database.create_table<Body>("bodies");
  std::vector<Body> copy;  ///< In dense order.

 private:
  void act(Handle<Body>& handle) {
    const Body other = make_mixed_body(handles_.size(), random_);
    if (random_() % 32 == 0) {
      bodies.erase(handle);
      handle = bodies.insert(other);
      return;
    }
    Body& body = *bodies.edit(handle);
    body.position.x += body.velocity.x + other.velocity.x / 64;
    body.position.y += body.velocity.y + other.velocity.y / 64;
    body.age += 60;
    if (random_() % 8 == 0) body.health = other.health;
    if (random_() % 100 == 0) bodies.insert(other);
  }

  std::size_t count_;
  std::mt19937_64 random_{kSeed};
  std::vector<Handle<Body>> handles_;
};

/// The bytes of a save in memory.
[[nodiscard]] inline Bytes file_of(const Snapshot& snapshot, const SaveOptions& options = {}) {
  MemorySink sink;
  static_cast<void>(save(snapshot, sink, options));
  return sink.take();
}

/// Nanoseconds of a whole save after every page changed; its bytes are dropped.
[[nodiscard]] inline double save_to_nowhere(Game& game, const WriteOptions& write) {
  const Snapshot fresh = game.capture_fresh();
  NullSink sink;
  return time_ns([&] { return save(fresh, sink, {.write = write}).has_value(); });
}

}  // namespace hdb::bench
