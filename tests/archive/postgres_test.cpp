// Archives in PostgreSQL, on servers that the tests start: the five functions, several servers,
// errors, and the deaths of clients and servers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "archive/game_world.hpp"
#include "archive/postgres_server.hpp"
#include "hdb/inspect/text.hpp"
#include "support/killed_saver.hpp"
#include "support/scale.hpp"

namespace hdb::test::postgres_test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

// As kPatient, but not for a server that vanished.
const ArchiveOptions kPatientOfLocks{.lock_timeout = kPatience};

// One server for the tests that do not hurt it; each test has a database.
class Postgres : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = new PostgresServer;
    if (!server_->init() || !server_->start()) {
      delete server_;
      server_ = nullptr;
    }
  }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }
  void SetUp() override {
    ASSERT_NE(server_, nullptr) << "no PostgreSQL server starts: is postgresql installed, and may "
                                   "this user start it?";
    database_ = fresh();
  }

  static std::string fresh() {
    const std::string name = "db" + std::to_string(++databases_);
    EXPECT_TRUE(server_->sql("CREATE DATABASE " + name));
    return name;
  }
  static std::string url(const std::string& database) { return server_->url(database); }
  [[nodiscard]] std::string url() const { return url(database_); }
  [[nodiscard]] std::unique_ptr<ArchiveBackend> store(const std::string& urls) const {
    auto opened = open_archive_url(urls, {.create = true});
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().message());
    return opened ? *std::move(opened) : nullptr;
  }
  static std::string error_of(const std::string& urls, ErrorCode code, bool create = false) {
    const auto opened = open_archive_url(urls, {.create = create});
    EXPECT_FALSE(opened);
    if (opened) return {};
    EXPECT_EQ(code_name(opened.error().code), code_name(code)) << opened.error().message();
    return opened.error().message();
  }

  static PostgresServer* server_;
  static int databases_;
  std::string database_;
};
PostgresServer* Postgres::server_ = nullptr;
int Postgres::databases_ = 0;

std::string chunk_key(unsigned number) {
  return std::string(kChunkKeys) + std::string(48, '0') + hex_number(number, 16);
}

TEST_F(Postgres, EverySaveComesBackAsItWas) {
  const auto archive = new_archive(url(), kPatientOfLocks);
  ASSERT_TRUE(archive);
  GameWorld world(2000, 70);
  std::vector<Hash128> hashes;
  for (int i = 0; i < 6; ++i) {
    world.step();
    const auto put = archive->put(world.db.capture(), {.world = "gate"}, titled("save"));
    ASSERT_TRUE(succeeded(put));
    hashes.push_back(put->state_hash);
  }
  const auto again = Archive::open(url(), kPatientOfLocks);
  ASSERT_TRUE(succeeded(again));
  const auto saves = (*again)->list("gate");
  ASSERT_TRUE(succeeded(saves));
  ASSERT_EQ(saves->size(), hashes.size());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    EXPECT_EQ((*saves)[i].state_hash, hashes[i]);
    GameWorld other(10, 1);
    auto source = (*again)->source((*saves)[i].version);
    ASSERT_TRUE(succeeded(source));
    ASSERT_TRUE(succeeded(other.db.load(std::move(*source))));
    EXPECT_EQ(other.db.capture().state_hash(), hashes[i]);
  }
  // What only a removed save needs goes, and nothing else.
  ASSERT_TRUE((*again)->remove({"gate", 6}));
  const auto garbage = (*again)->collect_garbage();
  ASSERT_TRUE(succeeded(garbage));
  EXPECT_GT(garbage->objects, 0U);
  const auto check = (*again)->verify();
  ASSERT_TRUE(succeeded(check));
  EXPECT_TRUE(check->faults.empty());
  EXPECT_EQ(check->saves, 5U);
}

