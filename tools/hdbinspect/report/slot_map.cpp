// Slot maps: a cell a bin, filled from below by what is live, coloured by generation; and maps of
// differences.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "report/pictures.hpp"

namespace hdb::inspect {
namespace {

constexpr std::size_t kMaxMapRows = 32;  // of the table beside a map

std::string per_cell(std::uint64_t width) {
  return width == 1 ? "each cell is one slot" : "each cell is " + grouped(width) + " slots";
}

// Rectangles gathered by colour: one path element a colour.
class Cells {
 public:
  // `width`: slots in a cell.
  Cells(std::size_t bins, std::uint64_t width)
      : bins_(bins),
        width_(width),
        columns_(bins > 256  ? 64
                 : bins > 64 ? 32
                             : std::min<std::size_t>(bins, 16)) {}

  // The part of a cell between two heights of [0, 9], counted from below.
  void add(const std::string& color, std::size_t cell, double from, double to) {
    if (to <= from) return;
    const std::size_t x = cell % columns_ * 10;
    const double y = static_cast<double>(cell / columns_ * 10) + 9 - to;
    paths_[color] += fmt::format("M{} {:g}h9v{:g}h-9z", x, y, to - from);
  }

  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] std::size_t rows() const noexcept { return (bins_ + columns_ - 1) / columns_; }

  // `words`: of the numbers in `data`, which script.js shows for a cell; `none`: for a 0.
  void draw(Html& page, const std::string& title, const std::string& facts, std::uint64_t slots,
            std::string_view words, std::string_view none, const std::string& data) const {
    std::string children;
    const std::string attributes = picture_attributes(
        page, title,
        fmt::format("{}; {}. Arrow keys move from cell to cell.", facts, per_cell(width_)),
        children);
    page.put(
        "<svg class=\"map\" {} data-width=\"{}\" data-slots=\"{}\" data-none=\"{}\" "
        "data-words=\"{}\" data-cells=\"{}\" viewBox=\"-1 -1 {} {}\" style=\"max-width:{}px\" "
        "data-columns=\"{}\">\n{}",
        attributes, width_, slots, none, words, data, columns_ * 10 + 1, rows() * 10 + 1,
        columns_ * (columns_ > 16 ? 18 : 26), columns_, children);
    for (const auto& [color, path] : paths_)
      page.put("<path class=\"{}\" d=\"{}\"/>\n", color, path);
    page.raw("</svg>\n<output class=\"readout muted\"></output>\n");
  }

 private:
  std::size_t bins_;
  std::uint64_t width_;
  std::size_t columns_;
  std::map<std::string, std::string> paths_;
};

// The height of a part of a cell, in proportion.
double height_of(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return 0;
  return std::round(9000 * static_cast<double>(part) / static_cast<double>(whole)) / 1000;
}

SlotBin joined(const std::vector<SlotBin>& bins, std::size_t begin, std::size_t end) {
  SlotBin sum = bins[begin];
  for (std::size_t i = begin + 1; i < end; ++i) {
    const SlotBin& bin = bins[i];
    sum.slots += bin.slots;
    if (bin.live != 0) {
      sum.lowest_generation = sum.live == 0
                                  ? bin.lowest_generation
                                  : std::min(sum.lowest_generation, bin.lowest_generation);
    }
    sum.highest_generation = std::max(sum.highest_generation, bin.highest_generation);
    sum.live += bin.live;
    sum.free += bin.free;
    sum.retired += bin.retired;
    sum.unissued += bin.unissued;
    sum.unread += bin.unread;
  }
  return sum;
}

void draw_slot_data(Html& page, const std::vector<SlotBin>& bins, std::string_view name) {
  page.begin_folded_table(
      fmt::format("Slots of {}", name),
      {"Slots", "#Live", "#Free", "#Retired", "#Unreadable", "#Generations of live"});
  const std::size_t step = (bins.size() + kMaxMapRows - 1) / kMaxMapRows;
  for (std::size_t i = 0; i < bins.size(); i += step) {
    const SlotBin bin = joined(bins, i, std::min(i + step, bins.size()));
    page.row({range_text(bin.first_slot, bin.first_slot + bin.slots - 1), grouped(bin.live),
              grouped(bin.free), grouped(bin.retired), grouped(bin.unread),
              bin.live == 0 ? "-" : range_text(bin.lowest_generation, bin.highest_generation)});
  }
  page.end_folded_table();
}

void swatch(Html& page, std::string_view color, std::string_view word) {
  page.put("<li><span class=\"swatch {}\"></span>{}</li>", color, word);
}

}  // namespace

unsigned generation_color(const std::vector<GenerationBin>& bins, double generation) noexcept {
  const auto at = std::partition_point(bins.begin(), bins.end(), [&](const GenerationBin& bin) {
    return static_cast<double>(bin.highest) + 0.5 < generation;
  });
  const auto index =
      static_cast<std::size_t>(std::min(at, bins.end() - (bins.empty() ? 0 : 1)) - bins.begin());
  if (bins.size() <= 1) return 1;
  return static_cast<unsigned>(index * 7 / (bins.size() - 1));
}

