// What most files of a game need: tables, handles, a database, captures, saves, loads.
// Needs the target hdb::hdb. The rest has headers of its own beside this one:
//   hdb/blob_table.hpp, hdb/component_table.hpp, hdb/resource_table.hpp  other kinds of tables
//   hdb/sidecar.hpp                                                      values outside of saves
//   hdb/cereal_boxes.hpp                                                 Box, OneOf: for pointers
//   hdb/autosaver.hpp, hdb/save_directory.hpp, hdb/chunk_cache.hpp       saves one after another
//   hdb/migration.hpp                                                    records of older versions
//   hdb/import.hpp                                                       prefabs, parts of levels
//   hdb/bound_handle.hpp                                                 handle->field
//   hdb/history.hpp, hdb/changes.hpp, hdb/sync_test.hpp                  rollback, and its tests
//   hdb/live_table.hpp                                                   records without their type
//   hdb/page_source.hpp, hdb/file_system.hpp                             memory, files of the game
#pragma once

// First, so that the compiler reaches the reason why a type is refused in few lines.
#include "hdb/detail/record/refusal.hpp"

#include "hdb/any_handle.hpp"
#include "hdb/assert.hpp"
#include "hdb/cereal_handles.hpp"
#include "hdb/database.hpp"
#include "hdb/load.hpp"
#include "hdb/save.hpp"
#include "hdb/snapshot.hpp"
#include "hdb/table.hpp"
