// Records with handles in cereal's own archives, beside hdb's.
#include <cereal/archives/binary.hpp>
#include <cereal/archives/json.hpp>
#include <cereal/archives/portable_binary.hpp>
#include <cereal/archives/xml.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <sstream>

#include "hdb/cereal_structs.hpp"
#include "hdb/hdb.hpp"
#include "record/helpers.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::other_archives_test {
namespace {

struct Part;

struct Machine {
  std::int32_t power = 0;
  Handle<Machine> next;
  Handle<Part, Layout<10, 6>> tiny;
  Handle<Part, Layout<24, 8>> packed;
  Handle<Part, Layout<40, 23>> far;
  Strong<Part> owned;
  Strong<Part, Layout<10, 6>> owned_tiny;
  AnyHandle any;
  std::vector<Handle<Machine>> others;
  std::map<std::int32_t, Handle<Part, Layout<32, 16, 16>>> sockets;

  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(power), CEREAL_NVP(next), CEREAL_NVP(tiny), CEREAL_NVP(packed), CEREAL_NVP(far),
      CEREAL_NVP(owned), CEREAL_NVP(owned_tiny), CEREAL_NVP(any), CEREAL_NVP(others),
      CEREAL_NVP(sockets));
  }
  friend bool operator==(const Machine&, const Machine&) = default;
};

// A plain struct, and one with a `serialize`.
struct Nothing {
  friend bool operator==(const Nothing&, const Nothing&) = default;
};
struct Slot {
  std::int32_t count = 1;
  std::string label = "empty";
  friend bool operator==(const Slot&, const Slot&) = default;
};
struct Chest {
  std::string name = "chest";
  std::vector<Slot> slots{Slot{2, "gold"}, Slot{}};
  std::array<float, 2> place{1, 2};
  std::int16_t marks[3] = {1, 2, 3};
  Nothing nothing;
  Handle<Chest> next;
  bool is_open = false;  // left out
  friend bool operator==(const Chest&, const Chest&) = default;
};
struct SlotTwin {
  std::int32_t count = 1;
  std::string label = "empty";
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(count), CEREAL_NVP(label));
  }
};
struct NothingTwin {
  template <class A>
  void serialize(A&) {}
};
struct ChestTwin {
  std::string name = "chest";
  std::vector<SlotTwin> slots{SlotTwin{2, "gold"}, SlotTwin{}};
  std::array<float, 2> place{1, 2};
  std::int16_t marks[3] = {1, 2, 3};
  NothingTwin nothing;
  Handle<ChestTwin> next;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(slots), CEREAL_NVP(place), CEREAL_NVP(marks),
      CEREAL_NVP(nothing), CEREAL_NVP(next));
  }
};

}  // namespace
}  // namespace hdb::test::other_archives_test

template <>
struct hdb::LeavesOut<hdb::test::other_archives_test::Chest> {
  static constexpr std::tuple members{&hdb::test::other_archives_test::Chest::is_open};
};

