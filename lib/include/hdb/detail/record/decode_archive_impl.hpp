// The templates of DecodeArchive for what holds other values: containers, variants, structures.
#pragma once

#include <concepts>
#include <string>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/record/decode_archive.hpp"
#include "hdb/detail/record/decode_archive_values.hpp"

namespace hdb::detail::record {

/// A number as text, by its stored bits.
[[nodiscard]] HDB_API std::string leaf_text(std::uint64_t bits, FieldKind kind);
/// An element of a set or a key as text, for errors; empty for values of several parts.
template <class K>
[[nodiscard]] std::string key_text([[maybe_unused]] const K& key) {
  if constexpr (Known<K>::shape == Shape::string) {
    return '"' + std::string(reinterpret_cast<const char*>(key.data()), key.size()) + '"';
  } else if constexpr (std::is_enum_v<K>) {
    return key_text(static_cast<EnumInteger<std::underlying_type_t<K>>>(key));
  } else if constexpr (kIsLeaf<K>) {
    return leaf_text(static_cast<std::uint64_t>(stored_bits(key)), leaf_kind<K>());
  } else {
    return {};
  }
}

template <class C, class F>
void DecodeArchive::fill(C& container, std::size_t count, const PlanNode* node, const F& load_one) {
  using E = typename Known<C>::Element;
  if constexpr (Known<C>::shape == Shape::set) {
    container.clear();
    for (std::size_t i = 0; i < count; ++i) {
      E value{};
      if (!visit_key([&] { load_one(value); })) continue;
      const std::size_t size = container.size();
      const auto at = container.insert(container.end(), std::move(value));
      if (container.size() == size) [[unlikely]]
        drop_equal(node, i, key_text(*at));
    }
  } else if constexpr (std::is_same_v<E, bool>) {
    container.resize(0);
    container.resize(count);
    for (auto&& item : container) {
      bool value = false;
      load_one(value);
      item = value;
    }
  } else {
    container.resize(0);
    container.resize(count);
    for (E& item : container) load_one(item);
  }
}

template <class C>
void DecodeArchive::list(C& container) {
  using E = typename Known<C>::Element;
  constexpr std::size_t cost = element_cost<C, E>();
  if (raw_ != nullptr) [[unlikely]] {
    fill(container, take_raw_count(cost), nullptr, [this](E& item) { visit_value(*this, item); });
    return;
  }
  const PlanNode* const node = locate(FieldKind::list);
  if (node == nullptr) return;
  const PlanNode* const below = list_element(*node);
  check_element<E>(*below);
  const std::size_t count = take_list_count(*node, cost);
  if constexpr (Known<C>::contiguous && kIsBulk<E>) {
    if (below->kind == leaf_kind<E>()) {
      const auto bytes = take_bytes(below->column, std::uint64_t{count} * sizeof(E), *below);
      container.resize(count);
      if (count != 0) std::memcpy(container.data(), bytes.data(), bytes.size());
      return;
    }
  }
  fill(container, count, node, [&](E& item) { element(below, item); });
}

template <class C>
void DecodeArchive::map(C& container) {
  using K = typename Known<C>::Key;
  using V = typename Known<C>::Value;
  const PlanNode* const node = raw_ != nullptr ? nullptr : locate(FieldKind::map);
  if (raw_ == nullptr && node == nullptr) return;
  if (node != nullptr) {
    check_element<K>(*child(*node, 0));
    check_element<V>(*child(*node, 1));
  }
  constexpr std::size_t cost = element_cost<C, std::pair<K, V>>();
  const std::size_t count = raw_ != nullptr ? take_raw_count(cost) : take_count(*node, cost);
  container.clear();
  for (std::size_t i = 0; i < count; ++i) {
    K key{};
    V value{};
    if (node != nullptr) pending_ = child(*node, 0);
    const bool is_known = visit_key([&] { visit_value(*this, key); });
    if (node != nullptr) pending_ = child(*node, 1);
    visit_value(*this, value);
    if (!is_known) continue;
    const std::size_t size = container.size();
    const auto at = container.emplace_hint(container.end(), std::move(key), std::move(value));
    if (container.size() == size) [[unlikely]]
      drop_equal(node, i, key_text(at->first));
  }
}

template <class E, class C>
void DecodeArchive::loop(FieldKind kind, C& container) {
  Frame frame;
  frame.cost = element_cost<C, E>();
  if (raw_ == nullptr) {
    frame.loop = locate(kind);
    if (frame.loop == nullptr) return;
    if constexpr (LoopsOverPairs<C>) {
      check_element<typename SizeAndLoop<C>::Key>(*child(*frame.loop, 0));
      check_element<typename SizeAndLoop<C>::Value>(*child(*frame.loop, 1));
    } else {
      frame.element = list_element(*frame.loop);
      check_element<E>(*frame.element);
    }
  }
  const Frame saved = std::exchange(frame_, frame);
  call_load(*this, container, 0);
  if (frame_.left != 0)
    stop(ErrorCode::type_mismatch, "the load function of the container did not read all elements",
         frame_.loop);
  if constexpr (requires {
                  typename C::key_type;
                  { container.size() } -> std::convertible_to<std::size_t>;
                }) {
    for (std::size_t i = container.size(); i < frame_.count; ++i) drop_equal(frame_.loop, i, {});
  }
  frame_ = saved;
}

template <class T>
void DecodeArchive::size_tag(T& size) {
  std::size_t count = 0;
  if (raw_ != nullptr) {
    count = take_raw_count(std::max<std::size_t>(frame_.cost, 32));
    if (count > static_cast<std::size_t>(raw_->end - raw_->at)) stop_raw();
  } else {
    if (frame_.loop == nullptr)
      stop(ErrorCode::type_mismatch, "load read a size tag outside a container", frame_.node);
    count = frame_.element != nullptr ? take_list_count(*frame_.loop, frame_.cost)
                                      : take_count(*frame_.loop, frame_.cost);
    frame_.left = count;
  }
  frame_.count = count;
  name_ = nullptr;
  size = static_cast<T>(count);
  if (static_cast<std::uint64_t>(size) != count)
    stop(ErrorCode::value_out_of_range, "a stored size does not fit the size type of the program",
         frame_.loop);
}

template <class K, class V>
void DecodeArchive::map_item(K& key, V& value) {
  if (raw_ != nullptr) {
    visit_value(*this, key);
    visit_value(*this, value);
    return;
  }
  if (frame_.loop == nullptr || frame_.element != nullptr || frame_.left == 0) {
    stop(ErrorCode::type_mismatch, "load read a pair outside a map", frame_.loop);
  }
  --frame_.left;
  const PlanNode& node = *frame_.loop;
  element(child(node, 0), key);
  element(child(node, 1), value);
}

template <class E>
void DecodeArchive::array(E* data, std::size_t count) {
  if (raw_ != nullptr) [[unlikely]] {
    for (std::size_t i = 0; i < count; ++i) visit_value(*this, data[i]);
    return;
  }
  const PlanNode* const node = locate(FieldKind::array);
  if (node == nullptr) return;
  const PlanNode* const below = child(*node, 0);
  const std::uint64_t stored = node->kind == FieldKind::list ? take_varint(*node) : node->count;
  const auto common = static_cast<std::size_t>(std::min<std::uint64_t>(stored, count));
  bool is_read = false;
  if constexpr (kIsBulk<E>) {
    if (below->kind == leaf_kind<E>()) {
      const auto bytes = take_bytes(below->column, std::uint64_t{common} * sizeof(E), *below);
      if (common != 0) std::memcpy(data, bytes.data(), bytes.size());
      is_read = true;
    }
  }
  for (std::size_t i = 0; i < common && !is_read; ++i) element(below, data[i]);
  if (stored != count) [[unlikely]]
    end_array(*node, stored, count);
}

template <class B>
void DecodeArchive::bits(B& value) {
  constexpr std::size_t N = B().size();
  bool copy[N == 0 ? 1 : N] = {};
  for (std::size_t i = 0; i < N; ++i) copy[i] = value[i];
  array(&copy[0], N);
  for (std::size_t i = 0; i < N; ++i) value[i] = copy[i];
}

template <class O>
void DecodeArchive::optional(O& value) {
  using T = typename Known<O>::Element;
  const PlanNode* const node = raw_ != nullptr ? nullptr : locate(FieldKind::optional);
  if (raw_ == nullptr && node == nullptr) return;
  if (node != nullptr && node->kind != FieldKind::optional) {
    ++tally(*node).reshaped;
    if constexpr (Known<O>::is_apart) charge(1, kApartCost<T>, node);
    element(node, value.emplace());
    return;
  }
  if (node != nullptr) check_element<T>(*child(*node, 0));
  if (!(node != nullptr ? take_bit(*node) : read_raw_number<bool>())) {
    value.reset();
    return;
  }
  if constexpr (Known<O>::is_apart) charge(1, kApartCost<T>, node);
  T& inside = value.emplace();
  if (node != nullptr) pending_ = child(*node, 0);
  visit_value(*this, inside);
}

template <class V>
void DecodeArchive::variant(V& value) {
  using Stored = typename Known<V>::Stored;
  constexpr std::size_t alternatives = std::variant_size_v<Stored>;
  const PlanNode* const node = raw_ != nullptr ? nullptr : locate(FieldKind::variant);
  if (raw_ == nullptr && node == nullptr) return;
  if (node != nullptr && check_ != nullptr) {
    if (node->children.size() != alternatives) {
      stop(ErrorCode::type_mismatch,
           "save writes a variant of " + std::to_string(node->children.size()) +
               " alternatives, but load reads a variant of " + std::to_string(alternatives),
           node);
    }
    [&]<std::size_t... Is>(std::index_sequence<Is...>) {
      (check_element<std::variant_alternative_t<Is, Stored>>(*child(*node, Is)), ...);
    }
    (std::make_index_sequence<alternatives>{});
  }
  std::size_t tag = node != nullptr ? take_tag(*node) : take_raw<std::uint8_t>();
  const PlanNode* const stored = node != nullptr ? child(*node, tag) : nullptr;
  if (node != nullptr && node->alternatives != nullptr && node->type == type_key<Stored>())
      [[unlikely]] {
    if (!own_alternative(*node, tag, tag)) return;
  }
  if (tag >= alternatives) {
    stop(ErrorCode::value_out_of_range,
         "the program's variant does not have alternative " + std::to_string(tag), node);
  }
  pending_ = stored;
  const auto load = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    if (tag != I) return false;
    if constexpr (Known<V>::is_apart && I != 0)
      charge(1, kApartCost<std::variant_alternative_t<I, Stored>>, node);
    Known<V>::template emplace<I>(value, [this](auto& item) { visit_value(*this, item); });
    return true;
  };
  [&]<std::size_t... Is>(std::index_sequence<Is...>) {
    (void)(load(std::integral_constant<std::size_t, Is>{}) || ...);
  }
  (std::make_index_sequence<alternatives>{});
}

