// hdb::OneOf: an object of one of several derived types, stored as a std::variant.
#include "hdb/one_of.hpp"
#include "hdb/import.hpp"

#include <cereal/types/base_class.hpp>
#include <cereal/types/polymorphic.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>
#include <map>
#include <optional>
#include <set>
#include <variant>

#include "hdb/cereal_boxes.hpp"
#include "hdb/hdb.hpp"
#include "hdb/migration.hpp"
#include "hdb/resource_table.hpp"
#include "one.hpp"

namespace hdb::test::one_of_test {
namespace {

using testing::HasSubstr;

/// An engine's base class: abstract, with a member of its own.
struct Component {
  bool enabled = true;

  virtual ~Component() = default;
  [[nodiscard]] virtual int update() = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(enabled));
  }
  friend bool operator==(const Component& a, const Component& b) { return a.enabled == b.enabled; }
};
struct Health : Component {
  int hp = 100;

  explicit Health(int points = 100) : hp(points) {}
  [[nodiscard]] int update() override { return --hp; }
  template <class A>
  void serialize(A& a) {
    a(cereal::base_class<Component>(this), CEREAL_NVP(hp));
  }
  friend bool operator==(const Health&, const Health&) = default;
};
struct Script : Component {
  std::string text = "idle";
  std::vector<int> stack;

  [[nodiscard]] int update() override { return static_cast<int>(text.size()); }
  template <class A>
  void serialize(A& a) {
    a(cereal::base_class<Component>(this), CEREAL_NVP(text), CEREAL_NVP(stack));
  }
  friend bool operator==(const Script&, const Script&) = default;
};
struct Sound : Component {
  Handle<Sound> next;
  std::vector<Strong<Sound>> owned;

  [[nodiscard]] int update() override { return 0; }
  template <class A>
  void serialize(A& a) {
    a(cereal::base_class<Component>(this), CEREAL_NVP(next), CEREAL_NVP(owned));
  }
  friend bool operator==(const Sound&, const Sound&) = default;
};
using Part = OneOf<Component, Health, Script>;

/// A base without virtual functions: the destructor of the object's own type is called.
struct Plain {
  int id = 0;
};
template <int N>
struct Counts : Plain {
  std::shared_ptr<int> alive;
};

TEST(OneOf, IsUsedAsAUniquePointer) {
  Part part;
  EXPECT_TRUE(!part && part == nullptr && part.get() == nullptr && part.index() == 0);
  part = std::make_unique<Health>(7);
  ASSERT_TRUE(part);
  EXPECT_TRUE(part != nullptr);
  EXPECT_EQ(part->update(), 6);
  EXPECT_EQ((*part).update(), 5);
  EXPECT_EQ(part.index(), 1U);
  EXPECT_EQ(part.as<Health>()->hp, 5);
  EXPECT_EQ(part.as<Script>(), nullptr);
  EXPECT_EQ(dynamic_cast<Health*>(part.get()), part.as<Health>());
  part = Script();
  EXPECT_EQ(part->update(), 4);
  EXPECT_EQ(part.index(), 2U);
  EXPECT_EQ(part.emplace<Health>(3).hp, 3);
  auto object = std::make_unique<Script>();
  const Script* const at = object.get();
  part = std::move(object);
  EXPECT_EQ(part.get(), at) << "the object is taken, not copied";
  part = nullptr;
  EXPECT_FALSE(part);
  part = std::unique_ptr<Health>();
  EXPECT_EQ(part, nullptr);
  static_assert(!std::is_constructible_v<Part, Sound> &&
                !std::is_constructible_v<Part, std::unique_ptr<Sound>> &&
                !std::is_constructible_v<Part, std::unique_ptr<Component>>);
}

TEST(OneOf, ACopyCopiesTheObjectAsTheTypeThatItIs) {
  Part a = Health(7);
  Part b = a;
  EXPECT_NE(a.get(), b.get());
  EXPECT_EQ(b->update(), 6);
  EXPECT_EQ(a.as<Health>()->hp, 7);
  a = Script();
  EXPECT_EQ(a->update(), 4);
  const Part& same = a;
  a = same;
  EXPECT_EQ(a->update(), 4) << "assigned to itself";
  b = Part();
  a = b;
  EXPECT_FALSE(a);
}

