// A registry of another library and a database: each is made equal to the other.
#include "hdb/detail/entt/registry_mirror.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/using_detail.hpp"
#include "database/tables/snapshot_data.hpp"
#include "hdb/changes.hpp"
#include "hdb/detail/core/tables/core_of.hpp"
#include "record/codec.hpp"

namespace hdb::detail {
namespace {

// The table in a snapshot; null if the snapshot is older than the table.
Result<const FrozenTable*> frozen_of(const Snapshot& snapshot, std::string_view name,
                                     const TableCore& core) {
  const SnapshotData* const data = data_of(snapshot).get();
  if (data == nullptr) return fail(ErrorCode::foreign_snapshot, "the snapshot is empty", "restore");
  const auto found = data->find(name);
  if (!found) return nullptr;
  const SnapshotTable& table = data->tables()[*found];
  if (table.entry->content == &core) return &table.frozen;
  return fail(ErrorCode::foreign_snapshot,
              "the snapshot was captured from another database; save and load it",
              "restore of table '" + std::string(name) + "'");
}

template <class Value>
bool has(const std::vector<Value>& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// The hash of components in memory, whoever has them.
Result<Hash128> hash_of(const RecordCodec& codec, std::span<const void* const> records) {
  std::vector<std::uint32_t> rows(records.size());
  std::iota(rows.begin(), rows.end(), std::uint32_t{0});
  RecordBatch batch;
  batch.records = records;
  batch.slots = rows;
  batch.generations = rows;
  return codec.hash_rows(batch);
}

}  // namespace

PoolRecords::PoolRecords(const FrozenTable& table)
    : table_(table), pin_(std::make_unique<PagePin>(table.records)) {}

PoolRecords::~PoolRecords() = default;

const void* PoolRecords::at(std::size_t position) { return pin_->at(position); }

std::size_t PoolRecords::run_at(std::size_t position, std::size_t count) {
  return pin_->run_at(position, count);
}

RegistryMirror::RegistryMirror(Database& database, TableCore& entities, MirroredRegistry& registry)
    : database_(database),
      registry_(registry),
      entities_(entities),
      record_(database.singleton<RegistryRecord>(kRegistry)) {
  entities.add_observer(*this);
  entities.set_held(true);
  record_core().set_held(true);
}

RegistryMirror::~RegistryMirror() {
  entities_.core().remove_observer(*this);
  entities_.core().set_held(false);
  record_core().set_held(false);
  for (const auto& entry : pools_) {
    if (entry->mirror != nullptr) entry->mirror->core().set_held(false);
  }
}

MirroredPool* RegistryMirror::find(std::uint64_t id) const noexcept {
  for (const auto& entry : pools_) {
    if (entry->pool->id() == id) return entry->pool.get();
  }
  return nullptr;
}

bool RegistryMirror::has_table(std::string_view name) const noexcept {
  return std::any_of(pools_.begin(), pools_.end(), [&](const auto& entry) {
    return entry->mirror != nullptr && entry->pool->is_ordered() && entry->name == name;
  });
}

Status RegistryMirror::check_new(std::uint64_t id, std::string_view name) const {
  if (find(id) == nullptr && !has(ignored_, id)) return {};
  return fail(ErrorCode::duplicate_name, "the pool is registered or left out already",
              "pool '" + std::string(name) + "'");
}

void RegistryMirror::add(std::string name, TableCore* table, std::unique_ptr<MirroredPool> pool) {
  if (pool->is_ordered()) ordered_.push_back(pool->id());
  auto entry = std::make_unique<Entry>();
  entry->name = std::move(name);
  entry->pool = std::move(pool);
  if (table != nullptr) entry->mirror = std::make_unique<PackedMirror>(*table);
  pools_.push_back(std::move(entry));
  if (table != nullptr) table->set_held(true);
}

Status RegistryMirror::ignore(std::uint64_t id) {
  if (auto checked = check_new(id, "left out"); !checked) return checked;
  ignored_.push_back(id);
  return {};
}

std::vector<RegistryMirror::Entry*> RegistryMirror::existing() const {
  std::vector<Entry*> entries;
  for (const MirroredRegistry::Pool& pool : registry_.pools()) {
    for (const auto& entry : pools_) {
      if (entry->pool->is_ordered() && entry->pool->id() == pool.id) entries.push_back(entry.get());
    }
  }
  return entries;
}

// --- registry to database

Result<RegistryRecord> RegistryMirror::record_of(const MirroredRegistry::Entities& entities) const {
  for (const MirroredRegistry::Pool& pool : registry_.pools()) {
    if (pool.is_empty || find(pool.id) != nullptr || has(ignored_, pool.id)) continue;
    return fail(ErrorCode::not_found,
                "the registry has components of a pool that is neither registered nor left out; "
                "call pool() or leave_out() for it",
                "pool of " + std::string(pool.type));
  }
  RegistryRecord record;
  record.next_fresh = entities.cursor;
  for (const Entry* const entry : existing()) record.pools.push_back(entry->name);
  for (const auto& entry : pools_) {
    if (!entry->pool->is_ordered() && entry->mirror != nullptr && entry->pool->exists())
      record.groups.push_back(entry->name);
  }
  return record;
}

void RegistryMirror::start_again() {
  entities_.core().reset();  // the components go with it
  entities_.forget();
  for (const auto& entry : pools_) {
    if (entry->mirror != nullptr) entry->mirror->forget();
  }
}

// After a failure the tables are empty: what is half taken over is no state of anything.
Status RegistryMirror::push() {
  class Guard {
   public:
    explicit Guard(RegistryMirror& mirror) : mirror_(mirror) { mirror_.is_stale_ = true; }
    ~Guard() {
      if (!mirror_.is_stale_) return;
      try {
        mirror_.start_again();
      } catch (...) {  // the next push does it
      }
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    RegistryMirror& mirror_;
  };
  if (is_stale_) start_again();
  const Guard guard(*this);
  auto pushed = push_all();
  is_stale_ = !pushed;
  return pushed;
}

Status RegistryMirror::push_all() {
  const MirroredRegistry::Entities entities = registry_.entities();
  auto record = record_of(entities);
  if (!record) return fail(std::move(record.error()));
  std::vector<PoolState> states(pools_.size());
  std::uint64_t most_positions = 0;
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    states[i].ids.format = registry_.format();
    states[i].first_hole = states[i].ids.format.index_mask();
    if (pools_[i]->mirror != nullptr && pools_[i]->pool->exists())
      states[i] = pools_[i]->pool->state();
    most_positions = std::max<std::uint64_t>(most_positions, states[i].ids.size);
  }
  if (auto taken = entities_.take_entities(entities.ids, entities.live_count, most_positions);
      !taken) {
    return fail(std::move(taken.error()).in("table 'entities'"));
  }
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    if (pools_[i]->mirror == nullptr) continue;
    if (auto pushed = push_pool(*pools_[i], states[i]); !pushed)
      return fail(std::move(pushed.error()).in("pool '" + pools_[i]->name + "'"));
  }
  if (!(*record == *record_)) record_.edit() = *std::move(record);
  return {};
}

Status RegistryMirror::push_pool(Entry& entry, const PoolState& state) {
  PackedMirror& mirror = *entry.mirror;
  if (auto taken = mirror.take_order(state.ids, state.first_hole); !taken) return taken;
  if (auto owned = mirror.check_owned(entities_.written_slots()); !owned) return owned;
  if (state.pages.empty()) return {};  // components without data
  const std::size_t run = std::min(mirror.per_page(), state.page_size);
  const std::size_t stride = mirror.core().records().stride();
  for (std::size_t first = 0; first < state.ids.size; first += run) {
    const std::size_t count = std::min(run, state.ids.size - first);
    const void* const from = static_cast<const std::byte*>(state.pages[first / state.page_size]) +
                             first % state.page_size * stride;
    if (entry.pool->codec() != nullptr && !mirror.lacks_records(first, count)) {
      auto same = is_same(entry, first, count, from, stride);
      if (!same) return fail(std::move(same.error()));
      if (*same) continue;
    }
    mirror.take_records(first, count, from);
  }
  return {};
}

Result<bool> RegistryMirror::is_same(const Entry& entry, std::size_t first, std::size_t count,
                                     const void* from, std::size_t stride) const {
  const TableCore& core = entry.mirror->core();
  std::vector<const void*> own;
  std::vector<const void*> others;
  for (std::size_t i = 0; i < count; ++i) {
    if (!core.is_live_place(first + i)) continue;
    own.push_back(core.record_at(static_cast<std::uint32_t>(first + i)));
    others.push_back(static_cast<const std::byte*>(from) + i * stride);
  }
  auto one = hash_of(*entry.pool->codec(), own);
  if (!one) return fail(std::move(one.error()));
  auto other = hash_of(*entry.pool->codec(), others);
  if (!other) return fail(std::move(other.error()));
  return *one == *other;
}

// --- database to registry

// What a registry is to become. When it ends, what was built, or swapped out, is destroyed; and so
// are the pools that were made for a state that did not come.
class RegistryMirror::Built {
 public:
  explicit Built(RegistryMirror& mirror) : orders(mirror.pools_.size()), mirror_(mirror) {}
  ~Built() {
    mirror_.registry_.release();
    for (const auto& entry : mirror_.pools_) entry->pool->release();
    while (!made_.empty()) {
      made_.back()->pool->drop();
      made_.pop_back();
    }
  }
  Built(const Built&) = delete;
  Built& operator=(const Built&) = delete;

