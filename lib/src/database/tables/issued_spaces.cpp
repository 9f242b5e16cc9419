// A search tree whose changes copy one path.
#include "database/tables/issued_spaces.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace hdb::detail {

IssuedSpaces::IssuedSpaces(std::vector<Entry> rising) : root_(tree_of(rising)) {}

const Issued* IssuedSpaces::find(const HandleSpace& space) const noexcept {
  const Node* node = root_.get();
  while (node != nullptr) {
    if (space < node->content->space) {
      node = node->left.get();
    } else if (node->content->space < space) {
      node = node->right.get();
    } else {
      return &node->content->issued;
    }
  }
  return nullptr;
}

IssuedSpaces IssuedSpaces::with(Entry entry) const {
  IssuedSpaces changed;
  changed.root_ = with(root_, std::make_shared<const Entry>(std::move(entry)));
  return changed;
}

IssuedSpaces::Link IssuedSpaces::with(const Link& link, const Content& content) {
  if (link == nullptr) return make(content, nullptr, nullptr);
  const Node& node = *link;
  if (content->space < node.content->space)
    return balanced(node.content, with(node.left, content), node.right);
  if (node.content->space < content->space)
    return balanced(node.content, node.left, with(node.right, content));
  return make(content, node.left, node.right);
}

IssuedSpaces::Link IssuedSpaces::make(Content content, Link left, Link right) {
  const int above = std::max(height(left), height(right)) + 1;
  return std::make_shared<const Node>(
      Node{std::move(content), std::move(left), std::move(right), above});
}

// IS1 where one of the subtrees became higher by 1: rotations as in every AVL tree.
IssuedSpaces::Link IssuedSpaces::balanced(Content content, Link left, Link right) {
  if (height(left) > height(right) + 1) {
    const Node& top = *left;
    if (height(top.left) >= height(top.right))
      return make(top.content, top.left, make(std::move(content), top.right, std::move(right)));
    const Node& middle = *top.right;
    return make(middle.content, make(top.content, top.left, middle.left),
                make(std::move(content), middle.right, std::move(right)));
  }
  if (height(right) > height(left) + 1) {
    const Node& top = *right;
    if (height(top.right) >= height(top.left))
      return make(top.content, make(std::move(content), std::move(left), top.left), top.right);
    const Node& middle = *top.left;
    return make(middle.content, make(std::move(content), std::move(left), middle.left),
                make(top.content, middle.right, top.right));
  }
  return make(std::move(content), std::move(left), std::move(right));
}

IssuedSpaces::Link IssuedSpaces::tree_of(std::span<Entry> rising) {
  if (rising.empty()) return nullptr;
  const std::size_t middle = rising.size() / 2;
  Link left = tree_of(rising.first(middle));
  Link right = tree_of(rising.subspan(middle + 1));
  return make(std::make_shared<const Entry>(std::move(rising[middle])), std::move(left),
              std::move(right));
}

bool IssuedSpaces::check() const noexcept {
  const auto is_sound = [](const auto& self, const Link& link) -> bool {
    if (link == nullptr) return true;
    const int left = height(link->left);
    const int right = height(link->right);
    return std::abs(left - right) <= 1 && link->height == std::max(left, right) + 1 &&
           self(self, link->left) && self(self, link->right);
  };
  bool is_rising = true;
  const HandleSpace* last = nullptr;
  for_each([&](const Entry& entry) {
    if (last != nullptr && !(*last < entry.space)) is_rising = false;
    last = &entry.space;
  });
  return is_rising && is_sound(is_sound, root_);
}

}  // namespace hdb::detail
