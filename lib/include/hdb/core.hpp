// Start here for handles and tables alone: no files, no exceptions, no RTTI needed.
#pragma once

#include "hdb/base/assert.hpp"
#include "hdb/base/policy.hpp"
#include "hdb/core/any_handle.hpp"
#include "hdb/core/blob_table.hpp"
#include "hdb/core/bound_handle.hpp"
#include "hdb/core/handle.hpp"
#include "hdb/core/page_pool.hpp"
#include "hdb/core/sidecar.hpp"
#include "hdb/core/table.hpp"
