// A check of every save of a snapshot, whatever it is written to.
#pragma once

#include "hdb/error.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb {

/// Errors: storage_mismatch if a singleton has no record: load would refuse the save.
[[nodiscard]] Status check_singletons(const ImageSource& image);

}  // namespace hdb