TEST(OneOf, AMoveKeepsTheAddressAndLeavesTheSourceEmpty) {
  Part a = Health(7);
  const Component* const at = a.get();
  Part b = std::move(a);
  EXPECT_EQ(b.get(), at);
  EXPECT_TRUE(!a && a.index() == 0);  // NOLINT(bugprone-use-after-move): it is empty
  a = std::move(b);
  EXPECT_EQ(a.get(), at);
  EXPECT_FALSE(b);  // NOLINT(bugprone-use-after-move): it is empty
  Part& same = a;
  a = std::move(same);
  EXPECT_EQ(a.get(), at) << "moved to itself";
  std::swap(a, b);
  EXPECT_EQ(b.get(), at);
  static_assert(std::is_nothrow_move_constructible_v<Part> &&
                std::is_nothrow_move_assignable_v<Part>);
}

TEST(OneOf, VisitsTheObjectAsTheTypeThatItIs) {
  Part part = Health(7);
  part.visit([]<class T>(T& object) {
    if constexpr (std::is_same_v<T, Health>) object.hp = 9;
  });
  const Part& read = part;
  const auto name = [](const auto& object) {
    return std::string(type_name<std::decay_t<decltype(object)>>());
  };
  EXPECT_THAT(read.visit(name), HasSubstr("Health"));
  EXPECT_EQ(read.as<Health>()->hp, 9);
  part = Script();
  EXPECT_THAT(read.visit(name), HasSubstr("Script"));
  static_assert(std::is_same_v<decltype(read.get()), const Component*> &&
                std::is_same_v<decltype(read.as<Health>()), const Health*> &&
                std::is_same_v<decltype(*part), Component&>);
}

TEST(OneOf, IsComparedByTypeAndValue) {
  EXPECT_EQ(Part(Health(1)), Part(Health(1)));
  EXPECT_NE(Part(Health(1)), Part(Health(2)));
  EXPECT_NE(Part(Health(1)), Part(Script()));
  EXPECT_NE(Part(Health(1)), Part());
  EXPECT_EQ(Part(), Part());
  static_assert(!std::equality_comparable<OneOf<Plain, Counts<1>>>);
}

TEST(OneOf, DestroysTheObjectAsTheTypeThatItIs) {
  const auto alive = std::make_shared<int>();
  {
    OneOf<Plain, Counts<1>, Counts<2>> a = Counts<2>{{5}, alive};
    auto b = a;
    EXPECT_EQ(alive.use_count(), 3);
    EXPECT_EQ(b->id, 5);
    a = nullptr;
    b.emplace<Counts<1>>();
    EXPECT_EQ(alive.use_count(), 1);
    b = Counts<1>{{6}, alive};
  }
  EXPECT_EQ(alive.use_count(), 1);
}

struct Base {
  virtual ~Base() = default;
};
struct Fragile : Base {
  static inline bool throws = false;
  int value = 0;

  explicit Fragile(int v = 0) : value(v) {
    if (throws) throw std::runtime_error("no");
  }
  Fragile(const Fragile& other) : Fragile(other.value) {}
  Fragile& operator=(const Fragile&) = default;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(value));
  }
};

TEST(OneOf, AThrowingConstructorChangesNothing) {
  OneOf<Base, Fragile> a = std::make_unique<Fragile>(1);
  const OneOf<Base, Fragile> b = std::make_unique<Fragile>(2);
  Fragile::throws = true;
  EXPECT_THROW(a = b, std::runtime_error);
  EXPECT_THROW(a.emplace<Fragile>(3), std::runtime_error);
  EXPECT_THROW((OneOf<Base, Fragile>(b)), std::runtime_error);
  Fragile::throws = false;
  EXPECT_EQ(a.as<Fragile>()->value, 1);
}

