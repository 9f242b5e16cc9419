// Everything for games: database, tables, handles, capture, restore, save, load. Needs the target
// hdb::hdb.
#pragma once

// First, so that the compiler reaches the reason why a type is refused in few lines.
#include "hdb/detail/record/refusal.hpp"

#include "hdb/autosaver.hpp"
#include "hdb/cereal_boxes.hpp"
#include "hdb/cereal_handles.hpp"
#include "hdb/changes.hpp"
#include "hdb/core.hpp"
#include "hdb/database.hpp"
#include "hdb/history.hpp"
#include "hdb/import.hpp"
#include "hdb/load.hpp"
#include "hdb/resource_table.hpp"
#include "hdb/save.hpp"
#include "hdb/save_directory.hpp"
#include "hdb/snapshot.hpp"
#include "hdb/sync_test.hpp"
