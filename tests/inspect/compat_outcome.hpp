// Two versions of a game: what compare_schemas says of them, and what a load does.
#pragma once

#include "hdb/inspect/compat.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cereal/types/array.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "hdb/hdb.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb::test::compat_test {

/// A record with a field that differs between versions and one that stays.
template <class T>
struct With {
  T value{};
  int same = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(value), CEREAL_NVP(same));
  }
};
struct OldPlain {
  int x = 1;
  std::string tag = "a";
};
struct ShorterPlain {
  int x = 0;
};
struct OtherPlain {
  int x = 0;
  int tag = 0;
};
struct LowerPlain {
  int x = 0;
  int tag = 0;
};
struct Without {
  int same = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(same));
  }
};
struct Reordered {
  int value = 0, same = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(same), CEREAL_NVP(value));
  }
};
struct Renamed {
  int life = 0, same = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(life), CEREAL_NVP(same));
  }
};
struct Foreign {
  int other = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(other));
  }
};
template <int Version>
struct Versioned {
  int value = 0, same = 1;
  template <class A>
  void serialize(A& a, std::uint32_t version) {
    if (version == 1) a(CEREAL_NVP(value));
    a(CEREAL_NVP(same));
  }
};
struct Checked {
  std::string value;
  int same = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(value), CEREAL_NVP(same));
  }
};
/// Looks like Without in a file.
struct Twin {
  int same = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(same));
  }
};
/// A variant whose older list is declared.
using Listed = std::variant<Twin, bool, Without>;
enum class Narrow : std::uint8_t { none };
enum class Wide : std::uint32_t { none };

}  // namespace hdb::test::compat_test

/// As in files of 0.9: the schemas decide.
template <class T>
requires(std::is_same_v<T, hdb::test::compat_test::Without> ||
         std::is_same_v<T, hdb::test::compat_test::Twin>) struct hdb::TypeName<T> {
  static constexpr std::string_view value = {};
};

template <>
struct hdb::Renames<hdb::test::compat_test::Renamed> {
  static constexpr std::array list{hdb::Rename{"value", "life"}};
};
template <>
struct hdb::Utf8Checked<hdb::test::compat_test::Checked> : std::true_type {};
template <>
struct hdb::OldAlternatives<hdb::test::compat_test::Listed> {
  using list = std::tuple<std::variant<hdb::test::compat_test::Without, bool>>;
};
CEREAL_CLASS_VERSION(hdb::test::compat_test::OldPlain, 1)
CEREAL_CLASS_VERSION(hdb::test::compat_test::ShorterPlain, 2)
CEREAL_CLASS_VERSION(hdb::test::compat_test::OtherPlain, 2)
CEREAL_CLASS_VERSION(hdb::test::compat_test::LowerPlain, 1)
CEREAL_CLASS_VERSION(hdb::test::compat_test::Versioned<1>, 1)
CEREAL_CLASS_VERSION(hdb::test::compat_test::Versioned<2>, 2)

namespace hdb::test::compat_test {

using ::testing::HasSubstr;
using Fill = std::function<void(Database&)>;

inline Bytes saved(Database& db) {
  MemorySink sink;
  EXPECT_TRUE(save(db.capture(), sink));
  return sink.take();
}

// The schemas of a file, as a document has them: without counts.
inline std::vector<TableSchema> schemas_in(const Bytes& file, bool has_counts = false) {
  std::vector<TableSchema> schemas;
  const auto reader = Reader::open(std::make_unique<MemorySource>(file));
  EXPECT_TRUE(reader);
  for (const TableDescriptor& table : (*reader)->tables()) {
    schemas.push_back(table_schema(table, (*reader)->schemas()[table.schema]));
    schemas.back().has_counts = has_counts;
  }
  return schemas;
}

struct Outcome {
  CompatReport report;
  Result<LoadReport> loaded;

  [[nodiscard]] std::vector<CompatRule> rules() const {
    std::vector<CompatRule> rules;
    for (const TableCompat& table : report.tables) {
      for (const CompatFinding& finding : table.findings) rules.push_back(finding.rule);
    }
    for (const CompatFinding& finding : report.findings) rules.push_back(finding.rule);
    return rules;
  }
};

// What compare_schemas says of two games, and what the new one does with a save of the old one.
inline Outcome outcome(
    const Fill& fill_old, const Fill& fill_new,
    const std::function<void(TableSchema&)>& declare = [](TableSchema&) {},
    bool has_counts = false) {
  Database old_game;
  fill_old(old_game);
  Database new_game;
  fill_new(new_game);
  const Bytes file = saved(old_game);
  std::vector<TableSchema> present = schemas_in(saved(new_game));
  for (TableSchema& table : present) declare(table);
  return {compare_schemas(schemas_in(file, has_counts), present),
          new_game.load(std::make_unique<MemorySource>(file))};
}

template <class Record>
Fill table_of(Record record = {}, TableOptions options = {}) {
  return [=](Database& db) { db.create_table<Record>("things", options).insert(record); };
}

template <class Record>
Fill empty_table(TableOptions options = {}) {
  return [=](Database& db) { db.create_table<Record>("things", options); };
}

template <class T>
With<T> with(T value) {
  return {std::move(value), 1};
}

// Verdict, rules and load agree.
inline void expect(const Outcome& got, Compatibility verdict, const std::vector<CompatRule>& rules,
                   const std::string& field = "value") {
  EXPECT_EQ(compatibility_name(got.report.verdict), compatibility_name(verdict));
  EXPECT_EQ(got.rules(), rules);
  const std::string message = got.loaded ? "" : got.loaded.error().message();
  EXPECT_EQ(got.loaded.has_value(), verdict < Compatibility::incompatible) << message;
  for (const TableCompat& table : got.report.tables) {
    for (const CompatFinding& finding : table.findings) {
      EXPECT_EQ(finding.effect, effect_of(finding.rule));
      EXPECT_EQ(finding.field, field) << finding.what;
      EXPECT_EQ(finding.code.has_value(), finding.effect == Compatibility::incompatible);
      EXPECT_EQ(compat_next_step(finding.rule).empty(), finding.effect < Compatibility::loss);
      if (!finding.code || got.loaded) continue;
      EXPECT_EQ(code_name(got.loaded.error().code), code_name(*finding.code)) << message;
      if (!finding.depends_on_values) {
        EXPECT_THAT(message, HasSubstr(finding.what));
      }
    }
  }
}

}  // namespace hdb::test::compat_test
