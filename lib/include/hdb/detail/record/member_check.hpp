// Whether a `serialize` visits every member of its type: what is visited is noted while a default
// object is described. Only builds with assertions compare the notes with the type.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "hdb/assert.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/detail/base/compiler.hpp"
#include "hdb/detail/record/aggregate.hpp"
#include "hdb/record_traits.hpp"

namespace hdb::detail::record {

/// What the `serialize` of one object visited.
class HDB_API VisitedParts {
 public:
  VisitedParts(const void* object, std::size_t size_bytes)
      : object_(static_cast<const std::byte*>(object)), size_bytes_(size_bytes) {}

  /// Notes a value that is one member, or part of one.
  void add_value(const void* at, std::size_t size_bytes);
  /// Notes bytes that may belong to several members.
  void add_bytes(const void* at, std::size_t size_bytes);
  /// Whether each visit is known to mean a place in the object. A value elsewhere, such as a copy,
  /// can mean any members.
  [[nodiscard]] bool are_places_known() const noexcept { return are_places_known_; }
  /// The number of members that were visited, at most; none if some visit may mean several.
  [[nodiscard]] std::optional<std::size_t> count_members() const;
  /// Whether each byte of the object was visited.
  [[nodiscard]] std::vector<bool> visited_bytes() const;
  [[nodiscard]] std::size_t size_bytes() const noexcept { return size_bytes_; }

 private:
  struct Part {
    std::size_t offset = 0;
    std::size_t size_bytes = 0;
  };

  const std::byte* object_;
  std::size_t size_bytes_;
  std::vector<Part> parts_;
  bool are_places_known_ = true;
  bool has_bytes_ = false;
};

/// What the compiler knows about a type that has a `serialize`.
struct MemberFacts {
  std::string_view type_name;
  std::optional<unsigned> members;  ///< See count_members.
  std::vector<bool> value_bytes;    ///< Bytes that are not padding; empty if they are not known.
};

/// One line that says which members or bytes were not visited; empty if none is known to be
/// forgotten. `names` are the fields that were visited, `field` is where the type is in the record
/// (empty: the record itself).
[[nodiscard]] HDB_API std::string forgotten_members(const MemberFacts& facts,
                                                    const VisitedParts& visited,
                                                    const std::vector<std::string_view>& names,
                                                    const std::string& field);

#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS

/// Notes the members that the program declares to be left out as if they were visited.
template <class T>
void add_left_out(const T& value, VisitedParts& visited) {
  if constexpr (NamesLeftOut<T>) {
    std::apply(
        [&](auto... members) {
          (visited.add_value(std::addressof(value.*members), sizeof(value.*members)), ...);
        },
        LeavesOut<T>::members);
  }
}

/// The bytes of a T that are not padding. `clear_padding` sets the padding of the object at its
/// argument to zero bits.
[[nodiscard]] HDB_API std::vector<bool> bytes_left_by(void (*clear_padding)(void*),
                                                      std::size_t size, std::size_t alignment);

template <class T>
[[nodiscard]] std::vector<bool> value_bytes_of() {
  if constexpr (!std::is_trivially_copyable_v<T> || std::is_empty_v<T>) {
    return {};
  } else if constexpr (std::has_unique_object_representations_v<T>) {
    return std::vector<bool>(sizeof(T), true);
  } else {
#if defined(HDB_CLEAR_PADDING)
    return bytes_left_by([](void* at) { HDB_CLEAR_PADDING(static_cast<T*>(at)); }, sizeof(T),
                         alignof(T));
#else
    return {};
#endif
  }
}

#endif

}  // namespace hdb::detail::record
