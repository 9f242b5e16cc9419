// Names of enumerators in a schema: what is written is read back, and hostile lists are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "hdb/byte_io.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/inspect/table_schema.hpp"

namespace hdb::test::enumerators_test {
namespace {

using testing::HasSubstr;

Field mood_of(FieldKind integer) {
  Field mood;
  mood.kind = FieldKind::enumeration;
  mood.name = "mood";
  mood.children.emplace_back().kind = integer;
  return mood;
}

Field record_of(Field field) {
  Field root;
  root.children.push_back(std::move(field));
  return root;
}

Field named(FieldKind integer, std::vector<Enumerator> enumerators) {
  Field mood = mood_of(integer);
  set_enumerators(mood, std::move(enumerators));
  return mood;
}

Bytes bytes_of(const Field& root) {
  Bytes bytes;
  ByteWriter out(bytes);
  write_schema(root, out);
  return bytes;
}

// What is wrong with a schema whose one enum has this extension: in memory and in a file.
std::string fault_of(Extension extension, FieldKind integer = FieldKind::u8) {
  Field mood = mood_of(integer);
  mood.extensions.push_back(std::move(extension));
  const Field root = record_of(std::move(mood));
  const Bytes bytes = bytes_of(root);
  ByteReader in(bytes, 0, ErrorCode::bad_schema);
  static_cast<void>(read_schema(in));
  const Status checked = check_schema(root);
  EXPECT_EQ(in.ok(), checked.has_value());
  return checked ? "none" : checked.error().message();
}

std::string fault_of(const std::function<void(ByteWriter&)>& write,
                     FieldKind integer = FieldKind::u8) {
  Extension extension{format::kExtensionEnumNames, format::kExtensionSafeToCopy, {}};
  ByteWriter out(extension.bytes);
  write(out);
  return fault_of(std::move(extension), integer);
}

TEST(Enumerators, AreReadBackInTheOrderOfTheirNumbers) {
  const Field mood = named(FieldKind::i16, {{1, "glad"}, {0xffff, "angry"}, {0, "calm"}});
  const Field root = record_of(mood);
  ASSERT_TRUE(check_schema(root)) << check_schema(root).error().message();
  const Bytes bytes = bytes_of(root);
  ByteReader in(bytes, 0, ErrorCode::bad_schema);
  const Field back = read_schema(in);
  in.expect_end();
  ASSERT_TRUE(in.ok()) << in.error().what;
  EXPECT_EQ(back, root);
  const std::vector<Enumerator> expected{{0xffff, "angry"}, {0, "calm"}, {1, "glad"}};
  EXPECT_EQ(enumerators_of(back.children[0]), expected);
  EXPECT_EQ(enumerators_text(back.children[0]), "angry -1, calm 0, glad 1");
  EXPECT_EQ(enumerator_name(back.children[0], 0xffff), "angry");
  EXPECT_EQ(enumerator_name(back.children[0], 1), "glad");
  EXPECT_EQ(enumerator_name(back.children[0], 2), "");
  EXPECT_EQ(enumerator_name(back.children[0].children[0], 1), "") << "an integer has no names";
  EXPECT_EQ(named(FieldKind::i16, expected), mood) << "the order of a declaration does not count";
}

TEST(Enumerators, HaveNumbersOfEachWidth) {
  for (const FieldKind integer : {FieldKind::i8, FieldKind::i16, FieldKind::i32, FieldKind::i64,
                                  FieldKind::u8, FieldKind::u16, FieldKind::u32, FieldKind::u64}) {
    const unsigned bits = 8 * fixed_width(mood_of(integer));
    const std::uint64_t top = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    const Field mood = named(integer, {{0, "zero"}, {top, "top"}});
    ASSERT_TRUE(check_schema(record_of(mood))) << kind_name(integer);
    EXPECT_EQ(enumerator_name(mood, top), "top");
    EXPECT_EQ(enumerator_number(top, integer), integer <= FieldKind::i64 ? "-1"
                                               : bits == 64              ? "18446744073709551615"
                                                                         : std::to_string(top));
  }
}

TEST(Enumerators, AreNotPartOfTheFingerprint) {
  const Field plain = record_of(mood_of(FieldKind::u8));
  const Field root = record_of(named(FieldKind::u8, {{0, "calm"}}));
  EXPECT_NE(bytes_of(root), bytes_of(plain));
  EXPECT_EQ(schema_fingerprint(root), schema_fingerprint(plain));
  Field without = root.children[0];
  set_enumerators(without, {});
  EXPECT_EQ(without, plain.children[0]);
}

TEST(Enumerators, StandBesideOtherExtensions) {
  Field mood = mood_of(FieldKind::u8);
  mood.extensions = {{9, 0, Bytes(3)}};
  set_enumerators(mood, {{0, "calm"}});
  set_enumerators(mood, {{0, "angry"}});
  ASSERT_EQ(mood.extensions.size(), 2u);
  EXPECT_TRUE(check_schema(record_of(mood)));
  EXPECT_EQ(enumerator_name(mood, 0), "angry");
  EXPECT_THAT(field_json(mood), HasSubstr(R"("values":[{"number":0,"name":"angry"}],)"
                                          R"("extensions":[{"tag":9,)"));
}

TEST(Enumerators, RefuseDuplicatesAndBadNames) {
  const auto fault = [](std::vector<Enumerator> enumerators) {
    const Status checked = check_schema(record_of(named(FieldKind::i8, std::move(enumerators))));
    return checked ? "none" : checked.error().message();
  };
  EXPECT_EQ(fault({{0, "calm"}}), "none");
  EXPECT_THAT(fault({{0, "calm"}, {1, "calm"}}),
              HasSubstr("field 'mood': two of its values are named 'calm'"));
  EXPECT_THAT(fault({{255, "calm"}, {255, "angry"}}),
              HasSubstr("its value -1 has two names, 'calm' and 'angry'"));
  EXPECT_THAT(fault({{0, ""}}), HasSubstr("the name is empty"));
  EXPECT_THAT(fault({{0, "a\n"}}), HasSubstr("control character"));
  EXPECT_THAT(fault({{0, "\xff"}}), HasSubstr("UTF-8"));
  EXPECT_THAT(fault({{0, std::string(256, 'x')}}), HasSubstr("at most 255"));
  EXPECT_EQ(fault({{0, std::string(255, 'x')}}), "none");
}

TEST(Enumerators, RefuseMalformedExtensions) {
  const auto one = [](ByteWriter& out) {
    out.varint(1);
    out.u8(0);
    out.text("calm");
  };
  EXPECT_EQ(fault_of(one), "none");
  EXPECT_NE(fault_of([](ByteWriter&) {}), "none") << "no count";
  EXPECT_THAT(fault_of([](ByteWriter& out) { out.varint(0); }), HasSubstr("empty"));
  EXPECT_NE(fault_of([](ByteWriter& out) { out.varint(~std::uint64_t{0}); }), "none");
  EXPECT_NE(fault_of([&](ByteWriter& out) { one(out), out.u8(0); }), "none") << "bytes left";
  EXPECT_NE(fault_of(one, FieldKind::u16), "none") << "numbers of another width";
  for (std::size_t size = 0; size < 7; ++size) {
    EXPECT_NE(fault_of([&](ByteWriter& out) {
                Bytes whole;
                ByteWriter writer(whole);
                one(writer);
                out.raw(std::span(whole).first(size == 6 ? 5 : size));
              }),
              "none")
        << "cut off after " << size;
  }
  EXPECT_THAT(fault_of([](ByteWriter& out) {
                out.varint(2);
                out.u8(1), out.text("b");
                out.u8(0), out.text("a");
              }),
              HasSubstr("not in rising order"));
  EXPECT_THAT(fault_of(
                  [](ByteWriter& out) {
                    out.varint(2);
                    out.u8(1), out.text("b");
                    out.u8(0xff), out.text("a");
                  },
                  FieldKind::i8),
              HasSubstr("its value -1 is not in rising order"));
}

TEST(Enumerators, RefuseOtherFlagsAndOtherFields) {
  Bytes content{std::byte{1}, std::byte{0}, std::byte{1}, std::byte{'a'}};
  EXPECT_EQ(fault_of(Extension{1, format::kExtensionSafeToCopy, content}), "none");
  for (const int flags : {0, 1, 2, 3, 5, 6, 7})
    EXPECT_NE(fault_of(Extension{1, static_cast<std::uint8_t>(flags), content}), "none") << flags;
  Field number;
  number.kind = FieldKind::u8;
  number.name = "mood";
  number.extensions = {{1, format::kExtensionSafeToCopy, content}};
  EXPECT_THAT(check_schema(record_of(number)).error().message(),
              HasSubstr("only an enum can name its values"));
}

TEST(Enumerators, MayTake64KiB) {
  std::vector<Enumerator> many;
  std::size_t bytes = 2;  // the count
  for (std::uint64_t i = 0; bytes + 2 + 257 <= format::kMaxExtensionBytes; ++i) {
    std::string name = std::to_string(i);
    name.resize(255, '-');
    many.push_back({i, std::move(name)});
    bytes += 2 + 2 + 255;
  }
  Field mood = named(FieldKind::u16, many);
  EXPECT_TRUE(check_schema(record_of(mood)));
  EXPECT_EQ(enumerators_of(mood), many);
  many.push_back({many.size(), std::string(255, 'x')});
  mood = named(FieldKind::u16, many);
  EXPECT_THAT(check_schema(record_of(mood)).error().message(), HasSubstr("more than 65536"));
}

}  // namespace
}  // namespace hdb::test::enumerators_test
