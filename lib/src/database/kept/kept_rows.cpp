// Kept values out of the columns of a file, and into the columns of rows.
#include "database/kept/kept_rows.hpp"

#include <algorithm>
#include <atomic>
#include <unordered_map>
#include <utility>

#include "format/columns/column_walk.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/hash.hpp"

namespace hdb {

using evolve::KeptNode;
using format::ColumnFill;
using format::ColumnWalk;
using From = KeptNode::From;

std::uint64_t new_kept_id() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

struct KeptRows::Node {
  const KeptNode* layout = nullptr;
  RowNode stored;  // file, and what is the same: in the columns of the file
  RowNode own;     // what is the same: in the program's columns
  RowNode row;     // file, and what is the same: in the columns of the rows
  std::uint32_t row_column = 0;
  Bytes zero;  // what is put from kept bytes: the value of a record without any
  std::vector<Node> children;

  [[nodiscard]] FieldKind kind() const noexcept { return layout->kind; }
};

namespace {

using Node = KeptRows::Node;

void append_zero(const Field& field, Bytes& row) {
  switch (field.kind) {
    case FieldKind::structure:
      for (const Field& child : field.children) append_zero(child, row);
      return;
    case FieldKind::array:
      for (std::uint64_t i = 0; i < field.count; ++i) append_zero(field.children[0], row);
      return;
    case FieldKind::variant:
      row.push_back({});
      append_zero(field.children[0], row);
      return;
    default:  // a number, a length or a flag
      row.resize(row.size() + std::max(fixed_width(field), 1u));
  }
}

// `column`: the next one of the rows.
Node make_node(const KeptNode& layout, std::uint32_t& column) {
  Node node;
  node.layout = &layout;
  node.row_column = column;
  if (layout.from == From::file || layout.is_same) {
    std::uint32_t stored = layout.stored_column;
    std::uint32_t own = layout.own_column;
    node.stored = make_row_node(layout.field, stored);
    if (layout.is_same) node.own = make_row_node(layout.field, own);
    node.row = make_row_node(layout.field, column);
    if (layout.from == From::file) append_zero(layout.field, node.zero);
    return node;
  }
  if (layout.from == From::program) {
    column += layout.own_columns;
    return node;
  }
  if (layout.from == From::whole) {
    std::uint32_t stored = layout.stored_column;
    std::uint32_t own = layout.own_column;
    node.stored = make_row_node(layout.field, stored);
    node.own = make_row_node(layout.own_field, own);
    node.row = make_row_node(layout.merged, column);
    return node;
  }
  if (layout.kind != FieldKind::structure && layout.kind != FieldKind::array) ++column;
  node.children.reserve(layout.children.size());
  for (const KeptNode& child : layout.children) node.children.push_back(make_node(child, column));
  if (layout.keeps_tail) append_zero(layout.children[0].field, node.children[0].zero);
  return node;
}

bool is_own(const Node& node) noexcept { return node.layout->from == From::program; }

// Adds what the program reads unchanged of a value, directly or in structures.
void append_same(const Node& node, ColumnWalk& columns, RowNode Node::*where, Bytes& text) {
  if (node.layout->is_same) {
    columns.append(node.*where, text);
  } else if (node.kind() == FieldKind::structure) {
    for (const Node& child : node.children) append_same(child, columns, where, text);
  }
}

std::uint64_t hash_same(const Node& node, ColumnWalk& columns, RowNode Node::*where,
                        Bytes& buffer) {
  buffer.clear();
  append_same(node, columns, where, buffer);
  return hash64(buffer);
}

// What is repeated: the element of a list, the value of a map.
const Node& element_of(const Node& node) noexcept { return node.children.back(); }
// By what it is found again: the element itself, the key.
const Node& identity_of(const Node& node) noexcept { return node.children.front(); }

}  // namespace

// --- out of a file

class KeptRows::Taker {
 public:
  /// `own`: the columns of the records that the file's columns became; empty if no field is whole.
  Taker(std::span<const Bytes> columns, std::span<const Bytes> own)
      : columns_(columns), own_(own) {}

