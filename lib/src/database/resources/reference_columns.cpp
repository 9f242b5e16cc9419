// Strongly connected components in one walk (R. Tarjan, 1972), with a stack of its own.
#include "database/resources/reference_columns.hpp"

#include <algorithm>

namespace hdb {

std::vector<ReferenceColumns::Place> ReferenceColumns::find() const {
  constexpr std::uint32_t kNone = 0xffff'ffff;
  struct Visit {
    std::uint32_t node;
    std::size_t next_edge;
  };
  const auto count = static_cast<std::uint32_t>(edges_.size());
  std::vector<Place> places(count);
  std::vector<std::uint32_t> order(count, kNone);  // of discovery
  std::vector<std::uint32_t> lowest(count);        // the earliest node on the stack it leads to
  std::vector<bool> is_open(count);                // on the stack
  std::vector<std::uint32_t> stack;
  std::vector<Visit> path;
  std::vector<std::uint32_t> component(count, kNone);
  std::vector<bool> is_ring;  // by component
  std::uint32_t discovered = 0;
  const auto discover = [&](std::uint32_t node) {
    order[node] = lowest[node] = discovered++;
    is_open[node] = true;
    stack.push_back(node);
    path.push_back({node, 0});
  };
  const auto close = [&](std::uint32_t root) {
    const auto first = std::find(stack.rbegin(), stack.rend(), root).base() - 1;
    const bool loops =
        stack.end() - first > 1 ||
        std::find(edges_[root].begin(), edges_[root].end(), root) != edges_[root].end();
    for (auto at = first; at != stack.end(); ++at) {
      component[*at] = static_cast<std::uint32_t>(is_ring.size());
      is_open[*at] = false;
    }
    is_ring.push_back(loops);
    stack.erase(first, stack.end());
  };
  for (std::uint32_t start = 0; start < count; ++start) {
    if (order[start] == kNone) discover(start);
    while (!path.empty()) {
      const std::uint32_t node = path.back().node;
      if (path.back().next_edge < edges_[node].size()) {
        const std::uint32_t to = edges_[node][path.back().next_edge++];
        if (order[to] == kNone) {
          discover(to);
        } else if (is_open[to]) {
          lowest[node] = std::min(lowest[node], order[to]);
        }
        continue;
      }
      path.pop_back();
      if (lowest[node] == order[node]) close(node);
      if (!path.empty())
        lowest[path.back().node] = std::min(lowest[path.back().node], lowest[node]);
    }
  }

  std::vector<std::uint32_t> number(is_ring.size());
  std::uint32_t cycles = 0;
  for (std::uint32_t node = 0; node < count; ++node) {
    const std::uint32_t of = component[node];
    if (!is_ring[of]) continue;
    if (number[of] == 0) number[of] = ++cycles;
    places[node] = {number[of], true};
    stack.push_back(node);
  }
  while (!stack.empty()) {
    const std::uint32_t node = stack.back();
    stack.pop_back();
    for (const std::uint32_t to : edges_[node]) {
      if (places[to].is_kept) continue;
      places[to].is_kept = true;
      stack.push_back(to);
    }
  }
  return places;
}

}  // namespace hdb
