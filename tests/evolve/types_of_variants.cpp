// Variants as field types, alone and in containers.
#include "types.hpp"

namespace hdb::test::evolve {

void add_variants(vector<FieldType>& types) {
  add<variant<i32, string>>(types, "variant<i32, text>", {{7}, {"s"}});
  add<variant<string, i32>>(types, "variant<text, i32>", {{7}, {"s"}});
  add<variant<i64, string>>(types, "variant<i64, text>", {{i64{1} << 40}, {"s"}});
  add<variant<string>>(types, "variant<text>", {{"s"}});
  add<variant<std::monostate, i32>>(types, "variant<none, i32>", {{}, {7}});
  add<variant<i32, string, Point>>(types, "variant<i32, text, point>", {{7}, {Point{4}}});
  add<variant<Point, WidePoint>>(types, "variant<point, wide point>",
                                 {{Point{4}}, {WidePoint{4, 5}}});
  add<variant<WidePoint, Named>>(types, "variant<wide point, named>",
                                 {{WidePoint{4, 5}}, {Named{"a", {1}}}});
  add<vector<variant<i32, string>>>(types, "variant<i32, text>[]", {{}, {{1}, {"a"}}});
  add<vector<variant<string, Point, i32>>>(types, "variant<text, point, i32>[]",
                                           {{{"a"}, {1}}, {{Point{2}}}});
  add<optional<variant<i32, string>>>(types, "optional<variant<i32, text>>",
                                      {{}, variant<i32, string>{"a"}});
  add<map<i32, variant<i32, Mood>>>(types, "map<i32, variant<i32, named enum>>",
                                    {{{1, {Mood::bored}}, {2, {3}}}});
}

}  // namespace hdb::test::evolve
