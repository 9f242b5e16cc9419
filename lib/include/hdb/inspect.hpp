// Files without their program's types, for editors and tools: open, read records as values, compare, validate. hdbinspect is made
// of these.
#pragma once

#include "hdb/file_source.hpp"  // a file as a ByteSource
#include "hdb/inspect/diff.hpp"
#include "hdb/inspect/field_paths.hpp"        // the fields of a schema, by path and by glob
#include "hdb/inspect/filter_expression.hpp"  // "hp < 10 and name ~ 'imp*'"
#include "hdb/inspect/glob.hpp"               // patterns of names and paths
#include "hdb/inspect/handle_names.hpp"       // monsters:1042@7
#include "hdb/inspect/overview.hpp"           // a file at a glance, in numbers to be drawn
#include "hdb/inspect/places.hpp"             // what a block or chunk of a file is called
#include "hdb/inspect/reader.hpp"             // tables, row groups, blocks
#include "hdb/inspect/record_filter.hpp"      // which records an expression means
#include "hdb/inspect/references.hpp"     // the handles in records, and whether they name live ones
#include "hdb/inspect/row_encoder.hpp"    // values into records
#include "hdb/inspect/salvage.hpp"        // what can be saved of a damaged file
#include "hdb/inspect/slot_lookup.hpp"    // state and generation of single slots
#include "hdb/inspect/snapshot_diff.hpp"  // what differs between two files, or two snapshots
#include "hdb/inspect/validate.hpp"       // what is wrong with a file
#include "hdb/inspect/value_text.hpp"     // values as text and JSON
#include "hdb/inspect/values.hpp"         // records as values
#include "hdb/inspect/words.hpp"          // storage, policies and states in words
