// RegistryMirror: a database that is kept equal to a registry of another library, in both
// directions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/database.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/detail/entt/mirrored_registry.hpp"
#include "hdb/detail/entt/packed_mirror.hpp"

namespace hdb::detail {

/// The record of an entity, and of a component without data: it has no fields.
struct EmptyRecord {
  template <class Archive>
  void serialize(Archive&) {}
};

/// What a registry has beside entities and pools.
struct RegistryRecord {
  std::uint64_t next_fresh = 0;     ///< See MirroredRegistry::Entities::cursor.
  std::vector<std::string> pools;   ///< The tables of the pools that exist, in their order.
  std::vector<std::string> groups;  ///< The tables of the other containers that exist.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(cereal::make_nvp("next_fresh", next_fresh), cereal::make_nvp("pools", pools),
            cereal::make_nvp("groups", groups));
  }
  friend bool operator==(const RegistryRecord&, const RegistryRecord&) = default;
};

/// The tables of a registry in a database: `entities`, the singleton `registry`, and one component
/// table for each pool.
//
//   MI1 After push and after pull, database and registry have the same content.
//   MI2 push writes only pages whose content changed.
//   MI3 A restore, load or pull that fails does not change the registry. Nor does it change the
//       database, unless copies of components throw again while a load is taken back.
//   MI4 After a restore, load or pull, no pool has a component of an entity that does not exist.
class HDB_ENTT_API RegistryMirror final : private TableObserver {
 public:
  static constexpr const char* kEntities = "entities";
  static constexpr const char* kRegistry = "registry";

  /// `entities` is the core of a table of `database` named kEntities; all three outlive the mirror.
  RegistryMirror(Database& database, TableCore& entities, MirroredRegistry& registry);
  ~RegistryMirror();

  /// Errors: duplicate_name if the mirror has a pool of this id, or ignores it.
  [[nodiscard]] Status check_new(std::uint64_t id, std::string_view name) const;
  /// Adds a pool whose table is `table`; null if it has no table. Requires: check_new.
  void add(std::string name, TableCore* table, std::unique_ptr<MirroredPool> pool);
  /// Leaves a pool out: it is not state. A component in it that has no entity after a restore, load
  /// or pull is erased. Errors: as check_new.
  [[nodiscard]] Status ignore(std::uint64_t id);
  [[nodiscard]] MirroredPool* find(std::uint64_t id) const noexcept;
  /// Whether the table is one of a pool.
  [[nodiscard]] bool has_table(std::string_view name) const noexcept;

  /// Makes the database equal to the registry.
  /// Errors: not_found if a pool with components is neither added nor ignored; those of
  /// PackedMirror and of RecordCodec; what the copy constructor of a component throws.
  [[nodiscard]] Status push();
  /// Makes the registry equal to the database.
  /// Errors: bad_options if pools that others refer to would have to change their order;
  /// limit_exceeded; what the copy constructor of a component throws.
  [[nodiscard]] Status pull();
  /// Database::restore and Database::load, and then pull: all or nothing.
  [[nodiscard]] Status restore(const Snapshot& snapshot, const RestoreOptions& options);
  [[nodiscard]] Result<LoadReport> load(const std::string& path, const LoadOptions& options);
  [[nodiscard]] Result<LoadReport> load(std::unique_ptr<ByteSource> source,
                                        const LoadOptions& options);

 private:
  struct Entry {
    std::string name;
    std::unique_ptr<MirroredPool> pool;
    std::unique_ptr<PackedMirror> mirror;  // null: no table
  };

  void on_erased(std::uint32_t, std::uint32_t) noexcept override { is_stale_ = true; }
  void on_cleared(bool) noexcept override { is_stale_ = true; }
  void on_replaced() noexcept override { is_stale_ = true; }

  [[nodiscard]] Status push_all();
  [[nodiscard]] Status push_pool(Entry& entry, const PoolState& state);
  [[nodiscard]] Result<bool> is_same(const Entry& entry, std::size_t first, std::size_t count,
                                     const void* from, std::size_t stride) const;
  [[nodiscard]] Result<RegistryRecord> record_of(const MirroredRegistry::Entities& entities) const;
  void start_again();
  [[nodiscard]] std::vector<Entry*> existing() const;
  // The pools that must be dropped, in this order, and those to create then.
  struct Reordering {
    std::vector<Entry*> dropped;
    std::vector<Entry*> created;
  };
  class Built;
  [[nodiscard]] TableCore& record_core() const noexcept;
  [[nodiscard]] std::vector<Entry*> wanted_order(const RegistryRecord& record,
                                                 const std::vector<const Entry*>& filled) const;
  [[nodiscard]] Result<Reordering> plan_order(const RegistryRecord& record,
                                              const std::vector<const Entry*>& filled) const;
  [[nodiscard]] Status build(const Snapshot& state, Built& built);
  void commit(Built& built) noexcept;
  template <class Options, class Run>
  auto with_changes(const Options& options, const Run& run) -> decltype(run(options));
  template <class Run>
  [[nodiscard]] Result<LoadReport> load_by(const LoadOptions& options, const Run& run);

  Database& database_;
  MirroredRegistry& registry_;
  PackedMirror entities_;
  Singleton<RegistryRecord>& record_;
  std::vector<std::unique_ptr<Entry>> pools_;
  std::vector<std::uint64_t> ordered_;  // the ids of the pools that are state
  std::vector<std::uint64_t> ignored_;
  bool is_stale_ = false;  // the tables are not those of the last push or pull
};

}  // namespace hdb::detail
