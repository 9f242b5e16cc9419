// Lists and sets as field types.
#include <deque>

#include "types.hpp"

namespace hdb::test::evolve {

void add_lists(vector<FieldType>& types) {
  add<vector<bool>>(types, "bool[]", {{}, {true, false}});
  add<vector<u8>>(types, "u8[]", {{}, {1, 255}});
  add<vector<i32>>(types, "i32[]", {{}, {1}, {1, 2, 3}, {7, 7}});
  add<std::deque<i64>>(types, "i64[] as deque", {{}, {1, 2}});
  add<vector<double>>(types, "f64[]", {{}, {1, 2.5}});
  add<vector<string>>(types, "text[]", {{}, {"p"}, {"\xff", "\xff"}});
  add<vector<Bare>>(types, "enum u8[]", {{Bare::one, Bare::one}, {Bare{255}}});
  add<vector<Flag>>(types, "enum bool[]", {{Flag::yes, Flag::yes}});
  add<vector<Mood>>(types, "named enum[]", {{}, {Mood::angry, Mood::angry}, {Mood::bored}});
  add<vector<LaterMood>>(types, "later named enum[]", {{LaterMood::calm, LaterMood::glad}});
  add<vector<Point>>(types, "point[]", {{}, {{2}, {1}}});
  add<vector<WidePoint>>(types, "wide point[]", {{{1, 2}}, {{1, 2}, {1, 3}}});
  add<vector<RenamedPoint>>(types, "renamed point[]", {{{1}, {2}}});
  add<vector<LaterPoint>>(types, "later point[]", {{{1, 2}}});
  add<vector<Named>>(types, "named[]", {{}, {{"a", {1}}}});
  add<vector<RichNamed>>(types, "rich named[]", {{{"a", {1, 2}, {{3}}}}});
  add<vector<vector<i32>>>(types, "i32[][]", {{}, {{1}, {2, 3}}});
  add<vector<array<i32, 2>>>(types, "i32[2][]", {{{1, 2}, {3, 4}}});
  add<vector<optional<i32>>>(types, "optional<i32>[]", {{}, {1, {}}, {1, 2}});
  add<vector<optional<Point>>>(types, "optional<point>[]", {{Point{1}, {}}, {Point{2}}});
  add<vector<OpaqueBytes>>(types, "opaque[]", {{{{1, 2, 3}}}});
  add<vector<pair<i32, string>>>(types, "pair<i32, text>[]", {{{1, "a"}, {1, "b"}}});
  add<set<i32>>(types, "set<i32>", {{}, {1, 2}});
  add<std::multiset<i32>>(types, "multiset<i32>", {{1, 1, 2}});
  add<set<string>>(types, "set<text>", {{"a", "\xff"}});
  add<set<Mood>>(types, "set<named enum>", {{Mood::calm, Mood::angry}, {Mood::bored}});
  add<set<LaterMood>>(types, "set<later named enum>", {{LaterMood::angry, LaterMood::calm}});
  add<set<Point>>(types, "set<point>", {{{1}, {2}}});
  add<set<WidePoint>>(types, "set<wide point>", {{{1, 5}, {2, 3}, {3, 4}}});
  add<set<TurnedPoint>>(types, "set<turned point>", {{{1, 5}, {2, 3}, {3, 4}}});
  add<set<RenamedPoint>>(types, "set<renamed point>", {{{1}}});
}

}  // namespace hdb::test::evolve