TEST(OneOf, AConstructorThatThrowsInALoadLeavesTheDatabaseAsItWas) {
  Database db;

  auto& table = db.create_table<std::vector<OneOf<Base, Fragile>>>("table");
  table.insert({Fragile(1), Fragile(2)});
  MemorySink file;
  ASSERT_TRUE(save(db.capture(), file));
  const auto handle = table.insert({Fragile(3)});
  const Hash128 hash = db.state_hash();
  Fragile::throws = true;
  const auto loaded = db.load(std::make_unique<MemorySource>(file.bytes()));
  Fragile::throws = false;
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::user_code_threw);
  EXPECT_EQ(db.state_hash(), hash);
  EXPECT_EQ(table.at(handle)[0].as<Fragile>()->value, 3);
  EXPECT_TRUE(db.load(std::make_unique<MemorySource>(file.bytes())));
}

TEST(OneOfDeathTest, MistakesAreReported) {
  const Part empty;
  EXPECT_DEATH((void)*empty, "an empty hdb::OneOf was dereferenced");
  EXPECT_DEATH((void)empty->enabled, "an empty hdb::OneOf was dereferenced");
  EXPECT_DEATH(empty.visit([](const auto&) {}), "an empty hdb::OneOf was dereferenced");
  struct Shield : Health {};
  std::unique_ptr<Health> object = std::make_unique<Shield>();
  EXPECT_DEATH(Part(std::move(object)), "derived from one of its types: list it");
}

template <class Variant>
struct Holder {
  Variant one;
  std::vector<Variant> list{Health(5), Variant(), Script()};
  std::map<int, Variant> map{{1, Script()}, {2, Variant()}};
  std::optional<Variant> optional = Script();
  std::tuple<Variant, int> tuple{Health(6), 5};
  std::variant<int, Variant> variant = Variant(Health(7));
};
using Pieces = std::variant<std::monostate, Health, Script>;

TEST(OneOf, IsStoredAsAVariant) {
  std::vector<Holder<Part>> parts(2);
  std::vector<Holder<Pieces>> pieces(2);
  parts[1].one = Health(8);
  pieces[1].one = Health(8);
  parts[1].list.emplace_back(Health(9))->enabled = false;
  std::get<Health>(pieces[1].list.emplace_back(Health(9))).enabled = false;
  const Encoded a = encode(parts);
  const Encoded b = encode(pieces);
  EXPECT_EQ(type_text(a.schema), type_text(b.schema));
  EXPECT_EQ(a.schema, b.schema);
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_EQ(a.hash, b.hash);
  EXPECT_EQ(encode(decode<Holder<Part>>(b)).columns, a.columns);
  EXPECT_EQ(encode(decode<Holder<Pieces>>(a)).columns, b.columns);
}

TEST(OneOf, ComesBackThroughColumnsAndOpaqueBytes) {
  check<Part>(
      "variant<{}, {#0: {enabled: bool}, hp: i32}, {#0: {enabled: bool}, text: string, stack: "
      "list<i32>}>",
      {Health(5), Script(), nullptr});
}

/// Have the `serialize` of their base: without members, or with members that are left out.
struct Poison : Health {
  [[nodiscard]] int update() override { return hp -= 2; }
};
struct Cached : Health {
  std::string drawn;
};
/// Look the same in files, which have no names of them.
template <int N>
struct Unnamed : Plain {
  int heal = N;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(heal));
  }
  friend bool operator==(const Unnamed& a, const Unnamed& b) { return a.heal == b.heal; }
};

}  // namespace
}  // namespace hdb::test::one_of_test

template <int N>
struct hdb::TypeName<hdb::test::one_of_test::Unnamed<N>> {
  static constexpr std::string_view value = {};
};
template <>
struct hdb::OldAlternatives<
    std::variant<std::monostate, hdb::test::one_of_test::Unnamed<2>,
                 hdb::test::one_of_test::Unnamed<1>, hdb::test::one_of_test::Unnamed<3>>> {
  using list = std::tuple<std::variant<std::monostate, hdb::test::one_of_test::Unnamed<1>>>;
};
template <>
struct hdb::LeavesOut<hdb::test::one_of_test::Cached> {
  static constexpr std::tuple members{&hdb::test::one_of_test::Cached::drawn};
};

