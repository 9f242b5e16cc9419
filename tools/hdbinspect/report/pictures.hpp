// The pictures of a page: slot maps, orders, treemaps, graphs of references.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hdb/inspect/overview.hpp"
#include "report/html.hpp"

namespace hdb::inspect {

/// The colour class, 0 to 7, of a generation: that of its bin.
[[nodiscard]] unsigned generation_color(const std::vector<GenerationBin>& bins,
                                        double generation) noexcept;

/// A slot map with legend and table. `name` is markup, as everywhere here.
void draw_slot_map(Html& page, const TableOverview& table, std::string_view name,
                   std::uint64_t slot_count);
/// Where in the slots of a table two files differ.
void draw_change_map(Html& page, const TableChangeMap& table, std::string_view name);

/// What an order picture says at its edges.
struct OrderWords {
  std::string_view title;    ///< "Free list"
  std::string_view entries;  ///< "Place in the list"
  std::string_view numbers;  ///< "slot"
  std::string_view first;    ///< "used first"
  std::string_view last;     ///< "used last"
};
/// An order as a band from the lowest to the highest number of each bin.
void draw_order(Html& page, const OrderProfile& order, std::uint64_t numbers,
                const OrderWords& words, std::string_view name);

/// A part of a treemap: the area is the weight.
struct TreemapItem {
  std::string label;   ///< Markup.
  std::string detail;  ///< Markup: "1.4 MiB, 12 %".
  double weight = 0;
  std::vector<TreemapItem> parts = {};
};
void draw_treemap(Html& page, const std::vector<TreemapItem>& items, std::string_view description);

/// A table in the graph of references.
struct GraphField {
  std::string path;  ///< Markup.
  bool strong = false;
  std::uint64_t live = 0;
  std::uint64_t stale = 0;
  std::uint64_t null = 0;
  struct Target {
    std::size_t node = 0;
    std::uint64_t live = 0;
    std::uint64_t stale = 0;
  };
  std::vector<Target> targets = {};
};
struct GraphNode {
  std::string name;        ///< Markup; shortened by `short_label`.
  std::string full_name;   ///< Markup.
  std::uint64_t live = 0;  ///< Records.
  std::vector<GraphField> fields = {};
};
void draw_graph(Html& page, const std::vector<GraphNode>& nodes, std::string_view description);

/// Text from a file for where there is little room, or where there are many of them: at most
/// `width` characters, markup. Pages are of bounded size because every text that a file can make
/// long, or that escapes can, goes through it.
[[nodiscard]] std::string short_label(std::string_view text, std::size_t width);
/// The same for text that is safe to show already.
[[nodiscard]] std::string short_shown(std::string_view shown, std::size_t width);

/// short_label in an element that keeps its text direction apart from the text beside it.
[[nodiscard]] std::string bdi_label(std::string_view text, std::size_t width);

/// For captions, and for rows of tables.
inline constexpr std::size_t kCaptionWidth = 80;
inline constexpr std::size_t kRowWidth = 256;

}  // namespace hdb::inspect
