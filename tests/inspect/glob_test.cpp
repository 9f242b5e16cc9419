// Globs of names and of paths, and the fields of a schema that they match.
#include "hdb/inspect/paths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "format/sample.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb::test::glob_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

bool name_matches(const std::string& pattern, const std::string& name) {
  const auto glob = Glob::of_name(pattern);
  EXPECT_TRUE(glob) << pattern;
  return glob && glob->matches(name);
}

bool path_matches(const std::string& pattern, const std::string& path) {
  const auto glob = Glob::of_path(pattern);
  EXPECT_TRUE(glob) << pattern << ": " << glob.error().what;
  return glob && glob->matches(path);
}

TEST(Glob, NamesAreMatchedAsAWhole) {
  EXPECT_TRUE(name_matches("imp", "imp"));
  EXPECT_FALSE(name_matches("imp", "imps"));
  EXPECT_FALSE(name_matches("imp", "Imp"));
  EXPECT_TRUE(name_matches("imp*", "imp"));
  EXPECT_TRUE(name_matches("*a*b*", "xxaxxbxx"));
  EXPECT_FALSE(name_matches("*a*b", "xxaxxbxx"));
  EXPECT_TRUE(name_matches("", ""));
  EXPECT_FALSE(name_matches("", "x"));
  EXPECT_TRUE(name_matches("a.*", "a.b.c"));  // names have no parts
}

TEST(Glob, OneCharacterIsOneCodePoint) {
  EXPECT_TRUE(name_matches("?", "\xc3\xa9"));
  EXPECT_FALSE(name_matches("??", "\xc3\xa9"));
  EXPECT_TRUE(name_matches("[\xc3\xa0-\xc3\xbf]", "\xc3\xa9"));
  EXPECT_TRUE(name_matches("?", "\xff"));  // a byte that is no UTF-8
}

TEST(Glob, SetsAndTheirOpposites) {
  EXPECT_TRUE(name_matches("[a-cx]1", "b1"));
  EXPECT_FALSE(name_matches("[a-cx]1", "d1"));
  EXPECT_TRUE(name_matches("[!a-c]", "d"));
  EXPECT_FALSE(name_matches("[^a-c]", "b"));
  EXPECT_TRUE(name_matches("[!]]", "x"));
  EXPECT_TRUE(name_matches("[a-]", "-"));
  EXPECT_TRUE(name_matches("[\\]]", "]"));
  EXPECT_TRUE(name_matches("[3]", "3"));
}

TEST(Glob, BracesAreChoicesAlsoWithinOneAnother) {
  EXPECT_TRUE(name_matches("{a,b{c,d}}e", "bde"));
  EXPECT_TRUE(name_matches("x{,y}", "x"));
  EXPECT_FALSE(name_matches("{a,b}", "a,b"));
  EXPECT_TRUE(name_matches("\\{a,b\\}", "{a,b}"));
  EXPECT_TRUE(path_matches("{pos.x,vel.*}", "vel.z"));
  EXPECT_FALSE(path_matches("{pos.x,vel.*}", "pos.y"));
}

TEST(Glob, StarStaysWithinAPartAndTwoStarsDoNot) {
  EXPECT_TRUE(path_matches("monsters.*.x", "monsters.pos.x"));
  EXPECT_FALSE(path_matches("monsters.*.x", "monsters.a.b.x"));
  EXPECT_TRUE(path_matches("monsters.**.x", "monsters.a.b.x"));
  EXPECT_TRUE(path_matches("monsters.**.x", "monsters.x"));
  EXPECT_TRUE(path_matches("**.last_seen", "last_seen"));
  EXPECT_FALSE(path_matches("**.last_seen", "monsters.last"));
}

TEST(Glob, AMatchTakesAllThatIsInIt) {
  EXPECT_TRUE(path_matches("pos", "pos.x"));
  EXPECT_TRUE(path_matches("items[3]", "items[3].name"));
  EXPECT_FALSE(path_matches("pos.x", "pos"));
}

TEST(Glob, ElementsAndAlternativesNeedNotBeNamed) {
  for (const char* const pattern : {"items.name", "items[].name", "items[*].name", "items[3].name"})
    EXPECT_TRUE(path_matches(pattern, "items[3].name")) << pattern;
  EXPECT_FALSE(path_matches("items[2].name", "items[3].name"));
  EXPECT_TRUE(path_matches("tag<2>.x", "tag<2>.x"));
  EXPECT_FALSE(path_matches("tag<1>.x", "tag<2>.x"));
  EXPECT_TRUE(path_matches("tag.x", "tag<2>.x"));
  EXPECT_TRUE(path_matches("maybe.x", "maybe?.x"));
  EXPECT_TRUE(path_matches("grid[1][*]", "grid[1][7]"));
}

