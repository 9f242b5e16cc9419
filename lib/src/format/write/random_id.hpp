// Ids that no other file has.
#pragma once

#include "hdb/detail/base/api.hpp"
#include "hdb/hash.hpp"

namespace hdb {

/// 16 random bytes. Any thread may call this.
[[nodiscard]] HDB_INSPECT_API Hash128 random_id() noexcept;

}  // namespace hdb
