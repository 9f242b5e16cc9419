// A flush goes over the slots 64 at a time: one word says which of them are live and not held.
#include "hdb/detail/database/resources/flush.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <utility>

#include "database/resources/reference_scan.hpp"
#include "hdb/database.hpp"
#include "hdb/detail/base/to_size.hpp"
#include "hdb/resource_table.hpp"

namespace hdb::detail {
namespace {

class FlushRun {
 public:
  FlushRun(const Resources& resources, const FlushOptions& options, const BeforeDestroy& before)
      : core_(resources.core),
        references_(resources.references),
        max_destroyed_(options.max_destroyed),
        before_(before),
        marks_(resources.database, core_, resources.key,
               options.cycles ? Keeps::reachable : Keeps::strong_fields) {}

  Result<FlushReport> run() {
    for (;;) {
      if (auto marked = marks_.mark_all(); !marked) return fail(std::move(marked.error()));
      const std::uint64_t releases = references_.releases();
      const std::size_t destroyed = report_.destroyed;
      if (Status round = flush_round(); !round) return fail(std::move(round.error()));
      // Destroyed records may have held others, and the callback may have released some.
      const bool may_free_more = references_.releases() != releases || marks_.holds_itself();
      if (!report_.finished || report_.destroyed == destroyed || !may_free_more) return report_;
    }
  }

  Result<std::vector<std::uint32_t>> unused_slots() {
    if (auto marked = marks_.mark_all(); !marked) return fail(std::move(marked.error()));
    std::vector<std::uint32_t> found;
    for (std::uint32_t slot = 0; slot < core_.counters().slot_count; ++slot) {
      if (is_unused(slot)) found.push_back(slot);
    }
    return found;
  }

 private:
  bool is_unused(std::uint32_t slot) const noexcept {
    const std::uint32_t tag = core_.slots().tag(slot);
    return slot_tag::is_live(tag) && !marks_.is_marked(slot) && references_.count(slot, tag) == 0;
  }

  /// One bit for each of the 64 slots from 64 * word on: whether the record is live and not held.
  std::uint64_t unused_of(std::uint64_t word) const noexcept {
    const Slots& slots = core_.slots();
    const std::uint64_t first = 64 * word;
    if (first >= slots.counters().slot_count) return 0;
    std::uint32_t buffer[64];
    const std::span tags(buffer,
                         to_size(std::min<std::uint64_t>(64, slots.counters().slot_count - first)));
    std::uint64_t live = 0;
    for (std::size_t i = 0; i < tags.size(); ++i) {
      buffer[i] = slots.tag(static_cast<std::uint32_t>(first + i));
      live |= std::uint64_t{slot_tag::is_live(buffer[i])} << i;
    }
    return live & ~marks_.marks_of(to_size(word)) &
           ~references_.held_among(static_cast<std::uint32_t>(first), tags);
  }
  /// The same, of the slots from `from` to before `end` that are in the word of `from`.
  std::uint64_t unused_between(std::uint64_t from, std::uint64_t end) const noexcept {
    const std::uint64_t stop = end - from / 64 * 64;
    const std::uint64_t within = stop >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << stop) - 1;
    return unused_of(from / 64) & ~std::uint64_t{0} << from % 64 & within;
  }

  /// Visits each slot once, starting at the cursor.
  Status flush_round() {
    const std::uint64_t count = core_.counters().slot_count;
    const std::uint64_t start = core_.flush_cursor() < count ? core_.flush_cursor() : 0;
    if (Status status = flush_slots(start, count); !status || !report_.finished) return status;
    return flush_slots(0, start);
  }
  Status flush_slots(std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t at = begin; at < end; at = (at / 64 + 1) * 64) {
      std::uint64_t unused = unused_between(at, end);
      fetch(at / 64, unused);
      while (unused != 0) {
        const auto slot = static_cast<std::uint32_t>(at / 64 * 64 + lowest_bit(unused));
        unused &= unused - 1;
        if (slot >= core_.counters().slot_count || !is_unused(slot)) continue;
        if (report_.destroyed == max_destroyed_) {
          core_.set_flush_cursor(slot);
          report_.finished = false;
          return {};
        }
        if (before_.call != nullptr) {
          const std::uint32_t tag = core_.slots().tag(slot);
          before_.call(before_.context, slot);
          if (auto marked = marks_.mark_written(); !marked) return marked;
          // It may have released others.
          unused = slot % 64 == 63 ? 0 : unused_between(std::uint64_t{slot} + 1, end);
          if (core_.slots().tag(slot) != tag || !is_unused(slot)) continue;
        }
        core_.erase_slot(slot);
        marks_.own_write_done();
        ++report_.destroyed;
      }
    }
    return {};
  }
  void fetch(std::uint64_t word, std::uint64_t unused) const noexcept {
    for (std::uint64_t bits = unused; bits != 0; bits &= bits - 1)
      core_.fetch_name(static_cast<std::uint32_t>(word * 64 + lowest_bit(bits)));
    for (std::uint64_t bits = unused; bits != 0; bits &= bits - 1)
      core_.fetch(static_cast<std::uint32_t>(word * 64 + lowest_bit(bits)));
  }
  static std::uint64_t lowest_bit(std::uint64_t bits) noexcept {
    return static_cast<std::uint64_t>(std::countr_zero(bits));
  }

  TableCore& core_;
  const RefCounts& references_;
  const std::size_t max_destroyed_;
  const BeforeDestroy before_;
  ReferenceScan marks_;
  FlushReport report_;
};

}  // namespace

Result<FlushReport> flush_resources(const Resources& resources, const FlushOptions& options,
                                    const BeforeDestroy& before) {
  return FlushRun(resources, options, before).run();
}

Result<std::vector<std::uint32_t>> unreferenced_slots(const Resources& resources) {
  return FlushRun(resources, {}, {}).unused_slots();
}

}  // namespace hdb::detail
