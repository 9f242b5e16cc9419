// Loads records of a type that exists only at run time, through the archive that loads C++ types:
// so the same rules hold for missing, renamed and converted fields.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hdb/detail/record/decode_archive.hpp"
#include "hdb/detail/record/sinks.hpp"
#include "record/row_walk.hpp"
#include "record/runtime_records.hpp"
#include "record/user_code.hpp"
#include "record/value_order.hpp"

namespace hdb::detail::record {

/// Reads one record after the other and writes its row. `initial` is where the default value of the
/// same field begins; null inside of elements, whose defaults are zero.
class RuntimeDecoder {
 public:
  RuntimeDecoder(const RuntimeRecords& own, DecodeArchive& archive)
      : own_(own), plan_(own.plan_), archive_(archive) {}

  void record(void* to) {
    row_.clear();
    archive_.pending_ = archive_.nodes_;
    archive_.frame_ = {};
    value(plan_.nodes.front(), own_.default_row_.data());
    if (!own_.is_struct()) archive_.charge(row_.size(), 1, nullptr);
    own_.put_row(row_.bytes(), to);
  }

 private:
  using Place = const std::byte*;

  const PlanNode& child(const PlanNode& node, std::size_t i) const {
    return plan_.nodes[node.children[i]];
  }
  // One past the default value that begins there.
  Place after(const PlanNode& node, Place initial) const {
    if (initial == nullptr) return nullptr;
    const Bytes& all = own_.default_row_;
    RowSink nothing;
    RowWalk walk(plan_, nothing, {initial, all.data() + all.size()});
    HDB_REQUIRE(walk.value(node), "the default record fits its schema");
    return walk.at();
  }
  void put_default(const PlanNode& node, Place initial) {
    if (initial != nullptr) {
      const Place end = after(node, initial);
      row_.append(initial, static_cast<std::size_t>(end - initial));
      return;
    }
    zeros_.clear();
    put_zero(plan_, node, zeros_);
    row_.append(zeros_.data(), zeros_.size());
  }
  void element(const PlanNode& node, const PlanNode* stored) {
    archive_.pending_ = stored;
    value(node, nullptr);
  }

  void value(const PlanNode& own, Place initial) {
    const PlanNode* const node = archive_.locate(own.kind);
    if (node == nullptr) return put_default(own, initial);
    switch (own.kind) {
      case FieldKind::structure: return structure(own, *node, initial);
      case FieldKind::array: return array(own, *node, initial);
      case FieldKind::list: return list(own, *node);
      case FieldKind::map: return map(own, *node);
      case FieldKind::string:
      case FieldKind::opaque: return text(*node);
      case FieldKind::optional: return optional(own, *node);
      case FieldKind::variant: return variant(own, *node, initial);
      case FieldKind::handle: return handle(own, *node);
      case FieldKind::enumeration: return enumeration(own, *node, initial);
      default: return number(own.leaf, *node);
    }
  }

