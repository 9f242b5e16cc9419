// The backend of archives in SQL databases: three tables in each database.
//
//   hdb_archive   one row: version, archive_id, shard, shards, epoch
//   hdb_save      world, sequence, title, saved_at, manifest
//   hdb_chunk     id, bytes
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
#include <array>
#include <mutex>
#include <set>

#include "archive/manifest.hpp"
#include "archive/sql/sql_backend.hpp"
#include "archive/sql/sql_list.hpp"
#include "archive/sql/sql_row.hpp"
#include "base/using_detail.hpp"
#include "hdb/archive_backend.hpp"
#include "hdb/hash.hpp"

namespace hdb {
namespace archive {
namespace {

constexpr std::size_t kBatchObjects = 128;
constexpr std::size_t kBatchRemovals = 32;  // few, for a full disk
constexpr std::size_t kStatementBytes = std::size_t{4} << 20;

const std::string kGetSave =
    "SELECT sequence, manifest FROM hdb_save WHERE world = $1 AND sequence = $2";
const std::string kHasChunk = "SELECT 1 FROM hdb_chunk WHERE id = $1";
const std::string kHasSave = "SELECT 1 FROM hdb_save WHERE world = $1 AND sequence = $2";
const std::string kPutChunk =
    "INSERT INTO hdb_chunk (id, bytes) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING";
const std::string kRemoveChunk = "DELETE FROM hdb_chunk WHERE id = $1";
const std::string kRemoveSave = "DELETE FROM hdb_save WHERE world = $1 AND sequence = $2";

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
  Result<std::vector<Error>> check_store() override;
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
                                            std::span<const SqlRowKey> rows, const Group& group,
                                            std::vector<bool>& stored);
  [[nodiscard]] SqlResultOf<void> check_epoch(SqlConnection& connection);
  // Reads rows for keys; calls found(number, key, rows) for each key that a row can have.
  template <class StatementOf, class Found>
  [[nodiscard]] Status for_each_key(std::span<const ObjectKey> keys,
                                    const StatementOf& statement_of, const Found& found);

