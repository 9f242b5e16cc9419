// The backend of archives in PostgreSQL: two tables on each server.
//
//   hdb_archive   one row: version, archive_id, shard, shards, epoch
//   hdb_object    key bytea, bytes bytea
//
// A chunk is on the server with the highest hash of its key and the number of the server
// (rendezvous hashing); manifests and the locks are on server 0.
//
//   PB1  What put_if_absent reports as stored was committed, durably, and confirmed by the standby.
//   PB2  Nothing that is stored is overwritten: a repeated put finds its own object.
//   PB3  A manifest is committed only if no collection began since the hold of its put, also if the
//        connection that held the lock broke: a collection raises the epoch.
//   PB4  A collection removes objects only through the connections that hold its locks.
#include <algorithm>
#include <map>
#include <set>

#include "base/using_detail.hpp"
#include "hdb/archive_backend.hpp"
#include "hdb/hash.hpp"
#include "postgres/postgres_backend.hpp"

namespace hdb {
namespace archive {
namespace {

constexpr std::size_t kBatchObjects = 128;
constexpr std::size_t kBatchBytes = std::size_t{4} << 20;

std::int64_t number_in(const PGresult* rows, int column) {
  std::uint64_t value = 0;
  for (const std::byte byte : bytes_in(rows, 0, column))
    value = value << 8 | std::to_integer<std::uint64_t>(byte);
  return static_cast<std::int64_t>(value);
}

class PostgresBackend final : public ArchiveBackend {
 public:
  PostgresBackend(std::vector<std::unique_ptr<ServerPool>> servers, const Hash128& id)
      : servers_(std::move(servers)), id_(id) {
    for (const auto& server : servers_)
      place_ += (place_.empty() ? "" : " ") + server->server().place;
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

  [[nodiscard]] std::size_t server_of(std::string_view key) const;
  // The numbers of the keys by server, in ascending order of keys, so that two transactions never
  // wait for each other.
  template <class KeyOf>
  [[nodiscard]] std::vector<Group> by_server(std::size_t count, const KeyOf& key_of) const;
  [[nodiscard]] PgResultOf<void> put_group(PgConnection& connection, unsigned attempt,
                                           std::span<const ArchiveObject> objects,
                                           const Group& group, std::vector<bool>& stored);
  [[nodiscard]] PgResultOf<void> check_epoch(PgConnection& connection);
  // Reads rows for keys; calls found(number, rows) for each.
  template <class Found>
  [[nodiscard]] Status for_each_key(PgStatement statement, std::span<const ObjectKey> keys,
                                    const Found& found);

  std::vector<std::unique_ptr<ServerPool>> servers_;
  const Hash128 id_;
  std::string place_;
  std::mutex mutex_;
  std::multiset<std::int64_t> epochs_;  // of the holds `write`; guarded by mutex_
  Hold* collector_ = nullptr;           // guarded by mutex_
};

// Session locks on all servers. A lock ends with its connection, so no crash leaves one behind.
class PostgresBackend::Hold final : public ArchiveHold {
 public:
  Hold(PostgresBackend& backend, HoldKind kind) : backend_(backend), kind_(kind) {}
  ~Hold() override {
    {
      const std::lock_guard lock(backend_.mutex_);
      if (backend_.collector_ == this) backend_.collector_ = nullptr;
      if (registered_) backend_.epochs_.erase(backend_.epochs_.find(epoch_));
    }
    for (std::size_t i = connections_.size(); i-- > 0;) {
      const auto done = connections_[i]->run("SELECT pg_advisory_unlock_all()");
      if (done) backend_.servers_[i]->put_back(std::move(connections_[i]));
    }
  }

  [[nodiscard]] Status lock(PgConnection::Clock::time_point deadline) {
    for (const auto& server : backend_.servers_) {
      auto taken = server->take(deadline);
      if (!taken) return fail(std::move(taken.error().error));
      if (Status status = lock_one(**taken, deadline); !status) return status;
      connections_.push_back(*std::move(taken));
    }
    return kind_ == HoldKind::write ? remember_epoch() : raise_epoch();
  }

