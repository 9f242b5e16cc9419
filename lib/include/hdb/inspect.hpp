// Everything for editors and tools: files without their program's record types. Needs the target
// hdb::inspect only; hdbinspect is made of these headers. Two more need hdb::hdb:
// hdb/inspect/snapshot_diff.hpp compares captured states, hdb/inspect/load_as.hpp loads a file into
// other schemas.
#pragma once

#include "hdb/file_system.hpp"             // a file as a ByteSource
#include "hdb/inspect/compat.hpp"          // what a program makes of older files
#include "hdb/inspect/diff.hpp"            // the differences between two files
#include "hdb/inspect/filter.hpp"          // "hp < 10 and name ~ 'imp*'"
#include "hdb/inspect/handle_names.hpp"    // monsters:1042@7
#include "hdb/inspect/json.hpp"            // JSON texts, and values in them
#include "hdb/inspect/paths.hpp"           // patterns of names and paths, fields by path
#include "hdb/inspect/reader.hpp"          // tables, row groups, blocks
#include "hdb/inspect/record_history.hpp"  // one record, or one filter, from save to save
#include "hdb/inspect/references.hpp"      // the handles in records, and which are stale
#include "hdb/inspect/row_encoder.hpp"     // values into records
#include "hdb/inspect/salvage.hpp"         // the sound part of a damaged file
#include "hdb/inspect/save_series.hpp"     // the saves of one world, oldest first
#include "hdb/inspect/schema.hpp"          // fields, columns, table descriptors
#include "hdb/inspect/table_schema.hpp"    // schemas of whole tables, as JSON
#include "hdb/inspect/validate.hpp"        // the faults of a file
#include "hdb/inspect/values.hpp"          // records as values, as text and as JSON