TEST_F(Postgres, ObjectsAreStoredOnceAndNeverChange) {  // PB2
  const auto archive = store(url());
  ASSERT_TRUE(archive);
  const Bytes first = pattern(1000, 1);
  const Bytes second = pattern(1000, 2);
  const std::string save = "save/gate/00000000000000000007";
  EXPECT_EQ(
      *archive->put_if_absent(std::vector<ArchiveObject>{{chunk_key(1), first}, {save, first}}),
      (std::vector<bool>{true, true}));
  EXPECT_EQ(
      *archive->put_if_absent(std::vector<ArchiveObject>{{chunk_key(2), second}, {save, second}}),
      (std::vector<bool>{true, false}));
  const std::vector<ObjectKey> keys{save, chunk_key(3), chunk_key(1)};
  const auto found = archive->get(keys);
  ASSERT_TRUE(succeeded(found));
  EXPECT_EQ((*found)[0], first);
  EXPECT_EQ((*found)[1], std::nullopt);
  EXPECT_EQ(*archive->exists_many(keys), (std::vector<bool>{true, false, true}));
}

TEST_F(Postgres, ListsManyObjectsInOrder) {
  const auto archive = store(url());
  std::vector<ArchiveObject> objects;
  const Bytes bytes = pattern(7, 1);
  for (unsigned i = 0; i < 12'000; ++i) objects.push_back({chunk_key(11'999 - i), bytes});
  ASSERT_TRUE(succeeded(archive->put_if_absent(objects)));
  const auto listed = archive->list(kChunkKeys);
  ASSERT_TRUE(succeeded(listed));
  ASSERT_EQ(listed->size(), objects.size());
  for (unsigned i = 0; i < listed->size(); ++i) {
    ASSERT_EQ((*listed)[i].key, chunk_key(i));
    ASSERT_EQ((*listed)[i].bytes, 7U);
  }
  EXPECT_TRUE(archive->list(kSaveKeys)->empty());
}

TEST_F(Postgres, SeveralServersShareTheChunks) {
  const std::string a = fresh();
  const std::string b = fresh();
  const std::string urls = url() + " " + url(a) + " " + url(b);
  const auto archive = new_archive(urls, kPatientOfLocks);
  ASSERT_TRUE(archive);
  GameWorld world;
  const auto put = archive->put(world.db.capture(), {.world = "gate"});
  ASSERT_TRUE(succeeded(put));
  for (const std::string& each : {database_, a, b}) {
    EXPECT_TRUE(server_->sql(
        "DO $do$ BEGIN IF (SELECT count(*) FROM hdb_chunk) < 3 THEN RAISE 'too few'; END IF; "
        "END $do$",
        each));
  }
  EXPECT_TRUE((*Archive::open(urls))->verify()->faults.empty());
  ASSERT_TRUE(archive->remove(put->version));
  EXPECT_GT(archive->collect_garbage()->objects, 0U);
  EXPECT_TRUE(archive->backend().list("chunk/")->empty());
  EXPECT_THAT(error_of(url(a) + " " + url(), ErrorCode::bad_options),
              HasSubstr("number 2 of 3 of its archive; give the URLs of all, in this order"));
  const std::string other = fresh();
  ASSERT_TRUE(store(url(other)));
  EXPECT_THAT(error_of(url() + " " + url(other), ErrorCode::bad_options), HasSubstr("1 of 3"));
}

TEST_F(Postgres, ErrorsNameThePlaceAndNeverThePassword) {
  const std::string plain = "postgresql://hdb:tops3cret@/" + database_ + "?host=";
  EXPECT_THAT(error_of(plain + server_->socket(), ErrorCode::not_an_archive),
              testing::AllOf(HasSubstr("no table hdb_archive"), HasSubstr(database_),
                             Not(HasSubstr("tops3cret"))));
  EXPECT_THAT(error_of(plain + "/tmp/there/is/nothing", ErrorCode::archive_unreachable),
              testing::AllOf(HasSubstr("/tmp/there/is/nothing"), Not(HasSubstr("tops3cret"))));
  EXPECT_THAT(error_of("postgresql://hdb:tops3cret@[::1/x", ErrorCode::bad_options),
              Not(HasSubstr("tops3cret")));
  EXPECT_THAT(error_of(url("no_such_database"), ErrorCode::archive_refused),
              HasSubstr("no_such_database"));
  ASSERT_TRUE(store(url()));
  EXPECT_THAT(error_of(url() + "&options=-csearch_path%3Dpg_temp", ErrorCode::not_an_archive),
              HasSubstr("no table"));
  ASSERT_TRUE(server_->sql("UPDATE hdb_archive SET version = 9", database_));
  EXPECT_THAT(error_of(url(), ErrorCode::newer_version), HasSubstr("version 9"));
  const std::string foreign = fresh();
  ASSERT_TRUE(server_->sql("CREATE TABLE hdb_archive (colour text)", foreign));
  EXPECT_THAT(error_of(url(foreign), ErrorCode::not_an_archive, true),
              HasSubstr("hdb_archive is not that of an archive"));
}

