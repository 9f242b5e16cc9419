// The templates of DecodeArchive for a whole record and for single values: numbers, enumerations,
// handles, strings.
#pragma once

#include "hdb/detail/record/decode_archive.hpp"

namespace hdb::detail::record {

/// The kind of field that a value is.
template <class T>
[[nodiscard]] consteval FieldKind kind_of() {
  constexpr Shape shape = shape_of<T>();
  if constexpr ((shape == Shape::user && !is_structure<T>()) ||
                (shape == Shape::enumeration && has_own_enum_functions<T>())) {
    return kind_of<MinimalOf<T, EncodeArchive>>();
  } else if constexpr (shape == Shape::leaf) {
    return leaf_kind<T>();
  } else {
    switch (shape) {
      case Shape::enumeration: return FieldKind::enumeration;
      case Shape::handle: return FieldKind::handle;
      case Shape::string: return FieldKind::string;
      case Shape::sequence:
      case Shape::set:
      case Shape::loop_list: return FieldKind::list;
      case Shape::map:
      case Shape::loop_map: return FieldKind::map;
      case Shape::array:
      case Shape::bits: return FieldKind::array;
      case Shape::optional: return FieldKind::optional;
      case Shape::variant: return FieldKind::variant;
      case Shape::opaque: return FieldKind::opaque;
      default: return FieldKind::structure;
    }
  }
}

template <class E>
void DecodeArchive::check_element(const PlanNode& node) {
  if (check_ == nullptr) [[likely]]
    return;
  if constexpr (kIsLeaf<E>) {
    if (node.kind != leaf_kind<E>()) stop_kind(node, leaf_kind<E>());
  } else {
    check_element(node, serialize_functions<E>());
  }
}

template <class T>
void DecodeArchive::record(T& value) {
  pending_ = nodes_;
  frame_ = Frame{};
  if constexpr (is_structure<T>()) {
    structure(value);
  } else {
    pending_ = nullptr;
    frame_.node = nodes_;
    frame_.id = next_frame_id_++;
    name_next("value");
    visit_value(*this, value);
    skip_rest();
  }
}

/// A leaf from stored bits of its own kind.
template <class T>
T DecodeArchive::checked(StoredBits<T> bits, const PlanNode* node) {
  if constexpr (std::is_same_v<T, bool>) {
    if (bits > 1) [[unlikely]]
      stop_boolean(bits, node);
  }
  const T value = leaf_from_bits<T>(bits);
  if constexpr (sizeof(T) < sizeof(bits)) {
    if (stored_bits(value) != bits) [[unlikely]]
      stop_range(node);
  }
  return value;
}

template <class T>
T DecodeArchive::read_number(const PlanNode& node) {
  constexpr FieldKind own = leaf_kind<T>();
  if (node.leaf == own) [[likely]]
    return checked<T>(take<StoredBits<T>>(node), &node);
  return checked<T>(static_cast<StoredBits<T>>(take_converted(node, own)), &node);
}

template <class T>
T DecodeArchive::read_raw_number() {
  return checked<T>(take_raw<StoredBits<T>>(), nullptr);
}

template <class T>
void DecodeArchive::leaf(T& value) {
  StoredBits<T> bits{};
  const PlanNode* node = nullptr;
  if (take_leaf(leaf_kind<T>(), bits, node)) value = checked<T>(bits, node);
}

template <class T>
void DecodeArchive::enumeration(T& value) {
  using U = std::underlying_type_t<T>;
  const PlanNode* const node = raw_ != nullptr ? nullptr : locate(FieldKind::enumeration);
  if (raw_ == nullptr && node == nullptr) return;
  using Integer = EnumInteger<U>;
  Integer number{};
  if (node == nullptr) {
    number = read_raw_number<Integer>();
  } else if (node->enum_map != nullptr && node->type == type_key<T>()) [[unlikely]] {
    std::uint64_t own = 0;
    if (!take_renumbered(*node, own)) return;
    number = checked<Integer>(static_cast<StoredBits<Integer>>(own), node);
  } else {
    number = read_number<Integer>(*node);
  }
  if constexpr (std::is_same_v<U, bool>) {
    if (number > 1)
      stop(ErrorCode::value_refused,
           "the enum of the program is stored as a boolean, but the file has " +
               std::to_string(number),
           node);
  }
  value = static_cast<T>(static_cast<U>(number));
}

template <class H>
void DecodeArchive::handle(H& value) {
  using L = typename H::LayoutType;
  typename L::Bits bits{};
  if (take_handle(L::value, bits)) value = Handle<typename H::Tag, L>::from_bits(bits);
}

template <class S>
void DecodeArchive::string(S& value) {
  std::span<const std::byte> bytes;
  if (raw_ != nullptr) [[unlikely]] {
    bytes = take_raw_bytes(take_raw_count(1));
  } else {
    const PlanNode* const node = locate(FieldKind::string);
    if (node == nullptr) return;
    const std::uint64_t size = take_varint(*node);
    bytes = take_bytes(node->column + 1, size, *node);
    charge(size, 1, node);
    check_text(*node, bytes);
  }
  value.assign(reinterpret_cast<const typename S::value_type*>(bytes.data()), bytes.size());
}

}  // namespace hdb::detail::record
