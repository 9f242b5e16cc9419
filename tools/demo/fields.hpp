// Visits every field of a record through its `serialize`, without hdb: for hashes and lists.
#pragma once

#include <cereal/cereal.hpp>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace demo {

/// A handle of any kind, also one of any table or a strong one.
template <class T>
concept HandleLike = requires(const T& value) {
  { value.is_null() } -> std::same_as<bool>;
  value.bits();
};

/// An archive in cereal's sense that calls `visit(name, value)` with each number, string and
/// handle, and with the length of each list before its elements.
template <class Visit>
class FieldVisitor {
 public:
  explicit FieldVisitor(Visit visit) : visit_(std::move(visit)) {}

  template <class... Pairs>
  void operator()(Pairs&&... pairs) {
    (add(pairs.name, pairs.value), ...);
  }

 private:
  template <class T>
  void add(std::string_view name, T& value) {
    if constexpr (HandleLike<T> || std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      visit_(name, value);
    } else if constexpr (std::is_enum_v<T>) {
      visit_(name, static_cast<std::underlying_type_t<T>>(value));
    } else {
      value.serialize(*this);
    }
  }
  template <class T>
  void add(std::string_view name, std::vector<T>& list) {
    visit_(name, list.size());
    for (T& element : list) add(name, element);
  }

  Visit visit_;
};

/// Calls `visit` with every field of a record.
template <class Record, class Visit>
void visit_fields(const Record& record, Visit visit) {
  Record copy = record;  // cereal's serialize may write
  FieldVisitor<Visit> visitor(std::move(visit));
  copy.serialize(visitor);
}

}  // namespace demo