namespace hdb::test::one_of_test {
namespace {

TEST(OneOf, ATypeMayHaveTheFunctionsOfItsBase) {
  using Any = OneOf<Component, Health, Poison, Cached>;
  const auto back = decode<One<Any>>(encode(std::vector<One<Any>>{{Poison()}, {Cached()}}));
  ASSERT_TRUE(back[0].v.as<Poison>() != nullptr && back[1].v.as<Cached>() != nullptr);
  Any poison = back[0].v;
  EXPECT_EQ(poison->update(), 98);
}

TEST(OneOf, TypesAreFoundByName) {
  using Later = OneOf<Component, Sound, Script, Health>;
  EXPECT_EQ(converted<Later>(Part(Health(5))).value(), Later(Health(5)));
  EXPECT_EQ(converted<Later>(Part(Script())).value(), Later(Script()));
  EXPECT_EQ(converted<Later>(Part()).value(), Later());
  using OnlyScript = OneOf<Component, Script>;
  EXPECT_EQ(converted<OnlyScript>(Part(Script())).value(), OnlyScript(Script()));
  // From and to a variant that is never empty.
  using Never = std::variant<Script, Health>;
  EXPECT_EQ(converted<Part>(Never(Health(5))).value(), Part(Health(5)));
  const auto never = try_decode<V<Never>>(encode(std::vector<V<Part>>{{Health(5)}}));
  ASSERT_TRUE(never) << never.error().message();
  EXPECT_EQ(never->front().v, Never(Health(5)));
}

TEST(OneOf, TypesWithoutNamesNeedADeclaration) {
  using Old = OneOf<Plain, Unnamed<1>>;
  EXPECT_EQ((failure<OneOf<Plain, Unnamed<2>, Unnamed<1>>>(Old(Unnamed<1>()))),
            ErrorCode::type_mismatch);
  using Declared = OneOf<Plain, Unnamed<2>, Unnamed<1>, Unnamed<3>>;
  EXPECT_EQ(converted<Declared>(Old(Unnamed<1>())).value(), Declared(Unnamed<1>()));
}

TEST(OneOf, ATypeThatTheProgramNoLongerListsIsNamed) {
  using OnlyScript = OneOf<Component, Script>;
  Database old;
  auto& parts = old.create_table<One<Part>>("parts");
  parts.insert({Health(5)});
  parts.insert({Script()});
  MemorySink file;
  ASSERT_TRUE(save(old.capture(), file));
  Database db;
  auto& table = db.create_table<One<OnlyScript>>("parts");
  const auto refused = db.load(std::make_unique<MemorySource>(file.bytes()));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("Health"));
  EXPECT_THAT(refused.error().message(), HasSubstr("'v'"));
  EXPECT_EQ(table.size(), 0U);
  LoadOptions options;
  options.unknown_values = UnknownValue::use_default;
  ASSERT_TRUE(db.load(std::make_unique<MemorySource>(file.bytes()), options));
  std::size_t empty = 0;
  for (const One<OnlyScript>& one : table) empty += one.v ? 0 : 1;
  EXPECT_EQ(table.size(), 2U);
  EXPECT_EQ(empty, 1U);
}

TEST(OneOf, ANumberBeyondTheTypesIsRefused) {
  const std::vector<One<Part>> records{{Health(5)}, {Script()}};
  const Encoded good = encode(records);
  ASSERT_EQ(good.columns[0], bytes(1, 2));
  for (const int tag : {3, 4, 255}) {
    Encoded bad = good;
    bad.columns[0] = bytes(1, tag);
    const auto loaded = try_decode<One<Part>>(bad);
    ASSERT_FALSE(loaded) << tag;
    EXPECT_EQ(loaded.error().code, ErrorCode::bad_value);
  }
  for (std::size_t c = 0; c < good.columns.size(); ++c) {
    for (std::size_t bit = 0; bit < good.columns[c].size() * 8; ++bit) {
      Encoded bad = good;
      bad.columns[c][bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
      const auto loaded = try_decode<One<Part>>(bad, 1 << 20);
      if (!loaded) continue;
      EXPECT_NE(encode(*loaded).columns, good.columns) << "column " << c << " bit " << bit;
    }
  }
}

TEST(OneOf, MemoryOfItsObjectIsCharged) {
  const Encoded file = encode(std::vector<One<std::vector<Part>>>{{std::vector<Part>(20)}});
  constexpr std::uint64_t empty = 20 * sizeof(Part) + 60;
  EXPECT_TRUE((try_decode<One<std::vector<Part>>>(file, empty)));
  const std::vector<Part> full(20, Health(1));
  const auto loaded =
      try_decode<One<std::vector<Part>>>(encode(std::vector{One<std::vector<Part>>{full}}), empty);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::memory_budget);
}

using Hearing = OneOf<Component, Sound, Health>;

TEST(OneOf, HandlesInItAreRemappedByAnImport) {
  Database prefab;
  auto& sounds = prefab.create_table<Sound>("sounds");
  auto& users = prefab.create_table<One<Hearing>>("users");
  sounds.insert({});
  Sound sound;
  sound.next = sounds.insert({});
  sound.owned = {Strong(sound.next)};
  const auto user = users.insert({sound});
  MemorySink file;
  ASSERT_TRUE(save(prefab.capture(), file));
  Database game;
  auto& own_sounds = game.create_table<Sound>("sounds");
  auto& own = game.create_table<One<Hearing>>("users");
  for (int i = 0; i < 5; ++i) own_sounds.insert({});
  const auto report = game.import_records(std::make_unique<MemorySource>(file.bytes()));
  ASSERT_TRUE(report) << report.error().message();
  const Sound* const imported = own.at(report->find(user)).v.as<Sound>();
  ASSERT_NE(imported, nullptr);
  EXPECT_NE(report->find(sound.next), sound.next);
  EXPECT_EQ(imported->next, report->find(sound.next));
  EXPECT_EQ(imported->owned, std::vector{Strong(imported->next)});
}

TEST(OneOf, AStrongHandleInItKeepsAResource) {
  Database db;
  auto& sounds = db.create_resource_table<Sound>("sounds");
  auto& users = db.create_table<One<std::vector<Hearing>>>("users");
  Sound sound;
  sound.owned = {Strong(sounds.table().insert({}))};
  const auto user = users.insert({{Health(1), sound}});
  EXPECT_EQ(sounds.flush().value().destroyed, 0U);
  users.edit(user)->v.pop_back();
  EXPECT_EQ(sounds.flush().value().destroyed, 1U);
}

TEST(OneOf, SnapshotsAreNotChangedThroughIt) {
  Database db;
  auto& table = db.create_table<One<Part>>("parts");
  const auto handle = table.insert({Health(5)});
  const Snapshot before = db.capture();
  const Hash128 hash = db.state_hash();
  EXPECT_EQ(table.edit(handle)->v->update(), 4);
  EXPECT_NE(db.state_hash(), hash);
  table.edit(handle)->v = Script();
  ASSERT_TRUE(db.restore(before));
  EXPECT_EQ(table.at(handle).v, Part(Health(5)));
  EXPECT_EQ(db.state_hash(), hash);
}

struct Scripted {
  Part part;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(part));
  }
};
struct Before {
  OneOf<Component, Script, Health> part;
};

}  // namespace
}  // namespace hdb::test::one_of_test

CEREAL_CLASS_VERSION(hdb::test::one_of_test::Scripted, 1)

namespace hdb::test::one_of_test {
namespace {

TEST(OneOf, AMigrationSeesAVariant) {
  Database old;
  const auto handle = old.create_table<Before>("parts").insert({Health(5)});
  MemorySink file;
  ASSERT_TRUE(save(old.capture(), file));
  Database db;
  const auto& table = db.create_table<Scripted>("parts");
  db.declare_migration({.table = "parts", .from = 0}, [](DynamicValue& record, MigrationContext&) {
    DynamicValue& part = record.at("part");
    EXPECT_EQ(part.tag(), 2) << "of the file: nothing, Script, Health";
    part.value().set("hp", 10 * part.value().at("hp").as<int>());
  });
  const auto loaded = db.load(std::make_unique<MemorySource>(file.bytes()));
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(table.at(Handle<Scripted>::from_bits(handle.bits())).part, Part(Health(50)));
}

}  // namespace
}  // namespace hdb::test::one_of_test
