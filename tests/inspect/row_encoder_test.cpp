// RowEncoder: the inverse of RowDecoder, and what it refuses.
#include "hdb/inspect/row_encoder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "format/sample.hpp"
#include "hdb/inspect/checks.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb::test::row_encoder_test {
namespace {

// E1 and E2.
TEST(RowEncoder, GivesTheColumnsThatTheDecoderRead) {
  const Field schema = every_kind();
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const SampleTable table =
        random_table(schema, {.slots = 80, .seed = seed, .max_elements = seed % 7});
    for (const RowGroup& group : table.groups) {
      RowDecoder decoder(schema);
      decoder.begin(group.columns);
      RowEncoder encoder(schema);
      RowGroup again = group;
      encoder.begin(again.columns);
      Value row;
      for (std::size_t i = 0; i < group.live_count(); ++i) {
        ASSERT_TRUE(decoder.next(row));
        const Status appended = encoder.append(row);
        ASSERT_TRUE(appended) << appended.error().message();
      }
      EXPECT_EQ(again.columns, group.columns) << "seed " << seed;
      EXPECT_TRUE(check_group(schema, again));
    }
  }
}

// A record of every kind, as the decoder gives it, with its columns.
struct OneRow {
  Field schema = every_kind();
  SampleTable table =
      random_table(schema, {.slots = 1, .live_percent = 100, .retired_percent = 0, .seed = 11});
  Value row;
  OneRow() {
    RowDecoder decoder(schema);
    decoder.begin(table.groups[0].columns);
    EXPECT_TRUE(decoder.next(row));
  }
  [[nodiscard]] Value& child(std::string_view name) {
    for (Value& value : row.children) {
      if (value.field->name == name) return value;
    }
    ADD_FAILURE() << name;
    return row;
  }
  [[nodiscard]] std::string refusal() const {
    RowEncoder encoder(schema);
    std::vector<Bytes> columns;
    encoder.begin(columns);
    const Status appended = encoder.append(row);
    return appended ? "accepted" : appended.error().message();
  }
};

TEST(RowEncoder, RefusesValuesThatBreakTheGrammarAndNamesTheField) {
  const Bytes wrong{std::byte{0xff}};
  const struct {
    std::function<void(OneRow&)> change;
    std::string message;
  } cases[] = {
      {[](OneRow& r) { r.child("f1").bits = 2; }, "the bits 0x2 are not a valid bool (field f1)"},
      {[](OneRow& r) { r.child("f2").bits = 256; }, "the bits 0x100 are not a valid i8 (field f2)"},
      {[](OneRow& r) { r.child("mood").bits = 65536; }, "are not a valid enum (field mood)"},
      {[](OneRow& r) { r.child("owned").bits = std::uint64_t{1} << 32; },
       "are not a valid handle (field owned)"},
      {[](OneRow& r) { r.child("f5").field = &r.schema.children[0]; },
       "i64 is needed here, not bool (field f5)"},
      {[&](OneRow& r) { r.child("name").bytes = wrong; }, "the text is not UTF-8 (field name)"},
      {[](OneRow& r) { r.child("inner").children.pop_back(); },
       "1 fields were given for a struct of 2 (field inner)"},
      {[](OneRow& r) { r.child("inner").children[1].bits = 3; }, "(field inner.b)"},
      {[](OneRow& r) { r.child("grid").bits = 2; },
       "2 elements were given for an array of 3 (field grid)"},
      {[](OneRow& r) { r.child("grid").children.pop_back(); },
       "2 values for 3 elements (field grid)"},
      {[](OneRow& r) { r.child("grid").children[2].children[0].bits = 65536; },
       "(field grid[2].a)"},
      {[](OneRow& r) { r.child("items").bits += 1; }, "elements (field items)"},
      {[](OneRow& r) { r.child("by_name").bits += 1; }, "elements (field by_name)"},
      {[](OneRow& r) { r.child("maybe").bits = 2; },
       "an optional must hold no value or one value (field maybe)"},
      {[](OneRow& r) { r.child("choice").bits = 3; }, "alternative 3 of 3 (field choice)"},
      {[](OneRow& r) { r.child("choice").children.clear(); },
       "a variant must hold exactly one value (field choice)"},
  };
  EXPECT_EQ(OneRow().refusal(), "accepted");
  for (const auto& each : cases) {
    OneRow row;
    each.change(row);
    EXPECT_THAT(row.refusal(), testing::HasSubstr(each.message));
  }
}

TEST(RowEncoder, RefusesPackedBoolsAndHalfElements) {
  const Field schema = record({node(FieldKind::list, "flags", {leaf(FieldKind::boolean)}),
                               node(FieldKind::list, "ids", {leaf(FieldKind::u32)})});
  const Bytes bools{std::byte{1}, std::byte{2}};
  const auto refusal = [&](std::span<const std::byte> flags, std::uint64_t count,
                           std::span<const std::byte> ids) {
    Value row;
    row.field = &schema;
    row.children.resize(2);
    row.children[0] = {&schema.children[0], flags.size(), flags, {}};
    row.children[1] = {&schema.children[1], count, ids, {}};
    RowEncoder encoder(schema);
    std::vector<Bytes> columns;
    encoder.begin(columns);
    const Status appended = encoder.append(row);
    return appended ? "accepted" : appended.error().message();
  };
  const Bytes ids(8);
  EXPECT_EQ(refusal(std::span(bools).first(1), 2, ids), "accepted");
  EXPECT_THAT(refusal(bools, 2, ids),
              testing::HasSubstr("a bool is neither 0 nor 1 (field flags[1])"));
  EXPECT_THAT(refusal({}, 1, ids), testing::HasSubstr("8 bytes for 1 elements (field ids)"));
  EXPECT_THAT(refusal({}, 1, std::span(ids).first(7)), testing::HasSubstr("(field ids)"));
}

TEST(CheckSlot, AgreesWithTheCheckOfAWholeGroup) {
  for (const Overflow overflow : {Overflow::retire, Overflow::wrap}) {
    TableDescriptor table;
    table.policy.layout = {20, 12, 0};
    table.policy.storage = Storage::stable;
    table.policy.overflow = overflow;
    table.slot_count = 1;
    table.live_count = table.free_count = table.retired_count = 1;  // a slot of any kind fits
    for (const std::uint32_t highest : {0U, 5U, 4095U}) {
      table.highest_generation = highest;
      for (const std::uint32_t generation : {0U, 1U, 5U, 6U, 4094U, 4095U, 4096U}) {
        for (std::uint8_t state = 0; state < 4; ++state) {
          RowGroup group;
          group.states = {state};
          group.generations = {generation};
          EXPECT_EQ(check_slot(table, 0, static_cast<SlotState>(state), generation).has_value(),
                    check_group_slots(table, 0, group).has_value())
              << int{state} << " " << generation << " of " << highest;
        }
      }
    }
  }
}

}  // namespace
}  // namespace hdb::test::row_encoder_test
