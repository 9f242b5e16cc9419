// The elements of lists and maps with kept values: how the kept ones are found again after the
// program changed the container.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "database/kept/kept_rows.hpp"
#include "format/columns/column_walk.hpp"
#include "hdb/byte_io.hpp"

namespace hdb {

struct KeptRows::Node {
  const evolve::KeptNode* layout = nullptr;
  RowNode stored;  // file, and what is the same: in the columns of the file
  RowNode own;     // what is the same: in the program's columns
  RowNode row;     // file, and what is the same: in the columns of the rows
  std::uint32_t row_column = 0;
  Bytes zero;  // what is put from kept bytes: the value of a record without any
  std::vector<Node> children;

  [[nodiscard]] FieldKind kind() const noexcept { return layout->kind; }
};

/// What is repeated: the element of a list, the value of a map.
inline const KeptRows::Node& element_of(const KeptRows::Node& node) noexcept {
  return node.children.back();
}
/// By what it is found again: the element itself, the key.
inline const KeptRows::Node& identity_of(const KeptRows::Node& node) noexcept {
  return node.children.front();
}

/// What an element is found again by.
struct KeptIdentity {
  std::uint64_t hash = 0;
  std::uint64_t value_hash = 0;  // of a map: of the value, for equal keys

  friend bool operator==(const KeptIdentity&, const KeptIdentity&) = default;
};

/// Hashes of what the program reads as it is stored: of elements of lists and maps, in the columns
/// of a file or of the program. A list in an element has its part in the hash of that element, and
/// elements of its own; so each level of lists has a walk.
class KeptIdentities {
 public:
  /// `where`: Node::stored or Node::own. Requires: the columns outlive the object.
  KeptIdentities(std::span<const Bytes> columns, RowNode KeptRows::Node::*where)
      : columns_(columns), where_(where) {}

  /// The next element of a list or map.
  [[nodiscard]] KeptIdentity take(const KeptRows::Node& node);
  /// Around what is in the elements.
  void enter() noexcept { ++level_; }
  void leave() noexcept { --level_; }

 private:
  [[nodiscard]] std::uint64_t hash(const KeptRows::Node& node);
  void append(const KeptRows::Node& node, Bytes& text);

  std::span<const Bytes> columns_;
  RowNode KeptRows::Node::*where_;
  std::vector<format::ColumnWalk> walks_;
  std::size_t level_ = 0;
  Bytes text_;
};

/// The kept bytes of a value; null: there are none, and the value is zero.
struct KeptPiece {
  const std::byte* at = nullptr;
  const std::byte* end = nullptr;

  [[nodiscard]] explicit operator bool() const noexcept { return at != nullptr; }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    at = load_varint(at, end, value);
    return value;
  }
  std::uint64_t u64() {
    const auto value = load_le<std::uint64_t>(at);
    at += sizeof value;
    return value;
  }
  /// What take_sized wrote.
  KeptPiece sized() {
    const std::uint64_t size = varint();
    if (size == 0) return {};
    const KeptPiece piece{at, at + (size - 1)};
    at = piece.end;
    return piece;
  }
};

/// A kept element of a container.
struct KeptElement {
  KeptIdentity identity;
  KeptPiece piece;
  bool is_taken = false;
};

/// The kept element of each element of the program: the same one, first what both ends have in
/// common, then in the order of the list; in a map then one of the same key. In a list of the same
/// length also the one in the same place, if neither has a partner: there the program changed an
/// element.
[[nodiscard]] std::vector<KeptPiece> find_partners(const std::vector<KeptIdentity>& own,
                                                   std::vector<KeptElement>& kept, bool is_map);

}  // namespace hdb
