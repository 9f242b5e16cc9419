// The longer templates of EncodeArchive.
#pragma once

#include "hdb/detail/record/encode_archive.hpp"

namespace hdb::detail::record {

template <class T>
void EncodeArchive::record(const T& value) {
  begin_record();
  if constexpr (is_structure<T>()) {
    visit_fields(*this, value, 0);
    bases_.shrink(0);
  } else {
    name_next("value");
    visit_value(*this, value);
  }
  if (cursor_ != limit_) [[unlikely]]
    drift_end(limit_);
}

template <class T>
void EncodeArchive::structure(const T& value) {
  if constexpr (has_member_table<T>()) {
    aggregate(MemberTableOf<T>::table, std::addressof(value));
  } else {
    const bool is_base = bases_.take_is_base();
    const std::size_t bases = bases_.size();
    const bool is_raw = raw_ != nullptr;
    Outer outer;
    if (!is_raw) [[likely]] {
      begin_structure(outer);
    } else if (takes_version<T>() && raw_versions_) {
      raw_->put_varint(class_version_of<T>());
    }
    visit_fields(*this, value, 0);  // once: it is the largest part of what a type adds
    if (!is_raw) [[likely]]
      end_structure(outer);
    if (!is_base) bases_.shrink(bases);
  }
}

template <class T>
void EncodeArchive::put_raw(RowBuffer& to, const T& value, bool with_versions) {
  RowBuffer* const raw = std::exchange(raw_, &to);
  const bool versions = std::exchange(raw_versions_, with_versions);
  const bool is_base = bases_.take_is_base();
  visit_shape<inner_shape<T>()>(*this, value);
  if (is_base) bases_.next_is_base();
  name_ = nullptr;
  is_member_ = false;
  raw_ = raw;
  raw_versions_ = versions;
}

/// Calls `visit_one` for all elements; those of unordered containers are sorted by their canonical
/// bytes.
template <class C, class F>
void EncodeArchive::for_each_in_order(const C& container, const F& visit_one) {
  if constexpr (Known<C>::ordered) {
    for (auto&& item : container) visit_one(item);
  } else {
    std::vector<std::pair<std::string, const typename C::value_type*>> items;
    RowBuffer key;
    for (const auto& item : container) {
      key.clear();
      put_raw(key, item, false);
      items.emplace_back(std::string(reinterpret_cast<const char*>(key.bytes().data()), key.size()),
                         &item);
    }
    std::sort(items.begin(), items.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& item : items) visit_one(*item.second);
  }
}

template <class C>
void EncodeArchive::list(const C& container) {
  using E = typename Known<C>::Element;
  const auto size = [&container]() -> std::size_t {
    if constexpr (requires { container.size(); }) {
      return container.size();
    } else {
      return static_cast<std::size_t>(std::distance(container.begin(), container.end()));
    }
  }();
  if (raw_ != nullptr) [[unlikely]] {
    raw_->put_varint(size);
    for_each_in_order(container, [this](const E& item) { visit_value(*this, item); });
    return;
  }
  const PlanNode& node = enter(FieldKind::list);
  const PlanNode* const first = &node + 1;
  const PlanNode* const end = end_of(node);
  put_size(node, size);
  if constexpr (Known<C>::contiguous && kIsBulk<E>) {
    if (first->kind != leaf_kind<E>()) [[unlikely]]
      drift(node, "does not have the element type that the schema states");
    bulk(*first, container.data(), size);
  } else {
    const PlanNode* const limit = limit_;
    Loop* const loop = std::exchange(loop_, nullptr);
    for_each_in_order(container, [&](const E& item) { element(first, end, item); });
    limit_ = limit;
    loop_ = loop;
  }
  cursor_ = end;
}

template <class C>
void EncodeArchive::map(const C& container) {
  if (raw_ != nullptr) [[unlikely]] {
    raw_->put_varint(container.size());
    for_each_in_order(container, [this](const auto& item) {
      visit_value(*this, item.first);
      visit_value(*this, item.second);
    });
    return;
  }
  const PlanNode& node = enter(FieldKind::map);
  const PlanNode* const key = &node + 1;
  const PlanNode* const value = end_of(*key);
  const PlanNode* const end = end_of(node);
  put_size(node, container.size());
  const PlanNode* const limit = limit_;
  Loop* const loop = std::exchange(loop_, nullptr);
  for_each_in_order(container, [&](const auto& item) {
    element(key, value, item.first);
    element(value, end, item.second);
  });
  cursor_ = end;
  limit_ = limit;
  loop_ = loop;
}

template <class C>
void EncodeArchive::loop(FieldKind kind, const C& container) {
  if (raw_ != nullptr) {
    call_save(*this, container);
    return;
  }
  const PlanNode& node = enter(kind);
  const PlanNode* const end = end_of(node);
  const PlanNode* const limit = limit_;
  {
    const Looping looping(*this, node);
    cursor_ = limit_ = end;
    call_save(*this, container);
    finish_loop();
  }
  cursor_ = end;
  limit_ = limit;
}

template <class K, class V>
void EncodeArchive::map_item(const K& key, const V& value) {
  if (raw_ != nullptr) {
    visit_value(*this, key);
    visit_value(*this, value);
    return;
  }
  const PlanNode& map = begin_pair();
  const PlanNode* const first = &map + 1;
  const PlanNode* const second = end_of(*first);
  const PlanNode* const end = end_of(map);
  Loop* const loop = std::exchange(loop_, nullptr);
  element(first, second, key);
  element(second, end, value);
  loop_ = loop;
  cursor_ = limit_ = end;
}

template <class E>
void EncodeArchive::array(const E* data, std::size_t count) {
  if (raw_ != nullptr) [[unlikely]] {
    for (std::size_t i = 0; i < count; ++i) visit_value(*this, data[i]);
    return;
  }
  const PlanNode& node = enter(FieldKind::array);
  if (node.count != count) [[unlikely]]
    drift(node, "does not have the number of elements that the schema states");
  const PlanNode* const first = &node + 1;
  const PlanNode* const end = end_of(node);
  if constexpr (kIsBulk<E>) {
    if (first->kind != leaf_kind<E>()) [[unlikely]]
      drift(node, "does not have the type that the schema states");
    bulk(*first, data, count);
  } else {
    const PlanNode* const limit = limit_;
    Loop* const loop = std::exchange(loop_, nullptr);
    for (std::size_t i = 0; i < count; ++i) element(first, end, data[i]);
    limit_ = limit;
    loop_ = loop;
  }
  cursor_ = end;
}

template <class B>
void EncodeArchive::bits(const B& value) {
  constexpr std::size_t N = B().size();
  bool copy[N == 0 ? 1 : N] = {};
  for (std::size_t i = 0; i < N; ++i) copy[i] = value[i];
  array(&copy[0], N);
}

template <class O>
void EncodeArchive::optional(const O& value) {
  if (raw_ != nullptr) [[unlikely]] {
    raw_->put(static_cast<std::uint8_t>(value.has_value()));
    if (value) visit_value(*this, *value);
    return;
  }
  const PlanNode& node = enter(FieldKind::optional);
  sinks_[node.column].put_bit(value.has_value());
  if (wants_rows_) row_.put(static_cast<std::uint8_t>(value.has_value()));
  const PlanNode* const end = end_of(node);
  if (value) {
    const PlanNode* const limit = limit_;
    Loop* const loop = std::exchange(loop_, nullptr);
    element(&node + 1, end, *value);
    limit_ = limit;
    loop_ = loop;
  }
  cursor_ = end;
}

template <class V>
void EncodeArchive::variant(const V& value) {
  constexpr std::size_t alternatives = std::variant_size_v<typename Known<V>::Stored>;
  const auto tag = static_cast<std::uint8_t>(value.index());
  if (raw_ != nullptr) [[unlikely]] {
    if (Known<V>::is_valueless(value))
      drift_here("a variant holds no value (valueless_by_exception)");
    raw_->put(tag);
    Known<V>::visit(value, [this](const auto& item) { visit_value(*this, item); });
    return;
  }
  const PlanNode& node = enter(FieldKind::variant);
  if (Known<V>::is_valueless(value) || node.children.size() != alternatives) {
    drift(node, "is a variant that holds no value, or differs from the one that the schema states");
  }
  sinks_[node.column].put(tag);
  if (wants_rows_) row_.put(tag);
  const PlanNode* const limit = limit_;
  Loop* const loop = std::exchange(loop_, nullptr);
  const PlanNode* const first = nodes_ + node.children[tag];
  Known<V>::visit(value, [&](const auto& item) { element(first, end_of(*first), item); });
  cursor_ = end_of(node);
  limit_ = limit;
  loop_ = loop;
}

template <class T>
void EncodeArchive::opaque(const T& value) {
  if (raw_ != nullptr) {
    visit_shape<inner_shape<T>()>(*this, value);
    return;
  }
  const PlanNode& node = enter(FieldKind::opaque);
  RowBuffer bytes;
  put_raw(bytes, value, true);
  put_size(node, bytes.size());
  sinks_[node.column + 1].append(bytes.bytes().data(), bytes.size());
  if (wants_rows_) row_.append(bytes.bytes().data(), bytes.size());
}

}  // namespace hdb::detail::record
