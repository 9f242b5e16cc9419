// Hashes of elements, and the pairs of elements that have the same.
#include "database/kept/kept_elements.hpp"

#include <algorithm>
#include <unordered_map>

#include "hdb/hash.hpp"

namespace hdb {

using evolve::KeptNode;
using format::ColumnWalk;
using From = KeptNode::From;
using Node = KeptRows::Node;

KeptIdentity KeptIdentities::take(const Node& node) {
  if (level_ == walks_.size()) walks_.emplace_back(columns_);
  KeptIdentity identity{hash(identity_of(node))};
  if (node.kind() == FieldKind::map) identity.value_hash = hash(element_of(node));
  return identity;
}

std::uint64_t KeptIdentities::hash(const Node& node) {
  text_.clear();
  append(node, text_);
  return hash64(text_);
}

void KeptIdentities::append(const Node& node, Bytes& text) {
  ColumnWalk& columns = walks_[level_];
  const KeptNode& layout = *node.layout;
  if (layout.is_same) return columns.append(node.*where_, text);
  if (layout.from != From::both) return;
  const bool is_stored = where_ == &Node::stored;
  const std::uint32_t column = is_stored ? layout.stored_column : layout.own_column;
  switch (node.kind()) {
    case FieldKind::array: {
      const std::uint64_t both = std::min(layout.stored_count, layout.own_count);
      for (std::uint64_t i = 0; i < (is_stored ? layout.stored_count : layout.own_count); ++i) {
        Bytes unused;
        append(element_of(node), i < both ? text : unused);
      }
      return;
    }
    case FieldKind::optional: {
      const bool present = columns.take_bit(column);
      text.push_back(std::byte{present});
      if (present) append(element_of(node), text);
      return;
    }
    case FieldKind::variant: {
      const std::uint8_t tag = columns.take_tag(column);
      text.push_back(std::byte{tag});
      if (tag < node.children.size()) append(node.children[tag], text);
      return;
    }
    case FieldKind::list:
    case FieldKind::map: {
      std::uint64_t left = columns.take_length(column);
      ByteWriter(text).varint(left);
      for (; left != 0; --left) {
        for (const Node& child : node.children) append(child, text);
      }
      return;
    }
    default:
      for (const Node& child : node.children) append(child, text);
  }
}

std::vector<KeptPiece> find_partners(const std::vector<KeptIdentity>& own,
                                     std::vector<KeptElement>& kept, bool is_map) {
  std::vector<KeptPiece> partners(own.size());
  std::vector<bool> has_one(own.size());
  const auto pair = [&](std::size_t i, std::size_t k) {
    partners[i] = kept[k].piece;
    has_one[i] = true;
    kept[k].is_taken = true;
  };
  const std::size_t both = std::min(own.size(), kept.size());
  std::size_t begin = 0;
  for (; begin < both && own[begin] == kept[begin].identity; ++begin) pair(begin, begin);
  std::size_t end = own.size();
  std::size_t kept_end = kept.size();
  for (; end > begin && kept_end > begin && own[end - 1] == kept[kept_end - 1].identity;)
    pair(--end, --kept_end);
  if (end == begin || kept_end == begin) return partners;
  const auto pair_by = [&](const auto& hash_of) {
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> left;  // the first one last
    for (std::size_t k = kept_end; k-- > begin;) {
      if (!kept[k].is_taken) left[hash_of(kept[k].identity)].push_back(k);
    }
    for (std::size_t i = begin; i < end; ++i) {
      if (has_one[i]) continue;
      const auto same = left.find(hash_of(own[i]));
      if (same == left.end() || same->second.empty()) continue;
      pair(i, same->second.back());
      same->second.pop_back();
    }
  };
  pair_by([](const KeptIdentity& each) { return each.hash ^ 3 * each.value_hash; });
  if (is_map) pair_by([](const KeptIdentity& key) { return key.hash; });
  if (is_map || own.size() != kept.size()) return partners;
  for (std::size_t i = begin; i < end; ++i) {
    if (!has_one[i] && !kept[i].is_taken) pair(i, i);
  }
  return partners;
}

}  // namespace hdb