  /// Makes the pools that the registry lacks, empty. Not if others must be dropped before.
  void make_pools() {
    if (!plan.dropped.empty()) return;
    made_.reserve(plan.created.size());
    for (Entry* const entry : plan.created) {
      entry->pool->create();
      made_.push_back(entry);
    }
  }
  /// The rest. Making a pool again needs the memory that dropping it gave back; if the system
  /// refuses that, there is no way back and the program ends.
  void make_pools_again() noexcept {
    made_.clear();
    if (plan.dropped.empty()) return;
    for (Entry* const entry : plan.dropped) entry->pool->drop();
    for (Entry* const entry : plan.created) entry->pool->create();
  }

  PackedArray entities;
  std::vector<PackedArray> orders;  // of the tables of pools_
  Reordering plan;

 private:
  RegistryMirror& mirror_;
  std::vector<Entry*> made_;
};

std::vector<RegistryMirror::Entry*> RegistryMirror::wanted_order(
    const RegistryRecord& record, const std::vector<const Entry*>& filled) const {
  std::vector<Entry*> wanted;
  const auto want = [&](Entry* entry) {
    if (!has(wanted, entry)) wanted.push_back(entry);
  };
  for (const std::string& name : record.pools) {
    for (const auto& entry : pools_) {
      if (entry->pool->is_ordered() && entry->name == name) want(entry.get());
    }
  }
  for (const auto& entry : pools_) {  // of a file that no registry wrote
    const Entry* const each = entry.get();
    if (entry->pool->is_ordered() && has(filled, each)) want(entry.get());
  }
  return wanted;
}

// Pools that the state does not have stay behind the others, or anywhere if there is no other way.
Result<RegistryMirror::Reordering> RegistryMirror::plan_order(
    const RegistryRecord& record, const std::vector<const Entry*>& filled) const {
  const std::vector<Entry*> wanted = wanted_order(record, filled);
  std::vector<Entry*> present = existing();
  const auto plan = [&] {
    Reordering made;
    const auto differ = std::mismatch(present.begin(), present.end(), wanted.begin(), wanted.end());
    made.created.assign(differ.second, wanted.end());
    if (!made.created.empty()) {
      made.dropped.assign(std::make_reverse_iterator(present.end()),
                          std::make_reverse_iterator(differ.first));
    }
    return made;
  };
  const auto first_fixed = [](const Reordering& made) {
    return std::find_if(made.dropped.begin(), made.dropped.end(),
                        [](const Entry* entry) { return !entry->pool->is_movable(); });
  };
  Reordering made = plan();
  if (first_fixed(made) == made.dropped.end()) return made;
  std::erase_if(present, [&](Entry* entry) { return !has(wanted, entry); });
  made = plan();
  const auto fixed = first_fixed(made);
  if (fixed == made.dropped.end()) return made;
  std::string names;
  for (const Entry* const each : wanted) names += (names.empty() ? "" : ", ") + each->name;
  return fail(ErrorCode::bad_options,
              "the registry has its pools in another order than the saved one, and this pool "
              "cannot be made again because it has listeners or a group; connect listeners and "
              "make groups in this order of pools, or after the load: " +
                  names,
              "pool '" + (*fixed)->name + "'");
}

TableCore& RegistryMirror::record_core() const noexcept {
  return core_of(*database_.find_table<RegistryRecord>(kRegistry));
}

Status RegistryMirror::build(const Snapshot& state, Built& built) {
  const IdFormat format = registry_.format();
  const auto entities = frozen_of(state, kEntities, entities_.core());
  if (!entities) return fail(entities.error());
  const auto singleton = frozen_of(state, kRegistry, record_core());
  if (!singleton) return fail(singleton.error());
  auto array = PackedMirror::entities_of(**entities, format);
  if (!array) return fail(std::move(array.error()).in("table 'entities'"));
  built.entities = *std::move(array);
  const auto place = static_cast<std::size_t>((*singleton)->place_of(0));
  const RegistryRecord record =
      *static_cast<const RegistryRecord*>(PoolRecords(**singleton).at(place));
  if (record.next_fresh > format.index_mask()) {
    return fail(ErrorCode::limit_exceeded,
                "next_fresh is " + std::to_string(record.next_fresh) + " of at most " +
                    std::to_string(format.index_mask()),
                "singleton 'registry'");
  }
  registry_.build(built.entities, record.next_fresh);
  std::vector<const Entry*> filled;
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    Entry& entry = *pools_[i];
    const auto in_pool = [&](Error error) {
      return fail(std::move(error).in("pool '" + entry.name + "'"));
    };
    if (auto checked = entry.pool->check(); !checked) return in_pool(checked.error());
    const FrozenTable* table = nullptr;
    if (entry.mirror != nullptr) {
      const auto found = frozen_of(state, entry.name, entry.mirror->core());
      if (!found) return fail(found.error());
      table = *found;
    }
    PackedArray& order = built.orders[i];
    order.format = format;
    order.first_hole = format.index_mask();
    if (table != nullptr) {
      auto taken = PackedMirror::order_of(*table, format);
      if (!taken) return in_pool(std::move(taken.error()));
      order = *std::move(taken);
    }
    if (table == nullptr || !(entry.pool->is_ordered() || has(record.groups, entry.name))) {
      entry.pool->build_missing();
      continue;
    }
    PoolRecords records(*table);
    entry.pool->build(order, records);
    if (order.size != 0) filled.push_back(&entry);
  }
  auto plan = plan_order(record, filled);
  if (!plan) return fail(std::move(plan.error()));
  built.plan = *std::move(plan);
  built.make_pools();
  return {};
}

