// A type whose load does not read what its save writes: refused when the codec is made, or when a
// record shows it.
#include <stdexcept>

#include "helpers.hpp"
#include "one.hpp"

namespace hdb::test {
namespace save_load {

/// A type that says with two functions what it saves and what it loads.
#define HDB_TEST_SPLIT(saved, loaded) \
  template <class A>                  \
  void save(A& ar) const {            \
    ar saved;                         \
  }                                   \
  template <class A>                  \
  void load(A& ar) {                  \
    ar loaded;                        \
  }

struct Unnamed {
  int x = 1, y = 2;
  HDB_TEST_SPLIT((CEREAL_NVP(x), CEREAL_NVP(y)), (x, y))
};
struct OtherName {
  int x = 1, y = 2;
  HDB_TEST_SPLIT((CEREAL_NVP(x), CEREAL_NVP(y)), (CEREAL_NVP(x), cereal::make_nvp("z", y)))
};
struct Fewer {
  int x = 1, y = 2;
  bool operator==(const Fewer&) const = default;
  auto operator<=>(const Fewer&) const = default;
  HDB_TEST_SPLIT((CEREAL_NVP(x), CEREAL_NVP(y)), (CEREAL_NVP(x)))
};
struct More {
  int x = 1, y = 2;
  HDB_TEST_SPLIT((CEREAL_NVP(x)), (CEREAL_NVP(x), CEREAL_NVP(y)))
};
struct MoreUnnamed {
  int x = 1, y = 2;
  HDB_TEST_SPLIT((x), (x, y))
};
struct OtherWidth {
  int x = 1;
  template <class A>
  void save(A& ar) const {
    ar(cereal::make_nvp("x", std::int64_t{x}));
  }
  template <class A>
  void load(A& ar) {
    ar(CEREAL_NVP(x));
  }
};
template <class Saved, class Loaded>
struct Two {
  Saved saved{};
  Loaded loaded{};
  HDB_TEST_SPLIT((cereal::make_nvp("v", saved)), (cereal::make_nvp("v", loaded)))
};
struct OneFunction {
  int x = 1, y = 2;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(x));
    if constexpr (A::is_saving::value) ar(CEREAL_NVP(y));
  }
};
struct FreeFunctions {
  int x = 1, y = 2;
};
template <class A>
void save(A& ar, const FreeFunctions& v) {
  ar(cereal::make_nvp("x", v.x), cereal::make_nvp("y", v.y));
}
template <class A>
void load(A& ar, FreeFunctions& v) {
  ar(cereal::make_nvp("x", v.x));
}
struct Versioned {
  int x = 1, y = 2;
  template <class A>
  void save(A& ar, std::uint32_t) const {
    ar(CEREAL_NVP(x), CEREAL_NVP(y));
  }
  template <class A>
  void load(A& ar, std::uint32_t version) {
    ar(CEREAL_NVP(x));
    if (version > 3) ar(CEREAL_NVP(y));
  }
};
struct WithBase : Point {
  int own = 2;
  HDB_TEST_SPLIT((cereal::base_class<Point>(this), CEREAL_NVP(own)), (CEREAL_NVP(own)))
};
struct BaseDiffers : Fewer {
  int own = 2;
  template <class A>
  void serialize(A& ar) {
    ar(cereal::base_class<Fewer>(this), CEREAL_NVP(own));
  }
};
struct Ring {
  std::vector<Fewer> items;
  template <class A>
  void save(A& ar) const {
    ar(cereal::make_size_tag(static_cast<cereal::size_type>(items.size())));
    for (const Fewer& item : items) ar(item);
  }
  template <class A>
  void load(A& ar) {
    cereal::size_type size;
    ar(cereal::make_size_tag(size));
    items.resize(static_cast<std::size_t>(size));
    for (Fewer& item : items) ar(item);
  }
};

