// The backend of archives in SQL databases: two tables in each database.
//
//   hdb_archive   one row: version, archive_id, shard, shards, epoch
//   hdb_object    key bytea, bytes bytea
//
// A chunk is on the database with the highest hash of its key and the number of the database
// (rendezvous hashing); manifests and the locks are on database 0.
//
//   PB1  What put_if_absent reports as stored was committed, durably, and confirmed by the standby.
//   PB2  Nothing that is stored is overwritten: a repeated put finds its own object.
//   PB3  A manifest is committed only if no collection began since the hold of its put, also if the
//        connection that held the lock broke: a collection raises the epoch.
//   PB4  A collection removes objects only through the connections that hold its locks.
#include <algorithm>
#include <mutex>
#include <set>

#include "archive/sql/sql_backend.hpp"
#include "base/using_detail.hpp"
#include "hdb/archive_backend.hpp"
#include "hdb/hash.hpp"

namespace hdb {
namespace archive {
namespace {

constexpr std::size_t kBatchObjects = 128;
constexpr std::size_t kBatchBytes = std::size_t{4} << 20;

const std::string kGet = "SELECT bytes FROM hdb_object WHERE key = $1";
const std::string kHas = "SELECT 1 FROM hdb_object WHERE key = $1";
const std::string kPut =
    "INSERT INTO hdb_object (key, bytes) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING";
const std::string kRemove = "DELETE FROM hdb_object WHERE key = $1";
const std::string kList =
    "SELECT key, length(bytes) FROM hdb_object WHERE key > $1 AND key < $2 ORDER BY key "
    "LIMIT 10000";

class SqlBackend final : public ArchiveBackend {
 public:
  SqlBackend(std::vector<std::unique_ptr<SqlPool>> databases, const Hash128& id)
      : databases_(std::move(databases)), id_(id) {
    for (const auto& database : databases_)
      place_ += (place_.empty() ? "" : " ") + database->place();
  }

  Result<std::vector<bool>> put_if_absent(std::span<const ArchiveObject> objects) override;
  Result<std::vector<std::optional<Bytes>>> get(std::span<const ObjectKey> keys) override;
  Result<std::vector<bool>> exists_many(std::span<const ObjectKey> keys) override;
  Result<std::vector<ListedObject>> list(std::string_view prefix) override;
  Status remove(std::span<const ObjectKey> keys) override;
  Result<std::unique_ptr<ArchiveHold>> hold(HoldKind kind,
                                            std::chrono::milliseconds timeout) override;
  const Hash128& archive_id() const noexcept override { return id_; }
  const std::string& place() const noexcept override { return place_; }

 private:
  class Hold;
  using Group = std::vector<std::size_t>;  // numbers of objects or keys

  [[nodiscard]] std::size_t database_of(std::string_view key) const;
  // The numbers of the keys by database, in ascending order of keys, so that two transactions never
  // wait for each other.
  template <class KeyOf>
  [[nodiscard]] std::vector<Group> by_database(std::size_t count, const KeyOf& key_of) const;
  [[nodiscard]] SqlResultOf<void> put_group(SqlConnection& connection, unsigned attempt,
                                            std::span<const ArchiveObject> objects,
                                            const Group& group, std::vector<bool>& stored);
  [[nodiscard]] SqlResultOf<void> check_epoch(SqlConnection& connection);
  // Reads rows for keys; calls found(number, rows) for each.
  template <class Found>
  [[nodiscard]] Status for_each_key(const std::string& statement, std::span<const ObjectKey> keys,
                                    const Found& found);

  std::vector<std::unique_ptr<SqlPool>> databases_;
  const Hash128 id_;
  std::string place_;
  std::mutex mutex_;
  std::multiset<std::int64_t> epochs_;  // of the holds `write`; guarded by mutex_
  Hold* collector_ = nullptr;           // guarded by mutex_
};

// Session locks on all databases. A lock ends with its connection, so no crash leaves one behind.
class SqlBackend::Hold final : public ArchiveHold {
 public:
  Hold(SqlBackend& backend, HoldKind kind) : backend_(backend), kind_(kind) {}
  ~Hold() override {
    {
      const std::lock_guard lock(backend_.mutex_);
      if (backend_.collector_ == this) backend_.collector_ = nullptr;
      if (registered_) backend_.epochs_.erase(backend_.epochs_.find(epoch_));
    }
    for (std::size_t i = connections_.size(); i-- > 0;) {
      if (connections_[i]->unlock()) backend_.databases_[i]->put_back(std::move(connections_[i]));
    }
  }

