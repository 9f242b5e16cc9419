// Structures, arrays and optionals as field types.
#include "types.hpp"

namespace hdb::test::evolve {

void add_structures(vector<FieldType>& types) {
  add<Point>(types, "point", {{-1}});
  add<WidePoint>(types, "wide point", {{2.5, 3}, {1, 4}});
  add<TurnedPoint>(types, "turned point", {{1, 4}});
  add<RenamedPoint>(types, "renamed point", {{12}});
  add<LaterPoint>(types, "later point", {{1, 2}});
  add<Unnamed>(types, "unnamed", {{13, 14}});
  add<Named>(types, "named", {{"imp", {5}}});
  add<RichNamed>(types, "rich named", {{"orc", {5, 6}, {{1}, {2}}}});
  add<OpaqueBytes>(types, "opaque", {{}, {{1, 2, 3}}, {{255, 255, 255}}});
  add<OpaqueTexts>(types, "opaque texts", {{}, {{"a", "b"}}});
  add<pair<i32, string>>(types, "pair<i32, text>", {{1, "a"}});
  add<pair<i32, i32>>(types, "pair<i32, i32>", {{1, 2}});
  add<tuple<i32, i32>>(types, "tuple<i32, i32>", {{3, 4}});
  add<tuple<i32, i32, string>>(types, "tuple<i32, i32, text>", {{3, 4, "b"}});
  add<tuple<i64, string, i32>>(types, "tuple<i64, text, i32>", {{3, "b", 4}});
  add<tuple<string, array<Point, 2>>>(types, "tuple<text, point[2]>", {{"b", {{{1}, {2}}}}});
  add<array<i32, 2>>(types, "i32[2]", {{1, 2}});
  add<array<i64, 3>>(types, "i64[3]", {{4, 5, 6}});
  add<array<u8, 2>>(types, "u8[2]", {{4, 5}});
  add<array<string, 2>>(types, "text[2]", {{"a", "b"}});
  add<array<Point, 2>>(types, "point[2]", {{{{1}, {2}}}});
  add<array<WidePoint, 3>>(types, "wide point[3]", {{{{1, 2}, {3, 4}, {5, 6}}}});
  add<array<array<i32, 2>, 2>>(types, "i32[2][2]", {{{{1, 2}, {3, 4}}}});
  add<array<vector<i32>, 2>>(types, "i32[][2]", {{{{1, 2}, {3}}}});
  add<array<vector<i32>, 1>>(types, "i32[][1]", {{{{1, 2}}}});
  add<array<Mood, 2>>(types, "named enum[2]", {{Mood::angry, Mood::bored}});
  add<optional<i32>>(types, "optional<i32>", {{}, 4});
  add<optional<i64>>(types, "optional<i64>", {{}, i64{1} << 40});
  add<optional<string>>(types, "optional<text>", {{}, "z"});
  add<optional<Point>>(types, "optional<point>", {{}, Point{8}});
  add<optional<WidePoint>>(types, "optional<wide point>", {{}, WidePoint{8, 1}});
  add<optional<LaterPoint>>(types, "optional<later point>", {{}, LaterPoint{8, 1}});
  add<optional<optional<i32>>>(types, "optional<optional<i32>>",
                               {{}, optional<i32>(), optional<i32>(3)});
  add<optional<vector<i32>>>(types, "optional<i32[]>", {{}, vector<i32>{5, 6}});
  add<optional<array<i32, 2>>>(types, "optional<i32[2]>", {{}, array<i32, 2>{5, 6}});
  add<optional<Mood>>(types, "optional<named enum>", {{}, Mood::bored});
}

}  // namespace hdb::test::evolve
