// Components of the program's records that the program has no table for.
#pragma once

#include <memory>
#include <string_view>

#include "database/kept/kept_file.hpp"

namespace hdb {

struct SnapshotData;

//   KC1  A kept component exists exactly as long as its record: in the state of a snapshot, each
//        component of a kept table has the slot of a record of its owner that was not erased since
//        the load.
//
// What a load keeps does not change, but the records of a table of the program do. So the
// components of records that are gone are left out where the state is used.

/// The kept tables as they belong to the state of the snapshot; null if there are none. Under
/// Removal::swap the other components move together in their order, under Removal::in_place they
/// leave holes.
/// Complexity: linear in the slots of kept component tables, and, if records that had components
/// are gone, in the bytes of these tables. The result is cached.
[[nodiscard]] std::shared_ptr<const KeptFile> kept_state(const SnapshotData& data);

}  // namespace hdb
