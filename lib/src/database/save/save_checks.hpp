// What every save of a snapshot checks, whatever it is written to.
#pragma once

#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb {

/// Errors: storage_mismatch if a singleton has no record: load would refuse the save.
[[nodiscard]] HDB_API Status check_singletons(const ImageSource& image);

/// Which texts of `given` are not in `saved` as they are, because they are not UTF-8; no error if
/// all are.
[[nodiscard]] HDB_API Error replaced_texts(const Metadata& given, const Metadata& saved);

}  // namespace hdb
