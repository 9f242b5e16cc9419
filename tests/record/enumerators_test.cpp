// AutoEnumNames: the names of enumerators, found while the program is compiled.
#include <string>

#include "record/helpers.hpp"

namespace hdb::test::enumerators_test {

enum class Mood : signed char { afraid = -1, calm, angry = 2, cross = 2, glad };
enum Colour : unsigned { red, green = 7 };
enum class Switch : bool { off, on };
enum class Whole : std::uint8_t { first, last = 255 };
enum class Deep : std::int64_t { bottom = std::numeric_limits<std::int64_t>::min(), above };
template <class T, int kNumber>
struct Nested {
  enum class State : int { asleep, awake };
  State state = State::asleep;
};
using State = Nested<std::pair<int, int>, 3>::State;
inline constexpr State kAwake = State::awake;  // clang knows the names of used enums only
namespace {
enum class Hidden : int { shown, a1 = 10 };
struct Plain {
  Mood mood = Mood::calm;
  Hidden hidden = Hidden::a1;
};
}  // namespace

}  // namespace hdb::test::enumerators_test

#define HDB_TEST_NAMES(Type, ...)                          \
  template <>                                              \
  struct hdb::EnumNames<hdb::test::enumerators_test::Type> \
      : hdb::AutoEnumNames<hdb::test::enumerators_test::Type, __VA_ARGS__> {}
HDB_TEST_NAMES(Mood, -1, 3);
HDB_TEST_NAMES(Colour, 0, 7);
HDB_TEST_NAMES(Switch, false, true);
HDB_TEST_NAMES(Whole, 0, 255);
HDB_TEST_NAMES(Deep, std::numeric_limits<std::int64_t>::min(),
               std::numeric_limits<std::int64_t>::min() + 5);
HDB_TEST_NAMES(State, -100, 100);
HDB_TEST_NAMES(Hidden, 0, 15);

namespace hdb::test::enumerators_test {

template <class E>
std::string names() {
  std::string all;
  for (const EnumName<E>& name : EnumNames<E>::list)
    all += std::to_string(static_cast<long long>(name.value)) + "=" + name.name + " ";
  return all;
}

TEST(AutoEnumNames, AreThoseOfTheEnumeratorsInTheRange) {
  EXPECT_EQ(names<Mood>(), "-1=afraid 0=calm 2=angry 3=glad ");
  EXPECT_EQ(names<Colour>(), "0=red 7=green ");
  EXPECT_EQ(names<Switch>(), "0=off 1=on ");
  EXPECT_EQ(names<Whole>(), "0=first 255=last ");
  EXPECT_EQ(names<Deep>(), "-9223372036854775808=bottom -9223372036854775807=above ");
  EXPECT_EQ(names<State>(), "0=asleep 1=awake ");
  EXPECT_EQ(names<Hidden>(), "0=shown 10=a1 ");
  EXPECT_EQ(kAwake, State::awake);
}

TEST(AutoEnumNames, StandInTheSchema) {
  const Field schema = must(make_codec<Plain>()->schema(no_table));
  EXPECT_EQ(enumerators_text(schema.children[0]), "afraid -1, calm 0, angry 2, glad 3");
  EXPECT_EQ(enumerators_text(schema.children[1]), "shown 0, a1 10");
}

}  // namespace hdb::test::enumerators_test
