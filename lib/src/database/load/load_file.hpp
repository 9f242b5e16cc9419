// A load of an open file.
#pragma once

#include <memory>

#include "hdb/database.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/load.hpp"

namespace hdb {

/// As Database::load.
[[nodiscard]] Result<LoadReport> load_file(Database& database,
                                           const std::shared_ptr<const Reader>& file,
                                           const LoadOptions& options);

}  // namespace hdb
