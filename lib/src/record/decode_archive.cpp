// The parts of decoding that do not know the record type: finding fields, checked reads, skipping.
#include "hdb/detail/record/decode_archive.hpp"
#include "evolve/match.hpp"

#include <algorithm>

#include "evolve/alternatives.hpp"
#include "evolve/enum_map.hpp"
#include "evolve/numbers.hpp"
#include "hdb/detail/record/using_evolve.hpp"
#include "record/decode_buffers.hpp"

namespace hdb::detail::record {
namespace {

/// Taken from the budget ahead, so that threads do not meet there for every string.
constexpr std::uint64_t kChargeAhead = 4096;

/// A value of the file in an error.
std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 60;
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

}  // namespace

std::string leaf_text(std::uint64_t bits, FieldKind kind) { return number_text(bits, kind); }

DecodeArchive::DecodeArchive(const Plan& stored, std::span<const Bytes> columns,
                             MemoryBudget& budget, LoadCheck* check)
    : cereal::InputArchive<DecodeArchive, cereal::AllowEmptyClassElision>(this),
      nodes_(stored.nodes.data()),
      buffers_(std::make_unique<Buffers>(stored)),
      cursors_(buffers_->cursors.data()),
      visits_(buffers_->visits.data()),
      tallies_(buffers_->tallies.data()),
      stored_(stored),
      budget_(budget),
      check_(check) {
  for (std::size_t i = 0; i < stored.columns.size() && i < columns.size(); ++i) {
    cursors_[i].at = columns[i].data();
    cursors_[i].end = columns[i].data() + columns[i].size();
  }
}

DecodeArchive::~DecodeArchive() = default;

const std::vector<std::size_t>& DecodeArchive::dropped_rows() const noexcept {
  return buffers_->dropped_rows;
}

std::vector<Tally> DecodeArchive::take_tallies() noexcept { return std::move(buffers_->tallies); }

const PlanNode* DecodeArchive::locate_any(FieldKind own) {
  const char* const name = std::exchange(name_, nullptr);
  if (pending_ != nullptr) return std::exchange(pending_, nullptr);
  const PlanNode* const parent = frame_.node;
  if (name == nullptr || parent == nullptr || frame_.next >= parent->children.size())
    return locate_slowly(name, own);
  const std::uint32_t index = parent->children[frame_.next];
  if (!nodes_[index].is_called(name)) return locate_slowly(name, own);
  visits_[index] = frame_.id;
  ++frame_.next;
  ++frame_.visited;
  return nodes_ + index;
}

const PlanNode* DecodeArchive::locate_slowly(const char* name, FieldKind own) {
  if (frame_.loop != nullptr) {
    if (frame_.left == 0 || frame_.element == nullptr) {
      stop(ErrorCode::type_mismatch,
           "the load function of the container reads more elements than are stored", frame_.loop);
    }
    --frame_.left;
    return frame_.element;
  }
  if (frame_.node == nullptr) return nullptr;
  const std::int32_t unnamed = name == nullptr ? frame_.unnamed++ : -1;
  const auto& children = frame_.node->children;
  for (std::size_t step = 0; step < children.size(); ++step) {
    const std::size_t i = (frame_.next + step) % children.size();
    const PlanNode& node = nodes_[children[i]];
    // Code of an older class version asks for a renamed field by the name that it had then.
    const auto is_asked = [&] {
      return node.is_called(name) || (!frame_.node->is_strict && node.old_name == name);
    };
    if (name == nullptr ? node.unnamed_index != unnamed : !is_asked()) continue;
    if (std::exchange(visits_[children[i]], frame_.id) == frame_.id) {
      stop(ErrorCode::type_mismatch, "load reads the field twice", &node);
    }
    frame_.next = static_cast<std::uint32_t>(i + 1);
    ++frame_.visited;
    return &node;
  }
  if (frame_.node->is_strict) stop_unknown(name, unnamed, own);
  return nullptr;
}

const PlanNode* DecodeArchive::locate(FieldKind kind) {
  const PlanNode* const node = locate_any(kind);
  if (node != nullptr && node->kind != kind) [[unlikely]]
    return adapted(*node, kind);
  return node;
}

// A missing field and an absent optional leave the value as it is. Lists and optionals of the
// program take in a value of another kind themselves.
const PlanNode* DecodeArchive::adapted(const PlanNode& node, FieldKind own) {
  if (node.kind == own) return &node;
  if (node.kind == kEither) return adapted(*child(node, take_tag(node)), own);
  if (node.kind == kMissing) {
    ++tally(node).absent;
    return nullptr;
  }
  if (check_ != nullptr) stop_kind(node, own);
  const bool is_optional = node.kind == FieldKind::optional;
  const bool holds_list = is_optional && child(node, 0)->kind == FieldKind::list;
  if (own == FieldKind::optional || (own == FieldKind::list && !holds_list)) return &node;
  if (own == FieldKind::array && node.kind == FieldKind::list) return &node;
  if (is_optional) {
    if (!take_bit(node)) {
      ++tally(node).absent;
      return nullptr;
    }
    ++tally(node).reshaped;
    return adapted(*child(node, 0), own);
  }
  if (node.kind != node.leaf || !is_convertible(node.leaf, own)) stop_kind(node, own);
  return &node;
}

bool DecodeArchive::begin_structure(bool takes_version, Frame& outer, std::uint32_t& version) {
  if (raw_ != nullptr) [[unlikely]] {
    if (takes_version) version = static_cast<std::uint32_t>(take_raw_varint());
    return true;
  }
  const PlanNode* const node = locate(FieldKind::structure);
  if (node == nullptr) return false;
  if (node->is_counted) ++tally(*node).values;
  outer = frame_;
  frame_ = Frame{};
  frame_.node = node;
  frame_.id = next_frame_id_++;
  version = node->class_version;
  return true;
}

void DecodeArchive::end_structure(const Frame& outer) {
  if (raw_ != nullptr) [[unlikely]]
    return;
  if (frame_.visited != frame_.node->children.size()) skip_rest();
  frame_ = outer;
}

template <class Bits>
bool DecodeArchive::take_leaf_of(FieldKind own, Bits& bits, const PlanNode*& node) {
  if (raw_ != nullptr) [[unlikely]] {
    bits = take_raw<Bits>();
    return true;
  }
  node = locate(own);
  if (node == nullptr) return false;
  bits = node->leaf == own ? take<Bits>(*node) : static_cast<Bits>(take_converted(*node, own));
  return true;
}

bool DecodeArchive::take_leaf(FieldKind own, std::uint8_t& bits, const PlanNode*& node) {
  return take_leaf_of(own, bits, node);
}
bool DecodeArchive::take_leaf(FieldKind own, std::uint16_t& bits, const PlanNode*& node) {
  return take_leaf_of(own, bits, node);
}
bool DecodeArchive::take_leaf(FieldKind own, std::uint32_t& bits, const PlanNode*& node) {
  return take_leaf_of(own, bits, node);
}
bool DecodeArchive::take_leaf(FieldKind own, std::uint64_t& bits, const PlanNode*& node) {
  return take_leaf_of(own, bits, node);
}

template <class Bits>
bool DecodeArchive::take_handle_of(const HandleLayout& own, Bits& bits) {
  if (raw_ != nullptr) [[unlikely]] {
    bits = take_raw<Bits>();
    return true;
  }
  const PlanNode* const node = locate(FieldKind::handle);
  if (node == nullptr) return false;
  if (!(node->layout == own)) [[unlikely]] {
    stop(ErrorCode::layout_mismatch,
         "the stored handle has another layout than the program's handle", node);
  }
  bits = take<Bits>(*node);
  return true;
}

bool DecodeArchive::take_handle(const HandleLayout& own, std::uint16_t& bits) {
  return take_handle_of(own, bits);
}
bool DecodeArchive::take_handle(const HandleLayout& own, std::uint32_t& bits) {
  return take_handle_of(own, bits);
}
bool DecodeArchive::take_handle(const HandleLayout& own, std::uint64_t& bits) {
  return take_handle_of(own, bits);
}

std::uint64_t DecodeArchive::take_converted(const PlanNode& node, FieldKind own) {
  if (check_ != nullptr) stop_kind(node, own);
  const std::uint64_t bits = load_number(take_bytes(node.column, node.width, node));
  if (const auto number = convert_number(bits, node.leaf, own)) {
    ++tally(node).values;
    return *number;
  }
  const Error error = conversion_error(bits, node.leaf, own);
  stop(error.code, error.what, &node);
}

bool DecodeArchive::take_renumbered(const PlanNode& node, std::uint64_t& own) {
  const std::uint64_t bits = load_number(take_bytes(node.column, node.width, node));
  const auto converted = node.enum_map->convert(bits);
  if (!converted) {
    Error error = node.enum_map->error(bits);
    if (!node.enum_map->is_unknown(bits)) stop(error.code, std::move(error.what), &node);
    note_unknown(node, std::move(error), node.keeps_unknown && node.enum_map->is_named(bits));
    return false;
  }
  if (node.enum_map->is_renumbered(bits, *converted)) ++tally(node).renumbered;
  if (node.enum_map->converts()) ++tally(node).values;
  own = *converted;
  return true;
}

std::size_t DecodeArchive::take_tag(const PlanNode& node) {
  const std::size_t tag = take<std::uint8_t>(node);
  if (tag < node.children.size()) return tag;
  stop(ErrorCode::bad_value,
       "the tag of a variant is " + std::to_string(tag) + ", which is not one of its alternatives",
       &node);
}

bool DecodeArchive::own_alternative(const PlanNode& node, std::size_t tag, std::size_t& own) {
  if (const auto converted = node.alternatives->convert(tag)) {
    own = *converted;
    return true;
  }
  Error error = node.alternatives->error(tag);
  if (!node.alternatives->ambiguity().empty()) stop(error.code, std::move(error.what), &node);
  note_unknown(node, std::move(error), node.keeps_unknown);
  skip(*child(node, tag));
  return false;
}

void DecodeArchive::note_unknown(const PlanNode& node, Error error, bool is_kept) {
  if (unknown_value_ == UnknownValue::refuse && !is_kept)
    stop(error.code, std::move(error.what), &node);
  ++(is_kept ? tally(node).kept : tally(node).unknown);
  ++unknown_count_;
  const bool is_dropped = unknown_value_ == UnknownValue::drop_record && !is_kept;
  std::vector<std::size_t>& dropped = buffers_->dropped_rows;
  if (is_dropped && (dropped.empty() || dropped.back() != row_)) dropped.push_back(row_);
}

std::uint64_t DecodeArchive::take_varint(const PlanNode& node) {
  ColumnCursor& cursor = cursors_[node.column];
  if (cursor.at != cursor.end && std::to_integer<unsigned>(*cursor.at) < 0x80) [[likely]] {
    return std::to_integer<std::uint64_t>(*cursor.at++);
  }
  std::uint64_t value = 0;
  const std::byte* const next = load_varint(cursor.at, cursor.end, value);
  if (next == nullptr)
    stop(ErrorCode::bad_lengths, "a length is cut off or not in its shortest form", &node);
  cursor.at = next;
  return value;
}

bool DecodeArchive::take_bit(const PlanNode& node) {
  ColumnCursor& cursor = cursors_[node.column];
  const std::uint64_t byte = cursor.bit / 8;
  if (byte >= static_cast<std::uint64_t>(cursor.end - cursor.at)) stop_short(node);
  const unsigned bits = std::to_integer<unsigned>(cursor.at[byte]);
  return (bits >> (cursor.bit++ % 8) & 1) != 0;
}

std::span<const std::byte> DecodeArchive::take_bytes(std::size_t column, std::uint64_t size,
                                                     const PlanNode& node) {
  ColumnCursor& cursor = cursors_[column];
  if (size > static_cast<std::uint64_t>(cursor.end - cursor.at)) stop_short(node);
  const std::span<const std::byte> bytes(cursor.at, static_cast<std::size_t>(size));
  cursor.at += size;
  return bytes;
}

std::size_t DecodeArchive::take_count(const PlanNode& node, std::size_t cost) {
  const std::uint64_t count = take_varint(node);
  charge(count, cost, &node);
  return static_cast<std::size_t>(count);
}

std::size_t DecodeArchive::take_list_count(const PlanNode& node, std::size_t cost) {
  if (node.kind == FieldKind::list) return take_count(node, cost);
  const std::size_t count = node.kind == FieldKind::optional && !take_bit(node) ? 0 : 1;
  charge(count, cost, &node);
  tally(node).reshaped += count;
  return count;
}

void DecodeArchive::end_array(const PlanNode& node, std::uint64_t stored, std::uint64_t own) {
  if (check_ != nullptr)
    stop(ErrorCode::type_mismatch, "load reads an array of another length than save writes", &node);
  std::uint64_t read = std::min(stored, own);
  ++tally(node).reshaped;
  tally(node).cut += stored - read;
  tally(node).added += own - read;
  charge(stored - read, 1, &node);  // bounds the time of skipping elements that take no bytes
  for (; read < stored; ++read) skip(*child(node, 0));
}

std::uint64_t DecodeArchive::take_raw_varint() {
  std::uint64_t value = 0;
  const std::byte* const next = load_varint(raw_->at, raw_->end, value);
  if (next == nullptr) stop_raw();
  raw_->at = next;
  return value;
}

std::size_t DecodeArchive::take_raw_count(std::size_t cost) {
  const std::uint64_t count = take_raw_varint();
  charge(count, cost, nullptr);
  return static_cast<std::size_t>(count);
}

std::span<const std::byte> DecodeArchive::take_raw_bytes(std::size_t size) {
  if (size > static_cast<std::size_t>(raw_->end - raw_->at)) stop_raw();
  return {std::exchange(raw_->at, raw_->at + size), size};
}

void DecodeArchive::charge(std::uint64_t count, std::size_t cost, const PlanNode* node) {
  const bool overflows = count > ~std::uint64_t{0} / 2 / std::max<std::size_t>(cost, 1);
  const std::uint64_t bytes = overflows ? 0 : count * cost;
  if (!overflows && bytes <= charged_ahead_) {
    charged_ahead_ -= bytes;
    return;
  }
  if (!overflows && budget_.charge(bytes + kChargeAhead)) {
    charged_ahead_ += kChargeAhead;
    return;
  }
  if (!overflows && budget_.charge(bytes - charged_ahead_)) {
    charged_ahead_ = 0;
    return;
  }
  stop(ErrorCode::memory_budget,
       std::to_string(count) + " elements of " + std::to_string(cost) +
           " bytes exceed the memory of the load (ReadLimits::max_memory_bytes, "
           "max_content_ratio)",
       node);
}

void DecodeArchive::skip(const PlanNode& node) {
  if (node.kind == kMissing) return;
  if (node.kind == kEither) {
    const PlanNode& value = *child(node, take_tag(node));
    if (value.kind != kMissing) ++tally(node).cut;
    return skip(value);
  }
  switch (node.kind) {
    case FieldKind::structure:
      for (const std::uint32_t index : node.children) skip(nodes_[index]);
      break;
    case FieldKind::array:
      for (std::uint64_t i = 0; i < node.count && nodes_ + node.end != &node + 1; ++i)
        skip(*child(node, 0));
      break;
    case FieldKind::string:
    case FieldKind::opaque: {
      const std::uint64_t size = take_varint(node);
      (void)take_bytes(node.column + 1, size, node);
      break;
    }
    case FieldKind::list:
    case FieldKind::map: {
      const std::uint64_t count = take_varint(node);
      if (node.kind == FieldKind::list && child(node, 0)->width != 0) {
        const PlanNode& below = *child(node, 0);
        if (count > ~std::uint64_t{0} / 8) stop_short(node);
        (void)take_bytes(below.column, count * below.width, node);
        break;
      }
      charge(count, 1, &node);  // bounds the time of skipping elements that take no bytes
      for (std::uint64_t i = 0; i < count; ++i) {
        for (const std::uint32_t index : node.children) skip(nodes_[index]);
      }
      break;
    }
    case FieldKind::optional:
      if (take_bit(node)) skip(*child(node, 0));
      break;
    case FieldKind::variant: skip(*child(node, take_tag(node))); break;
    default: (void)take_bytes(node.column, node.width, node); break;
  }
}

void DecodeArchive::skip_rest() {
  for (const std::uint32_t index : frame_.node->children) {
    const PlanNode& node = nodes_[index];
    if (visits_[index] == frame_.id) continue;
    if (node.must_be_read) {
      stop(ErrorCode::type_mismatch,
           "save writes it as " + type_text(field_of(stored_, index)) +
               ", but load does not read it",
           &node);
    }
    skip(node);
  }
}

void DecodeArchive::skip_fields(std::span<const SkippedField> fields, std::size_t rows) {
  for (const SkippedField& field : fields) {
    const PlanNode& node = nodes_[field.node];
    if (node.width != 0) {
      (void)take_bytes(node.column, rows * field.repeats * node.width, node);
    } else {
      for (row_ = 0; row_ < rows; ++row_) {
        for (std::uint64_t i = 0; i < field.repeats; ++i) skip(node);
      }
    }
    for (std::size_t c = node.column; c != end_column(node); ++c) check_end(c);
  }
}

// The first column after those of the node.
std::size_t DecodeArchive::end_column(const PlanNode& node) const {
  return node.end < stored_.nodes.size() ? nodes_[node.end].column : stored_.columns.size();
}

void DecodeArchive::finish() {
  for (std::size_t i = 0; i < stored_.columns.size(); ++i) check_end(i);
}

void DecodeArchive::check_end(std::size_t column) {
  const PlanNode& node = nodes_[stored_.columns[column].node];
  ColumnCursor& cursor = cursors_[column];
  if (stored_.columns[column].role == ColumnRole::presence) {
    while (cursor.bit % 8 != 0) {
      if (take_bit(node))
        stop(ErrorCode::bad_value, "the presence bitmap has bits set after its end", &node);
    }
    cursor.at += cursor.bit / 8;
  }
  if (cursor.at != cursor.end) {
    stop(ErrorCode::bad_lengths, std::to_string(cursor.end - cursor.at) + " bytes are left over",
         &node);
  }
}

// Equal only because their handles became null, where the caller knows that some did.
void DecodeArchive::drop_equal(const PlanNode* node, std::size_t index, const std::string& same) {
  const bool is_map = node != nullptr && node->kind == FieldKind::map;
  if (equal_keys_ == EqualKeys::merge && node != nullptr) {
    const std::uint32_t first = node->children.front();
    const auto has_handle = [](const PlanNode& each) { return each.kind == FieldKind::handle; };
    if (std::any_of(nodes_ + first, nodes_ + nodes_[first].end, has_handle)) {
      ++tally(*node).merged;
      return;
    }
  }
  stop(ErrorCode::value_refused,
       (is_map ? "the key of entry " : "element ") + std::to_string(index) +
           " equals an earlier one" + (same.empty() ? "" : ", " + shortened(same)) +
           ", but the program's container holds each only once; use a container that holds equal " +
           (is_map ? "keys" : "elements") +
           ", change its comparison, or drop one of them in a migration",
       node);
}

void DecodeArchive::check_text(const PlanNode& node, std::span<const std::byte> text) {
  const std::string_view chars(reinterpret_cast<const char*>(text.data()), text.size());
  if ((!node.utf8_checked && !node.must_be_utf8) || is_utf8(chars)) return;
  if (node.utf8_checked) stop(ErrorCode::bad_value, "a text is not UTF-8", &node);
  stop(ErrorCode::value_refused,
       "the text \"" + shortened(std::string(chars)) +
           "\" is not UTF-8, which the program demands (hdb::Utf8Checked); take the mark away, or "
           "convert such texts in a migration",
       &node);
}

// Tools look at nothing inside of opaque values, so a fault there is not damage.
void DecodeArchive::stop(ErrorCode code, std::string what, const PlanNode* node) {
  if (!error_) {
    if (raw_ != nullptr && code == ErrorCode::bad_value) code = ErrorCode::value_refused;
    if (node == nullptr) node = frame_.loop;
    std::string where =
        node == nullptr || node->path.empty() ? "the record" : "field '" + node->path + "'";
    if (check_ == nullptr) where += " of " + row_text(row_namer_, row_);
    error_ = Error{code, std::move(what), kNoOffset, std::move(where), {}};
  }
  throw Unwind{};
}

}  // namespace hdb::detail::record