/// Types that save and load the same, though not by the same steps.
struct OtherOrder {
  int x = 1, y = 2;
  bool operator==(const OtherOrder&) const = default;
  HDB_TEST_SPLIT((CEREAL_NVP(x), CEREAL_NVP(y)), (CEREAL_NVP(y), CEREAL_NVP(x)))
};
struct ThroughLocals {
  std::string text = "7";
  bool operator==(const ThroughLocals&) const = default;
  template <class A>
  void save(A& ar) const {
    ar(cereal::make_nvp("number", std::stoi(text)));
  }
  template <class A>
  void load(A& ar) {
    int number = 0;
    ar(CEREAL_NVP(number));
    text = std::to_string(number);
  }
};
/// Version 1 held `old` instead of x and y.
struct Before {
  int old = 5;
  template <class A>
  void serialize(A& ar, std::uint32_t) {
    ar(CEREAL_NVP(old));
  }
};
struct After {
  int x = 1, y = 2;
  bool operator==(const After&) const = default;
  template <class A>
  void save(A& ar, std::uint32_t) const {
    ar(CEREAL_NVP(x), CEREAL_NVP(y));
  }
  template <class A>
  void load(A& ar, std::uint32_t version) {
    if (version == 1) {
      int old = 0;
      ar(CEREAL_NVP(old));
      x = y = old;
    } else {
      ar(CEREAL_NVP(y), CEREAL_NVP(x));
    }
  }
};
/// Refuses what a default object holds.
struct Picky {
  int x = 0;
  bool operator==(const Picky&) const = default;
  template <class A>
  void save(A& ar) const {
    ar(CEREAL_NVP(x));
  }
  template <class A>
  void load(A& ar) {
    ar(CEREAL_NVP(x));
    if (x == 0) throw std::runtime_error("no x");
  }
};
/// Reads `extra` of some records only: the default object is not one that shows it.
struct Conditional {
  int kind = 1, extra = 2;
  template <class A>
  void save(A& ar) const {
    ar(CEREAL_NVP(kind), CEREAL_NVP(extra));
  }
  template <class A>
  void load(A& ar) {
    ar(CEREAL_NVP(kind));
    if (kind == 1) ar(CEREAL_NVP(extra));
  }
};
struct Inventive {
  int kind = 1;
  template <class A>
  void save(A& ar) const {
    ar(CEREAL_NVP(kind));
  }
  template <class A>
  void load(A& ar) {
    ar(CEREAL_NVP(kind));
    if (kind != 1) ar(cereal::make_nvp("invented", kind));
  }
};

}  // namespace save_load
}  // namespace hdb::test

CEREAL_CLASS_VERSION(hdb::test::save_load::Versioned, 3)
CEREAL_CLASS_VERSION(hdb::test::save_load::Before, 1)
CEREAL_CLASS_VERSION(hdb::test::save_load::After, 2)
// They inherit functions of the other kind from their bases.
CEREAL_SPECIALIZE_FOR_ALL_ARCHIVES(hdb::test::save_load::WithBase,
                                   cereal::specialization::member_load_save)
CEREAL_SPECIALIZE_FOR_ALL_ARCHIVES(hdb::test::save_load::BaseDiffers,
                                   cereal::specialization::member_serialize)
template <>
struct hdb::SizeAndLoop<hdb::test::save_load::Ring> {
  using Element = hdb::test::save_load::Fewer;
};

