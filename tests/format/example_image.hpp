// The image of FORMAT.md's worked example.
#pragma once

#include "format/sample.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb::test {

/// One dense table of four slots: live, free, live, retired.
[[nodiscard]] inline MemoryImage example_image() {
  MemoryImage image;
  image.meta = {"Example", 61000, 0, 1, {{"map", "E1M1"}}};
  Field name = leaf(FieldKind::string, "name");
  name.utf8_checked = true;
  image.schema_list = {record({leaf(FieldKind::i32, "hp"), name})};
  SampleTable units;
  TableDescriptor& table = units.descriptor;
  table.name = "units";
  table.group_shift = group_shift_for(image.schema_list[0]);
  table.slot_count = 4;
  table.live_count = 2;
  table.retired_count = 1;
  table.free_count = 1;
  table.highest_generation = table.policy.layout.max_generation();
  units.free_list = {1};
  RowGroup& group = units.groups.emplace_back();
  group.states = {1, 0, 1, 2};
  group.generations = {1, 2, 1, table.highest_generation};
  group.positions = {1, 0};
  group.columns.resize(3);
  ByteWriter hp(group.columns[0]);
  hp.u32(100);
  hp.u32(static_cast<std::uint32_t>(-5));
  ByteWriter lengths(group.columns[1]);
  lengths.varint(3);
  lengths.varint(2);
  ByteWriter(group.columns[2]).raw(bytes_of("imp\xc3\xa9"));
  image.add(std::move(units));
  return image;
}

}  // namespace hdb::test
