// What the tests of the Autosaver share: a world, an executor that waits, a save that stops
// half-way.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "hdb/autosaver.hpp"
#include "hdb/hdb.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {

inline constexpr ErrorCode kSaved{};

inline ErrorCode code(const Result<SaveReport>& result) {
  return result ? kSaved : result.error().code;
}
inline ErrorCode code(const Saving& ticket) { return code(ticket.result()); }

struct AutosaverWorld {
  explicit AutosaverWorld(int tile_count = 3) {
    for (int i = 0; i < tile_count; ++i) tiles.emplace();
  }
  Snapshot at(std::uint64_t tick) {
    clock.edit().tick = tick;
    return db.capture();
  }
  Database db;
  Singleton<Clock>& clock = db.singleton<Clock>("clock");
  Table<Tile>& tiles = db.create_table<Tile>("tiles");
};

// The tick of a saved world; none when there is no file, or none that loads.
inline std::optional<std::uint64_t> tick_in(const std::string& path) {
  AutosaverWorld world(0);
  if (!world.db.load(path)) return std::nullopt;
  return world.clock->tick;
}

// An executor whose tasks run when the test says so.
struct Tasks {
  std::vector<std::function<void()>> waiting;
  AutosaverOptions options() {
    AutosaverOptions made;
    made.background = [this](std::function<void()> task) { waiting.push_back(std::move(task)); };
    return made;
  }
  void run() {
    while (!waiting.empty()) {
      const auto task = std::move(waiting.front());
      waiting.erase(waiting.begin());
      task();
    }
  }
};

// Stops the first save that comes by until it is opened.
class Gate {
 public:
  SaveOptions options() {
    SaveOptions made;
    made.write.on_progress = [this](const Progress&) {
      if (reached_.exchange(true)) return;
      arrived_.set_value();
      open_.get_future().wait();
    };
    return made;
  }
  void wait_until_reached() { arrived_.get_future().wait(); }
  void open() { open_.set_value(); }

 private:
  std::atomic<bool> reached_{false};
  std::promise<void> arrived_;
  std::promise<void> open_;
};

}  // namespace hdb::test
