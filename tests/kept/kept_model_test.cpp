// A save that visits an older build loses nothing: random worlds of a newer build play on in an
// older one, and come back as if the newer build had played.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "hdb/chunk_cache.hpp"
#include "hdb/file_system.hpp"
#include "hdb/inspect/snapshot_diff.hpp"
#include "hdb/inspect/validate.hpp"
#include "kept/kept_world.hpp"
#include "support/folder.hpp"

namespace hdb::test::kept_test {
namespace {

void expect_sound(const Bytes& file, const Hash128& hash) {
  const Validation found =
      validate(std::make_unique<MemorySource>(file), {.level = ValidationLevel::deep});
  ASSERT_FALSE(found.trouble) << found.trouble->message();
  for (const Finding& finding : found.findings) ADD_FAILURE() << finding.error.message();
  ASSERT_TRUE(found.state_hash.has_value());
  EXPECT_EQ(*found.state_hash, hash);
}

// How a visit saves.
enum class Way { plainly, in_the_background, with_a_cache };

Bytes save_in(Way way, World<false>& old, ChunkCache& cache) {
  if (way == Way::plainly) return saved(old.db.capture(), {.write = {.threads = 2}});
  if (way == Way::with_a_cache) {
    const Bytes first = saved(old.db.capture(), {.write = {.packs = false, .cache = &cache}});
    const Bytes again = saved(old.db.capture(), {.write = {.packs = false, .cache = &cache}});
    EXPECT_EQ(first.size(), again.size());
    return again;
  }
  const Folder folder;
  const std::string path = folder / "save.hdb";
  Saving saving = save_async(old.db.capture(), path);
  old.units.clear();  // after the capture
  const auto& result = saving.result();
  EXPECT_TRUE(result) << result.error().message();
  const auto file = FileSource::open(path).value();
  Bytes bytes(static_cast<std::size_t>(file->size().value()));
  EXPECT_TRUE(file->read_at(0, bytes));
  return bytes;
}

void round_trip(std::uint64_t seed) {
  Random random(seed);
  World<true> now;
  NewTables tables(now.db);
  play(now, seed);
  fill(now, tables, random);
  Bytes file = saved(now.db.capture());
  const Hash128 before = now.db.state_hash();

  ChunkCache cache;
  for (std::uint64_t visit = 0; visit < 3; ++visit) {
    World<false> old;
    const auto report =
        load(old.db, file, {.threads = 2, .keep_unknown = true, .verify_state_hash = true});
    ASSERT_TRUE(report) << report.error().message();
    ASSERT_EQ(report->kept_tables, (std::vector<std::string>{"a traps", "quests", "weather"}));
    const Snapshot loaded = old.db.capture();
    if (random.one_in(2)) {  // a branch that the game leaves
      play(old, seed + 100);
      ASSERT_TRUE(old.db.restore(loaded));
      ASSERT_EQ(old.db.state_hash(), loaded.state_hash());
    }
    play(old, seed + visit + 1);
    play(now, seed + visit + 1);
    ASSERT_EQ(old.db.check_invariants(), nullptr);
    const Hash128 hash = old.db.state_hash();
    const auto way = static_cast<Way>((seed + visit) % 3);
    file = save_in(way, old, cache);
    expect_sound(file, hash);
  }

  World<true> back;
  NewTables back_tables(back.db);
  const auto report = load(back.db, file, {.verify_state_hash = true});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(back.db.state_hash(), now.db.state_hash())
      << diff(now.db.capture(), back.db.capture()).value().first();
  EXPECT_NE(back.db.state_hash(), before);
}

TEST(KeptModel, AVisitToAnOlderBuildLosesNothing) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    round_trip(seed);
    if (HasFailure()) break;
  }
}

// Nothing played, all fields in the order of the file: the very same state.
TEST(KeptModel, AStateThatNobodyChangesKeepsItsHash) {
  Database now;
  auto& crates = now.create_table<Plain<true>>("crates");
  now.create_table<Quest>("quests").insert({"a quest", {1, 2}});
  Plain<true> crate;
  crate.weight = 2.5;
  for (int i = 0; i < 500; ++i) crates.insert(crate);
  crates.erase(crates.handle_at(7));
  Database old;
  old.create_table<Plain<false>>("crates");
  ASSERT_TRUE(load(old, saved(now.capture()), {.keep_unknown = true}));
  EXPECT_EQ(old.state_hash(), now.state_hash());
}

}  // namespace
}  // namespace hdb::test::kept_test