  // Removes something, and once more if the disk is full and there is room to free.
  template <class Work>
  [[nodiscard]] auto with_room(std::size_t database, const Work& work) {
    auto done = work();
    if (!done && done.error().error.code == ErrorCode::disk_full &&
        databases_[database]->database().make_room())
      done = work();
    return done;
  }

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
    auto raised = backend_.with_room(0, [&] { return connections_[0]->raise_epoch(); });
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
                                        std::span<const ArchiveObject> objects,
                                        std::span<const SqlRowKey> rows, const Group& group,
                                        std::vector<bool>& stored) {
  if (auto begun = connection.begin(); !begun) return begun;
  if (attempt > 1) {
    // Objects of the broken connection may be here, and not yet at the standby. A commit that
    // writes waits until the standby has everything before it.
    if (auto forced = connection.run("UPDATE hdb_archive SET epoch = epoch"); !forced)
      return tl::unexpected(std::move(forced.error()));
  }
  const std::size_t last = objects.size() - 1;
  const bool has_manifest = group.back() == last && rows[last].is_save;  // it sorts last
  if (has_manifest) {
    if (auto checked = check_epoch(connection); !checked) return checked;
  }
  const std::size_t chunks = group.size() - (has_manifest ? 1 : 0);
  for (std::size_t begin = 0; begin < chunks;) {
    std::vector<SqlValues> batch;
    std::size_t bytes = 0;
    std::size_t end = begin;
    for (; end < chunks && batch.size() < kBatchObjects && bytes < kStatementBytes; ++end) {
      const ArchiveObject& object = objects[group[end]];
      batch.push_back({std::span(rows[group[end]].id), object.bytes});
      bytes += object.bytes.size();
    }
    auto put = connection.run_each(kPutChunk, batch);
    if (!put) return tl::unexpected(std::move(put.error()));
    for (std::size_t i = begin; i < end; ++i) stored[group[i]] = (*put)[i - begin].changed == 1;
    begin = end;
  }
  if (!has_manifest) return connection.commit();
  const std::span<const std::byte> ours = objects[last].bytes;
  const auto put = put_save(connection, rows[last], ours);
  if (!put) return tl::unexpected(put.error());
  stored[last] = *put;
  if (attempt > 1 && !stored[last]) {
    // The broken connection may have stored it: then it is this one, byte for byte.
    auto known = connection.run(kGetSave, rows[last].values());
    if (!known) return tl::unexpected(std::move(known.error()));
    if (!known->rows.empty()) {
      const Bytes theirs = known->take_bytes(1);
      stored[last] = std::equal(theirs.begin(), theirs.end(), ours.begin(), ours.end());
    }
  }
  return connection.commit();
}

Result<std::vector<bool>> SqlBackend::put_if_absent(std::span<const ArchiveObject> objects) {
  std::vector<bool> stored(objects.size(), false);
  if (objects.empty()) return stored;
  std::vector<SqlRowKey> rows;
  for (const ArchiveObject& object : objects) {
    auto row = row_key_of(object.key);
    if (!row) return fail(std::move(row.error()));
    rows.push_back(*std::move(row));
  }
  const auto groups = by_database(
      objects.size(), [&](std::size_t i) -> const ObjectKey& { return objects[i].key; });
  // AB1: the database of the manifest is the last.
  for (std::size_t i = databases_.size(); i-- > 0;) {
    if (groups[i].empty()) continue;
    auto put = databases_[i]->with([&](SqlConnection& connection, unsigned attempt) {
      return put_group(connection, attempt, objects, rows, groups[i], stored);
    });
    if (!put) return fail(std::move(put.error().error));
  }
  return stored;
}

template <class StatementOf, class Found>
Status SqlBackend::for_each_key(std::span<const ObjectKey> keys, const StatementOf& statement_of,
                                const Found& found) {
  const auto groups =
      by_database(keys.size(), [&](std::size_t i) -> const ObjectKey& { return keys[i]; });
  for (std::size_t database = 0; database < groups.size(); ++database) {
    std::vector<std::size_t> numbers;
    std::vector<SqlRowKey> rows;
    for (const std::size_t number : groups[database]) {
      auto row = row_key_of(keys[number]);
      if (!row) continue;  // no row has it
      numbers.push_back(number);
      rows.push_back(*std::move(row));
    }
    for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
      const bool is_save = rows[begin].is_save;
      std::vector<SqlValues> batch;
      for (end = begin; end < rows.size() && batch.size() < kBatchObjects; ++end) {
        if (rows[end].is_save != is_save) break;
        batch.push_back(rows[end].values());
      }
      auto done =
          databases_[database]->with([&](SqlConnection& connection, unsigned) -> SqlResultOf<void> {
            auto read = connection.run_each(statement_of(connection, is_save), batch);
            if (!read) return tl::unexpected(std::move(read.error()));
            for (std::size_t i = begin; i < end; ++i)
              found(numbers[i], rows[i], (*read)[i - begin]);
            return {};
          });
      if (!done) return fail(std::move(done.error().error));
    }
  }
  return {};
}

Result<std::vector<std::optional<Bytes>>> SqlBackend::get(std::span<const ObjectKey> keys) {
  std::vector<std::optional<Bytes>> found(keys.size());
  auto read = for_each_key(
      keys,
      [](const SqlConnection& connection, bool is_save) {
        return is_save ? kGetSave : std::string(connection.dialect().get_chunk);
      },
      [&](std::size_t i, const SqlRowKey& key, SqlRows& rows) {
        if (rows.rows.empty()) return;
        const Bytes id = rows.take_bytes(0);
        // A damaged index leads to another row.
        if (key.is_save || std::equal(id.begin(), id.end(), key.id.begin(), key.id.end()))
          found[i] = rows.take_bytes(1);
      });
  if (!read) return fail(std::move(read.error()));
  return found;
}

