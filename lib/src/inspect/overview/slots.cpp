// Slot maps, generations and orders of one table.
#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "inspect/overview/parts.hpp"

namespace hdb::overviews {
namespace {

constexpr auto kLiveSlot = static_cast<std::uint8_t>(SlotState::live);

// One pass over the slot columns of a table. `group` is called with each row group that can be
// read, `damaged` with the numbers of the others.
template <class OnGroup, class OnDamaged>
Status for_each_slot_group(const Reader& reader, std::size_t table, const OnGroup& on_group,
                           const OnDamaged& on_damaged) {
  const TableDescriptor& descriptor = reader.tables()[table];
  RowGroup group;
  for (std::uint64_t number = 0; number < descriptor.group_count(); ++number) {
    auto read = reader.read_columns(table, number, {}, group);
    if (read) {
      on_group(number, group);
    } else if (auto passed = on_damaged(number, std::move(read.error())); !passed) {
      return passed;
    }
  }
  return {};
}

struct GenerationRange {
  std::uint32_t lowest = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t highest = 0;
};

std::uint64_t& count_of(SlotBin& bin, SlotState state) noexcept {
  switch (state) {
    case SlotState::live: return bin.live;
    case SlotState::retired: return bin.retired;
    case SlotState::unissued: return bin.unissued;
    case SlotState::free: break;
  }
  return bin.free;
}

std::size_t bin_of_generation(const std::vector<GenerationBin>& bins, std::uint32_t generation) {
  const auto at = std::partition_point(
      bins.begin(), bins.end(),
      [generation](const GenerationBin& bin) { return bin.highest < generation; });
  return static_cast<std::size_t>(at - bins.begin());
}

class SlotCounter {
 public:
  SlotCounter(const TableDescriptor& table, const OverviewOptions& options, TableOverview& out)
      : table_(table),
        width_(bin_width(table.slot_count, options.max_slot_bins)),
        order_(table.live_count, options.max_order_bins),
        out_(out) {
    for (std::uint64_t first = 0; first < table.slot_count; first += width_) {
      out_.slots.push_back({.first_slot = first,
                            .slots = std::min(width_, table.slot_count - first),
                            .lowest_generation = std::numeric_limits<std::uint32_t>::max()});
    }
  }

  void add(std::uint64_t number, const RowGroup& group) {
    const std::uint64_t first = table_.group_begin(number);
    std::size_t live = 0;
    for (std::size_t i = 0; i < group.states.size(); ++i) {
      SlotBin& bin = bin_at(first + i);
      const std::uint32_t generation = group.generations[i];
      if (group.states[i] == kLiveSlot) {
        bin.live += 1;
        bin.mean_generation += generation;  // the sum, until finish()
        bin.lowest_generation = std::min(bin.lowest_generation, generation);
        bin.highest_generation = std::max(bin.highest_generation, generation);
        if (live < group.positions.size()) order_.add(group.positions[live]);
        ++live;
      } else {
        ++count_of(bin, static_cast<SlotState>(group.states[i]));
      }
      count_generation(group.states[i] == kLiveSlot, generation);
    }
  }

  void add_unread(std::uint64_t number) {
    for (std::uint64_t slot = table_.group_begin(number); slot < table_.group_end(number);) {
      SlotBin& bin = bin_at(slot);
      const std::uint64_t end = std::min(bin.first_slot + bin.slots, table_.group_end(number));
      bin.unread += end - slot;
      slot = end;
    }
  }

  void finish() {
    for (SlotBin& bin : out_.slots) {
      if (bin.live == 0) bin.lowest_generation = 0;
      if (bin.live != 0) bin.mean_generation /= static_cast<double>(bin.live);
    }
    if (table_.policy.storage == Storage::dense) out_.dense_order = order_.take();
  }

 private:
  SlotBin& bin_at(std::uint64_t slot) {
    return out_.slots[static_cast<std::size_t>(slot / width_)];
  }

  void count_generation(bool live, std::uint32_t generation) {
    if (generation == 0) return;  // unissued
    const std::size_t at = bin_of_generation(out_.generations, generation);
    if (at == out_.generations.size()) return;  // the file changed between the two passes
    ++(live ? out_.generations[at].live : out_.generations[at].vacant);
  }

