// What RegistryMirror asks of a registry of another library, and of each of its pools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/core/tables/table_core.hpp"
#include "hdb/detail/entt/packed_ids.hpp"
#include "hdb/error.hpp"

namespace hdb::detail {

struct FrozenTable;
class PagePin;
class RecordCodec;

/// The components of a pool in memory: pages of equal numbers of components, in packed order.
struct PoolState {
  PackedIds ids;
  std::uint64_t first_hole = 0;             ///< The hole that is used next; all bits: none.
  std::span<const void* const> pages = {};  ///< Empty if components have no data.
  std::size_t page_size = 1;                ///< Components in a page.
};

/// Components of a captured table in packed order, for a pool that is built from them.
class HDB_ENTT_API PoolRecords {
 public:
  explicit PoolRecords(const FrozenTable& table);
  ~PoolRecords();
  PoolRecords(const PoolRecords&) = delete;
  PoolRecords& operator=(const PoolRecords&) = delete;
  /// The record at a position that is not a hole. Valid until the next call.
  [[nodiscard]] const void* at(std::size_t position);
  /// How many records from this one on lie one after another in memory, at most `count`: a part of
  /// a page may have been logged since the capture, and the rest not.
  [[nodiscard]] std::size_t run_at(std::size_t position, std::size_t count);
  /// The table, which stays until release().
  [[nodiscard]] const FrozenTable* table() const noexcept { return &table_; }

 private:
  const FrozenTable& table_;
  std::unique_ptr<PagePin> pin_;
};

/// One pool, or another container of entities, in some registry.
class MirroredPool {
 public:
  MirroredPool() = default;
  virtual ~MirroredPool() = default;
  MirroredPool(const MirroredPool&) = delete;
  MirroredPool& operator=(const MirroredPool&) = delete;

  /// Whether this is one of the pools whose order in the registry is state. A group is not.
  [[nodiscard]] virtual bool is_ordered() const noexcept { return true; }
  /// Which pool of the registry it is: see MirroredRegistry::pools.
  [[nodiscard]] virtual std::uint64_t id() const noexcept = 0;
  [[nodiscard]] virtual bool exists() const noexcept = 0;
  /// Requires: exists().
  [[nodiscard]] virtual PoolState state() = 0;
  /// The codec of the components; null if their bytes may be compared and copied.
  [[nodiscard]] virtual const RecordCodec* codec() { return nullptr; }

  // Taking a state. The registry stays as it is until the calls that cannot fail.

  /// Why the pool cannot take another content, if it cannot.
  [[nodiscard]] virtual Status check() const { return {}; }
  /// Builds a content beside the registry, after those of all pools registered before.
  virtual void build(const PackedArray& order, PoolRecords& records) = 0;
  /// The same for a container that the state does not have.
  virtual void build_missing() = 0;
  /// Whether nothing refers to the pool, so that it may be dropped and created again.
  [[nodiscard]] virtual bool is_movable() const noexcept = 0;
  virtual void drop() noexcept = 0;
  /// Makes the pool, empty.
  virtual void create() = 0;
  /// What was built becomes the content; the old content stays until release().
  virtual void swap_in() noexcept = 0;
  /// Destroys what was built or swapped out.
  virtual void release() noexcept = 0;
};

/// A registry: entities, and pools in an order.
class MirroredRegistry {
 public:
  struct Entities {
    PackedIds ids;
    std::size_t live_count = 0;
    std::uint64_t cursor = 0;  ///< The index of the next fresh entity, unless it is taken.
  };
  struct Pool {
    std::uint64_t id = 0;
    bool is_empty = true;
    std::string_view type;
  };

  MirroredRegistry() = default;
  virtual ~MirroredRegistry() = default;
  MirroredRegistry(const MirroredRegistry&) = delete;
  MirroredRegistry& operator=(const MirroredRegistry&) = delete;

  [[nodiscard]] virtual IdFormat format() const noexcept = 0;
  [[nodiscard]] virtual Entities entities() = 0;
  /// All pools that exist, in their order.
  [[nodiscard]] virtual std::vector<Pool> pools() const = 0;

  virtual void build(const PackedArray& entities, std::uint64_t cursor) = 0;
  virtual void swap_in() noexcept = 0;
  virtual void release() noexcept = 0;
  /// Erases the components that belong to no entity, in all pools but these, as the library erases
  /// components: it notifies listeners, which must not throw. Takes no memory.
  virtual void erase_orphans(std::span<const std::uint64_t> but) noexcept = 0;
};

}  // namespace hdb::detail
