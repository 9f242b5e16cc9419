// EnTT's identifiers as hdb sees them, and the version of EnTT.
#pragma once

// A program that has included EnTT keeps its choice of headers: one for all, or single ones.
#ifndef ENTT_ENTITY_REGISTRY_HPP
#if __has_include(<entt/entity/registry.hpp>)
#include <entt/entity/registry.hpp>
#else
#include <entt/entt.hpp>
#endif
#endif

#include <bit>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "hdb/detail/entt/packed_ids.hpp"
#include "hdb/handle.hpp"
#include "hdb/record_traits.hpp"

static_assert((ENTT_VERSION_MAJOR == 3 && ENTT_VERSION_MINOR >= 15 && ENTT_VERSION_MINOR <= 16) ||
                  ENTT_VERSION_MAJOR == 4,
              "hdb/entt.hpp was tested with EnTT 3.15, 3.16 and 4; with this version it may lose "
              "state");

namespace hdb::detail {

/// The parts of an identifier. Requires: 32 or 64 bits, all of them index or version.
template <class Entity>
[[nodiscard]] consteval IdFormat id_format() {
  using Traits = ::entt::entt_traits<Entity>;
  constexpr auto kIndexMask = std::uint64_t{Traits::entity_mask};
  constexpr auto kVersionMask = std::uint64_t{Traits::version_mask};
  constexpr IdFormat kFormat{sizeof(Entity), static_cast<unsigned>(std::popcount(kIndexMask)),
                             static_cast<unsigned>(std::popcount(kVersionMask))};
  static_assert(kFormat.width_bytes == 4 || kFormat.width_bytes == 8,
                "hdb: an entity must have 32 or 64 bits");
  static_assert(kFormat.version_bits != 0 && kFormat.index_bits <= 32 &&
                    kFormat.index_bits + kFormat.version_bits == 8 * kFormat.width_bytes,
                "hdb: index and version must use all bits of an entity, at most 32 for the index");
  return kFormat;
}

template <class Entity>
using EntityLayout = MirrorLayout<id_format<Entity>().index_bits, id_format<Entity>().version_bits>;
template <class Entity>
using EntityHandle = Handle<Entity, EntityLayout<Entity>>;

/// Entity fields are stored as handles: the generation is the version + 1, and the null entity is
/// the null handle. Every value comes back: adding 1 to the version is undone by taking it away,
/// and the value that adding makes zero takes the place of the null entity.
template <class Entity>
struct EntityAsHandle {
  using HandleType = EntityHandle<Entity>;
  using Bits = typename HandleType::Bits;

  [[nodiscard]] static HandleType to(Entity entity) noexcept {
    const auto bits = static_cast<Bits>(::entt::to_integral(entity));
    return HandleType::from_bits(exchange(static_cast<Bits>(bits + kOne)));
  }
  [[nodiscard]] static Entity from(HandleType handle) noexcept {
    return static_cast<Entity>(static_cast<Bits>(exchange(handle.bits()) - kOne));
  }

 private:
  static constexpr Bits kOne = Bits{1} << id_format<Entity>().index_bits;
  static constexpr Bits kNull = kOne - 1;  // of the null entity, after the addition
  [[nodiscard]] static constexpr Bits exchange(Bits bits) noexcept {
    if (bits == 0) return kNull;
    return bits == kNull ? Bits{0} : bits;
  }
};

/// The name of a pool's component type.
template <class Set>
[[nodiscard]] std::string_view component_name(const Set& pool) {
  if constexpr (requires { pool.info(); }) {
    return pool.info().name();
  } else {
    return pool.type().name();
  }
}

}  // namespace hdb::detail

/// @cond
template <>
struct hdb::AsHandle<::entt::entity> : hdb::detail::EntityAsHandle<::entt::entity> {};
/// @endcond