void RegistryMirror::commit(Built& built) noexcept {
  built.make_pools_again();
  registry_.swap_in();
  entities_.follow(std::move(built.entities));
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    Entry& entry = *pools_[i];
    if (!entry.pool->is_ordered() || entry.pool->exists()) entry.pool->swap_in();
    if (entry.mirror != nullptr) entry.mirror->follow(std::move(built.orders[i]));
  }
  is_stale_ = false;
  registry_.erase_orphans(ordered_);
}

Status RegistryMirror::pull() {
  const Snapshot now = database_.capture();
  Built built(*this);
  if (auto done = build(now, built); !done) return done;
  commit(built);
  return {};
}

// Changes are those of the registry: the database follows it first.
template <class Options, class Run>
auto RegistryMirror::with_changes(const Options& options, const Run& run)
    -> decltype(run(options)) {
  if (options.changes == nullptr) return run(options);
  if (auto pushed = push(); !pushed) return fail(std::move(pushed.error()));
  Changes changes;
  Options own = options;
  own.changes = &changes;
  auto done = run(own);
  if (done) *options.changes = std::move(changes);
  return done;
}

Status RegistryMirror::restore(const Snapshot& snapshot, const RestoreOptions& options) {
  return with_changes(options, [&](const RestoreOptions& own) -> Status {
    Built built(*this);
    if (auto done = build(snapshot, built); !done) return done;
    if (auto restored = database_.restore(snapshot, own); !restored) return restored;
    commit(built);
    return {};
  });
}

