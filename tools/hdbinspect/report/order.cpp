// Orders: a band from the lowest to the highest number of each bin, and the line of their means.
#include <algorithm>

#include "report/pictures.hpp"

namespace hdb::inspect {
namespace {

constexpr std::size_t kMaxOrderRows = 32;
constexpr double kOrderHeight = 100;

// How an order moves, in words: explains why a lookup misses the cache.
std::string movement_of(const OrderProfile& order) {
  if (order.entries < 2) return "one entry";
  const std::uint64_t steps = order.entries - 1;
  const double near = static_cast<double>(order.near_steps) / static_cast<double>(steps);
  const char* const sense = order.runs == 1 ? "one run of neighbours"
                            : near > 0.9    ? "moves in small steps"
                            : near < 0.3    ? "jumps about"
                                            : "small steps and jumps";
  return fmt::format(
      "{}: {} {}, the longest of {}; {} of the steps are of at most {}; {} on average", sense,
      grouped(order.runs), order.runs == 1 ? "run" : "runs", grouped(order.longest_run),
      percent_text(order.near_steps, steps), OrderProfile::kNearStep,
      order.mean_step < 100 ? fmt::format("{:.1f}", order.mean_step)
                            : grouped(static_cast<std::uint64_t>(order.mean_step)));
}

double y_of(double number, double numbers) {
  return std::max(0.0, kOrderHeight - (number + 0.5) * kOrderHeight / numbers);
}

void draw_band(Html& page, const OrderProfile& order, double numbers) {
  std::string band;
  std::string line;
  const auto entries = static_cast<double>(order.entries);
  const double unit = 1000 / entries;  // width of an entry
  for (const OrderBin& bin : order.bins) {
    const double x = static_cast<double>(bin.first) * unit;
    const double width = static_cast<double>(bin.entries) * unit;
    const double high = y_of(static_cast<double>(bin.highest), numbers);
    const double low = y_of(static_cast<double>(bin.lowest), numbers);
    band += fmt::format("M{:.5g} {:.4g}h{:.4g}v{:.4g}h{:.4g}z", x, std::max(0.0, high - 1), width,
                        std::min(kOrderHeight, low + 1) - std::max(0.0, high - 1), -width);
    line += fmt::format("{}{:.5g} {:.4g}", line.empty() ? "M" : "L", x + width / 2,
                        y_of(bin.mean, numbers));
  }
  page.put("<path class=\"band\" d=\"{}\"/>\n", band);
  if (order.bins.size() > 1) page.put("<path class=\"line\" d=\"{}\"/>\n", line);
}

void draw_order_data(Html& page, const OrderProfile& order, const OrderWords& words,
                     std::string_view name) {
  page.begin_folded_table(fmt::format("{} of {}", words.title, name),
                          {words.entries, fmt::format("#Lowest {}", words.numbers),
                           fmt::format("#Highest {}", words.numbers), "#Mean"});
  const std::size_t step = (order.bins.size() + kMaxOrderRows - 1) / kMaxOrderRows;
  for (std::size_t i = 0; i < order.bins.size(); i += step) {
    OrderBin sum = order.bins[i];
    double total = sum.mean * static_cast<double>(sum.entries);
    for (std::size_t j = i + 1; j < std::min(i + step, order.bins.size()); ++j) {
      const OrderBin& bin = order.bins[j];
      sum.lowest = std::min(sum.lowest, bin.lowest);
      sum.highest = std::max(sum.highest, bin.highest);
      sum.entries += bin.entries;
      total += bin.mean * static_cast<double>(bin.entries);
    }
    page.row({range_text(sum.first, sum.first + sum.entries - 1), grouped(sum.lowest),
              grouped(sum.highest),
              fmt::format("{:.1f}", total / static_cast<double>(sum.entries))});
  }
  page.end_folded_table();
}

}  // namespace

void draw_order(Html& page, const OrderProfile& order, std::uint64_t numbers,
                const OrderWords& words, std::string_view name) {
  const std::string movement = movement_of(order);
  std::string children;
  const std::string attributes =
      picture_attributes(page, fmt::format("{} of {}", words.title, name),
                         fmt::format("{} entries: {}", grouped(order.entries), movement), children);
  page.put(
      "<figure>\n<div class=\"axis\"><span>{0} {1}</span></div>\n"
      "<svg class=\"order\" {2} viewBox=\"0 0 1000 100\" preserveAspectRatio=\"none\">\n{3}",
      words.numbers, numbers == 0 ? "0" : grouped(numbers - 1), attributes, children);
  draw_band(page, order, static_cast<double>(std::max<std::uint64_t>(numbers, 1)));
  page.put(
      "</svg>\n<div class=\"axis\"><span>{} 0, {}</span><span>{}</span></div>\n"
      "<figcaption>{} entries: {}.</figcaption>\n",
      words.numbers, words.first, words.last, grouped(order.entries), movement);
  draw_order_data(page, order, words, name);
  page.raw("</figure>\n");
}

}  // namespace hdb::inspect