TEST_F(Postgres, AWrongPasswordIsRefusedAtOnce) {
  PostgresServer locked;
  ASSERT_TRUE(locked.init());
  ASSERT_TRUE(locked.start());
  ASSERT_TRUE(
      locked.sql("SET password_encryption = 'scram-sha-256'; "
                 "CREATE ROLE joe LOGIN PASSWORD 'right'; ALTER SYSTEM SET "
                 "log_connections = on"));
  ASSERT_TRUE(locked.require_password_of("joe"));
  const std::string message =
      error_of(locked.url("postgres", "joe:wr0ng"), ErrorCode::archive_refused);
  EXPECT_THAT(message,
              testing::AllOf(HasSubstr("joe"), HasSubstr("password"), Not(HasSubstr("wr0ng"))));
}

TEST_F(Postgres, AServerThatOnlyReadsServesSavesAndRefusesPuts) {
  const auto archive = new_archive(url(), kPatientOfLocks);
  GameWorld world(200, 5);
  ASSERT_TRUE(succeeded(archive->put(world.db.capture(), {.world = "gate"})));
  const auto reading = Archive::open(url() + "&options=-cdefault_transaction_read_only%3Don");
  ASSERT_TRUE(succeeded(reading));
  EXPECT_TRUE((*reading)->verify()->faults.empty());
  world.step();
  const auto put = (*reading)->put(world.db.capture(), {.world = "gate"});
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().code, ErrorCode::archive_read_only) << put.error().message();
  EXPECT_EQ(archive->versions("gate")->size(), 1U);
}