// Only a load makes records of a file, so it comes first. If they do not fit the registry, the
// database goes back; if a component cannot even be copied for that, the next push does the rest.
template <class Run>
Result<LoadReport> RegistryMirror::load_by(const LoadOptions& options, const Run& run) {
  return with_changes(options, [&](const LoadOptions& own) -> Result<LoadReport> {
    const Snapshot before = database_.capture();
    const bool was_stale = is_stale_;
    auto loaded = run(own);
    if (!loaded) return loaded;
    const auto undo = [&] {
      try {
        is_stale_ = !database_.restore(before) || was_stale;
      } catch (...) {
        is_stale_ = true;
      }
    };
    try {
      if (auto pulled = pull(); !pulled) {
        undo();
        return fail(std::move(pulled.error()));
      }
    } catch (...) {
      undo();
      throw;
    }
    return loaded;
  });
}

Result<LoadReport> RegistryMirror::load(const std::string& path, const LoadOptions& options) {
  return load_by(options, [&](const LoadOptions& own) { return database_.load(path, own); });
}

Result<LoadReport> RegistryMirror::load(std::unique_ptr<ByteSource> source,
                                        const LoadOptions& options) {
  return load_by(options,
                 [&](const LoadOptions& own) { return database_.load(std::move(source), own); });
}

}  // namespace hdb::detail
