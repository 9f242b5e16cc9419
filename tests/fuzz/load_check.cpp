// The promises of load, one by one.
#include "load_check.hpp"

#include <algorithm>
#include <tuple>

#include "hdb/blob_table.hpp"
#include "require.hpp"
#include "subject.hpp"
#include "support/using_detail.hpp"

namespace hdb::fuzz {
namespace {

using test::Clock;
using test::Hero;
using test::Tile;
using test::Unit;

// Calls `visit` with each table that both databases have.
template <class Visit>
void for_each_table(Database& a, Database& b, const Visit& visit) {
  visit(*a.find_table<Tile>("zones"), *b.find_table<Tile>("zones"));
  visit(*a.find_table<Hero>("heroes"), *b.find_table<Hero>("heroes"));
  visit(*a.find_table<Unit, Layout<20, 12>>("units"), *b.find_table<Unit, Layout<20, 12>>("units"));
  visit(*a.find_table<Thing>("things"), *b.find_table<Thing>("things"));
  visit(*a.find_table<Wide>("wide"), *b.find_table<Wide>("wide"));
  visit(*a.find_table<Named>("named"), *b.find_table<Named>("named"));
  visit(*a.find_table<Named, TypedLayout>("typed"), *b.find_table<Named, TypedLayout>("typed"));
}

template <class Table>
void check_reading(const Table& table) {
  std::size_t records = 0;
  for (const auto [handle, record] : table.entries()) {
    require(table.find(handle) == &record, "F2: a loaded record is found by its handle");
    ++records;
  }
  require(records == table.size(), "F2: iteration meets every loaded record");
}

void check_same_future(Database& a, Database& b) {
  for_each_table(a, b, [](auto& left, auto& right) {
    for (int i = 0; i < 3; ++i) {
      require(left.next_handle() == right.next_handle(), "F3: equal next handles");
      const auto handle = left.emplace();
      require(handle == right.emplace(), "F3: equal issued handles");
      if (i == 1) {
        require(left.erase(handle) == right.erase(handle), "F3: equal erasures");
      }
    }
  });
  require(a.state_hash() == b.state_hash(), "F3: equal states after equal calls");
}

bool is_all_known(const LoadReport& report) {
  return report.missing_tables.empty() && report.unknown_tables.empty() &&
         std::all_of(report.tables.begin(), report.tables.end(),
                     [](const TableLoadReport& table) { return table.exact_schema; });
}

}  // namespace

// Names find their records; a sort goes on to its end; blobs can be walked, resized and packed.
void LoadCheck::check_extras() {
  auto& named = *db_.find_table<Named>("named");
  for (const auto [handle, record] : named.entries()) {
    const std::string_view name = named.name(handle);
    require(name.empty() || named.find_named(name) == handle, "F2: a name finds its record");
  }
  const Snapshot loaded = db_.capture();
  const auto by_value = [](const Named& a, const Named& b) { return a.value < b.value; };
  int steps = 0;
  while (!named.sort_step(by_value, 1000)) require(++steps < 100'000, "F2: a sort ends");
  auto& packed = *db_.find_blob_table<Part>("packed");
  packed.for_each([&](auto handle, const Part&, std::span<const std::byte> bytes) {
    const auto resized = packed.resize(handle, bytes.size() / 2);
    require(resized.has_value(), "F2: a block can shrink");
  });
  require(db_.check_invariants() == nullptr, "F2: invariants of names, sorts and blobs");
  require(db_.restore(loaded).has_value(), "F2: the loaded state can be restored");
}

LoadCheck::LoadCheck() {
  declare(db_);
  declare(copy_);
  db_.find_table<Hero>("heroes")->insert({.name = "untouched"});
  db_.find_table<Unit, Layout<20, 12>>("units")->insert({.hp = 7});
  before_ = db_.capture();
  hash_before_ = before_.state_hash();
}

Result<LoadReport> LoadCheck::run(std::span<const std::byte> bytes, const LoadOptions& how) {
  LoadOptions options = how;
  options.limits = limits_for(bytes);
  auto loaded = db_.load(std::make_unique<MemorySource>(MemorySource::borrowing(bytes)), options);
  const char* const broken = db_.check_invariants();
  require(broken == nullptr, "F2: invariants", broken == nullptr ? "" : broken);
  if (loaded) {
    check_loaded(*loaded, how);
    const Status restored = db_.restore(before_);
    require(restored.has_value(), "F2: the state before can be restored");
  } else {
    require(!loaded.error().message().empty(), "F1: a refusal says why");
  }
  require(db_.state_hash() == hash_before_, "F1: a refused file changes nothing");
  return loaded;
}

void LoadCheck::check_loaded(const LoadReport& report, const LoadOptions& how) {
  for_each_table(db_, db_, [](auto& table, auto&) { check_reading(table); });
  static_cast<void>(db_.singleton<Clock>("clock").get().tick);
  check_extras();
  const Hash128 hash = db_.state_hash();
  if (how.verify_state_hash && how.mode == TimelineMode::exact && is_all_known(report)) {
    require(hash == report.info.state_hash, "F4: the state is the file's");
  }
  MemorySink sink;
  const auto saved = save(db_.capture(), sink);
  require(saved.has_value(),
          "F3: a loaded state can be saved:", saved ? "" : saved.error().message().c_str());
  require(saved->state_hash == hash, "F3: save tells the state hash");
  LoadOptions again;
  again.verify_state_hash = true;
  const auto reloaded = copy_.load(std::make_unique<MemorySource>(sink.bytes()), again);
  require(reloaded.has_value(),
          "F3: a saved state loads:", reloaded ? "" : reloaded.error().message().c_str());
  require(copy_.state_hash() == hash, "F3: a saved state loads as what it was");
  check_same_future(db_, copy_);
  db_.singleton<Clock>("clock").edit().tick += 1;
  for_each_table(db_, db_, [](auto& table, auto&) { table.clear(); });
  const char* const broken = db_.check_invariants();
  require(broken == nullptr, "F2: invariants after clear", broken == nullptr ? "" : broken);
}

}  // namespace hdb::fuzz
