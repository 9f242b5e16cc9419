// Members that `serialize` forgets are reported, those left out on purpose are not, and what cannot
// be known is never reported.
#include <array>
#include <bitset>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "helpers.hpp"

#include "hdb/detail/record/count_members.hpp"

#define VISITS(...)            \
  template <class A>           \
  void serialize(A& archive) { \
    archive(__VA_ARGS__);      \
  }

namespace hdb::test {
namespace forgotten {

struct Empty {
  VISITS()
};
struct Complete {
  std::string name;
  int hp = 0;
  std::array<int, 3> path{};
  char tag[16] = {};
  VISITS(CEREAL_NVP(name), CEREAL_NVP(hp), CEREAL_NVP(path), CEREAL_NVP(tag))
};
/// Not trivially copyable: members are counted.
struct ForgetsCounted {
  std::string name;
  int hp = 0;
  int wounds[4] = {};
  std::optional<int> target;
  VISITS(CEREAL_NVP(name), CEREAL_NVP(hp), CEREAL_NVP(target))
};
/// Private members: only bytes are known.
class ForgetsPrivate {
 public:
  VISITS(CEREAL_NVP(a_), CEREAL_NVP(c_))
  void set(int b) { b_ = b; }

 private:
  int a_ = 0;
  int b_ = 0;
  int c_ = 0;
};
struct Padded {
  char small = 0;
  double large = 0;
  char last = 0;
  VISITS(CEREAL_NVP(small), CEREAL_NVP(large), CEREAL_NVP(last))
};
struct PaddedForgets {
  char small = 0;
  double large = 0;
  float speed = 0;
  VISITS(CEREAL_NVP(small), CEREAL_NVP(large))
};
struct Nested {
  std::string name;
  PaddedForgets inner;
  PaddedForgets again;
  std::vector<ForgetsCounted> list;
  VISITS(CEREAL_NVP(name), CEREAL_NVP(inner), CEREAL_NVP(again), CEREAL_NVP(list))
};
struct Base {
  int a = 0;
  VISITS(CEREAL_NVP(a))
};
struct Derived : Base {
  int b = 0;
  template <class A>
  void serialize(A& archive) {
    archive(cereal::base_class<Base>(this), CEREAL_NVP(b));
  }
};
struct DerivedInline : Base {
  std::string b;
  template <class A>
  void serialize(A& archive) {
    Base::serialize(archive);
    archive(CEREAL_NVP(b));
  }
};
/// The functions of the base forget the members of this class.
struct InheritsSerialize : Base {
  int b = 0;
};
struct Tag {};
struct WithEmptyParts : Tag {
  Empty first;
  std::string name;
  [[no_unique_address]] Empty last;
  VISITS(CEREAL_NVP(name))
};
struct VisitsEmptyParts {
  Empty first;
  std::string name;
  int forgotten = 0;
  VISITS(CEREAL_NVP(first), CEREAL_NVP(name))
};
struct BitFields {
  unsigned low : 4 = 0;
  unsigned high : 4 = 0;
  template <class A>
  void serialize(A& archive) {
    std::uint8_t both = static_cast<std::uint8_t>(low | high << 4);
    archive(cereal::make_nvp("both", both));
    low = both % 16;
    high = both / 16 % 16;
  }
};
struct Packed {
  std::string name;
  int x = 0;
  int y = 0;
  template <class A>
  std::string save_minimal(const A&) const {
    return name;
  }
  template <class A>
  void load_minimal(const A&, const std::string& text) {
    name = text;
  }
};
struct HasPacked {
  Packed packed;
  std::string name;
  VISITS(CEREAL_NVP(packed), CEREAL_NVP(name))
};
struct HasPackedForgets {
  Packed packed;
  std::string name;
  int forgotten = 0;
  VISITS(CEREAL_NVP(packed), CEREAL_NVP(name))
};
struct Copies {
  std::string name;
  int x = 0;
  int y = 0;
  template <class A>
  void serialize(A& archive) {
    std::array<int, 2> both{x, y};
    archive(CEREAL_NVP(name), cereal::make_nvp("both", both));
    x = both[0];
    y = both[1];
  }
};
struct OneBlock {
  std::string name;
  int x = 0;
  int y = 0;
  int z = 0;
  template <class A>
  void serialize(A& archive) {
    archive(CEREAL_NVP(name), cereal::make_nvp("all", cereal::binary_data(&x, 3 * sizeof x)));
  }
};
struct Split {
  std::string name;
  int hp = 0;
  int forgotten = 0;
  template <class A>
  void save(A& archive, std::uint32_t) const {
    archive(CEREAL_NVP(name), CEREAL_NVP(hp));
  }
  template <class A>
  void load(A& archive, std::uint32_t) {
    archive(CEREAL_NVP(name), CEREAL_NVP(hp));
  }
};
struct NamesWhatIsLeftOut {
  std::string name;
  int cache = 0;
  std::function<void()> callback;
  VISITS(CEREAL_NVP(name))
};
struct NamesTooLittle {
  std::string name;
  int cache = 0;
  int forgotten = 0;
  VISITS(CEREAL_NVP(name))
};
class NamesPrivate {
 public:
  VISITS(CEREAL_NVP(a_))
  void set(float cache) { cache_ = cache; }