TEST_F(Postgres, OfManyWritersOfOneNumberOneWins) {
  std::atomic<int> won{0};
  std::atomic<int> lost{0};
  ASSERT_TRUE(store(url()));
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 8; ++writer) {
    writers.emplace_back([&, writer] {
      const auto archive = Archive::open(url(), kPatientOfLocks);
      if (!archive) return;
      Database db;
      auto& units = db.create_table<Unit>("units");
      units.insert({.hp = writer});
      for (std::uint64_t sequence = 1; sequence <= 10; ++sequence) {
        const auto put = (*archive)->put(db.capture(), {.world = "gate", .sequence = sequence});
        if (put) {
          ++won;
        } else if (put.error().code == ErrorCode::version_exists) {
          ++lost;
        } else {
          ADD_FAILURE() << put.error().message();
        }
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(won, 10);
  EXPECT_EQ(lost, 70);
  EXPECT_TRUE((*Archive::open(url()))->verify()->faults.empty());
}

TEST_F(Postgres, PutsOfManyWorldsRunBesideCollections) {  // PB3, PB4
  ASSERT_TRUE(store(url()));
  const std::size_t worlds = scaled(40);
  std::atomic<bool> done{false};
  std::thread collector([&] {
    const auto archive = Archive::open(url(), kPatientOfLocks);
    while (archive && !done) {
      const auto collected = (*archive)->collect_garbage();
      EXPECT_TRUE(collected) << collected.error().message();
      std::this_thread::sleep_for(milliseconds(5));
    }
  });
  std::mutex mutex;
  std::map<std::string, Hash128> acknowledged;
  std::vector<std::thread> writers;
  for (std::size_t writer = 0; writer < 8; ++writer) {
    writers.emplace_back([&, writer] {
      const auto archive = Archive::open(url(), kPatientOfLocks);
      if (!archive) return;
      for (std::size_t world = writer; world < worlds; world += 8) {
        GameWorld game(300, 5);
        const std::string name = "world-" + std::to_string(world);
        for (int step = 0; step < 3; ++step) {
          game.step();
          const auto put = (*archive)->put(game.db.capture(), {.world = name});
          if (!put) {
            ADD_FAILURE() << put.error().message();
            return;
          }
          if (step == 1) {
            EXPECT_TRUE(succeeded((*archive)->remove({name, 1})));
          }
          const std::lock_guard lock(mutex);
          acknowledged[put->version.text()] = put->state_hash;
        }
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  done = true;
  collector.join();
  const auto archive = Archive::open(url(), kPatientOfLocks);
  const auto check = (*archive)->verify();
  ASSERT_TRUE(succeeded(check));
  EXPECT_TRUE(check->faults.empty()) << check->faults.front().error.message();
  const auto saves = (*archive)->list();
  ASSERT_EQ(saves->size(), 2 * worlds);
  for (const ArchivedSave& save : *saves)
    EXPECT_EQ(save.state_hash, acknowledged[save.version.text()]) << save.version.text();
}

TEST_F(Postgres, APutWhoseLockBrokeFailsIfACollectionBeganMeanwhile) {  // PB3
  const auto archive = store(url());
  const auto collector = store(url());
  const Bytes bytes = pattern(100, 1);
  const std::vector<ArchiveObject> objects{{chunk_key(1), bytes},
                                           {"save/gate/00000000000000000001", bytes}};
  auto hold = archive->hold(HoldKind::write, kPatience);
  ASSERT_TRUE(succeeded(hold));
  const auto busy = collector->hold(HoldKind::collect, milliseconds(100));
  ASSERT_FALSE(busy);
  EXPECT_EQ(busy.error().code, ErrorCode::save_busy) << busy.error().message();
  ASSERT_TRUE(
      server_->sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" +
                   database_ + "' AND pid <> pg_backend_pid()"));
  ASSERT_TRUE(succeeded(collector->hold(HoldKind::collect, kPatience)));
  const auto put = archive->put_if_absent(objects);
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().code, ErrorCode::save_busy) << put.error().message();
  EXPECT_TRUE(archive->list("save/")->empty());
  hold->reset();
  hold = archive->hold(HoldKind::write, kPatience);
  ASSERT_TRUE(succeeded(hold));
  EXPECT_TRUE(succeeded(archive->put_if_absent(objects)));
}

// --- deaths

// Puts saves until stop() is called, and keeps those that were acknowledged.
class Writer {
 public:
  explicit Writer(std::string url) : url_(std::move(url)), thread_([this] { run(); }) {}
  ~Writer() { stop(); }
  void stop() {
    stopped_ = true;
    if (thread_.joinable()) thread_.join();
  }
  /// Waits for that many saves more. Returns the time that the last one took.
  std::chrono::nanoseconds wait_for_more(std::size_t saves) {
    std::unique_lock lock(mutex_);
    const std::size_t wanted = acknowledged_.size() + saves;
    changed_.wait(lock, [&] { return acknowledged_.size() >= wanted; });
    return save_time_;
  }
  /// Requires: stop() was called.
  const std::map<std::uint64_t, Hash128>& acknowledged() const { return acknowledged_; }

 private:
  void run() {
    using Clock = std::chrono::steady_clock;
    GameWorld world(300, 5);
    std::unique_ptr<Archive> archive;
    while (!stopped_) {
      if (!archive) {
        auto opened = Archive::open(url_, kPatientOfLocks);
        if (!opened) {
          std::this_thread::sleep_for(milliseconds(20));
          continue;
        }
        archive = *std::move(opened);
      }
      world.step();
      const auto begun = Clock::now();
      const auto put = archive->put(world.db.capture(), {.world = "gate"});
      if (!put) continue;
      const std::lock_guard lock(mutex_);
      save_time_ = Clock::now() - begun;
      acknowledged_[put->version.sequence] = put->state_hash;
      changed_.notify_all();
    }
  }

  std::string url_;
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, Hash128> acknowledged_;
  std::chrono::nanoseconds save_time_{0};
  std::thread thread_;
};

// All that was acknowledged is there, and all that is there is whole.
void expect_all(const std::string& url, const std::map<std::uint64_t, Hash128>& acknowledged) {
  const auto archive = Archive::open(url);
  ASSERT_TRUE(succeeded(archive));
  const auto saves = (*archive)->list("gate");
  ASSERT_TRUE(succeeded(saves));
  std::map<std::uint64_t, Hash128> found;
  for (const ArchivedSave& save : *saves) found[save.version.sequence] = save.state_hash;
  for (const auto& [sequence, hash] : acknowledged) EXPECT_EQ(found[sequence], hash) << sequence;
  const auto check = (*archive)->verify();
  ASSERT_TRUE(succeeded(check));
  EXPECT_TRUE(check->faults.empty()) << check->faults.front().error.message();
}

TEST_F(Postgres, KilledServersLoseNothingThatWasAcknowledged) {  // PB1
  PostgresServer server;
  ASSERT_TRUE(server.init());
  ASSERT_TRUE(server.start());
  ASSERT_TRUE(store(server.url()));
  Writer writer(server.url());
  Random random(5);
  const std::size_t kills = archive_kills(4);
  for (std::size_t kill = 0; kill < kills; ++kill) {
    std::this_thread::sleep_for(writer.wait_for_more(2) * random.below(1000) / 500);
    server.kill();
    ASSERT_TRUE(server.start());
  }
  writer.wait_for_more(1);
  writer.stop();
  expect_all(server.url(), writer.acknowledged());
  std::printf("PB1 server: kills=%zu acknowledged=%zu lost=0\n", kills,
              writer.acknowledged().size());
}

TEST_F(Postgres, KilledClientsLeaveNoHalfSave) {  // PB1
  ASSERT_TRUE(store(url()));
  SaverKiller killer(6, 2);
  std::map<std::uint64_t, Hash128> acknowledged;
  std::size_t kills = 0;
  for (std::size_t inside = 0, wanted = archive_kills(20); inside < wanted; ++kills) {
    const KilledSaver killed = killer.run([&](const SaverProcess::Report& report) {
      const auto archive = Archive::open(url(), kPatientOfLocks);
      if (!archive) ::_exit(4);
      GameWorld world(300, 5);
      world.random = Random(kills + 1);
      for (;;) {
        world.step();
        report({});
        const auto put = (*archive)->put(world.db.capture(), {.world = "gate"});
        // The server may still commit the save of a client that was killed.
        if (!put && put.error().code == ErrorCode::version_exists) continue;
        if (!put) ::_exit(5);
        report({.number = put->version.sequence, .hash = put->state_hash, .is_done = true});
      }
    });
    ASSERT_TRUE(killed.was_killed);
    if (killed.is_inside_of_a_save) ++inside;
    for (const SaveNote& note : killed.done) acknowledged[note.number] = note.hash;
  }
  EXPECT_FALSE(acknowledged.empty());
  expect_all(url(), acknowledged);
  // A dead client holds no lock.
  EXPECT_TRUE(succeeded((*Archive::open(url(), kPatientOfLocks))->collect_garbage()));
  expect_all(url(), acknowledged);
  std::printf("PB1 client: kills=%zu acknowledged=%zu lost=0\n", kills, acknowledged.size());
}

TEST_F(Postgres, AStandbyThatIsPromotedHasAllThatWasAcknowledged) {  // PB1
  PostgresServer primary;
  PostgresServer standby;
  ASSERT_TRUE(primary.init());
  ASSERT_TRUE(primary.start());
  ASSERT_TRUE(standby.init_standby(primary));
  ASSERT_TRUE(standby.start("-c hot_standby=on"));
  ASSERT_TRUE(primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'"));
  ASSERT_TRUE(primary.sql("SELECT pg_reload_conf()"));
  // The checkpointer makes the setting effective, before it does the next checkpoint.
  ASSERT_TRUE(primary.sql("CHECKPOINT"));
  ASSERT_TRUE(store(primary.url()));
  const std::string both =
      "postgresql://hdb@/postgres?host=" + primary.socket() + "," + standby.socket();
  Writer writer(both);
  writer.wait_for_more(20);
  primary.kill();
  ASSERT_TRUE(standby.promote());
  writer.wait_for_more(5);  // it goes on at the new primary
  writer.stop();
  expect_all(standby.url(), writer.acknowledged());
}

}  // namespace
}  // namespace hdb::test::postgres_test