template <class T>
void DecodeArchive::opaque(T& value) {
  if (raw_ != nullptr) {
    visit_shape<inner_shape<T>()>(*this, value);
    return;
  }
  const PlanNode* const node = locate(FieldKind::opaque);
  if (node == nullptr) return;
  const std::uint64_t size = take_varint(*node);
  const auto bytes = take_bytes(node->column + 1, size, *node);
  RawCursor raw{bytes.data(), bytes.data() + bytes.size()};
  const Frame saved = std::exchange(frame_, Frame{});
  frame_.loop = node;  // names the field in errors
  raw_ = &raw;
  visit_shape<inner_shape<T>()>(*this, value);
  if (raw.at != raw.end) stop_raw();
  raw_ = nullptr;
  name_ = nullptr;
  frame_ = saved;
}

template <class T>
void DecodeArchive::structure(T& value) {
  if constexpr (has_member_table<T>()) {
    aggregate(MemberTableOf<T>::table, std::addressof(value));
  } else {
    const bool is_base = bases_.take_is_base();
    const std::size_t bases = bases_.size();
    Frame saved;
    std::uint32_t version = 0;
    if (begin_structure(takes_version<T>(), saved, version)) {
      visit_fields(*this, value, version);
      end_structure(saved);
    }
    if (!is_base) bases_.shrink(bases);
  }
}

template <class T>
void DecodeArchive::minimal(T& value, std::uint32_t version) {
  if (raw_ == nullptr) {
    pending_ = locate(kind_of<MinimalOf<T, EncodeArchive>>());
    if (pending_ == nullptr) return;
  }
  MinimalOf<T, EncodeArchive> stored{};
  visit_value(*this, stored);
  call_load_minimal(*this, value, stored, version);
}

}  // namespace hdb::detail::record