 private:
  friend struct hdb::LeavesOut<NamesPrivate>;
  int a_ = 0;
  float cache_ = 0;
};
struct LeavesOutAny {
  int a = 0;
  unsigned bits : 4 = 0;
  VISITS(CEREAL_NVP(a))
};
struct Unusual {
  const int constant = 3;
  const int& reference = constant;
  std::variant<int, float> variant;
  std::map<int, std::string> map;
  std::bitset<9> bits;
  Unusual() = default;
  Unusual(const Unusual& other) : variant(other.variant), map(other.map), bits(other.bits) {}
  VISITS(CEREAL_NVP(variant), CEREAL_NVP(map), CEREAL_NVP(bits))
};
struct NoDefault {
  explicit NoDefault(int number) : value(number) {}
  int value;
};
struct HoldsNoDefault {
  std::string name;
  NoDefault made{3};
  int after = 0;
  VISITS(CEREAL_NVP(name), made.value, CEREAL_NVP(after))
};
struct Conversions {
  std::string name;
  bool flag = false;
  std::unique_ptr<int> owner;
  Conversions() = default;
  Conversions(const Conversions& other) : name(other.name), flag(other.flag) {}
  VISITS(CEREAL_NVP(name), CEREAL_NVP(flag))
};
union Number {
  float f = 0;
  double d;
  template <class A>
  void serialize(A& archive) {
    archive(CEREAL_NVP(f));
  }
};
struct HoldsUnion {
  int kind = 0;
  Number number;
  VISITS(CEREAL_NVP(kind), CEREAL_NVP(number))
};

}  // namespace forgotten
}  // namespace hdb::test

template <>
struct hdb::LeavesOut<hdb::test::forgotten::NamesWhatIsLeftOut> {
  using Record = hdb::test::forgotten::NamesWhatIsLeftOut;
  static constexpr std::tuple members{&Record::cache, &Record::callback};
};
template <>
struct hdb::LeavesOut<hdb::test::forgotten::NamesTooLittle> {
  static constexpr std::tuple members{&hdb::test::forgotten::NamesTooLittle::cache};
};
template <>
struct hdb::LeavesOut<hdb::test::forgotten::NamesPrivate> {
  static constexpr std::tuple members{&hdb::test::forgotten::NamesPrivate::cache_};
};
template <>
struct hdb::LeavesOut<hdb::test::forgotten::LeavesOutAny> : std::true_type {};

