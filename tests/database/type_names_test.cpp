// Alternatives of variants and places of tuples are found by the names of their types, whatever
// their order and their fields became.
#include <array>
#include <tuple>

#include <cereal/types/tuple.hpp>

#include "database/variant_world.hpp"
#include "hdb/cereal_boxes.hpp"
#include "hdb/inspect/reader.hpp"

// Two versions of a game. What has the same fields and another name is another type.
namespace hdb::test::type_names_test::first {
struct Heal {
  int amount = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(amount));
  }
  friend bool operator==(const Heal&, const Heal&) = default;
};
struct Harm {
  int amount = 2;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(amount));
  }
  friend bool operator==(const Harm&, const Harm&) = default;
};
}  // namespace hdb::test::type_names_test::first

namespace hdb::test::type_names_test::second {
/// Has gained a field, and lost one.
struct Heal {
  int strength = 7;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(strength));
  }
  friend bool operator==(const Heal&, const Heal&) = default;
};
using Harm = first::Harm;
struct Poison {
  int amount = 3;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(amount));
  }
  friend bool operator==(const Poison&, const Poison&) = default;
};
/// Harm, under its present name.
struct Hurt {
  int amount = 4;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(amount));
  }
  friend bool operator==(const Hurt&, const Hurt&) = default;
};
enum class Mood : std::uint8_t { calm, angry };
enum class Side : std::uint8_t { left, right };
/// Saved as a number.
struct Meters {
  int value = 0;
  template <class A>
  int save_minimal(const A&) const {
    return value;
  }
  template <class A>
  void load_minimal(const A&, const int& from) {
    value = from;
  }
  friend bool operator==(const Meters&, const Meters&) = default;
};
struct Feet {
  int value = 0;
  template <class A>
  int save_minimal(const A&) const {
    return value;
  }
  template <class A>
  void load_minimal(const A&, const int& from) {
    value = from;
  }
  friend bool operator==(const Feet&, const Feet&) = default;
};
template <class T>
struct Box {
  T content = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(content));
  }
  friend bool operator==(const Box&, const Box&) = default;
};
}  // namespace hdb::test::type_names_test::second

template <>
struct hdb::TypeName<hdb::test::type_names_test::second::Hurt> {
  static constexpr std::string_view value = "Harm";
};

namespace hdb::test::type_names_test {
struct BadTag;
}  // namespace hdb::test::type_names_test
template <>
struct hdb::TypeName<hdb::test::type_names_test::BadTag> {
  static constexpr std::string_view value = "\xff";
};