Result<std::vector<bool>> SqlBackend::exists_many(std::span<const ObjectKey> keys) {
  std::vector<bool> exist(keys.size(), false);
  auto read = for_each_key(
      keys,
      [](const SqlConnection&, bool is_save) -> const std::string& {
        return is_save ? kHasSave : kHasChunk;
      },
      [&](std::size_t i, const SqlRowKey&, const SqlRows& rows) { exist[i] = !rows.rows.empty(); });
  if (!read) return fail(std::move(read.error()));
  return exist;
}

Result<std::vector<ListedObject>> SqlBackend::list(std::string_view prefix) {
  const auto may_begin_with = [&](std::string_view keys) {
    return prefix.starts_with(keys) || keys.starts_with(prefix);
  };
  std::vector<ListedObject> objects;
  if (may_begin_with(kChunkKeys)) {
    for (const auto& database : databases_) {
      if (Status listed = list_chunks(*database, objects); !listed)
        return fail(std::move(listed.error()));
    }
  }
  if (may_begin_with(kSaveKeys)) {
    std::string_view world;
    if (prefix.ends_with("/") && prefix.size() > kSaveKeys.size())
      world = prefix.substr(kSaveKeys.size(), prefix.size() - kSaveKeys.size() - 1);
    if (Status listed = list_saves(*databases_[0], world, objects); !listed)
      return fail(std::move(listed.error()));
  }
  objects.erase(
      std::remove_if(objects.begin(), objects.end(),
                     [&](const ListedObject& each) { return !each.key.starts_with(prefix); }),
      objects.end());
  std::sort(objects.begin(), objects.end(),
            [](const ListedObject& a, const ListedObject& b) { return a.key < b.key; });
  return objects;
}

Status SqlBackend::remove(std::span<const ObjectKey> keys) {
  const auto groups =
      by_database(keys.size(), [&](std::size_t i) -> const ObjectKey& { return keys[i]; });
  const auto remove_from = [&](SqlConnection& connection, const Group& group) -> SqlResultOf<void> {
    for (std::size_t begin = 0; begin < group.size(); begin += kBatchRemovals) {
      std::vector<SqlRowKey> rows;
      for (std::size_t i = begin; i < std::min(begin + kBatchRemovals, group.size()); ++i) {
        if (auto row = row_key_of(keys[group[i]])) rows.push_back(*std::move(row));
      }
      std::array<std::vector<SqlValues>, 2> batches;
      for (const SqlRowKey& row : rows) batches[row.is_save ? 1 : 0].push_back(row.values());
      if (auto begun = connection.begin(); !begun) return begun;
      for (const bool is_save : {false, true}) {
        auto done = connection.run_each(is_save ? kRemoveSave : kRemoveChunk, batches[is_save]);
        if (!done) return tl::unexpected(std::move(done.error()));
      }
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
    auto removed = with_room(i, [&] {
      if (has_chunks) return remove_from(collector->connection(i), groups[i]);  // PB4
      return databases_[i]->with(
          [&](SqlConnection& connection, unsigned) { return remove_from(connection, groups[i]); });
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

Result<std::vector<Error>> SqlBackend::check_store() {
  std::vector<Error> faults;
  for (const auto& database : databases_) {
    const auto found =
        database->with([](SqlConnection& connection, unsigned) { return connection.check(); });
    if (!found) return fail(found.error().error);
    for (const std::string& text : *found)
      faults.push_back({ErrorCode::bad_archive, text, kNoOffset, {}, database->place()});
  }
  if (faults.empty()) {
    if (Status checked = check_columns(*databases_[0], faults); !checked)
      return fail(std::move(checked.error()));
  }
  return faults;
}

}  // namespace

std::unique_ptr<ArchiveBackend> make_sql_backend(std::vector<std::unique_ptr<SqlPool>> databases,
                                                 const Hash128& archive_id) {
  return std::make_unique<SqlBackend>(std::move(databases), archive_id);
}

}  // namespace archive
}  // namespace hdb
