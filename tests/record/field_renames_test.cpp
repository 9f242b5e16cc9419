// Declared renames of fields and tables of handles: followed, or refused where they contradict.
#include "helpers.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {
namespace field_renames {

using testing::HasSubstr;

struct TwoFields {
  int a = 0, b = 0;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(a), CEREAL_NVP(b));
  }
};
template <int Which>
struct Renamed : TwoFields {
  using TwoFields::serialize;
};
template <int Which>
struct Holder {
  std::vector<Renamed<Which>> list;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(list));
  }
};

}  // namespace field_renames
}  // namespace hdb::test

template <>
struct hdb::Renames<hdb::test::field_renames::Renamed<0>> {
  static constexpr std::array list{hdb::Rename{"old", "c"}};
};
template <>
struct hdb::Renames<hdb::test::field_renames::Renamed<1>> {
  static constexpr std::array list{hdb::Rename{"b", "a"}};
};
template <>
struct hdb::Renames<hdb::test::field_renames::Renamed<2>> {
  static constexpr std::array list{hdb::Rename{"old", "a"}, hdb::Rename{"old", "b"}};
};
template <>
struct hdb::Renames<hdb::test::field_renames::Renamed<3>> {
  static constexpr std::array list{hdb::Rename{"a", "b"}, hdb::Rename{"b", "a"}};
};
template <>
struct hdb::Renames<hdb::test::field_renames::Renamed<4>> {
  static constexpr std::array list{hdb::Rename{"old", "a"}, hdb::Rename{"older", "a"},
                                   hdb::Rename{"other", "b"}};
};

namespace hdb::test {
namespace field_renames {

template <class R>
std::string conflict_of() {
  const auto schema = make_codec<R>()->schema(no_table);
  if (schema) return "none";
  EXPECT_EQ(schema.error().code, ErrorCode::rename_conflict);
  return schema.error().message();
}

TEST(FieldRenames, ContradictoryRenamesOfFieldsAreRefused) {
  EXPECT_THAT(conflict_of<Renamed<0>>(),
              HasSubstr("'old' is now field 'c', but the type has no field of that name"));
  EXPECT_THAT(conflict_of<Renamed<1>>(),
              HasSubstr("'b' is now field 'a', but the type still has a field of the old name"));
  EXPECT_THAT(conflict_of<Renamed<2>>(), HasSubstr("'old' is now both field 'a' and field 'b'"));
  EXPECT_THAT(conflict_of<Renamed<3>>(), HasSubstr("still has a field of the old name"))
      << "a cycle";
  EXPECT_EQ(conflict_of<Renamed<4>>(), "none") << "two old names of one field";
  EXPECT_THAT(conflict_of<Holder<1>>(), HasSubstr("field 'list[]'")) << "inside a list";
}

}  // namespace field_renames
}  // namespace hdb::test
