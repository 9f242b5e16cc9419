// Stands in for the backend of PostgreSQL in builds without libpq.
#include "hdb/archive_backend.hpp"

namespace hdb {

Result<std::unique_ptr<ArchiveBackend>> open_archive_url(const std::string& urls,
                                                         const ArchiveOptions& options) {
  static_cast<void>(urls);
  static_cast<void>(options);
  return fail(ErrorCode::archive_not_supported,
              "this build has no support for archives in PostgreSQL: libpq was not found");
}

}  // namespace hdb
