// The cycles of a graph of numbered nodes, and what hangs from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hdb {

class ReferenceColumns {
 public:
  struct Place {
    std::uint32_t cycle =
        0;                 ///< From 1, in the order of their lowest nodes; 0: not part of a cycle.
    bool is_kept = false;  ///< Part of a cycle, or reachable from one.
  };
  explicit ReferenceColumns(std::size_t nodes) : edges_(nodes) {}
  void add_edge(std::uint32_t from, std::uint32_t to) { edges_[from].push_back(to); }
  /// Complexity: linear in nodes and edges. Needs no deep stack.
  [[nodiscard]] std::vector<Place> find() const;

 private:
  std::vector<std::vector<std::uint32_t>> edges_;
};

}  // namespace hdb