namespace hdb::test::save_load_test {
namespace {

using namespace save_load;
using testing::AllOf;
using testing::HasSubstr;

TEST(SaveAndLoad, ADifferenceIsRefusedWithTypeFieldAndBothViews) {
  EXPECT_THAT(refusal_of<Unnamed>(),
              AllOf(HasSubstr("load reads an unnamed field ('#0') as i32"),
                    HasSubstr("save writes {x: i32, y: i32}"), HasSubstr("field 'x'"),
                    HasSubstr("save_load::Unnamed'")));
  EXPECT_THAT(refusal_of<OtherName>(),
              AllOf(HasSubstr("load reads 'z' as i32"), HasSubstr("field 'y'")));
  EXPECT_THAT(refusal_of<Fewer>(),
              AllOf(HasSubstr("save writes it as i32, but load does not read it"),
                    HasSubstr("field 'y'"), HasSubstr("save_load::Fewer'")));
  EXPECT_THAT(refusal_of<More>(),
              AllOf(HasSubstr("load reads 'y' as i32"), HasSubstr("save writes {x: i32}")));
  EXPECT_THAT(refusal_of<MoreUnnamed>(), HasSubstr("load reads an unnamed field ('#1')"));
}

TEST(SaveAndLoad, TypesMustBeEqualNotOnlyConvertible) {
  EXPECT_THAT(
      refusal_of<OtherWidth>(),
      AllOf(HasSubstr("save writes it as i64, but load reads it as i32"), HasSubstr("'x'")));
  EXPECT_THAT((refusal_of<Two<int, float>>()), HasSubstr("'v'"));
  EXPECT_THAT((refusal_of<Two<std::string, std::vector<char>>>()), HasSubstr("'v'"));
  EXPECT_THAT((refusal_of<Two<Color, std::uint8_t>>()), HasSubstr("'v'"));
  EXPECT_THAT((refusal_of<Two<std::array<int, 2>, std::array<int, 3>>>()), HasSubstr("'v'"));
  EXPECT_THAT((refusal_of<Two<std::array<int, 2>, std::array<long, 2>>>()), HasSubstr("'v[]'"));
}

TEST(SaveAndLoad, ElementTypesOfEmptyContainersAreCompared) {
  EXPECT_THAT((refusal_of<Two<std::vector<int>, std::vector<float>>>()),
              AllOf(HasSubstr("'v[]'"), HasSubstr("i32"), HasSubstr("f32")));
  EXPECT_THAT((refusal_of<Two<std::vector<Point>, std::vector<std::string>>>()),
              AllOf(HasSubstr("'v[]'"), HasSubstr("{x: f32, y: f32}"), HasSubstr("string")));
  EXPECT_THAT((refusal_of<Two<std::map<int, Point>, std::map<int, std::pair<float, float>>>>()),
              AllOf(HasSubstr("'v[].value'"), HasSubstr("{first: f32, second: f32}")));
  EXPECT_THAT((refusal_of<Two<std::optional<int>, std::optional<std::string>>>()),
              HasSubstr("'v?'"));
  EXPECT_THAT((refusal_of<Two<std::variant<int, float>, std::variant<int, std::string>>>()),
              HasSubstr("'v<1>'"));
  EXPECT_THAT((refusal_of<Two<std::variant<int, float>, std::variant<int>>>()),
              HasSubstr("a variant of 2 alternatives"));
}

TEST(SaveAndLoad, PartsOfRecordsAreComparedWhereverTheyAre) {
  EXPECT_THAT(refusal_of<OneFunction>(), HasSubstr("field 'y'"));
  EXPECT_THAT(refusal_of<FreeFunctions>(), HasSubstr("field 'y'"));
  EXPECT_THAT(refusal_of<Versioned>(), HasSubstr("field 'y'"));
  EXPECT_THAT(refusal_of<WithBase>(), HasSubstr("field '#0'"));
  EXPECT_THAT(refusal_of<BaseDiffers>(), HasSubstr("field '#0.y'"));
  EXPECT_THAT(refusal_of<One<Fewer>>(), HasSubstr("field 'v.y'"));
  EXPECT_THAT(refusal_of<One<Ring>>(), HasSubstr("field 'v[].y'"));
  EXPECT_THAT(refusal_of<One<std::vector<Fewer>>>(), HasSubstr("field 'v[].y'"));
  EXPECT_THAT((refusal_of<One<std::map<Fewer, int>>>()), HasSubstr("field 'v[].key.y'"));
  EXPECT_THAT((refusal_of<One<std::map<int, std::vector<std::optional<Fewer>>>>>()),
              HasSubstr("field 'v[].value[]?.y'"));
  EXPECT_THAT((refusal_of<One<std::variant<int, Fewer>>>()), HasSubstr("field 'v<1>.y'"));
  EXPECT_THAT((refusal_of<One<std::vector<One<std::vector<Fewer>>>>>()),
              HasSubstr("field 'v[].v[].y'"));
  EXPECT_THAT(refusal_of<std::vector<Fewer>>(), HasSubstr("field 'value[].y'"));
}

template <class T>
void expect_comes_back(T value) {
  EXPECT_EQ(decode<T>(encode(std::vector<T>{value}))[0], value);
}

TEST(SaveAndLoad, OtherWaysToTheSameFieldsAreAccepted) {
  expect_comes_back(OtherOrder{5, 6});
  expect_comes_back(ThroughLocals{"12"});
  expect_comes_back(After{5, 6});
  expect_comes_back(Picky{3});
  expect_comes_back(One<std::vector<OtherOrder>>{{{5, 6}, {7, 8}}});
  const auto migrated = decode<After>(encode(std::vector<Before>{{9}}));
  EXPECT_EQ(migrated[0], (After{9, 9}));
  const auto inside =
      decode<One<std::vector<After>>>(encode(std::vector<One<std::vector<Before>>>{{{{9}, {8}}}}));
  EXPECT_EQ(inside[0].v, (std::vector<After>{{9, 9}, {8, 8}}));
}

TEST(SaveAndLoad, ALoadThatLeavesAFieldUnreadIsAnError) {
  EXPECT_TRUE(try_decode<Conditional>(encode(std::vector<Conditional>{{1, 7}})).has_value());
  const auto left = try_decode<Conditional>(encode(std::vector<Conditional>{{1, 7}, {2, 8}}));
  ASSERT_FALSE(left.has_value());
  EXPECT_EQ(left.error().code, ErrorCode::type_mismatch);
  EXPECT_THAT(left.error().message(),
              AllOf(HasSubstr("load does not read it"), HasSubstr("'extra' of row 1")));
  const auto invented = try_decode<Inventive>(encode(std::vector<Inventive>{{2}}));
  ASSERT_FALSE(invented.has_value());
  EXPECT_THAT(invented.error().message(), HasSubstr("load reads 'invented'"));
}

}  // namespace
}  // namespace hdb::test::save_load_test
