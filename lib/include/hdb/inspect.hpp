// Files without their program's types, for editors and tools: open, read records as values, compare, validate. hdbinspect is made
// of these.
#pragma once

#include "hdb/database/diff.hpp"         // what differs between two files, or two snapshots
#include "hdb/database/file_source.hpp"  // a file as a ByteSource
#include "hdb/database/overview.hpp"     // a file at a glance, in numbers to be drawn
#include "hdb/database/references.hpp"   // the handles in records, and whether they name live ones
#include "hdb/database/salvage.hpp"      // what can be saved of a damaged file
#include "hdb/database/validate.hpp"     // what is wrong with a file
#include "hdb/format/field_paths.hpp"    // the fields of a schema, by path and by glob
#include "hdb/format/filter_expression.hpp"  // "hp < 10 and name ~ 'imp*'"
#include "hdb/format/glob.hpp"               // patterns of names and paths
#include "hdb/format/handle_names.hpp"       // monsters:1042@7
#include "hdb/format/places.hpp"             // what a block or chunk of a file is called
#include "hdb/format/reader.hpp"             // tables, row groups, blocks
#include "hdb/format/record_filter.hpp"      // which records an expression means
#include "hdb/format/row_encoder.hpp"        // values into records
#include "hdb/format/slot_lookup.hpp"        // state and generation of single slots
#include "hdb/format/value_text.hpp"         // values as text and JSON
#include "hdb/format/values.hpp"             // records as values
#include "hdb/schema/words.hpp"              // storage, policies and states in words
