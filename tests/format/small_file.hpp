// A file of a few KiB with every block type, codec and filter and three row groups, for sweeps over
// all its bits.
#pragma once

#include "format/sample.hpp"

namespace hdb::test {

/// Columns of the schema: 0 pad[] (u8), 1 and 2 name (lengths, bytes), 3 and 4 ids (lengths,
/// values), 5 alive.
[[nodiscard]] MemoryImage small_image();

}  // namespace hdb::test