namespace hdb::test::other_archives_test {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

// Null handles, all bits set, and bits that a float of 64 bits would round.
std::vector<Machine> machines() {
  std::vector<Machine> all(3);
  Machine& full = all[1];
  full.power = -7;
  full.next = Handle<Machine>::from_bits(kAll);
  full.tiny = Handle<Part, Layout<10, 6>>::from_bits(0xffff);
  full.packed = Handle<Part, Layout<24, 8>>::from_bits(0xffffffff);
  full.far = Handle<Part, Layout<40, 23>>::from_bits(kAll - 1);
  full.owned = Handle<Part>::from_bits((std::uint64_t{1} << 53) + 1);
  full.owned_tiny = Handle<Part, Layout<10, 6>>::from_bits(0x8001);
  full.any = AnyHandle::from_bits(std::uint64_t{1} << 63 | 1);
  full.others = {Handle<Machine>::from_bits(0x7fffffffffffffff), {}, full.next};
  full.sockets = {{-1, Handle<Part, Layout<32, 16, 16>>::from_bits(kAll - 2)}, {5, {}}};
  all[2].next = Handle<Machine>::from_bits((std::uint64_t{1} << 62) + 1);
  return all;
}

template <class Output, class Input>
struct Archives {
  using Out = Output;
  using In = Input;
};

template <class>
class OtherArchives : public testing::Test {};
using Pairs = testing::Types<
    Archives<cereal::JSONOutputArchive, cereal::JSONInputArchive>,
    Archives<cereal::XMLOutputArchive, cereal::XMLInputArchive>,
    Archives<cereal::BinaryOutputArchive, cereal::BinaryInputArchive>,
    Archives<cereal::PortableBinaryOutputArchive, cereal::PortableBinaryInputArchive>>;
TYPED_TEST_SUITE(OtherArchives, Pairs);

TYPED_TEST(OtherArchives, GiveRecordsWithHandlesBackBitByBit) {
  const std::vector<Machine> before = machines();
  std::stringstream stream;
  {
    typename TypeParam::Out out(stream);
    out(cereal::make_nvp("machines", before));
  }
  std::vector<Machine> after;
  typename TypeParam::In in(stream);
  in(cereal::make_nvp("machines", after));
  EXPECT_EQ(after, before);
}

// Not within a template, where g++ 12 cannot compile their default values.
Chest closed_chest() { return {}; }
ChestTwin chest_twin() { return {}; }

template <class Output, class T>
std::string written(const T& value) {
  std::stringstream stream;
  {
    Output out(stream);
    out(cereal::make_nvp("value", value));
  }
  return stream.str();
}

TYPED_TEST(OtherArchives, WriteAPlainStructAsItsTwinWithAFunction) {
  const std::string text = written<typename TypeParam::Out>(closed_chest());
  EXPECT_EQ(text, written<typename TypeParam::Out>(chest_twin()));
  Chest chest = closed_chest();
  chest.name = "other";
  chest.slots.clear();
  chest.is_open = true;
  std::stringstream stream(text);
  typename TypeParam::In in(stream);
  in(cereal::make_nvp("value", chest));
  EXPECT_TRUE(chest.is_open) << "LeavesOut names it";
  chest.is_open = false;
  EXPECT_EQ(chest, closed_chest());
}

TEST(OtherArchives, WriteAHandleAsOneNumber) {
  std::stringstream json;
  {
    cereal::JSONOutputArchive out(json, cereal::JSONOutputArchive::Options::NoIndent());
    out(cereal::make_nvp("machine", machines()[1]));
  }
  EXPECT_THAT(json.str(), testing::HasSubstr("\"next\": 18446744073709551615,\n\"tiny\": 65535"));
  std::stringstream binary;
  {
    cereal::BinaryOutputArchive out(binary);
    out(Handle<Part, Layout<10, 6>>::from_bits(0x1234));
  }
  EXPECT_EQ(binary.str().size(), 2u);
}

// The same record in hdb: handles are fields of their own kind there, not numbers.
TEST(OtherArchives, ChangeNothingInHdb) {
  const Field schema = must(make_codec<Machine>()->schema(no_table));
  std::size_t handles = 0;
  for (const Field& field : schema.children) handles += field.kind == FieldKind::handle ? 1 : 0;
  EXPECT_EQ(handles, 7u);
  EXPECT_TRUE(schema.children[5].strong);
  EXPECT_EQ(schema.children[2].layout, (HandleLayout{10, 6, 0}));

  Database db;
  auto& table = db.create_table<Machine>("machines");
  std::vector<Handle<Machine>> names;
  for (const Machine& machine : machines()) names.push_back(table.insert(machine));
  MemorySink file;
  ASSERT_TRUE(save(db.capture(), file));
  Database other;
  auto& loaded = other.create_table<Machine>("machines");
  ASSERT_TRUE(other.load(std::make_unique<MemorySource>(file.bytes())));
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(loaded.at(names[i]), machines()[i]);
}

}  // namespace
}  // namespace hdb::test::other_archives_test
