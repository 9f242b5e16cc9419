// Draws the bar with carriage returns and blanks alone, so that any terminal takes it.
#include "progress.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "signals.hpp"
#include "system/system.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kFirstDrawn = std::chrono::milliseconds(500);
constexpr auto kRedrawn = std::chrono::milliseconds(100);

// The one bar. Counters are atomic, all else is guarded by `mutex`.
struct Bar {
  std::mutex mutex;
  When mode = When::never;
  std::string verb;
  std::string name;
  unsigned passes = 1;
  Clock::time_point begin;
  std::size_t drawn = 0;  // columns
  std::atomic<bool> active{false};
  std::atomic<std::uint64_t> done{0};
  std::atomic<std::uint64_t> total{0};
  std::thread drawer;
  std::condition_variable ended;
};

Bar bar;

void write_to_terminal(std::string_view text) noexcept {
  // A failure here cannot be reported.
  static_cast<void>(write_stream(kStandardError, text));
}

// Requires: bar.mutex is held.
void erase_bar() noexcept {
  if (bar.drawn == 0) return;
  try {
    write_to_terminal("\r" + std::string(bar.drawn, ' ') + "\r");
  } catch (...) {  // no memory for the blanks: the next line of the terminal will do
    write_to_terminal("\n");
  }
  bar.drawn = 0;
}

// Requires: bar.mutex is held.
void draw_bar(Clock::time_point now) {
  ProgressState state;
  state.verb = bar.verb;
  state.name = bar.name;
  state.done = bar.done / bar.passes;
  state.total = bar.total / bar.passes;
  state.seconds = std::chrono::duration<double>(now - bar.begin).count();
  // The last column stays free: some terminals begin a new line after it.
  const std::string text = progress_text(state, terminal_columns(kStandardError, 80) - 1);
  const std::size_t width = display_width(text);
  const std::size_t rest = bar.drawn > width ? bar.drawn - width : 0;
  write_to_terminal("\r" + text + std::string(rest, ' '));
  bar.drawn = std::max(width, bar.drawn);
}

// Runs in a thread of its own: a group may take seconds to compress.
void draw_until_done(Clock::time_point next) {
  std::unique_lock lock(bar.mutex);
  while (!bar.ended.wait_until(lock, next, [] { return !bar.active; })) {
    draw_bar(Clock::now());
    next = Clock::now() + kRedrawn;
  }
}

// Counts each part of a file once a pass, in whatever order and portions it is read.
class WatchedSource final : public ByteSource {
 public:
  WatchedSource(std::unique_ptr<ByteSource> source, std::uint64_t size)
      : source_(std::move(source)),
        part_bytes_(std::max<std::uint64_t>(kLeastPartBytes, size / kParts + 1)) {
    if (!bar.active) return;
    passes_ = bar.passes;
    size_ = size;
    counts_ =
        std::vector<std::atomic<std::uint64_t>>(static_cast<std::size_t>(size / part_bytes_ + 1));
    bar.total += size * passes_;
  }

  Result<std::uint64_t> size() override { return source_->size(); }

  Status read_at(std::uint64_t offset, std::span<std::byte> out) override {
    if (interrupted() != 0) return fail(ErrorCode::cancelled, "interrupted", {}, offset);
    auto read = source_->read_at(offset, out);
    if (read && !counts_.empty() && bar.active) count(offset, out.size());
    return read;
  }

 private:
  static constexpr std::uint64_t kLeastPartBytes = std::uint64_t{16} << 10;
  static constexpr std::uint64_t kParts = std::uint64_t{1} << 16;

  void count(std::uint64_t offset, std::uint64_t bytes) {
    std::uint64_t counted = 0;
    for (const std::uint64_t end = offset + bytes; offset < end;) {
      const std::uint64_t part = offset / part_bytes_;
      const std::uint64_t part_end = std::min((part + 1) * part_bytes_, size_);
      const std::uint64_t here = std::min(end, part_end) - offset;
      const std::uint64_t most = (part_end - part * part_bytes_) * passes_;
      const std::uint64_t before = counts_[static_cast<std::size_t>(part)].fetch_add(here);
      counted += std::min(before + here, most) - std::min(before, most);
      offset += here;
    }
    bar.done += counted;
  }

  std::unique_ptr<ByteSource> source_;
  std::uint64_t part_bytes_;
  std::uint64_t size_ = 0;
  unsigned passes_ = 1;
  std::vector<std::atomic<std::uint64_t>> counts_;
};

std::string time_left(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::min(seconds, 359999.0) + 0.5);
  if (whole < 3600) return fmt::format("{}:{:02} left", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02} left", whole / 3600, whole / 60 % 60, whole % 60);
}

