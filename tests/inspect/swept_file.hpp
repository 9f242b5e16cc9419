// A small file with every block type, codec and filter, for sweeps of damage.
#pragma once

#include "hdb/hdb.hpp"
#include "support/sees_detail.hpp"

namespace hdb::test {

/// The tables of the file: three row groups of Tiles (64 slots each), records with containers,
/// freed and retired slots.
void declare_swept(Database& db);
[[nodiscard]] Bytes build_swept(Codec codec);

}  // namespace hdb::test
