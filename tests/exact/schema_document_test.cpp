// Documents of schemas: what a program exports reads back, and hostile text is refused.
#include "exact/schema_document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

#include "hdb/blob_table.hpp"
#include "hdb/hdb.hpp"
#include "hdb/inspect/compat.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb::test::schema_document_test {

struct Part {
  float x = 0, y = 0;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(x), CEREAL_NVP(y));
  }
};
enum class Mood : std::int8_t { angry = -1, calm = 3 };
struct Unit {
  int strength = 0;
  std::vector<Mood> moods;
  std::vector<Part> parts;
  std::map<std::string, std::optional<Part>> by_name;
  std::variant<int, std::string> either;
  Strong<Unit> next = {};
  Handle<Part, Layout<10, 6>> small = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(strength), CEREAL_NVP(moods), CEREAL_NVP(parts), CEREAL_NVP(by_name),
      CEREAL_NVP(either), CEREAL_NVP(next), CEREAL_NVP(small));
  }
};

}  // namespace hdb::test::schema_document_test

CEREAL_CLASS_VERSION(hdb::test::schema_document_test::Part, 3)
template <>
struct hdb::Renames<hdb::test::schema_document_test::Unit> {
  static constexpr std::array list{hdb::Rename{"life", "strength"},
                                   hdb::Rename{"health", "strength"}};
};
template <>
struct hdb::EnumNames<hdb::test::schema_document_test::Mood> {
  using Mood = hdb::test::schema_document_test::Mood;
  static constexpr std::array list{hdb::EnumName{Mood::calm, "calm"},
                                   hdb::EnumName{Mood::angry, "angry"}};
};
template <>
struct hdb::Renames<hdb::test::schema_document_test::Mood> {
  static constexpr std::array list{hdb::Rename{"cross", "angry"}};
};

