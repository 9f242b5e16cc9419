// Small files that hold every block type, codec and filter between them, for sweeps of damage.
#pragma once

#include "hdb/hdb.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {

/// The tables of the file: three row groups of Tiles (64 slots each), records with containers,
/// freed and retired slots.
void declare_swept(Database& db);
/// The file; without packs, each table has blocks of its own.
[[nodiscard]] Bytes build_swept(const WriteOptions& write = {});

}  // namespace hdb::test