// Keeps the end of a name, which says more than its beginning. The file may be hostile.
std::string fitted_name(std::string_view name, std::size_t width) {
  std::string text = escape_text(name.substr(name.find_last_of("/\\") + 1));
  if (display_width(text) <= width) return text;
  if (width < 4) return {};
  // Bytes beyond ASCII are left alone as wholes: a cut may only come before a first byte.
  std::size_t at = text.size() - std::min(text.size(), width - 3);
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) ++at;
  while (display_width(std::string_view(text).substr(at)) > width - 3) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) ++at;
  }
  return "..." + text.substr(at);
}

}  // namespace

std::string progress_text(const ProgressState& state, std::size_t width) {
  const std::uint64_t done = std::min(state.done, state.total);
  const double part =
      state.total == 0 ? 0.0 : static_cast<double>(done) / static_cast<double>(state.total);
  const double rate = state.seconds > 0 ? static_cast<double>(done) / state.seconds : 0.0;
  const std::string percent = fmt::format("{:3}%", static_cast<int>(part * 100));
  std::string tail;
  if (rate > 0) tail = "  " + time_left(static_cast<double>(state.total - done) / rate);
  const std::string amount = fmt::format("  {} of {}", size_text(done), size_text(state.total));
  const std::string speed = fmt::format("  {}/s", size_text(static_cast<std::uint64_t>(rate)));

  constexpr std::size_t kLeastBar = 10;
  constexpr std::size_t kMostBar = 30;
  const std::string verb(state.verb);
  const auto room_beside = [&](const std::string& right) {
    const std::size_t used = verb.size() + 1 + 2 + percent.size() + 1 + right.size();
    return used >= width ? 0 : width - used;
  };
  // What is left out first: the rate, then the amount, then the time, then the bar.
  std::string right = amount + speed + tail;
  if (room_beside(right) < kLeastBar + 12) right = amount + tail;
  if (room_beside(right) < kLeastBar + 10) right = tail;
  const std::size_t room = room_beside(right);
  if (room < kLeastBar + 2) return (verb + " " + percent).substr(0, width);
  const std::string name = fitted_name(state.name, std::min<std::size_t>(room - kLeastBar - 2, 24));
  const std::size_t bar_room =
      std::min(kMostBar, room - (name.empty() ? 0 : display_width(name) + 2));
  const auto filled = static_cast<std::size_t>(part * static_cast<double>(bar_room));
  return fmt::format("{} {}{}[{}{}] {}{}", verb, name, name.empty() ? "" : "  ",
                     std::string(filled, '#'), std::string(bar_room - filled, '-'), percent, right);
}

void set_progress_mode(When mode, bool quiet) {
  if (mode == When::automatic) {
    const bool shown = !quiet && is_capable_terminal(kStandardError);
    mode = shown ? When::automatic : When::never;
  }
  bar.mode = mode;
}

ProgressScope::ProgressScope(std::string_view verb, std::string_view name, unsigned passes) {
  const std::lock_guard lock(bar.mutex);
  if (bar.active || bar.mode == When::never) return;
  outer_ = true;
  bar.verb = verb;
  bar.name = name;
  bar.passes = std::max(1U, passes);
  bar.done = 0;
  bar.total = 0;
  bar.drawn = 0;
  bar.begin = Clock::now();
  bar.active = true;
  const bool at_once = bar.mode == When::always;
  if (at_once) draw_bar(bar.begin);
  try {
    bar.drawer = std::thread(draw_until_done, bar.begin + (at_once ? kRedrawn : kFirstDrawn));
  } catch (const std::system_error&) {  // no thread to be had: no bar
  }
}

ProgressScope::~ProgressScope() {
  if (!outer_) return;
  {
    const std::lock_guard lock(bar.mutex);
    erase_bar();
    bar.active = false;
  }
  bar.ended.notify_all();
  if (bar.drawer.joinable()) bar.drawer.join();
}

void ProgressScope::advance(std::uint64_t bytes) {
  if (outer_) bar.done += bytes;
}

void hide_progress() noexcept {
  if (!bar.active) return;
  const std::lock_guard lock(bar.mutex);
  erase_bar();
}

void end_progress() noexcept {
  hide_progress();
  const std::lock_guard lock(bar.mutex);
  bar.mode = When::never;
  bar.active = false;
  bar.ended.notify_all();
}

std::unique_ptr<ByteSource> watched(std::unique_ptr<ByteSource> source) {
  const auto size = source->size();
  return std::make_unique<WatchedSource>(std::move(source), size ? *size : 0);
}

}  // namespace hdb::inspect
