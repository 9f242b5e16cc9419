// Kept values out of the columns of a file, and into the columns of rows.
#include "database/kept/kept_rows.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "database/kept/kept_elements.hpp"
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

}  // namespace

// --- out of a file

class KeptRows::Taker {
 public:
  /// `own`: the columns of the records that the file's columns became; empty if no field is whole.
  Taker(std::span<const Bytes> columns, std::span<const Bytes> own)
      : columns_(columns), own_(own), identities_(columns, &Node::stored) {}

  // Whether an enumerator without a name would get one.
  [[nodiscard]] bool is_ambiguous() const noexcept { return is_ambiguous_; }

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
          const KeptIdentity identity = identities_.take(node);
          ByteWriter(out).u64(identity.hash);
          if (node.kind() == FieldKind::map) ByteWriter(out).u64(identity.value_hash);
          identities_.enter();
          take_sized(element_of(node), out);
          identities_.leave();
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
    evolve::KeptPatch::Found found;
    node.layout->patch.apply(value.data() + begin, value.data() + value.size(), found);
    is_ambiguous_ = is_ambiguous_ || found.reserved || (found.unnamed && found.unknown);
    if (!found.unknown) return ByteWriter(out).varint(0);
    put_sized(value, out);
  }

  ColumnWalk columns_;
  ColumnWalk own_;
  KeptIdentities identities_;
  Bytes buffer_;
  bool is_ambiguous_ = false;
};

// --- into rows

class KeptRows::Merger {
 public:
  Merger(std::span<const Bytes> own, std::span<Bytes> out)
      : own_(own), identities_(own, &Node::own), out_(out) {}

  // Appends the values of one row that are not in the program's columns as they are. `kept` is
  // moved behind what belongs to the node.
  void merge(const Node& node, KeptPiece& kept) {
    if (is_own(node)) return;
    if (node.layout->from == From::whole) return merge_whole(node, kept);
    if (node.layout->from == From::file) return put(node, kept);
    switch (node.kind()) {
      case FieldKind::array: return merge_array(node, kept);
      case FieldKind::optional: {
        KeptPiece value = kept ? kept.sized() : KeptPiece{};
        if (own_.take_bit(node.layout->own_column)) merge(element_of(node), value);
        return;
      }
      case FieldKind::variant: {
        const std::uint8_t tag = own_.take_tag(node.layout->own_column);
        const bool is_same = kept && std::to_integer<std::uint8_t>(*kept.at++) == tag;
        KeptPiece value = kept ? kept.sized() : KeptPiece{};
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
  void put(const Node& node, KeptPiece& kept) {
    if (kept) {
      kept.at = out_.put(node.row, kept.at, kept.end);
    } else {
      out_.put(node.row, node.zero.data(), node.zero.data() + node.zero.size());
    }
  }

  // The kept value, if the program did not change its own since the load.
  void merge_whole(const Node& node, KeptPiece& kept) {
    buffer_.clear();
    own_.append(node.own, buffer_);
    KeptPiece value = kept ? kept.sized() : KeptPiece{};
    if (value && load_le<std::uint64_t>(value.at) == hash64(buffer_)) {
      out_.put(node.row, value.at + sizeof(std::uint64_t), value.end);
    } else {
      out_.put(node.row, buffer_.data(), buffer_.data() + buffer_.size());
    }
  }

  void merge_array(const Node& node, KeptPiece& kept) {
    const KeptNode& layout = *node.layout;
    const Node& element = element_of(node);
    KeptPiece none;
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

  void merge_repeated(const Node& node, KeptPiece& kept) {
    const bool is_map = node.kind() == FieldKind::map;
    std::vector<KeptIdentity> own(
        static_cast<std::size_t>(own_.take_length(node.layout->own_column)));
    for (KeptIdentity& each : own) each = identities_.take(node);
    std::vector<KeptElement> elements;
    if (kept) {
      elements.resize(static_cast<std::size_t>(kept.varint()));
      for (KeptElement& each : elements) {
        each.identity.hash = kept.u64();
        if (is_map) each.identity.value_hash = kept.u64();
        each.piece = kept.sized();
      }
    }
    identities_.enter();
    for (KeptPiece& piece : find_partners(own, elements, is_map)) merge(element_of(node), piece);
    identities_.leave();
  }

  ColumnWalk own_;
  KeptIdentities identities_;
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
      if (taker.is_ambiguous()) {
        return fail(ErrorCode::value_out_of_range,
                    "an enumerator without a name in the file cannot be kept, since its number has "
                    "a name in the program or among the kept enumerators; name it in the program "
                    "that wrote the file, or load without LoadOptions::keep_unknown",
                    "slot " + std::to_string(rows.first_slot + i));
      }
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
    KeptPiece kept;
    if (is_kept)
      kept = bytes.empty() ? KeptPiece{&kNothing, &kNothing}
                           : KeptPiece{bytes.data(), bytes.data() + bytes.size()};
    merger.merge(*root_, kept);
  }
  move_columns(*root_, own, out);
}

}  // namespace hdb