namespace hdb::test::schema_document_test {
namespace {

using inspect::read_schema_document;
using ::testing::HasSubstr;

void add_units(Database& db) {
  db.create_table<Unit>("units", {.storage = Storage::stable,
                                  .free_list = FreeList::fifo,
                                  .generations = Generations::table_counter,
                                  .overflow = Overflow::wrap,
                                  .names = RecordNames::ignore_case,
                                  .scope = Scope::unhashed,
                                  .max_records = 5000});
}
void add_parts(Database& db) {
  db.declare_table_rename({"pieces", "parts"});
  db.declare_table_rename({"bits", "parts"});
  db.create_table<Part, Layout<10, 6>>("parts");
}
void add_others(Database& db) {
  db.create_blob_table<Part, DefaultLayout, int>("images", {.capacity_bytes = 4096});
  db.singleton<Part>("origin");
  db.create_table<Part, DefaultLayout, char>("sparks", {.scope = Scope::unsaved});
}

std::string document() {
  Database db;
  add_units(db);
  add_parts(db);
  add_others(db);
  return db.schema_json();
}

std::string refusal(std::string text) {
  const auto read = read_schema_document(std::move(text));
  if (read) return "accepted";
  EXPECT_EQ(code_name(read.error().code), "bad_schema_document");
  EXPECT_LT(read.error().message().size(), 1000U);
  return read.error().message();
}

// The document with one edit.
std::string edited(const std::string& from, const std::string& to) {
  std::string text = document();
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " is not in " << text;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(SchemaDocument, ReadsBackAsItWasWritten) {
  const std::string text = document();
  const auto read = read_schema_document(text);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(schema_json(*read), text);
  ASSERT_EQ(read->size(), 4U) << "tables that are not saved are left out";
  const TableSchema& units = read->back();
  EXPECT_EQ(units.max_records, 5000U);
  EXPECT_EQ(units.table.policy.free_list, FreeList::fifo);
  EXPECT_EQ(units.table.scope, Scope::unhashed);
  EXPECT_THAT(units.renames, testing::ElementsAre(FieldRename{"", "life", "strength"},
                                                  FieldRename{"", "health", "strength"},
                                                  FieldRename{"moods[]", "cross", "angry"}));
  EXPECT_EQ(enumerators_text(units.record.children[1].children[0]), "angry -1, calm 3");
  const auto parts = std::ranges::find(
      *read, "parts", [](const auto& each) { return std::string_view(each.table.name); });
  EXPECT_THAT(parts->old_names, testing::ElementsAre("bits", "pieces"));
  EXPECT_EQ(compare_schemas(*read, *read).verdict, Compatibility::identical);
}

TEST(SchemaDocument, HasTheDeclaredAlternativesOfOlderFiles) {
  TableSchema table;
  table.table.name = "items";
  Field content;
  content.kind = FieldKind::variant;
  content.name = "content";
  content.children.resize(2);
  content.children[0].kind = FieldKind::string;
  content.children[1].kind = FieldKind::i32;
  table.record.children = {content};
  table.old_alternatives = {{"content", {1, -1, 0}}, {"content", {0}}};
  const std::string text = schema_json({table});
  EXPECT_THAT(text, HasSubstr(R"("alternatives":[{"now":1},{},{"now":0}])"));
  const auto read = read_schema_document(text);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->at(0).old_alternatives, table.old_alternatives);
  EXPECT_EQ(schema_json(*read), text);
}

TEST(SchemaDocument, NamesOfEnumeratorsAreChecked) {
  const std::string calm = R"({"number":3,"name":"calm"})";
  const auto with = [&](const std::string& other) { return refusal(edited(calm, other)); };
  EXPECT_EQ(with(R"({"name":"calm","number":"127"})"), "accepted");
  EXPECT_THAT(with(R"({"number":128,"name":"calm"})"), HasSubstr("'calm' does not fit i8"));
  EXPECT_THAT(with(R"({"number":-129,"name":"calm"})"), HasSubstr("'calm' does not fit i8"));
  EXPECT_THAT(with(R"({"number":18446744073709551615,"name":"calm"})"),
              HasSubstr("'calm' does not fit i8"));
  EXPECT_THAT(with(R"({"number":0.5,"name":"calm"})"), HasSubstr("a whole number is needed"));
  EXPECT_THAT(with(R"({"number":3})"), HasSubstr("name"));
  EXPECT_THAT(with(R"({"number":3,"name":"angry"})"), HasSubstr("are named 'angry'"));
  EXPECT_THAT(with(R"({"number":-1,"name":"calm"})"), HasSubstr("-1 has two names"));
  EXPECT_THAT(with(R"({"number":3,"name":""})"), HasSubstr("the name is empty"));
  EXPECT_THAT(with("7"), HasSubstr("object"));
  EXPECT_THAT(refusal(edited(R"("values":[)", R"("extensions":[{"tag":1,"flags":4,"bytes":""}],)"
                                              R"("values":[)")),
              HasSubstr("an extension, too"));
  EXPECT_THAT(refusal(edited(R"({"kind":"i8"})", R"({"kind":"bool"})")),
              HasSubstr("'angry' does not fit bool"));
}

TEST(SchemaDocument, IsTheSameForEqualTablesInAnyOrder) {
  Database db;
  add_others(db);
  add_parts(db);
  add_units(db);
  db.find_table<Part, Layout<10, 6>>("parts")->insert({});
  EXPECT_EQ(db.schema_json(), document());
  EXPECT_TRUE(document().ends_with("\n"));
}

TEST(SchemaDocument, OfASaveIsThatOfItsProgram) {
  Database db;
  add_parts(db);
  add_others(db);
  MemorySink sink;
  ASSERT_TRUE(save(db.capture(), sink));
  const auto reader = Reader::open(std::make_unique<MemorySource>(sink.take()));
  ASSERT_TRUE(reader);
  std::vector<TableSchema> tables;
  for (const TableDescriptor& table : (*reader)->tables())
    tables.push_back(table_schema(table, (*reader)->schemas()[table.schema]));
  for (TableSchema& table : tables) {
    if (table.table.name == "parts") table.old_names = {"bits", "pieces"};
  }
  EXPECT_EQ(schema_json(tables), db.schema_json()) << "files do not store declarations";
}

TEST(SchemaDocument, DeclaredRenamesReachTheComparison) {
  const auto present = read_schema_document(document());
  std::string text = edited("\"name\":\"strength\"", "\"name\":\"health\"");
  const auto old_tables = read_schema_document(std::move(text));
  ASSERT_TRUE(present && old_tables);
  const CompatReport report = compare_schemas(*old_tables, *present);
  EXPECT_EQ(report.verdict, Compatibility::readable);
  EXPECT_EQ(report.tables.back().findings.at(0).rule, CompatRule::field_renamed);
}

TEST(SchemaDocument, RefusesTextThatIsNotADocument) {
  for (const std::string text :
       {"", "x", "[]", "{}", "null", "1", "\"schemas\"", R"({"type":"schemas","v":1})",
        R"({"type":"schemas","v":2,"tables":[]})", R"({"type":"other","v":1,"tables":[]})",
        R"({"type":"schemas","v":1,"tables":{}})", R"({"type":"schemas","v":1,"tables":[1]})",
        R"({"type":"schemas","v":1,"tables":[],"more":1})",
        R"({"type":"schemas","v":1,"tables":[]}{})"}) {
    EXPECT_NE(refusal(text), "accepted") << text;
  }
  EXPECT_THAT(refusal(R"({"type":"schema","v":1,"table":"a"})"), HasSubstr("--format=json"));
  EXPECT_TRUE(read_schema_document(R"({"type":"schemas","v":1,"tables":[]})"));
}

TEST(SchemaDocument, CutAtAnyByteIsRefused) {
  const std::string text = document();
  for (std::size_t size = 0; size + 1 < text.size(); ++size) {  // the last byte ends the line
    EXPECT_NE(refusal(text.substr(0, size)), "accepted") << "cut at " << size;
  }
}

TEST(SchemaDocument, RefusesDeepNesting) {
  std::string field = R"({"kind":"i32"})";
  for (int i = 0; i < 1000; ++i) field = R"({"kind":"list","children":[)" + field + "]}";
  EXPECT_THAT(refusal(edited(R"({"name":"strength","kind":"i32"})",
                             R"({"name":"strength","kind":"list","children":[)" + field + "]}")),
              HasSubstr("nested too deeply"));
  std::string brackets;
  for (int i = 0; i < 100000; ++i) brackets += R"({"tables":[)";
  EXPECT_THAT(refusal(brackets), HasSubstr("nested too deeply"));
}

TEST(SchemaDocument, NamesTableAndFieldOfAFault) {
  EXPECT_THAT(
      refusal(edited("\"parts\",\"kind\":\"list\"", "\"strength\",\"kind\":\"list\"")),
      testing::AllOf(HasSubstr("two fields are named 'strength'"), HasSubstr("table 'units'")));
  EXPECT_THAT(refusal(edited("\"kind\":\"i32\"", "\"kind\":\"i33\"")),
              testing::AllOf(HasSubstr("did you mean 'i32'"), HasSubstr("field strength")));
  EXPECT_THAT(refusal(edited("\"table\":\"units\"", "\"table\":\"parts\"")),
              HasSubstr("two tables are named 'parts'"));
  EXPECT_THAT(refusal(edited("\"storage\":\"stable\"", "\"storage\":\"heap\"")),
              HasSubstr("'heap' is not one of dense, stable"));
  EXPECT_THAT(refusal(edited("\"blob_alignment\":16", "\"blob_alignment\":3")),
              HasSubstr("alignment"));
  EXPECT_THAT(refusal(edited("\"name\":\"strength\"", "\"name\":\"@name\"")),
              HasSubstr("table 'units'"));
  EXPECT_THAT(refusal(edited("\"old_name\":\"life\",", "")),
              testing::AllOf(HasSubstr("renames"), HasSubstr("table 'units'")));
}

TEST(SchemaDocument, RefusesLongNames) {
  const std::string name(65536, 'n');
  EXPECT_THAT(refusal(edited("\"name\":\"strength\"", "\"name\":\"" + name + "\"")),
              HasSubstr("longer than 255 bytes"));
  EXPECT_THAT(refusal(edited("\"table\":\"units\"", "\"table\":\"" + name + "\"")),
              HasSubstr("longer than 255 bytes"));
}

}  // namespace
}  // namespace hdb::test::schema_document_test
