// Frames, saves and costs of a game in a window.
#include "session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "checks.hpp"
#include "hdb/sync_test.hpp"

namespace demo {

double Cost::median() const {
  const std::size_t count = std::min(next_, values_.size());
  if (count == 0) return 0;
  auto sorted = values_;
  std::sort(sorted.begin(), sorted.begin() + count);
  return sorted[count / 2];
}
double Cost::worst() const { return *std::max_element(values_.begin(), values_.end()); }

Session::Session(const Wad& wad, const std::string& map, std::uint64_t seed, std::string folder,
                 std::uint64_t history_bytes)
    : wad_(wad),
      folder_(std::move(folder)),
      game_(wad, map, seed),
      history_(game_.world.database, {.frames = kCapturesKept, .max_bytes = history_bytes}) {
  game_.world.database.reserve_copies();
  record();
}

void Session::record() {
  const Stopwatch watch;
  must(history_.record(tick_));
  capture_us_.add(watch.ms() * 1000);
  if (const auto last = tick_ != 0 ? history_.at_or_before(tick_ - 1) : std::nullopt) {
    const hdb::Snapshot& now = *history_.find(tick_);
    copied_kib_.add(static_cast<double>(history_.find(*last)->bytes_not_in(now)) / 1024);
  }
  sounds_[tick_] = game_.sounds;
  sounds_.erase(sounds_.begin(), sounds_.find(*history_.oldest()));
}

void Session::advance() {
  const Stopwatch watch;
  game_.tick();
  // The worst ones are the first after a capture, which copy what they write to.
  tick_us_.add(watch.ms() * 1000);
  if (++tick_ % kTicksACapture != 0) return;
  record();
  if (tick_ % kFramesASecond != 0) return;
  const Stopwatch autosave;
  autosaver_.save(game_.world.database.capture(), folder_ + "/autosave.hdb", game_.save_options());
  autosave_us_.add(autosave.ms() * 1000);
}

void Session::on_restore(std::uint64_t frame) {
  tick_ = frame;
  game_.sounds = sounds_.at(frame);
  game_.refresh_pixels();
}

bool Session::rewind() {
  if (tick_ == *history_.oldest()) return false;
  const std::uint64_t wanted = tick_ - 1;
  tick_ = *history_.at_or_before(wanted);
  continue_here();
  for (; tick_ < wanted; ++tick_) game_.tick();
  return true;
}

void Session::continue_here() {
  must(history_.rewind(tick_));
  sounds_.erase(sounds_.upper_bound(tick_), sounds_.end());
  on_restore(tick_);
}

hdb::Status Session::save() {
  const auto saved =
      hdb::save(game_.world.database.capture(), folder_ + "/quick.hdb", game_.save_options());
  return saved ? hdb::Status() : hdb::fail(saved.error());
}

hdb::Status Session::load() {
  if (hdb::Status loaded = game_.load(folder_ + "/quick.hdb"); !loaded) return loaded;
  tick_ = std::max(tick_, *history_.newest()) + 1;
  record();
  return {};
}

std::string Session::find_planted_bug() {
  const std::string path = folder_ + "/twin.hdb";
  must(hdb::save(game_.world.database.capture(), path, game_.save_options()));
  Game twin(wad_);
  must(twin.load(path));
  twin.plant_bug();
  std::map<std::uint64_t, SoundSystem> sounds;
  hdb::SyncTestOptions options;
  options.frames_again = kRollbackTicks;
  options.on_restore = [&](std::uint64_t frame) { twin.sounds = sounds.at(frame); };
  const auto step = [&](std::uint64_t frame) {
    sounds[frame] = twin.sounds;
    twin.tick();
  };
  const auto tested = must(hdb::sync_test(twin.world.database, step, kSyncTestTicks, options));
  return tested.divergence ? tested.divergence->message() : "no divergence";
}

std::string Session::costs() const {
  const auto text = [](const char* name, const Cost& cost, const char* unit) {
    return fmt::format("{} {:.0f} {} (worst {:.0f})", name, cost.median(), unit, cost.worst());
  };
  return fmt::format("{}   {}   {}   {}", text("tick", tick_us_, "us"),
                     text("capture", capture_us_, "us"), text("copied", copied_kib_, "KiB"),
                     text("autosave", autosave_us_, "us"));
}

}  // namespace demo