  void take(const Node& node, Bytes& out) {
    if (is_own(node)) return;
    if (node.layout->from == From::whole) return take_whole(node, out);
    if (node.layout->from == From::file) return columns_.append(node.stored, out);
    switch (node.kind()) {
      case FieldKind::array: return take_array(node, out);
      case FieldKind::optional: {
        const bool present = columns_.take_bit(node.layout->stored_column);
        if (!present) return ByteWriter(out).varint(0);
        return take_sized(element_of(node), out);
      }
      case FieldKind::variant: {
        const std::uint8_t tag = columns_.take_tag(node.layout->stored_column);
        out.push_back(std::byte{tag});
        if (tag < node.children.size()) return take_sized(node.children[tag], out);
        return ByteWriter(out).varint(0);
      }
      case FieldKind::list:
      case FieldKind::map: {
        std::uint64_t count = columns_.take_length(node.layout->stored_column);
        ByteWriter(out).varint(count);
        for (; count != 0; --count) {
          ByteWriter(out).u64(hash_same(identity_of(node), columns_, &Node::stored, buffer_));
          take_sized(element_of(node), out);
        }
        return;
      }
      default:
        for (const Node& child : node.children) take(child, out);
    }
  }

 private:
  void take_array(const Node& node, Bytes& out) {
    const KeptNode& layout = *node.layout;
    const Node& element = element_of(node);
    Bytes unused;
    for (std::uint64_t i = 0; i < layout.stored_count; ++i) {
      Bytes& to = i < layout.own_count || layout.keeps_tail ? out : unused;
      if (!layout.keeps_tail) {
        take(element, to);
      } else {
        columns_.append(element.stored, i < layout.own_count ? unused : out);
      }
    }
  }

  // A size and one, then as many bytes; 0 is for nothing.
  void take_sized(const Node& node, Bytes& out) {
    Bytes bytes;
    take(node, bytes);
    put_sized(bytes, out);
  }
  static void put_sized(const Bytes& bytes, Bytes& out) {
    ByteWriter writer(out);
    writer.varint(bytes.size() + 1);
    writer.raw(bytes);
  }

  // A value with an unknown part: the hash of what the program has in its place, and the value.
  void take_whole(const Node& node, Bytes& out) {
    buffer_.clear();
    own_.append(node.own, buffer_);
    Bytes value;
    ByteWriter(value).u64(hash64(buffer_));
    const std::size_t begin = value.size();
    columns_.append(node.stored, value);
    bool has_unknown = false;
    node.layout->patch.apply(value.data() + begin, value.data() + value.size(), has_unknown);
    if (!has_unknown) return ByteWriter(out).varint(0);
    put_sized(value, out);
  }

  ColumnWalk columns_;
  ColumnWalk own_;
  Bytes buffer_;
};

// --- into rows

namespace {

// The kept bytes of a value; null: there are none, and the value is zero.
struct Piece {
  const std::byte* at = nullptr;
  const std::byte* end = nullptr;

  [[nodiscard]] explicit operator bool() const noexcept { return at != nullptr; }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    at = load_varint(at, end, value);
    return value;
  }
  // What take_sized wrote.
  Piece sized() {
    const std::uint64_t size = varint();
    if (size == 0) return {};
    const Piece piece{at, at + (size - 1)};
    at = piece.end;
    return piece;
  }
};

struct KeptElement {
  std::uint64_t hash = 0;
  Piece piece;
  bool is_taken = false;
};

// The kept element of each element of the program: of the same hash, first what both ends have in
// common, then in the order of the list. In a list of the same length also the one in the same
// place, if neither has a partner: there the program changed an element.
std::vector<Piece> find_partners(const std::vector<std::uint64_t>& own,
                                 std::vector<KeptElement>& kept, bool in_place) {
  std::vector<Piece> partners(own.size());
  std::vector<bool> has_one(own.size());
  const auto pair = [&](std::size_t i, std::size_t k) {
    partners[i] = kept[k].piece;
    has_one[i] = true;
    kept[k].is_taken = true;
  };
  const std::size_t both = std::min(own.size(), kept.size());
  std::size_t begin = 0;
  for (; begin < both && own[begin] == kept[begin].hash; ++begin) pair(begin, begin);
  std::size_t end = own.size();
  std::size_t kept_end = kept.size();
  for (; end > begin && kept_end > begin && own[end - 1] == kept[kept_end - 1].hash;)
    pair(--end, --kept_end);
  if (end == begin || kept_end == begin) return partners;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> left;  // the first one last
  for (std::size_t k = kept_end; k-- > begin;) left[kept[k].hash].push_back(k);
  for (std::size_t i = begin; i < end; ++i) {
    const auto same = left.find(own[i]);
    if (same == left.end() || same->second.empty()) continue;
    pair(i, same->second.back());
    same->second.pop_back();
  }
  if (!in_place || own.size() != kept.size()) return partners;
  for (std::size_t i = begin; i < end; ++i) {
    if (!has_one[i] && !kept[i].is_taken) pair(i, i);
  }
  return partners;
}

}  // namespace

