// Schemas: what is written is read back, every rule is enforced, columns stand in pre-order.
#include <gtest/gtest.h>

#include <functional>

#include "hdb/byte_io.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb {
namespace {

Field make(FieldKind kind, std::string name = {}, std::vector<Field> children = {}) {
  Field field;
  field.kind = kind;
  field.name = std::move(name);
  field.children = std::move(children);
  return field;
}

Field record(std::vector<Field> fields) {
  return make(FieldKind::structure, {}, std::move(fields));
}

Field rich_schema() {
  Field handle = make(FieldKind::handle, "target");
  handle.layout = {20, 12, 0};
  handle.strong = true;
  handle.table = "monsters";
  Field text = make(FieldKind::string, "name");
  text.utf8_checked = true;
  Field pos =
      make(FieldKind::structure, "pos", {make(FieldKind::f32, "x"), make(FieldKind::f32, "y")});
  pos.versioned = true;
  pos.class_version = 3;
  Field grid = make(FieldKind::array, "grid", {make(FieldKind::u16)});
  grid.count = 300;
  return record(
      {handle, text, pos, grid, make(FieldKind::enumeration, "mood", {make(FieldKind::u8)}),
       make(FieldKind::list, "items",
            {make(FieldKind::structure, {}, {make(FieldKind::i32, "n")})}),
       make(FieldKind::optional, "maybe", {make(FieldKind::f64)}),
       make(FieldKind::variant, "tag", {make(FieldKind::u8), record({make(FieldKind::i64, "x")})}),
       make(FieldKind::map, "by_name", {make(FieldKind::string), make(FieldKind::boolean)}),
       make(FieldKind::opaque, "blob")});
}

Bytes bytes_of_schema(const Field& root) {
  Bytes bytes;
  ByteWriter out(bytes);
  write_schema(root, out);
  return bytes;
}

TEST(Schema, IsReadBackAsWritten) {
  const Field root = rich_schema();
  ASSERT_TRUE(check_schema(root)) << check_schema(root).error().message();
  const Bytes bytes = bytes_of_schema(root);
  ByteReader in(bytes, 0, ErrorCode::bad_schema);
  const Field back = read_schema(in);
  in.expect_end();
  ASSERT_TRUE(in.ok()) << in.error().message();
  EXPECT_EQ(back, root);
  EXPECT_EQ(schema_fingerprint(back), schema_fingerprint(root));
}

TEST(Schema, CutAtAnyByteIsRefused) {
  const Bytes bytes = bytes_of_schema(rich_schema());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteReader in(std::span<const std::byte>(bytes).first(size), 0, ErrorCode::bad_schema);
    static_cast<void>(read_schema(in));
    EXPECT_FALSE(in.ok()) << "cut at " << size;
    EXPECT_EQ(in.error().code, ErrorCode::bad_schema);
  }
}

// Whatever is accepted is canonical: it is written as it was read.
TEST(Schema, AnyChangedByteIsRefusedOrCanonical) {
  const Bytes bytes = bytes_of_schema(rich_schema());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      Bytes changed = bytes;
      changed[at] = static_cast<std::byte>(value);
      ByteReader in(changed, 0, ErrorCode::bad_schema);
      const Field back = read_schema(in);
      in.expect_end();
      if (in.ok()) {
        EXPECT_EQ(bytes_of_schema(back), changed) << "byte " << at << " = " << value;
      }
    }
  }
}