  [[nodiscard]] Status lock(SqlConnection::Clock::time_point deadline) {
    for (const auto& database : backend_.databases_) {
      auto taken = database->take(deadline);
      if (!taken) return fail(std::move(taken.error().error));
      if (auto locked = (*taken)->lock(kind_, deadline); !locked) {
        Error error = std::move(locked.error().error);
        if (error.code == ErrorCode::save_busy) {
          error.what = kind_ == HoldKind::write ? "a collection of garbage is still running"
                                                : "puts into the archive are still running";
        }
        return fail(std::move(error));
      }
      connections_.push_back(*std::move(taken));
    }
    return kind_ == HoldKind::write ? remember_epoch() : raise_epoch();
  }

  [[nodiscard]] SqlConnection& connection(std::size_t database) { return *connections_[database]; }

 private:
  [[nodiscard]] Status remember_epoch() {
    const auto epoch = connections_[0]->epoch();
    if (!epoch) return fail(epoch.error().error);
    epoch_ = *epoch;
    const std::lock_guard lock(backend_.mutex_);
    backend_.epochs_.insert(epoch_);
    registered_ = true;
    return {};
  }
  [[nodiscard]] Status raise_epoch() {
    auto raised = connections_[0]->run("UPDATE hdb_archive SET epoch = epoch + 1");
    if (!raised) return fail(std::move(raised.error().error));
    const std::lock_guard lock(backend_.mutex_);
    backend_.collector_ = this;
    return {};
  }

