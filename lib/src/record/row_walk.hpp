// A walk over the canonical row bytes of one record (FORMAT.md, "Canonical row bytes"), which
// trusts no byte.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/bytes.hpp"
#include "hdb/detail/evolve/plan.hpp"
#include "hdb/detail/record/using_evolve.hpp"
#include "hdb/error.hpp"

namespace hdb::detail::record {

/// What a walk does with the parts of a row: nothing. Others derive from it and hide what they
/// need.
struct RowSink {
  /// Bytes of one or several values in the column of a node of fixed width. Returns a fault or
  /// null.
  const char* values(const PlanNode&, std::span<const std::byte>) { return nullptr; }
  /// The content of a string or an opaque value. Returns a fault or null.
  const char* text(const PlanNode&, std::span<const std::byte>) { return nullptr; }
  void size(const PlanNode&, std::uint64_t) {}
  void present(const PlanNode&, bool) {}
  void tag(const PlanNode&, std::uint8_t) {}
  /// The keys of a map, as bytes. Returns a fault or null.
  const char* keys(const PlanNode&, std::vector<std::string_view>&) { return nullptr; }
  static constexpr bool kWantsKeys = false;
};

/// Each element of a list takes at least one byte (check_schema), so the bytes of a row bound the
/// time of a walk.
template <class Sink>
class RowWalk {
 public:
  RowWalk(const Plan& plan, Sink& sink, std::span<const std::byte> row)
      : plan_(plan), sink_(sink), at_(row.data()), end_(row.data() + row.size()) {}

  /// Walks over the value of a node. False after a fault.
  [[nodiscard]] bool value(const PlanNode& node) {
    switch (node.kind) {
      case FieldKind::structure:
        return std::all_of(node.children.begin(), node.children.end(),
                           [&](std::uint32_t index) { return value(plan_.nodes[index]); });
      case FieldKind::array: return elements(node, child(node, 0), node.count);
      case FieldKind::list: {
        std::uint64_t count = 0;
        if (!varint(node, count)) return false;
        sink_.size(node, count);
        return elements(node, child(node, 0), count);
      }
      case FieldKind::map: return pairs(node);
      case FieldKind::string:
      case FieldKind::opaque: {
        std::uint64_t size = 0;
        std::span<const std::byte> bytes;
        return varint(node, size) && take(node, size, bytes) &&
               accept(node, sink_.text(node, bytes));
      }
      case FieldKind::optional: {
        unsigned byte = 0;
        if (!number(node, byte)) return false;
        if (byte > 1) return stop(node, "an optional begins neither with 0 nor with 1");
        sink_.present(node, byte != 0);
        return byte == 0 || value(child(node, 0));
      }
      case FieldKind::variant: {
        unsigned tag = 0;
        if (!number(node, tag)) return false;
        if (tag >= node.children.size())
          return stop(node, "the tag of a variant is not one of its alternatives");
        sink_.tag(node, static_cast<std::uint8_t>(tag));
        return value(child(node, tag));
      }
      default: {
        std::span<const std::byte> bytes;
        return take(node, node.width, bytes) && accept(node, sink_.values(node, bytes));
      }
    }
  }
  /// Walks over a whole record: all bytes, and no more.
  [[nodiscard]] bool record() {
    const PlanNode& root = plan_.nodes.front();
    if (!value(root)) return false;
    if (at_ != end_) return stop(root, "there are bytes after the last field");
    return true;
  }
  [[nodiscard]] const std::byte* at() const noexcept { return at_; }
  /// Why the walk ended: invalid_value, with the field. Requires: it returned false.
  [[nodiscard]] Error error() const {
    return {ErrorCode::invalid_value, fault_, kNoOffset,
            node_->path.empty() ? "the record" : "field '" + node_->path + "'"};
  }

 private:
  const PlanNode& child(const PlanNode& node, std::size_t i) const {
    return plan_.nodes[node.children[i]];
  }
  bool elements(const PlanNode& node, const PlanNode& element, std::uint64_t count) {
    if (element.width != 0) {
      std::span<const std::byte> bytes;
      if (count > ~std::uint64_t{0} / element.width)
        return stop(node, "the row ends before its last value");
      return take(node, count * element.width, bytes) &&
             accept(element, sink_.values(element, bytes));
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      if (!value(element)) return false;
    }
    return true;
  }
  bool pairs(const PlanNode& node) {
    std::uint64_t count = 0;
    if (!varint(node, count)) return false;
    sink_.size(node, count);
    std::vector<std::string_view> keys;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::byte* const key = at_;
      if (!value(child(node, 0))) return false;
      if constexpr (Sink::kWantsKeys)
        keys.emplace_back(reinterpret_cast<const char*>(key), static_cast<std::size_t>(at_ - key));
      if (!value(child(node, 1))) return false;
    }
    return accept(node, sink_.keys(node, keys));
  }
  bool number(const PlanNode& node, unsigned& byte) {
    std::span<const std::byte> bytes;
    if (!take(node, 1, bytes)) return false;
    byte = std::to_integer<unsigned>(bytes[0]);
    return true;
  }
  bool varint(const PlanNode& node, std::uint64_t& number) {
    const std::byte* const next = load_varint(at_, end_, number);
    if (next == nullptr) return stop(node, "a length is cut off or not in its shortest form");
    at_ = next;
    return true;
  }
  bool take(const PlanNode& node, std::uint64_t size, std::span<const std::byte>& bytes) {
    if (size > static_cast<std::uint64_t>(end_ - at_))
      return stop(node, "the row ends before its last value");
    bytes = {at_, static_cast<std::size_t>(size)};
    at_ += size;
    return true;
  }
  bool accept(const PlanNode& node, const char* fault) {
    return fault == nullptr || stop(node, fault);
  }
  bool stop(const PlanNode& node, const char* fault) {
    node_ = &node;
    fault_ = fault;
    return false;
  }

  const Plan& plan_;
  Sink& sink_;
  const std::byte* at_;
  const std::byte* end_;
  const PlanNode* node_ = nullptr;
  const char* fault_ = "";
};

}  // namespace hdb::detail::record