namespace hdb::test::type_names_test {
namespace {

using first::Harm;
using first::Heal;
using second::Box;
using second::Feet;
using second::Hurt;
using second::Meters;
using second::Mood;
using second::Poison;
using second::Side;
using testing::HasSubstr;
using variant_test::kPaths;
using variant_test::load_by;
using variant_test::Path;

template <class To, class From, class T>
void expect_same(const From& from, const T& same) {
  for (const Path path : kPaths) {
    const auto got = load_by<To>(path, from);
    ASSERT_FALSE(got.error) << static_cast<int>(path) << ": " << got.error->message();
    EXPECT_EQ(got.v, To(same)) << static_cast<int>(path);
    ASSERT_EQ(got.all.size(), 2U);
    EXPECT_EQ(got.all[1], To(same)) << static_cast<int>(path);
  }
}

/// The value is none of the program's, and the error names its type.
template <class To, class From>
void expect_unknown(const From& from, const std::string& type) {
  for (const Path path : kPaths) {
    const auto got = load_by<To>(path, from);
    ASSERT_TRUE(got.error) << static_cast<int>(path);
    EXPECT_EQ(got.error->code, ErrorCode::value_out_of_range) << got.error->message();
    EXPECT_THAT(got.error->message(), HasSubstr("'" + type + "'"));
    EXPECT_THAT(got.error->message(), HasSubstr("hdb::TypeName if its type got another name"));
    EXPECT_THAT(got.error->message(), HasSubstr("hdb::OldAlternatives"));
  }
}

using Old = std::variant<Heal, Harm>;

TEST(TypeNames, AReorderedVariantKeepsItsValuesThoughTheyLookAlike) {
  expect_same<std::variant<Harm, Heal>>(Old(Heal{5}), Heal{5});
  expect_same<std::variant<Harm, Heal>>(Old(Harm{5}), Harm{5});
  expect_same<std::variant<Poison, Harm, Heal>>(Old(Harm{5}), Harm{5});
  expect_same<std::variant<Harm, Poison>>(Old(Harm{5}), Harm{5});
  expect_same<std::variant<Side, Mood>>(std::variant<Mood, Side>(Mood::angry), Mood::angry);
  expect_same<std::variant<Feet, Meters>>(std::variant<Meters, Feet>(Meters{5}), Meters{5});
}

TEST(TypeNames, AreThoseOfTheContentInContainers) {
  using List = std::vector<Heal>;
  using Pairs = std::map<std::string, Harm>;
  expect_same<std::variant<std::vector<Harm>, List>>(
      std::variant<List, std::vector<Harm>>(List{{5}}), List{{5}});
  expect_same<std::variant<std::map<std::string, Heal>, Pairs>>(
      std::variant<Pairs, std::map<std::string, Heal>>(Pairs{{"a", {5}}}), Pairs{{"a", {5}}});
  using Both = std::array<std::optional<Harm>, 2>;
  using Others = std::array<std::optional<Heal>, 2>;
  expect_same<std::variant<Others, Both>>(std::variant<Both, Others>(Both{Harm{5}, {}}),
                                          Both{Harm{5}, {}});
}

TEST(TypeNames, ATypeOfTheSameFieldsInThePlaceOfAnotherIsAnotherOne) {
  expect_unknown<std::variant<Poison, Harm>>(Old(Heal{5}), "Heal");
  expect_unknown<std::variant<Harm>>(Old(Heal{5}), "Heal");
}

TEST(TypeNames, ATypeMayChangeAllItsFields) {
  const auto got = load_by<std::variant<Harm, second::Heal>>(Path::plain, Old(Heal{5}));
  ASSERT_FALSE(got.error) << got.error->message();
  EXPECT_EQ(got.v, (std::variant<Harm, second::Heal>(second::Heal{7}))) << got.summary;
  EXPECT_THAT(got.summary, HasSubstr("amount"));
}

TEST(TypeNames, ARenamedTypeIsFoundByItsDeclaredName) {
  expect_same<std::variant<Poison, Hurt, Heal>>(Old(Harm{5}), Hurt{5});
}

TEST(TypeNames, ThatAListHasTwiceDoNotCount) {
  using Boxes = std::variant<Box<int>, Box<std::string>, Heal, Harm>;
  expect_same<std::variant<Box<std::string>, Harm, Box<int>, Heal>>(Boxes(Box<int>{5}),
                                                                    Box<int>{5});
  expect_same<std::variant<Box<std::string>, Harm, Box<int>, Heal>>(Boxes(Heal{5}), Heal{5});
}

// --- places

template <class T>
struct Holder {
  T t = {};
  int last = 9;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(t), CEREAL_NVP(last));
  }
};
/// As std::tuple, of a program's own making.
template <class... Ts>
struct Unnamed {
  std::tuple<Ts...> all = {};
  template <class A>
  void serialize(A& a) {
    std::apply([&](auto&... each) { a(each...); }, all);
  }
};

template <class To, class From>
To load_places(const From& from, const LoadOptions& options = {}) {
  Database old;
  old.create_table<Holder<From>>("items").insert({from, 3});
  Database db;
  auto& items = db.create_table<Holder<To>>("items");
  const auto loaded = db.load(variant_test::source_of(variant_test::file_of(old)), options);
  EXPECT_TRUE(loaded) << loaded.error().message();
  if (!loaded) return To();
  EXPECT_EQ(items.begin()->last, 3);
  return items.begin()->t;
}

TEST(TypeNames, PlacesOfATupleMayMove) {
  using Tuple = std::tuple<Heal, Harm, int>;
  const Tuple tuple{{5}, {6}, 7};
  EXPECT_EQ((load_places<std::tuple<Harm, Heal, int>>(tuple)), std::tuple(Harm{6}, Heal{5}, 7));
  EXPECT_EQ((load_places<std::tuple<int, Harm, Heal>>(tuple)), std::tuple(7, Harm{6}, Heal{5}));
  EXPECT_EQ((load_places<std::tuple<Heal, Poison, Harm, int>>(tuple)),
            std::tuple(Heal{5}, Poison{3}, Harm{6}, 7));
  EXPECT_EQ((load_places<std::tuple<Harm, int>>(tuple)), std::tuple(Harm{6}, 7));
  EXPECT_EQ((load_places<std::tuple<Heal, Hurt, int>>(tuple)), std::tuple(Heal{5}, Hurt{6}, 7));
  const auto got = load_places<Unnamed<Harm, Heal>>(Unnamed<Heal, Harm>{{{5}, {6}}});
  EXPECT_EQ(got.all, std::tuple(Harm{6}, Heal{5}));
}

TEST(TypeNames, AnotherTypeInAPlaceIsNotReadAsThatOfTheFile) {
  EXPECT_EQ((load_places<std::tuple<Poison, Harm>>(std::tuple(Heal{5}, Harm{6}))),
            std::tuple(Poison{3}, Harm{6}));
}

TEST(TypeNames, PlacesOfNumbersKeepTheirOrder) {
  EXPECT_EQ((load_places<std::tuple<long, float, Heal>>(std::tuple(3, 4.0F, Heal{5}))),
            std::tuple(3L, 4.0F, Heal{5}));
  EXPECT_EQ((load_places<std::tuple<Harm, Harm>>(std::tuple(Harm{1}, Harm{2}))),
            std::tuple(Harm{1}, Harm{2}));
}

