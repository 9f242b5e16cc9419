// Structures and enums that the field types are made of.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <cereal/types/array.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

#include "field_type.hpp"

namespace hdb::test::evolve {

using std::array;
using std::map;
using std::optional;
using std::pair;
using std::set;
using std::string;
using std::tuple;
using std::variant;
using std::vector;
using i8 = std::int8_t;
using u8 = std::uint8_t;
using i16 = std::int16_t;
using u16 = std::uint16_t;
using i32 = std::int32_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;

struct Point {
  i32 x = 3;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x));
  }
  friend auto operator<=>(const Point&, const Point&) = default;
};
/// As Point, with a wider number and a further field.
struct WidePoint {
  double x = 5;
  i32 y = 9;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(y));
  }
  friend auto operator<=>(const WidePoint&, const WidePoint&) = default;
};
/// As WidePoint, in another order.
struct TurnedPoint {
  i32 y = 8;
  double x = 4;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(y), CEREAL_NVP(x));
  }
  friend auto operator<=>(const TurnedPoint&, const TurnedPoint&) = default;
};
/// As Point, where x is called across.
struct RenamedPoint {
  i64 across = 6;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(across));
  }
  friend auto operator<=>(const RenamedPoint&, const RenamedPoint&) = default;
};
/// As Point, of class version 2.
struct LaterPoint {
  i32 x = 7;
  i32 z = 10;
  template <class A>
  void serialize(A& a, std::uint32_t version) {
    a(CEREAL_NVP(x));
    if (version >= 2) a(CEREAL_NVP(z));
  }
  friend auto operator<=>(const LaterPoint&, const LaterPoint&) = default;
};
/// Fields without names.
struct Unnamed {
  i32 x = 11;
  i16 y = 12;
  template <class A>
  void serialize(A& a) {
    a(x, y);
  }
  friend auto operator<=>(const Unnamed&, const Unnamed&) = default;
};
struct Named {
  string name = "n";
  Point at = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(at));
  }
  friend auto operator<=>(const Named&, const Named&) = default;
};
/// As Named, with a further field in the middle of a nested structure, and a list.
struct RichNamed {
  string name = "r";
  WidePoint at = {};
  vector<Point> path = {Point{1}};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(at), CEREAL_NVP(path));
  }
  friend auto operator<=>(const RichNamed&, const RichNamed&) = default;
};
struct OpaqueBytes {
  array<u8, 3> b{};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(b));
  }
  friend auto operator<=>(const OpaqueBytes&, const OpaqueBytes&) = default;
};
struct OpaqueTexts {
  vector<string> texts;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(texts));
  }
  friend auto operator<=>(const OpaqueTexts&, const OpaqueTexts&) = default;
};
struct CheckedText {
  string t = "t";
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(t));
  }
  friend auto operator<=>(const CheckedText&, const CheckedText&) = default;
};
struct FreeText {
  string t = "f";
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(t));
  }
  friend auto operator<=>(const FreeText&, const FreeText&) = default;
};

enum class Bare : u8 { zero, one, two };
enum class WideBare : i32 { zero, one, two };
enum class Flag : bool { no, yes };
enum class Mood : u8 { calm = 0, angry = 1, bored = 2 };
/// As Mood: other numbers, a name less and a name more.
enum class LaterMood : i16 { glad = 0, calm = 300, angry = 2 };
/// As Mood, where angry is called furious.
enum class RenamedMood : u8 { calm = 0, furious = 1, bored = 2 };

}  // namespace hdb::test::evolve

namespace hdb {
template <>
struct Renames<test::evolve::RenamedPoint> {
  static constexpr std::array list{Rename{"x", "across"}};
};
template <>
struct Opaque<test::evolve::OpaqueBytes> : std::true_type {};
template <>
struct Opaque<test::evolve::OpaqueTexts> : std::true_type {};
template <>
struct Utf8Checked<test::evolve::CheckedText> : std::true_type {};
template <>
struct EnumNames<test::evolve::Mood> {
  using E = test::evolve::Mood;
  static constexpr std::array list{EnumName{E::calm, "calm"}, EnumName{E::angry, "angry"},
                                   EnumName{E::bored, "bored"}};
};
template <>
struct EnumNames<test::evolve::LaterMood> {
  using E = test::evolve::LaterMood;
  static constexpr std::array list{EnumName{E::glad, "glad"}, EnumName{E::calm, "calm"},
                                   EnumName{E::angry, "angry"}};
};
template <>
struct EnumNames<test::evolve::RenamedMood> {
  using E = test::evolve::RenamedMood;
  static constexpr std::array list{EnumName{E::calm, "calm"}, EnumName{E::furious, "furious"},
                                   EnumName{E::bored, "bored"}};
};
template <>
struct Renames<test::evolve::RenamedMood> {
  static constexpr std::array list{Rename{"angry", "furious"}};
};
}  // namespace hdb
CEREAL_CLASS_VERSION(hdb::test::evolve::LaterPoint, 2)
