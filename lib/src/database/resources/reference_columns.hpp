// The rings of a graph of numbered nodes, and what hangs from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hdb {

class StrongParts {
 public:
  struct Place {
    std::uint32_t ring = 0;  ///< From 1, in the order of their lowest nodes; 0: not part of a ring.
    bool is_kept = false;    ///< Part of a ring, or reachable from one.
  };
  explicit StrongParts(std::size_t nodes) : edges_(nodes) {}
  void add_edge(std::uint32_t from, std::uint32_t to) { edges_[from].push_back(to); }
  /// Complexity: linear in nodes and edges. Needs no deep stack.
  [[nodiscard]] std::vector<Place> find() const;

 private:
  std::vector<std::vector<std::uint32_t>> edges_;
};

}  // namespace hdb
