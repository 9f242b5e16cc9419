// Field types, saves that hold some of their values, and programs that load such saves.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hdb/hdb.hpp"
#include "hdb/import.hpp"
#include "hdb/inspect/compat.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::evolve {

/// How a program reads an old save. `newer_class`: its record has another class version.
/// `migrated`: by a migration that does nothing; `migrated_reading`: that reads every value.
enum class Way : std::uint8_t { plain, imported, newer_class, migrated, migrated_reading };

/// What became of a save of one record.
struct Outcome {
  bool loads = false;
  std::string value;    ///< The hash of the loaded record.
  Error error;          ///< Of a refusal.
  std::string changes;  ///< What the report says of the table.
  std::string state;    ///< The hash of the whole state.
};

/// A field type, in an old program that saves it and in a new one that loads saves of any of them.
struct FieldType {
  std::string name;
  std::vector<Bytes> saves;  ///< Of one record each.
  std::vector<TableSchema> saved_schemas, loaded_schemas;
  std::function<Outcome(const Bytes& save, Way way)> load;
};

/// The record of the program that saved.
template <class T>
struct Old {
  T v{};
  std::int32_t tail = 77;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(v), CEREAL_NVP(tail));
  }
};
/// The record of the program that loads.
template <class T, std::uint32_t class_version>
struct New {
  std::int32_t tail = 1;
  T v{};
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(tail), CEREAL_NVP(v));
  }
};

/// Records that handles name.
struct Sword {
  std::int32_t damage = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(damage));
  }
};
struct Shield {
  std::int32_t armour = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(armour));
  }
};

/// A database with a sword and a shield, the records that the handles of all field types name.
struct Game {
  Database db;
  Handle<Sword> sword;
  Handle<Shield> shield;
  explicit Game(bool has_records);
};

/// The schemas that `db` has for files, with its declarations.
[[nodiscard]] std::vector<TableSchema> schemas_of(const Database& db);
[[nodiscard]] Bytes save_of(Database& db);
/// Reads a save in one of the ways. `value`: the hash of the record that was loaded.
[[nodiscard]] Outcome load_into(Database& db, const Bytes& save, Way way,
                                const std::function<std::string()>& value);

template <class Record>
Outcome load_records(const Bytes& save, Way way) {
  Game game(false);
  auto& records = game.db.create_table<Record>("records");
  return load_into(game.db, save, way, [&records] {
    if (records.size() != 1) return "records: " + std::to_string(records.size());
    // In a database of its own, for an import gives other handles than a load.
    Database alone;
    alone.create_table<Old<decltype(Record::v)>>("records").insert(
        {records.begin()->v, records.begin()->tail});
    return alone.state_hash().hex();
  });
}

/// Reads a save as load_as does with the schemas of the program, saves that, and loads it into the
/// program. `changes` is the report of load_as.
[[nodiscard]] Outcome load_through_schemas(const FieldType& to, const Bytes& save);

/// Adds a field type with saves of `values`.
template <class T>
void add(std::vector<FieldType>& types, std::string name, const std::vector<T>& values) {
  FieldType type;
  type.name = std::move(name);
  for (const T& value : values) {
    Game game(true);
    game.db.create_table<Old<T>>("records").insert(Old<T>{value});
    type.saves.push_back(save_of(game.db));
    type.saved_schemas = schemas_of(game.db);
  }
  Game game(false);
  game.db.create_table<New<T, 0>>("records");
  type.loaded_schemas = schemas_of(game.db);
  type.load = [](const Bytes& save, Way way) {
    return way == Way::plain || way == Way::imported ? load_records<New<T, 0>>(save, way)
                                                     : load_records<New<T, 1>>(save, way);
  };
  types.push_back(std::move(type));
}

void add_numbers(std::vector<FieldType>& types);
void add_enums_and_texts(std::vector<FieldType>& types);
void add_structures(std::vector<FieldType>& types);
void add_lists(std::vector<FieldType>& types);
void add_maps(std::vector<FieldType>& types);
void add_variants(std::vector<FieldType>& types);
void add_handles(std::vector<FieldType>& types);

}  // namespace hdb::test::evolve

namespace cereal::detail {
template <class T, std::uint32_t class_version>
struct Version<hdb::test::evolve::New<T, class_version>> {
  static constexpr std::uint32_t version = class_version;
  static std::uint32_t registerVersion() { return version; }
};
}  // namespace cereal::detail
