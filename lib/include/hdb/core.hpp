// Handles and tables alone: no files, no exceptions, no RTTI.
#pragma once

#include "hdb/any_handle.hpp"
#include "hdb/assert.hpp"
#include "hdb/blob_table.hpp"
#include "hdb/bound_handle.hpp"
#include "hdb/component_table.hpp"
#include "hdb/handle.hpp"
#include "hdb/page_source.hpp"
#include "hdb/sidecar.hpp"
#include "hdb/table.hpp"
#include "hdb/table_options.hpp"
