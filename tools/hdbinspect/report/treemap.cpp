// Treemaps: rectangles in rectangles, as square as can be, largest first.
#include <algorithm>

#include "report/pictures.hpp"

namespace hdb::inspect {
namespace {

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

// The worst ratio of sides in a row of areas laid along a side.
double worst_ratio(double least, double most, double sum, double side) {
  return std::max(side * side * most / (sum * sum), sum * sum / (side * side * least));
}

// Lays areas (falling, above 0) into `room`: rows along the shorter side, a row as long as its
// boxes get squarer.
// Source: Bruls, Huizing, van Wijk, "Squarified Treemaps" (2000).
std::vector<Box> squarified(const std::vector<double>& areas, Box room) {
  std::vector<Box> boxes;
  for (std::size_t begin = 0; begin < areas.size();) {
    const double side = std::min(room.width, room.height);
    double sum = areas[begin];
    std::size_t end = begin + 1;
    while (end < areas.size() && worst_ratio(areas[end], areas[begin], sum + areas[end], side) <=
                                     worst_ratio(areas[end - 1], areas[begin], sum, side)) {
      sum += areas[end++];
    }
    const bool upright = room.width >= room.height;  // the row is at the left
    const double depth = sum / side;
    double at = 0;
    for (; begin < end; ++begin) {
      const double length = areas[begin] / depth;
      boxes.push_back(upright ? Box{room.x, room.y + at, depth, length}
                              : Box{room.x + at, room.y, length, depth});
      at += length;
    }
    if (upright) {
      room.x += depth;
      room.width = std::max(room.width - depth, 1e-9);
    } else {
      room.y += depth;
      room.height = std::max(room.height - depth, 1e-9);
    }
  }
  return boxes;
}

std::vector<Box> layout(const std::vector<TreemapItem>& items, double width, double height) {
  double sum = 0;
  for (const TreemapItem& item : items) sum += item.weight;
  std::vector<double> areas;
  for (const TreemapItem& item : items)
    areas.push_back(std::max(item.weight, sum * 1e-6) / sum * width * height);
  return squarified(areas, {0, 0, width, height});
}

std::string place_of(const Box& box, double width, double height) {
  return fmt::format("left:{}%;top:{}%;width:{}%;height:{}%", share(box.x, width),
                     share(box.y, height), share(box.width, width), share(box.height, height));
}

}  // namespace

void draw_treemap(Html& page, const std::vector<TreemapItem>& items, std::string_view description) {
  constexpr double kWidth = 960;
  constexpr double kHeight = 440;
  page.put("<div class=\"treemap\" role=\"img\" tabindex=\"0\" aria-label=\"{}\">\n", description);
  const std::vector<Box> boxes = layout(items, kWidth, kHeight);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const TreemapItem& item = items[i];
    const Box& box = boxes[i];
    page.put("<div class=\"box t{}\" style=\"{}\" title=\"{}: {}\"><b>{} <span>{}</span></b>",
             i % 8, place_of(box, kWidth, kHeight), item.label, item.detail, item.label,
             item.detail);
    page.raw("<div>");
    if (!item.parts.empty()) {
      const std::vector<Box> inner = layout(item.parts, box.width, std::max(box.height - 22, 1.0));
      for (std::size_t j = 0; j < inner.size(); ++j) {
        const TreemapItem& part = item.parts[j];
        page.put(
            "<div class=\"cell t{}\" style=\"{}\" title=\"{} &gt; {}: {}\"><span>{}</span></div>",
            i % 8, place_of(inner[j], box.width, std::max(box.height - 22, 1.0)), item.label,
            part.label, part.detail, part.label);
      }
    }
    page.raw("</div></div>\n");
  }
  page.raw("</div>\n");
}

}  // namespace hdb::inspect