TEST(TypeNames, APlaceThatTheProgramLostIsNotKeptOverAnother) {
  LoadOptions options;
  options.keep_unknown = true;
  EXPECT_EQ((load_places<std::tuple<Harm>>(std::tuple(Heal{5}, Harm{6}), options)),
            std::tuple(Harm{6}));
}

// --- what files have

Field schema_of(Database& db) {
  const auto reader = Reader::open(variant_test::source_of(variant_test::file_of(db)));
  EXPECT_TRUE(reader);
  return (*reader)->schemas().front();
}

TEST(TypeNames, AreInFilesWhereOnlyAPlaceTellsWhatAValueIs) {
  Database db;
  db.create_table<Holder<std::variant<std::tuple<Heal, int>, std::vector<Mood>, int, Heal>>>(
      "items");
  const Field root = schema_of(db);
  EXPECT_EQ(type_name_of(root), "");
  const Field& variant = root.children[0];
  EXPECT_EQ(type_name_of(variant), "") << "it has a name of its own";
  std::vector<std::string_view> names;
  for (const Field& each : variant.children) names.push_back(type_name_of(each));
  EXPECT_THAT(names, testing::ElementsAre("Heal,-()", "Mood[]", "", "Heal"));
  EXPECT_EQ(type_name_of(variant.children[0].children[0]), "Heal");
  EXPECT_EQ(type_name_of(variant.children[0].children[1]), "");
  Field plain = variant;
  for (Field& each : plain.children) set_type_name(each, {});
  EXPECT_NE(plain, variant);
  Field whole = root;
  whole.children[0] = plain;
  EXPECT_EQ(schema_fingerprint(whole), schema_fingerprint(root)) << "they are not state";
}

TEST(TypeNames, TablesOfRecordsThatDifferInThemAloneHaveSchemasOfTheirOwn) {
  Database db;
  db.create_table<Holder<std::variant<Heal, Harm>>>("a").insert({Heal{1}, 0});
  db.create_table<Holder<std::variant<Harm, Heal>>>("b").insert({Heal{2}, 0});
  const Bytes file = variant_test::file_of(db);
  Database later;
  auto& a = later.create_table<Holder<std::variant<Harm, Heal>>>("a");
  auto& b = later.create_table<Holder<std::variant<Heal, Harm>>>("b");
  ASSERT_TRUE(later.load(variant_test::source_of(file)));
  EXPECT_EQ(a.begin()->t, (std::variant<Harm, Heal>(Heal{1})));
  EXPECT_EQ(b.begin()->t, (std::variant<Heal, Harm>(Heal{2})));
}

TEST(TypeNames, FilesWithoutThemAreReadByTheirSchemas) {
  const std::variant<variant_test::Sword, Heal> old(Heal{5});
  expect_same<std::variant<Heal, variant_test::Sword>>(old, Heal{5});
}

TEST(TypeNames, OfTagsMustBeNames) {
  Database db;
  const auto made = db.try_create_table<Heal, DefaultLayout, BadTag>("heals");
  ASSERT_FALSE(made) << "its handles could not be written when the table is dropped";
  EXPECT_EQ(made.error().code, ErrorCode::bad_options);
  EXPECT_THAT(made.error().message(), HasSubstr("hdb::TypeName"));
}

TEST(Identifiers, AreTheSameFromEveryCompiler) {
  using detail::identifier_of;
  EXPECT_EQ(identifier_of("game::Unit"), "Unit");
  EXPECT_EQ(identifier_of("struct game::Unit"), "Unit");
  EXPECT_EQ(identifier_of("enum Mood"), "Mood");
  EXPECT_EQ(identifier_of("{anonymous}::Unit"), "Unit");
  EXPECT_EQ(identifier_of("(anonymous namespace)::Unit"), "Unit");
  EXPECT_EQ(identifier_of("`anonymous-namespace'::Unit"), "Unit");
  EXPECT_EQ(identifier_of("game::Box<a::B<int>, char>"), "Box");
  EXPECT_EQ(identifier_of("game::Box<int>::Inner"), "Inner");
  EXPECT_EQ(identifier_of("f(int)::Local"), "Local");
  EXPECT_EQ(identifier_of("Gr\xc3\xb6\xc3\x9f"
                          "e"),
            "Gr\xc3\xb6\xc3\x9f"
            "e");
  EXPECT_EQ(identifier_of("f()::<lambda(int)>"), "");
  EXPECT_EQ(identifier_of("<unnamed struct>"), "");
  EXPECT_EQ(identifier_of("ns::" + std::string(256, 'a')), "");
  EXPECT_EQ(TypeName<Box<int>>::value, "Box");
}

}  // namespace
}  // namespace hdb::test::type_names_test