  [[nodiscard]] PgConnection& connection(std::size_t server) { return *connections_[server]; }
  static PgResultOf<void> make_ready(PgConnection& connection) {
    return connection.is_prepared() ? PgResultOf<void>() : connection.prepare();
  }

 private:
  [[nodiscard]] Status lock_one(PgConnection& connection,
                                PgConnection::Clock::time_point deadline) {
    if (auto ready = make_ready(connection); !ready) return fail(std::move(ready.error().error));
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - PgConnection::Clock::now());
    const std::string limit =
        "SET lock_timeout = " + std::to_string(std::max<long long>(1, left.count()));
    if (auto set = connection.run(limit); !set) return fail(std::move(set.error().error));
    const char* const function =
        kind_ == HoldKind::write ? "pg_advisory_lock_shared" : "pg_advisory_lock";
    auto locked =
        connection.run("SELECT " + std::string(function) + "(" + std::string(kLockKey) + ")");
    if (!locked) {
      Error error = std::move(locked.error().error);
      if (error.code == ErrorCode::save_busy) {
        error.what = kind_ == HoldKind::write ? "a collection of garbage is still running"
                                              : "puts into the archive are still running";
      }
      return fail(std::move(error));
    }
    if (auto set = connection.run("SET lock_timeout = 0"); !set)
      return fail(std::move(set.error().error));
    return {};
  }
  [[nodiscard]] Status remember_epoch() {
    const PgValues none;
    auto rows = connections_[0]->run_each(PgStatement::epoch, {&none, 1});
    if (!rows) return fail(std::move(rows.error().error));
    epoch_ = number_in(rows->front().get(), 0);
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

  PostgresBackend& backend_;
  const HoldKind kind_;
  std::vector<std::unique_ptr<PgConnection>> connections_;
  std::int64_t epoch_ = 0;
  bool registered_ = false;
};

std::size_t PostgresBackend::server_of(std::string_view key) const {
  if (servers_.size() == 1 || !key.starts_with(kChunkKeys)) return 0;
  std::size_t best = 0;
  std::uint64_t highest = 0;
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    const std::uint64_t weight = hash64(bytes_of(std::to_string(i) + ' ' + std::string(key)));
    if (i == 0 || weight > highest) {
      best = i;
      highest = weight;
    }
  }
  return best;
}

template <class KeyOf>
std::vector<PostgresBackend::Group> PostgresBackend::by_server(std::size_t count,
                                                               const KeyOf& key_of) const {
  std::vector<Group> groups(servers_.size());
  for (std::size_t i = 0; i < count; ++i) groups[server_of(key_of(i))].push_back(i);
  for (Group& group : groups) {
    std::sort(group.begin(), group.end(),
              [&](std::size_t a, std::size_t b) { return key_of(a) < key_of(b); });
  }
  return groups;
}

PgResultOf<void> PostgresBackend::check_epoch(PgConnection& connection) {
  std::set<std::int64_t> held;
  {
    const std::lock_guard lock(mutex_);
    held.insert(epochs_.begin(), epochs_.end());
  }
  if (held.empty()) return {};  // a put without a hold
  const PgValues none;
  auto rows = connection.run_each(PgStatement::epoch, {&none, 1});
  if (!rows) return tl::unexpected(std::move(rows.error()));
  const std::int64_t now = number_in(rows->front().get(), 0);
  if (held.size() == 1 && *held.begin() == now) return {};
  return tl::unexpected(
      PgFailure{{ErrorCode::save_busy,
                 "garbage was collected while the connection of this save was broken",
                 kNoOffset,
                 {},
                 place_}});
}

PgResultOf<void> PostgresBackend::put_group(PgConnection& connection, unsigned attempt,
                                            std::span<const ArchiveObject> objects,
                                            const Group& group, std::vector<bool>& stored) {
  if (auto ready = Hold::make_ready(connection); !ready) return ready;
  if (auto begun = connection.run("BEGIN"); !begun) return tl::unexpected(std::move(begun.error()));
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
    std::vector<PgValues> batch;
    std::size_t bytes = 0;
    std::size_t end = begin;
    for (; end < group.size() && batch.size() < kBatchObjects && bytes < kBatchBytes; ++end) {
      const ArchiveObject& object = objects[group[end]];
      batch.push_back({bytes_of(object.key), object.bytes});
      bytes += object.bytes.size();
    }
    auto rows = connection.run_each(PgStatement::put, batch);
    if (!rows) return tl::unexpected(std::move(rows.error()));
    for (std::size_t i = begin; i < end; ++i)
      stored[group[i]] = std::string_view(PQcmdTuples((*rows)[i - begin].get())) == "1";
    begin = end;
  }
  if (has_manifest && attempt > 1 && !stored[last]) {
    // The broken connection may have stored it: then it is this one, byte for byte.
    const PgValues key{bytes_of(objects[last].key)};
    auto rows = connection.run_each(PgStatement::get, {&key, 1});
    if (!rows) return tl::unexpected(std::move(rows.error()));
    const PGresult* const row = rows->front().get();
    const auto equals = [&](std::span<const std::byte> there) {
      const std::span<const std::byte> ours = objects[last].bytes;
      return std::equal(there.begin(), there.end(), ours.begin(), ours.end());
    };
    stored[last] = PQntuples(row) == 1 && equals(bytes_in(row, 0, 0));
  }
  return connection.commit();
}

Result<std::vector<bool>> PostgresBackend::put_if_absent(std::span<const ArchiveObject> objects) {
  std::vector<bool> stored(objects.size(), false);
  if (objects.empty()) return stored;
  const auto groups =
      by_server(objects.size(), [&](std::size_t i) -> const ObjectKey& { return objects[i].key; });
  // AB1: the server of the manifest is the last.
  for (std::size_t i = servers_.size(); i-- > 0;) {
    if (groups[i].empty()) continue;
    auto put = servers_[i]->with([&](PgConnection& connection, unsigned attempt) {
      return put_group(connection, attempt, objects, groups[i], stored);
    });
    if (!put) return fail(std::move(put.error().error));
  }
  return stored;
}

template <class Found>
Status PostgresBackend::for_each_key(PgStatement statement, std::span<const ObjectKey> keys,
                                     const Found& found) {
  const auto groups =
      by_server(keys.size(), [&](std::size_t i) -> const ObjectKey& { return keys[i]; });
  for (std::size_t server = 0; server < groups.size(); ++server) {
    const Group& group = groups[server];
    for (std::size_t begin = 0; begin < group.size(); begin += kBatchObjects) {
      const std::size_t end = std::min(begin + kBatchObjects, group.size());
      auto done =
          servers_[server]->with([&](PgConnection& connection, unsigned) -> PgResultOf<void> {
            if (auto ready = Hold::make_ready(connection); !ready) return ready;
            std::vector<PgValues> batch;
            for (std::size_t i = begin; i < end; ++i) batch.push_back({bytes_of(keys[group[i]])});
            auto rows = connection.run_each(statement, batch);
            if (!rows) return tl::unexpected(std::move(rows.error()));
            for (std::size_t i = begin; i < end; ++i) found(group[i], (*rows)[i - begin].get());
            return {};
          });
      if (!done) return fail(std::move(done.error().error));
    }
  }
  return {};
}

Result<std::vector<std::optional<Bytes>>> PostgresBackend::get(std::span<const ObjectKey> keys) {
  std::vector<std::optional<Bytes>> found(keys.size());
  auto read = for_each_key(PgStatement::get, keys, [&](std::size_t i, const PGresult* rows) {
    if (PQntuples(rows) == 0) return;
    const auto bytes = bytes_in(rows, 0, 0);
    found[i].emplace(bytes.begin(), bytes.end());
  });
  if (!read) return fail(std::move(read.error()));
  return found;
}

Result<std::vector<bool>> PostgresBackend::exists_many(std::span<const ObjectKey> keys) {
  std::vector<bool> exist(keys.size(), false);
  auto read = for_each_key(PgStatement::has, keys, [&](std::size_t i, const PGresult* rows) {
    exist[i] = PQntuples(rows) != 0;
  });
  if (!read) return fail(std::move(read.error()));
  return exist;
}

Result<std::vector<ListedObject>> PostgresBackend::list(std::string_view prefix) {
  std::vector<ListedObject> objects;
  std::string end(prefix);
  while (!end.empty() && end.back() == '\x7f') end.pop_back();
  end.empty() ? end.push_back('\x7f') : static_cast<void>(++end.back());
  for (const auto& server : servers_) {
    std::string after(prefix);
    for (bool more = true; more;) {
      auto listed = server->with([&](PgConnection& connection, unsigned) -> PgResultOf<void> {
        if (auto ready = Hold::make_ready(connection); !ready) return ready;
        const PgValues range{bytes_of(after), bytes_of(end)};
        auto rows = connection.run_each(PgStatement::list, {&range, 1});
        if (!rows) return tl::unexpected(std::move(rows.error()));
        const PGresult* const page = rows->front().get();
        const int count = PQntuples(page);
        for (int row = 0; row < count; ++row) {
          const auto key = bytes_in(page, row, 0);
          std::uint64_t size = 0;
          for (const std::byte byte : bytes_in(page, row, 1))
            size = size << 8 | std::to_integer<std::uint64_t>(byte);
          objects.push_back(
              {ObjectKey(reinterpret_cast<const char*>(key.data()), key.size()), size});
        }
        more = count != 0;
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

Status PostgresBackend::remove(std::span<const ObjectKey> keys) {
  const auto groups =
      by_server(keys.size(), [&](std::size_t i) -> const ObjectKey& { return keys[i]; });
  const auto remove_from = [&](PgConnection& connection, const Group& group) -> PgResultOf<void> {
    if (auto ready = Hold::make_ready(connection); !ready) return ready;
    for (std::size_t begin = 0; begin < group.size(); begin += kBatchObjects) {
      std::vector<PgValues> batch;
      for (std::size_t i = begin; i < std::min(begin + kBatchObjects, group.size()); ++i)
        batch.push_back({bytes_of(keys[group[i]])});
      if (auto begun = connection.run("BEGIN"); !begun)
        return tl::unexpected(std::move(begun.error()));
      auto rows = connection.run_each(PgStatement::remove, batch);
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
                              : servers_[i]->with([&](PgConnection& connection, unsigned) {
                                  return remove_from(connection, groups[i]);
                                });
    if (!removed) return fail(std::move(removed.error().error));
  }
  return {};
}

Result<std::unique_ptr<ArchiveHold>> PostgresBackend::hold(HoldKind kind,
                                                           std::chrono::milliseconds timeout) {
  const auto deadline = PgConnection::Clock::now() + timeout;
  for (std::chrono::milliseconds pause{20};; pause = std::min(pause * 2, kLongestPause)) {
    auto taken = std::make_unique<Hold>(*this, kind);
    Status status = taken->lock(deadline);
    if (status) return std::unique_ptr<ArchiveHold>(std::move(taken));
    if (status.error().code != ErrorCode::archive_unreachable ||
        PgConnection::Clock::now() + pause > deadline)
      return fail(std::move(status.error()));
    taken.reset();
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace

std::unique_ptr<ArchiveBackend> make_postgres_backend(
    std::vector<std::unique_ptr<ServerPool>> servers, const Hash128& archive_id) {
  return std::make_unique<PostgresBackend>(std::move(servers), archive_id);
}

}  // namespace archive
}  // namespace hdb
