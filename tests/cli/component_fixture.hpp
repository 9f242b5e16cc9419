// A database with component tables, for a golden file.
#pragma once

#include "hdb/hdb.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {

/// Two owners of different layouts; components in dense order, in slots of their own, and with
/// holes; records without components, and components that changed since.
void fill_components(Database& db);
/// The same a little later: components changed, moved, came and went.
void play_components(Database& db);

}  // namespace hdb::test