namespace hdb::test {
namespace {

using namespace forgotten;
using detail::record::count_members;

static_assert(count_members<Complete>() == 4u);
static_assert(count_members<ForgetsCounted>() == 4u);
static_assert(count_members<Empty>() == 0u);
static_assert(count_members<Derived>() == 2u);
static_assert(count_members<WithEmptyParts>() == 1u);
static_assert(count_members<BitFields>() == 2u);
static_assert(!count_members<ForgetsPrivate>());
static_assert(!count_members<std::string>());

template <class R>
std::vector<std::string> reports() {
  return make_codec<R>()->warnings();
}

#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS

#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
constexpr bool kPaddingIsKnown = true;
#else
constexpr bool kPaddingIsKnown = false;
#endif
#else
constexpr bool kPaddingIsKnown = false;
#endif

constexpr char kAdvice[] =
    "; files and state hashes do not hold what is not visited. Visit the other members, or "
    "specialise hdb::LeavesOut for members that are left out on purpose";

TEST(ForgottenMembers, NameTypeNumbersAndWhatIsVisited) {
  EXPECT_EQ(reports<ForgetsCounted>(),
            std::vector{"serialize() of 'hdb::test::forgotten::ForgetsCounted' visits 3 of 4 "
                        "members (visited: name, hp, target)" +
                        std::string(kAdvice)});
}

TEST(ForgottenMembers, AreFoundByBytesInTypesWithPrivateMembers) {
  EXPECT_EQ(reports<ForgetsPrivate>(),
            std::vector{"serialize() of 'hdb::test::forgotten::ForgetsPrivate' visits not all "
                        "members (visited: a_, c_); not visited: bytes 4 to 7 of 12" +
                        std::string(kAdvice)});
  EXPECT_EQ(reports<InheritsSerialize>().size(), 1u);
}

TEST(ForgottenMembers, AreFoundBesidePadding) {
  const auto found = reports<PaddedForgets>();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0], testing::HasSubstr("2 of 3 members (visited: small, large)"));
  if (kPaddingIsKnown) {
    EXPECT_THAT(found[0], testing::HasSubstr(sizeof(PaddedForgets) == 24
                                                 ? "not visited: bytes 16 to 19 of 24"
                                                 : "not visited: bytes 12 to 15 of 16"));
  }
  EXPECT_THAT(reports<Padded>(), testing::IsEmpty());
}

TEST(ForgottenMembers, OfPartsAreReportedOnceWithTheirField) {
  const auto found = reports<forgotten::Nested>();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found[0], testing::HasSubstr("PaddedForgets' (field 'inner') visits 2 of 3"));
  EXPECT_THAT(found[1], testing::HasSubstr("ForgetsCounted' (field 'list[]') visits 3 of 4"));
}

TEST(ForgottenMembers, OfSplitAndVersionedFunctionsAreFound) {
  EXPECT_THAT(reports<Split>(),
              testing::ElementsAre(testing::HasSubstr("2 of 3 members (visited: name, hp)")));
  EXPECT_EQ(reports<HasPackedForgets>().size(), 1u);
}

TEST(ForgottenMembers, EmptyPartsDoNotCount) {
  EXPECT_THAT(reports<WithEmptyParts>(), testing::IsEmpty());
  EXPECT_THAT(reports<VisitsEmptyParts>(),
              testing::ElementsAre(testing::HasSubstr("1 of 2 members (visited: first, name)")));
}

TEST(ForgottenMembers, DeclaredOnesAreNotReported) {
  EXPECT_THAT(reports<NamesWhatIsLeftOut>(), testing::IsEmpty());
  EXPECT_THAT(reports<NamesPrivate>(), testing::IsEmpty());
  EXPECT_THAT(reports<LeavesOutAny>(), testing::IsEmpty());
  EXPECT_THAT(reports<NamesTooLittle>(), testing::ElementsAre(testing::HasSubstr("2 of 3")));
}

#endif

TEST(ForgottenMembers, NothingIsReportedOfTypesThatVisitAll) {
  EXPECT_THAT(reports<Complete>(), testing::IsEmpty());
  EXPECT_THAT(reports<Empty>(), testing::IsEmpty());
  EXPECT_THAT(reports<Derived>(), testing::IsEmpty());
  EXPECT_THAT(reports<DerivedInline>(), testing::IsEmpty());
  EXPECT_THAT(reports<HasPacked>(), testing::IsEmpty());
}

TEST(ForgottenMembers, NothingIsReportedOfWhatCannotBeKnown) {
  EXPECT_THAT(reports<BitFields>(), testing::IsEmpty());
  EXPECT_THAT(reports<Packed>(), testing::IsEmpty());
  EXPECT_THAT(reports<Copies>(), testing::IsEmpty());
  EXPECT_THAT(reports<OneBlock>(), testing::IsEmpty());
  EXPECT_THAT(reports<Unusual>(), testing::IsEmpty());
  EXPECT_THAT(reports<HoldsNoDefault>(), testing::IsEmpty());
  EXPECT_THAT(reports<Conversions>(), testing::IsEmpty());
  EXPECT_THAT(reports<HoldsUnion>(), testing::IsEmpty());
}

}  // namespace
}  // namespace hdb::test