class KeptRows::Merger {
 public:
  Merger(std::span<const Bytes> own, std::span<Bytes> out) : own_(own), out_(out) {}

  // Appends the values of one row that are not in the program's columns as they are. `kept` is
  // moved behind what belongs to the node.
  void merge(const Node& node, Piece& kept) {
    if (is_own(node)) return;
    if (node.layout->from == From::whole) return merge_whole(node, kept);
    if (node.layout->from == From::file) return put(node, kept);
    switch (node.kind()) {
      case FieldKind::array: return merge_array(node, kept);
      case FieldKind::optional: {
        Piece value = kept ? kept.sized() : Piece{};
        if (own_.take_bit(node.layout->own_column)) merge(element_of(node), value);
        return;
      }
      case FieldKind::variant: {
        const std::uint8_t tag = own_.take_tag(node.layout->own_column);
        const bool is_same = kept && std::to_integer<std::uint8_t>(*kept.at++) == tag;
        Piece value = kept ? kept.sized() : Piece{};
        if (!is_same) value = {};
        return merge(node.children[tag], value);
      }
      case FieldKind::list:
      case FieldKind::map: return merge_repeated(node, kept);
      default:
        for (const Node& child : node.children) merge(child, kept);
    }
  }

 private:
  void put(const Node& node, Piece& kept) {
    if (kept) {
      kept.at = out_.put(node.row, kept.at, kept.end);
    } else {
      out_.put(node.row, node.zero.data(), node.zero.data() + node.zero.size());
    }
  }

  // The kept value, if the program did not change its own since the load.
  void merge_whole(const Node& node, Piece& kept) {
    buffer_.clear();
    own_.append(node.own, buffer_);
    Piece value = kept ? kept.sized() : Piece{};
    if (value && load_le<std::uint64_t>(value.at) == hash64(buffer_)) {
      out_.put(node.row, value.at + sizeof(std::uint64_t), value.end);
    } else {
      out_.put(node.row, buffer_.data(), buffer_.data() + buffer_.size());
    }
  }

  void merge_array(const Node& node, Piece& kept) {
    const KeptNode& layout = *node.layout;
    const Node& element = element_of(node);
    Piece none;
    for (std::uint64_t i = 0; i < layout.own_count; ++i) {
      if (!layout.keeps_tail) {
        merge(element, i < layout.stored_count ? kept : none);
        continue;
      }
      buffer_.clear();
      own_.append(element.own, buffer_);
      out_.put(element.row, buffer_.data(), buffer_.data() + buffer_.size());
    }
    if (!layout.keeps_tail) return;
    for (std::uint64_t i = layout.own_count; i < layout.stored_count; ++i) put(element, kept);
  }

  void merge_repeated(const Node& node, Piece& kept) {
    std::vector<std::uint64_t> own(
        static_cast<std::size_t>(own_.take_length(node.layout->own_column)));
    for (std::uint64_t& hash : own) hash = hash_same(identity_of(node), own_, &Node::own, buffer_);
    std::vector<KeptElement> elements;
    if (kept) {
      elements.resize(static_cast<std::size_t>(kept.varint()));
      for (KeptElement& each : elements) {
        each.hash = load_le<std::uint64_t>(kept.at);
        kept.at += sizeof(std::uint64_t);
        each.piece = kept.sized();
      }
    }
    for (Piece& piece : find_partners(own, elements, node.kind() == FieldKind::list))
      merge(element_of(node), piece);
  }

  ColumnWalk own_;
  ColumnFill out_;
  Bytes buffer_;
};

// --- KeptRows

KeptRows::KeptRows(evolve::KeptLayout layout, const TableDescriptor& stored)
    : layout_(std::move(layout)),
      group_shift_(stored.group_shift),
      id_(new_kept_id()),
      groups_(static_cast<std::size_t>(stored.group_count())) {
  std::uint32_t column = 0;
  root_ = std::make_unique<const Node>(make_node(layout_.root, column));
}

KeptRows::~KeptRows() = default;

