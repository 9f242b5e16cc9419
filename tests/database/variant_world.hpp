// Old and new games whose records hold variants: in plain loads, migrations and imports.
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
#include "hdb/import.hpp"
#include "hdb/migration.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::variant_test {

struct Sword {
  int damage = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(damage));
  }
  friend bool operator==(const Sword&, const Sword&) = default;
};
/// As Sword, of a later program.
struct Blade {
  int damage = 1;
  int edge = 3;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(damage), CEREAL_NVP(edge));
  }
  friend bool operator==(const Blade&, const Blade&) = default;
};
struct Potion {
  int heal = 2;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(heal));
  }
  friend bool operator==(const Potion&, const Potion&) = default;
};
/// Looks like Potion in a file.
struct Food {
  int heal = 5;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(heal));
  }
  friend bool operator==(const Food&, const Food&) = default;
};
struct Laser {
  int heat = 9;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(heat));
  }
  friend bool operator==(const Laser&, const Laser&) = default;
};

}  // namespace hdb::test::variant_test

/// Their files are as those of 0.9: without names of types, so that the schemas decide.
template <class T>
requires(std::is_same_v<T, hdb::test::variant_test::Sword> ||
         std::is_same_v<T, hdb::test::variant_test::Blade> ||
         std::is_same_v<T, hdb::test::variant_test::Potion> ||
         std::is_same_v<T, hdb::test::variant_test::Food> ||
         std::is_same_v<T, hdb::test::variant_test::Laser>) struct hdb::TypeName<T> {
  static constexpr std::string_view value = {};
};

namespace hdb::test::variant_test {

/// A record of class version 0.
template <class V>
struct Item {
  V v = {};
  std::vector<std::optional<V>> all = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(v), CEREAL_NVP(all));
  }
};
/// The same of class version 1, whose serialize reads version 0, too.
template <class V>
struct LaterItem {
  V v = {};
  std::vector<std::optional<V>> all = {};
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(v), CEREAL_NVP(all));
  }
};

/// The game without and with a mod.
using Base = std::variant<Sword, Potion>;
using Modded = std::variant<Sword, Laser, Potion>;
enum class Race : std::uint8_t { man = 0, elf = 1 };
enum class ModRace : std::uint8_t { man = 0, robot = 1, elf = 2 };

/// A record whose fields are copied.
template <class E>
struct Pawn {
  E race = E::elf;
  std::array<E, 2> both{E::elf, E::elf};
  int hp = 5;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(race), CEREAL_NVP(both), CEREAL_NVP(hp));
  }
};
template <class E>
struct Team {
  std::map<E, int> count = {};
  std::set<E> seen = {};
  int size = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(count), CEREAL_NVP(seen), CEREAL_NVP(size));
  }
};
enum class Path { plain, raised_version, migration, import };
inline constexpr std::array kPaths{Path::plain, Path::raised_version, Path::migration,
                                   Path::import};

inline Bytes file_of(Database& db) {
  MemorySink sink;
  EXPECT_TRUE(save(db.capture(), sink));
  return sink.take();
}
inline std::unique_ptr<ByteSource> source_of(const Bytes& file) {
  return std::make_unique<MemorySource>(file);
}

/// What became of a record.
template <class V>
struct Became {
  std::optional<Error> error;
  std::optional<V> v;
  std::vector<std::optional<V>> all = {};
  std::string summary;
};

template <class V, class R>
Became<V> became(const R& result, const auto& table) {
  Became<V> got;
  if (!result) {
    got.error = result.error();
    return got;
  }
  got.summary = result->summary();
  if (table.size() == 0) return got;
  got.v = table.begin()->v;
  got.all = table.begin()->all;
  return got;
}

/// Saves a record of the old game that holds `value`, directly and nested, and loads it.
template <class To, class From>
Became<To> load_by(Path path, const From& value, const LoadOptions& options = {}) {
  Database old;
  old.create_table<Item<From>>("items").insert({value, {std::nullopt, value}});
  const Bytes file = file_of(old);
  Database db;
  if (path == Path::plain || path == Path::import) {
    auto& items = db.create_table<Item<To>>("items");
    if (path == Path::plain) return became<To>(db.load(source_of(file), options), items);
    ImportOptions import;
    import.unknown_values = options.unknown_values;
    return became<To>(db.import_records(source_of(file), import), items);
  }
  auto& items = db.create_table<LaterItem<To>>("items");
  if (path == Path::migration) {
    db.declare_migration({.table = "items", .from = 0},
                         [](DynamicValue& record, MigrationContext&) {
                           if (record.at("v").kind() != FieldKind::variant)
                             throw DynamicError("not a variant");
                         });
  }
  return became<To>(db.load(source_of(file), options), items);
}

}  // namespace hdb::test::variant_test

template <>
struct hdb::EnumNames<hdb::test::variant_test::Race> {
  using Race = hdb::test::variant_test::Race;
  static constexpr std::array list{hdb::EnumName{Race::man, "man"},
                                   hdb::EnumName{Race::elf, "elf"}};
};
template <>
struct hdb::EnumNames<hdb::test::variant_test::ModRace> {
  using Race = hdb::test::variant_test::ModRace;
  static constexpr std::array list{hdb::EnumName{Race::man, "man"},
                                   hdb::EnumName{Race::robot, "robot"},
                                   hdb::EnumName{Race::elf, "elf"}};
};

namespace cereal::detail {
template <class V>
struct Version<hdb::test::variant_test::LaterItem<V>> {
  static constexpr std::uint32_t version = 1;
  static std::uint32_t registerVersion() { return version; }
};
}  // namespace cereal::detail
