// All that the examples of the headers for games use.
#pragma once

#include <hdb/atomic_file.hpp>
#include <hdb/autosaver.hpp>
#include <hdb/blob_table.hpp>
#include <hdb/cereal_boxes.hpp>
#include <hdb/changes.hpp>
#include <hdb/chunk_cache.hpp>
#include <hdb/component_table.hpp>
#include <hdb/hdb.hpp>
#include <hdb/history.hpp>
#include <hdb/migration.hpp>
#include <hdb/resource_table.hpp>
#include <hdb/save_directory.hpp>
#include <hdb/sidecar.hpp>
#include <hdb/sync_test.hpp>
