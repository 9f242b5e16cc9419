// Maps as field types.
#include "types.hpp"

namespace hdb::test::evolve {

void add_maps(vector<FieldType>& types) {
  add<map<string, i32>>(types, "map<text, i32>", {{}, {{"k", 1}}});
  add<map<i32, string>>(types, "map<i32, text>", {{{1, "x"}, {2, "y"}}});
  add<map<i64, string>>(types, "map<i64, text>", {{{1, "x"}, {i64{1} << 40, "y"}}});
  add<map<i32, Point>>(types, "map<i32, point>", {{{1, {2}}}});
  add<map<i32, WidePoint>>(types, "map<i32, wide point>", {{{1, {2, 3}}}});
  add<map<i32, LaterPoint>>(types, "map<i32, later point>", {{{1, {2, 3}}}});
  add<map<Point, i32>>(types, "map<point, i32>", {{{{1}, 2}}});
  add<map<Mood, i32>>(types, "map<named enum, i32>",
                      {{{Mood::calm, 1}, {Mood::angry, 2}}, {{Mood::bored, 1}}});
  add<map<LaterMood, i32>>(types, "map<later named enum, i32>",
                           {{{LaterMood::angry, 1}, {LaterMood::calm, 2}}});
  add<map<i32, Mood>>(types, "map<i32, named enum>", {{{1, Mood::angry}}, {{1, Mood::bored}}});
  add<map<string, vector<i32>>>(types, "map<text, i32[]>", {{{"a", {1, 2}}}});
  add<map<string, optional<i32>>>(types, "map<text, optional<i32>>", {{{"a", 1}, {"b", {}}}});
  add<map<string, map<i32, i32>>>(types, "map<text, map<i32, i32>>", {{{"a", {{1, 2}}}}});
  add<std::multimap<i32, i32>>(types, "multimap<i32, i32>", {{{1, 1}, {1, 2}}, {{1, 1}, {2, 2}}});
  add<map<i32, i32>>(types, "map<i32, i32>", {{{1, 1}, {2, 2}}});
}

}  // namespace hdb::test::evolve
