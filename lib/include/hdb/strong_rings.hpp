// Rings of Strong fields: resources that keep each other, and that nothing else keeps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hdb/error.hpp"

namespace hdb {

class Database;

/// A resource that only rings of Strong fields keep: no Ref holds it, no chain of Strong fields leads to it from a resource
/// that a Ref holds or from a record of an ordinary table, and flush() never destroys it.
struct RingResource {
  std::string table;
  std::uint64_t handle = 0;  ///< Its bits; Handle::from_bits makes a handle of them.
  std::string name;
  /// The ring that it is part of, from 1; resources with the same number hold each other, directly or through others of the
  /// ring. 0: it is part of none; a resource that a ring keeps holds it.
  std::uint32_t ring = 0;
};

/// Finds all resources that only rings of Strong fields keep, in all resource tables of the database. Sorted by table, then
/// by slot. Break a ring by nulling one of its Strong fields, or destroy it by flush({.rings = true}).
///
/// Complexity: one look at each Strong field in the database and at each slot of a resource table.
/// Errors: a record's `serialize` that fails while its Strong fields are looked for.
[[nodiscard]] Result<std::vector<RingResource>> strong_rings(const Database& database);

}  // namespace hdb
