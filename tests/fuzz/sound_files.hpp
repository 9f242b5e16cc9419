// The sound files that edits start from.
#pragma once

#include <vector>

#include "hdb/bytes.hpp"

namespace hdb::fuzz {

/// Files of the declared tables, compressed and stored in packs, and the two below: together they
/// hold every block type, codec, filter and field kind.
[[nodiscard]] const std::vector<Bytes>& sound_files();

/// Three row groups, an unknown block; fits no declared table.
[[nodiscard]] Bytes small_file();
/// Every kind of field in tables of all policies; fits no declared table.
[[nodiscard]] Bytes every_kind_file();

}  // namespace hdb::fuzz
