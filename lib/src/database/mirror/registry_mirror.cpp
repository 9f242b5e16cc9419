// A registry of another library and a database: each is made equal to the other.
#include "hdb/detail/database/mirror/registry_mirror.hpp"

#include <algorithm>
#include <exception>
#include <numeric>
#include <utility>

#include "base/sees_detail.hpp"
#include "database/tables/snapshot_data.hpp"
#include "hdb/detail/core/tables/core_of.hpp"
#include "hdb/detail/record/codec.hpp"

namespace hdb::detail {
namespace {

const FrozenTable& frozen_of(const Snapshot& snapshot, std::string_view name) {
  const SnapshotData& data = *data_of(snapshot);
  return data.tables[*data.find(name)].frozen;
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

RegistryMirror::RegistryMirror(Database& database, TableCore& entities, MirroredRegistry& registry)
    : database_(database),
      registry_(registry),
      entities_(entities),
      record_(database.singleton<RegistryRecord>(kRegistry)) {
  entities.add_observer(*this);
}

RegistryMirror::~RegistryMirror() { entities_.core().remove_observer(*this); }

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
  auto entry = std::make_unique<Entry>();
  entry->name = std::move(name);
  entry->pool = std::move(pool);
  if (table != nullptr) entry->mirror = std::make_unique<PackedMirror>(*table);
  pools_.push_back(std::move(entry));
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

Status RegistryMirror::push() {
  if (is_stale_) start_again();
  is_stale_ = true;  // if anything fails
  if (auto pushed = push_all(); !pushed) return pushed;
  is_stale_ = false;
  return {};
}

Status RegistryMirror::push_all() {
  const MirroredRegistry::Entities entities = registry_.entities();
  auto record = record_of(entities);
  if (!record) return fail(std::move(record.error()));
  if (auto taken = entities_.take_entities(entities.ids, entities.live_count); !taken)
    return fail(std::move(taken.error()).in("table 'entities'"));
  for (const auto& entry : pools_) {
    if (entry->mirror == nullptr) continue;
    if (auto pushed = push_pool(*entry); !pushed)
      return fail(std::move(pushed.error()).in("pool '" + entry->name + "'"));
  }
  if (!(*record == *record_)) record_.edit() = *std::move(record);
  return {};
}

Status RegistryMirror::push_pool(Entry& entry) {
  PackedMirror& mirror = *entry.mirror;
  PoolState state;
  state.ids.format = registry_.format();
  state.first_hole = state.ids.format.index_mask();
  if (entry.pool->exists()) state = entry.pool->state();
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

// Destroys what was built, or what was swapped out.
class RegistryMirror::Releasing {
 public:
  explicit Releasing(RegistryMirror& mirror) : mirror_(mirror) {}
  ~Releasing() {
    mirror_.registry_.release();
    for (const auto& entry : mirror_.pools_) entry->pool->release();
  }
  Releasing(const Releasing&) = delete;
  Releasing& operator=(const Releasing&) = delete;

 private:
  RegistryMirror& mirror_;
};

std::vector<RegistryMirror::Entry*> RegistryMirror::wanted_order(
    const RegistryRecord& record) const {
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
    if (entry->pool->is_ordered() && entry->mirror->core().counters().live_count != 0)
      want(entry.get());
  }
  return wanted;
}

// Pools that the state does not have stay behind the others, or anywhere if there is no other way.
Result<RegistryMirror::Reordering> RegistryMirror::plan_order(const RegistryRecord& record) const {
  const std::vector<Entry*> wanted = wanted_order(record);
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

// The content of the dropped pools is built already. Making a pool again needs the memory that
// dropping it gave back; if the system refuses that, there is no way back and the program ends.
void RegistryMirror::reorder(const Reordering& plan) {
  for (Entry* const entry : plan.dropped) entry->pool->drop();
  std::size_t made = 0;
  try {
    for (; made < plan.created.size(); ++made) plan.created[made]->pool->create();
  } catch (...) {
    if (!plan.dropped.empty()) std::terminate();
    while (made != 0) plan.created[--made]->pool->drop();
    throw;
  }
}

Status RegistryMirror::pull() {
  const Snapshot now = database_.capture();
  const IdFormat format = registry_.format();
  auto entities = PackedMirror::entities_of(frozen_of(now, kEntities), format);
  if (!entities) return fail(std::move(entities.error()).in("table 'entities'"));
  const RegistryRecord& record = *record_;
  if (record.next_fresh > format.index_mask()) {
    return fail(ErrorCode::limit_exceeded,
                "next_fresh is " + std::to_string(record.next_fresh) + " of at most " +
                    std::to_string(format.index_mask()),
                "singleton 'registry'");
  }
  for (const auto& entry : pools_) {
    if (auto checked = entry->pool->check(); !checked)
      return fail(std::move(checked.error()).in("pool '" + entry->name + "'"));
  }
  auto plan = plan_order(record);
  if (!plan) return fail(std::move(plan.error()));

  const Releasing releasing(*this);
  registry_.build(*entities, record.next_fresh);
  std::vector<PackedArray> orders(pools_.size());
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    Entry& entry = *pools_[i];
    if (entry.mirror == nullptr) {
      entry.pool->build_missing();
      continue;
    }
    const FrozenTable& table = frozen_of(now, entry.name);
    auto order = PackedMirror::order_of(table, format);
    if (!order) return fail(std::move(order.error()).in("pool '" + entry.name + "'"));
    const bool is_stored = entry.pool->is_ordered() || has(record.groups, entry.name);
    if (is_stored) {
      PoolRecords records(table);
      entry.pool->build(*order, records);
    } else {
      entry.pool->build_missing();
    }
    orders[i] = *std::move(order);
  }
  reorder(*plan);
  registry_.swap_in();
  entities_.follow(*std::move(entities));
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    Entry& entry = *pools_[i];
    if (!entry.pool->is_ordered() || entry.pool->exists()) entry.pool->swap_in();
    if (entry.mirror != nullptr) entry.mirror->follow(std::move(orders[i]));
  }
  is_stale_ = false;
  return {};
}

// Runs something that changes the database, then pulls; after a failure the database is as before.
template <class Run>
auto RegistryMirror::all_or_nothing(const Run& run) -> decltype(run()) {
  const Snapshot before = database_.capture();
  const bool was_stale = is_stale_;
  const auto undo = [&] {
    // Back to a state that the tables had: no memory but that of the pages written since.
    const Status undone = database_.restore(before);
    is_stale_ = was_stale || !undone;
  };
  auto done = run();
  if (!done) return done;
  try {
    if (auto pulled = pull(); !pulled) {
      undo();
      return fail(std::move(pulled.error()));
    }
  } catch (...) {
    undo();
    throw;
  }
  return done;
}

// Changes are those of the registry: the database follows it first.
template <class Options, class Run>
auto RegistryMirror::take(const Options& options, const Run& run) -> decltype(run(options)) {
  if (options.changes == nullptr) return all_or_nothing([&] { return run(options); });
  if (auto pushed = push(); !pushed) return fail(std::move(pushed.error()));
  Changes changes;
  Options own = options;
  own.changes = &changes;
  auto taken = all_or_nothing([&] { return run(own); });
  if (taken) *options.changes = std::move(changes);
  return taken;
}

Status RegistryMirror::restore(const Snapshot& snapshot, const RestoreOptions& options) {
  return take(options, [&](const RestoreOptions& own) { return database_.restore(snapshot, own); });
}

Result<LoadReport> RegistryMirror::load(const std::string& path, const LoadOptions& options) {
  return take(options, [&](const LoadOptions& own) { return database_.load(path, own); });
}

Result<LoadReport> RegistryMirror::load(std::unique_ptr<ByteSource> source,
                                        const LoadOptions& options) {
  return take(options,
              [&](const LoadOptions& own) { return database_.load(std::move(source), own); });
}

}  // namespace hdb::detail
