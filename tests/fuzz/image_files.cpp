// Sound files made from images, without C++ record types.
#include "format/sample.hpp"
#include "format/small_file.hpp"
#include "sound_files.hpp"

namespace hdb::fuzz {

Bytes small_file() { return test::written(test::small_image(), {.packs = false}); }

Bytes every_kind_file() {
  test::MemoryImage image;
  image.meta = {"kinds", 1, -5, 7, {{"k", "v"}}};
  image.schema_list = {test::every_kind(), test::plain_schema(), test::record({})};
  image.add(test::random_table(image.schema_list[0], {.name = "dense", .slots = 30}));
  TablePolicy counted;
  counted.layout = {20, 12, 0};
  counted.free_list = FreeList::fifo;
  counted.generations = Generations::table_counter;
  image.add(test::random_table(image.schema_list[2],
                               {.name = "nothing", .schema = 2, .policy = counted, .slots = 9}));
  TablePolicy stable;
  stable.storage = Storage::stable;
  stable.overflow = Overflow::wrap;
  image.add(test::random_table(image.schema_list[1],
                               {.name = "stable", .schema = 1, .policy = stable, .slots = 90}));
  return test::written(image, {.packs = false});
}

}  // namespace hdb::fuzz