  void structure(const PlanNode& own, const PlanNode& node, Place initial) {
    DecodeArchive::Frame frame;
    frame.node = &node;
    frame.id = archive_.next_frame_id_++;
    if (node.is_counted) ++archive_.tally(node).values;
    const DecodeArchive::Frame saved = std::exchange(archive_.frame_, frame);
    for (const std::uint32_t index : own.children) {
      const PlanNode& field = plan_.nodes[index];
      archive_.name_next(field.name.c_str());
      value(field, initial);
      initial = after(field, initial);
    }
    if (archive_.frame_.visited != node.children.size()) archive_.skip_rest();
    archive_.frame_ = saved;
  }
  void array(const PlanNode& own, const PlanNode& node, Place initial) {
    const PlanNode& field = child(own, 0);
    const std::uint64_t stored =
        node.kind == FieldKind::list ? archive_.take_varint(node) : node.count;
    const std::uint64_t common = std::min(own.count, stored);
    for (std::uint64_t i = 0; i < own.count; ++i) {
      if (i < common) {
        archive_.pending_ = archive_.child(node, 0);
        value(field, initial);
      } else {
        put_default(field, initial);
      }
      initial = after(field, initial);
    }
    if (stored != own.count) archive_.end_array(node, stored, own.count);
  }
  void list(const PlanNode& own, const PlanNode& node) {
    const PlanNode& field = child(own, 0);
    const PlanNode* const stored = archive_.list_element(node);
    const std::size_t count = archive_.take_list_count(node, zero_bytes(plan_, field));
    if (has_rule(own)) return entries(own, node, stored, count);
    row_.put_varint(count);
    const bool is_number = field.kind == field.leaf && field.kind != FieldKind::boolean;
    if (is_number && field.width != 0 && stored->kind == field.kind) {
      const auto bytes =
          archive_.take_bytes(stored->column, std::uint64_t{count} * field.width, *stored);
      row_.append(bytes.data(), bytes.size());
      return;
    }
    for (std::size_t i = 0; i < count; ++i) element(field, stored);
  }
  void map(const PlanNode& own, const PlanNode& node) {
    const std::size_t cost = zero_bytes(plan_, child(own, 0)) + zero_bytes(plan_, child(own, 1));
    entries(own, node, archive_.child(node, 0), archive_.take_count(node, cost));
  }
  // Whether it holds equal elements or keys only once.
  static bool has_rule(const PlanNode& own) {
    return own.key_rule == KeyRule::distinct || own.key_rule == KeyRule::compared;
  }
  // Whether values of the program may have another order than the stored values that they are made
  // of.
  bool may_move(const PlanNode& own, const PlanNode& node) const {
    if (own.kind != node.kind || own.leaf != node.leaf || own.count != node.count ||
        node.enum_map != nullptr || node.alternatives != nullptr ||
        own.children.size() != node.children.size())
      return true;
    const PlanNode* next = &node + 1;
    for (std::size_t i = 0; i < own.children.size(); ++i) {
      const PlanNode* const part = archive_.child(node, i);
      if (part != next || may_move(child(own, i), *part)) return true;
      next = archive_.nodes_ + part->end;
    }
    return next != archive_.nodes_ + node.end;  // a field was dropped
  }
  struct Entry {
    std::size_t begin;  // in the buffer of all entries
    std::size_t key_end;
    std::size_t end;
  };
  static constexpr std::size_t kKeyBytes = 80;  // of a node of a set
  // The entries of a map, or the elements of a list with a rule. `stored`: of the keys or elements.
  // They come in the file's order, unless the order of std::map or std::set may be another one. A
  // save in which a set is in neither its order nor that of an unordered one had a plain list.
  void entries(const PlanNode& own, const PlanNode& node, const PlanNode* stored,
               std::size_t count) {
    RowBuffer outer = std::exchange(row_, {});
    const ValueOrder order(plan_, child(own, 0));
    std::set<std::string, ValueOrder> keys(order);
    std::vector<Entry> taken;
    RowBuffer pairs;
    const auto key_of = [&](const Entry& entry) {
      return text_of(pairs.bytes()).substr(entry.begin, entry.key_end - entry.begin);
    };
    for (std::size_t i = 0; i < count; ++i) {
      row_.clear();
      const bool is_known = archive_.visit_key([&] { element(child(own, 0), stored); });
      const std::size_t key_bytes = row_.size();
      if (own.kind == FieldKind::map) element(child(own, 1), archive_.child(node, 1));
      if (!is_known) continue;
      archive_.charge(sizeof(Entry) + (has_rule(own) ? key_bytes + kKeyBytes : 0), 1, &node);
      if (has_rule(own) && !keys.emplace(text_of(row_.bytes()).substr(0, key_bytes)).second) {
        archive_.drop_equal(&node, i, {});
        continue;
      }
      taken.push_back({pairs.size(), pairs.size() + key_bytes, pairs.size() + row_.size()});
      pairs.append(row_.bytes().data(), row_.size());
    }
    const auto is_by_bytes = [&] {
      return std::is_sorted(taken.begin(), taken.end(),
                            [&](const Entry& a, const Entry& b) { return key_of(a) < key_of(b); });
    };
    if (own.key_rule != KeyRule::compared &&
        (may_move(child(own, 0), *stored) || archive_.equal_keys_ == EqualKeys::merge ||
         (own.kind == FieldKind::list && !is_by_bytes()))) {
      std::stable_sort(taken.begin(), taken.end(),
                       [&](const Entry& a, const Entry& b) { return order(key_of(a), key_of(b)); });
    }
    row_ = std::move(outer);
    row_.put_varint(taken.size());
    for (const Entry& entry : taken)
      row_.append(pairs.bytes().data() + entry.begin, entry.end - entry.begin);
  }
  static std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  void text(const PlanNode& node) {
    const std::uint64_t size = archive_.take_varint(node);
    const auto bytes = archive_.take_bytes(node.column + 1, size, node);
    archive_.charge(size, 1, &node);
    archive_.check_text(node, bytes);
    row_.put_varint(size);
    row_.append(bytes.data(), bytes.size());
  }
  void optional(const PlanNode& own, const PlanNode& node) {
    const bool becomes_optional = node.kind != FieldKind::optional;
    const bool has_value = becomes_optional || archive_.take_bit(node);
    if (becomes_optional) ++archive_.tally(node).reshaped;
    row_.put(std::uint8_t{has_value});
    if (has_value) element(child(own, 0), becomes_optional ? &node : archive_.child(node, 0));
  }
  void enumeration(const PlanNode& own, const PlanNode& node, Place initial) {
    if (node.enum_map == nullptr) return number(own.leaf, node);
    std::uint64_t bits = 0;
    if (!archive_.take_renumbered(node, bits)) return put_default(own, initial);
    put(bits, own.width);
  }
  void variant(const PlanNode& own, const PlanNode& node, Place initial) {
    const std::size_t stored = archive_.take_tag(node);
    std::size_t tag = stored;
    if (node.alternatives != nullptr && !archive_.own_alternative(node, stored, tag))
      return put_default(own, initial);
    row_.put(static_cast<std::uint8_t>(tag));
    element(child(own, tag), archive_.child(node, stored));
  }
  void handle(const PlanNode& own, const PlanNode& node) {
    if (node.layout != own.layout) {
      archive_.stop(ErrorCode::layout_mismatch,
                    "the stored handle has another layout than the program's handle", &node);
    }
    const auto bytes = archive_.take_bytes(node.column, own.width, node);
    row_.append(bytes.data(), bytes.size());
  }