  SqlBackend& backend_;
  const HoldKind kind_;
  std::vector<std::unique_ptr<SqlConnection>> connections_;
  std::int64_t epoch_ = 0;
  bool registered_ = false;
};

std::size_t SqlBackend::database_of(std::string_view key) const {
  if (databases_.size() == 1 || !key.starts_with(kChunkKeys)) return 0;
  std::size_t best = 0;
  std::uint64_t highest = 0;
  for (std::size_t i = 0; i < databases_.size(); ++i) {
    const std::uint64_t weight = hash64(bytes_of(std::to_string(i) + ' ' + std::string(key)));
    if (i == 0 || weight > highest) {
      best = i;
      highest = weight;
    }
  }
  return best;
}

template <class KeyOf>
std::vector<SqlBackend::Group> SqlBackend::by_database(std::size_t count,
                                                       const KeyOf& key_of) const {
  std::vector<Group> groups(databases_.size());
  for (std::size_t i = 0; i < count; ++i) groups[database_of(key_of(i))].push_back(i);
  for (Group& group : groups) {
    std::sort(group.begin(), group.end(),
              [&](std::size_t a, std::size_t b) { return key_of(a) < key_of(b); });
  }
  return groups;
}

SqlResultOf<void> SqlBackend::check_epoch(SqlConnection& connection) {
  std::set<std::int64_t> held;
  {
    const std::lock_guard lock(mutex_);
    held.insert(epochs_.begin(), epochs_.end());
  }
  if (held.empty()) return {};  // a put without a hold
  const auto now = connection.epoch();
  if (!now) return tl::unexpected(now.error());
  if (held.size() == 1 && *held.begin() == *now) return {};
  return tl::unexpected(
      SqlFailure{{ErrorCode::save_busy,
                  "garbage was collected while the connection of this save was broken",
                  kNoOffset,
                  {},
                  place_}});
}

SqlResultOf<void> SqlBackend::put_group(SqlConnection& connection, unsigned attempt,
                                        std::span<const ArchiveObject> objects, const Group& group,
                                        std::vector<bool>& stored) {
  if (auto begun = connection.begin(); !begun) return begun;
  if (attempt > 1) {
    // Objects of the broken connection may be here, and not yet at the standby. A commit that
    // writes waits until the standby has everything before it.
    if (auto forced = connection.run("UPDATE hdb_archive SET epoch = epoch"); !forced)
      return tl::unexpected(std::move(forced.error()));
  }
  const std::size_t last = objects.size() - 1;
  const bool has_manifest =
      group.back() == last && objects[last].key.starts_with(kSaveKeys);  // it sorts last
  if (has_manifest) {
    if (auto checked = check_epoch(connection); !checked) return checked;
  }
  for (std::size_t begin = 0; begin < group.size();) {
    std::vector<SqlValues> batch;
    std::size_t bytes = 0;
    std::size_t end = begin;
    for (; end < group.size() && batch.size() < kBatchObjects && bytes < kBatchBytes; ++end) {
      const ArchiveObject& object = objects[group[end]];
      batch.push_back({bytes_of(object.key), object.bytes});
      bytes += object.bytes.size();
    }
    auto rows = connection.run_each(kPut, batch);
    if (!rows) return tl::unexpected(std::move(rows.error()));
    for (std::size_t i = begin; i < end; ++i) stored[group[i]] = (*rows)[i - begin].changed == 1;
    begin = end;
  }
  if (has_manifest && attempt > 1 && !stored[last]) {
    // The broken connection may have stored it: then it is this one, byte for byte.
    auto rows = connection.run(kGet, {bytes_of(objects[last].key)});
    if (!rows) return tl::unexpected(std::move(rows.error()));
    const std::span<const std::byte> ours = objects[last].bytes;
    if (!rows->rows.empty()) {
      const Bytes theirs = rows->take_bytes(0);
      stored[last] = std::equal(theirs.begin(), theirs.end(), ours.begin(), ours.end());
    }
  }
  return connection.commit();
}

Result<std::vector<bool>> SqlBackend::put_if_absent(std::span<const ArchiveObject> objects) {
  std::vector<bool> stored(objects.size(), false);
  if (objects.empty()) return stored;
  const auto groups = by_database(
      objects.size(), [&](std::size_t i) -> const ObjectKey& { return objects[i].key; });
  // AB1: the database of the manifest is the last.
  for (std::size_t i = databases_.size(); i-- > 0;) {
    if (groups[i].empty()) continue;
    auto put = databases_[i]->with([&](SqlConnection& connection, unsigned attempt) {
      return put_group(connection, attempt, objects, groups[i], stored);
    });
    if (!put) return fail(std::move(put.error().error));
  }
  return stored;
}

template <class Found>
Status SqlBackend::for_each_key(const std::string& statement, std::span<const ObjectKey> keys,
                                const Found& found) {
  const auto groups =
      by_database(keys.size(), [&](std::size_t i) -> const ObjectKey& { return keys[i]; });
  for (std::size_t database = 0; database < groups.size(); ++database) {
    const Group& group = groups[database];
    for (std::size_t begin = 0; begin < group.size(); begin += kBatchObjects) {
      const std::size_t end = std::min(begin + kBatchObjects, group.size());
      auto done =
          databases_[database]->with([&](SqlConnection& connection, unsigned) -> SqlResultOf<void> {
            std::vector<SqlValues> batch;
            for (std::size_t i = begin; i < end; ++i) batch.push_back({bytes_of(keys[group[i]])});
            auto rows = connection.run_each(statement, batch);
            if (!rows) return tl::unexpected(std::move(rows.error()));
            for (std::size_t i = begin; i < end; ++i) found(group[i], (*rows)[i - begin]);
            return {};
          });
      if (!done) return fail(std::move(done.error().error));
    }
  }
  return {};
}

Result<std::vector<std::optional<Bytes>>> SqlBackend::get(std::span<const ObjectKey> keys) {
  std::vector<std::optional<Bytes>> found(keys.size());
  auto read = for_each_key(kGet, keys, [&](std::size_t i, SqlRows& rows) {
    if (!rows.rows.empty()) found[i] = rows.take_bytes(0);
  });
  if (!read) return fail(std::move(read.error()));
  return found;
}

Result<std::vector<bool>> SqlBackend::exists_many(std::span<const ObjectKey> keys) {
  std::vector<bool> exist(keys.size(), false);
  auto read = for_each_key(
      kHas, keys, [&](std::size_t i, const SqlRows& rows) { exist[i] = !rows.rows.empty(); });
  if (!read) return fail(std::move(read.error()));
  return exist;
}

Result<std::vector<ListedObject>> SqlBackend::list(std::string_view prefix) {
  std::vector<ListedObject> objects;
  std::string end(prefix);
  while (!end.empty() && end.back() == '\x7f') end.pop_back();
  end.empty() ? end.push_back('\x7f') : static_cast<void>(++end.back());
  for (const auto& database : databases_) {
    std::string after(prefix);
    for (bool more = true; more;) {
      auto listed = database->with([&](SqlConnection& connection, unsigned) -> SqlResultOf<void> {
        auto page = connection.run(kList, {bytes_of(after), bytes_of(end)});
        if (!page) return tl::unexpected(std::move(page.error()));
        for (std::size_t row = 0; row < page->rows.size(); ++row) {
          const Bytes key = page->take_bytes(0, row);
          objects.push_back({ObjectKey(reinterpret_cast<const char*>(key.data()), key.size()),
                             static_cast<std::uint64_t>(page->number(1, row))});
        }
        more = !page->rows.empty();
        if (more && objects.back().key <= after) {  // a damaged index: do not read it for ever
          return tl::unexpected(SqlFailure{{ErrorCode::bad_archive,
                                            "the index of hdb_object is damaged",
                                            kNoOffset,
                                            {},
                                            database->place()}});
        }
        if (more) after = objects.back().key;
        return {};
      });
      if (!listed) return fail(std::move(listed.error().error));
    }
  }
  std::sort(objects.begin(), objects.end(),
            [](const ListedObject& a, const ListedObject& b) { return a.key < b.key; });
  return objects;
}

Status SqlBackend::remove(std::span<const ObjectKey> keys) {
  const auto groups =
      by_database(keys.size(), [&](std::size_t i) -> const ObjectKey& { return keys[i]; });
  const auto remove_from = [&](SqlConnection& connection, const Group& group) -> SqlResultOf<void> {
    for (std::size_t begin = 0; begin < group.size(); begin += kBatchObjects) {
      std::vector<SqlValues> batch;
      for (std::size_t i = begin; i < std::min(begin + kBatchObjects, group.size()); ++i)
        batch.push_back({bytes_of(keys[group[i]])});
      if (auto begun = connection.begin(); !begun) return begun;
      auto rows = connection.run_each(kRemove, batch);
      if (!rows) return tl::unexpected(std::move(rows.error()));
      if (auto done = connection.commit(); !done) return done;
    }
    return {};
  };
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].empty()) continue;
    const bool has_chunks =
        std::any_of(groups[i].begin(), groups[i].end(),
                    [&](std::size_t number) { return keys[number].starts_with(kChunkKeys); });
    Hold* collector = nullptr;
    {
      const std::lock_guard lock(mutex_);
      collector = collector_;
    }
    if (has_chunks && collector == nullptr) {
      return fail(ErrorCode::bad_options, "chunks are removed only under a hold for a collection",
                  place_);
    }
    auto removed = has_chunks ? remove_from(collector->connection(i), groups[i])  // PB4
                              : databases_[i]->with([&](SqlConnection& connection, unsigned) {
                                  return remove_from(connection, groups[i]);
                                });
    if (!removed) return fail(std::move(removed.error().error));
  }
  return {};
}

Result<std::unique_ptr<ArchiveHold>> SqlBackend::hold(HoldKind kind,
                                                      std::chrono::milliseconds timeout) {
  const auto deadline = SqlConnection::Clock::now() + timeout;
  for (std::chrono::milliseconds pause{20};; pause = std::min(pause * 2, kLongestPause)) {
    auto taken = std::make_unique<Hold>(*this, kind);
    Status status = taken->lock(deadline);
    if (status) return std::unique_ptr<ArchiveHold>(std::move(taken));
    if (status.error().code != ErrorCode::archive_unreachable ||
        SqlConnection::Clock::now() + pause > deadline)
      return fail(std::move(status.error()));
    taken.reset();
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace

std::unique_ptr<ArchiveBackend> make_sql_backend(std::vector<std::unique_ptr<SqlPool>> databases,
                                                 const Hash128& archive_id) {
  return std::make_unique<SqlBackend>(std::move(databases), archive_id);
}

}  // namespace archive
}  // namespace hdb
