// Alternatives of a variant that were inserted, moved, removed or changed since the file was
// written: a value stays what it was, or the load fails. Their numbers decide nothing.
#include "database/variant_world.hpp"
#include "hdb/migration.hpp"

namespace hdb::test::variant_test {

using Old = std::variant<Sword, Potion>;
/// Food is new; the program says where the alternatives of older programs are.
using Declared = std::variant<Sword, Food, Potion>;
/// Converts the old variant itself.
struct ByHand {
  std::variant<Food, Laser> v = {};
  template <class A>
  void serialize(A& a, std::uint32_t version) {
    if (version >= 1) return a(CEREAL_NVP(v)), void();
    Old old;
    a(cereal::make_nvp("v", old));
    if (const Potion* const potion = std::get_if<Potion>(&old)) v = Food{potion->heal};
  }
};

}  // namespace hdb::test::variant_test

CEREAL_CLASS_VERSION(hdb::test::variant_test::ByHand, 1)

template <>
struct hdb::OldAlternatives<hdb::test::variant_test::Declared> {
  using list = std::tuple<hdb::test::variant_test::Old,
                          std::variant<hdb::RemovedAlternative, hdb::test::variant_test::Sword,
                                       hdb::test::variant_test::Potion>>;
};

namespace hdb::test::variant_test {
namespace {

using testing::HasSubstr;

/// The value is the same one, wherever it was stored and however it is loaded.
template <class To, class From, class T>
void expect_same(const From& from, const T& same) {
  for (const Path path : kPaths) {
    const Became<To> got = load_by<To>(path, from);
    ASSERT_FALSE(got.error) << static_cast<int>(path) << ": " << got.error->message();
    EXPECT_EQ(got.v, To(same)) << static_cast<int>(path);
    ASSERT_EQ(got.all.size(), 2U);
    EXPECT_EQ(got.all[0], std::nullopt);
    EXPECT_EQ(got.all[1], To(same)) << static_cast<int>(path);
  }
}

/// Nobody can know what the value is: the program must declare it.
template <class To, class From>
void expect_ambiguous(const From& from) {
  for (const Path path : kPaths) {
    const Became<To> got = load_by<To>(path, from);
    ASSERT_TRUE(got.error) << static_cast<int>(path);
    EXPECT_EQ(got.error->code, ErrorCode::type_mismatch);
    EXPECT_EQ(category_of(got.error->code), ErrorCategory::mismatch);
    EXPECT_THAT(got.error->message(), HasSubstr("items"));
    EXPECT_THAT(got.error->message(), HasSubstr("'v'"));
    EXPECT_THAT(got.error->message(), HasSubstr("hdb::OldAlternatives"));
  }
}

TEST(VariantChanges, AlternativesThatMovedAreFoundByTheirSchemas) {
  expect_same<std::variant<Potion, Sword>>(Old(Potion{7}), Potion{7});
  expect_same<std::variant<Potion, Sword>>(Old(Sword{4}), Sword{4});
  expect_same<std::variant<Sword, Laser, Potion>>(Old(Potion{7}), Potion{7});
  expect_same<std::variant<Potion>>(Old(Potion{7}), Potion{7});
  expect_same<std::variant<double, int>>(std::variant<int, double>(3), 3);
  expect_same<std::variant<int, float>>(std::variant<float, int>(2.0F), 2.0F);
  using None = std::monostate;
  expect_same<std::variant<None, std::string, int>>(std::variant<None, int, std::string>(3), 3);
  using Unsigned = std::variant<std::uint32_t, std::int32_t>;
  expect_same<Unsigned>(std::variant<std::int32_t, std::uint32_t>(std::int32_t{5}),
                        std::int32_t{5});
}

TEST(VariantChanges, AlternativesThatLookTheSameNeedADeclaration) {
  expect_ambiguous<std::variant<Sword, Food, Potion>, std::variant<Sword, Potion, Laser>>(
      std::variant<Sword, Potion, Laser>(Potion{7}));
  expect_ambiguous<std::variant<Sword, Potion, Food>>(Old(Potion{7}));
  expect_ambiguous<std::variant<Sword, Potion>>(std::variant<Sword, Food, Potion>(Food{7}));
  // As many of them as before, but others changed their places.
  expect_ambiguous<std::variant<Potion, Sword, Food>>(std::variant<Food, Potion, Sword>(Food{7}));
}

TEST(VariantChanges, AlternativesThatLookTheSameKeepTheirOrderIfNoneCameOrWent) {
  using Both = std::variant<Potion, Food>;
  expect_same<std::variant<Potion, Food, Sword>>(Both(Food{7}), Food{7});
  expect_same<std::variant<Sword, Potion, Food>>(Both(Food{7}), Food{7});
  expect_same<std::variant<Potion, Food>>(std::variant<Potion, Sword, Food>(Food{7}), Food{7});
}

TEST(VariantChanges, DeclaredListsSayWhatAlternativesWere) {
  expect_same<Declared>(Old(Potion{7}), Potion{7});
  expect_same<Declared>(Old(Sword{7}), Sword{7});
  using Older = std::variant<Laser, Sword, Potion>;
  expect_same<Declared>(Older(Potion{7}), Potion{7});
  expect_same<Declared>(Older(Sword{7}), Sword{7});
  expect_same<Declared>(Declared(Food{7}), Food{7});  // a file of the present program
  for (const Path path : kPaths) {
    const auto got = load_by<Declared>(path, Older(Laser{7}));
    ASSERT_TRUE(got.error);
    EXPECT_EQ(got.error->code, ErrorCode::value_out_of_range);
    EXPECT_THAT(got.error->message(), HasSubstr("alternative <0> {heat: i32}"));
  }
}

TEST(VariantChanges, AlternativesMayGainFields) {
  using Sharp = std::variant<Laser, Blade, Potion>;
  for (const Path path : kPaths) {
    EXPECT_EQ((load_by<std::variant<Blade, Potion>>(path, Old(Sword{4})).v),
              (std::variant<Blade, Potion>(Blade{4, 3})));
    EXPECT_EQ(load_by<Sharp>(path, Old(Sword{4})).v, Sharp(Blade{4, 3}));
    EXPECT_EQ(load_by<Sharp>(path, Old(Potion{4})).v, Sharp(Potion{4}));
  }
  using Wide = std::variant<std::int64_t, std::string>;
  expect_same<Wide>(std::variant<int, std::string>(3), std::int64_t{3});
  // Blade may be Sword, but then the two changed their places as well.
  expect_ambiguous<std::variant<Potion, Blade>>(Old(Sword{7}));
}

TEST(VariantChanges, ValuesOfARemovedAlternativeAreRefusedWithTheirRecord) {
  for (const Path path : kPaths) {
    const auto got = load_by<std::variant<Potion>>(path, Old(Sword{7}));
    ASSERT_TRUE(got.error);
    EXPECT_EQ(got.error->code, ErrorCode::value_out_of_range);
    EXPECT_THAT(got.error->message(), HasSubstr("<0> {damage: i32}"));
    EXPECT_THAT(got.error->message(), HasSubstr("items:0@1"));
  }
  // An alternative of other fields in the same place is another one.
  const auto other = load_by<std::variant<Laser, Potion>>(Path::plain, Old(Sword{7}));
  ASSERT_TRUE(other.error);
  EXPECT_EQ(other.error->code, ErrorCode::value_out_of_range);
}

TEST(VariantChanges, ValuesThatAMigrationMakesHaveTheProgramsNumbers) {
  using V = std::variant<Potion, Sword>;
  Database old;
  old.create_table<Item<Old>>("items").insert({Potion{7}, {}});
  Database db;
  auto& items = db.create_table<LaterItem<V>>("items");
  db.declare_migration({.table = "items", .from = 0}, [](DynamicValue& record, MigrationContext&) {
    EXPECT_EQ(record.at("v").tag(), 1) << "the number of the file";
    DynamicValue sword;
    sword.set("damage", 8);
    record.set("v", DynamicValue::alternative(1, sword));
  });
  ASSERT_TRUE(db.load(source_of(file_of(old))));
  EXPECT_EQ(items.begin()->v, V(Sword{8}));
}

TEST(VariantChanges, CodeThatReadsTheOldVariantGetsItsNumbers) {
  Database old;
  old.create_table<Item<Old>>("items").insert({Potion{7}, {}});
  Database db;
  auto& items = db.create_table<ByHand>("items");
  const auto loaded = db.load(source_of(file_of(old)));
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(std::get<Food>(items.begin()->v).heal, 7);
}

}  // namespace
}  // namespace hdb::test::variant_test
