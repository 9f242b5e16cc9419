// Two versions of a game whose enum names its values, and records that hold it everywhere.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <cereal/types/array.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

#include "hdb/hdb.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::enum_test {

/// The old game; `odd` and 9 have no names.
enum class OldMood : std::uint8_t { calm = 0, angry = 1, bored = 2, odd = 7 };
/// The new game: renumbered, wider, one name gone (bored), one new (glad), one renamed (angry).
enum class Mood : std::int16_t { glad = 0, calm = 300, furious = -1, sad = 9 };
/// As OldMood, in another order of declaration.
enum class SameMood : std::uint8_t { calm = 0, angry = 1, bored = 2 };
/// As OldMood, with other numbers of the same width.
enum class Swapped : std::uint8_t { angry = 0, calm = 1, bored = 2 };
/// As OldMood, without names.
enum class BareMood : std::uint8_t { calm = 0, angry = 1 };

/// A record whose fields are copied.
template <class E>
struct Plain {
  E mood{};
  std::int32_t hp = 5;
  std::array<E, 2> both{};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(mood), CEREAL_NVP(hp), CEREAL_NVP(both));
  }
};

template <class E>
struct Part {
  E mood{};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(mood));
  }
};

/// A record with the enum wherever it may be.
template <class E>
struct Rich {
  std::vector<E> list = {};
  std::map<E, std::int32_t> keys = {};
  std::map<std::string, E> values = {};
  std::set<E> set = {};
  std::optional<E> maybe = {};
  std::variant<std::int32_t, E> either = {};
  std::vector<Part<E>> parts = {};
  std::array<E, 2> both{};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(list), CEREAL_NVP(keys), CEREAL_NVP(values), CEREAL_NVP(set), CEREAL_NVP(maybe),
      CEREAL_NVP(either), CEREAL_NVP(parts), CEREAL_NVP(both));
  }
};

/// Where old records have calm and angry, in two ways.
template <class E>
Rich<E> rich(E calm, E angry) {
  Rich<E> record;
  record.list = {calm, angry, calm};
  record.keys = {{calm, 1}, {angry, 2}};
  record.values = {{"a", angry}, {"b", calm}};
  record.set = {angry, calm};
  record.maybe = angry;
  record.either = calm;
  record.parts = {{angry}, {calm}};
  record.both = {calm, angry};
  return record;
}

}  // namespace hdb::test::enum_test

/// All are one enum, at different times.
template <class T>
requires(std::is_same_v<T, hdb::test::enum_test::OldMood> ||
         std::is_same_v<T, hdb::test::enum_test::SameMood> ||
         std::is_same_v<T, hdb::test::enum_test::Swapped> ||
         std::is_same_v<T, hdb::test::enum_test::BareMood>) struct hdb::TypeName<T> {
  static constexpr std::string_view value = "Mood";
};
template <>
struct hdb::EnumNames<hdb::test::enum_test::OldMood> {
  using Mood = hdb::test::enum_test::OldMood;
  static constexpr std::array list{hdb::EnumName{Mood::calm, "calm"},
                                   hdb::EnumName{Mood::angry, "angry"},
                                   hdb::EnumName{Mood::bored, "bored"}};
};
template <>
struct hdb::EnumNames<hdb::test::enum_test::SameMood> {
  using Mood = hdb::test::enum_test::SameMood;
  static constexpr std::array list{hdb::EnumName{Mood::bored, "bored"},
                                   hdb::EnumName{Mood::calm, "calm"},
                                   hdb::EnumName{Mood::angry, "angry"}};
};
template <>
struct hdb::EnumNames<hdb::test::enum_test::Swapped> {
  using Mood = hdb::test::enum_test::Swapped;
  static constexpr std::array list{hdb::EnumName{Mood::angry, "angry"},
                                   hdb::EnumName{Mood::calm, "calm"},
                                   hdb::EnumName{Mood::bored, "bored"}};
};
template <>
struct hdb::EnumNames<hdb::test::enum_test::Mood> {
  using Mood = hdb::test::enum_test::Mood;
  static constexpr std::array list{
      hdb::EnumName{Mood::glad, "glad"}, hdb::EnumName{Mood::calm, "calm"},
      hdb::EnumName{Mood::furious, "furious"}, hdb::EnumName{Mood::sad, "sad"}};
};
template <>
struct hdb::Renames<hdb::test::enum_test::Mood> {
  static constexpr std::array list{hdb::Rename{"cross", "furious"},
                                   hdb::Rename{"angry", "furious"}};
};

namespace hdb::test::enum_test {

inline Bytes saved(Database& db) {
  MemorySink sink;
  EXPECT_TRUE(save(db.capture(), sink));
  return sink.take();
}

inline Result<LoadReport> load(Database& db, const Bytes& bytes, const LoadOptions& options = {}) {
  return db.load(std::make_unique<MemorySource>(bytes), options);
}

/// A file with a table "beasts" of these records.
template <class R>
Bytes file_of(const std::vector<R>& records) {
  Database db;
  auto& table = db.create_table<R>("beasts");
  for (const R& record : records) table.insert(record);
  return saved(db);
}

/// The records that a program with R loads from a file; `summary` of the load, or its error.
template <class R>
std::vector<R> loaded(const Bytes& file, std::string* summary = nullptr) {
  Database db;
  auto& table = db.create_table<R>("beasts");
  const auto report = load(db, file, {.verify_state_hash = true});
  if (summary != nullptr) *summary = report ? report->summary() : report.error().message();
  EXPECT_EQ(db.check_invariants(), nullptr);
  std::vector<R> records;
  for (const R& record : table) records.push_back(record);
  return records;
}

/// The error of such a load.
template <class R>
Error refused(const Bytes& file) {
  Database db;
  db.create_table<R>("beasts").insert({});
  const Hash128 before = db.state_hash();
  const auto report = load(db, file);
  EXPECT_FALSE(report);
  EXPECT_EQ(db.state_hash(), before) << "something changed";
  return report ? Error{} : report.error();
}

}  // namespace hdb::test::enum_test
