// A table of any policies whose whole history a test knows: for loads into other policies.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hdb/hdb.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/validate.hpp"
#include "hdb/translate_handle.hpp"
#include "support/records.hpp"

namespace hdb::test::policies {

/// A record with a value that no other record has.
struct Thing {
  std::uint64_t value = 0;
  friend bool operator==(const Thing&, const Thing&) = default;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(value));
  }
};

inline Bytes saved(Database& db) {
  MemorySink sink;
  const auto report = save(db.capture(), sink);
  EXPECT_TRUE(report) << report.error().message();
  return sink.take();
}
inline Result<LoadReport> load(Database& db, const Bytes& file, const LoadOptions& options = {}) {
  return db.load(std::make_unique<MemorySource>(file), options);
}
/// Expects that the state can be saved and is valid in depth, which also checks the slots of the
/// file by the rules of FORMAT.md.
inline void expect_sound(Database& db) {
  EXPECT_EQ(db.check_invariants(), nullptr);
  const Bytes file = saved(db);
  const Validation found =
      validate(std::make_unique<MemorySource>(file), {.level = ValidationLevel::deep});
  EXPECT_TRUE(found.is_valid()) << found.findings.at(0).error.message();
}

/// A database with one table of things, and all handles that it ever issued.
template <class L = DefaultLayout>
struct Game {
  explicit Game(const TableOptions& options = {})
      : things(db.create_table<Thing, L>("things", options)) {}

  void insert() {
    const auto handle = things.insert({next_value});
    if (!handle) return;
    live[handle.bits()] = next_value++;
    stale.erase(handle.bits());  // wrapped
  }
  void erase(std::uint64_t bits) {
    ASSERT_TRUE(things.erase(Handle<Thing, L>::from_bits(static_cast<typename L::Bits>(bits))));
    live.erase(bits);
    stale.insert(bits);
  }
  void churn(Random& random, int steps, std::size_t most) {
    for (int i = 0; i < steps; ++i) {
      if (live.size() < most && (live.empty() || random.one_in(2))) {
        insert();
      } else if (!live.empty()) {
        erase(std::next(live.begin(), static_cast<long>(random.below(live.size())))->first);
      }
    }
  }

  Database db;
  Table<Thing, L>& things;
  std::map<std::uint64_t, std::uint64_t> live;  // values by bits
  std::set<std::uint64_t> stale;
  std::uint64_t next_value = 1;
};

/// Expects in `to`, which loaded what `from` saved, that live and stale handles are what they were;
/// with `never_again`, also that no handle of `from` is issued again.
template <class From, class To>
void expect_handles(const Game<From>& from, Game<To>& to, bool never_again) {
  const auto id =
      static_cast<std::uint16_t>(From::type_bits != 0 ? from.things.next_handle().type_id()
                                                      : to.things.next_handle().type_id());
  const auto handle = [&](std::uint64_t bits) {
    return Handle<Thing, To>::from_bits(
        static_cast<typename To::Bits>(translate_handle(From::value, To::value, bits, id)));
  };
  std::set<std::uint64_t> old;
  for (const auto& [bits, value] : from.live) {
    const Thing* const thing = to.things.find(handle(bits));
    ASSERT_NE(thing, nullptr) << bits;
    EXPECT_EQ(thing->value, value);
    old.insert(handle(bits).bits());
  }
  EXPECT_EQ(to.things.size(), from.live.size());
  for (const std::uint64_t bits : from.stale) {
    EXPECT_EQ(to.things.find(handle(bits)), nullptr) << bits;
    old.insert(handle(bits).bits());
  }
  if (!never_again) return;
  std::vector<Handle<Thing, To>> made;
  Random random(11);
  for (int i = 0; i < 1500; ++i) {
    const auto next = to.things.insert({0});
    if (next) {
      ASSERT_FALSE(old.contains(next.bits())) << "issued again: " << next.bits();
      made.push_back(next);
    }
    if (!made.empty() && (random.one_in(2) || !next)) {
      to.things.erase(made[random.below(made.size())]);
    }
    if (i % 7 == 0 && !from.live.empty()) {
      const auto at =
          std::next(from.live.begin(), static_cast<long>(random.below(from.live.size())));
      to.things.erase(handle(at->first));
    }
  }
}

}  // namespace hdb::test::policies
