// Names of types, enumerators and members in the texts of functions that MSVC writes. The texts are
// given here, in the form of its manual: no test runs MSVC itself.
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "hdb/detail/base/enumerators.hpp"
#include "hdb/detail/base/type_key.hpp"
#include "hdb/detail/record/aggregate.hpp"
#include "hdb/detail/record/shape.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::msvc_texts_test {
namespace {

std::vector<std::string_view> enumerators(std::string_view function) {
  std::vector<std::string_view> names;
  for (std::string_view list = detail::values_in(function); !list.empty();) {
    names.push_back(detail::enumerator_of(detail::next_value(list)));
  }
  return names;
}

TEST(MsvcTexts, TypesHaveNoKeyword) {
  EXPECT_EQ(detail::without_keyword("struct game::Unit"), "game::Unit");
  EXPECT_EQ(detail::without_keyword("class std::vector<int>"), "std::vector<int>");
  EXPECT_EQ(detail::without_keyword("enum Mood"), "Mood");
  EXPECT_EQ(detail::without_keyword("structure"), "structure");
  EXPECT_EQ(detail::identifier_of("struct game::Pair<struct game::Unit,int>"), "Pair");
  EXPECT_TRUE(detail::belongs_to_a_module("struct `anonymous-namespace'::Unit"));
  EXPECT_TRUE(detail::belongs_to_a_module("class main::<lambda_1>"));
}

TEST(MsvcTexts, EnumeratorsAreFound) {
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(enumerators("auto __cdecl hdb::detail::values_text<enum game::Mood,game::Mood::calm,"
                        "game::Mood::angry,(enum game::Mood)0x2>(void)"),
            (Names{"calm", "angry", ""}));
  EXPECT_EQ(enumerators("auto __cdecl hdb::detail::values_text<enum game::Box<int,char>::Side,"
                        "game::Box<int,char>::left,(enum game::Box<int,char>::Side)0xffffffff>"
                        "(void)"),
            (Names{"left", ""}));
  EXPECT_EQ(enumerators("auto __cdecl hdb::detail::values_text<enum Mood,calm,angry>(void)"),
            (Names{"calm", "angry"}));
  EXPECT_EQ(enumerators("consteval auto values_text() [with E = Mood; E ...Values = {Mood::calm, "
                        "(Mood)1}]"),
            (Names{"calm", ""}));
}

TEST(MsvcTexts, MembersAreFound) {
  EXPECT_EQ(detail::record::member_name_in(
                "class std::basic_string_view<char,struct std::char_traits<char> > __cdecl "
                "hdb::detail::record::member_name<hdb::detail::record::MemberPointer<int *>"
                "{&hdb::detail::record::NamedObject<struct game::Unit>::object->value->health}>"
                "(void)"),
            "health");
  EXPECT_EQ(detail::record::member_name_in("[P = MemberPointer<int *>{&object.value.health}]"),
            "health");
}

TEST(MsvcTexts, StandardTemplatesAreKnown) {
  using detail::record::Shape;
  using detail::record::shape_by_name;
  EXPECT_EQ(shape_by_name("const char *__cdecl hdb::detail::template_text<class std::deque>(void) "
                          "noexcept"),
            Shape::sequence);
  EXPECT_EQ(shape_by_name("const char *__cdecl hdb::detail::template_text<std::bitset>(void) "
                          "noexcept"),
            Shape::bits);
  EXPECT_EQ(shape_by_name("const char *__cdecl hdb::detail::template_text<struct game::list>(void) "
                          "noexcept"),
            Shape::user);
}

}  // namespace
}  // namespace hdb::test::msvc_texts_test