void draw_slot_map(Html& page, const TableOverview& table, std::string_view name,
                   std::uint64_t slot_count) {
  const std::vector<SlotBin>& bins = table.slots;
  const std::uint64_t width = bins.front().slots;
  Cells cells(bins.size(), width);
  std::string data;
  std::array<bool, 8> colors{};
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const SlotBin& bin = bins[i];
    const unsigned color = generation_color(table.generations, bin.mean_generation);
    if (bin.live != 0) colors[color] = true;
    const auto height = [&](std::uint64_t slots) { return height_of(slots, bin.slots); };
    cells.add(fmt::format("g{}", color), i, 0, height(bin.live));
    cells.add("free", i, height(bin.live), height(bin.live + bin.free));
    // Unissued slots are not drawn.
    const double top = 9 - height(bin.unread);
    cells.add("retired", i, 9 - height(bin.unread + bin.retired), top);
    cells.add("unread", i, top, 9);
    data += fmt::format("{}{},{},{},{}", i == 0 ? "" : " ", bin.live, bin.free, bin.retired,
                        bin.unread);
    if (bin.live != 0) data += fmt::format(",{}", bin.lowest_generation);
    if (bin.live != 0 && bin.highest_generation != bin.lowest_generation)
      data += fmt::format(",{}", bin.highest_generation);
  }
  const SlotBin sum = joined(bins, 0, bins.size());
  page.raw("<figure>\n");
  cells.draw(page, fmt::format("Slot map of {}", name),
             fmt::format("{} live, {} free and {} retired of {} slots", grouped(sum.live),
                         grouped(sum.free), grouped(sum.retired), grouped(slot_count)),
             slot_count, "live free retired unreadable", "nothing", data);
  page.raw("<ul class=\"legend\"><li><span class=\"ramp\">");
  for (unsigned color = 0; color < 8; ++color) {
    if (colors[color]) page.put("<span class=\"swatch g{}\"></span>", color);
  }
  page.raw("</span>live, by generation: a stronger colour means more records so far</li>");
  if (sum.free != 0) swatch(page, "free", "free");
  if (sum.retired != 0) swatch(page, "retired", "retired");
  if (sum.unread != 0) swatch(page, "unread", "unreadable");
  page.put("</ul>\n<figcaption>Slot 0 is at the top left; {}{}.</figcaption>\n", per_cell(width),
           width == 1 ? ""
                      : ", filled in proportion: from below by live and free slots, from above by "
                        "unreadable and retired ones");
  draw_slot_data(page, bins, name);
  page.raw("</figure>\n");
}

void draw_change_map(Html& page, const TableChangeMap& table, std::string_view name) {
  const std::vector<ChangeBin>& bins = table.slots;
  const std::uint64_t width = bins.front().slots;
  const TableDiff& difference = table.difference;
  Cells cells(bins.size(), width);
  std::string data;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const ChangeBin& bin = bins[i];
    double from = 0;
    std::uint64_t counted = 0;
    const auto part = [&](const char* color, std::uint64_t count) {
      counted += count;
      const double to = height_of(counted, bin.slots);
      cells.add(color, i, from, to);
      from = to;
    };
    part("changed", bin.changed);
    part("added", bin.added);
    part("removed", bin.removed);
    part("reused", bin.reused);
    cells.add("same", i, from, 9);
    if (counted != 0 && counted != bin.slots) cells.add("touched", i, 0, 9);
    data += i == 0 ? "" : " ";
    if (bin.records() == 0) {
      data += '0';
    } else {
      data += fmt::format("{},{},{},{}", bin.changed, bin.added, bin.removed, bin.reused);
    }
  }
  const std::uint64_t slots = bins.back().first_slot + bins.back().slots;
  page.raw("<figure>\n");
  cells.draw(page, fmt::format("Where {} differs", name),
             fmt::format("{} changed, {} added, {} removed, {} re-used among {} slots",
                         grouped(difference.changed), grouped(difference.added),
                         grouped(difference.removed), grouped(difference.reused), grouped(slots)),
             slots, "changed added removed re-used", "no difference", data);
  page.raw("<ul class=\"legend\">");
  if (difference.changed != 0) swatch(page, "changed", "changed");
  if (difference.added != 0) swatch(page, "added", "added");
  if (difference.removed != 0) swatch(page, "removed", "removed");
  if (difference.reused != 0) swatch(page, "reused", "slot re-used by another record");
  swatch(page, "same", "equal");
  page.put("</ul>\n<figcaption>Slot 0 is at the top left; {}{}.</figcaption>\n", per_cell(width),
           width == 1 ? ""
                      : ", filled from below in proportion to the slots that differ, with a frame "
                        "where any differs");
  page.begin_folded_table(fmt::format("Differences of {}", name),
                          {"Slots", "#Changed", "#Added", "#Removed", "#Re-used"});
  const std::size_t step = (bins.size() + kMaxMapRows - 1) / kMaxMapRows;
  for (std::size_t i = 0; i < bins.size(); i += step) {
    ChangeBin bin = bins[i];
    for (std::size_t j = i + 1; j < std::min(i + step, bins.size()); ++j) {
      bin.slots += bins[j].slots;
      bin.changed += bins[j].changed;
      bin.added += bins[j].added;
      bin.removed += bins[j].removed;
      bin.reused += bins[j].reused;
    }
    page.row({range_text(bin.first_slot, bin.first_slot + bin.slots - 1), grouped(bin.changed),
              grouped(bin.added), grouped(bin.removed), grouped(bin.reused)});
  }
  page.end_folded_table();
  page.raw("</figure>\n");
}

}  // namespace hdb::inspect