  void put(std::uint64_t bits, unsigned width) {
    std::byte bytes[8];
    store_le(bytes, bits);
    row_.append(bytes, width);
  }
  template <class T>
  void put_number(const PlanNode& node) {
    row_.put(stored_bits(archive_.read_number<T>(node)));
  }
  void number(FieldKind leaf, const PlanNode& node) {
    switch (leaf) {
      case FieldKind::boolean: return put_number<bool>(node);
      case FieldKind::i8: return put_number<std::int8_t>(node);
      case FieldKind::i16: return put_number<std::int16_t>(node);
      case FieldKind::i32: return put_number<std::int32_t>(node);
      case FieldKind::i64: return put_number<std::int64_t>(node);
      case FieldKind::u8: return put_number<std::uint8_t>(node);
      case FieldKind::u16: return put_number<std::uint16_t>(node);
      case FieldKind::u32: return put_number<std::uint32_t>(node);
      case FieldKind::u64: return put_number<std::uint64_t>(node);
      case FieldKind::f32: return put_number<float>(node);
      case FieldKind::f64: return put_number<double>(node);
      case FieldKind::char8: return put_number<char8_t>(node);
      case FieldKind::char16: return put_number<char16_t>(node);
      default: return put_number<char32_t>(node);
    }
  }

  const RuntimeRecords& own_;
  const Plan& plan_;
  DecodeArchive& archive_;
  RowBuffer row_;
  Bytes zeros_;
};

Status RuntimeRecords::decode(const Plan& stored, std::span<const Bytes> columns,
                              std::span<void* const> records, MemoryBudget& budget,
                              const DecodeOptions& options) const {
  DecodeArchive archive(stored, columns, budget);
  archive.name_rows(options.namer);
  archive.set_equal_keys(options.equal_keys);
  archive.set_unknown_value(options.unknown_value);
  RuntimeDecoder decoder(*this, archive);
  Status status = guarded(
      [&] {
        for (std::size_t row = 0; row < records.size(); ++row) {
          archive.begin_row(row);
          decoder.record(records[row]);
        }
        archive.finish();
      },
      [&]() -> const std::optional<Error>& { return archive.error(); }, {});
  if (options.tallies != nullptr) *options.tallies = archive.take_tallies();
  if (options.dropped_rows != nullptr) *options.dropped_rows = archive.dropped_rows();
  return status;
}

}  // namespace hdb::detail::record
