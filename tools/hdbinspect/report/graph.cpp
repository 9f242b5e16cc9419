// The graph of references: tables as boxes in layers, a row a handle field, an arrow from the row
// to the table it names.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "hdb/inspect/text.hpp"
#include "report/pictures.hpp"

namespace hdb::inspect {
namespace {

constexpr int kBoxWidth = 236;
constexpr int kHeadHeight = 30;
constexpr int kRowHeight = 22;
constexpr int kColumnGap = 84;
constexpr int kBoxGap = 26;
constexpr int kMargin = 52;  // room for loops at the right

// "12.4k" for the narrow place in a box.
std::string short_count(std::uint64_t count) {
  if (count < 10'000) return grouped(count);
  const auto number = static_cast<double>(count);
  if (number < 999'500) return fmt::format("{:.3g}k", number / 1e3);
  return number < 999.5e6 ? fmt::format("{:.3g}M", number / 1e6)
                          : fmt::format("{:.3g}G", number / 1e9);
}

class GraphLayout {
 public:
  explicit GraphLayout(const std::vector<GraphNode>& nodes)
      : nodes_(nodes), layer_(nodes.size(), 0), x_(nodes.size()), y_(nodes.size()) {
    assign_layers();
    order_layers();
    place();
  }

  [[nodiscard]] std::size_t layer(std::size_t node) const { return layer_[node]; }
  [[nodiscard]] int x(std::size_t node) const { return x_[node]; }
  [[nodiscard]] int y(std::size_t node) const { return y_[node]; }
  [[nodiscard]] int height_of(std::size_t node) const {
    return kHeadHeight + kRowHeight * static_cast<int>(nodes_[node].fields.size());
  }
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }

 private:
  template <class Visit>
  void for_each_target(std::size_t node, const Visit& visit) const {
    for (const GraphField& field : nodes_[node].fields) {
      for (const GraphField::Target& target : field.targets) {
        if (target.node != node) visit(target.node);
      }
    }
  }

  // A table is to the right of all tables that refer to it, except for references that close a
  // circle.
  void assign_layers() {
    enum class Mark : std::uint8_t { fresh, open, done };
    std::vector<Mark> marks(nodes_.size(), Mark::fresh);
    std::vector<std::size_t> finished;
    std::vector<std::vector<std::size_t>> forward(nodes_.size());
    const auto visit = [&](const auto& self, std::size_t node) -> void {
      marks[node] = Mark::open;
      for_each_target(node, [&](std::size_t target) {
        if (marks[target] == Mark::open) return;  // closes a circle
        forward[node].push_back(target);
        if (marks[target] == Mark::fresh) self(self, target);
      });
      marks[node] = Mark::done;
      finished.push_back(node);
    };
    // Those that nothing refers to first: they belong to the left.
    std::vector<std::size_t> incoming(nodes_.size(), 0);
    for (std::size_t node = 0; node < nodes_.size(); ++node)
      for_each_target(node, [&](std::size_t target) { ++incoming[target]; });
    std::vector<std::size_t> order(nodes_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return incoming[a] < incoming[b]; });
    for (const std::size_t node : order) {
      if (marks[node] == Mark::fresh) visit(visit, node);
    }
    for (auto node = finished.rbegin(); node != finished.rend(); ++node) {
      for (const std::size_t target : forward[*node])
        layer_[target] = std::max(layer_[target], layer_[*node] + 1);
    }
  }

  // Boxes of a layer near the boxes that they are joined with, so that few arrows cross.
  void order_layers() {
    const std::size_t layers =
        nodes_.empty() ? 0 : *std::max_element(layer_.begin(), layer_.end()) + 1;
    columns_.resize(layers);
    for (std::size_t node = 0; node < nodes_.size(); ++node) columns_[layer_[node]].push_back(node);
    std::vector<std::vector<std::size_t>> joined(nodes_.size());
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      for_each_target(node, [&](std::size_t target) {
        joined[node].push_back(target);
        joined[target].push_back(node);
      });
    }
    std::vector<double> rank(nodes_.size(), 0);
    const auto number = [&] {
      for (const auto& column : columns_) {
        for (std::size_t i = 0; i < column.size(); ++i)
          rank[column[i]] = (static_cast<double>(i) + 0.5) / static_cast<double>(column.size());
      }
    };
    number();
    for (int sweep = 0; sweep < 6; ++sweep) {
      for (auto& column : columns_) {
        std::vector<std::pair<double, std::size_t>> keyed;
        for (const std::size_t node : column) {
          double sum = 0;
          for (const std::size_t other : joined[node]) sum += rank[other];
          const auto count = static_cast<double>(joined[node].size());
          keyed.emplace_back(count > 0 ? sum / count : rank[node], node);
        }
        std::stable_sort(keyed.begin(), keyed.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        for (std::size_t i = 0; i < keyed.size(); ++i) column[i] = keyed[i].second;
        number();
      }
    }
  }

  void place() {
    std::vector<int> heights;
    for (const auto& column : columns_) {
      int height = -kBoxGap;
      for (const std::size_t node : column) height += height_of(node) + kBoxGap;
      heights.push_back(height);
      height_ = std::max(height_, height);
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      int y = (height_ - heights[i]) / 2;
      for (const std::size_t node : columns_[i]) {
        x_[node] = 2 + static_cast<int>(i) * (kBoxWidth + kColumnGap);
        y_[node] = y + 2;
        y += height_of(node) + kBoxGap;
      }
    }
    height_ += 4;
    width_ = static_cast<int>(columns_.size()) * (kBoxWidth + kColumnGap) - kColumnGap + kMargin;
  }

  const std::vector<GraphNode>& nodes_;
  std::vector<std::size_t> layer_;
  std::vector<int> x_;
  std::vector<int> y_;
  std::vector<std::vector<std::size_t>> columns_;
  int width_ = 0;
  int height_ = 0;
};

void draw_arrow(Html& page, const GraphLayout& layout, std::size_t from, std::size_t row,
                std::size_t to, std::uint64_t count, bool stale, bool strong) {
  const std::size_t a = layout.layer(from);
  const std::size_t b = layout.layer(to);
  const int shift = stale ? 4 : 0;
  const int y1 =
      layout.y(from) + kHeadHeight + kRowHeight * static_cast<int>(row) + kRowHeight / 2 + shift;
  const int y2 = layout.y(to) + kHeadHeight / 2 + shift * 2;
  const bool from_left = b < a;  // against the order of layers
  const bool to_right = b <= a;  // arrives at the right side
  const int x1 = layout.x(from) + (from_left ? 0 : kBoxWidth);
  const int x2 = layout.x(to) + (to_right ? kBoxWidth : 0);
  const int tip = to_right ? 7 : -7;
  const int reach = a == b ? 44 : std::max(44, std::abs(x2 - x1) / 2);
  const int c1 = x1 + (from_left ? -reach : reach);
  const int c2 = x2 + (to_right ? reach : -reach);
  const double width = 1.25 + 0.5 * std::log10(1 + static_cast<double>(count));
  page.put(
      "<path class=\"edge{}{}\" style=\"stroke-width:{:.2f}\" d=\"M{} {}C{} {} {} {} {} "
      "{}\"/><path class=\"tip{}\" d=\"M{} {}l{} -5v10z\"/>\n",
      stale ? " stale" : "", strong ? "" : " weak", width, x1, y1, c1, y1, c2, y2, x2 + tip, y2,
      stale ? " stale" : "", x2, y2, tip);
}

void draw_box(Html& page, const GraphNode& node, int x, int y, int height) {
  page.put(
      "<g><title>{}: {} records</title><rect class=\"node\" x=\"{}\" y=\"{}\" width=\"{}\" "
      "height=\"{}\" rx=\"7\"/>",
      node.full_name, grouped(node.live), x, y, kBoxWidth, height);
  page.put("<path class=\"head\" d=\"M{} {}v-16q0 -6 6 -6h{}q6 0 6 6v{}z\"/>", x + 1,
           y + kHeadHeight - 7, kBoxWidth - 14, 16);
  page.put(
      "<text class=\"name\" x=\"{}\" y=\"{}\">{}</text><text class=\"small\" x=\"{}\" y=\"{}\" "
      "text-anchor=\"end\">{}</text>\n",
      x + 10, y + 20, node.name, x + kBoxWidth - 10, y + 20, short_count(node.live));
  for (std::size_t i = 0; i < node.fields.size(); ++i) {
    const GraphField& field = node.fields[i];
    const int line = y + kHeadHeight + kRowHeight * static_cast<int>(i) + 15;
    page.put("<text x=\"{}\" y=\"{}\">{}</text>", x + 10, line, field.path);
    page.put("<text class=\"small\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}", x + kBoxWidth - 10,
             line, short_count(field.live));
    if (field.stale != 0)
      page.put(" <tspan style=\"fill:var(--bad)\">+ {} stale</tspan>", short_count(field.stale));
    page.raw("</text>\n");
  }
  page.raw("</g>\n");
}

}  // namespace

std::string short_shown(std::string_view shown, std::size_t width) {
  std::string out;
  std::size_t used = 0;
  for (std::size_t at = 0; at < shown.size();) {
    const std::size_t begin = at;
    std::uint32_t code = 0;
    static_cast<void>(take_code_point(shown, at, code));
    used += code >= 0x1100 ? 2 : 1;  // ideographs are twice as wide
    if (used > width || (used == width && at < shown.size()))
      return html_of_shown(out) + "\xe2\x80\xa6";
    out += shown.substr(begin, at - begin);
  }
  return html_of_shown(out);
}

std::string short_label(std::string_view text, std::size_t width) {
  return short_shown(escape_text(text), width);
}

std::string bdi_label(std::string_view text, std::size_t width) {
  return "<bdi>" + short_label(text, width) + "</bdi>";
}

void draw_graph(Html& page, const std::vector<GraphNode>& nodes, std::string_view description) {
  const GraphLayout layout(nodes);
  std::string children;
  const std::string attributes =
      picture_attributes(page, "References between tables", description, children);
  page.put(
      "<figure>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"References, "
      "scrollable\">\n<svg class=\"graph\" {} viewBox=\"0 0 {} {}\" "
      "style=\"min-width:{}px;max-width:{}px\">\n{}",
      attributes, layout.width(), layout.height(), layout.width() * 4 / 5, layout.width(),
      children);
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    for (std::size_t row = 0; row < nodes[node].fields.size(); ++row) {
      const GraphField& field = nodes[node].fields[row];
      for (const GraphField::Target& target : field.targets) {
        if (target.live != 0 || target.stale == 0)
          draw_arrow(page, layout, node, row, target.node, target.live, false, field.strong);
        if (target.stale != 0)
          draw_arrow(page, layout, node, row, target.node, target.stale, true, field.strong);
      }
    }
  }
  for (std::size_t node = 0; node < nodes.size(); ++node)
    draw_box(page, nodes[node], layout.x(node), layout.y(node), layout.height_of(node));
  page.raw(
      "</svg>\n</div>\n<figcaption>Each box is a table with its number of records; each row is a "
      "handle field with the number of its handles that name a live record. Solid lines: strong "
      "(owning); dashed: weak; red: stale.</figcaption>\n</figure>\n");
}

}  // namespace hdb::inspect
