// The members of an aggregate as data, so that archives visit them without code of the aggregate's
// own: what is compiled for a member type serves all records that have such members.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "hdb/detail/record/aggregate.hpp"
#include "hdb/handle.hpp"

namespace hdb::detail::record {

class DescribeArchive;
class EncodeArchive;
class DecodeArchive;

template <class Ar, class V>
void visit_value(Ar& ar, V& value);

/// What archives do with members of one type.
struct MemberFunctions {
  std::size_t size_bytes;
  void (*describe)(DescribeArchive& archive, const void* member);
  void (*save)(EncodeArchive& archive, const void* member);
  void (*load)(DecodeArchive& archive, void* member);
};
template <class M>
struct MemberVisits {
  static void save(EncodeArchive& archive, const void* member) {
    visit_value(archive, *static_cast<const M*>(member));
  }
  static void load(DecodeArchive& archive, void* member) {
    visit_value(archive, *static_cast<M*>(member));
  }
};
/// Handles of one layout, whatever they name: their bits.
template <class L>
struct HandleVisits {
  using Bits = typename L::Bits;
  static void save(EncodeArchive& archive, const void* member) {
    const auto handle = Handle<void, L>::from_bits(*static_cast<const Bits*>(member));
    visit_value(archive, handle);
  }
  static void load(DecodeArchive& archive, void* member) {
    auto handle = Handle<void, L>::from_bits(*static_cast<const Bits*>(member));
    visit_value(archive, handle);
    *static_cast<Bits*>(member) = handle.bits();
  }
};
template <class T, class L>
struct MemberVisits<Handle<T, L>> : HandleVisits<L> {
  static_assert(std::is_standard_layout_v<Handle<T, L>>, "the bits have the address of the handle");
};
template <class M>
struct FunctionsOfMember {
  static void describe(DescribeArchive& archive, const void* member) {
    visit_value(archive, *static_cast<const M*>(member));
  }
  static constexpr MemberFunctions functions = {sizeof(M), &describe, &MemberVisits<M>::save,
                                                &MemberVisits<M>::load};
};

struct Member {
  const char* name = nullptr;
  const MemberFunctions* functions = nullptr;
};
/// The members of an aggregate that are not left out, in order.
struct MemberTable {
  const Member* members;
  std::size_t count;
  /// Writes their addresses in `object` to `at`, which has room for kMostMembers.
  void (*find)(const void* object, const void** at);
};

/// Null for members that are left out: they may be of any type.
template <class M, bool IsLeftOut>
[[nodiscard]] consteval const MemberFunctions* functions_of() {
  if constexpr (IsLeftOut) {
    return nullptr;
  } else {
    return &FunctionsOfMember<M>::functions;
  }
}
template <class T, class Pointers>
struct FunctionsOfMembers;
template <class T, std::size_t... I, class... M>
struct FunctionsOfMembers<T, MemberPointers<std::index_sequence<I...>, M*...>> {
  static constexpr std::array<const MemberFunctions*, sizeof...(M)> all = {
      functions_of<M, Members<T>::left_out[I]>()...};
};

template <class T>
struct MemberTableOf {
  static constexpr std::size_t count = [] {
    std::size_t left_out = 0;
    for (const bool is_left_out : Members<T>::left_out) left_out += is_left_out ? 1 : 0;
    return Members<T>::count - left_out;
  }();
  static constexpr std::array<Member, count> members = [] {
    std::array<Member, count> kept{};
    std::size_t next = 0;
    for (std::size_t i = 0; i < Members<T>::count; ++i) {
      if (Members<T>::left_out[i]) continue;
      kept[next++] = {Members<T>::names[i],
                      FunctionsOfMembers<T, decltype(member_pointers<T>())>::all[i]};
    }
    return kept;
  }();
  static void find(const void* object, [[maybe_unused]] const void** at) {
    with_members<Members<T>::count>(*static_cast<const T*>(object), [&at](auto&... member) {
      [[maybe_unused]] std::size_t i = 0;
      ((Members<T>::left_out[i++] ? nullptr : (*at++ = std::addressof(member))), ...);
    });
  }
  static constexpr MemberTable table = {members.data(), count, &find};
};

}  // namespace hdb::detail::record
