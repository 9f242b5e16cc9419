// What dropped tables issued, in the catalog: its bytes, and every rule of FORMAT.md for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb::test {
namespace {

using testing::HasSubstr;

constexpr std::uint8_t kTag = format::kExtensionDroppedHandles;

DroppedHandles named(std::string name) {
  DroppedHandles space;
  space.layout = {20, 12, 0};
  space.type_name = std::move(name);
  space.highest = 4000;
  space.floor = 7;
  space.slots = {{0, 2049}, {1, 4000}, {1000, 8}, {0xfffff, 3000}};
  return space;
}
DroppedHandles typed(std::uint16_t type_id) {
  DroppedHandles space;
  space.type_id = type_id;
  space.layout = {32, 16, 15};
  space.highest = 1;
  space.floor = 1;
  return space;
}

DatabaseDescriptor with(const std::vector<DroppedHandles>& spaces, std::uint8_t tag = kTag) {
  DatabaseDescriptor database;
  database.highest_type_id = 9;
  add_dropped_handles(database, tag, spaces);
  return database;
}

// The fault of a list with one space.
std::string fault_of(const std::function<void(DroppedHandles&)>& change,
                     DroppedHandles space = named("Unit")) {
  change(space);
  return find_dropped_handles_fault(with({space}));
}

TEST(DroppedHandles, ComeBackAsTheyWere) {
  const std::vector<DroppedHandles> spaces{named(""), named("Hero"), named("Unit"), typed(3),
                                           typed(9)};
  for (const std::uint8_t tag : format::kKnownCatalogExtensions) {
    const DatabaseDescriptor database = with(spaces, tag);
    EXPECT_EQ(find_dropped_handles_fault(database), "");
    const std::vector<DroppedHandles> back = dropped_handles_of(database, tag);
    ASSERT_EQ(back.size(), spaces.size());
    EXPECT_EQ(with(back, tag), database);
    for (std::size_t i = 0; i < back.size(); ++i) {
      EXPECT_EQ(back[i].type_id, spaces[i].type_id);
      EXPECT_EQ(back[i].layout, spaces[i].layout);
      EXPECT_EQ(back[i].type_name, spaces[i].type_name);
      EXPECT_EQ(back[i].highest, spaces[i].highest);
      EXPECT_EQ(back[i].floor, spaces[i].floor);
      EXPECT_EQ(back[i].slots, spaces[i].slots);
    }
    const bool is_hashed = tag == format::kExtensionDroppedHandles;
    EXPECT_EQ(has_hashed_extension(database.extensions), is_hashed);
  }
  EXPECT_EQ(with({}), with({}, format::kExtensionUnhashedDroppedHandles)) << "nothing to say";
}

TEST(DroppedHandles, AreRefusedIfASpaceIsNotPossible) {
  EXPECT_EQ(fault_of([](DroppedHandles&) {}), "");
  const auto expect = [](const std::string& fault, const std::string& what) {
    EXPECT_THAT(fault, HasSubstr(what));
    EXPECT_THAT(fault, HasSubstr("extension 1 of the catalog"));
  };
  expect(fault_of([](auto& space) { space.layout.generation_bits = 32; }), "is not possible");
  expect(fault_of([](auto& space) { space.type_id = 3; }), "does not fit the handle layout");
  expect(fault_of([](auto& space) { space.type_id = 0; }, typed(3)), "does not fit");
  expect(fault_of([](auto& space) { space.type_id = 10; }, typed(3)), "above the highest");
  expect(fault_of([](auto& space) { space.layout.type_bits = 1; }, typed(3)), "does not fit");
  expect(fault_of([](auto& space) { space.type_name = "Unit"; }, typed(3)), "have a name");
  expect(fault_of([](auto& space) { space.type_name = "\xff"; }), "UTF-8");
  expect(fault_of([](auto& space) { space.type_name.assign(256, 'a'); }), "256");
  expect(fault_of([](auto& space) { space.highest = 0; }, typed(3)), "highest generation of 0");
  expect(fault_of([](auto& space) { space.highest = 4096; }), "highest generation of 4096");
  expect(fault_of([](auto& space) { space.floor = 4001, space.slots.clear(); }),
         "above the highest");
  expect(fault_of([](auto& space) { space.floor = 0, space.slots.clear(); }), "was issued");
  expect(fault_of([](auto& space) { space.slots.back().first = 0x100000; }), "beyond the last");
  expect(fault_of([](auto& space) { space.slots.front().second = 0; }), "generation 0");
  expect(fault_of([](auto& space) { space.slots.front().second = 7; }), "generation 7");
  expect(fault_of([](auto& space) { space.slots.front().second = 4001; }), "generation 4001");
}

TEST(DroppedHandles, AreRefusedIfTheListIsNot) {
  EXPECT_THAT(find_dropped_handles_fault(with({named("b"), named("a")})),
              HasSubstr("rising order"));
  EXPECT_THAT(find_dropped_handles_fault(with({named("a"), named("a")})),
              HasSubstr("rising order"));
  EXPECT_THAT(find_dropped_handles_fault(with({typed(3), named("a")})), HasSubstr("rising order"));
  DatabaseDescriptor database = with({named("Unit"), typed(3)});
  const Bytes whole = database.extensions.front().bytes;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    database.extensions.front().bytes.assign(whole.begin(),
                                             whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_NE(find_dropped_handles_fault(database), "") << size << " bytes";
  }
  database.extensions.front().bytes = whole;
  EXPECT_EQ(find_dropped_handles_fault(database), "");
  database.extensions.front().bytes.push_back(std::byte{0});
  EXPECT_NE(find_dropped_handles_fault(database), "") << "a byte more";
  database.extensions.front().bytes = {std::byte{0}};
  EXPECT_THAT(find_dropped_handles_fault(database), HasSubstr("a list of 0"));
  for (const std::uint8_t tag : format::kKnownCatalogExtensions) {
    for (int flags = 0; flags < 8; ++flags) {
      database = with({typed(3)}, tag);
      const bool is_right = flags == database.extensions.front().flags;
      database.extensions.front().flags = static_cast<std::uint8_t>(flags);
      EXPECT_EQ(find_dropped_handles_fault(database).empty(), is_right) << flags;
    }
  }
}

}  // namespace
}  // namespace hdb::test
