// The tables that fuzzed files are loaded into.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <cereal/types/array.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

#include "hdb/hdb.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::fuzz {

/// Wide, so that 64 slots make a row group: three groups with few live records stay small.
struct Wide {
  std::array<std::uint64_t, 1025> pad{};
  std::string name;
  std::vector<std::uint32_t> ids;
  bool alive = true;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(pad), CEREAL_NVP(name), CEREAL_NVP(ids), CEREAL_NVP(alive));
  }
};

enum class Mood : std::int16_t { calm, angry };

struct Part {
  std::uint16_t size = 1;
  std::optional<std::string> label;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(size), CEREAL_NVP(label));
  }
};

/// Every kind of field, nested.
struct Thing {
  bool flag = false;
  std::int8_t tiny = -1;
  std::uint64_t large = 0;
  float real = 0;
  char16_t letter = u'x';
  Mood mood = Mood::calm;
  Handle<test::Unit, Layout<20, 12>> unit;
  Strong<Thing> owned;
  std::string text;
  std::array<Part, 2> pair;
  std::vector<std::vector<std::int32_t>> rows;
  std::vector<Part> parts;
  std::optional<double> maybe;
  std::variant<std::int32_t, std::string, Part> either;
  std::map<std::string, Part> by_name;
  std::map<std::int32_t, bool> flags;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(flag), CEREAL_NVP(tiny), CEREAL_NVP(large), CEREAL_NVP(real), CEREAL_NVP(letter));
    a(CEREAL_NVP(mood), CEREAL_NVP(unit), CEREAL_NVP(owned), CEREAL_NVP(text), CEREAL_NVP(pair));
    a(CEREAL_NVP(rows), CEREAL_NVP(parts), CEREAL_NVP(maybe), CEREAL_NVP(either));
    a(CEREAL_NVP(by_name), CEREAL_NVP(flags));
  }
};

/// Small, for tables with names or type ids.
struct Named {
  std::int32_t value = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(value));
  }
};

/// Makes the tables: those of fixtures/v0/three_tables.hdb among them, so that it loads.
void declare(Database& db);

/// Limits that keep a fuzzed file small in time and memory.
[[nodiscard]] ReadLimits small_limits();
/// The default limits for about a quarter of all files, else the small ones.
[[nodiscard]] ReadLimits limits_for(std::span<const std::byte> file);

}  // namespace hdb::fuzz

template <>
struct hdb::EnumNames<hdb::fuzz::Mood> {
  static constexpr std::array list{hdb::EnumName{hdb::fuzz::Mood::calm, "calm"},
                                   hdb::EnumName{hdb::fuzz::Mood::angry, "angry"}};
};

CEREAL_CLASS_VERSION(hdb::fuzz::Part, 3)
