// IssuedSpaces: what was issued, by space of handles.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/slots/issued.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb::detail {

/// An immutable map from spaces to what was issued of them. A changed map shares all but a path of
/// nodes with the map that it was made from, so a capture of any number of spaces costs nothing.
/// Copies may be read and destroyed on any thread.
//
//   IS1 A search tree in the order of the spaces: the heights of the two subtrees of a node differ
//       by at most 1.
class IssuedSpaces {
 public:
  struct Entry {
    HandleSpace space;
    Issued issued;
  };

  IssuedSpaces() noexcept = default;
  /// Requires: entries in rising order of spaces. Complexity: linear.
  explicit IssuedSpaces(std::vector<Entry> rising);

  [[nodiscard]] bool empty() const noexcept { return root_ == nullptr; }
  /// What was issued of a space; null: nothing. Complexity: logarithmic.
  [[nodiscard]] const Issued* find(const HandleSpace& space) const noexcept;
  /// The map with this entry, in place of an earlier one of its space. Complexity: logarithmic.
  [[nodiscard]] IssuedSpaces with(Entry entry) const;
  /// Calls `visit(entry)` in rising order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    visit_all(root_, visit);
  }
  /// IS1 holds. Complexity: linear.
  [[nodiscard]] bool check() const noexcept;

 private:
  struct Node;
  using Link = std::shared_ptr<const Node>;
  using Content = std::shared_ptr<const Entry>;
  struct Node {
    Content content;
    Link left;
    Link right;
    int height;
  };

  [[nodiscard]] static int height(const Link& link) noexcept {
    return link == nullptr ? 0 : link->height;
  }
  [[nodiscard]] static Link make(Content content, Link left, Link right);
  [[nodiscard]] static Link balanced(Content content, Link left, Link right);
  [[nodiscard]] static Link with(const Link& link, const Content& content);
  [[nodiscard]] static Link tree_of(std::span<Entry> rising);
  template <class Visit>
  static void visit_all(const Link& link, const Visit& visit) {
    if (link == nullptr) return;
    visit_all(link->left, visit);
    visit(*link->content);
    visit_all(link->right, visit);
  }

  Link root_;
};

}  // namespace hdb::detail
