// Start here: Database, tables, handles, capture, restore, save, load.
#pragma once

#include "hdb/core.hpp"
#include "hdb/database/autosaver.hpp"
#include "hdb/database/changes.hpp"
#include "hdb/database/database.hpp"
#include "hdb/database/diff.hpp"
#include "hdb/database/history.hpp"
#include "hdb/database/load.hpp"
#include "hdb/database/save.hpp"
#include "hdb/database/save_directory.hpp"
#include "hdb/database/snapshot.hpp"
#include "hdb/database/sync_test.hpp"
#include "hdb/record/cereal_handles.hpp"