namespace {

// Calls `visit` with each field whose stored values are kept, and its first stored column.
template <class Visit>
void for_each_kept_field(const KeptNode& node, const Visit& visit) {
  if (node.from == From::file) visit(node.field, node.stored_column);
  if (node.keeps_tail) visit(node.children[0].field, node.children[0].stored_column);
  for (std::size_t i = 0; i < node.unknown_fields.size(); ++i)
    visit(node.unknown_fields[i], node.unknown_columns[i]);
  for (const KeptNode& child : node.children) for_each_kept_field(child, visit);
}

}  // namespace

Status KeptRows::add_group(std::uint64_t group, const RowGroup& rows,
                           std::span<const Bytes> columns, std::span<const Bytes> own,
                           MemoryBudget& budget) {
  Group& kept = groups_[static_cast<std::size_t>(group)];
  Taker taker(columns, own);
  Bytes bytes;
  kept.are_live.resize(rows.states.size());
  kept.ends.resize(rows.states.size());
  for (std::size_t i = 0; i < rows.states.size(); ++i) {
    if (static_cast<SlotState>(rows.states[i]) == SlotState::live) {
      kept.are_live[i] = true;
      taker.take(*root_, bytes);
    }
    kept.ends[i] = bytes.size();
  }
  if (bytes.empty()) kept.ends = {};
  std::uint64_t size = bytes.size() + 9 * kept.are_live.size();  // with what is noted of erases
  {
    const std::lock_guard lock(mutex_);
    for_each_kept_field(layout_.root, [&](const Field& field, std::uint32_t column) {
      size += add_strong_handles(field, columns.subspan(column), strong_handles_);
    });
  }
  if (!budget.charge(size)) {
    return fail(ErrorCode::memory_budget,
                "the fields to keep need " + std::to_string(size) + " bytes");
  }
  kept.bytes.assign(bytes.begin(), bytes.end());
  return {};
}

Field KeptRows::merged(const Field& own) const {
  Field record = own;
  const auto end = std::find_if(record.children.begin(), record.children.end(),
                                [](const Field& field) { return field.name.front() != '@'; });
  std::vector<Field> prefix(record.children.begin(), end);
  record.children.erase(record.children.begin(), end);
  Field merged = evolve::merged_field(record, layout_.root);
  merged.children.insert(merged.children.begin(), prefix.begin(), prefix.end());
  return merged;
}

std::span<const std::byte> KeptRows::find(std::uint32_t slot, bool& is_kept) const noexcept {
  is_kept = false;
  const std::size_t group = slot >> group_shift_;
  if (group >= groups_.size()) return {};
  const Group& kept = groups_[group];
  const std::size_t at = slot & ((std::size_t{1} << group_shift_) - 1);
  if (at >= kept.are_live.size() || !kept.are_live[at]) return {};
  is_kept = true;
  if (kept.ends.empty()) return {};
  const auto begin = static_cast<std::size_t>(at == 0 ? 0 : kept.ends[at - 1]);
  return std::span(kept.bytes).subspan(begin, static_cast<std::size_t>(kept.ends[at]) - begin);
}

namespace {

// Moves the columns that the rows take over whole.
void move_columns(const Node& node, std::span<Bytes> own, std::span<Bytes> out) {
  const KeptNode& layout = *node.layout;
  if (layout.from == From::file || layout.from == From::whole || layout.keeps_tail) return;
  if (layout.from == From::program) {
    for (std::uint32_t i = 0; i < layout.own_columns; ++i)
      std::swap(own[layout.own_column + i], out[node.row_column + i]);
    return;
  }
  if (layout.kind != FieldKind::structure && layout.kind != FieldKind::array)
    std::swap(own[layout.own_column], out[node.row_column]);
  for (const Node& child : node.children) move_columns(child, own, out);
}

}  // namespace

void KeptRows::merge(std::span<const std::uint32_t> slots, const ErasedSlots* erased,
                     std::span<Bytes> own, std::span<Bytes> out) const {
  for (Bytes& column : out) column.clear();
  Merger merger(own, out);
  static constexpr std::byte kNothing{};
  for (std::size_t i = 0; i < slots.size(); ++i) {
    bool is_kept = false;
    std::span<const std::byte> bytes;
    if (erased == nullptr || !erased->has(slots[i])) bytes = find(slots[i], is_kept);
    Piece kept;
    if (is_kept)
      kept = bytes.empty() ? Piece{&kNothing, &kNothing}
                           : Piece{bytes.data(), bytes.data() + bytes.size()};
    merger.merge(*root_, kept);
  }
  move_columns(*root_, own, out);
}

}  // namespace hdb
