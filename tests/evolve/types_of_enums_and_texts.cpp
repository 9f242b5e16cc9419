// Enums and texts as field types.
#include "types.hpp"

namespace hdb::test::evolve {

void add_enums_and_texts(vector<FieldType>& types) {
  add<Bare>(types, "enum u8", {Bare::one, Bare{255}});
  add<WideBare>(types, "enum i32", {WideBare::two, WideBare{-5}});
  add<Flag>(types, "enum bool", {Flag::no, Flag::yes});
  add<Mood>(types, "named enum", {Mood::calm, Mood::angry, Mood::bored, Mood{7}});
  add<LaterMood>(types, "later named enum", {LaterMood::glad, LaterMood::calm, LaterMood::angry});
  add<RenamedMood>(types, "renamed named enum", {RenamedMood::furious, RenamedMood{9}});
  add<string>(types, "text", {"", "a", "\xff"});
  add<CheckedText>(types, "{checked text}", {{"a"}});
  add<FreeText>(types, "{text}", {{"a"}, {"\xff"}});
}

}  // namespace hdb::test::evolve
