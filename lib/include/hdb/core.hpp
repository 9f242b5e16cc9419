// Start here for handles and tables alone: no files, no exceptions, no RTTI needed.
#pragma once

#include "hdb/any_handle.hpp"
#include "hdb/assert.hpp"
#include "hdb/blob_table.hpp"
#include "hdb/bound_handle.hpp"
#include "hdb/detail/core/arrays/page_pool.hpp"
#include "hdb/handle.hpp"
#include "hdb/policy.hpp"
#include "hdb/sidecar.hpp"
#include "hdb/table.hpp"