TEST(Schema, EveryRuleIsEnforced) {
  const auto refused = [](const std::function<void(Field&)>& spoil) {
    Field root = rich_schema();
    spoil(root);
    const bool by_check = !check_schema(root);
    const Bytes bytes = bytes_of_schema(root);
    ByteReader in(bytes, 0, ErrorCode::bad_schema);
    const Field back = read_schema(in);
    in.expect_end();
    // What the bytes cannot even say is dropped by them: then the schema comes back changed.
    return by_check && (!in.ok() || back != root);
  };
  EXPECT_FALSE(refused([](Field&) {}));
  EXPECT_TRUE(refused([](Field& f) { f.kind = FieldKind::list; }));
  EXPECT_TRUE(refused([](Field& f) { f.name = "root"; }));
  EXPECT_TRUE(refused([](Field& f) { f.children[0].name = ""; }));
  EXPECT_TRUE(refused([](Field& f) { f.children[0].name = "name"; }));
  EXPECT_TRUE(refused([](Field& f) { f.children[0].name = std::string(256, 'x'); }));
  EXPECT_TRUE(refused([](Field& f) { f.children[0].name = "\xff"; }));
  EXPECT_TRUE(refused([](Field& f) { f.children[0].name = std::string("a\0b", 3); }));
  EXPECT_TRUE(refused([](Field& f) { f.children[0].layout = {31, 0, 0}; }));
  EXPECT_TRUE(refused([](Field& f) { f.children[0].table = "\n"; }));
  EXPECT_TRUE(refused([](Field& f) { f.children[1].strong = true; }));
  EXPECT_TRUE(refused([](Field& f) { f.children[1].count = 1; }));
  EXPECT_TRUE(refused([](Field& f) { f.children[1].children.push_back(make(FieldKind::u8)); }));
  EXPECT_TRUE(refused([](Field& f) { f.children[2].versioned = false; }));
  EXPECT_TRUE(refused([](Field& f) { f.children[2].utf8_checked = true; }));
  EXPECT_TRUE(refused([](Field& f) { f.children[3].count = 0; }));
  EXPECT_TRUE(refused([](Field& f) { f.children[3].count = format::kMaxArrayCount + 1; }));
  EXPECT_TRUE(refused([](Field& f) { f.children[3].children.clear(); }));
  EXPECT_TRUE(refused([](Field& f) { f.children[3].versioned = true; }));
  EXPECT_TRUE(refused([](Field& f) { f.children[4].children[0].kind = FieldKind::f32; }));
  EXPECT_TRUE(refused([](Field& f) { f.children[4].children[0].kind = FieldKind::boolean; }));
  EXPECT_TRUE(refused([](Field& f) { f.children[5].children[0].name = "element"; }));
  EXPECT_TRUE(refused([](Field& f) { f.children[5].children[0].children.clear(); }));
  EXPECT_TRUE(refused([](Field& f) { f.children[7].children.clear(); }));
  EXPECT_TRUE(refused([](Field& f) { f.children[7].children.resize(256, make(FieldKind::u8)); }));
  EXPECT_TRUE(refused([](Field& f) { f.children[7].children[0].name = "\x7f"; }));
  EXPECT_TRUE(refused([](Field& f) { f.children[8].children.pop_back(); }));
  EXPECT_TRUE(refused([](Field& f) { f.children[9].kind = static_cast<FieldKind>(25); }));
  EXPECT_TRUE(refused([](Field& f) { f.children[9].kind = static_cast<FieldKind>(0); }));
}

TEST(Schema, DepthFieldsAndSizeAreLimited) {
  Field deep = make(FieldKind::u8);
  for (std::size_t i = 0; i < format::kMaxSchemaDepth - 2; ++i)
    deep = make(FieldKind::optional, {}, {deep});
  Field deeper = make(FieldKind::optional, {}, {deep});
  deep.name = deeper.name = "d";
  EXPECT_TRUE(check_schema(record({deep})));
  EXPECT_FALSE(check_schema(record({deeper})));
  const Bytes bytes = bytes_of_schema(record({deeper}));
  ByteReader in(bytes, 0, ErrorCode::bad_schema);
  static_cast<void>(read_schema(in));
  EXPECT_FALSE(in.ok());

  std::vector<Field> many;
  for (std::size_t i = 0; i + 1 < format::kMaxSchemaFields; ++i)
    many.push_back(make(FieldKind::u8, "f" + std::to_string(i)));
  EXPECT_TRUE(check_schema(record(many)));
  many.push_back(make(FieldKind::u8, "one_more"));
  EXPECT_FALSE(check_schema(record(many)));

  Field wide = make(FieldKind::array, "w", {make(FieldKind::u64)});
  wide.count = format::kMaxArrayCount;
  Field wider = make(FieldKind::array, "w", {make(FieldKind::array, {}, {make(FieldKind::u64)})});
  wider.count = wider.children[0].count = format::kMaxArrayCount;
  EXPECT_TRUE(check_schema(record({wide})));
  EXPECT_FALSE(check_schema(record({wider})));
}