TEST(Glob, FaultsTellWhatIsWrong) {
  const auto fault = [](const Result<Glob>& glob) {
    return glob ? std::string("none") : glob.error().what;
  };
  EXPECT_THAT(fault(Glob::of_name("a[b")), HasSubstr("a [ is not closed"));
  EXPECT_THAT(fault(Glob::of_name("a{b,c")), HasSubstr("a { is not closed"));
  EXPECT_THAT(fault(Glob::of_name("a\\")), HasSubstr("backslash"));
  EXPECT_THAT(fault(Glob::of_name("[z-a]")), HasSubstr("ends before it begins"));
  EXPECT_THAT(fault(Glob::of_path("a..b")), HasSubstr("empty"));
  EXPECT_THAT(fault(Glob::of_path(".a")), HasSubstr("empty"));
  EXPECT_THAT(fault(Glob::of_path("a.")), HasSubstr("empty"));
  EXPECT_THAT(fault(Glob::of_path("a.b**")), HasSubstr("must be alone"));
  EXPECT_THAT(fault(Glob::of_path("items[1]x")), HasSubstr("dot is missing"));
  std::string many = "{a,b}";
  for (int i = 0; i < 10; ++i) many += "{a,b}";
  EXPECT_THAT(fault(Glob::of_name(many)), HasSubstr("choices"));
  EXPECT_THAT(fault(Glob::of_name(std::string(5000, 'a'))), HasSubstr("longer than"));
}

// The definition of a glob of names over the letters a and b, without sets, tried in every way.
bool slowly_matches(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*') {
    return slowly_matches(pattern.substr(1), name) ||
           (!name.empty() && slowly_matches(pattern, name.substr(1)));
  }
  return !name.empty() && (pattern[0] == '?' || pattern[0] == name[0]) &&
         slowly_matches(pattern.substr(1), name.substr(1));
}

TEST(Glob, EveryShortPatternMatchesByItsDefinition) {
  const auto words = [](std::string_view letters, std::size_t longest) {
    std::vector<std::string> all{""};
    for (std::size_t begin = 0; all.back().size() < longest;) {
      const std::size_t end = all.size();
      for (; begin < end; ++begin) {
        for (const char letter : letters) all.push_back(all[begin] + letter);
      }
    }
    return all;
  };
  std::size_t matches = 0;
  for (const std::string& pattern : words("ab*?", 5)) {
    const auto glob = Glob::of_name(pattern);
    ASSERT_TRUE(glob);
    for (const std::string& name : words("ab", 4)) {
      EXPECT_EQ(glob->matches(name), slowly_matches(pattern, name)) << pattern << " on " << name;
      matches += glob->matches(name) ? 1 : 0;
    }
  }
  EXPECT_GT(matches, 1000U);
}

std::vector<std::string> matched(const Field& root, const std::string& pattern) {
  const auto glob = Glob::of_path(pattern);
  EXPECT_TRUE(glob) << pattern;
  std::vector<std::string> fields;
  const std::vector<Column> columns = columns_of(root);
  for (const FieldPlace& place : match_fields(root, *glob)) {
    fields.push_back(place.field->name + ':' + columns[place.first_column].path + '+' +
                     std::to_string(place.column_count));
  }
  return fields;
}

TEST(FieldPaths, GlobsFindFieldsWithTheirColumns) {
  const Field root = record(
      {leaf(FieldKind::string, "name"),
       node(FieldKind::structure, "pos", {leaf(FieldKind::f32, "x"), leaf(FieldKind::f32, "y")}),
       node(FieldKind::list, "items",
            {node(FieldKind::structure, "",
                  {leaf(FieldKind::string, "name"), leaf(FieldKind::i32, "x")})})});
  EXPECT_THAT(matched(root, "pos"), ElementsAre("pos:pos.x+2"));
  EXPECT_THAT(matched(root, "**.x"), ElementsAre("x:pos.x+1", "x:items[].x+1"));
  EXPECT_THAT(matched(root, "name"), ElementsAre("name:name+2"));
  EXPECT_THAT(matched(root, "*"), ElementsAre("name:name+2", "pos:pos.x+2", "items:items+4"));
  EXPECT_THAT(matched(root, "items[0].x"), IsEmpty());
  EXPECT_THAT(matched(root, "nothing.*"), IsEmpty());
}

TEST(FieldPaths, ColumnsAreCountedAsTheSchemaCountsThem) {
  const Field root = every_kind();
  EXPECT_EQ(count_columns(root), columns_of(root).size());
  for (const std::string& path : field_paths(root)) {
    const auto place = find_field(root, path);
    if (!place) continue;  // a structure as the key of a map has no path of its own
    EXPECT_EQ(count_columns(*place->field), place->column_count) << path;
  }
}

TEST(NearWord, FindsWhatWasMeantAndNothingElse) {
  const std::vector<std::string> words{"hp", "pos.x", "name"};
  EXPECT_EQ(nearest_word("hpp", words), "hp");
  EXPECT_EQ(nearest_word("NAEM", words), "name");
  EXPECT_EQ(nearest_word("velocity", words), "");
  EXPECT_EQ(did_you_mean("pos.w", words), "; did you mean 'pos.x'?");
}

}  // namespace
}  // namespace hdb::test::glob_test
