// Handles as field types, alone and in containers.
#include "types.hpp"

namespace hdb::test::evolve {

void add_handles(vector<FieldType>& types) {
  const Game game(true);
  add<Handle<Sword>>(types, "handle<swords>", {{}, game.sword});
  add<Handle<Shield>>(types, "handle<shields>", {game.shield});
  add<Strong<Sword>>(types, "strong<swords>", {{}, Strong<Sword>(game.sword)});
  add<optional<Handle<Sword>>>(types, "optional<handle<swords>>", {{}, game.sword});
  add<vector<Handle<Sword>>>(types, "handle<swords>[]", {{}, {game.sword, {}}});
  add<vector<Strong<Sword>>>(types, "strong<swords>[]", {{Strong<Sword>(game.sword)}});
  add<array<Handle<Sword>, 2>>(types, "handle<swords>[2]", {{game.sword, {}}});
  add<set<Handle<Sword>>>(types, "set<handle<swords>>", {{{}, game.sword}});
  add<map<Handle<Sword>, i32>>(types, "map<handle<swords>, i32>", {{{game.sword, 1}, {{}, 2}}});
  add<map<i32, Handle<Shield>>>(types, "map<i32, handle<shields>>", {{{1, game.shield}}});
  add<variant<i32, Handle<Sword>>>(types, "variant<i32, handle<swords>>", {{1}, {game.sword}});
}

}  // namespace hdb::test::evolve