TEST(Schema, HostileCountsAreRefusedBeforeMemoryIsTaken) {
  Bytes bytes;
  ByteWriter out(bytes);
  out.u8(static_cast<std::uint8_t>(FieldKind::structure));
  out.u8(0);
  out.text("");
  out.varint(~std::uint64_t{0});
  ByteReader in(bytes, 0, ErrorCode::bad_schema);
  static_cast<void>(read_schema(in));
  EXPECT_FALSE(in.ok());
}

TEST(Schema, FingerprintTellsSchemasApart) {
  Field a = rich_schema();
  Field b = rich_schema();
  b.children[0].strong = false;
  EXPECT_NE(schema_fingerprint(a), schema_fingerprint(b));
  b = rich_schema();
  b.children[2].class_version = 4;
  EXPECT_NE(schema_fingerprint(a), schema_fingerprint(b));
}

TEST(Columns, StandInPreOrderWithPaths) {
  const Field root = rich_schema();
  const std::vector<Column> columns = columns_of(root);
  std::string text;
  for (const Column& column : columns) {
    text += column.path + " " + std::to_string(static_cast<int>(column.role)) + " " +
            std::to_string(column.width) + "\n";
  }
  EXPECT_EQ(text,
            "target 0 4\n"
            "name 1 0\n"
            "name 2 0\n"
            "pos.x 0 4\n"
            "pos.y 0 4\n"
            "grid[] 0 2\n"
            "mood 0 1\n"
            "items 1 0\n"
            "items[].n 0 4\n"
            "maybe 3 0\n"
            "maybe? 0 8\n"
            "tag 4 0\n"
            "tag<0> 0 1\n"
            "tag<1>.x 0 8\n"
            "by_name 1 0\n"
            "by_name[].key 1 0\n"
            "by_name[].key 2 0\n"
            "by_name[].value 0 1\n"
            "blob 1 0\n"
            "blob 2 0\n");
}

TEST(Types, AreTold) {
  const Field root = rich_schema();
  EXPECT_EQ(type_text(root.children[0]), "strong<monsters>");
  EXPECT_EQ(type_text(root.children[2]), "{x: f32, y: f32}");
  EXPECT_EQ(type_text(root.children[3]), "array<u16, 300>");
  EXPECT_EQ(type_text(root.children[8]), "map<string, bool>");
  EXPECT_EQ(type_text(root.children[7]), "variant<u8, {x: i64}>");
}

TEST(Groups, AimAtOneMiBOfFixedData) {
  EXPECT_EQ(fixed_bytes(rich_schema()), 4U + 8U + 600U + 1U);
  EXPECT_EQ(group_shift_for(record({})), format::kMaxGroupShift);
  const auto shift_of = [](std::uint64_t bytes) {
    Field array = make(FieldKind::array, "a", {make(FieldKind::u8)});
    array.count = bytes;
    return unsigned{group_shift_for(record({array}))};
  };
  EXPECT_EQ(shift_of(16), 16U);
  EXPECT_EQ(shift_of(17), 15U);
  EXPECT_EQ(shift_of(64), 14U);
  EXPECT_EQ(shift_of(65), 13U);
  EXPECT_EQ(shift_of(16384), 6U);
  EXPECT_EQ(shift_of(100000), 6U);
}

}  // namespace
}  // namespace hdb
