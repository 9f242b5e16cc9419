// Wide records make row groups of 64 slots; few of them are live.
#include "format/small_file.hpp"

#include <algorithm>

#include "hdb/byte_io.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb::test {

MemoryImage small_image() {
  MemoryImage image;
  image.meta = {"small", 1000, 0, 3, {{"k", "v"}}};
  image.thumb.assign(11, std::byte{0x5a});
  Field pad = node(FieldKind::array, "pad", {leaf(FieldKind::u8)});
  pad.count = 8200;
  Field name = leaf(FieldKind::string, "name");
  name.utf8_checked = true;
  image.schema_list = {record({pad, name, node(FieldKind::list, "ids", {leaf(FieldKind::u32)}),
                               leaf(FieldKind::boolean, "alive")})};
  SampleTable table = random_table(
      image.schema_list[0],
      {.name = "units", .slots = 150, .live_percent = 5, .retired_percent = 10, .seed = 5});
  for (RowGroup& group : table.groups) {
    group.record_hash.reset();
    Bytes& bytes = group.columns[0];
    std::fill(bytes.begin(), bytes.end(), std::byte{7});
    const std::size_t live = group.live_count();
    group.columns[3].assign(live, std::byte{40});
    group.columns[4].clear();
    ByteWriter ids(group.columns[4]);
    for (std::uint32_t i = 0; i < 40 * live; ++i) ids.u32(70000 + 3 * i);
  }
  image.add(std::move(table));
  image.extra.push_back({201, format::kBlockSafeToCopy, 0, 0, 6, {}, Bytes(6, std::byte{9})});
  return image;
}

}  // namespace hdb::test