  const TableDescriptor& table_;
  std::uint64_t width_;
  OrderCounter order_;
  TableOverview& out_;
};

}  // namespace

std::uint64_t bin_width(std::uint64_t count, std::size_t max_bins) noexcept {
  const std::uint64_t bins = std::max<std::uint64_t>(max_bins, 1);
  return std::bit_ceil(std::max<std::uint64_t>((count + bins - 1) / bins, 1));
}

OrderCounter::OrderCounter(std::uint64_t entries, std::size_t max_bins)
    : width_(bin_width(entries, max_bins)) {}

void OrderCounter::add(std::uint64_t number) {
  if (profile_.entries % width_ == 0) {
    profile_.bins.push_back(
        {.first = profile_.entries, .entries = 0, .lowest = number, .highest = number, .mean = 0});
  }
  OrderBin& bin = profile_.bins.back();
  ++bin.entries;
  bin.lowest = std::min(bin.lowest, number);
  bin.highest = std::max(bin.highest, number);
  bin.mean += (static_cast<double>(number) - bin.mean) / static_cast<double>(bin.entries);
  int direction = 0;
  if (profile_.entries != 0) {
    const std::uint64_t step = number > last_ ? number - last_ : last_ - number;
    steps_ += static_cast<double>(step);
    if (step <= OrderProfile::kNearStep) ++profile_.near_steps;
    if (step == 1) direction = number > last_ ? 1 : -1;
  }
  // A run goes on by one, in the direction that its second entry chose.
  if (direction != 0 && (direction_ == 0 || direction == direction_)) {
    ++run_;
    direction_ = direction;
  } else {
    ++profile_.runs;
    run_ = 1;
    direction_ = 0;
  }
  profile_.longest_run = std::max(profile_.longest_run, run_);
  ++profile_.entries;
  last_ = number;
}

OrderProfile OrderCounter::take() {
  if (profile_.entries > 1) profile_.mean_step = steps_ / static_cast<double>(profile_.entries - 1);
  return std::move(profile_);
}

std::vector<GenerationBin> generation_bins(Generations generations, std::uint32_t lowest,
                                           std::uint32_t highest, std::size_t max_bins) {
  std::vector<GenerationBin> bins;
  if (lowest > highest) return bins;
  const std::uint64_t span = std::uint64_t{highest} - lowest + 1;
  const std::uint64_t most = std::max<std::uint64_t>(max_bins, 1);
  std::uint64_t first = lowest;
  const auto add = [&](std::uint64_t last) {
    last = std::min<std::uint64_t>(last, highest);
    bins.push_back(
        {.lowest = static_cast<std::uint32_t>(first), .highest = static_cast<std::uint32_t>(last)});
    first = last + 1;
  };
  if (span <= most || generations == Generations::table_counter) {
    const std::uint64_t width = (span + most - 1) / most;
    while (first <= highest) add(first + width - 1);
    return bins;
  }
  // Doubling bins, and doubling faster where those would be too many.
  for (unsigned doublings = 1;; ++doublings) {
    bins.clear();
    first = lowest;
    for (std::uint64_t width = 1; first <= highest; width <<= doublings) {
      add(first + width - 1);
      if (width > highest) break;
    }
    if (bins.size() <= most || doublings >= 32) break;
  }
  if (first <= highest) bins.back().highest = highest;
  return bins;
}

Status look_over_slots(const Reader& reader, const OverviewOptions& options, Faults& faults,
                       TableOverview& out) {
  const TableDescriptor& table = reader.tables()[out.table];
  GenerationRange range;
  auto passed = for_each_slot_group(
      reader, out.table,
      [&](std::uint64_t, const RowGroup& group) {
        for (const std::uint32_t generation : group.generations) {
          if (generation == 0) continue;
          range.lowest = std::min(range.lowest, generation);
          range.highest = std::max(range.highest, generation);
        }
      },
      [&](std::uint64_t, Error error) { return faults.add(std::move(error)); });
  if (!passed) return passed;
  out.generations = generation_bins(table.policy.generations, range.lowest, range.highest,
                                    options.max_generation_bins);
  SlotCounter counter(table, options, out);
  passed = for_each_slot_group(
      reader, out.table,
      [&](std::uint64_t number, const RowGroup& group) { counter.add(number, group); },
      [&](std::uint64_t number, Error) {
        counter.add_unread(number);  // the first pass reported its error
        return Status();
      });
  if (!passed) return passed;
  counter.finish();
  if (reader.tables()[out.table].policy.is_component) return {};  // holes are not slots
  auto free_list = reader.read_free_list(out.table);
  if (!free_list) return faults.add(std::move(free_list.error()));
  OrderCounter order(free_list->size(), options.max_order_bins);
  for (const std::uint32_t slot : *free_list) order.add(slot);
  out.free_list = order.take();
  return {};
}

}  // namespace hdb::overviews
