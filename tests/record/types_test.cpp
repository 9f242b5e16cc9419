// Every plain type that a field may have: its schema, and records -> columns -> records.
#include <cmath>
#include <limits>

#include "one.hpp"

#include "support/using_detail.hpp"

namespace hdb::test {
namespace {

enum Old { old_one = -3, old_two = 70000 };
enum class Flag : bool { no, yes };
struct Weapon;

TEST(Types, NumbersHaveTheKindOfTheirWidth) {
  check<bool>("bool", {true, false});
  check<std::int8_t>("i8", {-128, 127});
  check<std::uint8_t>("u8", {255});
  check<std::int16_t>("i16", {-32768, 32767});
  check<std::uint16_t>("u16", {65535});
  check<std::int32_t>("i32", {std::numeric_limits<std::int32_t>::min(), 7});
  check<std::uint32_t>("u32", {0xffffffffu});
  check<std::int64_t>("i64", {std::numeric_limits<std::int64_t>::min(), 7});
  check<std::uint64_t>("u64", {~std::uint64_t{0}});
  check<float>("f32", {-0.0f, 1.5f, std::numeric_limits<float>::infinity()});
  check<double>("f64", {1e300, -2.5});
  check<std::byte>("u8", {std::byte{200}});
}

TEST(Types, TypesOfVaryingWidthAreStoredWithOneWidth) {
  check<long>("i64", {-5, std::numeric_limits<long>::max()});
  check<unsigned long>("u64", {~0ul});
  check<long long>("i64", {-5});
  // Also a name of `unsigned`, which has a fixed width, on 32-bit machines.
  check<std::size_t>(sizeof(std::size_t) == 8 ? "u64" : "u32", {99});
  check<wchar_t>("u32", {L'x'});
}

TEST(Types, CharactersAreOfTheirOwnKinds) {
  check<char>("char8", {'a', static_cast<char>(200)});
  check<char8_t>("char8", {u8'a'});
  check<char16_t>("char16", {u'\x20ac'});
  check<char32_t>("char32", {U'\x1f600'});
}

TEST(Types, NanKeepsItsBits) {
  const float nan = std::bit_cast<float>(0x7fc12345u);
  const auto back = decode<One<float>>(encode(std::vector<One<float>>{{nan}}));
  EXPECT_EQ(std::bit_cast<std::uint32_t>(back[0].v), 0x7fc12345u);
}

TEST(Types, EnumerationsAreTheirUnderlyingIntegers) {
  check<Color>("enum<u8>", {Color::green, static_cast<Color>(99)});
  check<Old>("enum<i32>", {old_one, old_two});
  check<Flag>("enum<u8>", {Flag::yes});
}

TEST(Types, HandlesKeepTheirBits) {
  check<Handle<Weapon>>("handle<?>", {Handle<Weapon>::from_bits(0x123456789abcdef0)});
  check<Handle<Weapon, Layout<16, 16>>>("handle<?>",
                                        {Handle<Weapon, Layout<16, 16>>::from_bits(0x12345678)});
  check<Strong<Weapon>>("strong<?>", {Handle<Weapon>::from_bits(77)});
}

TEST(Types, StringsAreBytes) {
  check<std::string>("string", {"a", std::string("\0\xff", 2), std::string(300, 'x')});
  check<std::u8string>("string", {u8"abc"});
  check<std::u16string>("list<char16>", {u"abc"});
  check<std::u32string>("list<char32>", {U"abc"});
  check<std::wstring>("list<u32>", {L"abc"});
}

TEST(Types, DurationsNameTheirUnit) {
  using namespace std::chrono;
  check<milliseconds>("{ms: i64}", {milliseconds(-5)});
  check<duration<float>>("{s: f32}", {duration<float>(1.5f)});
  check<duration<std::int32_t, std::ratio<1, 60>>>("{1/60s: i32}",
                                                   {duration<std::int32_t, std::ratio<1, 60>>(61)});
  check<system_clock::time_point>("{ns: i64}", {system_clock::time_point(nanoseconds(123456789))});
}

TEST(Types, ARecordNeedNotBeAStructure) {
  EXPECT_EQ(schema_text<std::string>(), "{value: string}");
  EXPECT_EQ(schema_text<int>(), "{value: i32}");
  EXPECT_EQ(decode<std::string>(encode(std::vector<std::string>{"a", "b"})),
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ((decode<std::pair<int, int>>(encode(std::vector<std::pair<int, int>>{{1, 2}}))[0]),
            (std::pair{1, 2}));
}

TEST(Types, PathsAndWidthsOfColumnsAreThoseOfTheSchemaLayer) {
  using R =
      One<std::map<std::string,
                   std::tuple<std::vector<Point>, std::optional<Color>, std::variant<int, Point>>>>;
  const Encoded encoded = encode(std::vector<R>(1));
  EXPECT_EQ(encoded.columns.size(), columns_of(encoded.schema).size());
  const auto plan = evolve::plan_of(encoded.schema);
  const auto columns = columns_of(encoded.schema);
  ASSERT_EQ(plan.columns.size(), columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    EXPECT_EQ(plan.columns[i].role, columns[i].role) << columns[i].path;
    EXPECT_EQ(plan.columns[i].width, columns[i].width) << columns[i].path;
  }
}

}  // namespace
}  // namespace hdb::test
