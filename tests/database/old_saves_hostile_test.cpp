// Files whose stored schemas are malformed or describe other data than the file has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "format/forge.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/hdb.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::old_saves_hostile_test {

struct Door {
  std::int32_t state = 3;
  std::string label = "door";
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(state), CEREAL_NVP(label));
  }
};
/// What a newer program has: both fields changed, so that none is copied as it is.
struct NewDoor {
  std::vector<std::string> label = {};
  std::int64_t state = 0;
  std::int32_t lock = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(label), CEREAL_NVP(state), CEREAL_NVP(lock));
  }
};

namespace {

Field field(FieldKind kind, std::string name = {}, std::vector<Field> children = {}) {
  Field made;
  made.kind = kind;
  made.name = std::move(name);
  made.children = std::move(children);
  return made;
}

Bytes bytes_of(const Field& root) {
  Bytes bytes;
  ByteWriter out(bytes);
  write_schema(root, out);
  return bytes;
}

Field door_schema() {
  Field root = field(FieldKind::structure);
  root.children = {field(FieldKind::i32, "state"), field(FieldKind::string, "label")};
  return root;
}

// A saved file of doors whose catalogs hold `schema` in place of theirs.
Bytes file_with(const Bytes& schema) {
  Database db;
  auto& doors = db.create_table<Door>("doors");
  for (int i = 0; i < 5; ++i) doors.insert({});
  MemorySink sink;
  EXPECT_TRUE(save(db.capture(), sink));
  ForgedFile file(sink.take());
  const Bytes original = bytes_of(door_schema());
  std::size_t replaced = 0;
  for (ForgedBlock& block : file.blocks) {
    Bytes& payload = block.payload;
    const auto at = std::search(payload.begin(), payload.end(), original.begin(), original.end());
    if (at == payload.end()) continue;
    store_le(&*at - 4, static_cast<std::uint32_t>(schema.size()));  // its size comes before it
    const auto offset = at - payload.begin();
    payload.erase(at, at + static_cast<std::ptrdiff_t>(original.size()));
    payload.insert(payload.begin() + offset, schema.begin(), schema.end());
    block.head.info.raw_bytes = payload.size();
    ++replaced;
  }
  EXPECT_EQ(replaced, 2u) << "a file has two catalogs";
  return file.sealed();
}

// The code of the error; 0 after a load. After an error the database must be as it was.
template <class Record>
ErrorCode code_of(const Bytes& file) {
  Database db;
  db.create_table<Record>("doors").insert({});
  const Hash128 before = db.state_hash();
  const auto loaded =
      db.load(std::make_unique<MemorySource>(file), {.limits = {.max_memory_bytes = 64 << 20}});
  if (loaded) return ErrorCode{};
  EXPECT_EQ(db.state_hash(), before) << loaded.error().message();
  EXPECT_FALSE(loaded.error().message().empty());
  return loaded.error().code;
}

TEST(OldSavesHostile, TheForgedFileLoadsWithItsOwnSchema) {
  const Bytes file = file_with(bytes_of(door_schema()));
  EXPECT_EQ(code_of<Door>(file), ErrorCode{});
  EXPECT_EQ(code_of<NewDoor>(file), ErrorCode{});
}

TEST(OldSavesHostile, TwoFieldsOfOneNameAreRefused) {
  Field root = door_schema();
  root.children[1].name = "state";
  const Bytes file = file_with(bytes_of(root));
  EXPECT_EQ(code_of<Door>(file), ErrorCode::bad_schema);
  EXPECT_EQ(code_of<NewDoor>(file), ErrorCode::bad_schema);
}

TEST(OldSavesHostile, ANameOf64KiBIsRefused) {
  Field root = door_schema();
  root.children[1].name = std::string(std::size_t{64} << 10, 'x');
  EXPECT_EQ(code_of<NewDoor>(file_with(bytes_of(root))), ErrorCode::bad_schema);
}

TEST(OldSavesHostile, NestingOf1000LevelsIsRefused) {
  for (const FieldKind kind : {FieldKind::optional, FieldKind::list, FieldKind::structure}) {
    Field deep = field(FieldKind::u8, kind == FieldKind::structure ? "f" : "");
    for (int i = 0; i < 1000; ++i) {
      deep = field(kind, kind == FieldKind::structure ? "f" : "", {std::move(deep)});
    }
    deep.name = "label";
    Field root = door_schema();
    root.children[1] = std::move(deep);
    EXPECT_EQ(code_of<NewDoor>(file_with(bytes_of(root))), ErrorCode::bad_schema);
  }
}

TEST(OldSavesHostile, ASchemaThatLiesAboutItsDataIsRefused) {
  std::vector<Field> lies;
  const auto lie = [&](Field state, Field label) {
    state.name = "state";
    label.name = "label";
    Field& root = lies.emplace_back(field(FieldKind::structure));
    root.children = {std::move(state), std::move(label)};
  };
  const Field i32 = field(FieldKind::i32);
  const Field string = field(FieldKind::string);
  for (const FieldKind kind : {FieldKind::i8, FieldKind::i64, FieldKind::f64, FieldKind::boolean,
                               FieldKind::string, FieldKind::opaque}) {
    lie(field(kind), string);
  }
  lie(field(FieldKind::list, {}, {i32}), string);
  lie(field(FieldKind::optional, {}, {i32}), string);
  lie(i32, field(FieldKind::list, {}, {field(FieldKind::u64)}));
  lie(i32, field(FieldKind::map, {}, {field(FieldKind::u8), field(FieldKind::u8)}));
  lie(i32, field(FieldKind::variant, {}, {field(FieldKind::u8), field(FieldKind::u8)}));
  Field array = field(FieldKind::array, {}, {i32});
  array.count = 2;
  lie(array, string);
  for (std::size_t i = 0; i < lies.size(); ++i) {
    const Bytes file = file_with(bytes_of(lies[i]));
    EXPECT_NE(code_of<Door>(file), ErrorCode{}) << "lie " << i;
    EXPECT_NE(code_of<NewDoor>(file), ErrorCode{}) << "lie " << i;
  }
}

TEST(OldSavesHostile, ColumnsOfEqualShapeAreValuesOrAnError) {
  // The same bytes as other types: what does not fit is refused, what fits is loaded.
  Field root = door_schema();
  root.children[0].kind = FieldKind::f32;  // 3 as f32 is no integer
  EXPECT_EQ(code_of<Door>(file_with(bytes_of(root))), ErrorCode::value_out_of_range);
  EXPECT_EQ(code_of<NewDoor>(file_with(bytes_of(root))), ErrorCode::value_out_of_range);
  root.children[0].kind = FieldKind::u32;
  EXPECT_EQ(code_of<NewDoor>(file_with(bytes_of(root))), ErrorCode{});
  root.children[1] = field(FieldKind::list, "label", {field(FieldKind::u8)});
  EXPECT_EQ(code_of<NewDoor>(file_with(bytes_of(root))), ErrorCode::type_mismatch);
}

}  // namespace
}  // namespace hdb::test::old_saves_hostile_test
